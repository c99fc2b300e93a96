"""Promises of functions on a box: an honest maximum, true values, a problem that is told truly."""

import inspect
import math

import numpy as np
import pytest

from optimist.contracts.base import require
from optimist.contracts.cases import BOX, World
from optimist.contracts.environments import SLOW, some_points
from optimist.problems.box import BoxProblem

DOMAIN = BOX  # of the cases of these tests
TRIALS = 20  # over which rewards are averaged
MOST = 5.0  # standard errors
ROUNDING = 1e-12
POINTS = 50


@pytest.mark.basic
def test_the_box_has_two_corners(world: World) -> None:
    """low and high are arrays (d,), with low below high."""
    (environment,) = world.built(0)
    low, high = np.asarray(environment.low), np.asarray(environment.high)
    is_box = low.ndim == 1 and low.shape == high.shape and (low < high).all()
    require(is_box, f"low and high have shapes {low.shape}, {high.shape}", "(d,), low below high")


def test_no_value_is_above_the_maximum_or_the_bound(world: World) -> None:
    """No value is above maximum, nor larger than the value_bound that algorithms are told."""
    (environment,) = world.built(0)
    bound = environment.problem().value_bound
    for x in some_points(world, environment, POINTS):
        value = environment.value(x)
        seen = f"value is {value!r}, of type {type(value).__name__}"
        require(type(value) is float, seen, "a float, as float(...) makes it")
        require(value <= environment.maximum, seen, f"maximum, {environment.maximum:g}, at most")
        require(abs(value) <= bound, seen, f"value_bound, {bound:g}, at most")


def test_rewards_average_to_the_values(world: World) -> None:
    """Over trials, rounds and points, rewards average to the values that regret is counted by."""
    residuals, values = [], []
    for trial in range(SLOW if world.is_slow else TRIALS):
        (environment,) = world.built(trial)
        for t, x in enumerate(some_points(world, environment, world.horizon)):
            values.append(environment.value(x))
            residuals.append(environment.reward(t, x) - values[-1])
    # Those at points of large values are weighed against the others, too.
    signs = np.sign(np.array(values) - np.median(values))
    for where, found in (("", np.array(residuals)), (" where these are large", signs * residuals)):
        mean, error = float(found.mean()), float(found.std(ddof=1)) / math.sqrt(len(found))
        seen = f"rewards are {mean:.3g} above values{where}, with a standard error of {error:.2g}"
        allowed = f"{MOST:g} standard errors, or no difference where there is no noise"
        require(abs(mean) <= MOST * error or abs(mean) <= ROUNDING, seen, allowed)


def test_the_algorithm_is_told_the_true_box(world: World) -> None:
    """The problem is a BoxProblem with the environment's box, horizon and initial points."""
    environment, problem = world.told()
    is_known = isinstance(problem, BoxProblem)
    require(is_known, f"problem returned a {type(problem).__name__}", "a BoxProblem")
    told = (problem.horizon, environment.horizon)
    require(set(told) == {world.horizon}, f"horizons are {told}", f"{world.horizon}, as given")
    for name in ("low", "high"):
        same = np.array_equal(getattr(problem, name), getattr(environment, name))
        require(same, f"problem.{name} is not that of the environment", "the same box")
    has_choice = "own_initial" in inspect.signature(environment.problem).parameters
    given = environment.problem(own_initial=False) if has_choice else problem
    if given.initial is not None or has_choice:
        require(given.initial is not None, "initial is None", "points, shared by all algorithms")
        initial = np.asarray(given.initial)
        shape = (given.initial_count, given.dimension)
        require(initial.shape == shape, f"initial has shape {initial.shape}", f"{shape}")
        is_inside = ((initial >= given.low) & (initial <= given.high)).all()
        require(is_inside, "an initial point lies outside the box", "points of the box")
    if has_choice:
        own = environment.problem(own_initial=True).initial
        require(own is None, "with own_initial=True initial is no None", "None")
