"""Timing a slow solver on the history of a fast one."""

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
    run_rounds,
)


class Choices(Observer):
    """What the algorithm played, round by round."""

    def __init__(self) -> None:
        self._played: list[Any] = []

    def after(
        self, t: int, arms: np.ndarray | None, choice: Any, reward: float, regret: float
    ) -> None:
        self._played.append(choice)

    def history(self, trajectory: Trajectory) -> "History":
        """Return the history of the trial that was watched."""
        return History(self._played, trajectory.status)


@dataclass(frozen=True)
class History:
    """What a leader did in a trial, for those who are timed on it.

    Attributes
    ----------
    played : sequence of int
        Index of the arm of each round.
    status : str
        How the trial ended.
    """

    played: Sequence[int]
    status: str


class _ReplayRounds(ArmRounds):
    """Running totals of a follower on the history of a leader; see `replay`."""

    def __init__(
        self, environment: FiniteArmEnvironment, history: History, follower: Any, every: int
    ) -> None:
        super().__init__(environment, follower, [Coverage(None, follower)])
        self.history = history
        self.every = every
        # Seconds that preparing and selecting took when last timed; none before the first time.
        self.rates: tuple[float, float] | None = None  # seconds to prepare and to select
        self.selections = 0
        self.agreements = 0

    @property
    def status(self) -> str:
        """How the leader ended, if it did early; else how the follower did, or the leader."""
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
            rounds = t if self.rates is None else 0  # that they stand for besides those to come
            self.rates = middle - start, end - middle
            self._charge(rounds, *self.rates)
            self.selections += 1
            self.agreements += choice == index
        reward, told = (
            draw_reward(self.environment, t, index),
            ask(self.environment, "context", t, t),
        )
        start = time.perf_counter()
        follower.update(arms, index, reward, **told)
        self.seconds += time.perf_counter() - start
        if self.rates:
            self._charge(1, *self.rates)
        return arms, index, reward, self.regret_of(t, index, arms)

    def _charge(self, rounds: int, preparing: float, selecting: float) -> None:
        """Add what preparing and selecting take in some rounds."""
        self.seconds += rounds * (preparing + selecting)
        self.select_seconds += rounds * selecting

    def totals(self) -> dict[str, Any]:
        return {**super().totals(), "selections": self.selections, "agreements": self.agreements}


def replay(
    environment: FiniteArmEnvironment,
    history: History,
    follower: Any,
    marks: Sequence[int],
    *,
    every: int,
    time_limit: float | None = None,
) -> Trajectory:
    """Time a slow solver on the history of a fast one.

    The ``follower`` learns from the arms that the leader played and their rewards, and is asked to
    select in every ``every``-th round only. What that takes stands for the rounds up to the next
    time, so ``seconds`` estimates what its own full trial on this history would take. Where the
    leader's trial ended early, so does this one.

    Returns
    -------
    Trajectory
        As of `play`, with the leader's regret, the follower's seconds, selections and
        agreements: in how many of them both chose the same arm.
    """
    known = [mark for mark in marks if mark <= len(history.played)]
    if not known:
        return Trajectory(history.status)
    return run_rounds(_ReplayRounds(environment, history, follower, every), known, time_limit)
