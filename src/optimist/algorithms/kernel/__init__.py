"""Algorithms for functions in the space of a kernel, over finitely many arms."""
