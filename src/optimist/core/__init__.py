"""Modules that every other subpackage may import and that import none of them."""
