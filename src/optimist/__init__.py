"""Reproduction of four papers on optimistic bandits, with a computed verdict for every claim."""

__version__ = "0.1.0"
