"""Algorithms for linear rewards with heavy-tailed noise."""
