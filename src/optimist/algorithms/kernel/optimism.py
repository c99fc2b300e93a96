r"""What the kernel methods share: optimism about the posterior of the arms on offer.

$$x_{t+1} = \arg\max_x\; \mu_t(x) + \beta_t\,\sigma_t(x),$$
with the leverage $\sigma_t^2$ (`optimist.numerics.gaussian_process`), whatever approximates it.
"""

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np

from optimist.algorithms.base import FiniteArmAlgorithm
from optimist.problems.kernel import KernelProblem


class KernelUCB(FiniteArmAlgorithm):
    r"""Base of the algorithms that keep mean and leverage of every arm.

    Where arms are fixed, `prepare` computes both after each reward; where they change, `select`
    does when it sees them.

    Attributes
    ----------
    beta : float
        $\beta_t$, on the scale of leverages.
    mean, leverages : (A,) arrays
        Of the arms last seen.
    """

    problem_type = KernelProblem
    kernels: ClassVar[tuple[str, ...] | None] = None  # those that it is made for; None for all

    def __init__(self, problem):
        super().__init__(problem)
        self.t = 0
        self.beta = 0.0
        self.mean = self.leverages = np.empty(0)
        self.arms = None  # where they are fixed: a copy, (A, d)
        self.is_stale = True  # whether mean and leverages lack the last reward

    def begin(self):
        """Do what can be done once, when the fixed ``arms`` have been seen; free to do nothing."""

    @abstractmethod
    def learn(self, arms, index, reward):
        """Take in that row ``index`` of ``arms`` (A, d) paid ``reward``."""

    @abstractmethod
    def predict(self, arms):
        r"""Set ``mean``, ``leverages`` and ``beta`` for ``arms`` (A, d) from all rewards so far."""

    def select(self, arms):
        self._meet(arms)
        if self.is_stale or not self.problem.fixed_arms:
            self.predict(arms)
            self.is_stale = False
        return self.choose()

    def choose(self):
        """Return the arm to play, given the posterior; the first of equals."""
        return int(np.argmax(self.mean + self.beta * np.sqrt(self.leverages)))

    def update(self, arms, index, reward):
        self._meet(arms)
        self.learn(arms, index, reward)
        self.t += 1
        self.is_stale = True

    def prepare(self):
        if self.is_stale and self.problem.fixed_arms:
            self.predict(self.arms)
            self.is_stale = False

    def _meet(self, arms):
        if self.arms is None and self.problem.fixed_arms:
            self.arms = arms.copy()
            self.begin()

    def contains(self, thetas):
        # A row is a function, by its values at the arms last seen.
        if len(self.mean) == 0:
            return np.ones(len(thetas), dtype=bool)
        width = self.beta * np.sqrt(self.leverages)
        return (np.abs(thetas - self.mean) <= width).all(axis=1)


def sub_gaussian_radius(problem, information):
    r"""Return $\sqrt\lambda F + \xi\sqrt{2(I + \log(1/\delta))}$ for ``information`` I."""
    width = math.sqrt(2.0 * (information - math.log(problem.delta)))
    return math.sqrt(problem.ridge) * problem.norm_bound + problem.deviation * width
