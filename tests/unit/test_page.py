"""The page of results without a browser: its content, packing, sentences, policy and refusals."""

import base64
import gzip
import hashlib
import importlib
import json
import re
import shutil
import subprocess
from html import unescape

import numpy as np
import pandas as pd
import pytest
import scipy
from claim_tables import SPREAD, claim_with, document, facts, finals, reading
from toy_environments import ROOT

from optimist import claims
from optimist.algorithms import REGISTRIES, algorithm_class
from optimist.errors import ConfigError, OptimistError, ResultError
from optimist.page import build, content, curves, findings, formulas, index, verdicts
from optimist.plan.config import load_config, paper_names
from optimist.plan.plan import Plan
from optimist.records import manifest

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


def unpacked(packer, about):
    """Decode the curves of a cell as the page does."""
    raw = np.frombuffer(curves.unpacked(packer.packed()), np.uint8).astype(int)
    numbers = (raw[: len(raw) // 2] << 8) | raw[len(raw) // 2 :]
    length = len(packer.grids[about["grid"]])
    own = numbers[about["at"] : about["at"] + about["count"] * length].reshape(-1, length)
    return (np.cumsum(own, axis=1) & curves.STEPS) * about["top"] / curves.STEPS


def test_curves_come_back_to_sixteen_bits_of_the_largest():
    rng, packer = np.random.default_rng(3), curves.Packer()
    first = np.cumsum(rng.gamma(2.0, size=(5, 60)), axis=1)
    second = rng.gamma(2.0, size=(3, 7))  # summaries may fall
    about = [packer.add(first, range(1, 61)), packer.add(second, range(1, 8))]
    for found, wanted in zip(about, (first, second), strict=True):
        error = np.abs(unpacked(packer, found) - wanted).max()
        assert error <= 0.51 * wanted.max() / curves.STEPS + 1e-6 * wanted.max()


def test_what_is_below_zero_counts_as_zero_and_rounds_are_kept_once():
    packer = curves.Packer()
    about = packer.add([[-1.0, 2.0], [0.0, 0.0]], [1, 2])
    packer.add([[0.0, 0.0]], [1, 2])
    assert packer.grids == [[1, 2]]
    assert unpacked(packer, about).tolist() == [[0.0, 2.0], [0.0, 0.0]]


def test_the_bytes_carry_no_time():
    packed = curves.Packer().packed()
    assert gzip.decompress(base64.b64decode(packed)) == b""
    assert base64.b64decode(packed)[4:8] == b"\0\0\0\0"


def test_a_cell_has_its_complete_trials_first_then_its_summaries():
    rows = [("trial", k, t, 10.0 * k + t) for k in range(3) for t in (1, 2) if (k, t) != (1, 2)]
    rows += [(name, np.nan, t, 100.0 + t) for name in ("mean", "median") for t in (1, 2)]
    frame = pd.DataFrame(rows, columns=["curve", "trial", "round", "regret"])
    rounds, found = curves.of_cell(frame, "regret")
    assert rounds == [1, 2]
    assert [curve.tolist() for curve in found[:2]] == [[1.0, 2.0], [21.0, 22.0]]
    assert len(found) == 2 + len(curves.SUMMARIES)
    cell = {"label": "gloc", "curves": (rounds, found), "times": (rounds, found)}
    ((placed,), grids, _) = curves.pack([cell], 1)
    assert grids == [[1, 2]] and placed["label"] == "gloc"
    assert placed["curves"]["count"] == 1 + len(curves.SUMMARIES)
    assert placed["times"]["count"] == len(curves.SUMMARIES)


# Claims and sentences.


def about(name):
    arguments = {"name": name, "setting": "here"}
    return {"metric": "fact", "arguments": arguments, "relation": "below", "bound": 1}


RATIO = {
    "metric": "regret_ratio",
    "arguments": {"setting": "here", "numerator": "a", "denominator": "b"},
    "relation": "above",
    "bound": 2,
}
WRITTEN = document(
    claim_with(reading(RATIO), id="toy.01"),
    claim_with(reading(about("low")), id="toy.02"),
    claim_with(reading(about("low")), id="other.01"),
)
TABLES = {
    "facts": facts(low=0.5),
    "finals": pd.concat(
        [finals("here", "a", [10.0 + z for z in SPREAD]), finals("here", "b", [1.0] * 10)]
    ),
}
FRAME = claims.to_frame(claims.evaluate(WRITTEN, TABLES))
KNOWN = verdicts.claims(FRAME, {"toy.01": "A\n note."})
PAPER = {"claimed": "It is\n fast.", "found": "It is.", "expects": {"toy.01": "reproduced"}}
LABEL = KNOWN["toy.01"]["checks"][0][verdicts.COLUMN["check"]]
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
    assert re.fullmatch(r"It takes 10 \(8\.93 to 11\.1, n = 10\)\.", entry["text"])
    assert (entry["claim"], entry["check"]) == ("toy.01", 0)


@pytest.mark.parametrize(
    ("finding", "paper", "message"),
    [
        ({"expects": "partly"}, {}, r"findings\.0 rests on toy\.01 being partly, .* reproduced"),
        ({}, {"expects": {"toy.01": "partly"}}, r"papers\.toy rests on toy\.01 being partly"),
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


def test_elsewhere_sentences_that_do_not_hold_are_left_out():
    document = said({"expects": "partly"}, expects={"toy.01": "partly"})
    found = findings.fill(document, KNOWN, ["toy"], strict=False)
    assert found == {"papers": {"toy": {"claimed": "It is fast.", "found": ""}}, "findings": []}
    assert findings.fill(said(), KNOWN, ["toy"], strict=False) == findings.fill(
        said(), KNOWN, ["toy"]
    )


def test_sentences_on_other_papers_are_left_out():
    both = {"papers": {"toy": PAPER, "other": PAPER}, "findings": [FINDING]}
    assert findings.fill(both, KNOWN, ["other"])["findings"] == []


def test_a_shortened_run_has_no_findings():
    known = {"toy.01": {**KNOWN["toy.01"], "verdict": "shortened"}}
    found = findings.fill(said(), known, ["toy"])
    assert found == {"papers": {"toy": {"claimed": "It is fast.", "found": ""}}, "findings": []}


def test_the_file_of_findings_names_all_papers():
    assert set(findings.load()["papers"]) == set(paper_names())


# The index and the README.


def test_the_readme_has_the_findings_with_links_and_the_tally(monkeypatch):
    monkeypatch.setattr(findings, "load", said)
    text = index.front(FRAME, ["toy"])
    assert text.splitlines()[0].endswith(
        "n = 10). ([toy.01](figures/toy/claims.md#toy01-reproduced): reproduced)"
    )
    assert text.startswith("1. It takes 10 (") and "3 claims: " in text
    page = claims.to_markdown(claims.evaluate(WRITTEN, TABLES)[:1], FRAME[:1])
    assert "## toy.01: reproduced" in page  # the heading that the link leads to


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


def test_the_style_of_the_drawings_is_found():
    assert build.plot_style().startswith(":where(.plot) {\n  --plot-background: white;\n")


def test_a_library_that_was_changed_is_refused(monkeypatch):
    real = build._own
    changed = lambda name: real(name) + (" " if name.endswith("d3.min.js") else "")  # noqa: E731
    monkeypatch.setattr(build, "_own", changed)
    with pytest.raises(ResultError, match=r"vendor/d3.min.js has SHA-256 .*; restore it"):
        build.library("d3.min.js")


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


def test_content_that_breaks_the_schema_is_refused():
    with pytest.raises(OptimistError, match="the content of the page"):
        build.render({"version": 1}, "")


def test_tables_and_lists_of_docstrings_are_tables_and_lists():
    rows = ["radius | value", "--- | ---", "paper (Theorem 1) | $P(x | z)$ and `y | z`", "ours | b"]
    table = "\n".join(f"| {row} |" for row in rows)
    found = formulas.to_html(f"Words.\n\n{table}\n\n- one\n  goes on\n- $\\arg\\max_x f$")
    assert found.startswith('<p>Words.</p><table><thead><tr><th scope="col">radius</th>')
    assert found.count("<tr>") == 3 and found.count("<td>") == 4 and "<code>y | z</code>" in found
    assert found.count("<li>") == 2 and "<li>one\n  goes on</li>" in found
    assert "arg&#x000A0;max" in found


# Files that are not what their manifest says.

FIGURES = ROOT / "figures"
committed = pytest.mark.skipif(
    not (FIGURES / "glb_omd/manifest.json").is_file(), reason="no full run has been committed yet"
)


@pytest.fixture(scope="module")
def plan():
    return Plan(load_config())


@pytest.fixture
def reader(plan, tmp_path):
    """Return what reads a copy of a paper's committed files."""
    shutil.copytree(FIGURES / "glb_omd", tmp_path / "figures/glb_omd")

    def read(what):
        found = content._Paper(plan, tmp_path, "glb_omd", plan.papers["glb_omd"])
        return getattr(found, what)()

    return read


def swapped(path):
    shutil.copy(path.with_name("fig2.png"), path)


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def changed(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@committed
@pytest.mark.parametrize("what", ["figures", "claims", "cells"])
def test_files_as_they_were_committed_are_read(reader, what):
    assert reader(what)


@committed
@pytest.mark.parametrize(
    ("what", "name", "change"),
    [
        ("figures", "fig1.png", swapped),
        ("figures", "fig1.png", cut),
        ("figures", "fig1.pdf", changed),
        ("figures", "tables/fig1.csv", changed),
        ("figures", "thumbnails/fig1.webp", cut),
        ("claims", "claims.csv", changed),
        ("cells", "tables/trials.csv", changed),
        ("cells", "curves.parquet", changed),
        ("cells", "tables/trials_variants.csv", changed),
    ],
)
def test_a_changed_file_is_named(reader, tmp_path, what, name, change):
    change(tmp_path / "figures/glb_omd" / name)
    with pytest.raises(
        ResultError, match=r"is not the file that .* run its target again"
    ) as caught:
        reader(what)
    assert name in str(caught.value) and "\n" not in str(caught.value)


@committed
@pytest.mark.parametrize("damaged", [b"", b"{", b"[]", b'{"items": 3, "inputs": {}}', b"\xff"])
def test_a_damaged_manifest_is_named(reader, tmp_path, damaged):
    place = tmp_path / "figures/glb_omd/manifest.json"
    place.write_bytes(damaged)
    with pytest.raises(ResultError, match=r"manifest\.json is no manifest .* make it again"):
        reader("figures")


@committed
def test_a_file_without_a_manifest_is_named(reader, tmp_path):
    place = tmp_path / "figures/glb_omd/manifest.json"
    place.write_text('{"items": {}, "inputs": {}}')
    with pytest.raises(ResultError, match=r"no manifest in .*glb_omd names .*fig1\.png"):
        reader("figures")
    place.unlink()
    with pytest.raises(ResultError, match=r"manifest\.json does not exist; make it with"):
        reader("figures")


def test_what_git_has_is_restored_with_git(tmp_path):
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    folder = tmp_path / "figures/toy"
    folder.mkdir(parents=True)
    picture = folder / "fig1.png"
    picture.write_bytes(b"one")
    files = {"figures/toy/fig1.png": hashlib.sha256(b"other").hexdigest()}
    text = json.dumps({"items": {"fig1": {"files": files, "inputs": []}}, "inputs": {}})
    (folder / "manifest.json").write_text(text)
    with pytest.raises(ResultError, match="restore it, or delete it and run its target again"):
        manifest.Described(folder).check(picture)
    subprocess.run(["git", "-C", tmp_path, "add", "."], check=True)
    with pytest.raises(ResultError, match=r"restore it with git: git checkout -- .*fig1\.png"):
        manifest.Described(folder).check(picture)
    (folder / "manifest.json").write_text("{")
    with pytest.raises(ResultError, match=r"restore it with git: .*manifest\.json; or make it"):
        manifest.Described(folder)
