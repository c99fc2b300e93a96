"""What Snakemake plans in a fresh clone, for a paper of eight cells and two figures."""

import csv
import re
import shutil

import pytest
import yaml
from projects import Project, new_project

pytestmark = pytest.mark.workflow

METHODS = {"a": "glb_omd", "b": "gloc", "c": "ecolog", "d": "uniform"}
PAPER = {
    "settings": {
        "paper": "toy",
        "title": "Toy",
        "reference": "Nobody (2026)",
        "band": 0.95,
        "method": "glb_omd",
        "names": {name: name for name in METHODS.values()},
        "settings": {
            name: {
                "title": name,
                "about": "A small setting.",
                "environment": "glm",
                "parameters": {"link": "logistic", "norm": norm},
                "problem": {"delta": 0.01, "kappa": "parameter"},
                "horizon": 40,
            }
            for name, norm in (("s1", 3), ("s2", 5))
        },
    },
    "runs": {
        "runs": [{"settings": ["s1", "s2"], "algorithms": [*METHODS.values()], "trials": 10}],
        "timings": [],
    },
    "figures": {
        "figures": {
            name: {
                "title": name,
                "caption": f"{name}.",
                "panels": [{"kind": "regret", "setting": setting, "algorithms": shown}],
            }
            for name, setting, shown in (
                ("fig1", "s1", ["glb_omd", "gloc"]),
                ("fig2", "s2", ["gloc", "ecolog"]),
            )
        }
    },
    "claims": {
        "paper": "toy",
        "level": 0.95,
        "claims": [
            {
                "id": "toy.01",
                "place": "Figure 1",
                "statement": "It is good.",
                "note": "A toy.",
                "checks": [
                    {
                        "metric": "regret_ratio",
                        "arguments": {
                            "setting": "s1",
                            "numerator": "glb_omd",
                            "denominator": "uniform",
                        },
                        "relation": "below",
                        "bound": 20,
                    }
                ],
            }
        ],
    },
}
TARGET = "toy"


def write_paper(project, paper):
    folder = project.root / "config/papers/toy"
    folder.mkdir(parents=True, exist_ok=True)
    for room, document in paper.items():
        (folder / f"{room}.yaml").write_text(yaml.safe_dump(document, sort_keys=False))


def edit(project, name, old, new):
    path = project.root / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def snakemake(project, *words, **config):
    values = ["papers=[toy]", *(f"{key}={value}" for key, value in config.items())]
    return project.run("snakemake", "--cores", "2", "--config", *values, "--quiet", "--", *words)


def planned(project, *targets, **config):
    """Return how many jobs of each rule a dry run plans."""
    values = ["papers=[toy]", *(f"{key}={value}" for key, value in config.items())]
    command = ["snakemake", "-n", "--cores", "2", "--quiet", "host", "--config", *values, "--"]
    text = project.run(*command, *targets).stdout
    counts = dict(re.findall(r"^([a-z]\w*) +([0-9]+)$", text, flags=re.MULTILINE))
    return {rule: int(n) for rule, n in counts.items() if rule not in ("total", *targets)}


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """A project whose paper was run, with what is committed of it."""
    project = new_project(tmp_path_factory.mktemp("origin") / "project")
    write_paper(project, PAPER)
    snakemake(project, TARGET)
    return project


@pytest.fixture
def clone(origin, tmp_path):
    """A fresh clone: files of now, no results, no records of Snakemake."""
    ignored = shutil.ignore_patterns("results", ".snakemake", "__pycache__")
    shutil.copytree(origin.root, tmp_path / "clone", ignore=ignored, copy_function=shutil.copyfile)
    root = tmp_path / "clone"
    return Project(root, {**origin.env, "PYTHONPATH": str(root / "src")})


def test_a_run_writes_the_tables_and_a_second_one_does_nothing(origin):
    folder = origin.root / "figures/toy"
    made = {path.name for path in folder.iterdir()}
    assert {"trials.parquet", "cells.csv", "records", "tables", "fig1.png", "claims.csv"} <= made
    rows = list(csv.DictReader((folder / "cells.csv").open()))
    assert len(rows) == 9  # and the study of facts
    assert {row["trials"] for row in rows if row["lane"] == "regret"} == {"10"}
    assert planned(origin, TARGET) == {}
    assert planned(origin, TARGET, committed="use") == {}


def test_everything_is_played_in_a_fresh_clone_and_nothing_with_use(clone):
    every = planned(clone, TARGET)
    assert every == {"run": 8, "study": 1, "figure": 2, "claims": 1, "publish": 1}
    assert planned(clone, TARGET, committed="use") == {"publish": 1}


@pytest.mark.parametrize("target", ["figures/toy/fig1.png", "toy_fig1"])
def test_a_committed_figure_is_there(clone, target):
    assert planned(clone, target) == planned(clone, target, committed="use") == {}


def test_a_changed_colour_draws_what_shows_it_and_then_nothing(clone):
    colour = re.search(r"gloc: .*(#\w+)", (clone.root / "config/looks.yaml").read_text())[1]
    edit(clone, "config/looks.yaml", colour, "#123456")
    target = "figures/toy/fig1.png"
    assert planned(clone, target) == {"run": 2, "figure": 1}
    assert planned(clone, target, committed="use") == {"figure": 1}
    before = (clone.root / target).read_bytes()
    clone.run("optimist", "draw", "toy/fig1", "--config", "papers=[toy]")
    drawn = (clone.root / target).read_bytes()
    assert drawn != before
    assert planned(clone, target, committed="use") == {}
    (clone.root / target).unlink()
    snakemake(clone, target, committed="use")
    assert (clone.root / target).read_bytes() == drawn  # the rule writes the same bytes
    assert planned(clone, target, committed="use") == {}


def test_a_changed_setting_plays_its_cells_and_draws_its_figure(clone):
    edit(clone, "config/papers/toy/settings.yaml", "norm: 3", "norm: 4")
    assert planned(clone, "toy_fig1", committed="use") == {"run": 2, "figure": 1}
    assert planned(clone, "toy_fig2", committed="use") == {}
    every = planned(clone, TARGET, committed="use")
    assert every == {"run": 4, "study": 1, "figure": 1, "claims": 1, "publish": 1}
    snakemake(clone, "toy_fig1", committed="use")
    assert planned(clone, "toy_fig1", committed="use") == {}
    snakemake(clone, TARGET, committed="use")
    assert planned(clone, TARGET, committed="use") == {}
    shutil.rmtree(clone.root / "results")
    shutil.rmtree(clone.root / ".snakemake")
    assert planned(clone, TARGET, committed="use") == {"publish": 1}


def test_an_edited_method_plays_its_cells_and_an_edit_taken_back_nothing(clone):
    place = "src/optimist/algorithms/glb/gloc.py"
    text = (clone.root / place).read_text()
    (clone.root / place).write_text(text + "\nUNUSED = 1\n")
    assert planned(clone, "toy_fig1", committed="use") == {"run": 1, "figure": 1}
    every = planned(clone, TARGET, committed="use")
    assert every == {"run": 2, "figure": 2, "claims": 1, "publish": 1}
    (clone.root / place).write_text(text)
    assert planned(clone, TARGET, committed="use") == {"publish": 1}


def test_results_without_records_of_snakemake_are_those_of_today(origin, tmp_path):
    shutil.copytree(origin.root, tmp_path / "copy")
    copy = Project(tmp_path / "copy", {**origin.env, "PYTHONPATH": str(tmp_path / "copy/src")})
    shutil.rmtree(copy.root / ".snakemake")
    assert planned(copy, TARGET) == {}
    place = "src/optimist/algorithms/glb/gloc.py"
    text = (copy.root / place).read_text()
    (copy.root / place).write_text(text + "\nUNUSED = 1\n")
    assert planned(copy, TARGET) == {"run": 2, "figure": 2, "claims": 1, "publish": 1}
    (copy.root / place).write_text(text)
    assert planned(copy, TARGET) == {}


OUTPUTS = {
    "toy_fig1": ["fig1.png", "fig1.pdf", "thumbnails/fig1.webp", "tables/fig1.csv"],
    "toy_claims": ["claims.csv", "claims.md"],
}


@pytest.mark.parametrize("target", OUTPUTS)
def test_every_deleted_output_is_made_again_by_the_targets_that_promise_it(clone, target):
    for name in OUTPUTS[target]:
        path = clone.root / "figures/toy" / name
        content = path.read_bytes()
        path.unlink()
        rule = {"toy_fig1": "figure", "toy_claims": "claims"}[target]
        for asked in (target, TARGET):
            assert planned(clone, asked, committed="use").get(rule) == 1
        snakemake(clone, target, committed="use")
        assert path.read_bytes() == content


def test_a_changed_bound_is_decided_from_the_table(clone):
    claims = clone.root / "figures/toy/claims.csv"
    assert "reproduced" in claims.read_text()
    edit(clone, "config/papers/toy/claims.yaml", "bound: 20", "bound: 0.001")
    assert planned(clone, "toy_claims", committed="use") == {"claims": 1}
    command = ("optimist", "decide", "toy", "--config", "papers=[toy]", "--strict")
    clone.run(*command)
    decided = claims.read_bytes()
    assert b"not reproduced" in decided
    assert planned(clone, "toy_claims", committed="use") == {}
    claims.unlink()
    snakemake(clone, "toy_claims", committed="use")
    assert claims.read_bytes() == decided


def test_cells_of_other_code_are_named_and_refused_if_asked(clone):
    with (clone.root / "src/optimist/algorithms/glb/gloc.py").open("a") as file:
        file.write("\nUNUSED = 1\n")
    command = ("optimist", "draw", "toy/fig1", "--config", "papers=[toy]")
    said = clone.run(*command).stderr
    assert "1 of 2 cells are of other code: toy/regret/s1/gloc" in said
    refused = clone.run(*command, "--strict", check=False)
    assert refused.returncode == 1
    assert "play them: snakemake --cores all --config committed=use" in refused.stderr
    clone.run("optimist", "reseal", "toy", "--config", "papers=[toy]", "--cores", "2")
    assert "other code" not in clone.run(*command).stderr
    assert planned(clone, TARGET, committed="use") == {"publish": 1}


def test_a_method_that_plays_otherwise_is_not_resealed(clone):
    place = "src/optimist/algorithms/glb/gloc.py"
    edit(clone, place, "return int(", "return 0 * int(")
    done = clone.run(
        *("optimist", "reseal", "toy", "--config", "papers=[toy]", "--cores", "2"), check=False
    )
    assert done.returncode == 1
    assert re.search(r"regret/s1/gloc: trial \d+ has \w+", done.stdout)
    assert planned(clone, "toy_fig1", committed="use") == {"run": 1, "figure": 1}
