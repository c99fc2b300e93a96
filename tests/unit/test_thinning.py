"""Thinning of curves: few marks, and the same drawing."""

import numpy as np
import pandas as pd
import pytest

from optimist.panels import figure as figures
from optimist.panels import make_panel
from optimist.panels.rows import rows
from optimist.panels.thinning import FIXED, HEIGHTS, TOLERANCE, thin
from optimist.runs.loop import checkpoints

ROUNDS = np.array(checkpoints(18_000), float)
NAMES = {"gloc": "GLOC", "ecolog": "ECOLog"}
PAPER = {"names": NAMES, "settings": {"here": {}}, "band": 0.95}


def panel(**keys):
    return make_panel(
        {"kind": "regret", "setting": "here", "algorithms": ["gloc", "ecolog"], **keys}
    )


def curve(y, series="gloc", width=0.1, n=10):
    y = np.asarray(y, float)
    return rows("data", setting="here", series=series, x=ROUNDS, y=y, n=n).assign(
        low=y - width * np.abs(y), high=y + width * np.abs(y)
    )


def off(thinned, full, placed=lambda values: values):
    """Return how far the thinned curve is from the full one, as a share of what it covers."""
    heights = placed(full[HEIGHTS].to_numpy())
    drawn = [np.interp(full["x"], thinned["x"], placed(thinned[name])) for name in HEIGHTS]
    return np.nanmax(np.abs(np.transpose(drawn) - heights)) / np.ptp(heights)


def test_a_smooth_curve_keeps_few_marks_and_stays_where_it_was():
    full = curve(np.sqrt(ROUNDS))
    (thinned,) = thin(panel(), [full], NAMES)
    assert FIXED <= len(thinned) < 60 < 250 < len(full)
    assert 0.0 < off(thinned, full) <= TOLERANCE
    assert set(thinned.index) <= set(full.index)
    assert thinned["x"].iloc[[0, -1]].tolist() == [1.0, 18_000.0]


def test_line_and_both_ends_of_the_band_count():
    jump = np.where(ROUNDS > 5000.0, 3.0, 1.0)
    for name in HEIGHTS:
        full = curve(ROUNDS).assign(**{name: ROUNDS * jump})
        (thinned,) = thin(panel(), [full], NAMES)
        assert off(thinned, full) <= TOLERANCE


def test_distances_are_those_on_the_scale_of_the_panel():
    full = curve(1e-3 * ROUNDS**2)
    (thinned,) = thin(panel(scale="log", x_scale="log"), [full], NAMES)
    assert len(thinned) == FIXED  # a power is a line there
    (thinned,) = thin(panel(scale="log"), [full], NAMES)
    assert off(thinned, full, np.log) <= TOLERANCE
    (thinned,) = thin(panel(), [full], NAMES)
    assert off(thinned, full) <= TOLERANCE < off(thinned, full, np.log)


def test_a_band_that_reaches_below_zero_is_drawn_as_before():
    full = curve(np.sqrt(ROUNDS), width=1.5)
    (thinned,) = thin(panel(scale="log"), [full], NAMES)
    assert len(thinned) < 120
    assert (
        off(
            thinned[["x", "y", "y", "high"]].set_axis(["x", *HEIGHTS], axis=1),
            full.assign(low=full["y"]),
            np.log,
        )
        <= 2.0 * TOLERANCE
    )
    (thinned,) = thin(panel(), [full], NAMES)
    seen = [frame.assign(low=frame["low"].clip(lower=0.0)) for frame in (thinned, full)]
    assert off(*seen) <= TOLERANCE


def test_breaks_and_changes_of_the_number_of_trials_stay():
    n = np.where(np.arange(len(ROUNDS)) < 101, 10, 9)
    y = ROUNDS.copy()
    y[40] = np.nan
    (thinned,) = thin(panel(), [curve(y, n=n)], NAMES)
    assert {39, 40, 41, 100, 101} <= set(thinned.index)
    assert set(thinned["n"]) == {9, 10}


def test_what_is_no_curve_and_what_is_nothing_stays():
    note = rows("note", setting="here", series="ecolog", note="missing")
    nothing = curve(np.full(len(ROUNDS), np.nan))
    empty = curve(ROUNDS).iloc[:0]
    pieces = [note, empty, nothing, curve(ROUNDS, "ecolog")]
    found = thin(panel(), pieces, NAMES)
    assert [len(piece) for piece in found] == [1, 0, FIXED, FIXED]
    pd.testing.assert_frame_equal(found[0], note)
    bars = make_panel({"kind": "final_regret", "settings": ["here"], "algorithms": ["gloc"]})
    assert len(thin(bars, [curve(ROUNDS)], NAMES)[0]) == len(ROUNDS)


@pytest.mark.parametrize("seed", range(3))
def test_even_jagged_curves_stay_where_they_were(seed):
    jagged = curve(np.random.default_rng(seed).gamma(2.0, size=len(ROUNDS)))
    (thinned,) = thin(panel(), [jagged], NAMES)
    assert off(thinned, jagged) <= TOLERANCE


def test_the_table_of_a_figure_is_thinned():
    curves = pd.DataFrame(
        {"setting": "here", "algorithm": "gloc", "round": ROUNDS.astype(int), "trials": 10}
    ).assign(mean=np.sqrt(ROUNDS), low=0.9 * np.sqrt(ROUNDS), high=1.1 * np.sqrt(ROUNDS))
    figure = {"title": "One", "panels": [panel().spec]}
    table = figures.tabulate(figure, {"curves": curves}, PAPER)
    assert FIXED <= (table["role"] == "data").sum() < 60
    assert (table["series"] == "ecolog").sum() == 1  # the note that it is missing
