"""The next look of open claims: its trials and price, its cause, and what it would answer."""

import math

import numpy as np
import pandas as pd
import pytest
from claim_tables import check_of, claim_with, document, finals, reading, times

from optimist.claims.next_look import EVEN, LIKELY, Extended, NextLook, next_look
from optimist.claims.verdicts import evaluate, gates_of

SIDES = {"setting": "here", "numerator": "a", "denominator": "b"}
LABEL = "regret of a / b, here"
FIRST = [["toy.01", LABEL, "trials", 0, 10]]
PRICES = {("regret", "here", name): 36.0 for name in ("a", "b", "uniform")}


def rivals(relation="below", bound=1, **keys):
    return check_of("regret", "ratio", {**SIDES, **keys.pop("arguments", {})}, relation, bound)


def world(n=10, seed=1, **means):
    """Regrets of players with these means, and half of the mean as spread."""
    rng = np.random.default_rng(seed)
    return [finals("here", name, list(m * rng.gamma(4.0, 0.25, n))) for name, m in means.items()]


def look(*checks, tables, first=(), prices=None, about=None, readings=None, **keys):
    """Return the verdict on a claim with these checks, and its next look."""
    readings = readings or [reading(*checks)]
    written = document(claim_with(*readings, **keys), first=first, **(about or {}))
    tables = {name: pd.concat(some) for name, some in tables.items()}
    (verdict,) = evaluate(written, tables)
    return verdict, next_look(verdict, gates_of(written, tables), prices or {})


# Its trials and its price.


@pytest.mark.parametrize(("n", "n0", "start", "wanted"), [
    (10, 10, 0, 20),
    (19, 10, 0, 20),
    (20, 10, 0, 40),
    (25, 20, 5, 45),
    # None counted yet.
    (9, 10, 0, 10),
    (12, 10, 5, 15),
])  # fmt: skip
def test_every_check_gets_its_next_doubling(n, n0, start, wanted):
    tables = {"finals": world(n, a=1.0, b=1.0, uniform=9.0)}
    first = [["toy.01", LABEL, "trials", start, n0]]
    verdict, found = look(rivals(), tables=tables, first=first, prices=PRICES)
    assert verdict.word == "open"
    assert (found.needs, found.needs_kind, found.cause) == (wanted, "trials", "few trials")
    # The gate is open, so that uniform play needs no more trials, unless it has too few.
    cells = 2 if verdict.results[0].gate.support < 0.02 else 3
    assert found.hours == pytest.approx(cells * (wanted - n) * 36.0 / 3600)
    assert found.deciding.startswith(f"The next look has up to {wanted - n} more trials a cell (")
    options = f"committed=use 'decide={{toy.01: {wanted}}}'"
    assert found.command == f"snakemake --cores all --config {options} -- toy"
    *_, unknown = look(rivals(), tables=tables, first=first)
    assert math.isnan(unknown.hours) and "core-hours" not in unknown.deciding


def test_trials_that_are_there_already_cost_nothing():
    tables = {"finals": [*world(10, a=1.0), *world(40, 2, b=1.0, uniform=9.0)]}
    _, found = look(rivals(), tables=tables, first=FIRST, prices=PRICES)
    assert (found.needs, found.hours) == (20, pytest.approx(0.1))


def test_uniform_play_and_the_best_learner_are_asked_for_where_the_gate_is_shut():
    # Nobody beats uniform play by a quarter, and c comes closest.
    tables = {"finals": world(40, a=1.1, c=1.0, d=1.5, uniform=1.1)}
    check = check_of("regret", "ratio", {**SIDES, "denominator": "uniform"}, "above", 0.8)
    # A trial costs an hour, ten of them, a hundred or a thousand.
    prices = {"a": 1, "uniform": 10, "c": 100, "d": 1000}
    prices = {("regret", "here", name): 3600.0 * n for name, n in prices.items()}
    verdict, found = look(
        check,
        tables=tables,
        first=[["toy.01", "regret of a / uniform, here", "trials", 0, 10]],
        prices=prices,
        about={"learners": {"here": ["a", "c", "d"]}},
    )
    assert (verdict.word, verdict.results[0].gate.support) == ("open", 1.0)
    assert (found.needs, found.hours) == (80, pytest.approx(40 * 111))


def test_uniform_play_that_is_lacking_is_asked_for_by_a_command_of_its_own():
    tables = {"finals": world(10, a=1.0, b=1.0)}
    verdict, found = look(rivals(), tables=tables, first=FIRST)
    assert verdict.word == "open"
    assert found.deciding == (
        "There is no uniform play in here, and nothing can be decided without it."
    )
    assert 'additions={toy: {runs: [{settings: ["here"], algorithms: [uniform]' in found.command
    assert (found.needs, found.likely) == (20, "")


# Which claims have one.


@pytest.mark.parametrize(
    ("means", "word"), [((0.1, 1.0), "reproduced"), ((1.0, 0.1), "not reproduced")]
)
def test_answered_claims_need_none(means, word):
    tables = {"finals": world(40, a=means[0], b=means[1], uniform=9.0)}
    verdict, found = look(rivals(), tables=tables, first=FIRST, prices=PRICES)
    assert (verdict.word, found) == (word, NextLook())


def test_doubted_claims_have_one_and_supported_ones_none():
    tables = {"finals": world(40, a=1.0, b=0.1, c=1.0, uniform=9.0)}
    other = rivals(arguments={"denominator": "c"})
    readings = [reading(rivals(), name="one"), reading(other, name="two")]
    verdict, found = look(tables=tables, readings=readings)
    assert verdict.word == "doubted" and found.needs > 40
    turned = [reading(rivals("above"), name="one"), reading(other, name="two")]
    verdict, found = look(tables=tables, readings=turned)
    assert (verdict.word, found) == ("supported", NextLook())


def test_checks_that_do_not_count_block_nothing():
    tables = {"finals": world(10, a=1.0, b=1.0, uniform=9.0)}
    label = LABEL.replace("/ b", "/ c")
    ours = {**rivals(arguments={"denominator": "c"}), "status": "ours"}
    tables["finals"] += world(10, 7, c=1.0)
    first = [*FIRST, ["toy.01", label, "trials", 0, 10]]
    alone = look(rivals(), tables=tables, first=first, prices=PRICES)[1]
    assert look(rivals(), ours, tables=tables, first=first, prices=PRICES)[1] == alone


# Where no number decides.


def test_an_estimate_at_its_bound_is_decided_by_no_number():
    rng = np.random.default_rng(3)
    noise = 1.0 + 0.01 * rng.standard_normal((2, 40))
    tables = {"finals": [finals("here", n, list(row)) for n, row in zip("ab", noise, strict=True)]}
    tables["finals"].append(finals("here", "uniform", [9.0] * 40))
    verdict, found = look(rivals(), tables=tables, first=FIRST, prices=PRICES)
    assert (verdict.word, found.cause) == ("open", "bound")
    assert found.deciding == "The bound is the estimate: no number of trials decides."
    assert (found.command, found.needs) == ("", None)


def test_a_floor_under_splits_is_said():
    about = {"setting": "here", "one": "a", "other": "b", "since": 0, "rounds": 100}
    check = check_of("regret", "difference", {**about, "folds": 5, "repeats": 5}, "below", 0.1)
    rng = np.random.default_rng(1)
    ends = [finals("here", name, list(100 * rng.normal(9.0, 1.0, 25))) for name in ("a", "b")]
    tables = {"finals": ends, "regrets": ends}
    verdict, found = look(check, tables=tables)
    # No number of splits sees a difference below 0.98 s, with uniform play or without it.
    assert (verdict.word, found.cause, found.command) == ("open", "few splits", "")
    assert found.deciding == "No number of splits decides this; other data sets would."


# The forecast.


@pytest.mark.parametrize(
    ("means", "n", "likely", "word"),
    [
        # An effect that twice the trials show nearly always, and one that they show nearly never.
        ((0.72, 1.0), 20, "likely", "reproduced"),
        ((1.0, 1.0), 80, "unlikely", "open"),
    ],
)
def test_effects_that_are_seen_are_likely_to_answer(means, n, likely, word):
    tables = {"finals": world(n, 4, a=means[0], b=means[1], uniform=9.0)}
    verdict, found = look(rivals(), tables=tables, first=FIRST, prices=PRICES)
    assert verdict.word == "open"
    assert (found.likely, found.forecast) == (likely, word)
    assert (found.chance >= LIKELY) == (likely == "likely")
    assert (found.chance < EVEN) == (likely == "unlikely")
    assert f"Chance of an answer: {likely}; commonest word: {word}." in found.deciding


def test_a_forecast_is_the_same_each_time():
    tables = {"finals": world(20, 4, a=0.8, b=1.0, uniform=9.0)}
    once, again = (look(rivals(), tables=tables, first=FIRST, prices=PRICES)[1] for _ in range(2))
    assert once == again and once.likely


def test_fewer_than_ten_common_trials_give_no_forecast():
    tables = {"finals": world(9, a=1.0, b=1.0, uniform=9.0)}
    _, found = look(rivals(), tables=tables, first=FIRST)
    assert math.isnan(found.chance) and (found.likely, found.forecast) == ("", "")
    assert "Chance" not in found.deciding


def test_new_trials_are_copies_of_whole_trials_the_same_in_all_cells():
    rng = np.random.default_rng(2)
    tables = {"finals": pd.concat(world(12, a=1.0, b=1.0) + world(10, 3, uniform=9.0))}
    tables["regrets"] = pd.concat([tables["finals"].assign(round=t) for t in (50, 100)])
    written = document(claim_with(reading(rivals())))
    groups = gates_of(written, tables).groups
    wanted = {("regret", "here", name): 20 for name in ("a", "uniform")}
    place = "regret", "here"
    drawn = {place: rng.integers(0, 10, 20)}
    columns = ("trial", "round", "status", "regret")
    # Both have ten trials; the further ones of a would have no partner.
    extended = Extended(groups, wanted, {place: 10}, drawn, columns)
    for table in ("finals", "regrets"):
        for name in ("a", "uniform"):
            own, more = groups[table]["here", name], extended[table]["here", name]
            kept = [one[one["trial"] < 10]["regret"].tolist() for one in (own, more)]
            assert kept[0] == kept[1]
            for trial in range(10, 20):
                source = own[own["trial"] == drawn[place][trial]]
                copy = more[more["trial"] == trial]
                assert copy["regret"].tolist() == source["regret"].tolist()
                assert copy["round"].tolist() == source["round"].tolist()
    assert len(extended["finals"]["here", "b"]) == 12
    assert extended.number("regret", "here", "a") == 20


def test_times_are_forecast_in_turns():
    rng = np.random.default_rng(8)
    seconds = rng.normal(1.0, 0.2, (2, 10))
    tables = {
        "times": [
            times("here", name, [[s] for s in row], turns="one")
            for name, row in zip("ab", seconds, strict=True)
        ]
    }
    check = check_of("time", "ratio", SIDES)
    first = [["toy.01", "time of a / b, here", "turns", 0, 5]]
    prices = {("timing", "here", name): 1800.0 for name in "ab"}
    verdict, found = look(check, tables=tables, first=first, prices=prices)
    assert verdict.word == "open"
    # A race is played again as a whole: twenty turns of two cells, of half an hour each.
    assert (found.needs, found.needs_kind, found.hours) == (20, "turns", pytest.approx(20.0))
    assert found.likely in ("likely", "even", "unlikely")
