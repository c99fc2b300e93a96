"""Promises of every environment, with arms or on a box: determined by its trial, playable."""

import math
from typing import Any

import numpy as np
import pytest

from optimist.contracts.algorithms import require_numbers
from optimist.contracts.base import SAVED, reloaded, require, untouched
from optimist.contracts.cases import BOX, World
from optimist.runs.cell import Cell
from optimist.runs.trials import Trials, run

SAME = "the same: all that is random comes from stream(purpose)"
ONCE = "one that the trial alone decides"
FEW = 5  # rounds where they take time
MANY, SLOW = 12, 2  # points of a function, and of a slow one


def some_points(world: World, environment: Any, n: int = MANY) -> np.ndarray:
    """Return ``n`` uniform points of a box, (n, d), or fewer of a slow function."""
    n = SLOW if world.is_slow else n
    share = np.random.default_rng(0).random((n, len(environment.low)))
    return environment.low + share * (environment.high - environment.low)


def choices(world: World, environment: Any) -> list[tuple[int, Any]]:
    """Return rounds with choices: all arms of all rounds, or a few points."""
    if world.domain == BOX:
        return list(enumerate(some_points(world, environment)))
    rounds = range(world.horizon)
    return [(t, k) for t in rounds for k in range(len(environment.arms(t)))]


def rewards(world: World, environment: Any) -> list[float]:
    """Return the rewards of these choices."""
    return [environment.reward(t, choice) for t, choice in choices(world, environment)]


def require_same(world: World, one: Any, other: Any, how: str, allowed: str) -> None:
    """Raise BrokenError unless two environments are equal in all that algorithms meet."""
    if world.domain == BOX:
        for t, x in choices(world, one):
            require(one.value(x) == other.value(x), f"value(x) is another when {how}", allowed)
            same = one.reward(t, x) == other.reward(t, x)
            require(same, f"reward({t}, x) is another when {how}", allowed)
        same = np.array_equal(one.problem().initial, other.problem().initial)
        require(same, f"problem().initial is another when {how}", allowed)
        return
    for t in range(world.horizon):
        for name in ("arms", "means"):
            same = np.array_equal(getattr(one, name)(t), getattr(other, name)(t))
            require(same, f"{name}({t}) is another when {how}", allowed)
        same = one.context(t) == other.context(t)
        require(same, f"context({t}) is another when {how}", allowed)
    same = rewards(world, one) == rewards(world, other)
    require(same, f"rewards are others when {how}", allowed)


@pytest.mark.basic
def test_rewards_are_plain_floats(world: World) -> None:
    """reward, and regret of arms or value of points, return finite floats of Python."""
    (environment,) = world.built(0)
    for t, choice in choices(world, environment):
        shown = "x" if world.domain == BOX else choice
        calls = {f"reward({t}, {shown})": environment.reward(t, choice)}
        if world.domain == BOX:
            calls["value(x)"] = environment.value(choice)
        else:
            calls[f"regret({t}, {shown})"] = environment.regret(t, choice)
        for call, value in calls.items():
            seen = f"{call} returned {value!r}, of type {type(value).__name__}"
            is_plain = type(value) is float and math.isfinite(value)
            require(is_plain, seen, "a finite float, as float(...) makes it")


def test_the_same_trial_is_the_same_environment(world: World) -> None:
    """An environment that is built again for a trial is equal in all that algorithms meet."""
    one, other = world.built(4, 4)
    require_same(world, one, other, "built again", SAME)


def test_different_trials_draw_different_numbers(world: World) -> None:
    """Two trials have different rewards, or share no initial points."""
    one, other = world.built(0, 1)
    allowed = "draws from stream(purpose)"
    initial = one.problem().initial if world.domain == BOX else None
    if initial is not None:
        is_other = not np.isin(initial, other.problem().initial).any()
        require(is_other, "trials 0 and 1 share initial points", allowed)
    elif world.domain != BOX:
        is_other = rewards(world, one) != rewards(world, other)
        require(is_other, "trials 0 and 1 have the same rewards", allowed)


def test_a_reward_does_not_depend_on_what_else_is_asked(world: World) -> None:
    """The reward of a round and a choice is the same whenever, and in whatever order, asked."""
    one, backwards, last = world.built(2, 2, 2)
    asked = choices(world, one)
    paid = rewards(world, one)
    how = "is another when rounds and choices are asked backwards"
    for (t, choice), reward in reversed(list(zip(asked, paid, strict=True))):
        require(backwards.reward(t, choice) == reward, f"reward({t}, ...) {how}", ONCE)
    t, choice = asked[-1]
    for time in ("asked first", "asked twice"):
        seen = f"reward({t}, ...) is another when {time}"
        require(last.reward(t, choice) == paid[-1], seen, ONCE)


def test_can_be_saved_in_mid_trial(world: World) -> None:
    """Saved by pickle after some rounds and loaded again, it goes on as if it had not been."""
    (environment,) = world.built(3)
    asked = choices(world, environment)
    for t, choice in asked[: len(asked) // 2]:
        environment.reward(t, choice)
    loaded = reloaded(environment)
    require_same(world, loaded, environment, "it is saved and loaded again", SAVED)


def test_leaves_shared_generators_alone(world: World) -> None:
    """It draws neither from np.random nor from random, which all code shares."""
    with untouched("it"):
        rewards(world, world.built(0)[0])


def test_facts_are_numbers(world: World) -> None:
    """facts returns finite numbers by name."""
    numbers = world.built(0)[0].facts()
    require(isinstance(numbers, dict), f"facts returned {numbers!r}", "a dict of numbers")
    require_numbers("facts", {name: float(value) for name, value in numbers.items()})


def test_an_algorithm_can_play_in_it(world: World) -> None:
    """A trial of uniform play ends with status ok."""
    cell = world.cell
    uniform = Cell(cell.paper, cell.setting, "uniform", cell.spec)
    rounds = FEW if world.is_slow else None
    trajectory = run(Trials("regret", uniform, 0, 1, rounds=rounds), world.data())[0]
    require(trajectory.status == "ok", f"uniform play ends with {trajectory.status!r}", "'ok'")
