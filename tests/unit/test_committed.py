"""Tables of all trials that stand beside the figures."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from toy_environments import ROOT

from optimist import sealed
from optimist.errors import ResultError
from optimist.layout import Layout
from optimist.runs import aggregate, committed
from optimist.runs.loop import checkpoints
from optimist.statistics import mean_intervals

HORIZON = 3000
ROUNDS = checkpoints(HORIZON)


def played(setting, algorithm, trials, status="ok", rounds=ROUNDS, **columns):
    """Return recorded rows of some trials; regret is the trial's number plus root of the round."""
    return pd.concat(
        pd.DataFrame({"round": rounds}).assign(
            paper="toy",
            setting=setting,
            algorithm=algorithm,
            trial=trial,
            status=status,
            regret=(trial + 1.0) * np.sqrt(rounds) / 3.0,
            seconds=1e-3 * np.array(rounds) / (trial + 1.0),
            select_seconds=1e-4 * np.array(rounds),
            **columns,
        )
        for trial in trials
    )


REGRET = pd.concat(
    [
        played("there", "gloc", range(3), projections=3, covered=[True] * len(ROUNDS)),
        played("here", "gloc", range(2), projections=5, covered=[False] * len(ROUNDS)),
        played("here", "gloc", [2], "failed: singular, or so", ROUNDS[:40], projections=1),
        played("here", "ecolog", range(45), violations=0.5, state_bytes=12_345_678),
        played("here", "ecolog", [45], "timeout", [0]).assign(regret=None, seconds=None),
    ]
)
TIMING = pd.concat(
    [
        played("here", "gloc", range(2), turns="9f"),
        played("here", "ecolog", range(2), turns="9f"),
        played("there", "gloc", range(2), turns="07"),
        played("there", "gloc[solver=slow]", range(1), selections=60),
    ]
)


def aggregated(folder, regret=REGRET, timing=TIMING):
    """Write the aggregated tables of some rows; return their paths by name."""
    paths = {name: str(folder / f"{name}.parquet") for name in ("finals", "regrets", "times")}
    folder.mkdir(exist_ok=True)
    regret = regret.reset_index(drop=True).astype({"regret": float})
    sealed.write_frame(aggregate.finals(regret), paths["finals"])
    sealed.write_frame(regret[aggregate.REGRETS], paths["regrets"])
    sealed.write_frame(timing.reset_index(drop=True), paths["times"])
    return paths


def written(folder, **rows):
    """Write both tables; return their paths."""
    outputs = folder / "trials.csv", folder / "curves.parquet"
    committed.write(aggregated(folder, **rows), 0.95, "t", *outputs)
    return outputs


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return written(tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="module")
def trials(files):
    return pd.read_csv(files[0])


@pytest.fixture(scope="module")
def curves(files):
    return sealed.read_frame(files[1])


def of(frame, **where):
    for column, value in where.items():
        frame = frame[frame[column] == value]
    return frame


# Trials.


def test_every_trial_of_both_lanes_has_a_row_in_order(trials):
    assert len(trials) == 3 + 3 + 46 + 2 + 2 + 2 + 1
    keys = trials[["lane", "setting", "algorithm", "trial"]]
    assert not keys.duplicated().any()
    pd.testing.assert_frame_equal(keys, keys.sort_values([*keys]), check_like=False)
    assert [*trials][:8] == committed.FIRST[:8]


def test_ends_come_back_with_six_digits(trials):
    back = of(trials, lane="regret", status="ok").set_index(["setting", "algorithm", "trial"])
    exact = REGRET[REGRET["status"] == "ok"].groupby(["setting", "algorithm", "trial"])["regret"]
    exact = exact.last().astype(float).reindex(back.index)
    assert np.allclose(back["regret"], exact, rtol=5e-6, atol=0.0)
    assert not np.allclose(back["regret"], exact, rtol=1e-9, atol=0.0)
    assert (back["rounds"] == HORIZON).all()
    middle = max(t for t in ROUNDS if t <= HORIZON / 2)
    assert np.allclose(back["regret_half"], back["regret"] * np.sqrt(middle / HORIZON), rtol=2e-5)


def test_trials_that_ended_early_are_there_with_their_status(trials):
    failed = of(trials, lane="regret", setting="here", algorithm="gloc", trial=2).iloc[0]
    assert failed["status"] == "failed: singular, or so" and failed["rounds"] == ROUNDS[39]
    late = of(trials, lane="regret", algorithm="ecolog", trial=45).iloc[0]
    assert late["status"] == "timeout" and late["rounds"] == 0 and np.isnan(late["regret"])


def test_times_are_those_of_the_timing_lane_only(trials):
    assert of(trials, lane="regret")[["seconds", "select_seconds", "turns"]].isna().all(axis=None)
    timed = of(trials, lane="timing", setting="here", algorithm="gloc")
    assert timed["seconds"].tolist() == [3.0, 1.5] and timed["select_seconds"].tolist() == [0.3] * 2


def test_cells_that_were_timed_in_turns_share_a_small_number(trials):
    groups = of(trials, lane="timing").groupby(["setting", "algorithm"])["turns"].unique()
    assert groups["here", "gloc"] == groups["here", "ecolog"] == [1.0]
    assert groups["there", "gloc"] == [2.0]
    assert np.isnan(groups["there", "gloc[solver=slow]"]).all()


def test_tables_without_turns_or_without_a_lane_are_written_too(tmp_path):
    csv, _ = written(tmp_path, timing=TIMING.drop(columns="turns"))
    assert "turns" not in pd.read_csv(csv) and "seconds" in pd.read_csv(csv)
    csv, parquet = written(tmp_path, timing=aggregate.load([]))
    assert set(pd.read_csv(csv)["lane"]) == {"regret"} and "seconds" not in pd.read_csv(csv)
    assert sealed.read_frame(parquet)["seconds"].isna().all()
    csv, parquet = written(tmp_path, regret=aggregate.load([]))
    assert set(pd.read_csv(csv)["lane"]) == {"timing"}
    assert set(sealed.read_frame(parquet)["lane"]) == {"timing"}
    csv, parquet = written(tmp_path, regret=aggregate.load([]), timing=aggregate.load([]))
    assert len(sealed.read_frame(parquet)) == 0 and csv.read_text().count("\n") <= 1


def test_counters_and_truths_are_whole_numbers_and_empty_columns_are_left_out(files, trials):
    rows = files[0].read_text().splitlines()
    assert "instance" not in rows[0] and "paper" not in rows[0]
    assert {"covered", "state_bytes", "projections", "violations", "selections"} < {*trials}
    known = of(trials, lane="regret", setting="here", algorithm="gloc", trial=1).iloc[0]
    assert known[["covered", "projections"]].tolist() == [0, 5] and np.isnan(known["violations"])
    ecolog = next(row for row in rows if row.startswith("regret,here,ecolog,0,"))
    assert ",12345678," in ecolog and ecolog.endswith(",0.5")
    assert next(row for row in rows if row.startswith("regret,here,gloc,0,")).count(".") == 2


# Curves.


def test_curves_have_the_recorded_numbers_at_sixty_rounds(curves):
    exact = REGRET.set_index(["setting", "algorithm", "trial", "round"])["regret"].astype(float)
    own = of(curves, lane="regret", curve="trial")
    key = pd.MultiIndex.from_frame(own[["setting", "algorithm", "trial", "round"]])
    assert np.allclose(own["regret"], exact[key], rtol=2.0**-16, atol=0.0)
    rounds = of(own, setting="there", trial=0)["round"].tolist()
    assert 50 <= len(rounds) <= 60 and rounds == sorted(rounds)
    assert own["seconds"].isna().all()
    timed = of(curves, lane="timing", setting="here", algorithm="ecolog", trial=1)
    assert timed["seconds"].iloc[-1] == pytest.approx(1.5, rel=1e-5)
    assert timed["regret"].isna().all()


def test_the_rounds_at_whole_shares_of_the_horizon_are_those_that_metrics_read():
    for horizon in (272, 1000, 3000, 18_000):
        recorded = np.array(checkpoints(horizon))
        chosen = set(committed.shown_rounds(recorded).tolist())
        assert {1, horizon} <= chosen and len(chosen) <= 60
        for share in (0.125, 0.25, 0.5, 0.75, 0.9):
            assert recorded[recorded <= share * horizon].max() in chosen


def test_short_trials_keep_all_their_rounds():
    for rounds in (30, 72, 80):
        assert committed.shown_rounds(np.arange(1, rounds + 1)).tolist() == [*range(1, rounds + 1)]
    assert len(committed.shown_rounds(np.arange(1, 82))) <= 60


def test_forty_trials_of_a_cell_have_curves_and_all_are_in_the_summaries(curves):
    cell = of(curves, lane="regret", setting="here", algorithm="ecolog")
    assert set(of(cell, curve="trial")["trial"]) == {*range(40)}
    assert set(cell["curve"]) == {"trial", *committed.SUMMARIES}
    all_trials = (np.arange(45) + 1.0) * np.sqrt(HORIZON) / 3.0
    mean, low, high = mean_intervals(all_trials[:, None], 0.95, "t")[:, 0]
    quartiles = np.quantile(all_trials, [0.25, 0.5, 0.75])
    last = of(cell, round=HORIZON).set_index("curve")["regret"]
    for name, value in zip(committed.SUMMARIES, [mean, low, high, *quartiles], strict=True):
        assert last[name] == pytest.approx(value, rel=2.0**-16)
    assert cell.loc[cell["curve"] != "trial", "trial"].isna().all()
    assert set(of(curves, setting="there")["curve"]) == {"trial", *committed.SUMMARIES}


def test_a_trial_that_ended_early_has_its_curve_up_to_there(curves):
    failed = of(curves, lane="regret", setting="here", algorithm="gloc", trial=2)
    assert 0 < failed["round"].max() <= ROUNDS[39]
    whole = of(curves, lane="regret", setting="here", algorithm="gloc", trial=1)["round"]
    assert failed["round"].tolist() == [t for t in whole if t <= ROUNDS[39]]


def test_a_cell_of_which_nothing_was_recorded_has_rows_and_no_curve(tmp_path):
    lost = played("there", "ecolog", range(2), "out_of_time", [0])
    lost = lost.assign(regret=None, seconds=None)
    csv, parquet = written(tmp_path, regret=pd.concat([REGRET, lost]))
    rows = of(pd.read_csv(csv), lane="regret", setting="there", algorithm="ecolog")
    assert rows["status"].tolist() == ["out_of_time"] * 2
    assert of(sealed.read_frame(parquet), setting="there", algorithm="ecolog").empty


def test_the_same_rows_in_any_order_give_the_same_bytes(files, tmp_path):
    again = written(
        tmp_path,
        regret=REGRET.sample(frac=1.0, random_state=1),
        timing=TIMING.sample(frac=1.0, random_state=2),
    )
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in files]


def test_curves_take_some_two_bytes_a_number_and_are_sealed(tmp_path):
    cells = [played("here", f"gloc[eta={i}]", range(40)) for i in range(4)]
    noisy = pd.concat(cells, ignore_index=True)
    noisy["regret"] = np.random.default_rng(1).gamma(2.0, size=len(noisy))
    noisy["regret"] = noisy.groupby(["algorithm", "trial"])["regret"].cumsum()
    _, path = written(tmp_path, regret=noisy, timing=aggregate.load([]))
    assert path.stat().st_size < 2.3 * len(sealed.read_frame(path))
    assert [*pq.ParquetFile(path).metadata.metadata] == [sealed.KEY.encode()]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ResultError, match="damaged"):
        sealed.read_frame(path)


# Studies.

STUDIES = {
    "finals": REGRET,
    "passes": pd.DataFrame(
        {"algorithm": "heavy_oful", "length": [10, 20], "seconds": [0.125, 0.25], "passes": [3, 4]}
    ),
    "watched": played("here", "gloc", range(2)).assign(width=1.0 / 3.0, passes=True),
    "facts": pd.DataFrame({"name": ["kappa"], "setting": ["here"], "value": [20.5]}),
}


def test_rows_of_studies_stand_in_one_table_under_their_names(tmp_path):
    committed.write_studies(STUDIES, tmp_path / "studies.parquet")
    found = sealed.read_frame(tmp_path / "studies.parquet")
    assert found["study"].unique().tolist() == ["passes", "watched", "facts"]
    passes = found[found["study"] == "passes"].dropna(axis="columns", how="all")
    assert {*passes} == {"study", "algorithm", "length", "seconds", "passes"}
    assert (found["passes"].dropna().astype(int)).isin([1, 3, 4]).all()
    assert passes["seconds"].tolist() == [0.125, 0.25]
    assert found[found["study"] == "facts"]["value"].tolist() == [20.5]
    watched = found[found["study"] == "watched"]
    assert watched["width"].tolist() == [np.float32(1.0 / 3.0)] * len(watched)
    kept = committed.shown_rounds(STUDIES["watched"]["round"].unique())
    assert len(kept) <= 60 and sorted(watched["round"].unique()) == kept.tolist()


def test_a_paper_without_studies_has_an_empty_table(tmp_path):
    committed.write_studies({"finals": REGRET}, tmp_path / "studies.parquet")
    assert sealed.read_frame(tmp_path / "studies.parquet").empty


# The page that explains them.


def test_the_lines_of_the_page_run(files, tmp_path, monkeypatch, capsys):
    csv, parquet = Layout("results", "figures").trials("glb_omd", "paper").values()
    code, more = re.findall(r"```python\n(.*?)```", (ROOT / "docs/tables.md").read_text(), re.S)
    monkeypatch.chdir(tmp_path)
    for source, place in zip(files, (csv, parquet), strict=True):
        assert place in code
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        Path(place).write_bytes(source.read_bytes())
    exec(code.replace("logistic_s3", "here"), {})
    said = capsys.readouterr().out
    assert "count" in said and "45" in said and "3000" in said
    (place,) = re.findall(r'"(figures/\S+)"', more)
    Path(place).parent.mkdir(parents=True)
    committed.write_studies(STUDIES, place)
    exec(more, {"pd": pd})
    assert "heavy_oful" in (said := capsys.readouterr().out) and "0.25" in said


def test_the_page_explains_every_column(trials, curves):
    page = (ROOT / "docs/tables.md").read_text()
    named = set(re.findall(r"`(\w+)`", page))
    assert {*committed.FIRST, *curves} <= named
    assert {"trial", *committed.SUMMARIES} <= named
