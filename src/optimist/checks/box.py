"""What an algorithm on a box promises: which points it asks for, and how trials end."""

from collections.abc import Callable
from typing import Any

import numpy as np

from optimist.algorithms.black_box.base import BoxAlgorithm
from optimist.checks import toys
from optimist.checks.arms import plain_numbers
from optimist.checks.base import Contract, PassedOverError, require
from optimist.checks.cases import Method, Played, Toy
from optimist.checks.classes import CLASSES, refused
from optimist.checks.generators import untouched
from optimist.checks.saving import SAVED, reloaded
from optimist.checks.toys import ScriptedFunction, bowl
from optimist.checks.unkind import known_status
from optimist.core.errors import ConfigError
from optimist.experiments import loop
from optimist.experiments.trials import Trials, run
from optimist.numerics.network import TwoLayerNetwork

BOX_ALGORITHMS = Contract(CLASSES)
FEW = 2  # rounds after the initial ones
_ROUNDS = range(1, 11)


def propose(algorithm: BoxAlgorithm, t: int) -> np.ndarray:
    """Return what an algorithm asks for in round ``t``, (d,), if it is a point of its box."""
    x, problem = algorithm.propose(), algorithm.problem
    seen = f"in round {t + 1} propose returned {x!r}"
    is_point = isinstance(x, np.ndarray) and x.shape == problem.low.shape
    require(is_point, seen, f"an array of shape {problem.low.shape}")
    is_inside = ((x >= problem.low) & (x <= problem.high)).all()
    seen = f"in round {t + 1} it asked for {brief(x)}"
    require(is_inside, seen, f"{brief(problem.low)} to {brief(problem.high)}")
    return x


def brief(x: np.ndarray) -> str:
    """Return a point (d,) as a short text."""
    return np.array2string(x, precision=4, threshold=6, edgeitems=2)


def points(algorithm: Any, rounds: int) -> np.ndarray:
    """Play on the bowl; return the points asked for, (rounds, d)."""
    asked = []
    for t in range(rounds):
        x = propose(algorithm, t)
        asked.append(x.copy())
        algorithm.observe(x, bowl(x))
    return np.array(asked)


def same_points(one: np.ndarray, other: np.ndarray, how: str, allowed: str) -> None:
    """Raise BrokenError, naming the first round in question, unless points are equal."""
    for t, (a, b) in enumerate(zip(one, other, strict=True)):
        seen = f"in round {t + 1} it asked for {brief(a)} and, {how}, for {brief(b)}"
        require(np.array_equal(a, b), seen, allowed)


# In the settings of papers.


@BOX_ALGORITHMS.check(Played, is_basic=True)
def asks_for_points_of_its_box(played: Played) -> None:
    """propose returns a point of the box; the first ones are those that the problem names."""
    algorithm = played.build()[1]
    problem = algorithm.problem
    asked = points(algorithm, problem.initial_count + FEW)
    if problem.initial is not None:
        first = asked[: problem.initial_count]
        same_points(first, problem.initial, "had it asked as it should", "problem.initial first")


@BOX_ALGORITHMS.check(Played)
def plays_the_same_twice(played: Played) -> None:
    """The same trial played again gives the same points."""
    horizon = played.cell.spec["horizon"]
    one, other = (points(played.build()[1], horizon) for _ in range(2))
    same_points(one, other, "when played again", "to draw from rng alone")


@BOX_ALGORITHMS.check(Played)
def leaves_shared_generators_alone(played: Played) -> None:
    """It draws neither from np.random nor from random, which all code shares."""
    algorithm = played.build()[1]
    with untouched("it"):
        points(algorithm, algorithm.problem.initial_count + FEW)


@BOX_ALGORITHMS.check(Played, compares_plays=True)
def can_be_saved_in_mid_trial(played: Played) -> None:
    """Saved by pickle after some rounds and loaded again, it goes on as if it had not been."""
    algorithm = played.build()[1]
    t = algorithm.problem.initial_count + 1
    points(algorithm, t)
    x, expected = propose(reloaded(algorithm), t), propose(algorithm, t)
    seen = f"saved and loaded again, it asked for {brief(x)} in round {t + 1}"
    require(np.array_equal(x, expected), f"{seen}, not {brief(expected)}", SAVED)


@BOX_ALGORITHMS.check(Played)
def a_trial_of_its_paper_ends_well(played: Played) -> None:
    """A trial ends with status ok; time passes, regret grows and simple regret falls."""
    trajectory = run(Trials("regret", played.cell, 0, 1), played.data)[0]
    columns, horizon = trajectory.columns, played.cell.spec["horizon"]
    rounds = columns.get("round", [])
    seen = f"after {len(rounds)} of {horizon} rounds its status is {trajectory.status!r}"
    is_well = trajectory.status == "ok" and rounds == list(range(1, horizon + 1))
    require(is_well, seen, f"'ok' after {horizon}")
    lengths = {len(values) for values in columns.values()}
    require(lengths == {horizon}, f"columns have {lengths} values", f"{horizon} values each")
    for name, sign in (("seconds", 1.0), ("regret", 1.0), ("simple_regret", -1.0)):
        steps = sign * np.diff(columns[name])
        goes = (steps > 0.0).all() if name == "seconds" else (steps >= 0.0).all()
        require(goes, f"{name} goes from {columns[name][0]:g} back and forth", "one direction")


# On toys.


@BOX_ALGORITHMS.check(Toy, compares_plays=True)
def trials_differ(toy: Toy) -> None:
    """Without initial points three trials are repeatable, and each plays other points."""
    played = [points(toy.build(toy.problem(initial=None), trial), 8) for trial in range(4)]
    for trial in range(3):
        again = points(toy.build(toy.problem(initial=None), trial), 8)
        same_points(played[trial], again, "when played again", "to draw from rng alone")
        seen = f"trials {trial} and {trial + 1} ask for the same points"
        is_other = not np.array_equal(played[trial], played[trial + 1])
        require(is_other, seen, "points drawn from rng, which is told the trial")


@BOX_ALGORITHMS.check(Toy)
def draws_initial_points_of_its_own(toy: Toy) -> None:
    """Where the problem names no initial points, it draws its own from rng."""
    one, other = (points(toy.build(toy.problem(initial=None), seed), 6) for seed in (0, 1))
    is_own = not np.isin(one[:4], other[:4]).any()
    require(is_own, "two trials share coordinates of initial points", "points drawn from rng")


@BOX_ALGORITHMS.check(Toy)
def a_trial_may_end_before_its_initial_points(toy: Toy) -> None:
    """A trial of three rounds, fewer than the initial ones, ends with status ok."""
    algorithm = toy.build(toy.problem(horizon=3))
    trajectory = loop.play(ScriptedFunction(algorithm.problem, bowl), algorithm, [1, 2, 3])
    lengths = {len(values) for values in trajectory.columns.values()}
    seen = f"its status is {trajectory.status!r} with {lengths} recorded rounds"
    require(trajectory.status == "ok" and lengths == {3}, seen, "'ok' with 3")


@BOX_ALGORITHMS.check(Toy, compares_plays=True)
def keeps_no_reference_to_its_points(toy: Toy) -> None:
    """What it has learned does not change with the array that it returned or was told of."""
    problem = toy.problem()
    algorithm, twin = (toy.build(problem, 3) for _ in range(2))
    for t in range(8):
        x, expected = propose(algorithm, t), propose(twin, t)
        seen = f"as old points were overwritten, it asked for {brief(x)} in round {t + 1}"
        require(np.array_equal(x, expected), f"{seen}, not {brief(expected)}", "copies of points")
        y = bowl(x)
        twin.observe(x.copy(), y)
        algorithm.observe(x, y)
        x[:] = 9.9


@BOX_ALGORITHMS.check(Toy, compares_plays=True)
def asking_does_not_change_it(toy: Toy) -> None:
    """contains, diagnostics and state_bytes answer as they should, and change nothing."""
    problem = toy.problem()
    asked, twin = (toy.build(problem, 3) for _ in range(2))
    size = TwoLayerNetwork(problem.dimension, problem.hidden).size
    for t in range(8):
        inside = np.asarray(asked.contains(np.zeros((3, size))))
        seen = f"for 3 rows contains returned {inside.dtype} of shape {inside.shape}"
        require(inside.shape == (3,) and inside.dtype == bool, seen, "bool of shape (3,)")
        plain_numbers("diagnostics", asked.diagnostics())
        size_of_state = asked.state_bytes()
        require(isinstance(size_of_state, int), f"state_bytes is {size_of_state!r}", "an int")
        x, expected = propose(asked, t), propose(twin, t)
        seen = f"once contains was asked, it asked for {brief(x)} in round {t + 1}"
        require(np.array_equal(x, expected), f"{seen}, otherwise {brief(expected)}", "no change")
        for each in (asked, twin):
            each.observe(x, bowl(x))


@BOX_ALGORITHMS.check(Method)
def refuses_arms(method: Method) -> None:
    """A problem with arms is refused."""
    try:
        others = toys.kinds_of(Method(method.name).cls)  # a class of the same name on arms
    except ConfigError:
        others = ()
    if others == toys.KINDS:
        raise PassedOverError("a class of the same name plays with any arms")
    pattern = "unknown algorithm|is not defined for|is no algorithm|is for another kind of setting"
    refused(method.label, toys.make_problem("logistic"), pattern)


# Functions that are not kind.


def unkind(
    toy: Toy, function: Callable[[np.ndarray], float], dimension: int = 2, **changes: Any
) -> loop.Trajectory:
    """Play ten rounds on a function; return the trajectory."""
    problem = toy.problem(dimension=dimension, **changes)
    environment = ScriptedFunction(problem, function, maximum=1e14)
    return loop.play(environment, toy.build(problem), list(_ROUNDS), time_limit=60.0)


def _ends_well(trajectory: loop.Trajectory, where: str) -> None:
    last = ([0, *trajectory.columns.get("round", [])])[-1]
    seen = f"{where} its status is {trajectory.status!r} after {last} rounds"
    require(trajectory.status == "ok" and last == _ROUNDS[-1], seen, f"'ok' after {_ROUNDS[-1]}")


@BOX_ALGORITHMS.check(Toy)
def plays_on_a_constant_function(toy: Toy) -> None:
    """A constant function is an environment too: ten rounds end with status ok."""
    for dimension in (1, 3):
        trajectory = unkind(toy, lambda x: 1.0, dimension)
        _ends_well(trajectory, f"on a constant function of {dimension} coordinates")


@BOX_ALGORITHMS.check(Toy)
def plays_from_one_initial_point(toy: Toy) -> None:
    """One initial point is enough."""
    trajectory = unkind(toy, bowl, initial=np.zeros((1, 2)), initial_count=1)
    _ends_well(trajectory, "with one initial point")


@BOX_ALGORITHMS.check(Toy)
def extreme_values_end_in_a_status(toy: Toy) -> None:
    """Values that are huge, negative or tiny end in a status and never in a crash."""
    for factor in (1e12, -1e6, 1e-12):
        trajectory = unkind(toy, _times(factor))
        known_status(trajectory, _ROUNDS, f"values times {factor:g}")


def _times(factor: float) -> Callable[[np.ndarray], float]:
    return lambda x: factor * bowl(x)


@BOX_ALGORITHMS.check(Toy)
def values_that_are_not_finite_are_recorded(toy: Toy) -> None:
    """A value that is NaN or infinite ends the trial before it, with a status that says so."""
    for bad in (float("nan"), float("inf")):
        trajectory = unkind(toy, _Breaking(bad))
        rounds = trajectory.columns.get("round", [])
        seen = f"where a value is {bad} its status is {trajectory.status!r}, with rounds {rounds}"
        is_recorded = trajectory.status.startswith("failed: ") and len(rounds) < _ROUNDS[-1]
        require(is_recorded, seen, "'failed: ...', with the rounds before it")
        require(rounds == list(range(1, len(rounds) + 1)), seen, "each of these rounds")


class _Breaking:
    """The bowl, up to ten values; then another one."""

    def __init__(self, bad: float) -> None:
        self.bad = bad
        self.count = 0

    def __call__(self, x: np.ndarray) -> float:
        self.count += 1
        return self.bad if self.count > 10 else bowl(x)
