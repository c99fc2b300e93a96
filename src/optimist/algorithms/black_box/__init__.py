"""Algorithms for functions on a box."""
