r"""Base class of the kernel methods: optimism with the posterior at the arms on offer.

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
    r"""Base class of algorithms that keep the mean and leverage of every arm.

    A round calls `choose` (in `select`), `learn` (in `update`) and `predict`. If arms are fixed,
    `predict` follows each reward (in `prepare`); otherwise it waits until the arms of the next
    round are available (in `select`).

    Parameters
    ----------
    problem : KernelProblem

    Attributes
    ----------
    t : int
        Number of rounds played.
    beta : float
        $\beta_t$, on the scale of leverages.
    mean, leverages : (A,) arrays
        Means and leverages at the last arms.
    is_stale : bool
        Whether means and leverages do not include the last reward yet.
    """

    problem_type = KernelProblem
    problem: KernelProblem
    kernels: ClassVar[tuple[str, ...] | None] = None  # the supported kernels; None for all

    def __init__(self, problem: KernelProblem) -> None:
        super().__init__(problem)
        self.t = 0
        self.beta = 0.0
        self.mean = self.leverages = np.empty(0)
        self.arms: np.ndarray | None = None  # a copy of fixed arms, (A, d)
        self.is_stale = True

    def begin(self, arms: np.ndarray) -> None:
        """Optional hook, called once with fixed ``arms`` (A, d)."""

    def choose(self) -> int:
        """Return the index of the arm to play, given the posterior; the first if several tie."""
        return int(np.argmax(self.mean + self.beta * np.sqrt(self.leverages)))

    @abstractmethod
    def learn(self, arms: np.ndarray, index: int, reward: float) -> None:
        """Learn from the reward of row ``index`` of ``arms`` (K, d)."""

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
        # Each row holds the values of a function at the last arms.
        if len(self.mean) == 0:
            return np.ones(len(thetas), dtype=bool)
        return np.all(np.abs(thetas - self.mean) <= self.widths(), axis=1)

    def widths(self) -> np.ndarray:
        r"""Return $\beta_t\sigma_t$ at the last arms, an array of shape (A,)."""
        return self.beta * np.sqrt(self.leverages)

    def observers(self, environment: FiniteArmEnvironment) -> list[Observer]:
        return [BoundUse(environment.truth, self)]


class BoundUse(Observer):
    r"""Observer of the largest ratio of the mean's error to its bound, over arms and rounds.

    Calandriello et al. (2019), Theorem D.1: the function f satisfies, for all arms and rounds,
    $|f(x)-\tilde\mu_t(x)|\le\tilde\beta_t\tilde\sigma_t(x)$ with probability $1-\delta$.

    Parameters
    ----------
    truth : callable
        Maps a round to the values (A,) of the function at the last arms before that round, or to
        None; see `FiniteArmEnvironment.truth`.
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
        # An arm whose value is known exactly has no width, and should have no error.
        shares[errors == 0.0] = 0.0
        self._largest = max(self._largest, float(shares.max()))

    def columns(self) -> dict[str, Any]:
        return {"error_over_width": self._largest}


def sub_gaussian_radius(problem: KernelProblem, log_det: float) -> float:
    r"""Return $\sqrt\lambda F + \xi\sqrt{2(\ell + \log(1/\delta))}$ where $\ell$ is ``log_det``.

    Parameters
    ----------
    problem : KernelProblem
    log_det : float
        Log-determinant of $K_t/\lambda+I$ or of its approximation, or half of it.
    """
    width = math.sqrt(2.0 * (log_det - math.log(problem.delta)))
    return math.sqrt(problem.ridge) * problem.norm_bound + problem.deviation * width
