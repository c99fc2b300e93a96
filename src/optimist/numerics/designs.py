"""Space-filling designs on the unit cube.

scipy.stats is slow to import, and the workflow imports the algorithms each time it is parsed. The
functions that need scipy.stats therefore import it themselves.
"""

import math

import numpy as np


def sobol(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Return the first ``n`` points of a scrambled Sobol sequence in [0, 1]^d.

    Each call draws a new scrambling from ``rng``. The result has shape (n, d).
    """
    from scipy.stats import qmc

    # A Sobol sequence is balanced only if its length is a power of two, and scipy warns about other
    # lengths, so generate 2^k >= n points and keep the first n.
    return qmc.Sobol(d, rng=rng).random_base2(math.ceil(math.log2(n)))[:n]


def latin_hypercube(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Return a Latin hypercube sample of ``n`` points in [0, 1]^d, as an array of shape (n, d).

    Along every coordinate, each of n equal intervals contains exactly one point.
    """
    from scipy.stats import qmc

    return qmc.LatinHypercube(d, rng=rng).random(n)
