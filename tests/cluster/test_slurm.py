"""The workflow on a real Slurm gives the results of a local run, also when jobs and nodes die.

It needs a Slurm that may be disturbed: `.ci/slurm start` makes a private one on this machine, with
two nodes.
"""

import getpass
import os
import re
import signal
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from own_class import MINE
from projects import new_project, wait_for
from toy_environments import ROOT

from optimist.config.load import load_config
from optimist.plan.plan import Plan

PRIVATE = Path("/etc/slurm/slurm.conf")
NODES = {"one", "two"}
# No accounting, and nobody to wait for. Words of a laboratory for the scheduler.
HERE = [
    *("--slurm-no-account", "--slurm-status-command", "squeue", "--latency-wait", "10"),
    *("--slurm-init-seconds-before-status-checks", "2", "--seconds-between-status-checks", "2"),
]
WORDS = ["qos=normal", "constraint=fast", "slurm_partition='all'", "slurm_account=lab"]
NICE = "slurm_extra='--nice=5'"
# A method of two options that fails as long as there is a file.
BROKEN = MINE.replace("gamma=0.1", "gamma=0.1, beta=0.2").replace(
    "        return int(", '        if os.path.exists("broken"): raise OSError\n        return int('
)
LABEL = "mine[beta=0.5,gamma=0.3]"
METHODS = ["glb_omd", "ofuglb[history=aggregated]", LABEL]
CELLS = {
    "papers": ["glb_omd"],
    "only": {"settings": ["pool_poisson_s3"], "algorithms": METHODS},
    "algorithm_files": {"mine": "mine.py:Mine"},
    "additions": {
        "glb_omd": {
            "runs": [{"settings": "pool_poisson_s3", "algorithms": METHODS[1:], "trials": 3}]
        }
    },
    "timing": {"exclusive": True},
}
BOTH = ("run", "time")


def settings():
    """Return the settings in slurm.conf, by name."""
    lines = PRIVATE.read_text().splitlines() if PRIVATE.exists() else []
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def control(action, node):
    """Start or kill a node."""
    subprocess.run([ROOT / ".ci/slurm", action, node], check=True)


def idle():
    """Return whether all nodes are idle."""
    shown = subprocess.run(
        ["sinfo", "--noheader", "--Node", "--format=%N %t"], capture_output=True, text=True
    )
    return {f"{node} idle" for node in NODES} == {*shown.stdout.splitlines()}


@pytest.fixture(scope="module", autouse=True)
def slurm():
    """Skip without a private Slurm that answers."""
    if settings().get("ClusterName") != "private":
        pytest.skip("no private Slurm on this machine; `.ci/slurm start` makes one")
    answer = subprocess.run(["sinfo", "--noheader"], capture_output=True, text=True)
    if answer.returncode:
        pytest.skip(f"the private Slurm does not answer: {answer.stderr.strip()}")


@pytest.fixture
def nodes():
    """Begin with nodes that are idle, and leave neither a job nor a node that is down."""
    wait_for(idle, "two idle nodes")
    yield
    subprocess.run(["scancel", "--user", getpass.getuser()], check=True)
    for node in NODES:
        control("node", node)


def jobs(column, *options):
    """Return one column of Slurm's list of jobs."""
    command = ["squeue", "--noheader", f"--format={column}", *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def ended(project):
    """Return Slurm's records of a project's jobs that ended, in order, as a table."""
    lines = Path(settings()["JobCompLoc"]).read_text().splitlines()
    records = (dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines)
    return pd.DataFrame([r for r in records if r["WorkDir"] == str(project.root)])


def prepared(root):
    """Return a project with `CELLS`."""
    project = new_project(root)
    (project.root / "mine.py").write_text(f"import os\n{BROKEN}")
    project.overlay(**CELLS)
    return project


def on_slurm(cells, *options, rules=("run",), defaults=()):
    """Return Snakemake's arguments for jobs of some rules, with so many cells in a group."""
    files = ["--configfile", "tiny.yaml", "config/cluster.yaml"]
    groups = ["--group-components", f"cells={cells}", "--default-resources", *defaults]
    arguments = ["snakemake", "--profile", "profiles/slurm", *files, *HERE, *groups]
    return [*arguments, "mem_mb=600", "runtime=10", *options, "--until", *rules, "--", "results"]


def planned(project):
    """Return how many jobs of each rule a dry run plans."""
    text = project.run(*on_slurm(3, "-n", "--quiet", "host", rules=BOTH)).stdout
    counts = dict(re.findall(r"^(\w+) +([0-9]+)$", text, flags=re.MULTILINE))
    return {rule: int(n) for rule, n in counts.items() if rule in BOTH}


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """Return the digests of an undisturbed run without Slurm."""
    project = prepared(tmp_path_factory.mktemp("local") / "project")
    command = ("snakemake", "--cores", "2", "--configfile", "tiny.yaml", "--until", *BOTH)
    project.run(*command, "--", "results")
    return project.digests()


@pytest.fixture
def cluster(tmp_path, nodes):
    return prepared(tmp_path / "project")


def test_a_cell_that_fails_in_a_group_leaves_the_others_and_runs_alone_later(cluster, local):
    (cluster.root / "broken").touch()
    defaults = ["slurm_partition='all'", NICE]
    done = cluster.run(*on_slurm(3, "--retries", "0", rules=BOTH, defaults=defaults), check=False)
    assert done.returncode == 1
    missing = {path for path in local if "/mine.py" in path}
    assert len(missing) == 1 and "~" in next(iter(missing))
    assert cluster.digests() == {p: d for p, d in local.items() if p not in missing}
    # All cells are one job; the race has both processors of its node.
    assert sorted(ended(cluster).ProcCnt) == ["1", "2"]
    assert planned(cluster) == {"run": 1}
    (cluster.root / "broken").unlink()
    cluster.run(*on_slurm(1))
    assert cluster.digests() == local
    assert len(ended(cluster)) == 3


def test_after_snakemake_is_killed_what_ended_is_kept(cluster, local):
    running = cluster.start(*on_slurm(1))
    wait_for(lambda: any(cluster.root.glob("results/run/*/*/*/*.parquet")), "first result")
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    (log,) = (cluster.root / ".snakemake/log").glob("*.log")
    name = re.search(r"SLURM run ID: (\S+)", log.read_text())[1]
    subprocess.run(["scancel", "--name", name], check=True)
    wait_for(lambda: not jobs("%i"), "empty queue")
    cluster.run("snakemake", "--unlock", "--cores", "1")
    kept = cluster.digests()
    assert kept and kept.items() <= local.items()
    assert planned(cluster).get("run", 0) == len(METHODS) - len(kept)


def test_what_is_cancelled_and_what_a_dead_node_ran_is_made_again_by_itself(cluster, local):
    running = cluster.start(*on_slurm(1))
    lost = {
        node: wait_for(lambda n=node: jobs("%i", "--states=RUNNING", f"--nodelist={n}"), "a job")
        for node in sorted(NODES)
    }
    subprocess.run(["scancel", *lost["two"]], check=True)
    control("kill", "one")
    assert running.wait() == 0
    assert cluster.digests() == {p: d for p, d in local.items() if p.startswith("run/")}
    last = ended(cluster).groupby("JobId").NodeList.last()
    assert {*last[lost["one"]]} == {"two"}


def test_jobs_ask_for_what_was_measured_with_the_words_of_a_laboratory(tmp_path):
    project = prepared(tmp_path / "project")
    text = project.run(*on_slurm(3, "-n", rules=BOTH, defaults=[*WORDS, NICE])).stdout
    plays, races = (
        [dict(re.findall(r"(\w+)=([^,]+)", job)) for job in of_rule]
        for of_rule in (
            re.findall(rf"rule {rule}:.*?resources: (.*?)\n", text, flags=re.S) for rule in BOTH
        )
    )
    words = dict(word.replace("'", "").split("=") for word in WORDS)
    assert all(words.items() <= job.items() for job in (*plays, *races))
    assert {job["slurm_extra"] for job in plays} == {"--nice=5"}
    assert [job["slurm_extra"] for job in races] == ["--nice=5 --exclusive"]
    costs = Plan(load_config()).costs.request(lambda _: (0.0, 0.0))
    assert all(int(job[name]) >= costs[name](None, 1) for job in plays for name in costs)


def test_words_that_the_executor_refuses_are_one_line_before_anything_is_submitted(tmp_path):
    project = prepared(tmp_path / "project")
    done = project.run(*on_slurm(3, defaults=["slurm_extra='--nice=5 --qos=low'"]), check=False)
    said = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert done.returncode == 1 and len(said) == 1
    assert said[0].startswith("error: slurm_extra has '--qos'; allowed: the resource qos (resour")
    assert not jobs("%i") and not (project.root / "results").exists()
