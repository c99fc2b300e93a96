r"""Bandit whose arms are the rows of a regression data set.

The coordinates of an arm are the features of its row, scaled to mean 0 and variance 1. Its mean
reward is the target, scaled to $[0,1]$. See `optimist.data.prepare.regression`. Observations have
noise $N(0,\xi^2)$, which is the same for all arms in a round. Each trial shuffles the arms, since
ties would otherwise favour the first rows.

The paper (Calandriello et al. 2019) has no such experiment, but a later study by its authors does.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from optimist.core.errors import positive
from optimist.data.prepare.regression import read_arms
from optimist.environments.kernel_pool import KernelPool
from optimist.numerics.kernels import make_kernel


class RegressionArmsEnvironment(KernelPool):
    r"""Environment that offers all rows of a prepared file as arms in every round.

    See `optimist.data.prepare.regression`.

    Parameters
    ----------
    horizon : int
        T, the number of rounds, known to the algorithms.
    trial : int
        Index of the trial, counted from 0.
    stream : callable
        Maps a purpose (str) to the numpy Generator for this setting and trial.
    dataset : str or Path
        Path of the prepared file.
    kernel : {"gaussian", "matern12", "matern32", "matern52", "linear"}
        Kernel given to the algorithms; see `optimist.numerics.kernels`.
    lengthscale : float or None
        Lengthscale of the kernel; None for the linear kernel.
    deviation : float
        $\xi$, the standard deviation of the noise.

    Raises
    ------
    ConfigError
        If a parameter is out of range.
    DataError
        If the prepared file is missing or damaged.
    """

    def __init__(
        self,
        *,
        horizon: int,
        trial: int,
        stream: Callable[[str], np.random.Generator],
        dataset: str | Path,
        kernel: str = "gaussian",
        lengthscale: float | None = 1.0,
        deviation: float = 0.1,
    ) -> None:
        self.horizon = horizon
        self.kernel = make_kernel(kernel, lengthscale)
        self.deviation = positive("deviation", deviation)
        features, targets = read_arms(dataset)
        order = stream("order").permutation(len(targets))
        noise = self.deviation * stream("noise").standard_normal(horizon)
        self.fill(features[order], targets[order], noise)

    def facts(self) -> dict[str, float]:
        return {
            "target_mean": float(self._means.mean()),
            "best_arms": float(np.count_nonzero(self._means == self._means.max())),
        }
