"""docs/check-a-verdict.md: its code, run word for word, finds what the engine found."""

import contextlib
import io
import re
import shutil
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from claim_tables import claim_with, finals, reading

from optimist import claims
from optimist.claims.checks import claims_of
from optimist.config.load import claims_path, load_claims, paper_names
from optimist.experiments import trial_table
from optimist.experiments.cell_trials import CellTrials
from optimist.figures.studies import tables

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "check-a-verdict.md"
BLOCKS = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", flags=re.M | re.S)
FIVE = ("glb_omd_05", "hvt_ucb_11", "bkb_16", "go_ucb_05", "glb_omd_26")


def run(folder, monkeypatch):
    """Run the code of the page in a folder.

    Returns what each block printed with what stands below it, the names known after each, and
    those known at the end.
    """
    monkeypatch.chdir(folder)
    names, said, after = {}, [], []
    for code, text in BLOCKS.findall(DOCUMENT.read_text()):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, str(DOCUMENT), "exec"), names)
        said.append((out.getvalue(), text))
        after.append(dict(names))
    return said, after, names


def agree(after, names):
    """Check what the page computed against the tables that it read."""
    _, ratio, median, share, *_ = after
    numbers = [(ratio["row"], ratio["ratio"]), (median["row"], median["median"])]
    numbers.append((share["row"], share["share"]))
    for row, own in numbers:
        for name, value in own.items():
            assert float(row[name]) == pytest.approx(value, rel=1e-4), (row["check"], name)
    assert float(ratio["row"]["support"]) == pytest.approx(ratio["below"], rel=1e-2)
    assert int(ratio["row"]["doublings"]) == ratio["k"]
    assert (share["row"]["outcome"] == "violated") == share["is_violated"]
    assert len(names["words"]) > 30 and names["other"] == {}
    for name in FIVE:
        claim = ".".join(name.rsplit("_", 1))
        (words,) = {r["words"] for r in names["rows_of"](claim)}
        assert names[name] == words.split(" on ")[0], claim


# A world with invented regrets for the claims of the page and for all others that are like them.

METRICS = {
    "regret of {numerator} / {denominator}, {setting}",
    "median of regret of {numerator} / {denominator}, {setting}",
    "exponent of the mean regret of {algorithm}, {settings}",
    "largest {column} of {algorithm}, {setting}",
    "log-log slope of {column} on {against} of {algorithm} over {settings}",
    "trials of {algorithm} whose set held the truth in all rounds, {settings}",
}
STUDY = "dimension"


def like_the_page(document):
    """Return a claims file with the claims alone that the page could work."""
    known = [
        written
        for written, claim in zip(document["claims"], claims_of(document), strict=True)
        if {check.metric.template for r in claim.readings for check in r.checks} <= METRICS
        or claim.id in ("hvt_ucb.07", "glb_omd.18", "glb_omd.26")
    ]
    return {**document, "claims": known}


def odd_shapes():
    """Return claims of which parts hold, which fail for being better, and the like."""

    def check(top, bottom, setting="logistic_s3", **keys):
        about = {"setting": setting, "numerator": top, "denominator": bottom}
        keys = {"relation": "below", "bound": 1, "part": setting, **keys}
        return {"quantity": "regret", "statistic": "ratio", "arguments": about, **keys}

    good, bad = check("glb_omd", "uniform"), check("uniform", "glb_omd")
    elsewhere = check("uniform", "glb_omd", "logistic_s5")
    band = check("glb_omd", "uniform", relation="between", bound=[0.8, 1.25], better="below")
    idle = check("uniform", "idler", relation="between", bound=[0.8, 1.25], better="above")
    absent = check("glb_omd", "absent")
    shapes = [
        [reading(good, {**bad, "status": "ours"}, name="one"), reading(good, name="two")],
        [reading(bad)],
        [reading(good, elsewhere)],
        [reading(band)],
        [reading(good, band), reading(band, elsewhere, name="two")],
        [reading(good, name="one"), reading(bad, name="two")],
        [reading(good, idle, name="one"), reading(idle, name="two")],
        [reading(idle)],
        [reading(good, absent)],
    ]
    return [claim_with(*shape, id=f"glb_omd.{i}") for i, shape in enumerate(shapes, 60)]


def cells_of(document):
    """Return the cells of the regret lane that the claims read, uniform play among them."""
    checks = [check for claim in claims_of(document) for check in claim.all_checks]
    found = {c for check in checks for c in check.cells}
    cells = {(setting, algorithm) for lane, setting, algorithm in found if lane == "regret"}
    cells -= {cell for cell in cells if cell[1] == "absent"}
    return sorted(cells | {(setting, "uniform") for setting, _ in cells})


def regrets(cells, lost, number):
    """Return final rows: each method at its own level, and nobody learns with theorems' radii."""
    rng, found = np.random.default_rng(8), []
    status = np.where(np.arange(number) % 13 == 5, "timeout", "ok")
    factors = {}
    for setting, algorithm in cells:
        common = np.random.default_rng(zlib.crc32(setting.encode())).gamma(9.0, 1.0, number)
        factor = factors.setdefault(algorithm, rng.choice([0.5, 1.0, 1.1, 3.0]))
        learns = not setting.startswith("varying_nu") or "matched" in setting
        if algorithm in ("uniform", "idler") or not learns:
            factor = 9.0
        if setting.startswith("varying_nu") and "matched" in setting:
            factor = 1.0 if algorithm in ("hvt_ucb", "heavy_oful") else 3.0
            factor = 9.0 if algorithm == "uniform" else factor
        values = factor * common * rng.gamma(25.0, 1 / 25, number)
        columns = {"covered": np.arange(number) >= lost, "regret_over_bound": 1e-3}
        broken = status if algorithm == "ofuglb" else "ok"
        found.append(finals(setting, algorithm, values, status=broken, **columns))
    return pd.concat(found)


def trials_of(table):
    """Return the cells of the regret lane, and one of the timing lane with other numbers."""
    made = []
    for (setting, algorithm), rows in table.groupby(["setting", "algorithm"]):
        columns = ("regret", "covered", "regret_over_bound")
        ends = {name: rows[name].to_numpy(float) for name in columns}
        trial, status = rows["trial"].to_numpy(), rows["status"].tolist()
        rounds = [np.array([end]) for end in rows["round"]]
        curves = {"regret": [np.array([value]) for value in ends["regret"]]}
        known = (setting, algorithm, trial, status, [None] * len(rows))
        made.append(CellTrials("regret", "paper", *known, ends, rounds, curves))
    times = {"seconds": np.full(len(trial), 2.0), "regret": np.ones(len(trial))}
    made.append(CellTrials("timing", "paper", *known, times, rounds, {}))
    return made


def watched(document):
    """Return rows of the study of dimensions for the checks that read it."""
    rng, rows = np.random.default_rng(9), []
    for claim in claims_of(document):
        for check in (check for check in claim.all_checks if check.quantity == "watched"):
            for place, setting in enumerate(check.settings):
                for trial in range(20):
                    about = (setting, check.algorithms[0], trial, "ok")
                    size = 4.0 ** (place + rng.normal(0.0, 0.1))
                    rows += [(*about, t, size, size * t * rng.gamma(9.0)) for t in (1, 2)]
    columns = ["setting", "algorithm", "trial", "status", "round", "dimension", "regret"]
    return pd.DataFrame(rows, columns=columns)


def write(folder, lost):
    """Write the tables of all papers into a folder, as a run does."""
    (folder / "config").mkdir()
    shutil.copy(ROOT / "config" / "first.csv", folder / "config")
    for paper in paper_names():
        document = like_the_page(load_claims(claims_path(paper)))
        if paper == "glb_omd":
            document["claims"] += odd_shapes()
            document["first"] = [*document["first"], *rows_of_odd_shapes(document)]
            with (folder / "config" / "first.csv").open("a", encoding="utf-8") as file:
                file.writelines(f'{c},"{k}",{u},{s},{n}\n' for c, k, u, s, n in document["first"])
        table = regrets(cells_of(document), lost, 250 if paper == "hvt_ucb" else 60)
        path = folder / "figures" / paper
        path.mkdir(parents=True)
        found = {"finals": table, STUDY: watched(document)}
        frame = claims.to_frame(claims.evaluate(document, found))
        frame.to_csv(path / "claims.csv", index=False, float_format="%.6g")
        trial_table.write(trials_of(table), path / "trials.parquet", declared={}, configuration={})
        tables.write({STUDY: found[STUDY]}, path / "studies.parquet")


def rows_of_odd_shapes(document):
    """Return rows of the table of first numbers for the claims that no paper has."""
    return [
        [claim.id, check.label, "trials", 0, 10]
        for claim in claims_of(document)
        if claim.id >= "glb_omd.60"
        for check in claim.all_checks
    ]


@pytest.mark.parametrize(("lost", "is_violated"), [(0, False), (8, True)])
def test_the_page_finds_what_the_engine_finds(tmp_path, monkeypatch, lost, is_violated):
    write(tmp_path, lost)
    said, after, names = run(tmp_path, monkeypatch)
    agree(after, names)
    assert after[3]["is_violated"] == is_violated
    assert len(after[1]["y"]) == 37  # of forty that count three did not end
    assert len(after[2]["y"]) == 200
    words = {own for own, _ in names["words"].values()}
    assert words >= {
        *("reproduced", "reproduced where testable", "depends", "untestable", "missing"),
        *("not reproduced", "not reproduced in part", "not reproduced, stronger than claimed"),
    }
    assert names["hvt_ucb_11"] == "reproduced where testable"
    assert said[1][0].startswith("glb_omd.01, regret of ofuglb / gloc, logistic_s3: ")


def is_committed():
    """Return whether tables of a full run, with words of this rule, are committed."""
    folders = [ROOT / "figures" / paper for paper in paper_names()]
    if not all((folder / "trials.parquet").exists() for folder in folders):
        return False
    heads = [(folder / "claims.csv").open(encoding="utf-8").readline() for folder in folders]
    return all("if_counted" in head for head in heads)


@pytest.mark.skipif(not is_committed(), reason="no tables of a full run are committed yet")
def test_the_page_finds_what_is_committed_and_prints_what_it_says(monkeypatch):
    said, after, names = run(ROOT, monkeypatch)
    agree(after, names)
    assert [text for _, text in said] == [printed for printed, _ in said]
