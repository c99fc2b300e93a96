"""Algorithms for functions in a reproducing kernel Hilbert space, on finitely many arms."""
