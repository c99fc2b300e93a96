"""How many trials each check was first judged with: config/first.csv."""

import csv
from pathlib import Path

import pytest

from optimist.claims.metrics import metric
from optimist.claims.needs import needed_cells
from optimist.plan.claims import PlannedClaims
from optimist.plan.config import load_paper, paper_names

FIRST = Path(__file__).parents[2] / "config" / "first.csv"


@pytest.fixture(scope="module")
def rows():
    with FIRST.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def checks():
    papers = {name: load_paper(name) for name in paper_names()}
    found = {}
    for claims in PlannedClaims(papers, {}).by_paper.values():
        for claim in claims:
            for check in (c for reading in claim.readings for c in reading.checks):
                if needed_cells(metric(check.metric), check.arguments):
                    found[claim.id, check.label] = check, claim
    return found


def test_every_check_of_cells_has_one_row(rows, checks):
    named = [(row["claim"], row["check"]) for row in rows if not row["check"].startswith("gate:")]
    assert len(named) == len(set(named))
    assert set(named) == set(checks)


def test_no_check_is_judged_with_fewer_units_than_its_test_needs(rows, checks):
    for row in rows:
        n0, start = int(row["n0"]), int(row["from"])
        assert n0 >= {"trials": 10, "turns": 5, "splits": 5}[row["unit"]]
        assert start >= 0
        if row["claim"].startswith("hvt_ucb") and row["unit"] == "trials":
            assert n0 >= 100
        if (row["claim"], row["check"]) in checks:
            check, claim = checks[row["claim"], row["check"]]
            assert n0 >= metric(check.metric).least(claim.alpha)


def test_a_gate_of_a_later_device_starts_at_trials_that_no_verdict_has_used(rows):
    starts = {row["claim"]: int(row["from"]) for row in rows if row["unit"] == "trials"}
    assert (starts["hvt_ucb.09"], starts["hvt_ucb.12"]) == (250, 200)
