"""Base class of methods that compute explicit features of the arms."""

from abc import abstractmethod
from typing import Any

import numpy as np

from optimist.algorithms.kernel.kernel_ucb import KernelUCB, sub_gaussian_radius
from optimist.environments.problems.kernel import KernelProblem
from optimist.numerics.features import FeaturePosterior


class FeatureUCB(KernelUCB):
    """Base class of algorithms that use linear regression on D features per arm.

    Parameters
    ----------
    problem : KernelProblem
    """

    def __init__(self, problem: KernelProblem) -> None:
        super().__init__(problem)
        self.posterior: Any = None  # a `FeaturePosterior` once the arms are known
        self._features: np.ndarray | None = None  # features of the arms, if fixed
        self.offered = np.empty((0, 0))  # features of the most recent arms

    @abstractmethod
    def features(self, arms: np.ndarray) -> np.ndarray:
        """Return the features of ``arms`` (A, d) as an array of shape (A, D)."""

    def begin(self, arms: np.ndarray) -> None:
        self._features = self.features(arms)

    def learn(self, arms: np.ndarray, index: int, reward: float) -> None:
        self._start(arms)
        fixed = self._features
        phi = self.features(arms[index : index + 1])[0] if fixed is None else fixed[index]
        self.posterior.observe(phi, reward)

    def predict(self, arms: np.ndarray) -> None:
        self._start(arms)
        self.offered = self.features(arms) if self._features is None else self._features
        self.mean, self.leverages = self.posterior.predict(self.offered)
        self.beta = self.problem.factor * self.confidence_radius(self.posterior.log_det)

    def confidence_radius(self, log_det: float) -> float:
        r"""Return the radius of GP-UCB, given the log-determinant of $V_t/\lambda$."""
        return sub_gaussian_radius(self.problem, log_det)

    def _start(self, arms):
        if self.posterior is None:
            D = self.features(arms[:1]).shape[1]
            self.posterior = FeaturePosterior(D, self.problem.ridge, self._features)
