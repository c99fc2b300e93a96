"""What algorithms are told about a function in the RKHS of a kernel."""

from dataclasses import dataclass
from typing import ClassVar

from optimist.core.errors import ConfigError
from optimist.environments.problems.base import ArmsProblem
from optimist.numerics.kernels import Kernel

# Smallest ridge that is not lost to rounding when added to k(x, x) = 1, even after thousands of
# observations.
LEAST_RIDGE = 1e-12


@dataclass(frozen=True, kw_only=True)
class KernelProblem(ArmsProblem):
    r"""Problem of maximising a function in the RKHS of a kernel over finitely many points.

    In addition to the attributes of `ArmsProblem`, it has the following.

    Attributes
    ----------
    kernel : Kernel
        Kernel of the function.
    deviation : float
        $\xi$, such that the noise is $\xi$-sub-Gaussian.
    ridge : float
        $\lambda$, the ridge in the posterior.
    norm_bound : float
        F, a bound on the function's norm in the RKHS of the kernel.

    Raises
    ------
    ConfigError
        If a value is out of range.
    """

    positive_fields: ClassVar[tuple[str, ...]] = ("deviation", "ridge", "norm_bound", "factor")

    kernel: Kernel
    deviation: float
    ridge: float
    norm_bound: float = 1.0
    delta: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ridge < LEAST_RIDGE * (1.0 - 1e-9):
            raise ConfigError(
                f"ridge is {self.ridge:g}; allowed: at least {LEAST_RIDGE:g} (a deviation of "
                f"{LEAST_RIDGE**0.5:g}), since a smaller ridge is lost in rounding"
            )
