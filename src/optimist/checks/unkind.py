"""Environments that are not kind to an algorithm on arms: one arm, huge rewards, none at all."""

import re
from collections.abc import Callable, Sequence

import numpy as np

from optimist.checks import toys
from optimist.checks.base import Contract, require
from optimist.checks.cases import HORIZON, Toy
from optimist.checks.toys import ScriptedEnvironment, random_arms, truth_length
from optimist.experiments.loop import COMPLETE, Trajectory, play

UNKIND = Contract()
STATUS = re.compile(r"ok|unconverged|non_finite|timeout|failed: .+")
_MARKS = (1, 10, 25)


def unkind(
    toy: Toy,
    shape: tuple[int, int],
    reward: Callable[[int, int], float],
    marks: Sequence[int] = (1, 10, 50, HORIZON),
    time_limit: float = 60.0,
) -> Trajectory:
    """Play with (K, d) arms and scripted rewards; return the trajectory."""
    K, d = shape
    d = min(d, getattr(toy.cls, "max_dimension", d))
    arms = random_arms(np.random.default_rng(1), K, d)
    problem = toy.problem(dimension=d)
    theta = np.full(truth_length(problem, arms), 0.1)
    context = toys.CONTEXT.get(toy.kind)
    environment = ScriptedEnvironment([arms], reward, theta=theta, context=context)
    return play(environment, toy.build(problem), list(marks), time_limit=time_limit)


def known_status(trajectory: Trajectory, marks: Sequence[int], where: str) -> None:
    """Raise BrokenError unless a trial has a status, and all its rounds where that says so."""
    seen = f"with {where} its status is {trajectory.status!r}"
    require(STATUS.fullmatch(trajectory.status), seen, STATUS.pattern.replace("|", ", "))
    if trajectory.status in COMPLETE:
        rounds = trajectory.columns["round"]
        require(rounds == list(marks), f"{seen}, and {rounds} are recorded", f"{list(marks)}")


@UNKIND.check(Toy)
def plays_with_one_arm_or_one_dimension(toy: Toy) -> None:
    """One arm and one dimension are environments too: 200 rounds end with status ok."""
    for shape in ((1, 1), (1, 3), (5, 1)):
        trajectory = unkind(toy, shape, lambda t, k: float(t % 2))
        last = ([0, *trajectory.columns.get("round", [])])[-1]
        seen = f"with {shape[0]} arms of {shape[1]} coordinates its status is"
        is_well = trajectory.status == "ok" and last == HORIZON
        require(is_well, f"{seen} {trajectory.status!r} after {last} recorded rounds", "'ok'")


@UNKIND.check(Toy)
def extreme_rewards_end_in_a_status(toy: Toy) -> None:
    """Rewards that are huge, negative or 0 end in a status and never in a crash."""
    for reward in (1e12, -1e6, 0.0, 1e100, 1e300):
        trajectory = unkind(toy, (5, 2), _but_once(reward), _MARKS, time_limit=2.0)
        known_status(trajectory, _MARKS, f"rewards of {reward:g}")
        seen = f"with rewards of 0 its status is {trajectory.status!r}"
        require(reward != 0.0 or trajectory.status == "ok", seen, "'ok'")


@UNKIND.check(Toy)
def rewards_that_are_not_finite_are_recorded(toy: Toy) -> None:
    """A reward that is NaN or infinite ends the trial before it, with a status that says so."""
    for bad in (float("nan"), float("inf")):
        trajectory = unkind(toy, (20, 5), _but_once(1.0, 20, bad))
        rounds = trajectory.columns.get("round", [])
        seen = f"with a reward of {bad} in round 21 its status is {trajectory.status!r}"
        is_recorded = trajectory.status.startswith("failed: ") and rounds == [1, 10]
        require(is_recorded, f"{seen}, with rounds {rounds}", "'failed: ...', with rounds [1, 10]")


def _but_once(
    reward: float, at: int | None = None, then: float = 0.0
) -> Callable[[int, int], float]:
    """Return rewards that are all alike, but for that of one round."""
    return lambda t, k: then if t == at else reward
