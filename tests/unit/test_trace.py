"""The command ``optimist provenance``: what is behind a figure, a table, a result."""

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from committed_tables import COMMIT, MADE, record_of, trials_of, write
from result_files import make, toy_trials
from toy_environments import ROOT

from optimist.cli import main
from optimist.config.load import load_config
from optimist.core.errors import ConfigError, ResultError
from optimist.core.files import sha256
from optimist.core.layout import Layout
from optimist.experiments import cell_records, results
from optimist.experiments.cell_records import STUDY, CellRecord
from optimist.figures.studies import tables as study_tables
from optimist.plan import products, trace
from optimist.plan.plan import Plan

FILES = {"png": "ball.png", "pdf": "ball.pdf", "webp": "thumbnails/ball.webp"}
OTHER = "fedcba9876543210"


def plan_of(paper):
    return Plan({**load_config(), "papers": [paper], "figures": str(Path("figures").absolute())})


def put(plan, kind, name, contents=None, studies=None, source=None):
    """Write the files of a product, which show nothing or are those of a folder, and its record."""
    (paper,) = plan.papers
    product = plan.targets.product(paper, kind, name)
    folder = Path(plan.layout.figures, paper)
    for number, path in enumerate(map(Path, product.files.values())):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((source / path.name).read_text() if source else f"{number}\n")
    files = {str(Path(p).relative_to(folder)): sha256(p) for p in product.files.values()}
    record = {"digest": product.digest(contents or {}, studies or {}, {}), "files": files}
    Path(product.record).parent.mkdir(exist_ok=True)
    Path(product.record).write_text(json.dumps(record))
    return product


@pytest.fixture
def figure(tmp_path, monkeypatch):
    """A figure of six cells: five of today's code, one of another and of another commit."""
    monkeypatch.chdir(tmp_path)
    plan = plan_of("go_ucb")
    keys = plan.targets.product("go_ucb", "figures", "ball").keys
    found = []
    for number, (_, setting, algorithm) in enumerate(keys):
        planned = plan.trials.of_paper("go_ucb")["regret", setting, algorithm]
        trials = trials_of(setting, algorithm, [1.0 + number] * planned.stop, 60)
        changes = {} if number else {"commit": f"{OTHER}+", "made": "a slower machine"}
        digest = plan.trials.digest(planned) if number else "0" * 16
        found.append((trials, record_of(trials, digest, **changes)))
    write("figures", "go_ucb", found)
    put(plan_of("go_ucb"), "figures", "ball", {one.key: one.content for one, _ in found})
    return Path("figures/go_ucb/ball.png")


def test_a_figure_is_traced_to_cells_settings_streams_and_machines(figure):
    found = trace.trace(figure)
    assert found["records"] == ["figures/go_ucb/records/ball.json"]
    assert found["configured"] == "config/papers/go_ucb/figures.yaml, figures.ball"
    assert found["panels"]["a"].startswith("optimist.figures.")
    assert found["is_current"] and found["missing"] == [] and len(found["cells"]) == 6
    assert [one["other_code"] for one in found["cells"]] == [True, *[False] * 5]
    assert {one["commit"] for one in found["cells"]} == {COMMIT, f"{OTHER}+"}
    numbers = {f"go_ucb/{one['setting']}": one["trials"] for one in found["cells"]}
    assert {*found["settings"]} == {*numbers}
    assert found["streams"] == {name: [*range(number)] for name, number in numbers.items()}
    assert found["data"].keys() == {"australian", "breast_cancer", "diabetes"}


def test_the_words_name_what_the_issue_of_a_number_is_asked_for(figure, capsys):
    for path in (figure, *(figure.parent / name for name in ("thumbnails/ball.webp", "ball.pdf"))):
        assert main.main(["provenance", str(path)]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[:2] == [str(path), "1 of 6 cells are of other code"]
    text = "\n".join(lines)
    digest = cell_records.read(figure.parent / "cells.csv").popitem()[1].digest
    for words in (f"commit {OTHER}+:", "a slower machine", MADE, f"trials, {digest}", "go_ucb/"):
        assert words in text
    assert main.main(["provenance", "--json", str(figure)]) == 0
    assert len(json.loads(capsys.readouterr().out)["cells"]) == 6


def test_json_has_null_for_numbers_that_are_not_finite(monkeypatch, capsys):
    origin = {"cost": math.nan, "bounds": [-math.inf, math.inf, 0.1], "NaN": "Infinity"}
    monkeypatch.setattr(trace, "trace", lambda *arguments: origin)
    assert main.main(["provenance", "--json", "a figure"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found == {"cost": None, "bounds": [None, None, 0.1], "NaN": "Infinity"}


def test_a_figure_of_other_trials_than_those_beside_it_says_so(figure, capsys):
    path = figure.parent / "records/ball.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "digest": "0" * 16}))
    assert not trace.trace(figure)["is_current"]
    figure.with_suffix(".pdf").unlink()
    assert not trace.trace(figure)["is_current"]
    assert main.main(["provenance", str(figure)]) == 0
    assert "the current code and tables would make a different file" in capsys.readouterr().out


def test_cells_that_are_not_published_are_named(figure, capsys):
    known = cell_records.read(figure.parent / "cells.csv")
    (key, _) = known.popitem()
    cell_records.write(known.values(), figure.parent / "cells.csv")
    assert trace.trace(figure)["missing"] == [f"go_ucb/{'/'.join(key)}"]
    assert main.main(["provenance", str(figure)]) == 0
    assert "cells without a record: 1: go_ucb/regret/" in capsys.readouterr().out


def test_rows_that_are_not_those_of_their_record_are_named(figure):
    path = figure.parent / "cells.csv"
    first, *others = cell_records.read(path).values()
    cell_records.write([replace(first, content="0" * 16), *others], path)
    (name,) = trace.trace(figure)["missing"]
    assert name == f"go_ucb/{'/'.join(first.key)}"
    for table in ("trials.parquet", "cells.csv"):
        with pytest.raises(ResultError, match=r"does not match the records in .*: regret/"):
            trace.trace(figure.with_name(table))


def test_a_copy_of_the_folder_is_traced_as_the_folder_is(figure, tmp_path, monkeypatch):
    shutil.copytree("figures", tmp_path / "elsewhere" / "figures")
    monkeypatch.chdir(tmp_path / "elsewhere/figures/go_ucb")
    found = trace.trace("ball.png")
    assert found["records"] == ["records/ball.json"]
    assert found["is_current"] and len(found["cells"]) == 6


def test_the_tables_of_a_paper_are_told_by_commit(figure, capsys):
    first, *others = (one["trials"] for one in trace.trace(figure)["cells"])
    for name in ("trials.parquet", "cells.csv"):
        assert main.main(["provenance", str(figure.parent / name)]) == 0
        text = capsys.readouterr().out
        assert f"5 cells with {sum(others)} trials by commit {COMMIT}:\n  {MADE}" in text
        assert f"1 cells with {first} trials by commit {OTHER}+:" in text
    path = figure.parent / "trials.parquet"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ResultError, match=r"trials\.parquet is damaged"):
        trace.trace(path)


def test_a_study_behind_a_table_has_its_record(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = plan_of("bkb")
    (name,) = plan.targets.product("bkb", "tables", "dimension").studies
    digest = plan.studies.digest("bkb", name)
    facts = {"dimension": pd.DataFrame({"x": [1.0]})}
    cell = (STUDY, "paper", name, "")
    study_tables.write(facts, Path("studies.parquet"))
    content = study_tables.content(study_tables.read("studies.parquet")[0])
    record = CellRecord(*cell, 0, (), digest, content, {}, 1.0, 1.0, COMMIT, MADE)
    Path("figures/bkb").mkdir(parents=True)
    Path("studies.parquet").rename("figures/bkb/studies.parquet")
    cell_records.write([record], "figures/bkb/cells.csv")
    put(plan_of("bkb"), "tables", "dimension", studies={name: content})
    found = trace.trace("figures/bkb/tables/dimension.md")
    (one,) = found["cells"]
    assert one["setting"] == name and not one["other_code"] and found["is_current"]
    assert f"bkb/study/{name}: 0 trials, {digest}" in trace.to_text(found)


def test_joined_claims_are_traced_to_the_claims_of_their_papers(figure):
    known = cell_records.read(figure.with_name("cells.csv")).items()
    contents = {key: record.content for key, record in known}
    source = ROOT / "figures/go_ucb"
    own = put(plan_of("go_ucb"), "claims", "claims", contents, source=source)
    products.join_claims(Layout("", "figures"), ["go_ucb"])
    for name in ("claims.csv", "claims.md"):
        joined = Path("figures", name)
        one, all_of_them = trace.trace(figure.with_name(name)), trace.trace(joined)
        for key in ("records", "cells", "missing", "settings", "streams", "data", "is_current"):
            assert all_of_them[key] == one[key] and (one[key] or key == "data")
        joined.write_text("another\n")
        assert not trace.trace(joined)["is_current"]
    assert one["configured"] == "config/papers/go_ucb/claims.yaml"
    Path(own.files["md"]).write_text("another\n")
    with pytest.raises(ResultError, match=r"claims\.md is not the file .*; make it again: optimi"):
        trace.trace(joined)
    Path(own.files["md"]).unlink()
    with pytest.raises(ResultError, match=r"go_ucb/claims\.md does not exist; make it again: opti"):
        trace.trace("figures/claims.csv")


def test_a_changed_file_is_refused(figure):
    figure.write_bytes(b"something else")
    said = r"ball\.png is not the file that figures/go_ucb/records/ball\.json describes.*draw"
    with pytest.raises(ResultError, match=said):
        trace.trace(figure)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("figures/go_ucb/none.png", "is not a file; allowed"),
        ("figures/go_ucb/other.png", "no record in the folder of .*other.png, or"),
        ("figures/claims.csv", "has a record of its claims"),
    ],
)
def test_what_nobody_knows_is_said_to_be_so(figure, name, words):
    Path("figures/go_ucb/other.png").write_bytes(b"")
    if name == "figures/claims.csv":
        Path(name).write_bytes(b"")
    with pytest.raises(ResultError, match=words):
        trace.trace(name)


@pytest.mark.parametrize("text", ["{", "[]", '{"files": []}', "[" * 100_000])
def test_a_file_that_is_no_record_is_named(figure, text):
    (figure.parent / "records/ball.json").write_text(text)
    with pytest.raises(ResultError, match=r"json is not a record .*; make it again: optimist"):
        trace.trace(figure)


def test_a_figure_that_is_no_longer_configured_is_named(figure):
    record = figure.parent / "records/ball.json"
    record.rename(record.with_name("bal.json"))
    with pytest.raises(ConfigError, match="'bal'"):
        trace.trace(figure)


def test_a_result_file_speaks_for_itself(tmp_path):
    (path,) = make(tmp_path, toy_trials(first=2, stop=4))
    found = trace.trace(path)
    assert found["streams"] == {"toy/here": [2, 3]}
    assert found["made"] == results.read_metadata(path)["provenance"]
    assert found["resolved"]["options"] == {"inverse": "rank_one", "variant": "paper"}
    assert "toy/here: 2 to 3" in trace.to_text(found)
    assert "regret lane, gloc, 12 rounds" in trace.to_text(found)
    (path,) = make(tmp_path, replace(toy_trials("timing", horizon=3000), rounds=5))
    assert "timing lane, gloc, 5 rounds" in trace.to_text(trace.trace(path))


# What is committed.

PAPERS = sorted(path.parent.name for path in ROOT.glob("figures/*/claims.csv"))


@pytest.mark.parametrize("paper", PAPERS)
def test_what_is_committed_is_what_its_records_say(paper, monkeypatch):
    monkeypatch.chdir(ROOT)
    folder = Path("figures", paper)
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    known = {}
    for record in folder.glob("records/*.json"):
        known |= json.loads(record.read_text())["files"]
    assert {name: sha256(folder / name) for name in known} == known
    made = {name for name in names if "/" not in name and name.endswith((".csv", ".parquet"))}
    assert {"trials.parquet", "cells.csv", "claims.csv"} <= made
    assert {n for n in names if not n.startswith("records/")} - made <= {*known}
    found = trace.trace(folder / "claims.csv")
    assert found["cells"] and not found["missing"] and found["settings"] and found["streams"]
    assert not any(one["commit"].endswith("+") for one in found["cells"])
