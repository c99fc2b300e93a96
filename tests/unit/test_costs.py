"""Measured costs: what a job is expected to take, and what it asks a scheduler for."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from result_files import asked, toy_trials

from optimist.core.errors import ConfigError
from optimist.plan.costs import (
    FIRST,
    SNAKEMAKE_MB,
    UNKNOWN_MB,
    UNKNOWN_SECONDS,
    UNKNOWN_STUDY,
    Costs,
    Row,
    priority,
    read,
    update,
    write,
)
from optimist.plan.jobs import PlannedJobs

ROWS = [
    Row("regret", "toy", "here", "gloc", 12, 3.0, 200),
    Row("regret", "toy", "there", "gloc[variant=public]", 24, 4.0, 300),
]


WILDCARDS = SimpleNamespace(race="0")


def jobs(trials, costs):
    """Return the jobs of a plan that has one race."""
    plan = SimpleNamespace(config={"resource_limits": True}, costs=costs)
    plan.trials = SimpleNamespace(race=lambda wildcards: SimpleNamespace(trials=trials))
    return PlannedJobs(plan)


def request(*trials, attempt=1, **factors):
    costs = Costs(ROWS, **factors)
    return asked(costs.request(jobs(trials, costs).expected), WILDCARDS, attempt=attempt)


def limits(*trials, **resources):
    return jobs(trials, Costs(ROWS)).limits(WILDCARDS, SimpleNamespace(**resources))


def test_a_measured_cell_costs_its_trials_and_rounds():
    costs = Costs(ROWS)
    assert costs.seconds(toy_trials(stop=5)) == 15.0
    assert costs.peak_mb(toy_trials()) == 200.0
    # Half of the rounds, and ten times as many, which are slower.
    assert costs.seconds(toy_trials(stop=5, horizon=6)) == 7.5
    assert costs.seconds(toy_trials(stop=5, horizon=120)) == 1500.0
    assert costs.peak_mb(toy_trials(horizon=6)) == 200.0
    assert costs.peak_mb(toy_trials(horizon=120)) == 2000.0


def test_a_cell_that_was_never_measured_costs_the_slowest_of_its_algorithm():
    costs = Costs(ROWS)
    assert costs.seconds(toy_trials(setting="new", stop=2)) == 2 * 3.0
    assert costs.peak_mb(toy_trials(setting="new")) == 300.0
    assert costs.seconds(toy_trials(algorithm="glb_omd", stop=2)) == 2 * UNKNOWN_SECONDS
    assert costs.peak_mb(toy_trials(algorithm="glb_omd")) == UNKNOWN_MB


def test_a_table_is_read_as_it_was_written(tmp_path):
    write(ROWS, tmp_path / "costs.csv")
    costs = Costs(read(tmp_path / "costs.csv"))
    assert costs.seconds(toy_trials(stop=5)) == 15.0
    assert Costs(read(tmp_path / "none.csv")).seconds(toy_trials(stop=1)) == UNKNOWN_SECONDS


@pytest.mark.parametrize(
    "line",
    [
        "regret,toy,here,gloc,twelve,3,200",
        "regret,toy,here",
        "regret,toy,here,gloc,12,nan,200",
    ],
)
def test_a_wrong_row_is_named(tmp_path, line):
    path = tmp_path / "costs.csv"
    path.write_text(f"lane,paper,setting,algorithm,rounds,cpu_seconds,peak_mb\n{line}\n")
    allowed = "(valid values for lane, paper|at least one round)"
    with pytest.raises(ConfigError, match=rf"costs\.csv, line 2: .*allowed: {allowed}"):
        read(path)


def test_a_study_is_no_cell_of_an_algorithm_without_a_name():
    costs = Costs([*ROWS, Row("accuracy", "toy", "", "", 1, 95.5, 310)])
    assert costs.study("accuracy", "toy") == (95.5, 310.0)
    assert costs.study("accuracy", "other") == UNKNOWN_STUDY
    assert costs.seconds(toy_trials(algorithm="glb_omd", stop=1)) == UNKNOWN_SECONDS


def test_the_longest_job_comes_first_and_after_what_others_wait_for():
    times = [0.2, 3.0, 90.0, 4e9]
    found = [priority((seconds, 5.0)) for seconds in times]
    assert found == sorted(found)
    assert len(set(found)) == 4
    assert found[-1] < FIRST


def test_a_job_asks_for_more_than_was_measured_and_again_for_more():
    several = toy_trials(stop=100), toy_trials(setting="there", stop=60)
    measured = 100 * 3.0 + 60 * 3.0
    first, second = (request(*several, attempt=attempt) for attempt in (1, 2))
    assert first["mem_mb"] > 300 + SNAKEMAKE_MB
    assert first["runtime"] * 60 > 3 * measured
    assert all(second[name] >= 1.9 * first[name] for name in first)


def test_factors_are_on_what_is_asked_for():
    usual = request(toy_trials())
    more = request(toy_trials(), memory_factor=3.0, time_factor=2.0)
    assert more["mem_mb"] == pytest.approx(3 * usual["mem_mb"], abs=3)
    assert more["runtime"] == pytest.approx(2 * usual["runtime"], abs=2)


def test_new_measurements_replace_rows_of_as_many_rounds():
    later = Row("regret", "toy", "there", "gloc[variant=public]", 24, 9.0, 100)
    other = Row("timing", "toy", "here", "gloc", 12, 3.0, 200)
    short = replace(ROWS[0], rounds=ROWS[0].rounds - 1, cpu_seconds=0.1)
    assert update(ROWS, [other, later, short]) == [ROWS[0], later, other]


def test_a_job_of_a_minute_has_half_of_it_for_its_trials():
    (limit,) = limits(toy_trials(), mem_mb=1000, runtime=1)
    assert limit == pytest.approx(30.0)


def test_limits_share_the_time_that_was_asked_for():
    found = limits(toy_trials(stop=10), toy_trials(stop=30), mem_mb=1000, runtime=12)
    assert sum(found) == pytest.approx(600.0)
    assert found[1] == pytest.approx(91 / 31 * found[0])
