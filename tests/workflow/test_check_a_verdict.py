"""docs/check-a-verdict.md: its code, run word for word, finds what the engine found."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest

from optimist.claims.table import read_frame
from optimist.config.load import paper_names
from optimist.plan import products, remake

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "check-a-verdict.md"
BLOCKS = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", flags=re.M | re.S)
FIVE = ("glb_omd_31", "hvt_ucb_11", "bkb_16", "go_ucb_05", "glb_omd_26")


def run(folder, monkeypatch):
    """Run the code of the page in a folder.

    Returns each block's output with the text below it, the names defined after each block, and
    the names defined at the end.
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


def test_the_page_finds_what_is_committed_and_prints_what_it_says(monkeypatch):
    said, after, names = run(ROOT, monkeypatch)
    agree(after, names)
    assert [text for _, text in said] == [printed for printed, _ in said]


@pytest.mark.parametrize("paper", paper_names())
def test_the_engine_finds_what_is_committed(paper, monkeypatch):
    monkeypatch.chdir(ROOT)
    (plan,) = remake.plans([paper], [], [], None)
    product = plan.targets.product(paper, "claims", "claims")
    found = products.verdicts(product, products.Sources(plan.layout, paper))
    expected = read_frame(ROOT / "figures" / paper / "claims.csv")
    assert len(found) == len(expected) > 50
    for name in ("claim", "verdict", "words", "stated", "if_counted", "reading", "outcome"):
        assert found[name].tolist() == expected[name].tolist(), name
    for name in ("value", "low", "high", "support", "refute", "gate", "idle", "slack", "turns"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-5, err_msg=name)
    for name in ("n", "n0", "first_unit", "doublings", "needs", "rounds"):
        assert found[name].equals(expected[name]), name
