"""Base class of CRMM and MENU, which play an arm many times in a row for each update."""

from abc import abstractmethod
from typing import Any

import numpy as np

from optimist.algorithms.heavy_tailed.ellipsoid import EllipsoidalAlgorithm
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem


class EpochAlgorithm(EllipsoidalAlgorithm):
    """Base class of algorithms that play one optimistic arm throughout each epoch.

    If the epoch's arm is absent from a varying arm set, the nearest arm is played instead, and its
    reward is attributed to the epoch's arm.

    Parameters
    ----------
    problem : HeavyTailedProblem
    length : int
        Number of rounds in an epoch.
    **options
        Keyword arguments passed on to the next constructor in the method resolution order.
    """

    def __init__(self, problem: HeavyTailedProblem, length: int, **options: Any) -> None:
        self.length = length
        self.rewards: list[float] = []
        self.arm = np.empty(0)  # the arm (d,) of this epoch
        self.index = 0  # index of this arm at the beginning of the epoch
        self.substituted = 0  # number of rounds in which another arm was played instead
        super().__init__(problem, **options)

    def select(self, arms: np.ndarray) -> int:
        if not self.rewards:
            self.index = super().select(arms)
            self.arm = arms[self.index].copy()
        if not self.rewards or self.problem.fixed_arms:
            return self.index
        moves = arms - self.arm
        return int(np.argmin(np.vecdot(moves, moves)))

    def update(self, arms: np.ndarray, index: int, reward: float, scale: float) -> None:
        self.t += 1
        self.rewards.append(reward)
        self.substituted += not np.array_equal(arms[index], self.arm)
        if len(self.rewards) == self.length or self.t == self.problem.horizon:
            self.learn_epoch(self.arm, np.array(self.rewards))
            self.rewards.clear()
            self.beta = self.radius()

    @abstractmethod
    def learn_epoch(self, x: np.ndarray, rewards: np.ndarray) -> None:
        """Learn from all ``rewards`` (n,) of an epoch in which arm ``x`` (d,) was played.

        The last epoch may be shorter than the others.
        """

    def diagnostics(self) -> dict[str, float]:
        return {"updates": self.updates, "substituted": self.substituted}
