"""Shared mathematics: links, norms, projections, likelihoods and their level sets."""
