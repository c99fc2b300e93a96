"""Code that all other subpackages may import, and that imports none of them."""
