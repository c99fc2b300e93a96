"""Snakemake's plan and products for a paper of eight cells, two figures, a table and a claim."""

import csv
import re
import shutil

import pytest
import yaml
from projects import new_project

from optimist.experiments.trial_table import TrialTable

PAPER = yaml.safe_load("""
settings:
  paper: toy
  title: Toy
  reference: Nobody (2026)
  band: 0.95
  method: glb_omd
  names: {glb_omd: glb_omd, gloc: gloc, ecolog: ecolog, uniform: uniform}
  defaults:
    glm: {parameters: {link: logistic}, problem: {delta: 0.01, kappa: parameter}, horizon: 40}
  settings:
    s1: {title: s1, about: A small setting., environment: glm, parameters: {norm: 3}}
    s2: {title: s2, about: A small setting., environment: glm, parameters: {norm: 5}}
runs:
  runs: [{settings: [s1, s2], algorithms: [glb_omd, gloc, ecolog, uniform], trials: 10}]
  timings: []
figures:
  figures:
    fig1:
      title: fig1
      caption: fig1.
      panels: [{kind: regret, setting: s1, algorithms: [glb_omd, gloc]}]
    fig2:
      title: fig2
      caption: fig2.
      panels: [{kind: regret, setting: s2, algorithms: [gloc, ecolog]}]
  tables: {finals: {kind: final_regret, title: Finals, caption: Finals.}}
claims:
  paper: toy
  level: 0.95
  claims:
    - id: toy.01
      place: Figure 1
      statement: It is good.
      note: A toy.
      checks:
        - quantity: coverage
          statistic: share
          arguments: {algorithm: glb_omd, settings: [s1]}
          relation: above
          bound: 0.5
""")
FIRST = 'toy.01,"trials of glb_omd whose set held the truth in all rounds, s1",trials,0,10\n'
GLOC = "src/optimist/algorithms/glb/gloc.py"
ECOLOG = "src/optimist/algorithms/glb/ecolog.py"
UPDATE = "    def update(self, arms: np.ndarray, index: int, reward: float) -> None:\n"
TARGET = "toy"
PAPERS = "papers=[toy]"
OF_TOY = ("--config", PAPERS)
PRODUCTS = {"figure": 2, "table": 1, "claims": 1, "publish": 1}


def write_paper(project, paper):
    folder = project.root / "config/papers/toy"
    folder.mkdir(parents=True, exist_ok=True)
    for room, document in paper.items():
        (folder / f"{room}.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    with (project.root / "config/first.csv").open("a") as file:
        file.write(FIRST)


def append(project, name, line="UNUSED = 1"):
    """Add a line to a source file; return the text before."""
    path = project.root / name
    text = path.read_text()
    path.write_text(f"{text}\n{line}\n")
    return text


def command(*words, options=(), **config):
    values = [PAPERS, *(f"{key}={value}" for key, value in config.items())]
    return (
        "snakemake",
        "--cores",
        "2",
        "--config",
        *values,
        "--quiet",
        "host",
        *options,
        "--",
        *words,
    )


def snakemake(project, *words, **config):
    return project.run(*command(*words, **config))


def planned(project, *targets, options=(), **config):
    """Return how many jobs of each rule a dry run plans."""
    text = project.run(*command(*targets, options=["-n", *options], **config)).stdout
    counts = dict(re.findall(r"^([a-z]\w*) +([0-9]+)$", text, flags=re.MULTILINE))
    return {rule: int(n) for rule, n in counts.items() if rule not in ("total", "all", *targets)}


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """A project whose paper was run, with what is committed of it."""
    project = new_project(tmp_path_factory.mktemp("origin") / "project")
    write_paper(project, PAPER)
    snakemake(project, "all")
    return project


@pytest.fixture
def clone(origin, tmp_path):
    """A fresh clone of it."""
    return origin.cloned(tmp_path / "clone")


@pytest.fixture
def copy(origin, tmp_path):
    """A copy of it with its results."""
    return origin.copied(tmp_path / "copy")


def test_a_run_writes_the_tables_and_a_second_one_does_nothing(origin):
    folder = origin.root / "figures/toy"
    made = {path.name for path in folder.iterdir()}
    assert {"trials.parquet", "cells.csv", "records", "tables", "fig1.png", "claims.csv"} <= made
    rows = list(csv.DictReader((folder / "cells.csv").open()))
    assert len(rows) == 9  # and the study of facts
    assert {row["trials"] for row in rows if row["lane"] == "regret"} == {"10"}
    assert planned(origin, "all") == planned(origin, "all", committed="use") == {}


def test_everything_is_played_in_a_fresh_clone_and_nothing_with_use(clone):
    assert planned(clone, TARGET) == {"run": 8, "study": 1, **PRODUCTS}
    assert planned(clone, TARGET, committed="use") == {"publish": 1}
    assert planned(clone, "figures/toy/fig1.png", "figures/toy/claims.csv") == {}
    targets = ("figures/toy/fig1.png", "toy_fig1", "toy_finals", "toy_claims")
    assert planned(clone, *targets, committed="use") == {}


def test_a_named_target_plays_its_own_cells(clone):
    assert planned(clone, "toy_fig1") == {"run": 2, "figure": 1}
    assert planned(clone, "toy_claims") == {"run": 8, "study": 1, "claims": 1}
    again = {"results": "again/results", "figures": "again/figures"}
    assert planned(clone, "toy_fig1", **again) == {"run": 2, "figure": 1}
    committed = (clone.root / "figures/toy/fig1.png").read_bytes()
    snakemake(clone, "toy_fig1", **again)
    assert (clone.root / "again/figures/toy/fig1.png").is_file()
    assert (clone.root / "figures/toy/fig1.png").read_bytes() == committed
    done = snakemake(clone, "toy_fig1", **again)
    assert done.stderr.splitlines()[-1].startswith("to play it again: add --forcerun run time")


def test_more_trials_follow_those_of_the_committed_table(clone):
    table = TrialTable(clone.root / "figures/toy/trials.parquet")
    before = table.recorded("regret", "s1", "gloc").content
    clone.edit("config/papers/toy/runs.yaml", "trials: 10", "trials: 15")
    assert planned(clone, TARGET, committed="use") == {"run": 8, **PRODUCTS}
    done = snakemake(clone, TARGET, committed="use")
    assert "000-009" not in done.stderr
    names = [path.name[:7] for path in (clone.root / "results/run").rglob("*.parquet")]
    assert {*names} == {"010-014"}
    assert planned(clone, TARGET, committed="use") == {}
    appended = TrialTable(clone.root / "figures/toy/trials.parquet").recorded(
        "regret", "s1", "gloc"
    )
    assert appended.take(range(10)).content == before
    shutil.rmtree(clone.root / "results")
    snakemake(clone, TARGET)  # every trial, in one run
    whole = TrialTable(clone.root / "figures/toy/trials.parquet").recorded("regret", "s1", "gloc")
    assert whole.content == appended.content


def test_a_changed_colour_draws_what_shows_it_and_then_nothing(clone):
    colour = re.search(r"gloc: .*(#\w+)", (clone.root / "config/style.yaml").read_text())[1]
    clone.edit("config/style.yaml", colour, "#123456")
    target = "figures/toy/fig1.png"
    assert planned(clone, target) == {"run": 2, "figure": 1}
    assert planned(clone, target, committed="use") == {"figure": 1}
    before = (clone.root / target).read_bytes()
    clone.run("optimist", "draw", "toy/fig1", *OF_TOY)
    drawn = (clone.root / target).read_bytes()
    assert drawn != before
    assert planned(clone, target, committed="use") == {}
    (clone.root / target).unlink()
    snakemake(clone, target, committed="use")
    assert (clone.root / target).read_bytes() == drawn  # the rule writes the same bytes
    assert planned(clone, target, committed="use") == {}


def test_a_changed_setting_plays_its_cells_and_draws_its_figure(clone):
    clone.edit("config/papers/toy/settings.yaml", "norm: 3", "norm: 4")
    assert planned(clone, "toy_fig1", committed="use") == {"run": 2, "figure": 1}
    assert planned(clone, "toy_fig2", committed="use") == {}
    every = planned(clone, TARGET, committed="use")
    assert every == {"run": 4, "study": 1, **PRODUCTS, "figure": 1}
    snakemake(clone, "toy_fig1", committed="use")
    assert planned(clone, "toy_fig1", committed="use") == {}
    snakemake(clone, TARGET, committed="use")
    assert planned(clone, TARGET, committed="use") == {}
    shutil.rmtree(clone.root / "results")
    shutil.rmtree(clone.root / ".snakemake")
    assert planned(clone, TARGET, committed="use") == {"publish": 1}


def test_an_edited_method_plays_its_cells_and_an_edit_taken_back_nothing(clone):
    text = append(clone, GLOC)
    assert planned(clone, "toy_fig1", committed="use") == {"run": 1, "figure": 1}
    assert planned(clone, TARGET, committed="use") == {"run": 2, **PRODUCTS}
    (clone.root / GLOC).write_text(text)
    assert planned(clone, TARGET, committed="use") == {"publish": 1}


def test_a_table_of_other_code_is_replaced_where_results_of_today_are_there(copy):
    cells = copy.root / "figures/toy/cells.csv"
    first = cells.read_bytes()
    text = append(copy, GLOC)
    snakemake(copy, TARGET)
    other = cells.read_bytes()
    assert other != first
    (copy.root / GLOC).write_text(text)
    for committed in ("use", "ignore"):
        cells.write_bytes(other)
        assert planned(copy, TARGET, committed=committed) == {"publish": 1}
        snakemake(copy, TARGET, committed=committed)
        assert planned(copy, TARGET, committed=committed) == {}
        assert cells.read_bytes() == first


def test_results_without_records_of_snakemake_are_those_of_today(copy):
    shutil.rmtree(copy.root / ".snakemake")
    assert planned(copy, TARGET) == {}
    text = append(copy, GLOC)
    assert planned(copy, TARGET) == {"run": 2, **PRODUCTS}
    (copy.root / GLOC).write_text(text)
    assert planned(copy, TARGET) == {}


def test_more_trials_add_files(copy):
    copy.edit("config/papers/toy/runs.yaml", "trials: 10", "trials: 20")
    assert planned(copy, TARGET) == {"run": 8, **PRODUCTS}
    made = copy.outputs(command(), "toy_fig1")
    assert {path.split("/")[-1][:7] for path in made if "/run/" in path} == {"010-019"}


# The files of each product, and the targets that promise them, besides `all` and the paper's own.
FILES = {
    "toy_fig1": ["toy/fig1.png", "toy/fig1.pdf", "toy/thumbnails/fig1.webp", "toy/tables/fig1.csv"],
    "toy_finals": ["toy/tables/finals.csv", "toy/tables/finals.md"],
    "toy_claims": ["toy/claims.csv", "toy/claims.md"],
    "page": ["claims.csv", "claims.md", "index.html", "README.md"],
}


def test_every_deleted_output_is_made_again_by_the_targets_that_promise_it(copy):
    folder = copy.root / "figures"
    contents = {p: (folder / p).read_bytes() for paths in FILES.values() for p in paths}
    named = {"figure": 1, "table": 1, "claims": 1}
    for i in range(4):
        deleted = [paths[i % len(paths)] for paths in FILES.values()]
        for path in deleted:
            (folder / path).unlink()
        assert planned(copy, "all") == {**named, "page": 1}
        assert planned(copy, TARGET) == named
        assert planned(copy, "toy_fig1", "toy_finals", "toy_claims") == named
        (folder / deleted[-1]).write_bytes(contents[deleted[-1]])
        for path in deleted[:-1]:
            (folder / path).write_bytes(contents[path])
    for path in contents:
        (folder / path).unlink()
    snakemake(copy, "all")
    assert {path: (folder / path).read_bytes() for path in contents} == contents


def test_a_changed_bound_is_decided_from_the_table(clone):
    claims = clone.root / "figures/toy/claims.csv"
    assert "reproduced" in claims.read_text()
    clone.edit("config/papers/toy/claims.yaml", "bound: 0.5", "bound: 0.999")
    assert planned(clone, "toy_claims", committed="use") == {"claims": 1}
    clone.run("optimist", "decide", "toy", *OF_TOY, "--strict")
    decided = claims.read_bytes()
    assert b",open,open," in decided
    assert planned(clone, "toy_claims", committed="use") == {}
    claims.unlink()
    snakemake(clone, "toy_claims", committed="use")
    assert claims.read_bytes() == decided


def test_cells_of_other_code_are_named_and_refused_if_asked(clone):
    append(clone, GLOC)
    draw = ("optimist", "draw", "toy/fig1", *OF_TOY)
    said = clone.run(*draw).stderr
    assert "1 of 2 cells are of other code: toy/regret/s1/gloc" in said
    refused = clone.run(*draw, "--strict", check=False)
    assert refused.returncode == 1
    assert "play them: snakemake --cores all --config committed=use" in refused.stderr
    clone.run("optimist", "reseal", "toy", *OF_TOY, "--cores", "2")
    assert "other code" not in clone.run(*draw).stderr
    assert planned(clone, TARGET, committed="use") == {"publish": 1}


def test_a_method_that_crashes_blocks_nothing_else(clone):
    clone.edit(ECOLOG, UPDATE, f"{UPDATE}        raise TypeError('a bug of ecolog')\n")
    folder = clone.root / "figures/toy"
    table = TrialTable(folder / "trials.parquet")
    for name in ("fig1.png", "fig2.png"):
        (folder / name).unlink()
    failed = clone.run(*command(TARGET), check=False)
    assert failed.returncode == 1 and "a bug of ecolog" in failed.stderr
    assert "toy: 0 from results, 7 kept" in failed.stderr
    assert "of other code: 2: regret/s1/ecolog, regret/s2/ecolog" in failed.stderr
    assert (folder / "fig1.png").exists() and not (folder / "fig2.png").exists()
    kept = TrialTable(folder / "trials.parquet")
    assert kept.keys == table.keys
    assert all(kept.cell(*key).content == table.cell(*key).content for key in table.keys)
    assert planned(clone, TARGET) == {"run": 2, **PRODUCTS, "figure": 1}
    (folder / "trials.parquet").write_bytes(b"no table")
    failed = clone.run(*command(TARGET), check=False)
    assert "error: figures/toy/trials.parquet" in failed.stderr
    assert "ResultError" not in failed.stderr
    for name in ("trials.parquet", "cells.csv"):
        (folder / name).unlink()
    done = clone.run("optimist", "publish", *OF_TOY, check=False)
    assert done.returncode == 1
    assert "missing: 2: regret/s1/ecolog, regret/s2/ecolog" in done.stdout
    assert len(TrialTable(folder / "trials.parquet").keys) == 6


def test_a_damaged_table_is_named_in_one_line(clone):
    path = clone.root / "figures/toy/cells.csv"
    path.write_text(path.read_text()[:-100])
    done = clone.run(*command(TARGET, options=["-n"]), check=False)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert "figures/toy/cells.csv, line 10 is not a record of a cell" in line and "publish" in line


# Snakemake's own options mean what they say.


def test_a_run_ends_at_a_rule_or_is_forced_from_it(clone, copy):
    assert planned(clone, TARGET, options=["--until", "run"]) == {"run": 8}
    assert planned(copy, TARGET, options=["--forcerun", "run"]) == {"run": 8, **PRODUCTS}


def test_a_rule_is_given_other_resources_and_others_are_not_allowed(clone):
    text = clone.run(*command(TARGET, options=["-n", "--set-resources", "run:mem_mb=7777"])).stdout
    assert text.count("mem_mb=7777,") == 8
    path = re.search(r"results/run/\S+parquet", text)[0]
    assert planned(clone, path, options=["--allowed-rules", "run"]) == {"run": 1}
