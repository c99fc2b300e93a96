"""Code that every room may use and that imports from none of them."""
