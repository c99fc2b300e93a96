"""Numerical routines shared by the whole package, such as likelihoods, kernels and statistics."""
