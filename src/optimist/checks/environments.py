"""What an environment with arms promises: determined by its trial, true to its means."""

import json
import math
from typing import Any

import numpy as np

from optimist.checks.arms import plain_numbers
from optimist.checks.base import BrokenError, Contract, PassedOverError, require
from optimist.checks.cases import World
from optimist.checks.generators import untouched
from optimist.checks.saving import SAVED, reloaded
from optimist.core.errors import ConfigError
from optimist.environments.base import ARRAY, check_arms, in_words, is_array
from optimist.environments.problems.glb import GLBProblem
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem
from optimist.environments.problems.kernel import KernelProblem
from optimist.experiments.cell import Cell
from optimist.experiments.trials import Trials, run

ENVIRONMENTS = Contract()
SAME = "the same: all that is random comes from stream(purpose)"
FEW = 5  # rounds where they take time
TRIALS = 60  # over which rewards are averaged
MOST = 4.0  # standard errors


def rewards(world: World, environment: Any) -> list[list[float]]:
    """Return the rewards of all rounds and arms."""
    return [
        [environment.reward(t, k) for k in range(len(environment.arms(t)))]
        for t in range(world.horizon)
    ]


# What there is.


@ENVIRONMENTS.check(World, is_basic=True)
def arms_are_sound_and_means_fit_them(world: World) -> None:
    """Arms are finite (K, d) arrays of bounded norm, with K finite mean rewards."""
    (environment,) = world.built(0)
    for t in range(world.horizon):
        arms = environment.arms(t)
        try:
            check_arms(arms, environment.arm_bound)
        except ConfigError as error:
            seen, _, allowed = str(error).partition("; allowed: ")
            raise BrokenError(f"arms({t}): {seen}", allowed or "finite numbers") from error
        _fit(environment.means(t), arms, t)


def _fit(means: Any, arms: np.ndarray, t: int) -> None:
    """Raise BrokenError unless there is a mean reward for each arm (K, d) of round ``t``."""
    require(is_array(means), f"means({t}) is {in_words(means)}", f"{ARRAY} of shape (K,)")
    seen = f"means({t}) is {means.dtype} of shape {means.shape} with {len(arms)} arms"
    is_fit = means.shape == (len(arms),) and np.isfinite(means).all()
    require(is_fit, seen, f"finite numbers of shape ({len(arms)},)")


@ENVIRONMENTS.check(World, is_basic=True)
def rewards_are_plain_floats(world: World) -> None:
    """reward and regret return finite floats of Python."""
    (environment,) = world.built(0)
    for name in ("reward", "regret"):
        for t in range(world.horizon):
            for k in range(len(environment.arms(t))):
                value = getattr(environment, name)(t, k)
                seen = f"{name}({t}, {k}) returned {value!r}, of type {type(value).__name__}"
                is_plain = type(value) is float and math.isfinite(value)
                require(is_plain, seen, "a finite float, as float(...) makes it")


# What is drawn.


@ENVIRONMENTS.check(World)
def the_same_trial_is_the_same_environment(world: World) -> None:
    """An environment that is built again for a trial has the same arms, means and rewards."""
    a, b = world.built(4, 4)
    for t in range(world.horizon):
        for name in ("arms", "means"):
            one, other = getattr(a, name)(t), getattr(b, name)(t)
            require(np.array_equal(one, other), f"{name}({t}) is another when built again", SAME)
    require(rewards(world, a) == rewards(world, b), "rewards are others when built again", SAME)


@ENVIRONMENTS.check(World)
def different_trials_draw_different_numbers(world: World) -> None:
    """Two trials have different rewards."""
    a, b = (rewards(world, one) for one in world.built(0, 1))
    require(a != b, "trials 0 and 1 have the same rewards", "draws from stream(purpose)")


@ENVIRONMENTS.check(World)
def a_reward_does_not_depend_on_what_else_is_asked(world: World) -> None:
    """The reward of a round and an arm is the same whenever, and in whatever order, it is asked."""
    a, b, c = world.built(2, 2, 2)
    everything = rewards(world, a)
    for t in reversed(range(world.horizon)):
        for k in reversed(range(len(b.arms(t)))):
            seen = f"reward({t}, {k}) is another when rounds and arms are asked backwards"
            require(everything[t][k] == b.reward(t, k), seen, "one that the trial alone decides")
    t = world.horizon - 1
    for time in ("asked first", "asked twice"):
        seen = f"reward({t}, 0) is another when {time}"
        require(c.reward(t, 0) == everything[-1][0], seen, "one that the trial alone decides")


@ENVIRONMENTS.check(World)
def can_be_saved_in_mid_trial(world: World) -> None:
    """Saved by pickle after some rounds and loaded again, it goes on as if it had not been."""
    (environment,) = world.built(3)
    for t in range(world.horizon // 2):
        environment.arms(t), environment.context(t)
        environment.reward(t, 0), environment.regret(t, 0)
    loaded = reloaded(environment)
    for t in range(world.horizon):
        for name in ("arms", "means"):
            one, other = getattr(loaded, name)(t), getattr(environment, name)(t)
            seen = f"{name}({t}) is another when saved and loaded again"
            require(np.array_equal(one, other), seen, SAVED)
        told = loaded.context(t) == environment.context(t)
        require(told, f"context({t}) is another when saved and loaded again", SAVED)
    paid = rewards(world, loaded) == rewards(world, environment)
    require(paid, "rewards are others when it is saved and loaded again", SAVED)


@ENVIRONMENTS.check(World)
def leaves_shared_generators_alone(world: World) -> None:
    """It draws neither from np.random nor from random, which all code shares."""
    with untouched("it"):
        rewards(world, world.built(0)[0])


@ENVIRONMENTS.check(World)
def rewards_average_to_the_means(world: World) -> None:
    """Rewards average to their means; those of a kernel's problem spread no more than told."""
    # Standardised residuals of all (trial, round, arm) are close to a standard normal in sum,
    # also when the arms with large and with small means are weighed against each other.
    problem = world.told()[1]
    if isinstance(problem, KernelProblem):
        _noise_is_as_told(world, problem.deviation)
        return
    link = getattr(problem, "link", None)
    if link is None or link.name not in ("logistic", "poisson"):
        raise PassedOverError("rewards have no variance to go by")
    total, count, weighted = 0.0, 0, 0.0
    for trial in range(TRIALS):
        (environment,) = world.built(trial)
        for t in range(world.horizon):
            means = environment.means(t)
            variance = means * (1.0 - means) if link.name == "logistic" else means
            paid = np.array([environment.reward(t, k) for k in range(len(means))])
            residual = (paid - means) / np.sqrt(variance)
            total += residual.sum()
            weighted += (residual * np.sign(means - np.median(environment.means(t)))).sum()
            count += residual.size
    for what, found in (("average", total), ("weighted average", weighted)):
        seen = f"the {what} of rewards is {found / np.sqrt(count):.1f} standard errors off"
        require(abs(found) / np.sqrt(count) < MOST, seen, f"{MOST:g}, for {link.name}")


def _noise_is_as_told(world: World, deviation: float) -> None:
    """Raise BrokenError unless noise, which the arms of a round may share, is centred and so wide.

    Of each round one arm is looked at.
    """
    rng = np.random.default_rng(0)
    found, weights = [], []
    for trial in range(TRIALS):
        (environment,) = world.built(trial)
        for t in range(world.horizon):
            means = environment.means(t)
            k = int(rng.integers(len(means)))
            found.append((environment.reward(t, k) - means[k]) / deviation)
            weights.append(float(np.sign(means[k] - np.median(means))))
    residuals = np.array(found)
    root = math.sqrt(len(residuals))
    for what, sums in (("average", residuals), ("weighted average", residuals * weights)):
        seen = f"the {what} of rewards is {sums.sum() / root:.1f} standard errors off"
        require(abs(sums.sum()) / root < MOST, seen, f"{MOST:g}, for a deviation of {deviation:g}")
    spread = float(np.mean(residuals**2))
    seen = f"rewards spread {math.sqrt(spread):.3g} times as much as deviation, {deviation:g}, says"
    require(spread < 1.0 + MOST * math.sqrt(2.0) / root, seen, "once as much, or less")


# What is said.


@ENVIRONMENTS.check(World)
def regret_is_counted_from_the_best(world: World) -> None:
    """Regret is what the mean of an arm falls short of the best: never negative, once 0."""
    (environment,) = world.built(0)
    for t in range(world.horizon):
        means = np.asarray(environment.means(t))
        regrets = [environment.regret(t, k) for k in range(len(means))]
        is_right = min(regrets) == 0.0 == regrets[int(np.argmax(means))]
        spread = max(means) - min(means)
        is_right &= bool(np.isclose(max(regrets), spread, rtol=1e-6, atol=1e-12))
        seen = f"regret({t}, k) goes from {min(regrets):g} to {max(regrets):g}"
        require(is_right, seen, f"from 0, of the arm of the largest mean, to {spread:g}")


@ENVIRONMENTS.check(World)
def a_caller_cannot_change_it(world: World) -> None:
    """Who writes into arms or means that were returned changes nothing in the environment."""
    for name in ("arms", "means"):
        (environment,) = world.built(0)
        values = getattr(environment, name)(0)
        before = values.copy()
        if values.flags.writeable:
            values[...] = values + 1
        seen = f"what {name}(0) returned can be written to, and {name}(0) changes with it"
        is_kept = np.array_equal(getattr(environment, name)(0), before)
        require(is_kept, seen, f"{name}.flags.writeable = False, or a copy")


@ENVIRONMENTS.check(World, is_hint=True)
def tells_a_known_problem(world: World) -> None:
    """problem returns what the algorithms here are made for."""
    problem = world.told()[1]
    known = (GLBProblem, HeavyTailedProblem, KernelProblem)
    seen = f"problem returned a {type(problem).__name__}"
    require(isinstance(problem, known), seen, ", ".join(cls.__name__ for cls in known))


@ENVIRONMENTS.check(World)
def the_algorithm_is_told_the_truth(world: World) -> None:
    """The problem has the environment's dimension and horizon, bounds its truth, knows its arms."""
    environment, problem = world.told()
    arms = environment.arms(0)
    values = {"dimension": arms.shape[1], "horizon": world.horizon}
    for name, true in values.items():
        told = getattr(problem, name, None)
        require(told == true, f"problem.{name} is {told!r}", f"{true}")
    horizon = getattr(environment, "horizon", None)
    is_given = horizon == world.horizon
    require(is_given, f"horizon is {horizon!r}", f"{world.horizon}, as the constructor was told")
    _bounds_the_truth(environment, problem, arms)
    rounds = range(world.horizon)
    fixed = all(np.array_equal(arms, environment.arms(t)) for t in rounds)
    told = getattr(problem, "fixed_arms", None)
    require(told == fixed, f"problem.fixed_arms is {told!r}", f"{fixed}, as arms are")


def _bounds_the_truth(environment: Any, problem: Any, arms: np.ndarray) -> None:
    theta = environment.theta
    if theta is None:
        return
    of_arms = isinstance(problem, KernelProblem)
    shape = (len(arms),) if of_arms else (arms.shape[1],)
    require(np.shape(theta) == shape, f"theta has shape {np.shape(theta)}", f"{shape}, or None")
    if not of_arms:
        norm, bound = float(np.linalg.norm(theta)), float(getattr(problem, "norm_bound", np.inf))
        require(norm <= bound * (1.0 + 1e-12), f"theta has norm {norm:g}", f"norm_bound, {bound:g}")


@ENVIRONMENTS.check(World)
def what_is_told_is_plain_and_the_same_whenever_asked(world: World) -> None:
    """context returns plain numbers by name, the same whenever it is asked."""
    (environment,) = world.built(0)
    told = [environment.context(t) for t in range(world.horizon)]
    plain(told, "context")
    again = [environment.context(t) for t in range(world.horizon)]
    require(told == again, "context is another when asked twice", "one that the trial decides")


def plain(values: Any, what: str) -> None:
    """Raise BrokenError unless values can be written as JSON."""
    try:
        json.dumps(values)
    except (TypeError, ValueError) as error:
        raise BrokenError(f"{what}: {error}", "int, float, bool and str") from error


@ENVIRONMENTS.check(World)
def facts_are_numbers(world: World) -> None:
    """facts returns finite numbers by name."""
    (environment,) = world.built(0)
    numbers = environment.facts()
    require(isinstance(numbers, dict), f"facts returned {numbers!r}", "a dict of numbers")
    plain_numbers("facts", {name: float(value) for name, value in numbers.items()})


@ENVIRONMENTS.check(World)
def an_algorithm_can_play_in_it(world: World) -> None:
    """A trial of uniform play ends with status ok."""
    cell = world.cell
    uniform = Cell(cell.paper, cell.setting, "uniform", cell.spec)
    rounds = FEW if world.is_slow else None
    trajectory = run(Trials("regret", uniform, 0, 1, rounds=rounds), world.data())[0]
    require(trajectory.status == "ok", f"uniform play ends with {trajectory.status!r}", "'ok'")
