"""Promises of algorithms on finitely many arms: index, arrays of arms, histories."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from optimist.contracts import toys
from optimist.contracts.base import BrokenError, require
from optimist.contracts.cases import Method, Played, Toy
from optimist.contracts.classes import refused
from optimist.contracts.plays import OnArms, choices, choose, require_equal, started
from optimist.contracts.toys import ScriptedEnvironment, learn, random_arms
from optimist.label import Label
from optimist.numerics.links import Gaussian
from optimist.problems.kernel import KernelProblem
from optimist.runs.trials import Trials, run

DOMAIN = "arms"  # of the cases of these tests
_LOOKS = 60  # rounds after which a class has looked at its arms
COPIES = "copies, as arms[index].copy() makes one"


# Its first rounds.


@pytest.mark.basic
def test_chooses_an_arm(played: Played) -> None:
    """select returns the index of an arm, and update takes what the round brought."""
    environment, algorithm = played.build()
    for t in range(played.rounds(25)):
        arms = environment.arms(t).copy()
        index = choose(algorithm, arms, t)
        told = environment.context(t)
        _takes(algorithm.update, arms, index, environment.reward(t, index), **told)
        learn(algorithm, environment, t, arms, index)


def _takes(update: Any, *arguments: Any, **told: Any) -> None:
    """Raise BrokenError unless ``update`` can be called with such arguments."""
    try:
        inspect.signature(update).bind(*arguments, **told)
    except TypeError as error:
        call = ", ".join(["self", "arms", "index", "reward", *told])
        raise BrokenError(f"update does not take its arguments: {error}", call) from error


@pytest.mark.basic
def test_never_changes_its_arms(played: Played) -> None:
    """Neither select nor update writes into the arms that it is given."""
    environment, algorithm = played.build()
    for t in range(played.rounds(40)):
        arms = environment.arms(t).copy()
        arms.flags.writeable = False
        with _writing_nothing("select", t):
            index = choose(algorithm, arms, t)
        with _writing_nothing("update", t):
            learn(algorithm, environment, t, arms, index)
        is_same = np.array_equal(arms, environment.arms(t))
        require(is_same, f"its arms are others after round {t + 1}", COPIES)


@contextmanager
def _writing_nothing(step: str, t: int) -> Iterator[None]:
    """Raise BrokenError where numpy says that a step would write into a read-only array."""
    try:
        yield
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        seen = f"in round {t + 1} {step} writes into its arms"
        raise BrokenError(seen, "arithmetic on a copy, arms[index].copy()") from error


# Later rounds.


@pytest.mark.compares_plays
def test_keeps_no_reference_to_its_arms(played: Played) -> None:
    """Its knowledge does not change with the array that it was given, which is reused."""
    environment, algorithm = played.build()
    twin = played.build()[1]
    buffer = np.empty_like(environment.arms(0))
    for t in range(played.rounds(25)):
        buffer[:] = environment.arms(t)
        index = choose(algorithm, buffer, t)
        expected = choose(twin, environment.arms(t), t)
        seen = f"as old arms were overwritten, it chose arm {index} in round {t + 1}"
        require(index == expected, f"{seen}, not {expected}", COPIES)
        learn(algorithm, environment, t, buffer, index)
        learn(twin, environment, t, environment.arms(t), index)
        for name in _listing(algorithm, buffer):
            raise BrokenError(f"attribute {name} lists views of its arms", COPIES)
        buffer[:] = 9.9


def _listing(algorithm: Any, arms: np.ndarray) -> list[str]:
    """Return the attributes of an algorithm that list views of ``arms``."""
    lists = {name: value for name, value in vars(algorithm).items() if isinstance(value, list)}
    return [
        name
        for name, items in lists.items()
        if any(isinstance(one, np.ndarray) and np.may_share_memory(one, arms) for one in items)
    ]


@pytest.mark.compares_plays
def test_prepare_changes_no_choice(played: Played) -> None:
    """Without a call of prepare, select does the same."""
    # An algorithm that is timed on the history of another prepares in few rounds.
    one, twin = started(played), started(played)
    for t in range(played.rounds(25)):
        choice, expected = one.choose(t), twin.choose(t)
        require_equal(one, t, choice, expected, "with prepare", "the same arm as without prepare")
        for each in (one, twin):
            each.learn(t, choice)
        one.algorithm.prepare()


def test_memory_grows_with_a_raw_history(played: Played) -> None:
    """With the option history=raw, state_bytes grows in every round."""
    label = played.cell.algorithm
    options = Method(label).options | dict(Label.parse(label).options)
    if options.get("history") != "raw":
        pytest.skip("keeps no raw history")
    sizes = bytes_at(played)
    seen = f"state_bytes goes from {sizes[0]} to {sizes[-1]} and does not always grow"
    require((np.diff(sizes) > 0).all(), seen, "growth in every round")


def bytes_at(played: Played) -> list[int]:
    """Return the bytes of its state after each of 90 rounds, or of fewer."""
    trials = Trials("timing", played.cell, 0, 1, rounds=played.rounds(90))
    return run(trials, played.data)[0].columns["state_bytes"]


# Histories that a problem or an option describes.


@pytest.mark.compares_plays
def test_fixed_arms_change_no_choice(toy: Toy) -> None:
    """To be told that arms are fixed changes nothing in the choices."""
    # What an algorithm does with that knowledge may only make it faster.
    rng = np.random.default_rng(6)
    arms = random_arms(rng, 10, 3)
    problems = [toy.problem(dimension=3, fixed_arms=fixed) for fixed in (True, False)]
    predictors = arms @ np.array([1.5, 1.5, 0.0])
    link = getattr(problems[0], "link", Gaussian(1.0))
    rewards = link.sample(rng, np.broadcast_to(link.mean(predictors), (100, 10)))
    environment = ScriptedEnvironment(
        [arms], lambda t, k: float(rewards[t, k]), context=toys.CONTEXT.get(toy.kind)
    )
    told, untold = (OnArms(toy.build(problem), environment) for problem in problems)
    for t, (a, b) in enumerate(zip(choices(told, 100), choices(untold, 100), strict=True)):
        require_equal(told, t, a, b, "told that arms are fixed", "the same arm")


@pytest.mark.compares_plays
def test_raw_and_aggregated_histories_choose_the_same(toy: Toy) -> None:
    """The options history=raw and history=aggregated give the same choices."""
    _has_history(toy.method)
    if toy.kind not in ("logistic", "poisson"):
        pytest.skip("rewards are no counts")
    environment, problem = _counted_rewards(toy.kind)
    raw, aggregated = (
        OnArms(Toy(Method(label), toy.kind).build(problem), environment)
        for label in (toy.method.with_options(history=mode) for mode in ("raw", "aggregated"))
    )
    for t, (a, b) in enumerate(zip(choices(raw, 120), choices(aggregated, 120), strict=True)):
        require_equal(raw, t, a, b, "with history=raw", "the same arm with history=aggregated")


def _counted_rewards(link: str) -> tuple[ScriptedEnvironment, Any]:
    """Return an environment with fixed arms in the plane, and its problem."""
    rng = np.random.default_rng(4)
    arms = random_arms(rng, 12, 2)
    problem = toys.make_problem(link, fixed_arms=True)
    means = problem.link.mean(arms @ np.array([2.0, 2.0]))
    rewards = problem.link.sample(rng, np.broadcast_to(means, (120, 12)))
    return ScriptedEnvironment([arms], lambda t, k: float(rewards[t, k])), problem


@pytest.mark.compares_plays
def test_looks_at_the_arms_that_it_is_offered(toy: Toy) -> None:
    """Where arms are redrawn, a class that learns does not choose by their places alone."""
    problem = toy.problem(dimension=2)
    if isinstance(problem, KernelProblem):
        pytest.skip("the arms of a kernel's problem are fixed")
    pools = random_arms(np.random.default_rng(5), _LOOKS, 6, 2)
    one, turned, other = (toy.build(problem) for _ in range(3))
    context = toys.CONTEXT.get(toy.kind, {})
    learns = False
    for t, arms in enumerate(pools):
        # From half-way on the second one meets the same arms, in the opposite order.
        offered = arms if t < _LOOKS // 2 else arms[::-1].copy()
        index = choose(one, arms, t)
        if choose(turned, offered, t) != index:
            return
        learns |= choose(other, arms, t) != index
        reward = float(arms[index, 0] > 0.0)
        for algorithm, given, paid in (
            (one, arms, reward),
            (turned, offered, reward),
            (other, arms, 1.0 - reward),
        ):
            algorithm.update(given, index, paid, **context)
            algorithm.prepare()
    if not learns:
        pytest.skip("it learns nothing from rewards")
    seen = f"with arms in the opposite order it chose the same places in {_LOOKS // 2} rounds"
    raise BrokenError(seen, "a choice by the arms of the round, arms[index]")


def test_redrawn_arms_are_not_aggregated(method: Method) -> None:
    """The option history=aggregated is refused where arms are redrawn."""
    _has_history(method)
    label = method.with_options(history="aggregated")
    refused(label, method.problem(), "history is 'aggregated'")


def _has_history(method: Method) -> None:
    """Pass over an algorithm without the option history, raw or aggregated."""
    if method.options.get("history") not in ("raw", "aggregated"):
        pytest.skip("keeps no history")
