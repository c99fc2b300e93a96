r"""How much of its confidence bounds a kernel method uses, beside a trial.

Calandriello et al. (2019), Theorem D.1: with probability $1-\delta$ the function f has
$|f(x)-\tilde\mu_t(x)|\le\tilde\beta_t\tilde\sigma_t(x)$ for all arms and rounds.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from optimist.experiments.loop import Observer

if TYPE_CHECKING:
    from optimist.algorithms.kernel.kernel_ucb import KernelUCB


class BoundUse(Observer):
    """The error of the mean over the width of its bounds, the largest of all arms and rounds.

    Parameters
    ----------
    truth : callable
        From a round to the function at the arms last seen before it, (A,), or None; see
        `FiniteArmEnvironment.truth`.
    algorithm : KernelUCB
    """

    def __init__(self, truth: Callable[[int], np.ndarray | None], algorithm: "KernelUCB") -> None:
        self._truth = truth
        self._algorithm = algorithm
        self._largest = 0.0

    def before(self, t: int) -> None:
        algorithm, f = self._algorithm, self._truth(t)
        if f is None or len(algorithm.mean) == 0:
            return
        errors = np.abs(f - algorithm.mean)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = errors / algorithm.widths()
        # An arm that is known exactly has no width, and should have no error.
        shares[errors == 0.0] = 0.0
        self._largest = max(self._largest, float(shares.max()))

    def columns(self) -> dict[str, Any]:
        return {"error_over_width": self._largest}
