r"""What the kernel methods share: optimism about the posterior of the arms on offer.

$$x_{t+1} = \arg\max_x\; \mu_t(x) + \beta_t\,\sigma_t(x),$$
with the leverage $\sigma_t^2$ (`optimist.numerics.gaussian_process`), whatever approximates it.
"""

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np

from optimist.algorithms.base import FiniteArmAlgorithm
from optimist.algorithms.kernel.kernel_theory import BoundUse
from optimist.environments.base import FiniteArmEnvironment
from optimist.environments.problems.kernel import KernelProblem
from optimist.experiments.loop import Observer


class KernelUCB(FiniteArmAlgorithm):
    r"""Base of the algorithms that keep mean and leverage of every arm.

    A round is `choose` (in `select`), `learn` (in `update`) and `predict`: after each reward where
    arms are fixed (in `prepare`), otherwise as soon as the arms of the next round are seen.

    Parameters
    ----------
    problem : KernelProblem

    Attributes
    ----------
    t : int
        Rounds played.
    beta : float
        $\beta_t$, on the scale of leverages.
    mean, leverages : (A,) arrays
        Of the arms last seen.
    is_stale : bool
        Whether these lack the last reward.
    """

    problem_type = KernelProblem
    problem: KernelProblem
    kernels: ClassVar[tuple[str, ...] | None] = None  # those that it is made for; None for all

    def __init__(self, problem: KernelProblem) -> None:
        super().__init__(problem)
        self.t = 0
        self.beta = 0.0
        self.mean = self.leverages = np.empty(0)
        self.arms: np.ndarray | None = None  # where they are fixed: a copy, (A, d)
        self.is_stale = True

    def begin(self, arms: np.ndarray) -> None:
        """Do what can be done once, when fixed ``arms`` (A, d) have been seen; or nothing."""

    def choose(self) -> int:
        """Return the index of the arm to play, given the posterior; the first of equals."""
        return int(np.argmax(self.mean + self.beta * np.sqrt(self.leverages)))

    @abstractmethod
    def learn(self, arms: np.ndarray, index: int, reward: float) -> None:
        """Take in that row ``index`` of ``arms`` (A, d) paid ``reward``."""

    @abstractmethod
    def predict(self, arms: np.ndarray) -> None:
        r"""Set ``mean``, ``leverages`` and ``beta`` for ``arms`` (A, d) from all rewards so far."""

    def select(self, arms: np.ndarray) -> int:
        self._meet(arms)
        if self.is_stale or not self.problem.fixed_arms:
            self.predict(arms)
            self.is_stale = False
        return self.choose()

    def update(self, arms: np.ndarray, index: int, reward: float) -> None:
        self._meet(arms)
        self.learn(arms, index, reward)
        self.t += 1
        self.is_stale = True

    def prepare(self) -> None:
        if self.is_stale and self.arms is not None:
            self.predict(self.arms)
            self.is_stale = False

    def _meet(self, arms):
        if self.arms is None and self.problem.fixed_arms:
            self.arms = arms.copy()
            self.begin(self.arms)

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        # A row is a function, by its values at the arms last seen.
        if len(self.mean) == 0:
            return np.ones(len(thetas), dtype=bool)
        return np.all(np.abs(thetas - self.mean) <= self.widths(), axis=1)

    def widths(self) -> np.ndarray:
        r"""Return $\beta_t\sigma_t$ of the arms last seen, (A,)."""
        return self.beta * np.sqrt(self.leverages)

    def observers(self, environment: FiniteArmEnvironment) -> list[Observer]:
        return [BoundUse(environment.truth, self)]


def sub_gaussian_radius(problem: KernelProblem, log_det: float) -> float:
    r"""Return $\sqrt\lambda F + \xi\sqrt{2(\ell + \log(1/\delta))}$ for ``log_det`` $\ell$.

    Parameters
    ----------
    problem : KernelProblem
    log_det : float
        The log-determinant of $K_t/\lambda+I$ or of what approximates it, or half of it.
    """
    width = math.sqrt(2.0 * (log_det - math.log(problem.delta)))
    return math.sqrt(problem.ridge) * problem.norm_bound + problem.deviation * width
