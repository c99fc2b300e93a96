"""Tests of how algorithms play, in the papers' settings and on toy problems."""

import inspect
import json
import re
import sys
from types import FrameType
from typing import Any
from unittest import SkipTest

import numpy as np

from optimist.checks import toys
from optimist.checks.cases import (
    BOX,
    HORIZON,
    SAVED,
    BrokenError,
    Played,
    Toy,
    marked,
    reloaded,
    require,
    unless_refused,
    untouched,
)
from optimist.checks.plays import (
    Player,
    choices,
    require_equal,
    require_equal_plays,
    sampled,
    started,
)
from optimist.checks.toys import ScriptedEnvironment, random_arms
from optimist.core.observation import Observer
from optimist.core.source_files import is_of_user
from optimist.environments.problems.kernel import KernelProblem
from optimist.experiments.trials import Trials, run

COPIES = "copies, such as arms[index].copy() or x.copy()"
CLOCKS = re.compile(
    r"time\.(time|monotonic|perf_counter|process_time)(_ns)?|datetime\.(now|utcnow|today)"
)
LOOKS = 60  # number of rounds in `test_looks_at_the_arms_that_it_is_offered`


# The first rounds.


@marked(is_basic=True)
def test_takes_its_problem(toy: Toy) -> None:
    """The constructor accepts each declared kind of problem, or refuses it with a ConfigError."""
    with unless_refused():
        toy.build(toy.problem())


@marked(domain="arms", is_basic=True)
def test_chooses_an_arm(played: Played) -> None:
    """select returns the index of an arm, update accepts a reward, and neither changes the arms."""
    with unless_refused():
        environment, algorithm = played.build()
    for t in range(played.rounds(40)):
        arms = environment.arms(t).copy()
        arms.flags.writeable = False
        context = environment.context(t)
        one = Player(algorithm, ScriptedEnvironment([arms], environment.reward, context=context))
        step = "select"
        try:
            choice = one.choose(t)
            step = "update"
            one.learn(t, choice)
        except ValueError as error:
            if "read-only" not in str(error):
                raise
            seen = f"in round {t + 1}, {step} writes to the array of arms"
            raise BrokenError(seen, COPIES) from error
        is_same = np.array_equal(arms, environment.arms(t))
        require(is_same, f"the arms had changed after round {t + 1}", COPIES)


@marked(domain=BOX, is_basic=True)
def test_asks_for_points_of_its_box(played: Played) -> None:
    """propose returns points in the box, starting with the problem's initial points."""
    with unless_refused():
        one = started(played)
    asked, initial = choices(one, played.rounds(0, 1)), one.algorithm.problem.initial
    for t, x in enumerate([] if initial is None else initial):
        require_equal(t, asked[t], x, "with initial points", "the points in problem.initial first")


# Two plays that must be equal.


@marked(tells_plays=True)
def test_plays_the_same_twice(played: Played) -> None:
    """Playing the same trial again gives the same choices."""
    one = started(played)
    first, again = (choices(each, played.rounds(60)) for each in (one, started(played)))
    has_rng = "rng" in inspect.signature(type(one.algorithm)).parameters
    given = "" if has_rng else ", the numpy Generator passed to __init__(self, problem, *, rng)"
    for t, (choice, other) in enumerate(zip(first, again, strict=True)):
        require_equal(t, other, choice, "when played again", f"draws from rng alone{given}")


@marked(domain=BOX, compares_plays=True)
def test_trials_differ(toy: Toy) -> None:
    """Without initial points, different trials draw different but reproducible points."""
    problem = toy.problem(initial=None)
    one, again, other = (Player(toy.build(problem, trial)) for trial in (0, 0, 1))
    first, last = choices(one, 8), choices(other, 8)
    for t, x in enumerate(choices(again, 8)):
        require_equal(t, x, first[t], "when played again", "draws from rng alone")
    is_other = not np.isin(first[: problem.initial_count], last[: problem.initial_count]).any()
    seen = "two trials share coordinates of initial points"
    require(is_other, seen, "points drawn from rng, which differs between trials")


@marked(compares_plays=True)
def test_keeps_no_reference_to_its_arrays(play: Played | Toy) -> None:
    """Overwriting arrays that an algorithm received or returned does not change how it plays."""
    one = started(play, reuses=True)

    def overwrite() -> None:
        for name, items in vars(one.algorithm).items():
            arrays = [x for x in items if isinstance(x, np.ndarray)] if type(items) is list else []
            has_views = any(np.may_share_memory(x, one.array) for x in arrays)
            seen = f"the list in attribute {name} contains views of arrays that may be overwritten"
            require(not has_views, seen, COPIES)
        one.array[:] = 9.9

    rounds = range(play.rounds(25, 2))
    how = "after arrays of earlier rounds were overwritten"
    require_equal_plays(one, started(play), rounds, how, COPIES, after=overwrite)


@marked(compares_plays=True)
def test_asking_does_not_change_it(play: Played | Toy) -> None:
    """Calling contains, diagnostics or state_bytes does not change how an algorithm plays."""
    # contains is called only in the regret lane, but an algorithm must play the same way in the
    # timing lane.
    one = started(play)
    algorithm, thetas = one.algorithm, np.zeros((3, one.truth_length))

    def ask() -> object:
        return algorithm.contains(thetas), algorithm.diagnostics(), algorithm.state_bytes()

    rounds, how = range(play.rounds(25, 1)), "after calls of contains, diagnostics and state_bytes"
    allowed = "the same choice as without these calls"
    require_equal_plays(one, started(play), rounds, how, allowed, before=ask)


@marked(domain="arms", compares_plays=True)
def test_prepare_changes_no_choice(played: Played) -> None:
    """select returns the same choice whether or not prepare was called first."""
    # When an algorithm is timed on another's history, prepare is called in only a few rounds.
    one = started(played)
    rounds, allowed = range(played.rounds(25)), "the same arm as without prepare"
    prepare = one.algorithm.prepare
    require_equal_plays(one, started(played), rounds, "after prepare", allowed, after=prepare)


@marked(compares_plays=True)
def test_can_be_saved_in_mid_trial(played: Played) -> None:
    """An algorithm that is pickled and loaded in the middle of a trial continues unchanged."""
    one, loaded = started(played), started(played)
    rounds = played.rounds(25, 2)
    half = rounds // 2 if played.domain == "arms" else rounds - 1
    choices(one, half)
    loaded.algorithm = reloaded(one.algorithm)
    require_equal_plays(loaded, one, range(half, rounds), "after it was saved and loaded", SAVED)


def test_leaves_shared_generators_alone(played: Played) -> None:
    """An algorithm does not draw from the global generators of np.random and random."""
    with untouched("it"):
        choices(started(played), played.rounds(60, 1))


@marked(is_hint=True)
def test_uses_inputs_that_are_recorded(play: Played | Toy) -> None:
    """The class uses no network, clock or other process, which the record of a trial lacks."""
    with unless_refused(), Observer(is_foreign=True) as observer:
        found = observer.unrecorded
        sys.setprofile(lambda *call: found.add("a clock") if reads_clock(*call) else None)
        try:
            choices(started(play), play.rounds(30, 1))
        finally:
            sys.setprofile(None)
    allowed = "inputs that can be recorded (docs/how-it-works.md), such as files and variables"
    require(not found, f"it uses {', '.join(sorted(found))}", allowed)


def reads_clock(frame: FrameType, event: str, function: Any) -> bool:
    """Return whether a user's file reads a clock, given the arguments of a profile function."""
    if event != "c_call" or not is_of_user(frame.f_code.co_filename):
        return False
    owner = getattr(function, "__module__", None) or getattr(function.__self__, "__module__", "")
    return CLOCKS.fullmatch(f"{owner}.{function.__name__}") is not None


# A whole trial, and queries during a trial.


def test_a_trial_ends_well(played: Played) -> None:
    """A trial ends with status ok after all rounds. Time increases, and regret is monotone."""
    rounds = played.rounds(HORIZON)
    trajectory = run(Trials("regret", played.cell, 0, 1, rounds=rounds), played.data)[0]
    columns, last = trajectory.columns, [0, *trajectory.columns.get("round", [])][-1]
    seen = f"after {last} of {rounds} rounds, its status is {trajectory.status!r}"
    require(trajectory.status == "ok" and last == rounds, seen, f"'ok' after {rounds} rounds")
    increases = (np.diff([0.0, *columns["seconds"]]) > 0.0).all()
    require(increases, "the recorded time does not always increase", "increasing times")
    for name, sign in (("regret", 1.0), ("simple_regret", -1.0)):
        values = np.array(columns.get(name, [0.0]))
        goes = np.isfinite(values).all() and (sign * np.diff(values) >= 0.0).all()
        way = "increase" if sign < 0.0 else "decrease"
        seen = f"{name} starts at {values[0]:g} and is later not finite or {way}s"
        require(goes, seen, f"finite values that never {way}")


def test_answers_row_by_row_and_in_plain_numbers(play: Played | Toy) -> None:
    """contains treats each row separately and returns bools; diagnostics returns finite numbers.

    state_bytes returns a nonnegative int.
    """
    one = started(play)
    choices(one, play.rounds(30, 1))
    thetas = np.random.default_rng(0).standard_normal((7, one.truth_length))
    thetas *= np.geomspace(1e-3, 1e3, 7)[:, None]
    inside = np.asarray(one.algorithm.contains(thetas))
    seen = f"for 7 rows, contains returned {inside.dtype} of shape {inside.shape}"
    require(inside.shape == (7,) and inside.dtype == bool, seen, "bool of shape (7,)")
    alone = [bool(one.algorithm.contains(theta[None])[0]) for theta in thetas]
    seen = f"for 7 rows, contains returned {inside.tolist()}"
    require(inside.tolist() == alone, seen, f"{alone}, the results for each row alone")
    require_numbers("diagnostics", one.algorithm.diagnostics())
    size = one.algorithm.state_bytes()
    seen = f"state_bytes returned {size!r}, of type {type(size).__name__}"
    require(isinstance(size, int) and size >= 0, seen, "a nonnegative int")


def require_numbers(name: str, numbers: Any) -> None:
    """Raise BrokenError unless ``numbers`` is a dict that maps names to finite plain numbers."""
    require(isinstance(numbers, dict), f"{name} returned {numbers!r}", "a dict of numbers")
    for key, value in numbers.items():
        seen = f"{name}[{key!r}] is {value!r}, of type {type(value).__name__}"
        try:
            json.dumps(value)
            is_finite = np.isfinite(float(value))
        except (TypeError, ValueError):
            is_finite = False
        require(is_finite, seen, "a finite int, float or bool")


# Use of the arms.


@marked(domain="arms", compares_plays=True)
def test_fixed_arms_change_no_choice(toy: Toy) -> None:
    """An algorithm makes the same choices whether or not it knows that the arms are fixed."""
    # The algorithm may use this knowledge only to save time.
    problems = [toy.problem(dimension=3, fixed_arms=is_fixed) for is_fixed in (True, False)]
    environment = sampled(toy, problems[0], 10, [1.5, 1.5, 0.0])
    one, twin = (Player(toy.build(problem), environment) for problem in problems)
    how, allowed = "with fixed_arms=True", "the same arm as with fixed_arms=False"
    require_equal_plays(one, twin, range(100), how, allowed)


@marked(domain="arms", compares_plays=True)
def test_looks_at_the_arms_that_it_is_offered(toy: Toy) -> None:
    """If the arms change, an algorithm that learns does not choose them by their index alone."""
    problem = toy.problem(dimension=2)
    if isinstance(problem, KernelProblem):
        raise SkipTest("the arms of a kernel problem are fixed")
    pools = random_arms(np.random.default_rng(5), LOOKS, 6, 2)
    # The second play reverses the order of the arms in the second half of the rounds. The third has
    # the same arms as the first, but the opposite rewards.
    turned = [arms if t < LOOKS // 2 else arms[::-1].copy() for t, arms in enumerate(pools)]
    context, paid = toys.CONTEXT.get(toy.kind), [0.0]
    one, other, contrary = (
        Player(toy.build(problem), ScriptedEnvironment(offered, reward, context=context))
        for offered, reward in (
            (pools, lambda t, k: paid[0]),
            (turned, lambda t, k: paid[0]),
            (pools, lambda t, k: 1.0 - paid[0]),
        )
    )
    learns = False
    for t, arms in enumerate(pools):
        index = one.choose(t)
        if other.choose(t) != index:
            return
        learns |= contrary.choose(t) != index
        paid[0] = float(arms[index, 0] > 0.0)
        for each in (one, other, contrary):
            each.learn(t, index)
            each.algorithm.prepare()
    if not learns:
        raise SkipTest("it learns nothing from rewards")
    seen = f"with the arms in reverse order, it chose the same indices in {LOOKS // 2} rounds"
    raise BrokenError(seen, "choices that depend on the arms of the round")
