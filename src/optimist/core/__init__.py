"""Code that every other subpackage may use, and that imports from none of them."""
