"""Algorithms for functions of a kernel's space over finitely many arms."""
