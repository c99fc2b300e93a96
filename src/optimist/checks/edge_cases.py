"""Tests of algorithms on the smallest problems, and with extreme or invalid rewards."""

import math
import re
from typing import Any

import numpy as np

from optimist.checks.cases import BOX, HORIZON, Toy, require
from optimist.checks.plays import scripted
from optimist.experiments.loop import COMPLETE

STATUS = re.compile(r"ok|unconverged|non_finite.*|timeout|failed: .+")
# The smallest problems, by domain: description, changes to the toy problem, rounds to play.
_SMALLEST: dict[str, list[tuple[str, dict[str, Any], int]]] = {
    "arms": [
        (f"{K} arms of {d} coordinates", {"arms": K, "dimension": d}, HORIZON)
        for K, d in ((1, 1), (1, 3), (5, 1))
    ],
    BOX: [
        ("1 coordinate", {"dimension": 1}, 10),
        ("3 coordinates", {"dimension": 3}, 10),
        ("1 initial point", {"initial": np.zeros((1, 2)), "initial_count": 1}, 10),
        ("fewer rounds than initial points", {"horizon": 3}, 3),
    ],
}
# For each domain: the reward scaling factors and the time limit of a trial in seconds.
_EXTREMES = {
    "arms": ((1e12, -1e6, 0.0, 1e100, 1e300), 2.0),
    BOX: ((1e12, -1e6, 1e-12), 60.0),
}
# For each domain: the rounds to record and the round with a non-finite reward.
_MARKS = {"arms": ([1, 10, 25], 21), BOX: ([1, 5, 10], 9)}


def test_plays_in_the_smallest_problems(toy: Toy) -> None:
    """Trials on the smallest problems end with status ok, even if rewards hardly vary."""
    for words, changes, rounds in _SMALLEST[toy.domain]:
        # Rewards are constant on a box, and alternate between 0 and 1 with arms.
        reward = (lambda t, usual: 1.0) if toy.domain == BOX else (lambda t, usual: float(t % 2))
        trajectory = scripted(toy, reward, [1, rounds], **changes)
        last = [0, *trajectory.columns.get("round", [])][-1]
        seen = f"with {words}, its status is {trajectory.status!r} after {last} rounds"
        require(trajectory.status == "ok" and last == rounds, seen, f"'ok' after {rounds} rounds")


def test_extreme_rewards_end_in_a_status(toy: Toy) -> None:
    """Rewards that are huge, negative, tiny or 0 lead to a valid status, never to a crash."""
    marks, _ = _MARKS[toy.domain]
    factors, seconds = _EXTREMES[toy.domain]
    for factor in factors:
        trajectory = scripted(toy, lambda t, usual: factor * usual, marks, seconds=seconds)  # noqa: B023
        status, rounds = trajectory.status, trajectory.columns.get("round", [])
        seen = f"with rewards multiplied by {factor:g}, its status is {status!r}"
        require(STATUS.fullmatch(status), seen, STATUS.pattern.replace("|", ", "))
        is_whole = status not in COMPLETE or rounds == marks
        require(is_whole, f"{seen}, and rounds {rounds} are recorded", f"rounds {marks}")
        require(factor != 0.0 or status == "ok", seen, "'ok'")


def test_rewards_that_are_not_finite_are_recorded(toy: Toy) -> None:
    """A NaN or infinite reward ends the trial with a failed status; earlier rounds are kept."""
    marks, last = _MARKS[toy.domain]
    for bad in (math.nan, math.inf):
        trajectory = scripted(
            toy,
            lambda t, usual: bad if t == last - 1 else usual,  # noqa: B023
            marks,
            arms=20,
            dimension=2 if toy.domain == BOX else 5,
        )
        rounds = trajectory.columns.get("round", [])
        seen = f"with a reward of {bad} in round {last}, its status is {trajectory.status!r}"
        is_recorded = trajectory.status.startswith("failed: ") and rounds == marks[:2]
        allowed = f"'failed: ...', with rounds {marks[:2]} recorded"
        require(is_recorded, f"{seen}, with rounds {rounds} recorded", allowed)
