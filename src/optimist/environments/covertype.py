r"""Bandit made from the Covertype data; each arm is the centroid of a cluster of rows.

Rewards are Bernoulli; an arm's mean is the share of one class in its cluster. The logistic model is
only an approximation, so no true parameter exists, and regret is computed from the cluster means,
not from $\mu(x^\top\theta)$. $S = 6$ and $\kappa = 200$ are the paper's estimates.

Source: Zhang et al. (2025), Appendix F.3, after Filippi et al. (2010).
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from optimist.core.errors import positive
from optimist.data.prepare.covertype import logistic_fit_norm, read_arms
from optimist.environments.base import FiniteArmEnvironment, check_arms
from optimist.environments.problems.glb import GLBProblem
from optimist.numerics.links import Logistic


class CovertypeEnvironment(FiniteArmEnvironment):
    """Environment whose fixed arms come from a prepared file.

    See `optimist.data.prepare.covertype`.

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

    Raises
    ------
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
    ) -> None:
        self._prepared = prepared = read_arms(dataset)
        check_arms(prepared.features)
        self.horizon = horizon
        self._arms, self._means = prepared.features, prepared.means
        # Algorithms get these arrays, not copies, so make them read-only.
        self._arms.flags.writeable = False
        self._means.flags.writeable = False
        everywhere = np.broadcast_to(self._means, (horizon, len(self._means)))
        self._rewards = Logistic().sample(stream("rewards"), everywhere)

    def arms(self, t: int) -> np.ndarray:
        return self._arms

    def means(self, t: int) -> np.ndarray:
        return self._means

    def reward(self, t: int, index: int) -> float:
        return float(self._rewards[t, index])

    def facts(self) -> dict[str, float]:
        return {
            "cluster_mean_lowest": self._means.min(),
            "cluster_mean_highest": self._means.max(),
            "logistic_fit_norm": logistic_fit_norm(self._prepared),
            # The constant feature was 1 before scaling.
            "norm_before_scaling": 1.0 / self._arms[0, -1],
        }

    def problem(
        self, *, norm_bound: float, kappa: float, delta: float = 0.01, factor: float = 1.0
    ) -> GLBProblem:
        """Return the `GLBProblem`.

        Both S and kappa are required, since kappa cannot be computed from S here.

        Parameters
        ----------
        norm_bound : float
            S, the algorithms' bound on the norm of the parameter.
        kappa : float
            The inverse of the smallest slope of the mean function.
        delta : float
            Failure probability of the confidence sets.
        factor : float
            Factor that multiplies every confidence radius; 1 gives the theoretical radius.

        Raises
        ------
        ConfigError
            If an option is out of range.
        """
        return GLBProblem(
            link=Logistic(),
            dimension=self._arms.shape[1],
            norm_bound=positive("norm_bound", norm_bound),
            kappa=positive("kappa", kappa),
            horizon=self.horizon,
            delta=delta,
            factor=factor,
            fixed_arms=True,
        )
