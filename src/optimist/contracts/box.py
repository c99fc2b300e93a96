"""Promises of algorithms on a box: points, initial points, problems that they refuse."""

import numpy as np
import pytest

from optimist.contracts import toys
from optimist.contracts.base import require
from optimist.contracts.cases import BOX, Method, Played, Toy
from optimist.contracts.classes import refused
from optimist.contracts.plays import OnBox, choices, require_equal, started
from optimist.contracts.toys import bowl
from optimist.errors import ConfigError

DOMAIN = BOX  # of the cases of these tests
FEW = 2  # rounds after the initial ones


@pytest.mark.basic
def test_asks_for_points_of_its_box(played: Played) -> None:
    """propose returns a point of the box; the first ones are those that the problem names."""
    one = started(played)
    problem = one.algorithm.problem
    asked = choices(one, problem.initial_count + FEW)
    if problem.initial is not None:
        for t, x in enumerate(problem.initial):
            require_equal(one, t, asked[t], x, "with initial points", "problem.initial")


@pytest.mark.compares_plays
def test_trials_differ(toy: Toy) -> None:
    """Without initial points of the problem trials are repeatable, and play points of their own."""
    problem = toy.problem(initial=None)
    plays = [OnBox(toy.build(problem, trial)) for trial in (0, 0, 1)]
    first, again, other = (choices(play, 8) for play in plays)
    for t, (a, b) in enumerate(zip(first, again, strict=True)):
        require_equal(plays[0], t, b, a, "when played again", "to draw from rng alone")
    is_own = not np.isin(first[:4], other[:4]).any()
    allowed = "points drawn from rng, which is told the trial"
    require(is_own, "two trials share coordinates of initial points", allowed)


@pytest.mark.compares_plays
def test_keeps_no_reference_to_its_points(toy: Toy) -> None:
    """Its knowledge does not change with arrays that it returned or was given."""
    problem = toy.problem()
    one, twin = (OnBox(toy.build(problem, 3)) for _ in range(2))
    for t in range(8):
        x, expected = one.choose(t), twin.choose(t)
        require_equal(one, t, x, expected, "as old points were overwritten", "copies of points")
        twin.learn(t, expected)
        one.algorithm.observe(x, bowl(x))
        x[:] = 9.9


def test_refuses_arms(method: Method) -> None:
    """A problem with arms is refused."""
    try:
        others = toys.kinds_of(Method(method.name).cls)  # a class of the same name on arms
    except ConfigError:
        others = ()
    if others == toys.KINDS:
        pytest.skip("a class of the same name plays with any arms")
    pattern = "unknown algorithm|is not defined for|is no algorithm|is for another kind of setting"
    refused(method.label, toys.make_problem("logistic"), pattern)
