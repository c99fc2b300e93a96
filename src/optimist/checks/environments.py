"""Tests that an environment is reproducible, described truthfully, and fit to be played."""

import inspect
import json
import math
from collections.abc import Iterator
from typing import Any
from unittest import SkipTest

import numpy as np

from optimist.checks.algorithms import require_numbers
from optimist.checks.cases import (
    BOX,
    SAVED,
    BrokenError,
    World,
    marked,
    reloaded,
    require,
    untouched,
)
from optimist.core.errors import ConfigError
from optimist.environments.base import ARRAY, check_arms, in_words, is_array
from optimist.environments.problems.box import BoxProblem
from optimist.environments.problems.glb import GLBProblem
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem
from optimist.environments.problems.kernel import KernelProblem
from optimist.experiments.cell import Cell
from optimist.experiments.trials import Trials, run

SAME = "equal values, with all random numbers drawn from stream(purpose)"
ONCE = "a value that depends only on the trial and the arguments"
TRIALS = {"arms": 60, BOX: 20}  # number of trials over which rewards are averaged
MOST = 5.0  # maximum distance between average rewards and their means, in standard errors
ROUNDING = 1e-12
FEW = 5  # number of rounds in a trial of a slow environment
# ARMS is the maximum number of arms to try in a round. POINTS is the usual number of points to try
# in a box, and MANY a larger number. SLOW is the number of points, and of trials, for a slow
# function.
ARMS, POINTS, MANY, SLOW = 40, 12, 50, 2


def some_points(world: World, environment: Any, n: int = POINTS) -> np.ndarray:
    """Return ``n`` uniform points in a box, as an array of shape (n, d).

    For a slow function, n is `SLOW`.
    """
    n = SLOW if world.is_slow else n
    share = np.random.default_rng(0).random((n, len(environment.low)))
    return environment.low + share * (environment.high - environment.low)


def choices(world: World, environment: Any) -> Iterator[tuple[int, list[Any]]]:
    """Yield each round and the choices to try in it: up to `ARMS` arms, or one point in a box."""
    if world.domain == BOX:
        yield from ((t, [x]) for t, x in enumerate(some_points(world, environment)))
    else:
        for t in range(world.horizon):
            K = len(environment.arms(t))
            yield t, np.linspace(0, K - 1, min(K, ARMS)).round().astype(int).tolist()


def rewards(world: World, environment: Any) -> list[list[float]]:
    """Return the rewards of the choices yielded by `choices`."""
    asked = choices(world, environment)
    return [[environment.reward(t, choice) for choice in offered] for t, offered in asked]


def means(world: World, environment: Any) -> list[np.ndarray]:
    """Return the mean rewards of the choices yielded by `choices`."""
    asked = choices(world, environment)
    if world.domain == BOX:
        return [np.array([environment.value(x)]) for _, (x,) in asked]
    return [environment.means(t)[offered] for t, offered in asked]


def require_same(world: World, one: Any, other: Any, how: str, allowed: str) -> None:
    """Raise BrokenError unless algorithms observe the same values in two environments."""
    expected = _observed(world, other)
    for name, values in _observed(world, one).items():
        differ = "differ" if name == "rewards" else "differs"
        require(
            values == expected[name], f"{name} {differ} after the environment is {how}", allowed
        )


def _observed(world: World, environment: Any) -> dict[str, object]:
    """Return everything that algorithms can observe, as a dictionary of plain values."""
    observed: dict[str, object] = {"rewards": rewards(world, environment)}
    if world.domain == BOX:
        observed["value(x)"] = [mean.tolist() for mean in means(world, environment)]
        observed["problem().initial"] = np.array(environment.problem().initial).tolist()
        return observed
    for t in range(world.horizon):
        observed |= {
            f"{name}({t})": getattr(environment, name)(t).tolist() for name in ("arms", "means")
        }
        observed[f"context({t})"] = environment.context(t)
    return observed


# Arms, means, rewards and facts.


@marked(domain="arms", is_basic=True)
def test_arms_are_sound_and_means_fit_them(world: World) -> None:
    """arms returns a finite array of shape (K, d), whose rows have bounded norms.

    means returns K finite numbers.
    """
    (environment,) = world.built(0)
    for t in range(world.horizon):
        arms = environment.arms(t)
        try:
            check_arms(arms, environment.arm_bound)
        except ConfigError as error:
            seen, _, allowed = str(error).partition("; allowed: ")
            raise BrokenError(f"arms({t}): {seen}", allowed or "finite numbers") from error
        means = environment.means(t)
        require(is_array(means), f"means({t}) is {in_words(means)}", f"{ARRAY} of shape (K,)")
        seen = f"means({t}) is {means.dtype} of shape {means.shape} for {len(arms)} arms"
        is_fit = means.shape == (len(arms),) and np.isfinite(means).all()
        require(is_fit, seen, f"finite numbers in an array of shape ({len(arms)},)")


@marked(domain=BOX, is_basic=True)
def test_the_box_has_two_corners(world: World) -> None:
    """low and high are arrays of shape (d,), and low is below high in each coordinate."""
    low, high = (np.asarray(getattr(world.built(0)[0], name)) for name in ("low", "high"))
    is_box = low.ndim == 1 and low.shape == high.shape and (low < high).all()
    seen = f"low is {low.tolist()} and high is {high.tolist()}"
    require(is_box, seen, "arrays of shape (d,), with low below high in each coordinate")


@marked(is_basic=True)
def test_rewards_are_plain_floats(world: World) -> None:
    """reward returns a finite Python float; so does regret (with arms) or value (on a box)."""
    (environment,) = world.built(0)
    for t, offered in choices(world, environment):
        for choice in offered:
            mean = ("value", (choice,)) if world.domain == BOX else ("regret", (t, choice))
            for name, given in (("reward", (t, choice)), mean):
                value = getattr(environment, name)(*given)
                seen = f"{name}{given} returned {value!r}, of type {type(value).__name__}"
                is_plain = type(value) is float and math.isfinite(value)
                require(is_plain, seen, "a finite float, such as float(...) returns")


def test_facts_are_numbers(world: World) -> None:
    """facts returns a dict that maps names to finite numbers."""
    numbers = world.built(0)[0].facts()
    require(isinstance(numbers, dict), f"facts returned {numbers!r}", "a dict of numbers")
    require_numbers("facts", {name: float(value) for name, value in numbers.items()})


@marked(domain="arms")
def test_context_is_plain_and_the_same_whenever_asked(world: World) -> None:
    """context returns a dict of plain values, the same in every call for a given round."""
    (environment,) = world.built(0)
    first, again = ([environment.context(t) for t in range(world.horizon)] for _ in range(2))
    try:
        json.dumps(first)
    except (TypeError, ValueError) as error:
        raise BrokenError(f"context: {error}", "int, float, bool or str") from error
    require(first == again, "context(t) returned different values in two calls", ONCE)


# The trials of an environment.


def test_the_same_trial_is_the_same_environment(world: World) -> None:
    """An environment constructed again for the same trial looks the same to algorithms."""
    one, other = world.built(0, 0)
    require_same(world, one, other, "constructed again", SAME)


def test_different_trials_draw_different_numbers(world: World) -> None:
    """Two trials have different rewards or, on a box, different initial points."""
    one, other = world.built(0, 1)
    if world.domain == BOX:
        initial, seen = one.problem().initial, "share initial points"
        is_other = initial is None or not np.isin(initial, other.problem().initial).any()
    else:
        is_other, seen = rewards(world, one) != rewards(world, other), "have the same rewards"
    require(is_other, f"trials 0 and 1 {seen}", "draws from stream(purpose)")


def test_a_reward_does_not_depend_on_what_else_is_asked(world: World) -> None:
    """The reward of a choice in a round does not depend on earlier calls or their order."""
    one, backwards, last = world.built(0, 0, 0)
    rounds = list(zip(choices(world, one), rewards(world, one), strict=True))
    for (t, offered), paid in reversed(rounds):
        for choice, reward in reversed(list(zip(offered, paid, strict=True))):
            seen = f"reward({t}, ...) differs if rounds and choices come in reverse order"
            require(backwards.reward(t, choice) == reward, seen, ONCE)
    (t, offered), paid = rounds[-1]
    for how in ("before all others", "twice"):
        seen = f"reward({t}, ...) differs if it is called {how}"
        require(last.reward(t, offered[0]) == paid[0], seen, ONCE)


def test_can_be_saved_in_mid_trial(world: World) -> None:
    """An environment that is pickled and loaded in the middle of a trial continues unchanged."""
    (environment,) = world.built(0)
    asked = list(choices(world, environment))
    for t, offered in asked[: len(asked) // 2]:
        environment.reward(t, offered[0])
    loaded = reloaded(environment)
    require_same(world, loaded, environment, "saved and loaded", SAVED)


def test_leaves_shared_generators_alone(world: World) -> None:
    """An environment does not draw from the global generators of np.random and random."""
    with untouched("it"):
        rewards(world, world.built(0)[0])


@marked(domain="arms")
def test_a_caller_cannot_change_it(world: World) -> None:
    """Writing to an array that arms or means returned does not change the environment."""
    for name in ("arms", "means"):
        (environment,) = world.built(0)
        values = getattr(environment, name)(0)
        before = values.copy()
        if values.flags.writeable:
            values[...] = values + 1
        seen = f"writing to the array that {name}(0) returned changes {name}(0)"
        is_kept = np.array_equal(getattr(environment, name)(0), before)
        require(is_kept, seen, f"{name}.flags.writeable = False, or a copy")


def test_an_algorithm_can_play_in_it(world: World) -> None:
    """A trial of the uniform algorithm ends with status ok."""
    uniform = Cell.of(world.cell.setting, "uniform")
    rounds = FEW if world.is_slow else None
    trajectory = run(Trials("regret", uniform, 0, 1, rounds=rounds), world.data())[0]
    seen = f"a trial of the uniform algorithm ends with status {trajectory.status!r}"
    require(trajectory.status == "ok", seen, "'ok'")


# The truth about an environment.


def test_rewards_average_to_the_means(world: World) -> None:
    """Rewards average to the means (on a box, the values) from which regret is computed.

    In a kernel problem, rewards vary no more than the problem states.
    """
    problem = world.first_trial()[1]
    if isinstance(problem, HeavyTailedProblem):
        raise SkipTest("rewards may have no finite variance")
    noise, true = [], []
    for trial in range(SLOW if world.is_slow else TRIALS[world.domain]):
        (environment,) = world.built(trial)
        true += means(world, environment)
        paid = rewards(world, environment)
        noise += [np.array(a) - b for a, b in zip(paid, true[-len(paid) :], strict=True)]
    # Noise is also averaged with opposite signs for large and small means, to detect errors that
    # cancel in the plain average. The arms of a round may share noise, so standard errors are
    # computed from one average per round.
    middle = np.median(np.concatenate(true))
    weighed = [float(np.mean(np.sign(m - middle) * x)) for m, x in zip(true, noise, strict=True)]
    plain = [float(x.mean()) for x in noise]
    for how, sums in (("", plain), (", negated for small means,", weighed)):
        mean, error = float(np.mean(sums)), float(np.std(sums, ddof=1)) / math.sqrt(len(sums))
        seen = f"rewards minus means{how} average {mean:.3g}, with standard error {error:.2g}"
        allowed = f"at most {MOST:g} standard errors, or 0 if there is no noise"
        require(abs(mean) <= MOST * error or abs(mean) <= ROUNDING, seen, allowed)
    if isinstance(problem, KernelProblem):
        deviation = problem.deviation
        spread = math.sqrt(np.mean([np.mean(x**2) for x in noise])) / deviation
        seen = f"the noise has {spread:.3g} times the problem's deviation, {deviation:g}"
        is_bounded = spread**2 < 1.0 + MOST * math.sqrt(2.0 / len(noise))
        require(is_bounded, seen, "at most this deviation")


@marked(domain="arms")
def test_regret_is_counted_from_the_best(world: World) -> None:
    """Regret is the best mean minus the mean of the chosen arm, so it is 0 for the best arm."""
    (environment,) = world.built(0)
    for t in range(world.horizon):
        means = np.asarray(environment.means(t))
        regrets = np.array([environment.regret(t, k) for k in range(len(means))])
        is_right = regrets.min() == 0.0 == regrets[np.argmax(means)]
        is_right &= np.allclose(regrets, means.max() - means, rtol=1e-6, atol=1e-12)
        seen = f"regret({t}, k) ranges from {regrets.min():g} to {regrets.max():g}"
        allowed = f"from 0, for the arm with the largest mean, to {np.ptp(means):g}"
        require(is_right, seen, allowed)


@marked(domain=BOX)
def test_no_value_is_above_the_maximum_or_the_bound(world: World) -> None:
    """No value exceeds maximum, and no absolute value exceeds the problem's value_bound."""
    (environment,) = world.built(0)
    bound = environment.problem().value_bound
    for x in some_points(world, environment, MANY):
        value, most = environment.value(x), environment.maximum
        require(value <= most, f"value(x) is {value!r}", f"at most maximum, {most:g}")
        seen = f"|value(x)| is {abs(value)!r}"
        require(abs(value) <= bound, seen, f"at most value_bound, {bound:g}")


@marked(domain="arms", is_hint=True)
def test_tells_a_known_problem(world: World) -> None:
    """problem returns a problem of a class that this package's algorithms accept."""
    problem = world.first_trial()[1]
    kinds = (GLBProblem, HeavyTailedProblem, KernelProblem)
    seen = f"problem returned a {type(problem).__name__}"
    require(isinstance(problem, kinds), seen, ", ".join(cls.__name__ for cls in kinds))


def test_the_algorithm_is_told_the_truth(world: World) -> None:
    """The problem states the true dimension, horizon, fixed_arms and bound on the parameter."""
    environment, problem = world.first_trial()
    is_box = world.domain == BOX
    arms = environment.low[None] if is_box else environment.arms(0)
    truth = {"dimension": arms.shape[1], "horizon": world.horizon}
    if not is_box:
        is_fixed = (np.array_equal(arms, environment.arms(t)) for t in range(world.horizon))
        truth["fixed_arms"] = all(is_fixed)
    for name, true in truth.items():
        seen = getattr(problem, name, None)
        require(seen == true, f"problem.{name} is {seen!r}", f"{true}, as in the environment")
    horizon = getattr(environment, "horizon", None)
    is_given = horizon == world.horizon
    allowed = f"{world.horizon}, the horizon that the constructor was given"
    require(is_given, f"horizon is {horizon!r}", allowed)
    theta, is_kernel = environment.theta, isinstance(problem, KernelProblem)
    if theta is not None and not is_box:
        shape = (len(arms),) if is_kernel else (arms.shape[1],)
        require(np.shape(theta) == shape, f"theta has shape {np.shape(theta)}", f"{shape}, or None")
        norm, bound = float(np.linalg.norm(theta)), float(getattr(problem, "norm_bound", np.inf))
        is_bounded = is_kernel or norm <= bound * (1.0 + 1e-12)
        require(is_bounded, f"theta has norm {norm:g}", f"at most norm_bound, {bound:g}")


@marked(domain=BOX)
def test_the_algorithm_is_told_the_true_box(world: World) -> None:
    """The problem is a BoxProblem with the environment's box and valid initial points."""
    environment, problem = world.first_trial()
    returned = f"problem returned a {type(problem).__name__}"
    require(isinstance(problem, BoxProblem), returned, "a BoxProblem")
    for name in ("low", "high"):
        same = np.array_equal(getattr(problem, name), getattr(environment, name))
        seen = f"problem.{name} differs from {name} of the environment"
        require(same, seen, "equal arrays")
    if "own_initial" in inspect.signature(environment.problem).parameters:
        initial = environment.problem(own_initial=True).initial
        require(initial is None, "with own_initial=True, initial is not None", "None")
        problem = environment.problem(own_initial=False)
        seen = "with own_initial=False, initial is None"
        require(problem.initial is not None, seen, "points that all algorithms share")
    if problem.initial is not None:
        initial = np.asarray(problem.initial)
        shape = (problem.initial_count, problem.dimension)
        require(initial.shape == shape, f"initial has shape {initial.shape}", f"{shape}")
        is_inside = ((initial >= problem.low) & (initial <= problem.high)).all()
        require(is_inside, "an initial point lies outside the box", "points in the box")
