"""Points that fill a cube.

scipy.stats is imported where it is used: the workflow imports algorithms whenever it parses.
"""

import math

import numpy as np


def sobol(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Return the first ``n`` points of a scrambled Sobol sequence in [0, 1]^d, (n, d).

    Each call scrambles it with ``rng``.
    """
    from scipy.stats import qmc

    # The sequence is balanced at powers of two; other numbers cause a warning.
    return qmc.Sobol(d, rng=rng).random_base2(math.ceil(math.log2(n)))[:n]


def latin_hypercube(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Return ``n`` points of [0, 1]^d, one in each of n slices of every coordinate, (n, d)."""
    from scipy.stats import qmc

    return qmc.LatinHypercube(d, rng=rng).random(n)
