"""Tables of figures and tables of the paper, from small aggregated tables with known answers."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from cells import paper_of

from optimist import figures
from optimist.claims.cells import Cells, Groups
from optimist.claims.metrics.table import metric
from optimist.config.load import load_paper
from optimist.core.errors import ConfigError
from optimist.experiments.cell import Setting
from optimist.figures import figure, table_class
from optimist.figures.curves import per_round
from optimist.figures.models import Figure
from optimist.figures.rows import Tables, display_name
from optimist.figures.studies.accuracy import GROWING, WORST
from optimist.figures.studies.starvation import OVER_TRIALS
from optimist.figures.tables.base import to_markdown
from optimist.plan.figures import PlannedShown
from optimist.plan.trials import PlannedTrials

LOW = {"environment": "glm", "parameters": {"norm": 3}, "problem": {"factor": 0.1}, "horizon": 9}
HIGH = {"environment": "glm", "parameters": {"norm": 5}, "problem": {"factor": 1}, "horizon": 9}
NAMES = {"glb_omd": "GLB-OMD", "gloc": "GLOC", "ofuglb": "OFUGLB"}
PAPER = replace(
    paper_of(
        "toy",
        {"low": LOW, "high": HIGH},
        runs=[{"settings": ["low", "high"], "algorithms": ["glb_omd", "gloc"], "trials": 3}],
        timings=[{"settings": ["low"], "algorithms": ["glb_omd", "gloc"], "trials": 3}],
        method="glb_omd",
        style={"palette": ["#000000"], "methods": {}},
    ),
    band=0.99,
    names=NAMES,
)
KEYS = [
    (lane, setting, algorithm)
    for lane, setting in (("regret", "low"), ("regret", "high"), ("timing", "low"))
    for algorithm in ("glb_omd", "gloc")
]


def trials(setting, algorithm, values, column="regret", **columns):
    about = {"setting": setting, "algorithm": algorithm, "round": 100, "status": "ok"}
    return pd.DataFrame({**about, "trial": range(len(values)), column: values, **columns})


CAPS = dict.fromkeys(("rounds", "trials", "timing_trials"))


def check(paper):
    """Check what a paper shows, as the plan does."""
    only = {"settings": [], "algorithms": [], "figures": []}
    papers, config = {paper.id: paper}, {"caps": CAPS, "only": only}
    plan = SimpleNamespace(papers=papers, config=config, reuses=False, committed=lambda _: {})
    plan.claims, plan.shown = SimpleNamespace(least={}), PlannedShown(plan)
    plan.trials = PlannedTrials(plan)
    plan.shown.check()
    return plan.shown


def make_table(spec):
    return figures.make_table({"title": "One", "caption": "", **spec})


def figure_of(panel):
    return Figure(title="", caption="", panels=[panel])


def tabulate(panel, **tables):
    """Return data rows and note rows of a figure with one panel."""
    table = figure.tabulate(figure_of(panel), tables, PAPER)
    return table[table["role"] == "data"], table[table["role"] == "note"]


@pytest.mark.parametrize(
    ("kind", "last"), [("regret", [4.0, 3.0, 5.0]), ("median_regret", [2.0, 1.0, 8.0])]
)
def test_a_regret_panel_repeats_the_curve_in_the_order_of_its_rounds(kind, last):
    names = ["setting", "algorithm", "round", "mean", "low", "high", "median", "lower", "upper"]
    curves = pd.DataFrame(
        [
            ("low", "gloc", 9, 4.0, 3.0, 5.0, 2.0, 1.0, 8.0),
            ("low", "gloc", 1, 1.0, 0.5, 1.5, 1.0, 0.5, 1.5),
            ("high", "gloc", 1, 70.0, 60.0, 80.0, 70.0, 60.0, 80.0),
        ],
        columns=names,
    ).assign(trials=3)
    finals = trials("low", "gloc", [4.0, 4.0, 4.0])
    panel = {"kind": kind, "setting": "low", "algorithms": ["gloc", "glb_omd"]}
    data, notes = tabulate(panel, curves=curves, finals=finals)
    assert data[["panel", "series", "x", "y", "low", "high", "n"]].to_numpy().tolist() == [
        ["a", "gloc", 1.0, 1.0, 0.5, 1.5, 3.0],
        ["a", "gloc", 9.0, *last, 3.0],
    ]
    assert notes[["series", "note"]].to_numpy().tolist() == [["glb_omd", "missing"]]


def test_final_regret_is_a_mean_with_the_band_of_the_paper_over_the_swept_parameter():
    finals = pd.concat(
        [trials("low", "gloc", [10.0, 12.0, 14.0]), trials("high", "gloc", [7.0, 7.0])]
    )
    panel = {"kind": "final_regret", "over": "norm", "settings": ["low", "high"]}
    data, notes = tabulate({**panel, "algorithms": ["gloc"]}, finals=finals)
    # 99 % quantile of Student's t with 2 degrees of freedom, from a printed table.
    half = 9.925 * 2.0 / np.sqrt(3.0)
    assert data["x"].tolist() == [3.0, 5.0]
    assert data["y"].tolist() == [12.0, 7.0]
    assert data["n"].tolist() == [3.0, 2.0]
    assert data["low"].iloc[0] == pytest.approx(12.0 - half, abs=1e-3)
    assert data["high"].iloc[0] == pytest.approx(12.0 + half, abs=1e-3)
    assert notes.empty


def test_time_is_the_median_of_the_last_rounds_of_complete_trials():
    early = trials("low", "gloc", [0.1, 0.1, 0.1, 0.1], "seconds").assign(round=50)
    last = trials("low", "gloc", [2.0, 8.0, 3.0, 99.0], "seconds")
    last.loc[3, "status"] = "timeout"
    panel = {"kind": "time", "settings": ["low"], "algorithms": ["gloc"]}
    data, notes = tabulate(panel, times=pd.concat([last, early]))
    assert data[["y", "low", "high", "n"]].to_numpy().tolist() == [[3.0, 2.0, 8.0, 3.0]]
    assert notes["note"].tolist() == ["incomplete: 1 of 4 trials timeout"]


@pytest.mark.parametrize(
    ("statuses", "values", "note"),
    [
        (
            ["ok", "failed: singular matrix", "non_finite"],
            [1.0],
            "incomplete: 2 of 3 trials failed, non_finite",
        ),
        (["unconverged", "unconverged", "ok"], [2.0], "unconverged: 2 of 3 trials"),
    ],
)
def test_failed_and_unconverged_trials_are_noted_without_their_messages(statuses, values, note):
    finals = trials("low", "gloc", [1.0, 3.0, 2.0]).assign(status=statuses)
    panel = {"kind": "final_regret", "settings": ["low"], "algorithms": ["gloc"]}
    data, notes = tabulate(panel, finals=finals)
    assert data["y"].tolist() == values
    assert notes["note"].tolist() == [note]


@pytest.mark.parametrize(
    "selections, note",
    [(60, "estimated from 60 of 3000 rounds"), (3000, "timed on another algorithm's history")],
)
def test_solvers_timed_without_playing_get_a_footnote(selections, note):
    times = trials("low", "ofuglb", [50.0], "seconds", selections=selections).assign(round=3000)
    panel = {"kind": "time", "settings": ["low"], "algorithms": ["ofuglb"]}
    table = figure.tabulate(figure_of(panel), {"times": times}, PAPER)
    footnotes = table[table["role"] == "footnote"]
    assert footnotes["note"].tolist() == [note]


def test_coverage_is_a_share_with_an_exact_interval():
    finals = trials("low", "gloc", [1.0] * 10, covered=[True] * 10)
    panel = {"kind": "coverage", "over": "norm", "settings": ["low"], "algorithms": ["gloc"]}
    data, _ = tabulate(panel, finals=finals)
    assert data["y"].tolist() == [1.0]
    # Clopper and Pearson for 10 of 10: the lower end is (alpha / 2)^(1/10), alpha = 0.01.
    assert data["low"].iloc[0] == pytest.approx(0.005**0.1, rel=1e-9)
    assert data["high"].tolist() == [1.0]


def test_a_counter_that_was_not_recorded_is_noted():
    finals = pd.concat(
        [
            trials("low", "gloc", [1.0, 1.0], projections=[4.0, 10.0]),
            trials("low", "ofuglb", [1.0, 1.0]),
        ]
    )
    panel = {"kind": "counter", "column": "projections", "settings": ["low"]}
    data, notes = tabulate({**panel, "algorithms": ["gloc", "ofuglb"]}, finals=finals)
    assert data[["series", "y", "low", "high"]].to_numpy().tolist() == [["gloc", 7.0, 4.0, 10.0]]
    assert notes[["series", "note"]].to_numpy().tolist() == [["ofuglb", "missing"]]


def test_a_tradeoff_needs_both_lanes():
    finals = pd.concat([trials("low", "gloc", [5.0, 7.0]), trials("low", "glb_omd", [1.0, 2.0])])
    times = trials("low", "gloc", [0.2, 0.4, 0.9], "seconds")
    panel = {"kind": "tradeoff", "settings": ["low"], "algorithms": ["gloc", "glb_omd"]}
    data, notes = tabulate(panel, finals=finals, times=times)
    found = data[["series", "x", "y", "n", "time_n"]].to_numpy().tolist()
    assert found == [["gloc", 0.4, 6.0, 2.0, 3.0]]
    assert notes[["series", "note"]].to_numpy().tolist() == [["glb_omd", "missing"]]


def timed(seconds, rounds, algorithm="gloc", trial=0, **columns):
    about = {"setting": "low", "algorithm": algorithm, "trial": trial, "status": "ok"}
    return pd.DataFrame({"round": rounds, "seconds": seconds, **about, **columns})


def test_time_per_round_of_known_totals():
    rounds = np.arange(1, 4001)
    linear = pd.concat(
        [timed(factor * 1e-6 * rounds**2, rounds, trial=i) for i, factor in enumerate((1, 2, 9))]
    )
    t, seconds = per_round(linear)
    # Totals of a t^2 mean a (2 t + 1) in round t + 1; the median trial has a = 2e-6.
    late = t > 100
    np.testing.assert_allclose(seconds[late], 4e-6 * t[late], rtol=0.02)
    assert late.sum() > 8


def test_sampled_facts_are_put_in_the_order_of_their_numbers():
    facts = pd.DataFrame(
        [("lowest_seed_10", "c", 0.3), ("lowest_seed_2", "c", 0.2), ("lowest", "c", 0.9)],
        columns=["name", "setting", "value"],
    )
    panel = {"kind": "facts", "series": [{"fact": "lowest_seed", "label": "lowest"}]}
    data, _ = tabulate(panel, facts=facts)
    assert data[["x", "y"]].to_numpy().tolist() == [[2.0, 0.2], [10.0, 0.3]]


def test_the_outline_of_a_region_encloses_its_area():
    axis = np.linspace(-2.0, 2.0, 201)
    x, y = (grid.ravel() for grid in np.meshgrid(axis, axis))
    disc = pd.DataFrame(
        {"algorithm": "gloc", "round": 50, "x": x, "y": y, "inside": np.hypot(x, y) < 1.0}
    ).assign(theta_x=0.5, theta_y=0.25, norm_bound=1.5, status="ok")
    everything = disc.assign(algorithm="ofuglb", inside=True)
    tables = {
        "regions": pd.concat([disc, everything]),
        "facts": pd.DataFrame({"name": ["region_area"], "setting": ["gloc"], "value": [np.pi]}),
    }
    panel = {"kind": "regions", "algorithms": ["gloc", "ofuglb", "glb_omd"]}
    table = figure.tabulate(figure_of(panel), tables, PAPER)

    def area(algorithm):
        outline = table[(table["role"] == "data") & (table["series"] == algorithm)]
        a, b = outline["x"].to_numpy(), outline["y"].to_numpy()
        return abs(a @ np.roll(b, 1) - b @ np.roll(a, 1)) / 2.0

    assert area("gloc") == pytest.approx(np.pi, rel=0.02)
    assert area("ofuglb") == pytest.approx(np.pi * 1.5**2, rel=0.02)  # the part within the ball
    assert table.loc[table["role"] == "remark", "note"].tolist() == ["area 3.14"]
    truth = table[table["role"] == "truth"]
    assert truth[["x", "y"]].to_numpy().tolist() == [[0.5, 0.25]]
    assert table.loc[table["role"] == "note", "series"].tolist() == ["glb_omd"]


def test_costs_of_updates_are_medians_with_their_slope():
    d = np.repeat([10, 20, 40, 80], 3)
    scaling = pd.DataFrame({"dimension": d, "part": "projection", "seconds": 1e-6 * d**2})
    scaling.loc[::3, "seconds"] = 9.0  # an outlier of each dimension
    series = [{"part": "projection", "label": "projection"}]
    table = figure.tabulate(
        figure_of({"kind": "scaling", "series": series}), {"scaling": scaling}, PAPER
    )
    data = table[table["role"] == "data"]
    np.testing.assert_allclose(data["y"], 1e-6 * data["x"] ** 2)
    assert table.loc[table["role"] == "remark", "note"].str.startswith("slope 2.00 [").all()


def test_a_speed_table_or_a_watched_series_that_nothing_makes_is_refused():
    paper = load_paper("hvt_ucb")
    speed = {**paper.tables["speed"], "algorithms": ["hvt_ucb", "menu"]}
    wrong = replace(paper, tables={**paper.tables, "speed": speed})
    with pytest.raises(ConfigError, match=r"table speed: no race of timings has .*'menu'"):
        check(wrong)
    panel = {"kind": "lemmas", "series": [{"setting": "gaussian", "label": "none"}]}
    coverage = {**paper.figures["coverage"], "panels": [panel]}
    wrong = replace(paper, figures={**paper.figures, "coverage": coverage})
    with pytest.raises(
        ConfigError, match=r"coverage, panel a: unknown setting of lemmas 'gaussian'"
    ):
        check(wrong)


def test_a_slow_solver_is_shown_from_its_second_timed_round_on():
    rounds = np.arange(1, 101)
    # Asked in every twentieth round from the tenth on, which pays for those before it and more.
    asked = (rounds + 10) // 20
    seconds = np.where(asked > 0, 0.1 * rounds + 7.0, 1e-6 * rounds)
    times = timed(seconds, rounds, "gloc", selections=asked)
    panel = {"kind": "time_per_round", "setting": "low", "algorithms": ["gloc"]}
    data, _ = tabulate(panel, times=times)
    assert data["y"].to_numpy() == pytest.approx(0.1)
    assert data["x"].min() > 30


def test_measured_slopes_stand_beside_the_theory():
    rounds = np.arange(1, 3001)
    # A fixed cost hides the growth before round 250, which the last decade leaves out.
    refit = np.cumsum(1e-6 * np.maximum(rounds, 250))
    times = pd.concat(
        [
            timed(refit, rounds, "gloc", state_bytes=80 * rounds),
            timed(1e-5 * rounds, rounds, "glb_omd", state_bytes=640),
        ]
    )
    words = {"regret": "√T", "time": "t", "memory": "t", "efficient": False}
    rows = [
        {"method": "GLOC", "algorithm": "gloc", **words},
        {"method": "GLB-OMD", "algorithm": "glb_omd", **words},
        {"method": "other", **words},
    ]
    spec = {"kind": "theory", "settings": ["low"], "rows": rows}
    table = make_table(spec).frame(Tables({"times": times}, PAPER, KEYS)).set_index("method")
    assert table["time_slope"].tolist() == pytest.approx([1.0, 0.0, np.nan], abs=0.01, nan_ok=True)
    assert table["memory_slope"].tolist() == pytest.approx([1.0, 0.0, np.nan], nan_ok=True)
    assert table["median_seconds"].tolist() == pytest.approx([4.532625, 0.03, np.nan], nan_ok=True)
    assert table["median_state_bytes"].tolist() == pytest.approx(
        [240_000, 640, np.nan], nan_ok=True
    )
    assert table.loc["other", "note"] == "not run"


def test_the_tables_and_the_claims_agree_on_the_slope_of_time():
    rng = np.random.default_rng(3)
    rounds = np.unique(np.geomspace(1, 3000, 300).astype(int))
    steps = np.diff(rounds, prepend=0) * rng.exponential(1.0, (3, len(rounds)))
    state = 80 * rounds + 1000
    times = pd.concat(
        timed(seconds, rounds, trial=trial, state_bytes=state)
        for trial, seconds in enumerate(np.cumsum(steps, axis=1))
    )
    words = {"regret": "", "time": "t", "memory": "t", "efficient": False}
    spec = {"settings": ["low"], "rows": [{"method": "GLOC", "algorithm": "gloc", **words}]}
    row = (
        make_table({"kind": "theory", **spec}).frame(Tables({"times": times}, PAPER, KEYS)).iloc[0]
    )
    about = {"algorithm": "gloc", "setting": "low"}
    cells = Cells(Groups({"times": times}))
    time, state = (metric(one, "slope", about)(cells, **about) for one in ("time", "state"))
    names = ["time_slope", "time_slope_low95", "time_slope_high95", "memory_slope"]
    expected = [time.value, *time.pieces(0.95)[0], state.value]
    assert row[names].tolist() == pytest.approx(expected, abs=1e-8)
    assert (row["time_slope_high95"] - row["time_slope_low95"]) > 0.01


def test_the_table_of_final_regret_counts_statuses_and_names_missing_cells():
    finals = trials("low", "glb_omd", [10.0, 12.0, 14.0, 0.0])
    finals["status"] = ["ok", "ok", "unconverged", "failed: boom"]
    spec = {"kind": "final_regret", "extremes": True}
    table = make_table(spec).frame(Tables({"finals": finals}, PAPER, KEYS))
    row = table.iloc[0]
    assert (row["mean_regret"], row["trials"]) == (12.0, 3)
    assert (row["median_regret"], row["largest_regret"]) == (12.0, 14.0)
    assert row["statuses"] == "failed 1, ok 2, unconverged 1"
    # 95 % quantile of Student's t with 2 degrees of freedom, from a printed table.
    assert row["mean_regret_high95"] == pytest.approx(12.0 + 4.303 * 2.0 / np.sqrt(3.0), abs=1e-3)
    assert table["statuses"].tolist()[1:] == ["missing"] * 3
    assert table["mean_regret"].isna().tolist() == [False, True, True, True]


def test_tables_of_cells_are_sorted_by_setting_then_by_regret_and_gaps_come_last():
    finals = [trials("high", "gloc", [3.0, 5.0]), trials("high", "glb_omd", [9.0, 9.0])]
    finals.append(trials("low", "gloc", [7.0, 7.0]))
    table = make_table({"kind": "final_regret"}).frame(
        Tables({"finals": pd.concat(finals)}, PAPER, KEYS)
    )
    order = (table["setting"] + "/" + table["algorithm"]).tolist()
    assert order == ["low/gloc", "low/glb_omd", "high/gloc", "high/glb_omd"]


def test_the_document_of_a_table_has_its_title_caption_levels_and_meanings():
    spec = {"kind": "final_regret", "title": "All cells", "caption": "Means."}
    table = make_table(spec)
    finals = trials("low", "gloc", [7.0, 9.0])
    text = table.document(table.frame(Tables({"finals": finals}, PAPER, KEYS)))
    assert text.startswith("# All cells\n\nMeans.\n\n| setting | algorithm | method | rounds |")
    assert "Numbers in brackets are the ends of 95 % intervals." in text
    assert "- `mean_regret`: mean of the regret at the end\n" in text
    assert "low95" not in text


def test_the_table_of_run_times_is_of_the_timing_lane_and_adds_medians_of_other_columns():
    times = trials("low", "glb_omd", [2.0, 8.0, 3.0], "seconds").assign(inducing=[5, 9, 7])
    spec = {"kind": "run_time", "group": "paper", "also": ["inducing", "rank"]}
    table = make_table(spec).frame(Tables({"times": times}, PAPER, KEYS))
    assert table["algorithm"].tolist() == ["glb_omd", "gloc"]
    assert table["note"].tolist() == ["", ""]
    numbers = ["median_seconds", "fastest_seconds", "slowest_seconds", "inducing"]
    assert table[numbers].iloc[0].tolist() == [3.0, 2.0, 8.0, 7.0]
    assert np.isnan(table["inducing"].iloc[1]) and table["rank"].isna().all()


def test_regret_is_relative_to_the_base_and_its_absence_is_noted():
    panel = {"kind": "relative_regret", "setting": "low", "algorithms": ["gloc"], "base": "glb_omd"}
    rounds = {"round": [1, 10], "trials": 3, "setting": "low", "lower": 0, "median": 0, "upper": 0}
    base = pd.DataFrame(
        {"algorithm": "glb_omd", "mean": [2.0, 8.0], "low": 0.0, "high": 9.0} | rounds
    )
    own = pd.DataFrame(
        {"algorithm": "gloc", "mean": [1.0, 2.0], "low": [0.5, 1], "high": [3, 4]} | rounds
    )
    runs = pd.concat([trials("low", name, [8.0, 8.0]) for name in ("glb_omd", "gloc")])
    data, notes = tabulate(panel, curves=pd.concat([base, own]), finals=runs)
    assert data["y"].tolist() == [0.5, 0.25]
    assert data["high"].tolist() == [1.5, 0.5]
    assert notes.empty
    _, notes = tabulate(panel, curves=own, finals=runs[runs["algorithm"] == "gloc"])
    assert notes["series"].tolist() == ["glb_omd"]
    assert notes["note"].str.startswith("missing").all()


def test_the_table_of_a_study_has_a_row_for_each_subject_of_its_facts():
    facts = pd.DataFrame(
        [
            *(("accuracy_ratio_low", "s/bkb", 0.9), ("accuracy_ratio_high", "s/bkb", 1.1)),
            *(("accuracy_ratio_low", "t/bkb", 0.8), ("accuracy_ratio_high", "t/bkb", 1.2)),
            ("other_facts", "s", 3.0),
        ],
        columns=["name", "setting", "value"],
    )
    table = make_table({"kind": "accuracy"}).frame(Tables({"facts": facts}, PAPER))
    rows = {"setting": ["s/bkb", "t/bkb"], "ratio_low": [0.9, 0.8], "ratio_high": [1.1, 1.2]}
    assert table.to_dict("list") == rows
    # No column `ratio`: these are not the ends of its interval.
    assert "| setting | ratio_low | ratio_high |" in to_markdown(table)
    assert make_table({"kind": "accuracy"}).frame(Tables({}, PAPER)).empty


def test_every_fact_of_a_table_has_a_meaning():
    growing = {f"growth_{name}" for name in (*GROWING, "share")}
    facts = {*WORST, "effective_alpha", *growing}
    assert set(table_class("accuracy").meanings) == {"setting", *facts}
    assert set(table_class("starvation").meanings) == {"setting", *OVER_TRIALS}


def test_markdown_joins_a_value_and_its_interval():
    interval = {"v_low95": [-0.00123, np.nan], "v_high95": [12345.6, np.nan]}
    frame = pd.DataFrame({"a": ["x|y", None], "v": [12.3456, np.nan], **interval})
    frame = frame.assign(good=[True, False], n=[10, 0])
    assert to_markdown(frame) == (
        "| a | v | good | n |\n"
        "| --- | --- | --- | --- |\n"
        "| x\\|y | 12.3 [-0.00123, 12346] | yes | 10 |\n"
        "|  |  | no | 0 |\n"
    )


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("ofuglb", "OFUGLB"),
        ("ofuglb[solver=slsqp,history=aggregated]", "OFUGLB (aggregated, slsqp)"),
        ("ofuglb[prune=false]", "OFUGLB (prune=false)"),
    ],
)
def test_names_of_variants(label, name):
    assert display_name(label, PAPER.names) == name


def test_final_medians_over_the_horizon():
    finals = pd.concat(
        [trials("low", "gloc", [1.0, 2.0, 3.0, 4.0, 90.0]), trials("high", "gloc", [7.0])]
    )
    found = {"low": LOW | {"horizon": 10}, "high": HIGH | {"horizon": 1000}}
    panel = {"kind": "final_median_regret", "over": "horizon", "settings": ["low", "high"]}
    panel |= {"algorithms": ["gloc"], "slopes": [{"series": "gloc", "power": 3, "label": "cubic"}]}
    paper = PAPER.with_settings(Setting.restore("toy", *one) for one in found.items())
    table = figure.tabulate(figure_of(panel), {"finals": finals}, paper)
    data = table[table["role"] == "data"]
    assert data["x"].tolist() == [10.0, 1000.0]
    assert data[["y", "low", "high"]].iloc[0].tolist() == [3.0, 2.0, 4.0]
    slope = table[table["role"] == "slope"]
    # One line, through the point with the largest x.
    np.testing.assert_allclose(slope[["x", "y"]], [[100.0, 0.007], [1000.0, 7.0]])


def test_means_may_have_bootstrap_bands():
    finals = trials("low", "gloc", [1.0, 1.0, 1.0, 1.0, 500.0])
    panel = {"kind": "final_regret", "settings": ["low"], "algorithms": ["gloc"]}
    lows = []
    for paper in (PAPER, replace(PAPER, interval="bootstrap")):
        table = figure.tabulate(figure_of(panel), {"finals": finals}, paper)
        lows.append(table["low"].iloc[0])
    assert lows[0] == 0.0 < 1.0 <= lows[1]


def recorded(algorithm, *totals):
    """Return timing rows: cumulative seconds of each trial at rounds 1, 2, ..., 100."""
    t = np.arange(1, 101)
    return pd.concat(
        timed(total(t), t, algorithm, k, select_seconds=0.25 * total(100))
        for k, total in enumerate(totals)
    )


def test_elapsed_time_is_the_median_over_trials():
    times = recorded("gloc", lambda t: t * 1.0, lambda t: t * 2.0, lambda t: t * 9.0)
    panel = {"kind": "elapsed", "setting": "low", "algorithms": ["gloc", "ofuglb"]}
    data, notes = tabulate(panel, times=times)
    found = data[data["series"] == "gloc"]
    assert found["y"].tolist() == [2.0 * t for t in found["x"]]
    assert found["x"].iloc[0] == 1 and found["x"].iloc[-1] == 100
    assert set(found["n"]) == {3.0}
    assert notes["note"].tolist() == ["missing"]


def test_the_table_of_speed_has_times_per_round_and_ratios_to_the_papers_method():
    times = pd.concat([recorded("glb_omd", lambda t: 1e-3 * t), recorded("gloc", lambda t: t * t)])
    spec = {"kind": "speed", "settings": ["low"], "algorithms": ["glb_omd", "gloc", "ofuglb"]}
    table = make_table({**spec, "rounds": [40, 100]}).frame(Tables({"times": times}, PAPER, KEYS))
    own, other, absent = table.to_dict("records")
    assert own["ms_at_40"] == pytest.approx(1.0)
    assert own["ratio_in_total"] == 1.0
    # The square grows by 80 a round around round 40, and by 195 over the rounds from 95 to 100.
    assert other["ms_at_40"] == pytest.approx(80e3)
    assert other["ms_at_100"] == pytest.approx(195e3)
    assert other["ratio_at_100"] == pytest.approx(195e3)
    assert other["seconds"] == pytest.approx(1e4)
    assert other["ratio_in_total"] == pytest.approx(1e5)
    # A quarter of either's time goes into selecting.
    assert own["update_seconds"] == pytest.approx(0.075)
    assert other["ratio_of_updates"] == pytest.approx(1e5)
    assert np.isnan(absent["ratio_in_total"])


def test_distances_are_medians_with_their_range_by_setting():
    rows = [("low", k, t, "ok", 10 * t + k) for t in (1, 2) for k in (0, 1, 5)]
    lemmas = pd.DataFrame(rows, columns=["setting", "trial", "round", "status", "distance"])
    series = [{"setting": "low", "label": "small"}, {"setting": "high", "label": "large"}]
    data, notes = tabulate({"kind": "lemmas", "series": series}, lemmas=lemmas)
    found = data[data["series"] == "small"][["x", "y", "low", "high", "n"]].to_numpy().tolist()
    assert found == [[1.0, 11.0, 10.0, 15.0, 3.0], [2.0, 21.0, 20.0, 25.0, 3.0]]
    assert notes[["series", "note"]].to_numpy().tolist() == [["large", "missing"]]
