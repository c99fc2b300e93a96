"""Metrics on small tables, by hand: their values, and which trials and cells they rest on."""

import math

import numpy as np
import pandas as pd
import pytest
from claim_tables import finals, times

from optimist.claims import wording
from optimist.claims.cells import Cells, Groups, Missing
from optimist.claims.evidence import Exact
from optimist.claims.metrics import table as metrics
from optimist.claims.metrics.quantities import QUANTITIES
from optimist.claims.metrics.table import METRICS, metric
from optimist.core.errors import ConfigError

RATIO = {"setting": "here", "numerator": "a", "denominator": "b"}
OF_A = {"setting": "here", "algorithm": "a"}
TUNED = {"settings": ["here"], "numerator": "a", "denominator": "b", "tuning": 5}


def cells(**tables):
    tables = {k: pd.concat(v) if isinstance(v, list) else v for k, v in tables.items()}
    return Cells(Groups(tables))


def read_from(read, name, arguments):
    """The evidence of a statistic of a quantity, from cells."""
    statistic, quantity = name.split(" of ")
    return metric(quantity, statistic, arguments)(read, **arguments)


def measure(name, arguments, **tables):
    """The evidence of a statistic of a quantity."""
    return read_from(cells(**tables), name, arguments)


def missing(name, arguments, **tables):
    """Why a metric measures nothing."""
    with pytest.raises(Missing) as reason:
        measure(name, arguments, **tables)
    return str(reason.value)


def refused(name, arguments):
    """Why arguments are refused before anything runs."""
    statistic, quantity = name.split(" of ")
    with pytest.raises(ConfigError) as reason:
        metric(quantity, statistic, arguments).needed(arguments)
    return str(reason.value)


def by_round(setting, algorithm, curves, **columns):
    """Rows of every round: ``curves`` holds the cumulative regret of each trial."""
    return pd.concat(
        pd.DataFrame(
            {"setting": setting, "algorithm": algorithm, "trial": trial, "status": "ok"}
            | {"round": range(1, len(regret) + 1), "regret": regret}
            | columns
        )
        for trial, regret in enumerate(curves)
    )


def together(setting, algorithm, seconds, **columns):
    """Timing rows of turns that all such cells took together."""
    return times(setting, algorithm, seconds, turns="one group", **columns)


# What every metric says of itself.


ALL = [one for found in METRICS.values() for one in found]


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.template)
def test_metrics_have_the_arguments_that_they_word_and_are_found_by_them(one):
    words = one.template.format(**{name: f"<{name}>" for name in one.arguments})
    hidden = {name for name in one.arguments if f"<{name}>" not in words}
    assert hidden <= {"study", "points", "tuning", "folds", "repeats"}
    assert len({*one.arguments}) == len(one.arguments)
    assert metric(one.quantity, one.statistic, [*one.arguments]) is one
    assert one.units in ("trials", "turns", "splits")
    assert one.least_units({}, 0.025) in (5, 10, 30, 50)
    assert (one.gate != "") == (one.quantity == "regret")


def test_metrics_have_labels_that_differ_and_quantities_a_statistic():
    assert len({one.template for one in ALL}) == len(ALL) - 1  # the largest column, of two tables
    assert {one.quantity for one in ALL} == set(QUANTITIES)


ENDS_OF_TWO = {"algorithm": "a", "settings": ["r", "s"], "points": [1, 2]}


@pytest.mark.parametrize(
    ("quantity", "statistic", "arguments", "words"),
    [
        ("time", "gate", RATIO, ["statistic of time", "'gate'", "growth, mean, ratio, slope"]),
        ("state", "exponent", ENDS_OF_TWO, ["statistic of state", "'exponent'", "ratio, slope"]),
        ("regret", "ratio", ["nominator", "denominator", "setting"], ["'nominator'", "numerator,"]),
        (
            "regret",
            "ratio",
            ["algorithm", "base"],
            ["algorithm, base; allowed: algorithm, setting, base"],
        ),
        (
            "watched",
            "mean",
            {**OF_A, "column": "x"},
            ["mean of watched has", "allowed: study, column"],
        ),
        (
            "column",
            "largest",
            {**OF_A, "column": "x", "study": "y"},
            ["argument of largest of column", "'study'", "setting"],
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(quantity, statistic, arguments, words):
    with pytest.raises(ConfigError) as error:
        metric(quantity, statistic, arguments)
    assert "\n" not in str(error.value) and "allowed: " in str(error.value)
    assert [word for word in words if word not in str(error.value)] == []


def least_units(name, arguments, alpha):
    """The fewest units that decide."""
    statistic, quantity = name.split(" of ")
    return metric(quantity, statistic, arguments).least_units(arguments, alpha)


def test_trials_to_tune_with_come_on_top():
    assert least_units("ratio of regret", RATIO, 0.025) == 10
    assert least_units("ratio of regret", TUNED, 0.025) == 15
    assert least_units("ratio of time", RATIO, 0.025) == 5
    assert least_units("exponent of regret", ENDS_OF_TWO, 0.025) == 50
    assert least_units("growth of regret", {**RATIO, "base": "there"}, 0.025) == 30
    assert least_units("median of regret", RATIO, 0.025) == 10
    assert least_units("median of regret", RATIO, 0.0005) == 11  # 2^-11 is below it


# Which trials count.


def test_trials_are_paired_by_number_and_only_common_ones_count():
    tables = [
        finals("here", "a", [99.0, 2.0, 4.0, 9.0], first=2)[::-1],  # trials 2 to 5
        finals("here", "b", [1.0, 2.0, 3.0, 99.0], first=3),  # trials 3 to 6
    ]
    found = measure("ratio of regret", RATIO, finals=tables)
    assert (found.value, found.n) == (15 / 6, 3)
    assert found.top.tolist() == [2.0, 4.0, 9.0]
    assert found.bottom.tolist() == [1.0, 2.0, 3.0]


def test_no_common_trial_is_missing():
    tables = [finals("here", "a", [1.0, 2.0]), finals("here", "b", [1.0, 2.0], first=2)]
    assert missing("ratio of regret", RATIO, finals=tables) == "trial that all cells completed"


def test_incomplete_trials_are_left_out_and_noted():
    status = ["ok", "timeout", "unconverged", "failed: singular"]
    tables = [
        finals("here", "a", [2.0, 1000.0, 4.0, 1000.0], status=status),
        finals("here", "b", [1.0, 1.0, 2.0, 1.0]),
    ]
    read = cells(finals=tables)
    found = read_from(read, "ratio of regret", RATIO)
    assert (found.value, found.n) == (2.0, 2)
    assert read.notes == [
        "here/a: 2 of 4 trials left out (1 failed: singular, 1 timeout)",
        "here/a: 1 of 4 trials unconverged",
    ]


def test_a_cell_without_a_complete_trial_says_why():
    tables = [finals("here", "a", [1.0], status="timeout"), finals("here", "b", [1.0])]
    reason = missing("ratio of regret", RATIO, finals=tables)
    assert reason == "here/a (regret lane, no complete trial: 1 timeout)"


@pytest.mark.parametrize("tables", [{}, {"finals": None}, {"finals": pd.DataFrame()}])
def test_absent_cells_are_named(tables):
    assert (
        missing("ratio of regret", RATIO, **tables) == "here/a (regret lane); here/b (regret lane)"
    )
    reason = missing("ratio of time", RATIO, **tables)
    assert reason == "here/a (timing lane); here/b (timing lane)"


def test_cells_know_the_rounds_that_were_read():
    read = cells(finals=[finals("here", x, [1.0] * 3) for x in "ab"])
    read_from(read, "ratio of regret", RATIO)
    assert read.rounds == [100, 100]


def test_a_metric_names_its_cells_and_each_once():
    def needed(quantity, statistic, arguments):
        return metric(quantity, statistic, arguments).needed(arguments)

    of_quotient = {**OF_A, "top": "u", "bottom": "v"}
    assert needed("regret", "ratio", RATIO) == [("regret", "here", "a"), ("regret", "here", "b")]
    assert needed("regret", "ratio", {**RATIO, "denominator": "a"}) == [("regret", "here", "a")]
    assert needed("column", "largest", {**OF_A, "column": "u"}) == [("regret", "here", "a")]
    assert needed("quotient", "largest", of_quotient) == [("regret", "here", "a")]
    assert needed("time", "mean", OF_A) == [("timing", "here", "a")]
    assert needed("fact", "value", {"name": "x", "setting": "here"}) == []


# Regret within a setting.


def test_each_method_is_taken_at_its_best_by_trials_that_do_not_count():
    # In the first two trials a is best at s, b at r; what comes later decides nothing of that.
    r, s = "task[x=1]", "task[x=2]"
    tables = [
        finals(r, "a", [9.0, 9.0, 1.0, 1.0, 1.0]),
        finals(s, "a", [5.0, 5.0, 6.0, 8.0, 10.0]),
        finals(r, "b", [1.0, 1.0, 2.0, 2.0, 2.0]),
        finals(s, "b", [3.0, 3.0, 1.0, 1.0, 1.0]),
    ]
    arguments = {"numerator": "a", "denominator": "b", "settings": [r, s], "tuning": 2}
    found = measure("ratio of regret", arguments, finals=tables)
    assert (found.value, found.n) == (4.0, 3)
    assert "task[x=2]/a" in missing("ratio of regret", arguments, finals=tables[:1])
    alone = [finals(t, x, [1.0] * 2) for t in (r, s) for x in "ab"]
    assert "all cells" in missing("ratio of regret", arguments, finals=alone)
    later = [finals(t, x, [1.0] * 2, first=2) for t in (r, s) for x in "ab"]
    assert "trial of a to tune with" in missing("ratio of regret", arguments, finals=later)
    assert "that have the same name" in refused(
        "ratio of regret", {**arguments, "settings": ["r", "s"]}
    )


def test_a_method_is_tuned_by_the_same_trials_where_new_ones_alone_count():
    r, s = "task[x=1]", "task[x=2]"
    tables = [
        finals(r, "a", [9.0, 9.0, 1.0, 1.0, 7.0, 8.0]),
        finals(s, "a", [5.0, 5.0, 6.0, 8.0, 10.0, 14.0]),
        finals(r, "b", [1.0, 1.0, 2.0, 2.0, 3.0, 5.0]),
        finals(s, "b", [3.0, 3.0, 1.0, 1.0, 1.0, 1.0]),
    ]
    grouped = cells(finals=tables).groups
    arguments = {"numerator": "a", "denominator": "b", "settings": [r, s], "tuning": 2}
    found = read_from(Cells(grouped, (4, 6)), "ratio of regret", arguments)
    assert (found.value, found.n) == (3.0, 2)  # of the last two trials, a at s and b at r


OF_SPLITS = {"setting": "here", "one": "a", "other": "b", "folds": 2, "repeats": 1}
REGRETS = [
    by_round("here", "a", [[1.0, 4.0, 6.0, 6.0], [1.0, 2.0, 2.0, 4.0]]),
    by_round("here", "b", [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]),
]


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        ("ratio of regret", {**RATIO, "since": 2}, 4.0 / 4.0),
        ("share of regret", {**OF_A, "since": 2}, 4.0 / 10.0),
        ("rate of regret", {**OF_A, "since": 2}, (2.0 + 2.0) / 2.0 / 2.0),
        ("ratio of regret", {**OF_A, "since": 1, "rounds": 4}, 10.0 / 2.0),
        ("exponent of regret", {**OF_A, "since": 1, "rounds": 4}, math.log(5, 4)),
    ],
)
def test_regret_up_to_a_round_and_after_it(name, arguments, value):
    found = measure(name, arguments, regrets=REGRETS)
    assert (found.value, found.n) == (pytest.approx(value), 2)


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        # Of rounds 1, 2 and 4 the last up to 3 is the second.
        ("exponent of regret", {**OF_A, "since": 3, "rounds": 4}, math.log(10 / 6, 2)),
        ("rate of regret", {**OF_A, "since": 3}, (2.0 + 2.0) / 2.0 / 2.0),
        (
            "difference of regret",
            {**OF_SPLITS, "since": 1, "rounds": 3},
            (3.0 + 1.0) / 2.0 - 1.0,
        ),
    ],
)
def test_rounds_that_were_not_recorded_are_not_counted_as_played(name, arguments, value):
    found = measure(name, arguments, regrets=[f[f["round"] != 3] for f in REGRETS])
    assert found.value == pytest.approx(value)


def test_two_rounds_that_were_recorded_as_one_are_missing():
    few = [f[f["round"].isin([1, 4])] for f in REGRETS]
    ends = {"since": 2, "rounds": 3}
    for name, own in (("exponent of regret", OF_A), ("difference of regret", OF_SPLITS)):
        assert "a recorded round after 2" in missing(name, own | ends, regrets=few)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("share of regret", {**OF_A, "since": 4}),
        ("ratio of regret", {**RATIO, "since": 4}),
        ("ratio of regret", {**OF_A, "since": 1, "rounds": 5}),
    ],
)
def test_what_lies_beyond_the_last_round_is_missing_and_not_nothing(name, arguments):
    assert missing(name, arguments, regrets=REGRETS) == "round 5 in trials of 4 rounds"


def test_a_difference_needs_a_span_of_rounds():
    assert "since is 3" in refused("difference of regret", {**OF_SPLITS, "since": 3, "rounds": 3})
    assert "since is 4" in refused("ratio of regret", {**OF_A, "since": 4, "rounds": 4})
    assert "'rounds': 'all'" in refused("ratio of regret", {**OF_A, "since": 4, "rounds": "all"})


# Splits.


def test_differences_over_splits_are_of_their_means():
    # Six trials of three splits: trials 0 and 3 are split 0. Two rounds count.
    regrets = [
        by_round("here", "a", [[0.0, 1.0, 5.0]] * 3 + [[0.0, 1.0, 9.0]] * 3),
        by_round("here", "b", [[0.0, 1.0, 3.0]] * 4 + [[0.0, 1.0, 1.0]] * 2),
    ]
    arguments = {"setting": "here", "one": "a", "other": "b", "since": 1, "rounds": 3}
    found = measure(
        "difference of regret", {**arguments, "folds": 3, "repeats": 1}, regrets=regrets
    )
    # Differences per round 1, 1, 1, 3, 4, 4; over splits 2, 2.5, 2.5.
    assert found.values.tolist() == pytest.approx([2.0, 2.5, 2.5])
    assert found.extra == 0.5
    whole = {**arguments, "since": 0, "folds": 3, "repeats": 2}
    found = measure("difference of regret", whole, regrets=regrets)
    assert found.n == 6
    assert found.value == pytest.approx((2.0 * 3 + 6.0 + 8.0 * 2) / 6.0 / 3.0)


def test_growth_over_splits():
    table = finals("here", "a", [4.0, 6.0, 8.0, 2.0], regret_half=[2.0, 2.0, 2.0, 2.0])
    arguments = {**OF_A, "folds": 2, "repeats": 1}
    found = measure("ratio of regret", arguments, finals=table)
    assert (found.top.tolist(), found.extra) == ([6.0, 4.0], 1.0)
    assert metric("regret", "ratio", arguments).units == "splits"


# Regret in several settings.


def test_a_curvature_is_of_three_settings():
    over = {"algorithm": "a", "column": "m", "settings": ["r", "s"]}
    assert "settings has 2 names; allowed: 3" in refused("curvature of column", over)


@pytest.mark.parametrize(
    ("name", "arguments", "cells"),
    [
        ("ratio of regret", RATIO, [("here", "a"), ("here", "b")]),
        ("ratio of regret", {**OF_A, "base": "there"}, [("here", "a"), ("there", "a")]),
        (
            "ratio of regret",
            {**OF_A, "base": "there", "other": "b"},
            [("here", "a"), ("there", "b")],
        ),
        (
            "growth of regret",
            {**RATIO, "base": "there"},
            [("here", "a"), ("here", "b"), ("there", "a"), ("there", "b")],
        ),
        (
            "slope of regret",
            {"numerator": "a", "denominator": "b", "settings": ["r", "s"], "points": [1, 2]},
            [("r", "a"), ("s", "a"), ("r", "b"), ("s", "b")],
        ),
        (
            "difference of regret",
            {"worse": "a", "better": "b", "scale": "c", "setting": "r", "base": "s"},
            [("r", "a"), ("r", "b"), ("r", "c"), ("s", "a"), ("s", "b"), ("s", "c")],
        ),
    ],
)
def test_cells_are_known_before_anything_runs_and_are_those_that_are_asked_for(
    name, arguments, cells
):
    statistic, quantity = name.split(" of ")
    expected = [("regret", *cell) for cell in cells]
    assert metric(quantity, statistic, arguments).needed(arguments) == expected
    if statistic == "ratio" and "base" in arguments:
        tables = [finals(*cell, [float(i + 1)]) for i, cell in enumerate(cells)]
        assert measure(name, arguments, finals=tables).value == 0.5


def test_facts_and_studies_need_no_cells():
    for name, arguments in (
        ("value of fact", {"name": "x", "setting": "here"}),
        ("mean of watched", {**OF_STUDY, "setting": "here", "column": "m"}),
        ("slope of pass_time", {**OF_A, "smallest": 10}),
    ):
        statistic, quantity = name.split(" of ")
        assert metric(quantity, statistic, arguments).needed(arguments) == []


HORIZONS = [
    finals(f"t[horizon={T}]", "a", [1.0 * T**0.7, 3.0 * T**0.7]).assign(round=T)
    for T in (10, 100, 1000)
]
ENDS = ["t[horizon=10]", "t[horizon=1000]"]
SETTINGS = ["t[horizon=10]", "t[horizon=100]", "t[horizon=1000]"]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("exponent of regret", ENDS),
        ("median_exponent of regret", ENDS),
        ("slope of regret", SETTINGS),
    ],
)
def test_exponents_and_slopes_against_rounds_facts_and_numbers(name, settings):
    table = pd.DataFrame(
        [("size", s, T) for s, T in zip(SETTINGS, (1e2, 1e4, 1e6), strict=True)],
        columns=["name", "setting", "value"],
    )
    numbers = [1.0, 10.0, 100.0] if len(settings) == 3 else [1.0, 100.0]
    for points, exponent in (("rounds", 0.7), ("size", 0.35), (numbers, 0.7)):
        arguments = {"algorithm": "a", "settings": settings, "points": points}
        found = measure(name, arguments, finals=HORIZONS, facts=table)
        assert (found.value, found.n) == (pytest.approx(exponent), 2)
    absent = {"algorithm": "a", "settings": settings, "points": "depth"}
    reason = missing(name, absent, finals=HORIZONS, facts=table)
    assert reason.startswith("depth of t[horizon=10] in facts")
    assert "points has 1 numbers; allowed: " in refused(name, {**absent, "points": [1.0]})


def test_settings_of_one_length_have_no_exponent():
    short = [table.assign(round=10) for table in HORIZONS]
    arguments = {"algorithm": "a", "settings": ENDS, "points": "rounds"}
    found = measure("exponent of regret", arguments, finals=short)
    assert math.isnan(found.value)
    assert found.p_values(0.5) == (1.0, 1.0)


def test_late_regret_starts_after_one_round_for_each_setting():
    arguments = {"algorithm": "a", "settings": ["r", "s", "t"], "points": [1, 4, 16]}
    assert "since has 2 numbers" in refused("slope of regret", {**arguments, "since": [1, 2]})


# Records.


def test_coverage_is_pooled_over_settings():
    tables = [
        finals("here", "a", [0.0] * 3, covered=[True, True, False]),
        finals("there", "a", [0.0] * 7, covered=[True] * 7),
    ]
    arguments = {"algorithm": "a", "settings": ["here", "there"]}
    found = measure("share of coverage", arguments, finals=tables)
    assert (found.value, found.n) == (0.9, 10)
    # Clopper-Pearson for 9 of 10: 0.5550 to 0.9975.
    assert found.pieces(0.95)[0] == pytest.approx((0.5550, 0.9975), abs=1e-4)
    nothing = finals("here", "a", [0.0] * 3, covered=[None] * 3)
    reason = missing("share of coverage", {"algorithm": "a", "settings": ["here"]}, finals=nothing)
    assert reason == "here/a (regret lane, no column covered)"


# Times.

TIMINGS = [
    together("here", "a", [[1.0, 2.0, 4.0, 8.0], [1.0, 2.0, 4.0, 16.0], [1.0, 1.0, 1.0, 1.0]]),
    together("here", "b", [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]),
]


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        ("ratio of time", RATIO, math.sqrt(2.0 * 4.0)),
        ("growth of time", {**RATIO, "rounds": 4, "since": 3}, math.sqrt(8.0) / (4.0 / 3.0)),
        ("growth of time", {**RATIO, "rounds": 4, "since": 2.5}, math.sqrt(8.0) / (3.0 / 2.5)),
    ],
)
def test_ratios_of_times_are_geometric_means_over_common_turns(name, arguments, value):
    found = measure(name, arguments, times=TIMINGS)
    assert (found.value, found.n) == (pytest.approx(value), 2)


def test_time_beyond_the_last_round_is_missing():
    reason = missing("growth of time", {**RATIO, "rounds": 5, "since": 1}, times=TIMINGS)
    assert reason == "round 5 in trials of 4 rounds"


ALONE = [times("here", x, [[1.0, 2.0]] * 5) for x in "ab"]
APART = [times("here", x, [[1.0, 2.0]] * 5, turns=x) for x in "ab"]
HALF = [times("here", "a", [[1.0, 2.0]] * 5), together("here", "b", [[1.0, 2.0]] * 5)]


@pytest.mark.parametrize("tables", [ALONE, APART, HALF], ids=["alone", "apart", "half"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ratio of time", RATIO),
        ("growth of time", {**RATIO, "rounds": 2, "since": 1}),
        ("slope of time", RATIO),
        (
            "slope of time",
            {"numerator": "a", "denominator": "b", "settings": ["here"], "points": [1.0]},
        ),
    ],
)
def test_cells_that_were_not_timed_in_turns_together_have_no_ratio(name, arguments, tables):
    reason = missing(name, arguments, times=tables)
    assert reason == "common turns of here/a, here/b: they were not timed in turns together"


# Facts and studies.


def test_facts_are_exact_and_say_how_many_trials_they_come_from():
    table = pd.DataFrame(
        [("area", "a", 2.0, 1.0), ("area", "b", 8.0, np.nan)],
        columns=["name", "setting", "value", "trials"],
    )
    assert measure("value of fact", {"name": "area", "setting": "a"}, facts=table) == Exact(2.0, 1)
    assert measure("value of fact", {"name": "area", "setting": "b"}, facts=table) == Exact(
        8.0, None
    )
    plain = table.drop(columns="trials")
    assert measure("value of fact", {"name": "area", "setting": "a"}, facts=plain) == Exact(
        2.0, None
    )
    absent = {"name": "area", "setting": "d"}
    assert missing("value of fact", absent, facts=table) == "area of d in facts"


def watched(setting, m, d, status="ok"):
    """A table of a study: rounds 1, 2 and 4 of trials with two columns."""
    return pd.concat(
        pd.DataFrame({"round": [1, 2, 4], "m": m[i], "d": d[i], "trial": i, "status": status})
        for i in range(len(m))
    ).assign(setting=setting, algorithm="a")


OF_STUDY = {"study": "sketch", "algorithm": "a"}
WATCHED = pd.concat(
    [
        watched("r", [[1.0, 2.0, 4.0], [9.0, 2.0, 8.0]], [[1.0, 2.0, 2.0], [1.0, 2.0, 2.0]]),
        watched("s", [[1.0, 8.0, 8.0], [1.0, 16.0, 16.0]], [[1.0, 2.0, 8.0], [1.0, 2.0, 8.0]]),
        watched("t", [[99.0] * 3], [[99.0] * 3], status="timeout"),
    ]
)


def test_watched_trials_must_be_complete_and_have_the_column():
    for column, setting in (("m", "t"), ("other", "r")):
        arguments = {**OF_STUDY, "setting": setting, "column": column}
        reason = missing("mean of watched", arguments, sketch=WATCHED)
        assert reason == f"{column} of {setting}, a in sketch"
    # Round 3 was not recorded: from 2 on, as with 2.
    between = {**OF_STUDY, "setting": "r", "column": "m", "against": "d", "since": 3}
    assert measure("exponent of watched", between, sketch=WATCHED).value == 1.5
    beyond = {**OF_STUDY, "setting": "r", "column": "m", "against": "d", "since": 5}
    assert "round 5" in missing("exponent of watched", beyond, sketch=WATCHED)


# Known answers.


SIDES = {"numerator": "a", "denominator": "b"}
A = {"algorithm": "a"}
ACROSS = {"setting": "there", "base": "here"}
GAP = {"worse": "a", "better": "b", "scale": "c", **ACROSS}
PLACES = [
    *(finals("here", x, v) for x, v in (("a", [2.0, 4.0]), ("b", [1.0, 2.0]), ("c", [10.0] * 2))),
    *(finals("there", x, v) for x, v in (("a", [6.0, 12.0]), ("b", [1.0, 2.0]), ("c", [20.0] * 2))),
]
HORIZONS_B = [*HORIZONS, *(f.assign(algorithm="b", regret=f["round"] ** 0.5) for f in HORIZONS)]
BY_ROUNDS = {**SIDES, "settings": SETTINGS, "points": "rounds"}
# After round 1, 2 and 4 of 2, 4 and 16: 1, 4 and 16.
LATE = [
    by_round("r", "a", [[5.0, 6.0]]),
    by_round("s", "a", [[5.0, 5.0, 7.0, 9.0]]),
    by_round("t", "a", [[5.0] * 4 + [9.0] * 11 + [21.0]]),
]
T_OVER_R = {"setting": "t", "base": "r"}
RST = {"settings": ["r", "s", "t"]}
R_AND_S = {"settings": ["r", "s"], "points": [3, 12]}
SINCE = {**A, **RST, "points": [1, 4, 16], "since": [1, 2, 4]}
FEW = pd.DataFrame({"round": [1, 492, 1000, 2000], "trial": 0, "status": "ok"})
FEW = FEW.assign(regret=FEW["round"] ** 0.5, setting="here", algorithm="a")
# Ratios 0.5, 15 and 4 of three pairs.
PAIRS = [finals("here", "a", [1.0, 30.0, 4.0, 9.0]), finals("here", "b", [2.0, 2.0, 1.0])]
SPREADS = [finals("here", "a", [0.0, 4.0, 8.0, 99.0]), finals("here", "b", [1.0, 2.0, 3.0])]
VALUES = [finals(x, "a", [v]) for x, v in (("r", 1.0), ("s", 3.0), ("t", 0.0))]
VALUES += [finals(x, "b", [2.0]) for x in "rst"]
COUNTS = {"r": [1.0, 2.0], "s": [2.0, 4.0], "t": [8.0, 16.0]}
COUNTED = [finals(x, "a", [1.0, 1.0], m=m) for x, m in COUNTS.items()]
U_V = finals("here", "a", [1.0] * 3, u=[1.0, 6.0, 2.0], v=[2.0, 3.0, 4.0])
# Largest quotients of 2 and of 8 where the setting is four times as large.
QUOTIENTS = pd.concat(
    [
        finals("r", "a", [1.0] * 3, u=[1.0, 6.0, 2.0], v=[2.0, 3.0, 4.0]),
        finals("s", "a", [1.0] * 2, u=[8.0, 9.0], v=[1.0, 3.0]),
    ]
)
# Regret after round 8 is 0.9 %, 1 % and half of the whole.
FOUND = pd.concat(
    finals("here", "a", regrets).assign(round=t)
    for t, regrets in ((8, [99.1, 99.0, 50.0]), (100, [100.0] * 3))
)
WARM = finals("here", "a", [1.0] * 2, warm_up_rounds=[20, 30])
MIDWAY = finals("here", "a", [3.0, 5.0], regret_half=[2.0, 2.0])
ROUNDS = np.arange(1, 301)
GROWING = times("here", "a", [ROUNDS], state_bytes=100 * ROUNDS)
FLAT = times("here", "a", [[1.0, 2.0, 3.0]], state_bytes=496)
SIZES = [times(x, "a", [[1.0, 2.0]] * 3, state_bytes=[7, 4 * k]) for x, k in (("r", 1), ("s", 8))]
SIZES.append(times("r", "b", [[1.0, 2.0]] * 2, state_bytes=[7, 2]))
ONE_FOUR = {**A, "settings": ["r", "s"], "points": [1.0, 4.0]}
PROBE = times("here", "a", [[1.0, 2.0], [1.0, 2.0]], selections=[1, 4], agreements=[1, 3])
SECONDS = together("here", "a", [[1.0, 10.0], [1.0, 20.0], [1.0, 40.0]])
FAR = [
    *(together(x, "a", [[2.0 * k], [3.0 * k]]) for x, k in (("here", 1), ("there", 2), ("far", 4))),
    *(together(x, "b", [[k], [k]]) for x, k in (("here", 1.0), ("there", 4.0), ("far", 16.0))),
]
PLACE = {"settings": ["here", "there", "far"], "points": [1.0, 2.0, 4.0]}
SWAPPED = {"numerator": "b", "denominator": "a", **PLACE}
# Rounds 1 to 7; the first, slow one is omitted; then 1, 1, 2, 2, 3, 3 seconds a round.
THIRDS = together("here", "a", [[50, 51, 52, 54, 56, 59, 62]] * 2)
SQUARE = [together("here", "a", [ROUNDS**2, ROUNDS**2]), together("here", "b", [ROUNDS] * 3)]
PARTS = pd.DataFrame(
    [(d, "one", i, (i + 1.0) * max(d, 50) ** 3) for d in (5, 10, 50, 100, 400) for i in range(5)],
    columns=["dimension", "part", "repetition", "seconds"],
)
PART = {"part": "one", "smallest": 50}
M_OF_R = {**OF_STUDY, "setting": "r", "column": "m"}
ON_D = {**OF_STUDY, "column": "m", "against": "d"}
KNOWN = [
    ("median of regret", RATIO, {"finals": PAIRS}, 4.0, 3),
    ("spread of regret", RATIO, {"finals": SPREADS}, 4.0, 3),
    ("ratio of regret", OF_A, {"finals": MIDWAY}, 2, 2),
    ("ratio of regret", {**A, **ACROSS}, {"finals": PLACES}, 3.0, 2),
    ("ratio of regret", {**A, "other": "b", **ACROSS}, {"finals": PLACES}, 6, 2),
    ("growth of regret", {**SIDES, **ACROSS}, {"finals": PLACES}, 3.0, 2),
    ("difference of regret", GAP, {"finals": PLACES}, 7.5 / 20.0 - 1.5 / 10.0, 2),
    ("slope of regret", BY_ROUNDS, {"finals": HORIZONS_B}, 0.2, 2),
    ("slope of regret", SINCE, {"regrets": LATE}, 1.0, 1),
    ("exponent of regret", {**OF_A, "since": 500, "rounds": 2000}, {"regrets": FEW}, 0.5, 1),
    ("share of regret", {**SIDES, **RST, "bound": 1.0}, {"finals": VALUES}, 2 / 3, 3),
    ("rate of column", {**OF_A, "column": "warm_up_rounds"}, {"finals": WARM}, 0.25, 2),
    ("largest of column", {**OF_A, "column": "u"}, {"finals": U_V}, 6.0, 3),
    ("largest of quotient", {**OF_A, "top": "u", "bottom": "v"}, {"finals": U_V}, 2.0, 3),
    ("slope of quotient", {**A, **R_AND_S, "top": "u", "bottom": "v"}, {"finals": QUOTIENTS}, 1, 2),
    ("found of regret", {**OF_A, "since": 8}, {"regrets": FOUND}, 1 / 3, 3),
    ("ratio of column", {**A, **T_OVER_R, "column": "m"}, {"finals": COUNTED}, 8.0, 2),
    # Logarithms to base two: 0, 1, 3.
    ("curvature of column", {**A, **RST, "column": "m"}, {"finals": COUNTED}, math.log(2.0), 2),
    ("slope of state", OF_A, {"times": GROWING}, 1, 1),
    ("ratio of state", OF_A, {"times": GROWING}, 300, 1),
    ("slope of state", OF_A, {"times": FLAT}, 0, 1),
    ("ratio of state", OF_A, {"times": FLAT}, 1, 1),
    ("slope of state", ONE_FOUR, {"times": SIZES}, 1.5, 3),
    ("ratio of state", {**RATIO, "setting": "r"}, {"times": SIZES}, 2.0, 2),
    ("share of agreement", OF_A, {"times": PROBE}, 0.75, 2),
    ("mean of time", OF_A, {"times": SECONDS}, 20.0, 3),
    ("ratio of time", {**A, **ACROSS}, {"times": FAR}, 2.0, 2),
    ("ratio of time", {**A, "settings": ["here", "there"]}, {"times": FAR}, 0.5, 2),
    ("slope of time", {**A, **PLACE}, {"times": FAR}, 1.0, 2),
    ("slope of time", SWAPPED, {"times": FAR}, 1.0, 2),
    ("ratio of time", OF_A, {"times": THIRDS}, 3.0, 2),
    ("slope of time", OF_A, {"times": SQUARE}, 1.0, 2),
    ("slope of time", RATIO, {"times": SQUARE}, 1.0, 2),
    ("slope of part_time", PART, {"scaling": PARTS}, 3.0, 5),
    ("mean of watched", M_OF_R, {"sketch": WATCHED}, 6, 2),
    ("median of watched", M_OF_R, {"sketch": WATCHED}, 6, 2),
    ("largest of watched", M_OF_R, {"sketch": WATCHED}, 9, 2),
    ("slope of watched", {**ON_D, "settings": ["r", "s"]}, {"sketch": WATCHED}, 0.5, 2),
    # m grows by 2 and by 4 where d stays: exponents 1 and 2.
    ("exponent of watched", {**ON_D, "setting": "r", "since": 2}, {"sketch": WATCHED}, 1.5, 2),
]


@pytest.mark.parametrize(("name", "arguments", "tables", "value", "n"), KNOWN)
def test_known_answers(name, arguments, tables, value, n):
    found = measure(name, arguments, **tables)
    # Rounds of which few are recorded give a square by a hundredth.
    spare = 0.01 if tables.get("times") is SQUARE else 1e-9
    assert (found.value, found.n) == (pytest.approx(value, abs=spare), n)


STOPPED = together("here", "a", [[1.0, 10.0]], status="timeout")
OTHER = [*FAR[:2], FAR[2].assign(turns="another group")]
ONCE = PARTS.drop(columns="repetition")
LATER = {**OF_A, "algorithm": "c", "since": 2}


@pytest.mark.parametrize(
    ("name", "arguments", "tables", "reason"),
    [
        ("rate of column", {**OF_A, "column": "o"}, {"finals": WARM}, "lane, no column o)"),
        ("share of regret", LATER, {"regrets": REGRETS}, "here/c (regret lane)"),
        ("mean of time", OF_A, {"times": STOPPED}, "no complete trial"),
        ("slope of time", {**A, **PLACE}, {"times": OTHER}, "not timed in turns"),
        ("slope of part_time", {**PART, "part": "two"}, {"scaling": PARTS}, "two in scaling"),
        ("slope of part_time", PART, {"scaling": ONCE}, "repetitions of one"),
    ],
)
def test_what_a_statistic_lacks_is_named(name, arguments, tables, reason):
    assert reason in missing(name, arguments, **tables)


def test_no_fact_or_column_is_described_twice():
    rows = [line.partition(",") for line in wording.TABLE.read_text().splitlines()]
    assert len(wording.WORDS) == len(rows) and all(name and words for name, _, words in rows)


# The table of metrics.


@pytest.mark.parametrize(
    ("written", "edited", "words"),
    [
        (",ratio,numerator", ",ratoi,numerator", "function in metrics.csv, line 15, 'ratoi'"),
        ("ratio,regret time", "ratio,regrett time", "quantity in metrics.csv, line 15,.*'regret'"),
        (",bound,\n", ",bonud,\n", "unknown gate in metrics.csv, line 15, 'bonud'.*'bound'"),
        (",bound,\n", ",,\n", "gate in metrics.csv, line 15, is empty.*regret: bound"),
        (",sign test,", ",sing test,", "unknown least in metrics.csv, line 6, 'sing test'"),
        (",bound,\n", "\n", "fields in metrics.csv, line 15, are too many"),
    ],
)
def test_a_wrong_row_of_the_table_of_metrics_is_named(written, edited, words, tmp_path):
    text = metrics.TABLE.read_text()
    assert written in text
    path = tmp_path / "metrics.csv"
    path.write_text(text.replace(written, edited, 1))
    with pytest.raises(ConfigError, match=words):
        metrics._read(path)
