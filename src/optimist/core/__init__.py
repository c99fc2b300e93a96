"""Modules that all other subpackages may import and that import no other subpackage."""
