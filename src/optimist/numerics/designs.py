"""Space-filling designs on the unit cube.

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

    # The sequence is balanced if its length is a power of two; scipy warns about other lengths.
    return qmc.Sobol(d, rng=rng).random_base2(math.ceil(math.log2(n)))[:n]


def latin_hypercube(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Return ``n`` points (n, d) of [0, 1]^d, one in each of n equal slices of every coordinate."""
    from scipy.stats import qmc

    return qmc.LatinHypercube(d, rng=rng).random(n)
