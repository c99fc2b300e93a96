"""Problem data given to algorithms for functions in a kernel's space."""

from dataclasses import dataclass

from optimist.core.errors import ConfigError, positive, proportion, whole_number
from optimist.numerics.kernels import Kernel

# Least ridge that doubles resolve next to k(x, x) = 1 after thousands of observations.
LEAST_RIDGE = 1e-12


@dataclass(frozen=True)
class KernelProblem:
    r"""Optimising a function of a reproducing kernel's space over finitely many points.

    Attributes
    ----------
    kernel : Kernel
        Kernel of the function.
    dimension : int
        d, the number of coordinates of an arm.
    horizon : int
        T, the declared horizon.
    deviation : float
        $\xi$: the noise is $\xi$-sub-Gaussian.
    ridge : float
        $\lambda$ of the posterior.
    norm_bound : float
        F, a bound on the norm of the function in the kernel's space.
    delta : float
        Failure probability of the confidence bounds.
    factor : float
        Common factor on every confidence radius (1 is the theory).
    fixed_arms : bool
        Whether the same arms are offered in every round.

    Raises
    ------
    ConfigError
        For a value out of range.
    """

    kernel: Kernel
    dimension: int
    horizon: int
    deviation: float
    ridge: float
    norm_bound: float = 1.0
    delta: float = 0.1
    factor: float = 1.0
    fixed_arms: bool = False

    def __post_init__(self):
        for key in ("dimension", "horizon"):
            whole_number(key, getattr(self, key))
        for key in ("deviation", "ridge", "norm_bound", "factor"):
            positive(key, getattr(self, key))
        if self.ridge < LEAST_RIDGE * (1.0 - 1e-9):
            raise ConfigError(
                f"ridge is {self.ridge:g}; allowed: at least {LEAST_RIDGE:g} (a deviation of "
                f"{LEAST_RIDGE**0.5:g}), as rounding hides less"
            )
        proportion("delta", self.delta)
