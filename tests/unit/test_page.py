"""The page of results without a browser: its content, packing, sentences, policy and refusals."""

import base64
import gzip
import hashlib
import importlib
import json
import re
from dataclasses import replace
from html import unescape

import jsonschema
import numpy as np
import pandas as pd
import pytest
import scipy
from claim_tables import SPREAD, claim_with, document, facts, finals, reading
from toy_environments import ROOT

from optimist.algorithms import REGISTRIES, algorithm_class
from optimist.claims import pages
from optimist.claims.table import compacted, to_frame
from optimist.claims.verdicts import evaluate
from optimist.config.load import load_config, paper_names
from optimist.core.errors import ConfigError, ResultError
from optimist.core.files import sha256, write_frame
from optimist.experiments import cell_records, trial_table
from optimist.experiments.cell_records import STUDY, CellRecord
from optimist.experiments.cell_trials import CellTrials
from optimist.numerics.statistics import SUMMARIES, mean_interval
from optimist.page import build, content, curves, findings, formulas, index, verdicts
from optimist.plan.plan import Plan

# Formulas.


def documented():
    for domain, registry in REGISTRIES.items():
        for name in registry.table:
            module = importlib.import_module(algorithm_class(name, domain).__module__)
            yield pytest.param(module.__doc__, id=f"{domain}-{name}")


@pytest.mark.parametrize("text", [*documented()])
def test_every_formula_of_an_algorithm_becomes_mathml_without_a_command_left(text):
    html = formulas.to_html(text)
    assert "\\" not in re.sub(r"<code>.*?</code>", "", html)
    assert html.count("<math") == html.count("</math>") == len(formulas._MATH.findall(text))


def test_an_unknown_command_of_a_formula_is_refused():
    with pytest.raises(ValueError, match="no MathML"):
        formulas.to_mathml(r"\unheardof{x}")


def test_text_is_escaped_and_code_is_marked():
    assert formulas.to_html("a < b with ``eta`` & `x`\n\nnext") == (
        "<p>a &lt; b with <code>eta</code> &amp; <code>x</code></p><p>next</p>"
    )


@pytest.mark.parametrize(
    "formula",
    [
        r"\text{<img/src=x/onerror=alert(1)>}",
        r"\mbox{</math><h1>x</h1>}",
        r"\mathrm{<script>}",
        r"\color{<img>}{x}",
        r"\text{&lt;img&gt; &amp;}",
        "x < <b>",
    ],
)
def test_a_formula_holds_no_tags_but_those_of_mathml(formula):
    html = formulas.to_html(f"${formula}$")
    tags = set(re.findall(r"<\s*/?([^\s>/]*)", html))
    assert tags <= {"p", "math", *(tag for tag in tags if re.fullmatch("m[a-z]+", tag))}


@pytest.mark.parametrize("command", ["href", "class", "style", "id"])
def test_a_formula_sets_no_attributes(command):
    formula = rf"\{command}{{javascript:alert(1)}}{{x}}"
    with pytest.raises(ValueError, match="which sets attributes"):
        formulas.to_mathml(formula)
    assert formulas.to_html(f"${formula}$") == f"<p><code>${formula}$</code></p>"


MARKED = r'''r"""Foreign <img src=x onerror=alert(1)> method $x$.

A $\text{<img/src=x>}$, a $\unheardof{<b>}$ and a <b>tag</b>.
"""
from optimist.algorithms.uniform import Uniform


class Mine(Uniform):
    """A method.

    Parameters
    ----------
    note : str
        A text <script>alert(2)</script>.
    """

    reference = "<b>bad</b>"

    def __init__(self, problem, *, rng, note="x"):
        super().__init__(problem, rng=rng)
'''


def test_a_method_in_a_file_is_described_without_its_markup(tmp_path, monkeypatch):
    (tmp_path / "marked.py").write_text(MARKED)
    monkeypatch.chdir(tmp_path)
    about = content._method("marked.py:Mine", "arms")
    html = about["text"] + about["options"][0]["meaning"]
    assert not re.search(r"<(img|script|b)\b", html) and "&lt;img/src=x&gt;" in html
    assert about["file"] == "marked.py"
    assert content._method("gloc", "arms")["file"] == "src/optimist/algorithms/glb/gloc.py"


@pytest.mark.parametrize(
    "caption",
    [
        ".. raw:: html\n\n   <script>alert(1)</script>",
        "a\n\n.. |s| image:: x.png\n\n|s|, *b*, ``c``, [1]_, d_, `e <http://f>`_, http://g.h/i",
        "- a\n- b",
        "1. a",
        "A\n===",
        "a::\n\n  b",
        r"\alpha <x> {{ 7 }} of 10 %",
    ],
)
def test_a_caption_is_text_in_the_report(caption):
    from types import SimpleNamespace

    from jinja2 import Environment
    from snakemake.report import publish_parts

    template = (ROOT / "workflow/report/figure.rst").read_text(encoding="utf-8")
    links = "\n.. _own: http://own\n"
    given = SimpleNamespace(params=SimpleNamespace(caption=caption))
    written = Environment(trim_blocks=True, lstrip_blocks=True).from_string(template + links)
    html = publish_parts(written.render(snakemake=given), writer_name="html")["body"]
    assert unescape(html).strip() == f"<p>{' '.join(caption.split())}</p>"


# Curves.


def packed(*summaries):
    """Pack the summaries of cells; return them as the page decodes them, with grids and text."""
    drawn = [curves.Drawn(np.arange(1, s.shape[1] + 1), s[:0], s) for s in summaries]
    cells, grids, text = curves.pack([{"times": one} for one in drawn], 0)
    raw = np.frombuffer(gzip.decompress(base64.b64decode(text)), np.uint8).astype(int)
    numbers = (raw[: len(raw) // 2] << 8) | raw[len(raw) // 2 :]
    decoded = []
    for about in (cell["times"] for cell in cells):
        length = len(grids[about["grid"]])
        steps = numbers[about["at"] : about["at"] + about["count"] * length].reshape(-1, length)
        decoded.append((np.cumsum(steps, axis=1) & curves.STEPS) * about["top"] / curves.STEPS)
    return decoded, grids, text


def test_curves_come_back_to_sixteen_bits_of_the_largest():
    rng = np.random.default_rng(3)
    first = np.cumsum(rng.gamma(2.0, size=(5, 60)), axis=1)
    second = rng.gamma(2.0, size=(3, 7))  # summaries may fall
    for decoded, wanted in zip(packed(first, second)[0], (first, second), strict=True):
        error = np.abs(decoded - wanted).max()
        assert error <= 0.51 * wanted.max() / curves.STEPS + 1e-6 * wanted.max()


def test_what_is_below_zero_counts_as_zero_and_rounds_are_kept_once():
    decoded, grids, text = packed(np.array([[-1.0, 2.0], [0.0, 0.0]]), np.array([[0.0, 0.0]]))
    assert grids == [[1, 2]]
    assert decoded[0].tolist() == [[0.0, 2.0], [0.0, 0.0]]
    assert base64.b64decode(text)[4:8] == b"\0\0\0\0"  # no time


def cell(values, lane="regret", setting="logistic_s3", label="glb_omd", group="paper", **changes):
    """A cell with these values at rounds 1, 2, ...; trials of fewer rounds failed."""
    name = {"regret": "regret", "timing": "seconds"}[lane]
    longest = max(map(len, values))
    given = {
        "trial": np.arange(len(values)),
        "status": ["ok" if len(one) == longest else "error: no" for one in values],
        "instance": [None] * len(values),
        "ends": {name: np.array([one[-1] if len(one) else np.nan for one in values])},
        "rounds": [np.arange(1, len(one) + 1) for one in values],
        "at": {name: [np.array(one, float) for one in values]},
    }
    return CellTrials(lane, group, setting, label, **(given | changes))


def test_a_cell_has_the_curves_of_its_complete_trials_and_their_summaries():
    drawn = curves.of_cell(cell([[1, 2], [11], [21, 32]]), 0.95, "t")
    assert drawn.rounds.tolist() == [1, 2]
    assert drawn.trials.tolist() == [[1, 2], [21, 32]]
    shown = dict(zip(SUMMARIES, drawn.summaries[:, 1], strict=True))
    assert shown["mean"] == shown["median"] == 17.0 and shown["lower"] == 9.5
    assert (shown["mean"], shown["low"], shown["high"]) == pytest.approx(mean_interval([2, 32]))
    placed = {"label": "gloc", "curves": drawn, "times": drawn}
    ((placed,), grids, _) = curves.pack([placed], 1)
    assert grids == [[1, 2]] and placed["label"] == "gloc"
    assert placed["curves"]["count"] == 1 + len(SUMMARIES)
    assert placed["times"]["count"] == len(SUMMARIES)


def test_a_single_trial_has_no_interval_and_failed_ones_no_curves():
    (mean, low, high, *_) = curves.of_cell(cell([[1, 2], [3]]), 0.95, "t").summaries
    assert mean.tolist() == low.tolist() == high.tolist() == [1, 2]
    assert curves.of_cell(cell([[1, 2]], status=["error: no"]), 0.95, "t") is None


def test_a_curve_has_some_sixty_rounds():
    drawn = curves.of_cell(cell([np.arange(2000.0)] * 2, lane="timing"), 0.95, "bootstrap")
    assert 40 < len(drawn.rounds) == drawn.summaries.shape[1] <= 60
    assert drawn.rounds[-1] == 2000 and drawn.summaries[0, -1] == 1999


# Claims and sentences.


FACT = {
    "quantity": "fact",
    "statistic": "value",
    "arguments": {"name": "low", "setting": "here"},
    "relation": "below",
    "bound": 1,
}
RATIO = {
    "quantity": "regret",
    "statistic": "ratio",
    "arguments": {"setting": "here", "numerator": "a", "denominator": "b"},
    "relation": "above",
    "bound": 2,
}
WRITTEN = document(
    claim_with(reading(RATIO), id="toy.01"),
    claim_with(reading(FACT), id="toy.02"),
    claim_with(reading(FACT), id="other.01"),
)
TABLES = {
    "facts": facts(low=0.5),
    "finals": pd.concat(
        [
            *(finals("here", "a", [10.0 + z for z in SPREAD]), finals("here", "b", [1.0] * 10)),
            finals("here", "uniform", [20.0] * 10),
        ]
    ),
}
FRAME = to_frame(evaluate(WRITTEN, TABLES))
NOTED = replace(WRITTEN.claims[0], note="A\n note.")
KNOWN = verdicts.claims(FRAME, {"toy.01": NOTED})
LABEL = KNOWN["toy.01"]["checks"][0][verdicts.COLUMN["check"]]
PAPER = {
    "claimed": "It is\n fast.",
    "found": "It is.",
    "paper": "**Toy** (A 2020)",
    "headline": "Toy is {gain[value]:.0f} times\n faster.",
    "says": '"Faster".',
    "measured": "{gain[value]:.0f}× ({gain[low]:.2f} to {gain[high]:.1f}).",
    "numbers": {"gain": {"claim": "toy.01", "check": LABEL}},
    "expects": {"toy.01": "reproduced"},
}
FINDING = {
    "claim": "toy.01",
    "check": LABEL,
    "expects": "reproduced",
    "text": "It takes {value:.2g} ({low:.3g} to\n {high:.3g}, n = {n}).",
}


def said(finding=None, **paper):
    return {"papers": {"toy": PAPER | paper}, "findings": [FINDING | (finding or {})]}


def test_claims_have_their_checks_by_column():
    claim = KNOWN["toy.01"]
    assert (claim["paper"], claim["verdict"], claim["note"]) == ("toy", "reproduced", "A note.")
    assert claim["readings"] == [["", "stated", "holds"]]
    check = dict(zip(verdicts.CHECK_COLUMNS, claim["checks"][0], strict=True))
    assert (check["value"], check["n"], check["bound"]) == (10, 10, "2")
    json.dumps(KNOWN, allow_nan=False)


def test_sentences_take_their_numbers_from_checks():
    found = findings.fill(said(), KNOWN, ["toy"])
    assert found["papers"] == {"toy": {"claimed": "It is fast.", "found": "It is."}}
    (entry,) = found["findings"]
    assert re.fullmatch(r"It takes 10 \(8\.7 to 11\.3, n = 10\)\.", entry["text"])
    assert (entry["claim"], entry["check"]) == ("toy.01", 0)


@pytest.mark.parametrize(
    ("finding", "paper", "message"),
    [
        ({"expects": "depends"}, {}, r"findings\.0 rests on toy\.01 being depends, .* reproduced"),
        ({}, {"expects": {"toy.01": "depends"}}, r"papers\.toy rests on toy\.01 being depends"),
        ({"claim": "toy.11"}, {}, r"claim in findings\.0 .*'toy\.11'.*did you mean 'toy\.01'"),
        ({"check": "of nothing"}, {}, r"check of toy\.01 in findings\.0 .*'of nothing'"),
        ({"reading": "none"}, {}, r"check of toy\.01 in findings\.0"),
        ({"text": "{speed}"}, {}, r"findings\.0\.text cannot be filled \('speed'\)"),
        ({"claim": "toy.02", "check": "low, here", "text": "{low:.2g}"}, {}, "cannot be filled"),
    ],
)
def test_sentences_that_are_no_longer_true_are_refused(finding, paper, message):
    with pytest.raises(ConfigError, match=message):
        findings.fill(said(finding, **paper), KNOWN, ["toy"])


EMPTY = {"papers": {"toy": {"claimed": "It is fast.", "found": ""}}, "findings": []}


def test_sentences_that_do_not_hold_elsewhere_or_are_on_other_papers_are_left_out():
    wrong = said({"expects": "depends"}, expects={"toy.01": "depends"})
    assert findings.fill(wrong, KNOWN, ["toy"], strict=False) == EMPTY
    right = findings.fill(said(), KNOWN, ["toy"])
    assert findings.fill(said(), KNOWN, ["toy"], strict=False) == right
    both = {"papers": {"toy": PAPER, "other": PAPER}, "findings": [FINDING]}
    assert findings.fill(both, KNOWN, ["other"])["findings"] == []
    shortened = {"toy.01": {**KNOWN["toy.01"], "verdict": "shortened"}}
    assert findings.fill(said(), shortened, ["toy"]) == EMPTY


def test_the_file_of_findings_names_all_papers():
    assert set(findings.load()["papers"]) == set(paper_names())


# The index and the README.


def test_the_readme_has_headlines_a_table_with_links_and_the_tally(monkeypatch):
    monkeypatch.setattr(findings, "load", said)
    text = index.front(FRAME, ["toy"])
    assert text.splitlines()[0] == "- **Toy is 10 times faster.**"
    assert (
        '| **Toy** (A 2020) | "Faster". | 10× (8.70 to 11.3). '
        "([toy.01](figures/toy/claims.md#toy01-reproduced): reproduced) |"
    ) in text.splitlines()
    assert "3 claims: " in text
    page = pages.to_markdown(FRAME[:1], {})
    assert "## toy.01: reproduced" in page  # the heading that the link leads to


@pytest.mark.parametrize(
    ("paper", "message"),
    [
        ({"expects": {"toy.01": "depends"}}, r"papers\.toy rests on toy\.01 being depends"),
        (
            {"numbers": {"gain": {"claim": "toy.11", "check": LABEL}}},
            r"papers\.toy .*'toy\.11'.*did",
        ),
        (
            {"numbers": {"gain": {"claim": "toy.01", "check": "no"}}},
            r"of toy\.01 in papers\.toy .*'no'",
        ),
        ({"headline": "{speed[value]}"}, r"headline cannot be filled \('speed'\); allowed: gain"),
        ({"measured": "{gain[mean]}"}, r"measured cannot be filled \('mean'\)"),
    ],
)
def test_headlines_that_are_no_longer_true_are_refused(paper, message):
    with pytest.raises(ConfigError, match=message):
        findings.overview(said(**paper), KNOWN, "toy")


def test_the_index_lists_figures_with_thumbnails_captions_and_verdicts():
    claim = {**KNOWN["toy.01"], "checks": [[*KNOWN["toy.01"]["checks"][0]]]}
    claim["checks"][0][verdicts.COLUMN["figures"]] = "fig1 (a), fig2"
    figure = {"title": "Figure 1: a|b", "caption": "What.", "png": "toy/fig1.png"}
    data = {
        "quick": False,
        "papers": {"toy": {"names": {}, "method": "m", "title": "T", "reference": "R"}},
        "figures": {"toy/fig1": {**figure, "csv": "toy/tables/fig1.csv"}},
        "claims": {"toy.01": claim},
    }
    text = index.figures(data)
    assert text.splitlines()[0].startswith("Open [the page of results](index.html)")
    assert "empirical: 1 reproduced. [All claims](toy/claims.md)." in text
    row = next(line for line in text.splitlines() if "fig1.webp" in line)
    assert "(toy/thumbnails/fig1.webp)](toy/fig1.png)" in row and "| 01 reproduced |" in row
    assert "a\\|b" in row
    assert "Shortened run" in index.figures({**data, "quick": True})


# The file.


def test_quantiles_are_those_of_student():
    found = content._quantiles(50)
    assert found == pytest.approx(scipy.stats.t.ppf(0.975, np.arange(1, 50)), rel=1e-9)


def test_the_policy_allows_our_scripts_and_styles_by_their_hash_alone():
    policy = build.policy(["let x;"], ["p {}"])
    digest = base64.b64encode(hashlib.sha256(b"let x;").digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    assert "default-src 'none'" in policy and "connect-src 'none'" in policy
    assert "unsafe" not in policy and "*" not in policy


def test_data_cannot_end_their_script():
    text = build.as_script({"a": "</script><!-- \u2028"})
    assert "<" not in text and "\u2028" not in text
    assert json.loads(text) == {"a": "</script><!-- \u2028"}


def test_a_library_that_was_changed_is_refused(monkeypatch):
    real = build._own
    changed = lambda name: real(name) + (" " if name.endswith("d3.min.js") else "")  # noqa: E731
    monkeypatch.setattr(build, "_own", changed)
    with pytest.raises(ResultError, match=r"vendor/d3.min.js has SHA-256 .*; restore it"):
        build.library("d3.min.js")


def test_every_library_is_the_file_that_was_released():
    for name, about in json.loads(build._own("vendor/vendor.json")).items():
        digest = hashlib.sha256(build._own(f"vendor/{name}").encode()).hexdigest()
        assert digest == about["sha256"], name


def test_a_page_keeps_fewer_curves_before_it_is_refused_for_its_size(monkeypatch):
    asked = []
    monkeypatch.setattr(build, "collect", lambda plan, base: {"cells": []})
    monkeypatch.setattr(
        build.curves, "pack", lambda cells, trials: asked.append(trials) or ([], [], "")
    )
    sizes = iter([9_000_000, build.ROOMY_BYTES + 1, build.ROOMY_BYTES])
    monkeypatch.setattr(build, "render", lambda data, curves: "x" * next(sizes))
    assert len(build.build(None, None)[0]) == build.ROOMY_BYTES
    assert asked == [40, 20, 10]
    monkeypatch.setattr(build, "render", lambda data, curves: "x" * 5_000_001)
    with pytest.raises(ResultError, match="the page has 5000001 bytes; allowed: at most 5000000"):
        build.build(None, None)


def test_tables_and_lists_of_docstrings_are_tables_and_lists():
    rows = ["radius | value", "--- | ---", "paper (Theorem 1) | $P(x | z)$ and `y | z`", "ours | b"]
    table = "\n".join(f"| {row} |" for row in rows)
    found = formulas.to_html(f"Words.\n\n{table}\n\n- one\n  goes on\n- $\\arg\\max_x f$")
    assert found.startswith('<p>Words.</p><table><thead><tr><th scope="col">radius</th>')
    assert found.count("<tr>") == 3 and found.count("<td>") == 4 and "<code>y | z</code>" in found
    assert found.count("<li>") == 2 and "<li>one\n  goes on</li>" in found
    assert "arg&#x000A0;max" in found


# What it reads.

PLACE = "figures/glb_omd"
CELLS = (
    cell([[1, 2], [3], [5, 8]]),
    cell([[7, 10]] * 2, label="gloc"),
    cell([[0.1, 0.3], [0.2, 0.6]], lane="timing"),
    cell([[4, 6]], setting="plane_logistic_s3", group="variants"),
    cell([[4, 6]], setting="forgotten"),
)


@pytest.fixture(scope="module")
def plan():
    return Plan(load_config(values=["papers=[glb_omd]"]))


@pytest.fixture
def folder(plan, tmp_path):
    """Write tables, records and figures of a paper; return its folder."""
    from PIL import Image

    folder = tmp_path / PLACE
    (folder / "thumbnails").mkdir(parents=True)
    write_frame(compacted(FRAME), folder / "claims.csv")
    record(folder, "claims", "claims.csv")
    for name in plan.papers["glb_omd"].figures:
        Image.new("RGB", (4, 3)).save(folder / f"thumbnails/{name}.webp")
        (folder / f"{name}.png").write_bytes(f"a picture of {name}".encode())
        record(folder, name, f"{name}.png", f"thumbnails/{name}.webp")
    write_tables(folder)
    return folder


def record(folder, name, *files):
    (folder / "records").mkdir(exist_ok=True)
    known = {file: sha256(folder / file) for file in files}
    (folder / f"records/{name}.json").write_text(json.dumps({"digest": "d", "files": known}))


def write_tables(folder, *shown):
    shown = shown or CELLS
    trial_table.write(shown, folder / "trials.parquet", declared={}, configuration={})
    decisive = {"trials": 2, "parts": (2,), "digest": "d", "content": "c", "observed": {}}
    decisive |= {"seconds": 1.0, "mb": 1.0, "made": "Python 3.13"}
    records = [
        CellRecord(one.lane, one.group, one.setting, one.algorithm, commit="1234", **decisive)
        for one in shown
    ]
    study = CellRecord(STUDY, "paper", "facts", "", commit="5678+", **decisive)
    cell_records.write([*records, study], folder / "cells.csv")


def read(plan, folder, what):
    paper = content._Paper(plan, folder.parents[1], "glb_omd", plan.papers["glb_omd"])
    return paper.cells if what == "cells" else getattr(paper, what)()


def test_the_content_is_as_its_schema_says(plan, folder):
    page, data = build.build(plan, folder.parents[1])
    plain = json.loads(json.dumps(data))
    jsonschema.validate(plain, json.loads(build._own("page.schema.json")))
    assert "toy.01" in page and build.as_script(data) in page
    assert [*data["settings"]] == ["glb_omd/logistic_s3", "glb_omd/plane_logistic_s3"]
    assert [*data["methods"]] == ["arms/glb_omd", "arms/gloc"]
    assert [*data["papers"]["glb_omd"]["files"]] == [
        f"{PLACE}/{name}" for name in ("trials.parquet", "cells.csv", "claims.csv")
    ]
    assert "glb_omd/plane" in data["figures"]
    made = data["provenance"]["papers"]["glb_omd"]
    assert [(one["commit"], one["cells"]) for one in made] == [("1234", 5), ("5678+", 1)]


def test_a_cell_has_its_ends_in_both_lanes(plan, folder):
    ours, other, variant = read(plan, folder, "cells")
    assert [one["label"] for one in (ours, other, variant)] == ["glb_omd", "gloc", "glb_omd"]
    assert (ours["group"], variant["group"]) == ("paper", "variants")
    assert ours["finals"] == [2, None, 8] and ours["statuses"] == {"error": 1}
    assert ours["mean"] == pytest.approx(mean_interval([2, 8]), rel=1e-5)
    assert (ours["seconds"], ours["turns"], ours["rounds"]) == ([0.45, 0.3, 0.6], 2, 2)
    assert ours["times"].trials.shape == ours["curves"].trials.shape == (2, 2)
    assert other["mean"] == [10, 10, 10] and (other["seconds"], other["turns"]) == ([], 0)
    assert "times" not in other and variant["mean"] == [6, None, None]


def test_regret_is_counted_from_the_best_known_value(plan, folder):
    ends = {"regret": np.array([6.0]), "simple_regret": np.array([-1.0])}
    write_tables(folder, cell([[4, 6]], instance=["one"], ends=ends))
    (ours,) = read(plan, folder, "cells")
    assert ours["finals"] == [8] and ours["curves"].trials.tolist() == [[5, 8]]


@pytest.mark.parametrize(
    ("what", "name", "command"),
    [
        ("figures", "fig1.png", "draw glb_omd/fig1"),
        ("figures", "thumbnails/fig1.webp", "draw glb_omd/fig1"),
        ("claims", "claims.csv", "decide glb_omd"),
    ],
)
def test_a_file_that_is_not_as_its_record_says_is_named(plan, folder, what, name, command):
    (folder / name).write_bytes((folder / name).read_bytes()[:-1] + b"x")
    with pytest.raises(ResultError) as caught:
        read(plan, folder, what)
    assert f"{PLACE}/{name} is not the file that {PLACE}/records/" in str(caught.value)
    assert str(caught.value).endswith(f"make it again: optimist {command}")
    (folder / name).unlink()
    if name.endswith("png"):  # the page does without
        assert read(plan, folder, what)
        return
    with pytest.raises(ResultError, match=f"{name} does not exist; make it: optimist {command}$"):
        read(plan, folder, what)


@pytest.mark.parametrize("damaged", [b"{", b"[]", b'{"files": {}}', b"\xff"])
def test_a_damaged_record_is_named(plan, folder, damaged):
    (folder / "records/fig1.json").write_bytes(damaged)
    with pytest.raises(ResultError, match=r"fig1\.json does not mention .*; make it again:"):
        read(plan, folder, "figures")


def test_figures_of_variants_that_nobody_made_are_left_out(plan, folder):
    (folder / "thumbnails/plane.webp").unlink()
    assert "glb_omd/plane" not in read(plan, folder, "figures")


def test_a_table_that_is_missing_is_named(plan, folder):
    (folder / "cells.csv").unlink()
    with pytest.raises(
        ResultError, match=rf"^{PLACE}/cells.csv does not exist; make it with: snake"
    ):
        read(plan, folder, "cells")


def test_a_changed_table_is_named(plan, folder):
    path = folder / "trials.parquet"
    changed = bytearray(path.read_bytes())
    changed[len(changed) // 2] ^= 1
    path.write_bytes(changed)
    with pytest.raises(ResultError, match=r"trials\.parquet is damaged"):
        read(plan, folder, "cells")
