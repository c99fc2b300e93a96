"""The command ``optimist claims``: verdicts from the committed tables alone, and the README."""

import json

import pandas as pd
import pytest
from claim_tables import SPREAD, check_of, claim_with, document, facts, finals, reading

from optimist.claims.next_look import next_look
from optimist.claims.table import to_frame
from optimist.claims.verdicts import evaluate, gates_of
from optimist.cli import main, read
from optimist.config import load
from optimist.page import findings

TALLY = (
    "3 claims: 1 reproduced, 1 not reproduced, 1 open. 2 of the 2 decided claims keep their "
    "verdicts at an error 3 times smaller."
)
README = "# Title\n\n<!-- claims -->\n<!-- /claims -->\n"


NEEDED = "The next look has up to 10 more trials a cell (0.01 core-hours)."


def about(name):
    arguments = {"name": name, "setting": "here"}
    return check_of("fact", "value", arguments)


OPEN = check_of(
    "column",
    "ratio",
    {"algorithm": "x", "column": "regret", "setting": "a", "base": "b"},
    "below",
    10,
)
WRITTEN = document(
    {**claim_with(reading(about("low")), id="glb_omd.01"), "statement": "About glb_omd."},
    {**claim_with(reading(about("high")), id="other.01"), "statement": "About other."},
    {**claim_with(reading(OPEN), id="other.02"), "statement": "It is open."},
)
TABLES = {
    "facts": facts(low=0.5, high=2.0),
    "finals": pd.concat(
        [finals("a", "x", [10.0 + 4 * z for z in SPREAD]), finals("b", "x", [1.0] * 10)]
    ),
}


@pytest.fixture
def figures(tmp_path):
    """A folder with the verdicts on three claims, and one of them alone for the paper glb_omd."""
    verdicts, gates = evaluate(WRITTEN, TABLES), gates_of(WRITTEN, TABLES)
    seconds = {("regret", name, "x"): 2.0 for name in "ab"}
    frame = to_frame(verdicts, {v.claim.id: next_look(v, gates, seconds) for v in verdicts})
    folder = tmp_path / "figures"
    (folder / "glb_omd").mkdir(parents=True)
    frame.to_csv(folder / "claims.csv", index=False)
    frame[:1].to_csv(folder / "glb_omd" / "claims.csv", index=False)
    return folder


@pytest.fixture
def optimist(capsys):
    """Run a command; return its status and what it prints to stdout and stderr."""

    def run(*arguments):
        status = main.main([str(a) for a in arguments])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def readme(tmp_path, monkeypatch):
    """A README and pages of findings in a project root of their own."""
    names = load.paper_names()
    monkeypatch.setattr(read, "project_root", lambda: tmp_path)
    monkeypatch.setattr(read, "paper_names", lambda: names)
    about = {"paper": "A paper", "says": "It is.", "measured": "It is {size[value]}."}
    about |= {"headline": "It is not.", "expects": {"other.01": "not reproduced"}}
    about["numbers"] = {"size": {"claim": "other.01", "check": "high, here"}}
    document = {"papers": {"glb_omd": about, "other": about}, "findings": []}
    monkeypatch.setattr(findings, "load", lambda: document)
    (tmp_path / "docs/findings").mkdir(parents=True)
    for name in ("glb_omd", "other"):
        (tmp_path / f"docs/findings/{name}.md").write_text(README)
    path = tmp_path / "README.md"
    path.write_text(README)
    return path


def test_all_verdicts_are_printed(optimist, figures):
    status, out, err = optimist("claims", "--figures", figures)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "glb_omd.01  reproduced      About glb_omd.",
        "other.01    not reproduced  About other.",
        "                            -> fails in 1 of 1 reading",
        "other.02    open            It is open.",
        "                            -> open in 1 of 1 reading",
        *[line for line in out.splitlines() if line.startswith(f"{'':<28}-> {NEEDED}")],
        "",
        TALLY,
    ]
    assert len(out.splitlines()) == 8


def test_what_would_decide_is_listed_with_its_command(optimist, figures):
    status, out, err = optimist("claims", "--open", "--figures", figures)
    assert (status, err) == (0, "")
    head, needed, command = out.splitlines()
    assert head == "other.02 (open)  It is open."
    assert needed.startswith(f"    few trials: {NEEDED}")
    options = "committed=use 'decide={other.02: 20}'"
    assert command == f"    snakemake --cores all --config {options} -- other"
    _, out, _ = optimist("claims", "glb_omd", "--open", "--figures", figures)
    assert out == "no claim is open or doubted\n"


def test_verdicts_and_what_would_decide_are_there_as_json(optimist, figures):
    rows = json.loads(optimist("claims", "--json", "--figures", figures)[1])
    assert [(row["claim"], row["verdict"]) for row in rows] == [
        ("glb_omd.01", "reproduced"),
        ("other.01", "not reproduced"),
        ("other.02", "open"),
    ]
    assert rows[0]["low"] is None  # of a fact, which has no interval
    _, out, _ = optimist("claims", "--open", "--json", "--figures", figures)
    (row,) = json.loads(out)
    assert (row["claim"], row["needs"]) == ("other.02", 20)
    assert row["command"].startswith("snakemake ")


@pytest.mark.parametrize(
    ("paper", "command"),
    [([], "make reproduce"), (["glb_omd"], "snakemake --cores 2 glb_omd")],
)
def test_a_missing_file_is_named_with_the_command_that_makes_it(optimist, tmp_path, paper, command):
    status, out, err = optimist("claims", *paper, "--figures", tmp_path / "none")
    assert (status, out) == (1, "")
    assert "claims.csv does not exist" in err
    assert f"make it with: {command} " in err


def test_the_readme_gets_the_verdicts(optimist, figures, readme):
    status, out, _ = optimist("claims", "--readme", "--figures", figures)
    assert (status, out) == (0, f"{TALLY}\n")
    text = readme.read_text()
    link = "It is 2. ([other.01](figures/other/claims.md#other01-not-reproduced): not reproduced)"
    assert link in text and TALLY in text
    page = (readme.parent / "docs/findings/other.md").read_text()
    assert "- empirical, **not reproduced**: About other. (01)." in page
    assert "glb_omd" not in page


def test_a_readme_without_markers_is_refused_and_kept(optimist, figures, readme):
    readme.write_text("# Title\n")
    status, _, err = optimist("claims", "--readme", "--figures", figures)
    assert status == 1
    assert "<!-- claims -->" in err
    assert readme.read_text() == "# Title\n"


def test_nothing_is_written_where_a_page_of_findings_lacks_its_markers(optimist, figures, readme):
    (readme.parent / "docs/findings/other.md").write_text("# Other\n")
    status, _, err = optimist("claims", "--readme", "--figures", figures)
    assert status == 1
    assert "docs/findings/other.md lacks the lines <!-- claims -->" in err
    assert readme.read_text() == README


def test_a_readme_takes_no_verdicts_of_a_shortened_run(optimist, tmp_path, readme):
    to_frame(evaluate(WRITTEN, TABLES, "at most 150 rounds")).to_csv(tmp_path / "claims.csv")
    status, _, err = optimist("claims", "--readme", "--figures", tmp_path)
    assert (status, readme.read_text()) == (1, README)
    assert "the claims come from a shortened run; allowed: claims from a full run" in err
