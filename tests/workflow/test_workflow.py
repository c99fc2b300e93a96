"""The workflow, run for real in a copy of the project."""

import json
import os
import re
import shutil
import signal
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml
from PIL import Image
from projects import TIMERS, TINY
from toy_environments import ROOT

from optimist import sealed
from optimist.layout import Layout, parse_result
from optimist.plan import config
from optimist.plan.config import load_paper, merge
from optimist.plan.plan import Plan
from optimist.records import manifest, trace
from optimist.runs import results, trials

pytestmark = pytest.mark.workflow

SNAKEFILES = ("Snakefile", "workflow/Snakefile")


def tables(project):
    """Return the digest of every cell's regret table, its chunks joined."""
    import pyarrow as pa

    cells = {}
    for path in sorted(project.root.glob("results/regret/*/*/*/*.parquet")):
        cells.setdefault(path.parent.name, []).append(results.read(path).replace_schema_metadata())
    return {name: results.digest(pa.concat_tables(parts)) for name, parts in cells.items()}


def expected(limits, labels):
    """Return the same digests from running the cells in this process, without Snakemake."""
    paper = load_paper("glb_omd")
    jobs = trials.expand(paper, caps=limits, only={"settings": ["logistic_s3"]})
    found = {}
    for job in jobs:
        if job.place[:3] == ("regret", "glb_omd", "logistic_s3") and job.cell.algorithm in labels:
            table = results.to_table(job.cell, trials.run(job))
            found[job.cell.algorithm] = results.digest(table)
    return found


def planned(project, arguments):
    """Return the output files that a dry run announces."""
    text = project.run(*arguments[:-1], "-n", "--", "glb_omd_fig1").stdout
    outputs = re.findall(r"^ +output: (.+)$", text, flags=re.MULTILINE)
    return [path for line in outputs for path in line.split(", ")]


@pytest.mark.parametrize(("limit", "left"), [([], False), (["100/2s"], True)])
def test_no_timer_wakes_the_scheduler_unless_a_limit_is_asked_for(project, limit, left):
    with (project.root / "Snakefile").open("a") as snakefile:
        snakefile.write(TIMERS)
    *arguments, end = project.overlay(only={"algorithms": ["glb_omd"]})
    asked = [f"--max-jobs-per-timespan={text}" for text in limit]
    text = project.run(*arguments, *asked, end, "results").stdout
    (number,) = re.findall("timers left: ([0-9]+)", text)
    assert (number != "0") == left


def test_dry_run_of_everything_plans_every_result_file(project):
    plan = Plan(config.load_config())
    targets = [name for paper in plan.papers for name in plan.targets.named(paper)]
    text = project.run("snakemake", "-n", "--cores", "2", *targets).stdout
    outputs = set(re.findall(r"results/(?:regret|timing)/\S+?\.parquet", text))
    assert set(plan.trials.by_path) <= outputs


@pytest.mark.parametrize("path", SNAKEFILES)
def test_lint_finds_nothing(project, path):
    done = project.run("snakemake", "--lint", "--snakefile", path)
    assert "in a good condition" in done.stderr and "Lints for" not in done.stdout + done.stderr


def test_the_contents_page_of_the_catalogue_plans_the_same(project):
    command = ("snakemake", "-n", "--cores", "2", "glb_omd_fig1", "--quiet", "rules", "host")
    texts = [project.run(*command, "--snakefile", path).stdout for path in SNAKEFILES]
    assert "Job stats:" in texts[0] and texts[0] == texts[1]


def test_the_catalogue_of_workflows_finds_what_it_asks_for():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert {*usage} == {"mandatory-flags", "software-stack-deployment", "report"}
    for name in ("workflow/Snakefile", "config/README.md", "config/config.yaml", "LICENSE"):
        assert (ROOT / name).is_file()
    text = (ROOT / "README.md").read_text().lower()
    assert "snakemake" in text and "workflow" in text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cpas": {}}, ["cpas", "did you mean 'caps'"]),
        ({"data": {"source": "mirorr"}}, ["data.source", "mirorr", "mirror"]),
        ({"caps": {"rounds": 0}}, ["caps.rounds", "0", "at least 1"]),
        ({"papers": ["glb_omb"]}, ["glb_omb", "did you mean 'glb_omd'"]),
        ({"only": {"algorithms": ["nobody"], "settings": []}}, ["nobody"]),
    ],
)
def test_a_wrong_configuration_stops_before_any_job_with_one_message(project, changes, words):
    done = project.run(*project.overlay(**changes), "glb_omd_fig1", check=False)
    assert done.returncode != 0
    message = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(message) == 1
    assert all(word in message[0] for word in words)
    assert "Traceback" not in done.stderr
    assert not (project.root / "results").exists()


def test_figures_that_came_with_the_checkout_are_made_again_whatever_their_time(project):
    arguments = project.overlay()
    for path in (project.root / "figures").rglob("*"):
        os.utime(path)  # newer than all sources, as in an archive that was unpacked
    assert "figures/glb_omd/fig1.png" in planned(project, arguments)
    assert "results/regret/glb_omd/logistic_s3/gloc/000-002.parquet" in planned(project, arguments)


def test_a_second_run_does_nothing_and_an_edit_reruns_only_its_cells(project):
    arguments = project.overlay()
    project.run(*arguments, "glb_omd_fig1")
    assert tables(project) == expected(TINY["caps"], ("glb_omd", "gloc"))
    assert "Nothing to be done" in project.run(*arguments, "glb_omd_fig1").stderr

    source = project.root / "src/optimist/algorithms/glb/gloc.py"
    script = project.root / "workflow/scripts/run_trials.py"
    for path in (source, script):
        os.utime(path)
    assert planned(project, arguments) == []  # touched, not changed
    sound = source.read_text()
    source.write_text(f"{sound}\n# A comment decides nothing.\n")
    assert planned(project, arguments) == []

    text = script.read_text()
    script.write_text(text + "\nEDITED = 1\n")
    assert len([p for p in planned(project, arguments) if p.startswith("results/")]) == 6
    script.write_text(text)
    source.write_text(source.read_text() + "\nEDITED = 1\n")
    jobs = [path for path in planned(project, arguments) if path.startswith("results/")]
    assert sorted(jobs) == [
        "results/regret/glb_omd/logistic_s3/gloc/000-002.parquet",
        # Times are of a race, and only of one.
        *(
            f"results/timing/glb_omd/logistic_s3/{name}{options}/000-000.parquet"
            for name in ("glb_omd", "gloc")
            for options in ("", "[inverse=pinv]")
        ),
    ]


def test_a_figure_made_alone_is_traced(project):
    project.run(*project.overlay(), "glb_omd_fig1")
    found = json.loads(
        project.run("optimist", "provenance", "--json", "figures/glb_omd/fig1.png").stdout
    )
    assert found["manifest"] == "figures/glb_omd/manifest_of_fig1.json"
    assert found["settings"].keys() == {"glb_omd/logistic_s3"}
    assert found["streams"] == {"glb_omd/logistic_s3": [0, 1, 2]}


def test_files_and_cores_do_not_change_results(project):
    path = project.root / "config/papers/glb_omd/runs.yaml"
    text = path.read_text()
    assert "trials_per_file: {ofuglb" in text
    path.write_text(text.replace("trials_per_file: {", "trials_per_file: {glb_omd: 1, "))
    arguments = project.overlay()
    arguments[2] = "1"
    project.run(*arguments, "glb_omd_fig1")
    assert len(list(project.root.glob("results/regret/*/logistic_s3/glb_omd/*.parquet"))) == 3
    assert tables(project) == expected(TINY["caps"], ("glb_omd", "gloc"))


def test_a_killed_run_resumes_to_the_same_results(project):
    caps = {"rounds": 1500, "trials": 8, "timing_trials": 1}
    labels = ["glb_omd", "gloc", "ecolog", "glm_ucb", "rs_glincb"]
    arguments = project.overlay(caps=caps, only={"algorithms": labels})
    running = project.start(*arguments, "glb_omd_fig1")
    done = project.root / "results/regret"
    deadline = time.monotonic() + 120
    while not list(done.glob("*/*/*/*.parquet")):
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    before = tables(project)
    assert 0 < len(before) < len(labels)

    refused = project.run(*arguments, "glb_omd_fig1", check=False)
    assert refused.returncode != 0 and "unlock" in refused.stderr
    project.run("snakemake", "--unlock", "--cores", "1")
    project.run(*arguments, "glb_omd_fig1")
    after = tables(project)
    assert {name: after[name] for name in before} == before
    assert after == expected(caps, set(after))
    assert set(labels) <= set(after)


def quick_plan(quick):
    """Return the plan of ``make quick``."""
    base = yaml.safe_load((quick.root / "config/config.yaml").read_text())
    overlay = yaml.safe_load((quick.root / "config/quick.yaml").read_text())
    return Plan(merge(merge(base, overlay), {"job_files": 24}))


@pytest.mark.parametrize("paper", config.load_config()["papers"])
def test_quick_runs_every_cell_and_draws_every_figure(quick, paper):
    plan = quick_plan(quick)
    wanted = [quick.root / path for path in plan.trials.paths(paper, group="paper")]
    described = plan.targets.manifest_sources(SimpleNamespace(paper=paper, manifest="manifest"))
    for files in (item["files"] for item in described.values()):
        wanted += [quick.root / path for path in files]
    assert [path for path in wanted if not path.exists()] == []
    statuses = [set(results.read(p)["status"].to_pylist()) for p in wanted if parse_result(p)]
    assert set().union(*statuses) <= {"ok", "unconverged"}


def test_a_job_of_several_files_makes_what_each_alone_would(quick):
    plan = quick_plan(quick)
    jobs = plan.jobs.of_lane("regret").values()
    fast = [
        [found for found in job.trials if found.cell.algorithm in ("gloc", "crtm")]
        for job in jobs
        if job.trials[0].group == "paper"
    ]
    assert sum(map(bool, fast)) >= 2
    for one in (found for checked in fast for found in checked):
        alone = results.to_table(one.cell, trials.run(one, quick.root / "results/quick/data"))
        path = quick.root / plan.layout.result(one.path)
        assert results.digest(results.read(path)) == results.digest(alone), path


def test_a_second_quick_run_does_nothing(quick):
    done = quick.run("snakemake", *quick.quick)
    assert "Nothing to be done" in done.stderr


def test_claims_of_the_quick_run_are_all_shortened(quick):
    text = quick.run("optimist", "claims", "--figures", "results/quick/figures").stdout
    claims = pd.read_csv(quick.root / "results/quick/figures/claims.csv").drop_duplicates("claim")
    for kind, noun in (("empirical", "claims"), ("guarantee", "guarantees"), ("fact", "facts")):
        count = (claims["kind"] == kind).sum()
        assert f"{count} {noun}: {count} shortened." in text
    assert set(claims["verdict"]) == {"shortened"}


def test_figures_and_tables_of_the_quick_run_say_that_they_are_no_results(quick):
    folder = quick.root / "results/quick/figures/glb_omd"
    how = "at most 150 rounds, 2 trials, 1 timed trial"
    text = (folder / "tables/final_regret.md").read_text()
    assert f"**Shortened run ({how}): nothing here is a result.**" in text
    with Image.open(folder / "fig1.png") as picture:
        top = np.asarray(picture.convert("RGB"), int)[: picture.height // 5]
    reddish = (top[..., 0] - top[..., 1:].max(axis=2) > 100).sum()
    assert reddish > 200  # the warning in the title


def test_manifest_ties_figures_to_inputs(quick):
    import hashlib
    import json

    folder = quick.root / "results/quick/figures/glb_omd"
    written = json.loads((folder / "manifest.json").read_text())
    for item in written["items"].values():
        for name, digest in item["files"].items():
            assert hashlib.sha256((quick.root / name).read_bytes()).hexdigest() == digest
    inputs = {name: manifest.inputs_of(written, name) for name in written["items"]}
    assert set().union(*inputs.values()) == set(written["inputs"])
    assert len(inputs["fig1"]) == 14 + 24


def test_a_missing_file_of_a_race_measures_the_race_again(project):
    arguments = project.overlay()
    project.run(*arguments, "glb_omd_fig1")
    paths = sorted(project.root.glob("results/timing/glb_omd/logistic_s3/*/*.parquet"))
    assert len(paths) == 4

    def marks():
        return {results.read(path, ["turns"])["turns"][0].as_py() for path in paths}

    first = marks()
    assert len(first) == 1
    paths[0].unlink()
    again = [path for path in planned(project, arguments) if "/timing/" in path]
    assert {*again} == {str(path.relative_to(project.root)) for path in paths}
    project.run(*arguments, "glb_omd_fig1")
    assert len(marks()) == 1
    assert not first & marks()


@pytest.mark.parametrize("paper", config.load_config()["papers"])
def test_tables_of_trials_have_every_trial_and_are_traced_in_a_copy_of_the_folder(
    quick, paper, tmp_path
):
    shutil.copytree(quick.root / "results/quick/figures", tmp_path / "figures")
    csv, parquet = Layout("", str(tmp_path / "figures")).trials(paper, "paper").values()
    rows, curves = pd.read_csv(csv), sealed.read_frame(parquet)
    played = quick_plan(quick).trials.of_paper(paper).values()
    assert len(rows) == sum(t.stop - t.first for t in played if t.group == "paper")
    key = ["lane", "setting", "algorithm", "trial"]
    ends = curves.groupby(key)[["round", "regret"]].last()
    both = rows.set_index(key).join(ends, rsuffix="_of_curve", validate="1:1")
    assert (both["round"] == both["rounds"]).all()
    regret = both.loc["regret"]
    assert np.allclose(regret["regret"], regret["regret_of_curve"], rtol=3e-5)
    thumbnail = next((tmp_path / "figures" / paper / "thumbnails").iterdir())
    for file in (csv, parquet, thumbnail):
        found = trace.trace(file)
        assert found["made"] and found["settings"]
        assert found["manifest"].endswith(f"{paper}/manifest.json")
