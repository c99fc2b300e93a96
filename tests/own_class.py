"""The text of a file with a class of a user's own, which several test modules write."""

MINE = """
import numpy as np
from optimist.algorithms.glb.base import GLBAlgorithm

class Mine(GLBAlgorithm):
    reference = "Me (2026), Section 1"

    def __init__(self, problem, *, rng, gamma=0.1):
        super().__init__(problem)
        self.rng, self.gamma = rng, gamma

    def select(self, arms):
        return int(self.rng.integers(len(arms)))

    def update(self, arms, index, reward):
        pass

    def contains(self, thetas):
        return np.ones(len(thetas), dtype=bool)
"""
