"""Points that fill a cube.

scipy.stats is imported only where it is used, since the workflow imports algorithms whenever it is
parsed.
"""

import math

import numpy as np


def sobol(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Return the first ``n`` points of a scrambled Sobol sequence in [0, 1]^d.

    Each call scrambles the sequence with ``rng``. The result has shape (n, d).
    """
    from scipy.stats import qmc

    # The sequence is balanced at powers of two; other numbers cause a warning.
    return qmc.Sobol(d, rng=rng).random_base2(math.ceil(math.log2(n)))[:n]


def latin_hypercube(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Return ``n`` points (n, d) of [0, 1]^d, one in each of n slices of every coordinate."""
    from scipy.stats import qmc

    return qmc.LatinHypercube(d, rng=rng).random(n)
