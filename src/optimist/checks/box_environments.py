"""What a function on a box promises: determined by its trial, honest about its maximum."""

import inspect
import math

import numpy as np

from optimist.checks.arms import plain_numbers
from optimist.checks.base import Contract, require
from optimist.checks.cases import World
from optimist.checks.environments import SAME, an_algorithm_can_play_in_it
from optimist.checks.generators import untouched
from optimist.checks.saving import SAVED, reloaded
from optimist.environments.base import BoxEnvironment
from optimist.environments.problems.box import BoxProblem

BOX_ENVIRONMENTS = Contract()
TRIALS = 20  # over which rewards are averaged
MOST = 5.0  # standard errors
ROUNDING = 1e-12
MANY, FEW = 50, 2  # points at which a function is looked at, and where that takes time


def some_points(environment: BoxEnvironment, n: int) -> np.ndarray:
    """Return ``n`` uniform points of the box, (n, d)."""
    share = np.random.default_rng(0).random((n, len(environment.low)))
    return environment.low + share * (environment.high - environment.low)


@BOX_ENVIRONMENTS.check(World, is_basic=True)
def values_are_plain_floats_in_a_box(world: World) -> None:
    """The box has two corners (d,), and value and reward return finite floats of Python."""
    (environment,) = world.built(0)
    t, corners = 0, [np.asarray(getattr(environment, name)) for name in ("low", "high")]
    shapes = [corner.shape for corner in corners]
    is_box = len(shapes[0]) == 1 and shapes[0] == shapes[1] and (corners[0] < corners[1]).all()
    require(is_box, f"low and high have shapes {shapes}", "(d,), with low below high")
    (x,) = some_points(environment, 1)
    for name, value in (("value", environment.value(x)), ("reward", environment.reward(t, x))):
        seen = f"{name} returned {value!r}, of type {type(value).__name__}"
        is_plain = type(value) is float and np.isfinite(value)
        require(is_plain, seen, "a finite float, as float(...) makes it")


@BOX_ENVIRONMENTS.check(World)
def the_same_trial_is_the_same_environment(world: World) -> None:
    """A trial that is built again has the same values; another has other initial points."""
    a, b, c = world.built(1, 1, 2)
    (x,) = some_points(a, 1)
    require(a.reward(3, x) == b.reward(3, x), "reward(3, x) is another when built again", SAME)
    require(a.value(x) == b.value(x), "value(x) is another when built again", SAME)
    initial = [one.problem().initial for one in (a, b, c)]
    if initial[0] is not None:
        is_same = np.array_equal(initial[0], initial[1])
        require(is_same, "problem().initial is another when built again", SAME)
        is_other = not np.isin(initial[0], initial[2]).any()
        require(is_other, "trials 1 and 2 share initial points", "draws from stream(purpose)")


@BOX_ENVIRONMENTS.check(World)
def a_reward_does_not_depend_on_what_else_is_asked(world: World) -> None:
    """The reward of a round and a point is the same whenever it is asked."""
    a, b = world.built(0, 0)
    x, other = some_points(a, 2)
    first = a.reward(5, x)
    b.reward(4, other)
    b.value(other)
    for time in ("other points are asked first", "asked twice"):
        seen = f"reward(5, x) is another when {time}"
        require(b.reward(5, x) == first, seen, "one that the trial alone decides")


@BOX_ENVIRONMENTS.check(World)
def can_be_saved_in_mid_trial(world: World) -> None:
    """Saved by pickle after a round and loaded again, it goes on as if it had not been."""
    (environment,) = world.built(0)
    x, other = some_points(environment, 2)
    environment.reward(0, x)
    loaded = reloaded(environment)
    for t, point in ((1, x), (2, other)):
        is_same = loaded.reward(t, point) == environment.reward(t, point)
        require(is_same, f"reward({t}, x) is another when saved and loaded again", SAVED)
        is_same = loaded.value(point) == environment.value(point)
        require(is_same, "value(x) is another when saved and loaded again", SAVED)


@BOX_ENVIRONMENTS.check(World)
def no_value_is_above_the_maximum_or_the_bound(world: World) -> None:
    """No value is above maximum, nor larger than the value_bound that algorithms are told."""
    (environment,) = world.built(0)
    bound = environment.problem().value_bound
    for x in some_points(environment, FEW if world.is_slow else MANY):
        value = environment.value(x)
        seen = f"value is {value!r}, of type {type(value).__name__}"
        require(type(value) is float, seen, "a float, as float(...) makes it")
        require(value <= environment.maximum, seen, f"maximum, {environment.maximum:g}, at most")
        require(abs(value) <= bound, seen, f"value_bound, {bound:g}, at most")


@BOX_ENVIRONMENTS.check(World)
def rewards_average_to_the_values(world: World) -> None:
    """Over trials, rounds and points, rewards average to the values that regret is counted by."""
    residuals, values = [], []
    for trial in range(FEW if world.is_slow else TRIALS):
        (environment,) = world.built(trial)
        for t, x in enumerate(some_points(environment, FEW if world.is_slow else world.horizon)):
            values.append(environment.value(x))
            residuals.append(environment.reward(t, x) - values[-1])
    # Those at points of large values are weighed against the others, too.
    signs = np.sign(np.array(values) - np.median(values))
    for where, found in (("", np.array(residuals)), (" where these are large", signs * residuals)):
        mean, error = float(found.mean()), float(found.std(ddof=1)) / math.sqrt(len(found))
        seen = f"rewards are {mean:.3g} above values{where}, with a standard error of {error:.2g}"
        allowed = f"{MOST:g} standard errors, or no difference where there is no noise"
        require(abs(mean) <= MOST * error or abs(mean) <= ROUNDING, seen, allowed)


@BOX_ENVIRONMENTS.check(World)
def the_algorithm_is_told_the_truth(world: World) -> None:
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


@BOX_ENVIRONMENTS.check(World)
def leaves_shared_generators_alone(world: World) -> None:
    """It draws neither from np.random nor from random, which all code shares."""
    with untouched("it"):
        (environment,) = world.built(0)
        environment.reward(0, some_points(environment, 1)[0])


@BOX_ENVIRONMENTS.check(World)
def facts_are_numbers(world: World) -> None:
    """facts returns finite numbers by name."""
    numbers = world.built(0)[0].facts()
    require(isinstance(numbers, dict), f"facts returned {numbers!r}", "a dict of numbers")
    plain_numbers("facts", {name: float(value) for name, value in numbers.items()})


BOX_ENVIRONMENTS.check(World)(an_algorithm_can_play_in_it)
