"""Timing of a slow solver on the history of a fast one."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from optimist.environments.base import FiniteArmEnvironment
from optimist.environments.observer import Observer
from optimist.experiments.loop import (
    COMPLETE,
    ArmRounds,
    Coverage,
    Round,
    Trajectory,
    ask,
    check_index,
    draw_reward,
)


class Choices(Observer):
    """Observer that stores the choice of each round."""

    def __init__(self) -> None:
        self.played: list[Any] = []

    def after(
        self, t: int, arms: np.ndarray | None, choice: Any, reward: float, regret: float
    ) -> None:
        self.played.append(choice)


@dataclass(frozen=True)
class History:
    """A leader's choices in a trial, replayed by its followers.

    Attributes
    ----------
    played : sequence of int
        Index of the arm chosen in each round.
    status : str
        Status with which the trial ended.
    """

    played: Sequence[int]
    status: str


class _ReplayRounds(ArmRounds):
    """Running totals of a follower on a leader's history; see `replay`."""

    def __init__(
        self, environment: FiniteArmEnvironment, history: History, follower: Any, every: int
    ) -> None:
        super().__init__(environment, follower, [Coverage(None, follower)])
        self.history = history
        self.every = every
        # Seconds that prepare and select took when last timed; None before the first timing.
        self.rates: tuple[float, float] | None = None
        self.selections = 0
        self.agreements = 0

    @property
    def status(self) -> str:
        """The leader's status if the leader did not complete the trial or the follower is ok.

        Otherwise, this is the follower's status.
        """
        if self.history.status not in COMPLETE:
            return self.history.status
        return self.history.status if super().status == "ok" else super().status

    def round(self, t: int) -> Round:
        arms, follower = self.arms(t), self.algorithm
        index = self.history.played[t]
        if t % self.every == self.every // 2:
            start = time.perf_counter()
            follower.prepare()
            middle = time.perf_counter()
            choice = follower.select(arms)
            end = time.perf_counter()
            check_index(choice, len(arms), t, follower)
            rounds = t if self.rates is None else 0  # number of earlier rounds not yet charged
            self.rates = middle - start, end - middle
            self._charge(rounds, *self.rates)
            self.selections += 1
            self.agreements += choice == index
        reward = draw_reward(self.environment, t, index)
        context = ask(self.environment, "context", t, t)
        start = time.perf_counter()
        follower.update(arms, index, reward, **context)
        self.seconds += time.perf_counter() - start
        if self.rates:
            self._charge(1, *self.rates)
        return arms, index, reward, self.regret_of(t, index, arms)

    def _charge(self, rounds: int, preparing: float, selecting: float) -> None:
        self.seconds += rounds * (preparing + selecting)
        self.select_seconds += rounds * selecting

    def totals(self) -> dict[str, object]:
        return {**super().totals(), "selections": self.selections, "agreements": self.agreements}


def replay(
    environment: FiniteArmEnvironment,
    history: History,
    follower: Any,
    marks: Sequence[int],
    *,
    every: int,
) -> Trajectory:
    """Time a slow solver on the history of a fast one.

    The ``follower`` learns from the leader's arms and rewards, and selects an arm only once every
    ``every`` rounds. The time of a selection is charged to every round until the next selection,
    so ``seconds`` estimates the time of a full trial on this history. The trial ends early if the
    leader's trial ended early.

    Returns
    -------
    Trajectory
        The columns of `Rounds.run`, with the leader's regret and the follower's times, and two
        more: ``selections``, the follower's number of selections, and ``agreements``, the number of
        these that chose the leader's arm.
    """
    reached = [mark for mark in marks if mark <= len(history.played)]
    if not reached:
        return Trajectory(history.status)
    return _ReplayRounds(environment, history, follower, every).run(reached)
