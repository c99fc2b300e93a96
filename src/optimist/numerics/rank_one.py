"""Rank-one updates by one call of BLAS, in a third of the time of numpy's three."""

import numpy as np

from optimist.numerics import compiled


def add_outer(H: np.ndarray, b: float, v: np.ndarray) -> np.ndarray:
    r"""Return $H + b\,vv^\top$, (d, d), for ``v`` (d,); in place if H is in Fortran order."""
    return compiled.blas.dger(b, v, v, a=H, overwrite_a=1)
