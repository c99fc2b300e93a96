"""What an algorithm on finitely many arms promises: how it plays in the settings of papers."""

import inspect
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from optimist.checks import toys
from optimist.checks.base import BrokenError, Contract, PassedOverError, require
from optimist.checks.cases import HORIZON, Method, Played, Toy
from optimist.checks.classes import CLASSES, refused
from optimist.checks.generators import untouched
from optimist.checks.saving import SAVED, reloaded
from optimist.checks.toys import ScriptedEnvironment, learn, random_arms, truth_length
from optimist.core.label import Label
from optimist.environments.base import FiniteArmEnvironment
from optimist.environments.problems.kernel import KernelProblem
from optimist.experiments.trials import Trials, run
from optimist.numerics.links import Gaussian

ARMS = Contract(CLASSES)
_LOOKS = 60  # rounds after which a class has looked at its arms
COPIES = "copies, as arms[index].copy() makes one"


def choose(algorithm: Any, arms: np.ndarray, t: int) -> int:
    """Return what ``select`` chooses among ``arms`` (K, d) in round ``t``, if it is an index."""
    index = algorithm.select(arms)
    allowed = f"an int from 0 to {len(arms) - 1}"
    seen = f"in round {t + 1} select returned {index!r}"
    is_int = isinstance(index, int | np.integer) and not isinstance(index, bool)
    require(is_int, f"{seen}, of type {type(index).__name__}", f"{allowed}, as int(...) makes it")
    require(0 <= index < len(arms), seen, allowed)
    return int(index)


def choices(algorithm: Any, environment: FiniteArmEnvironment, rounds: int) -> list[int]:
    """Play and return the list of chosen arms, each of which is one."""
    chosen = []
    for t in range(rounds):
        arms = environment.arms(t)
        chosen.append(choose(algorithm, arms, t))
        learn(algorithm, environment, t, arms, chosen[-1])
    return chosen


def same_choices(one: list[int], other: list[int], how: str, otherwise: str, allowed: str) -> None:
    """Raise BrokenError, naming the first round in question, unless two lists are equal."""
    for t, (a, b) in enumerate(zip(one, other, strict=True)):
        require(a == b, f"in round {t + 1} it chose arm {a} {how} and arm {b} {otherwise}", allowed)


# Its first rounds.


@ARMS.check(Played, is_basic=True)
def chooses_an_arm(played: Played) -> None:
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


@ARMS.check(Played, is_basic=True)
def never_changes_its_arms(played: Played) -> None:
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


@ARMS.check(Played)
def plays_the_same_twice(played: Played) -> None:
    """The same trial played again gives the same choices."""
    one, other = (_choices_of(played, 60) for _ in range(2))
    has_rng = "rng" in inspect.signature(played.cls).parameters
    given = "" if has_rng else ", a numpy Generator that __init__(self, problem, *, rng) would get"
    same_choices(one, other, "at first", "when played again", f"to draw from rng alone{given}")


@ARMS.check(Played)
def leaves_shared_generators_alone(played: Played) -> None:
    """It draws neither from np.random nor from random, which all code shares."""
    with untouched("it"):
        _choices_of(played, 60)


def _choices_of(played: Played, rounds: int) -> list[int]:
    """Return what it chooses in its setting."""
    environment, algorithm = played.build()
    return choices(algorithm, environment, played.rounds(rounds))


@ARMS.check(Played, compares_plays=True)
def keeps_no_reference_to_its_arms(played: Played) -> None:
    """What it has learned does not change with the array that it was given, which is reused."""
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


@ARMS.check(Played, compares_plays=True)
def asking_does_not_change_it(played: Played) -> None:
    """To ask contains, diagnostics or state_bytes changes nothing in what it plays."""
    # Coverage is checked in the regret lane only: both lanes must play the same.
    environment, algorithm = played.build()
    twin = played.build()[1]
    thetas = np.zeros((3, truth_length(algorithm.problem, environment.arms(0))))
    for t in range(played.rounds(25)):
        algorithm.contains(thetas)
        algorithm.diagnostics(), algorithm.state_bytes()
        index = choose(twin, environment.arms(t), t)
        asked = choose(algorithm, environment.arms(t), t)
        seen = f"asked for contains, diagnostics and state_bytes it chose arm {asked} in round"
        require(asked == index, f"{seen} {t + 1}, otherwise arm {index}", "the same arm")
        for each in (algorithm, twin):
            learn(each, environment, t, environment.arms(t), index)


@ARMS.check(Played, compares_plays=True)
def prepare_changes_no_choice(played: Played) -> None:
    """What prepare does, select does where nobody called it."""
    # Who is timed on the history of another prepares in few rounds.
    environment, algorithm = played.build()
    twin = played.build()[1]
    for t in range(played.rounds(25)):
        arms = environment.arms(t)
        index, other = choose(algorithm, arms, t), choose(twin, arms, t)
        seen = f"with prepare it chose arm {index} in round {t + 1}, without it arm {other}"
        require(index == other, seen, "the same arm")
        for each in (algorithm, twin):
            learn(each, environment, t, arms, index)
        algorithm.prepare()


@ARMS.check(Played, compares_plays=True)
def can_be_saved_in_mid_trial(played: Played) -> None:
    """Saved by pickle after some rounds and loaded again, it goes on as if it had not been."""
    environment, algorithm = played.build()
    rounds = played.rounds(25)
    choices(algorithm, environment, rounds // 2)
    loaded = reloaded(algorithm)
    for t in range(rounds // 2, rounds):
        arms = environment.arms(t)
        index, expected = choose(loaded, arms, t), choose(algorithm, arms, t)
        seen = f"saved and loaded again, it chose arm {index} in round {t + 1}, not {expected}"
        require(index == expected, seen, SAVED)
        for each in (algorithm, loaded):
            learn(each, environment, t, arms, index)


@ARMS.check(Played)
def plays_two_hundred_rounds_well(played: Played) -> None:
    """200 rounds end with status ok, finite numbers, time that passes and regret that grows."""
    rounds = played.rounds(HORIZON)
    trajectory = run(Trials("regret", played.cell, 0, 1, rounds=rounds), played.data)[0]
    columns = trajectory.columns
    last = columns["round"][-1] if columns else 0
    seen = f"after {last} of {rounds} recorded rounds its status is {trajectory.status!r}"
    require(trajectory.status == "ok" and last == rounds, seen, f"'ok' after {rounds}")
    seconds, regret = np.array(columns["seconds"]), np.array(columns["regret"])
    require(seconds[0] > 0.0 and (np.diff(seconds) > 0.0).all(), "no time passed", "some")
    require(np.isfinite(regret).all() and (np.diff(regret) >= 0.0).all(), "regret falls", "none")


@ARMS.check(Played)
def memory_grows_with_a_raw_history(played: Played) -> None:
    """With the option history=raw, state_bytes grows in every round."""
    label = played.cell.algorithm
    options = Method(label).options | dict(Label.parse(label).options)
    if options.get("history") != "raw":
        raise PassedOverError("keeps no raw history")
    sizes = bytes_at(played)
    seen = f"state_bytes goes from {sizes[0]} to {sizes[-1]} and does not always grow"
    require((np.diff(sizes) > 0).all(), seen, "growth in every round")


def bytes_at(played: Played) -> list[int]:
    """Return the bytes of its state after each of 90 rounds, or of fewer."""
    trials = Trials("timing", played.cell, 0, 1, rounds=played.rounds(90))
    return run(trials, played.data)[0].columns["state_bytes"]


@ARMS.check(Played)
def answers_row_by_row(played: Played) -> None:
    """contains answers with one bool for each row, whatever the other rows are."""
    environment, algorithm = played.build()
    choices(algorithm, environment, played.rounds(30))
    length = truth_length(algorithm.problem, environment.arms(0))
    thetas = np.random.default_rng(0).standard_normal((7, length))
    thetas *= np.geomspace(1e-3, 1e3, 7)[:, None]
    inside = np.asarray(algorithm.contains(thetas))
    seen = f"for 7 rows contains returned {inside.dtype} of shape {inside.shape}"
    require(inside.shape == (7,) and inside.dtype == bool, seen, "bool of shape (7,)")
    alone = [bool(algorithm.contains(theta[None])[0]) for theta in thetas]
    seen = f"for 7 rows contains answers {inside.tolist()}"
    require(inside.tolist() == alone, seen, f"{alone}, as for each row alone")


@ARMS.check(Played)
def diagnostics_are_plain_numbers(played: Played) -> None:
    """diagnostics returns finite numbers by name, and state_bytes an int."""
    environment, algorithm = played.build()
    choices(algorithm, environment, played.rounds(30))
    numbers = algorithm.diagnostics()
    plain_numbers("diagnostics", numbers)
    size = algorithm.state_bytes()
    seen = f"state_bytes returned {size!r}, of type {type(size).__name__}"
    require(isinstance(size, int) and size >= 0, seen, "an int, at least 0")


def plain_numbers(what: str, numbers: Any) -> None:
    """Raise BrokenError unless ``numbers`` maps names to finite plain numbers."""
    require(isinstance(numbers, dict), f"{what} returned {numbers!r}", "a dict of numbers")
    for name, value in numbers.items():
        seen = f"{what}[{name!r}] is {value!r}, of type {type(value).__name__}"
        try:
            json.dumps(value)
            is_finite = np.isfinite(float(value))
        except (TypeError, ValueError):
            is_finite = False
        require(is_finite, seen, "a finite int, float or bool")


# Histories that a problem or an option describes.


@ARMS.check(Toy, compares_plays=True)
def fixed_arms_change_no_choice(toy: Toy) -> None:
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
    told, untold = (choices(toy.build(p), environment, 100) for p in problems)
    same_choices(told, untold, "told that arms are fixed", "untold", "the same arm")


@ARMS.check(Toy, compares_plays=True)
def raw_and_aggregated_histories_choose_the_same(toy: Toy) -> None:
    """The options history=raw and history=aggregated give the same choices."""
    _has_history(toy.method)
    if toy.kind not in ("logistic", "poisson"):
        raise PassedOverError("rewards are no counts")
    environment, problem = _counted_rewards(toy.kind)
    raw, aggregated = (
        choices(Toy(Method(label), toy.kind).build(problem), environment, 120)
        for label in (toy.method.with_options(history=mode) for mode in ("raw", "aggregated"))
    )
    same_choices(raw, aggregated, "with history=raw", "with history=aggregated", "the same arm")


def _counted_rewards(link: str) -> tuple[ScriptedEnvironment, Any]:
    """Return an environment with fixed arms in the plane, and its problem."""
    rng = np.random.default_rng(4)
    arms = random_arms(rng, 12, 2)
    problem = toys.make_problem(link, fixed_arms=True)
    means = problem.link.mean(arms @ np.array([2.0, 2.0]))
    rewards = problem.link.sample(rng, np.broadcast_to(means, (120, 12)))
    return ScriptedEnvironment([arms], lambda t, k: float(rewards[t, k])), problem


@ARMS.check(Toy, compares_plays=True)
def looks_at_the_arms_that_it_is_offered(toy: Toy) -> None:
    """Where arms are redrawn, a class that learns does not choose by their places alone."""
    problem = toy.problem(dimension=2)
    if isinstance(problem, KernelProblem):
        raise PassedOverError("the arms of a kernel's problem are fixed")
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
        raise PassedOverError("it learns nothing from rewards")
    seen = f"with arms in the opposite order it chose the same places in {_LOOKS // 2} rounds"
    raise BrokenError(seen, "a choice by the arms of the round, arms[index]")


@ARMS.check(Method)
def redrawn_arms_are_not_aggregated(method: Method) -> None:
    """The option history=aggregated is refused where arms are redrawn."""
    _has_history(method)
    label = method.with_options(history="aggregated")
    refused(label, method.problem(), "history is 'aggregated'")


def _has_history(method: Method) -> None:
    """Pass over an algorithm without the option history, raw or aggregated."""
    if method.options.get("history") not in ("raw", "aggregated"):
        raise PassedOverError("keeps no history")
