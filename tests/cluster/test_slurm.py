"""The workflow on a real Slurm gives the results of a local run, also when jobs and nodes die.

It needs a Slurm that may be disturbed: `.ci/slurm start` makes a private one on this machine, with
two nodes.
"""

import getpass
import os
import re
import signal
import subprocess
from functools import reduce
from pathlib import Path

import pandas as pd
import pytest
import yaml
from projects import new_project, wait_for
from result_files import asked
from toy_environments import ROOT

from optimist.layout import LANES
from optimist.plan.config import merge
from optimist.plan.plan import Plan

pytestmark = pytest.mark.workflow

PRIVATE = Path("/etc/slurm/slurm.conf")
NODES = {"one", "two"}
# No accounting, and nobody to wait for.
HERE = [
    *("--slurm-no-account", "--slurm-status-command", "squeue"),
    *("--slurm-init-seconds-before-status-checks", "2", "--seconds-between-status-checks", "2"),
    *("--latency-wait", "10", "--default-resources", "mem_mb=600", "runtime=10"),
]
TARGET = "glb_omd_fig1"
ARRAY = "regret_file"
LONG = {"caps": {"rounds": 2000, "trials": 10, "timing_trials": 1}}


def settings():
    """Return the settings in slurm.conf, by name."""
    lines = PRIVATE.read_text().splitlines() if PRIVATE.exists() else []
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def control(action, node):
    """Start, kill, freeze or thaw a node."""
    subprocess.run([ROOT / ".ci/slurm", action, node], check=True)


def idle():
    """Return whether all nodes are idle."""
    shown = subprocess.run(
        ["sinfo", "--noheader", "--Node", "--format=%N %t"], capture_output=True, text=True
    )
    return {f"{node} idle" for node in NODES} == {*shown.stdout.splitlines()}


@pytest.fixture(scope="module", autouse=True)
def slurm():
    """Skip without a private Slurm that answers; leave its nodes as they were."""
    if settings().get("ClusterName") != "private":
        pytest.skip("no private Slurm on this machine; `.ci/slurm start` makes one")
    answer = subprocess.run(["sinfo", "--noheader"], capture_output=True, text=True)
    if answer.returncode:
        pytest.skip(f"the private Slurm does not answer: {answer.stderr.strip()}")


@pytest.fixture(autouse=True)
def nodes():
    """Begin with nodes that are idle, and leave none that is down."""
    wait_for(idle, "two idle nodes")
    yield
    for node in NODES:
        control("node", node)


def on_slurm(project, *configfiles):
    """Return Snakemake's arguments for the profile, its overlay put over others."""
    files = ["--configfile", *configfiles, "config/cluster.yaml"]
    return ["snakemake", "--profile", "profiles/slurm", *files, *HERE, "--"]


def tiny(project, **changes):
    """Write a small configuration; return Snakemake's arguments to run it on Slurm."""
    project.overlay(**changes)
    return on_slurm(project, "tiny.yaml")


def jobs(column, *options):
    """Return one column of Slurm's list of jobs."""
    command = ["squeue", "--noheader", f"--format={column}", *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def half_done(project, *options):
    """Wait until a first result is kept; return the ids of the jobs that run."""
    return wait_for(
        lambda: (
            any(project.root.glob("results/kept/*/*")) and jobs("%i", "--states=RUNNING", *options)
        ),
        "job that runs",
    )


def ended(project):
    """Return Slurm's records of a project's jobs that ended, in order, as a table."""
    lines = Path(settings()["JobCompLoc"]).read_text().splitlines()
    records = (dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines)
    table = pd.DataFrame([r for r in records if r["WorkDir"] == str(project.root)])
    times = {name: pd.to_datetime(table[name]) for name in ("StartTime", "EndTime")}
    return table.assign(**times)


def wait_for_state(ids, *states):
    """Wait until one of some jobs is in one of some states."""
    chosen = ["--states=all", f"--jobs={','.join(ids)}"]
    wait_for(lambda: {*states} & set(jobs("%T", *chosen)), f"job that is {' or '.join(states)}")


@pytest.fixture
def start(project):
    """Return `projects.Project.start`, which leaves no process and no job behind."""
    started = []

    def remember(*arguments):
        started.append(project.start(*arguments))
        return started[-1]

    yield remember
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    subprocess.run(["scancel", "--user", getpass.getuser()], check=True)


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """Return the digests of an undisturbed run of `LONG` in the same batches, without Slurm."""
    project = new_project(tmp_path_factory.mktemp("local") / "project")
    *arguments, end = project.overlay(**LONG)
    project.run(*arguments, "config/cluster.yaml", end, TARGET)
    return project.digests()


def assert_part_of(local, project):
    """Compare what jobs of one file each made, which is only what was asked for."""
    found = project.digests()
    assert found and found.items() <= local.items()
    return found


def test_quick_on_slurm_is_quick_on_one_machine(project, quick):
    *arguments, end = on_slurm(project, "config/quick.yaml")
    # A few jobs beside each other, where the overlay for clusters would make one of all.
    project.run(*arguments, "--config", "job_files=50", end, "glb_omd")
    alone = quick.digests("results/quick")
    assert project.digests("results/quick") == {p: d for p, d in alone.items() if "/glb_omd/" in p}
    assert (project.root / "results/quick/figures/glb_omd/claims.csv").exists()
    assert {*ended(project).NodeList} == NODES


def test_a_job_that_is_cancelled_is_made_again_by_itself(project, start, local):
    running = start(*tiny(project, **LONG), TARGET)
    lost = half_done(project)
    subprocess.run(["scancel", *lost], check=True)
    wait_for_state(lost, "CANCELLED")
    assert running.wait() == 0
    assert project.digests() == local


def test_after_snakemake_is_killed_its_jobs_are_cancelled_by_their_name(project, start, local):
    arguments = tiny(project, **LONG)
    running = start(*arguments, TARGET)
    left = half_done(project)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    (log,) = (project.root / ".snakemake/log").glob("*.log")
    name = re.search(r"SLURM run ID: (\S+)", log.read_text())[1]
    subprocess.run(["scancel", "--name", name], check=True)
    wait_for_state(left, "CANCELLED", "COMPLETED")
    wait_for(lambda: not jobs("%i"), "empty queue")
    project.run("snakemake", "--unlock", "--cores", "1")
    project.run(*arguments, TARGET)
    assert project.digests() == local


@pytest.mark.parametrize("fault", ["kill", "freeze"])
def test_what_a_lost_node_ran_runs_on_the_other(project, start, local, fault):
    running = start(*tiny(project, **LONG)[:-1], "--config", "job_files=1", "--", TARGET)
    lost = wait_for(
        lambda: jobs("%i", "--states=RUNNING", "--nodelist=one"), "job that runs on node one"
    )
    control(fault, "one")
    wait_for_state(lost, "PENDING")
    if fault == "freeze":
        # What it ran goes on, beside what took its place, until Slurm ends it.
        wait_for_state(lost, "RUNNING")
        control("thaw", "one")
    assert running.wait() == 0
    assert_part_of(local, project)
    last = ended(project).groupby("JobId").NodeList.last()
    assert {*last[lost]} == {"two"}


def test_a_job_of_a_node_that_comes_back_at_once_is_made_again(project, start, local):
    running = start(*tiny(project, **LONG), TARGET)
    half_done(project, "--nodelist=one")
    control("kill", "one")
    control("node", "one")
    assert running.wait() == 0
    assert project.digests() == local


def test_arrays_and_nodes_to_oneself_give_the_same_results(project, local):
    arguments = tiny(project, **LONG, timing={"exclusive": True})
    # All jobs of an array ask for what the first does.
    same = [f"{ARRAY}:{what}" for what in ("mem_mb=700", "runtime=10")]
    array = ["--slurm-array-jobs", ARRAY, "--set-resources", *same]
    done = project.run(*arguments[:-1], *array, "--config", "job_files=1", "--", TARGET)
    assert "Submitted array job" in done.stderr
    found = assert_part_of(local, project)
    jobs = ended(project)
    assert {*jobs.NodeList} == NODES
    # A job that has its node alone is given all of its processors.
    alone = jobs[jobs.ProcCnt == "2"]
    assert len(alone) == 1 < sum(path.startswith("timing/") for path in found)  # one race
    for job in alone.itertuples():
        beside = jobs[(jobs.NodeList == job.NodeList) & (jobs.JobId != job.JobId)]
        assert ((beside.EndTime <= job.StartTime) | (beside.StartTime >= job.EndTime)).all()


def test_jobs_ask_for_the_resources_that_were_measured(project):
    arguments = tiny(project)
    text = project.run(*arguments[:-1], "-n", "--", TARGET).stdout
    shown = re.findall(r"rule ((?:regret|timing)_\w+):.*?resources: (.*?)\n", text, flags=re.S)
    found = {
        rule: [int(re.search(rf"\b{name}=(\d+)", r)[1]) for name in ("mem_mb", "runtime")]
        for rule, r in shown
    }
    files = ("config/config.yaml", "tiny.yaml", "config/cluster.yaml")
    overlays = (yaml.safe_load((project.root / name).read_text()) for name in files)
    plan = Plan(reduce(merge, overlays))
    jobs = dict(job for lane in LANES for job in plan.jobs.of_lane(lane).items())
    wanted = {
        rule: asked(plan.costs.request(lambda w, rule=rule: jobs[rule].expected)) for rule in found
    }
    assert {rule.split("_")[0] for rule in found} == {"regret", "timing"}
    assert found == {rule: [r["mem_mb"], r["runtime"]] for rule, r in wanted.items()}
    # Without exclusive timing, which `tiny.yaml` sets, no node is asked for alone.
    assert "--exclusive" not in text
    full = on_slurm(project)
    text = project.run(*full[:-1], "-n", "--", TARGET).stdout
    timed = re.findall(r"rule timing_\w+:.*?resources: (.*?)\n", text, flags=re.S)
    assert timed and all("slurm_extra=--exclusive" in resources for resources in timed)
