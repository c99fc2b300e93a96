"""Algorithms for generalized linear bandits."""
