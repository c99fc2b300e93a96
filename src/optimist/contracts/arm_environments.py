"""Promises of environments with arms: sound arms, true means, a problem that is told truly."""

import json
import math
from typing import Any

import numpy as np
import pytest

from optimist.contracts.base import BrokenError, require
from optimist.contracts.cases import World
from optimist.environments.base import ARRAY, check_arms, in_words, is_array
from optimist.errors import ConfigError
from optimist.problems.glb import GLBProblem
from optimist.problems.heavy_tailed import HeavyTailedProblem
from optimist.problems.kernel import KernelProblem

DOMAIN = "arms"  # of the cases of these tests
TRIALS = 60  # over which rewards are averaged
MOST = 4.0  # standard errors


@pytest.mark.basic
def test_arms_are_sound_and_means_fit_them(world: World) -> None:
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


def test_rewards_average_to_the_means(world: World) -> None:
    """Rewards average to their means; those of a kernel's problem spread no more than told."""
    # Standardised residuals of all (trial, round, arm) are close to a standard normal in sum,
    # also when the arms with large and with small means are weighed against each other.
    problem = world.told()[1]
    if isinstance(problem, KernelProblem):
        _noise_is_as_told(world, problem.deviation)
        return
    link = getattr(problem, "link", None)
    if link is None or link.name not in ("logistic", "poisson"):
        pytest.skip("rewards have no variance to go by")
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


def test_regret_is_counted_from_the_best(world: World) -> None:
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


def test_a_caller_cannot_change_it(world: World) -> None:
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


@pytest.mark.hint
def test_tells_a_known_problem(world: World) -> None:
    """problem returns what the algorithms here are made for."""
    problem = world.told()[1]
    known = (GLBProblem, HeavyTailedProblem, KernelProblem)
    seen = f"problem returned a {type(problem).__name__}"
    require(isinstance(problem, known), seen, ", ".join(cls.__name__ for cls in known))


def test_the_algorithm_is_told_the_truth(world: World) -> None:
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


def test_what_is_told_is_plain_and_the_same_whenever_asked(world: World) -> None:
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
