"""Promises of every algorithm about its play in the settings of papers, on arms and on a box."""

import inspect
import json
from typing import Any

import numpy as np
import pytest

from optimist.contracts.base import SAVED, reloaded, require, untouched
from optimist.contracts.cases import HORIZON, Played
from optimist.contracts.plays import choices, require_equal, started
from optimist.runs.trials import Trials, run


def test_plays_the_same_twice(played: Played) -> None:
    """The same trial played again gives the same choices."""
    one, other = started(played), started(played)
    rounds = played.rounds(60)
    has_rng = "rng" in inspect.signature(played.cls).parameters
    given = "" if has_rng else ", a numpy Generator that __init__(self, problem, *, rng) would get"
    for t, (a, b) in enumerate(zip(choices(one, rounds), choices(other, rounds), strict=True)):
        require_equal(one, t, b, a, "when played again", f"to draw from rng alone{given}")


def test_leaves_shared_generators_alone(played: Played) -> None:
    """It draws neither from np.random nor from random, which all code shares."""
    with untouched("it"):
        choices(started(played), played.rounds(60))


@pytest.mark.compares_plays
def test_asking_does_not_change_it(played: Played) -> None:
    """To ask contains, diagnostics or state_bytes changes nothing in what it plays."""
    # Coverage is checked in the regret lane only: both lanes must play the same.
    one, twin = started(played), started(played)
    thetas = np.zeros((3, one.truth_length))
    for t in range(played.rounds(25)):
        one.algorithm.contains(thetas)
        one.algorithm.diagnostics(), one.algorithm.state_bytes()
        expected, choice = twin.choose(t), one.choose(t)
        how = "asked for contains, diagnostics and state_bytes"
        require_equal(one, t, choice, expected, how, "the same choice")
        for each in (one, twin):
            each.learn(t, expected)


@pytest.mark.compares_plays
def test_can_be_saved_in_mid_trial(played: Played) -> None:
    """Saved by pickle after some rounds and loaded again, it goes on as if it had not been."""
    one, loaded = started(played), started(played)
    rounds = played.rounds(25)
    saved = rounds - 3
    choices(one, saved)
    loaded.algorithm = reloaded(one.algorithm)
    for t in range(saved, rounds):
        choice, expected = loaded.choose(t), one.choose(t)
        require_equal(one, t, choice, expected, "saved and loaded again", SAVED)
        for each in (one, loaded):
            each.learn(t, expected)


def test_a_trial_ends_well(played: Played) -> None:
    """A trial ends with status ok, time that passes, regret that grows, and in all its rounds."""
    rounds = played.rounds(HORIZON)
    trajectory = run(Trials("regret", played.cell, 0, 1, rounds=rounds), played.data)[0]
    columns = trajectory.columns
    last = columns["round"][-1] if columns else 0
    seen = f"after {last} of {rounds} recorded rounds its status is {trajectory.status!r}"
    require(trajectory.status == "ok" and last == rounds, seen, f"'ok' after {rounds}")
    lengths = {len(values) for values in columns.values()}
    require(len(lengths) == 1, f"columns have {lengths} values", "one number of values")
    seconds = np.array(columns["seconds"])
    require(seconds[0] > 0.0 and (np.diff(seconds) > 0.0).all(), "no time passed", "some")
    regret = np.array(columns["regret"])
    require(np.isfinite(regret).all() and (np.diff(regret) >= 0.0).all(), "regret falls", "none")
    simple = np.array(columns.get("simple_regret", [0.0]))
    require((np.diff(simple) <= 0.0).all(), "simple regret grows", "that it falls")


def test_answers_row_by_row(played: Played) -> None:
    """contains answers with one bool for each row, whatever the other rows are."""
    one = started(played)
    choices(one, played.rounds(30))
    thetas = np.random.default_rng(0).standard_normal((7, one.truth_length))
    thetas *= np.geomspace(1e-3, 1e3, 7)[:, None]
    inside = np.asarray(one.algorithm.contains(thetas))
    seen = f"for 7 rows contains returned {inside.dtype} of shape {inside.shape}"
    require(inside.shape == (7,) and inside.dtype == bool, seen, "bool of shape (7,)")
    alone = [bool(one.algorithm.contains(theta[None])[0]) for theta in thetas]
    seen = f"for 7 rows contains answers {inside.tolist()}"
    require(inside.tolist() == alone, seen, f"{alone}, as for each row alone")


def test_diagnostics_are_plain_numbers(played: Played) -> None:
    """diagnostics returns finite numbers by name, and state_bytes an int."""
    one = started(played)
    choices(one, played.rounds(30))
    require_numbers("diagnostics", one.algorithm.diagnostics())
    size = one.algorithm.state_bytes()
    seen = f"state_bytes returned {size!r}, of type {type(size).__name__}"
    require(isinstance(size, int) and size >= 0, seen, "an int, at least 0")


def require_numbers(name: str, numbers: Any) -> None:
    """Raise BrokenError unless ``numbers`` maps names to finite plain numbers."""
    require(isinstance(numbers, dict), f"{name} returned {numbers!r}", "a dict of numbers")
    for key, value in numbers.items():
        seen = f"{name}[{key!r}] is {value!r}, of type {type(value).__name__}"
        try:
            json.dumps(value)
            is_finite = np.isfinite(float(value))
        except (TypeError, ValueError):
            is_finite = False
        require(is_finite, seen, "a finite int, float or bool")
