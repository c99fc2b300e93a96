r"""Base class of the kernel methods: optimism based on the posterior at the arms on offer.

$$x_{t+1} = \arg\max_x\; \mu_t(x) + \beta_t\,\sigma_t(x),$$
with the exact or approximate leverage $\sigma_t^2$ (`optimist.numerics.gaussian_process`).
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from optimist.algorithms.base import FiniteArmAlgorithm
from optimist.environments.base import FiniteArmEnvironment
from optimist.environments.observer import Observer
from optimist.environments.problems.kernel import KernelProblem


class KernelUCB(FiniteArmAlgorithm):
    r"""Base class of algorithms that keep the posterior mean and leverage of every arm.

    In each round, `select` calls `choose`, and `update` calls `learn`. If the arms are fixed,
    `prepare` calls `predict` after each reward; otherwise, `select` calls `predict` once the arms
    of the next round are known.

    Parameters
    ----------
    problem : KernelProblem

    Attributes
    ----------
    t : int
        Number of rounds played.
    beta : float
        $\beta_t$, which multiplies the square roots of the leverages.
    mean, leverages : (A,) arrays
        Posterior means and leverages at the most recent arms.
    is_stale : bool
        Whether the last reward is not yet included in the means and leverages.
    """

    problem_type = KernelProblem
    problem: KernelProblem
    kernels: ClassVar[tuple[str, ...] | None] = None  # the supported kernels; None means all

    def __init__(self, problem: KernelProblem) -> None:
        super().__init__(problem)
        self.t = 0
        self.beta = 0.0
        self.mean = self.leverages = np.empty(0)
        self.arms: np.ndarray | None = None  # a copy of the arms (A, d) if they are fixed
        self.is_stale = True

    def begin(self, arms: np.ndarray) -> None:
        """Optional hook, called once with ``arms`` (A, d) if they are fixed."""

    def choose(self) -> int:
        """Return the index of the arm to play, the first in case of a tie."""
        return int(np.argmax(self.mean + self.beta * np.sqrt(self.leverages)))

    @abstractmethod
    def learn(self, arms: np.ndarray, index: int, reward: float) -> None:
        """Learn from the ``reward`` of the arm in row ``index`` of ``arms`` (K, d)."""

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
        # Each row of ``thetas`` holds a function's values at the most recent arms.
        if len(self.mean) == 0:
            return np.ones(len(thetas), dtype=bool)
        return np.all(np.abs(thetas - self.mean) <= self.widths(), axis=1)

    def widths(self) -> np.ndarray:
        r"""Return $\beta_t\sigma_t$ at the most recent arms, as an array of shape (A,)."""
        return self.beta * np.sqrt(self.leverages)

    def observers(self, environment: FiniteArmEnvironment) -> list[Observer]:
        return [BoundUse(environment.truth, self)]


class BoundUse(Observer):
    r"""Observer that records the largest ratio of the posterior mean's error to its bound.

    The maximum is over all arms and rounds. By Theorem D.1 of Calandriello et al. (2019), with
    probability $1-\delta$, the function f satisfies
    $|f(x)-\tilde\mu_t(x)|\le\tilde\beta_t\tilde\sigma_t(x)$ for all arms and rounds.

    Parameters
    ----------
    truth : callable
        Function that maps a round to the values of f, of shape (A,), at the most recent arms before
        that round, or to None. See `FiniteArmEnvironment.truth`.
    algorithm : KernelUCB
    """

    def __init__(self, truth: Callable[[int], np.ndarray | None], algorithm: KernelUCB) -> None:
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
        # An arm whose value is known exactly has width 0; its ratio is 0 if its error is also 0.
        shares[errors == 0.0] = 0.0
        self._largest = max(self._largest, float(shares.max()))

    def columns(self) -> dict[str, Any]:
        return {"error_over_width": self._largest}


def sub_gaussian_radius(problem: KernelProblem, log_det: float) -> float:
    r"""Return $\sqrt\lambda F + \xi\sqrt{2(\ell + \log(1/\delta))}$, where $\ell$ is ``log_det``.

    Parameters
    ----------
    problem : KernelProblem
    log_det : float
        Log-determinant of $K_t/\lambda+I$ or of its approximation, or half of that.
    """
    width = math.sqrt(2.0 * (log_det - math.log(problem.delta)))
    return math.sqrt(problem.ridge) * problem.norm_bound + problem.deviation * width
