"""docs/check-a-verdict.md: its code, run word for word, finds what the engine found."""

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from claim_tables import claim_with, document, finals, reading

from optimist import claims
from optimist.claims.context import Context
from optimist.runs import trial_table
from optimist.runs.cell_trials import CellTrials

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "check-a-verdict.md"
HEAVY = "gaussian[factor=0.3,radius=matched]"
THEORY = "glb_omd[regularisation=theory]"
COMMITTED = [
    f"figures/{name}/{table}"
    for name in ("glb_omd", "hvt_ucb")
    for table in ("trials.parquet", "claims.csv")
]


def blocks():
    return re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(), flags=re.M | re.S)


def run(folder, monkeypatch):
    """Run the code of the page in a folder; return the names known after each block."""
    monkeypatch.chdir(folder)
    names, found = {}, []
    for code in blocks():
        exec(compile(code, str(DOCUMENT), "exec"), names)
        found.append(dict(names))
    return found


def agree(found):
    """Check what the page computed against the tables that it read."""
    _, ratio, median, share, last = found
    numbers = [(ratio["row"], ratio["ratio"]), (median["row"], median["median"])]
    numbers.append((share["row"], share["share"]))
    for row, own in numbers:
        for name, value in own.items():
            assert float(row[name]) == pytest.approx(value, rel=1e-4), (row["check"], name)
    for name, value in (("support", ratio["holds"]), ("refute", ratio["fails"])):
        assert float(ratio["row"][name]) == pytest.approx(value, rel=1e-2)
    assert share["row"]["outcome"] == share["outcome"]
    assert len(last["words"]) > 2
    assert [name for name, (own, said) in last["words"].items() if own != said] == []


# A small world with the page's cells, of which some trials did not end and some do not count.


def ratio(setting, top, bottom, metric="regret_ratio", **keys):
    arguments = {"setting": setting, "numerator": top, "denominator": bottom}
    return {"metric": metric, "arguments": arguments, "part": setting, **keys}


def coverage(setting):
    arguments = {"algorithm": THEORY, "settings": [setting]}
    return {"metric": "coverage", "arguments": arguments, "relation": "above", "bound": 0.99}


def glb(rival):
    """Return claims of many kinds of outcome about a rival, besides those of the page."""
    base = "base theory; instance identified"
    below = {"relation": "below", "bound": 1}
    one, other = (ratio(s, "ofuglb", rival, **below) for s in ("logistic_s3", "logistic_s5"))
    swapped = ratio("logistic_s3", rival, "ofuglb", **below)
    near = ratio("logistic_s3", "ofuglb", rival, relation="below", bound=0.62)
    open_one = ratio("logistic_s5", "ofuglb", rival, relation="below", bound=0.6)
    ours = {**swapped, "status": "ours"}
    shapes = [
        [reading(one, ours, name=base), reading(one, other, name="base public", status="open")],
        [reading(one, swapped)],
        [reading(one), reading(swapped, name="other")],
        [reading(swapped, other), reading(swapped, name="other")],
        [reading(near), reading(open_one, name="other", status="open")],
        [reading(one, ratio("logistic_s5", rival, "ofuglb", **below))],
        [reading(one, ratio("logistic_s5", "ofuglb", "absent", **below))],
        [reading(swapped), reading(swapped, other, name="other"), reading(one, name="third")],
        [reading(one, name="first"), reading(swapped, name="odd", status="ours")],
    ]
    made = [
        claim_with(*shape, id=f"glb_omd.{i:02d}", level=0.95) for i, shape in enumerate(shapes, 1)
    ]
    sure = claim_with(
        reading(coverage("logistic_s3"), coverage("logistic_s5")), id="glb_omd.18", kind="guarantee"
    )
    return [*made, sure]


def regrets(lost):
    rng = np.random.default_rng(8)
    status = np.where(np.arange(40) % 13 == 5, "timeout", "ok")
    tables = []
    for setting in ("logistic_s3", "logistic_s5"):
        common = rng.gamma(9.0, 1.0, 40)
        tables += [
            finals(setting, "ofuglb", 0.6 * common * rng.gamma(9.0, 1 / 9, 40), status=status),
            finals(setting, "gloc", common * rng.gamma(9.0, 1 / 9, 40)),
            finals(setting, THEORY, common, covered=[i >= lost for i in range(40)]),
        ]
    for name in ("hvt_ucb", "oful"):
        tables.append(finals(HEAVY, name, rng.lognormal(0.0, 1.0, 40)))
    return pd.concat(tables)


def cells_of(table):
    """Return the cells of the regret lane, and one of the timing lane with other numbers."""
    made = []
    for (setting, algorithm), rows in table.groupby(["setting", "algorithm"]):
        ends = {name: rows[name].to_numpy(float) for name in ("regret", "covered") if name in rows}
        trial, status = rows["trial"].to_numpy(), rows["status"].tolist()
        rounds = [np.array([end]) for end in rows["round"]]
        curves = {"regret": [np.array([value]) for value in ends["regret"]]}
        known = (setting, algorithm, trial, status, [None] * len(rows))
        made.append(CellTrials("regret", "paper", *known, ends, rounds, curves))
    times = {"seconds": np.full(len(trial), 2.0), "regret": np.ones(len(trial))}
    made.append(CellTrials("timing", "paper", *known, times, rounds, {}))
    return made


def write(folder, lost):
    """Write the two tables of both papers into a folder, as a run does."""
    table = regrets(lost)
    cells = table[["setting", "algorithm"]].drop_duplicates().itertuples(index=False)
    planned = {("regret", *cell): 30 for cell in cells}
    typical = ratio(HEAVY, "hvt_ucb", "oful", metric="median_regret_ratio")
    heavy = claim_with(
        reading(
            ratio(HEAVY, "hvt_ucb", "oful", relation="below", bound=2),
            {**typical, "status": "ours"},
            name="radius matched_0.3",
        ),
        id="hvt_ucb.07",
        looks=2,
        level=0.98,
    )
    for paper, written in (("glb_omd", glb("gloc")), ("hvt_ucb", [heavy])):
        # One claim was enlarged: all of its trials count, and thirty of the others'.
        about = Context(paper, planned, enlarged=frozenset(["hvt_ucb.07"]))
        frame = claims.to_frame(
            claims.evaluate(document(*written), {"finals": table}, about), about
        )
        path = folder / "figures" / paper
        path.mkdir(parents=True)
        frame.to_csv(path / "claims.csv", index=False, float_format="%.6g")
        trial_table.write(cells_of(table), path / "trials.parquet", declared={}, configuration={})


@pytest.mark.parametrize(("lost", "outcome"), [(0, "held"), (2, "held"), (3, "violated")])
def test_the_page_finds_what_the_engine_finds(tmp_path, monkeypatch, capsys, lost, outcome):
    write(tmp_path, lost)
    found = run(tmp_path, monkeypatch)
    agree(found)
    assert found[3]["outcome"] == outcome
    assert len(found[1]["y"]) == 28  # of thirty that count two did not end
    assert len(found[2]["y"]) == 40
    assert {own for own, _ in found[-1]["words"].values()} == {
        *("reproduced", "partly", "not reproduced", "undecided", "missing")
    }
    assert not math.isnan(found[1]["T"])
    assert "glb_omd.01, regret of ofuglb / gloc, logistic_s3: holds" in capsys.readouterr().out


@pytest.mark.skipif(
    not all((ROOT / path).exists() for path in COMMITTED),
    reason="no tables of a full run are committed yet",
)
def test_the_page_finds_what_is_committed(monkeypatch):
    agree(run(ROOT, monkeypatch))
