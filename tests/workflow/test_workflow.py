"""The workflow, run for real in a copy of the project."""

import os
import shutil

import numpy as np
import pandas as pd
import pytest
import yaml
from PIL import Image
from projects import TARGET, TIMERS, TINY
from toy_environments import ROOT

from optimist.config import load as config
from optimist.experiments import results, trials
from optimist.experiments.trial_table import TrialTable
from optimist.plan.plan import Plan
from optimist.plan.trace import trace

SNAKEFILES = ("Snakefile", "workflow/Snakefile")
GLOC = "src/optimist/algorithms/glb/gloc.py"
QUICK = "results/quick/figures"
OVERLAYS = ("config/quick.yaml", "config/every_kind.yaml")


def test_no_timer_wakes_the_scheduler(tiny):
    with (tiny.root / "Snakefile").open("a") as snakefile:
        snakefile.write(TIMERS)
    (tiny.root / "figures/glb_omd/fig1.png").unlink()
    assert "timers left: 0" in tiny.run(*tiny.overlay(), TARGET).stdout


def test_dry_run_of_everything_plans_every_result(project):
    plan = Plan(config.load_config())
    targets = [name for paper in plan.papers for name in plan.targets.named(paper)]
    planned = project.outputs(["snakemake", "--cores", "2", "--"], *targets)
    assert {path for found in plan.trials for path in plan.trials.outputs(found)} <= planned


@pytest.mark.parametrize("path", SNAKEFILES)
def test_lint_finds_nothing(project, path):
    done = project.run("snakemake", "--lint", "--snakefile", path)
    assert "in a good condition" in done.stderr and "Lints for" not in done.stdout + done.stderr


def test_the_contents_page_of_the_catalogue_plans_the_same(project):
    command = ("snakemake", "-n", "--forceall", "--cores", "2", TARGET, "--quiet", "rules", "host")
    texts = [project.run(*command, "--snakefile", path).stdout for path in SNAKEFILES]
    assert "Job stats:" in texts[0] and texts[0] == texts[1]


def test_the_catalogue_of_workflows_finds_what_it_asks_for():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert {*usage} == {"mandatory-flags", "software-stack-deployment", "report"}
    for name in ("workflow/Snakefile", "config/README.md", "config/config.yaml", "LICENSE"):
        assert (ROOT / name).is_file()
    text = (ROOT / "README.md").read_text().lower()
    assert "snakemake" in text and "workflow" in text


def test_a_wrong_configuration_stops_before_any_job_with_one_message(project):
    done = project.run(*project.overlay(cpas={}), TARGET, check=False)
    assert done.returncode != 0
    (message,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert "cpas" in message and "did you mean 'caps'" in message
    assert "Traceback" not in done.stderr
    assert not (project.root / "results").exists()


def test_results_are_those_of_trials_played_without_the_workflow(tiny):
    paper = config.load_paper("glb_omd")
    played = {
        asked.cell.algorithm: results.digest(results.to_table(asked.cell, trials.run(asked)))
        for asked in trials.expand(paper, caps=TINY["caps"], only=TINY["only"])
        if asked.key[:2] == ("regret", "logistic_s3") and "[" not in asked.cell.algorithm
    }
    made = {path.split("/")[-2]: one for path, one in tiny.digests().items() if "run/" in path}
    assert made == played


def test_an_edit_plays_its_cells_and_its_race_again_and_another_time_nothing(tiny):
    arguments = tiny.overlay()
    for name in (GLOC, "workflow/scripts/run.py"):
        os.utime(tiny.root / name)
    script = tiny.root / "workflow/scripts/run.py"
    script.write_text(script.read_text() + "\n# An edit.\n")
    assert tiny.outputs(arguments, TARGET) == set()
    source = tiny.root / GLOC
    source.write_text(source.read_text() + "\nUNUSED = 1\n")
    planned = {path for path in tiny.outputs(arguments, TARGET) if path.startswith("results/")}
    assert {path.rpartition("/")[0] for path in planned} == {
        "results/run/glb_omd/logistic_s3/gloc",
        "results/time/glb_omd",
    }


def test_a_missing_file_of_a_race_measures_the_race_again(tiny):
    arguments = tiny.overlay()
    (folder,) = tiny.root.glob("results/time/glb_omd/*")
    paths = sorted(folder.rglob("*.parquet"))
    assert len(paths) == 4

    def marks():
        return {results.read(path)["turns"][0].as_py() for path in paths}

    first = marks()
    assert len(first) == 1
    paths[0].unlink()
    again = [path for path in tiny.outputs(arguments, TARGET) if path.startswith("results/")]
    assert again == [str(folder.relative_to(tiny.root))]
    tiny.run(*arguments, TARGET)
    assert len(marks()) == 1
    assert not first & marks()
    assert tiny.outputs(arguments, TARGET) == set()


def test_results_of_another_machine_are_published_and_not_made_again(finished_tiny, tmp_path):
    other = finished_tiny.cloned(tmp_path / "other")
    arguments = other.overlay(figures="shown")
    folder = finished_tiny.root / "results"
    said = other.run("optimist", "publish", folder, "--configfile", "tiny.yaml", check=False)
    assert "glb_omd: 6 from results" in said.stdout
    assert other.digests() == finished_tiny.digests()
    planned = other.outputs(arguments, TARGET)
    assert not [path for path in planned if path.startswith("results/")]


def test_data_that_are_prepared_again_make_no_result_again(project):
    def asked(*algorithms):
        only = {"settings": ["abalone"], "algorithms": [*algorithms], "figures": []}
        return project.overlay(papers=["bkb"], only=only, data={"source": "mirror"})

    project.run(*asked("uniform"), "results")
    made = {f"results/{path}" for path in project.digests()}
    shutil.rmtree(project.root / "results/data")
    planned = project.outputs(asked("uniform", "bkb"), "results")
    assert "results/data/abalone.csv" in planned
    assert planned & made == set() and any("abalone/bkb[" in path for path in planned)


# The run of `make quick`.


def quick_plan(quick):
    """Return the plan of ``make quick``."""
    return Plan(config.load_config(*(quick.root / name for name in OVERLAYS)))


def test_the_quick_run_has_every_kind_of_panel_and_table():
    only = config.load_config(*(ROOT / name for name in OVERLAYS))["only"]["figures"]
    shown, every = set(), set()
    for paper in config.paper_names():
        found = config.load_paper(paper)
        for kind in ("figures", "tables"):
            for name, spec in getattr(found, kind).items():
                own = {(kind, entry["kind"]) for entry in spec.get("panels", [spec])}
                every |= own
                shown |= own if f"{paper}/{name}" in only else set()
    assert shown == every


@pytest.mark.parametrize("paper", config.load_config()["papers"])
def test_the_quick_run_has_every_result_and_product(quick, paper):
    plan = quick_plan(quick)
    played = plan.trials.of_paper(paper).values()
    paths = [quick.root / path for found in played for path in plan.trials.files(found)]
    statuses = [set(results.read(path)["status"].to_pylist()) for path in paths]
    assert set().union(*statuses) <= {"ok", "unconverged"}
    files = [path for group in ("paper", "variants") for path in plan.targets.files(paper, group)]
    assert [path for path in files if not (quick.root / path).exists()] == []
    table = TrialTable(quick.root / plan.layout.trials(paper))
    assert {*table.keys} == {found.key for found in played}
    assert all(len(table.recorded(*found.key)) == found.stop for found in played)


def test_a_second_quick_run_does_nothing(quick):
    done = quick.run("snakemake", *quick.quick)
    assert "Nothing to be done" in done.stderr


def test_claims_of_the_quick_run_are_all_shortened(quick):
    text = quick.run("optimist", "claims", "--figures", QUICK).stdout
    claims = pd.read_csv(quick.root / QUICK / "claims.csv").drop_duplicates("claim")
    for kind, noun in (("empirical", "claims"), ("guarantee", "guarantees"), ("fact", "facts")):
        count = (claims["kind"] == kind).sum()
        assert f"{count} {noun}: {count} shortened." in text
    assert set(claims["verdict"]) == {"shortened"}


def test_figures_and_tables_of_the_quick_run_say_that_they_are_no_results(quick):
    folder = quick.root / QUICK / "glb_omd"
    how = "at most 150 rounds, 2 trials, 1 timed trial"
    text = (folder / "tables/final_regret.md").read_text()
    assert f"**Shortened run ({how}): nothing here is a result.**" in text
    with Image.open(folder / "fig4.png") as picture:
        top = np.asarray(picture.convert("RGB"), int)[: picture.height // 5]
    reddish = (top[..., 0] - top[..., 1:].max(axis=2) > 100).sum()
    assert reddish > 200  # the warning in the title


def test_files_are_traced_in_a_copy_of_the_folder(quick, tmp_path):
    shutil.copytree(quick.root / QUICK, tmp_path / "figures")
    for name in ("trials.parquet", "thumbnails/fig4.webp", "claims.csv", "tables/table2.md"):
        assert trace(tmp_path / "figures/glb_omd" / name)["cells"]
