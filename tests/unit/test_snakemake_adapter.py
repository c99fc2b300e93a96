"""Snakemake's inner attributes, in a small workflow: they do what the rules rely on.

The oldest and the newest Snakemake that are allowed run it too (.ci/environments.py).
"""

import os
import subprocess
import sys

import pytest

SNAKEFILE = """
import threading
from optimist.plan import snakemake_adapter as adapter

configfile: "config.yaml"

def say(name, value):
    print(f"{name}: {value}", flush=True)

say("dry run", adapter.is_dry_run(workflow))
say("remote", adapter.is_remote(workflow))
say("cores", adapter.cores(workflow))
say("text", adapter.default_resource_text(workflow, "slurm_extra"))
say("no default", adapter.default_resource(workflow, "lsf_extra"))
say("folder", adapter.folder_of_rules(workflow))
say("path", adapter.prefixed(workflow, "results"))
say("configfiles", adapter.own_configfiles(workflow, config))
say("jobs while rules are read", len(adapter.jobs(workflow)))

module other:
    snakefile: "other.smk"
    config: {"own": 1}
    prefix: "below"

use rule * from other exclude left_out as other_*

def forcing(wildcards):
    say("forced", adapter.is_forced(workflow))
    adapter.force(workflow, ["a"])
    adapter.keep_going(workflow)
    return []

rule all:
    input: "a", "b", "c"

for name in ["target"]:
    rule:
        name: name
        input: "a"
    adapter.describe(workflow, name, "A target of a loop.")

rule a:
    input: forcing
    output: "a"
    shell: "echo > {output}"

rule b:
    output: "b"
    params: value=config["value"]
    shell: "echo > {output}"

rule c:
    output: "c"
    params: value=adapter.no_trigger(lambda wildcards: config["value"])
    shell: "echo {params.value} > {output}"

default = adapter.default_resource(workflow, "slurm_extra")

rule d:
    output: "d"
    resources: slurm_extra=lambda wildcards, **context: default(wildcards, **context) + " -x"
    shell: "echo {resources.slurm_extra} > {output}"

rule fails:
    output: "e"
    priority: 1
    shell: "exit 1"

rule goes_on:
    output: "f"
    shell: "echo > {output}"

onstart:
    adapter.lift_rate_limit(workflow)
    found = adapter.jobs_to_run(workflow)
    say("to run", sorted(job.rule.name for job in found.values()))
    say("numbers", all(workflow.dag.jobid(job) == number for number, job in found.items()))
    say("all jobs", sorted(job.rule.name for job in adapter.jobs(workflow)))
    say("handlers", [type(one).__module__ for one in adapter.log_handlers(workflow)])

def say_timers():
    timers = [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
    say("timers", len(timers))

onsuccess: say_timers()
onerror: say_timers()
"""
MODULE = """
from optimist.plan import snakemake_adapter as adapter

print("path in a module:", adapter.prefixed(workflow, "results"))
print("configfiles of a module:", adapter.own_configfiles(workflow, config))

rule inner:
    output: "g"
    shell: "echo > {output}"

rule left_out:
    output: "h"
    shell: "echo > {output}"

adapter.describe(workflow, "inner", "A rule of a module.")
adapter.describe(workflow, "left_out", "No rule.")
"""
PLUGIN = "snakemake_logger_plugin_optimist"


def snakemake(folder, *words):
    """Run Snakemake, without any Slurm of this machine, for which it may wait ten seconds."""
    command = [sys.executable, "-m", "snakemake", *words]
    env = {**os.environ, "SLURM_CONF": os.devnull}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)


def said(done):
    return dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("workflow")
    (folder / "Snakefile").write_text(SNAKEFILE)
    (folder / "other.smk").write_text(MODULE)
    (folder / "config.yaml").write_text("value: 1\n")
    return folder


@pytest.fixture(scope="module")
def first(folder):
    """The first run, with options of a laboratory."""
    options = ("--cores", "2", "--default-resources", "slurm_extra='--nice=5'")
    return snakemake(folder, *options, "--logger", "optimist", "--", "all", "d", "below/g")


@pytest.fixture(scope="module")
def second(folder, first):
    """A later run with another parameter and a job that fails."""
    words = ("--cores", "1", "--config", "value=2", "--forcerun", "fails")
    return snakemake(folder, *words, "--", "all", "e", "f")


def test_options_and_folders_are_those_of_the_command(folder, first):
    assert first.returncode == 0, first.stderr
    found = said(first)
    about = {"dry run": "False", "remote": "False", "forced": "False", "cores": "2"}
    about |= {"text": "'--nice=5'", "no default": "None", "folder": str(folder)}
    about |= {"path": "results", "configfiles": "['config.yaml']"}
    about |= {"path in a module": "below/results", "configfiles of a module": "[]"}
    assert {name: found[name] for name in about} == about
    assert (folder / "d").read_text() == "--nice=5 -x\n"


def test_jobs_and_handlers_are_those_of_the_run(first):
    found = said(first)
    rules = str(["a", "all", "b", "c", "d", "other_inner"])
    assert found["jobs while rules are read"] == "0"
    assert found["to run"] == rules == found["all jobs"]
    assert found["numbers"] == "True"
    assert PLUGIN in found["handlers"]
    assert first.stderr.rstrip().splitlines()[-1].startswith("6/6 jobs (100 %)")


def test_a_forced_file_is_made_again_and_a_parameter_without_trigger_makes_nothing(second):
    found = said(second)
    assert found["forced"] == "True"
    assert found["to run"] == str(["a", "all", "b", "fails", "goes_on"])
    assert "c" in found["all jobs"]


def test_a_failing_job_leaves_the_others_alone_and_no_timer_is_left(folder, first, second):
    assert second.returncode == 1
    assert (folder / "f").is_file() and not (folder / "e").exists()
    assert said(first)["timers"] == said(second)["timers"] == "0"


def test_rules_of_loops_and_modules_have_descriptions(folder):
    listed = snakemake(folder, "--list").stdout.splitlines()
    assert "target (A target of a loop.)" in listed
    assert "other_inner (A rule of a module.)" in listed
