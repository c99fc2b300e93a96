"""The line of progress of ``make``: what it says and leaves out, with terminals and without."""

import os
import pty
import re
import subprocess
import sys

import pytest

import snakemake_logger_plugin_optimist as plugin

SNAKEFILE = """
rule all:
    input: expand("made/{i}.txt", i=range(4)), "made/bad.txt", "made/late.txt"
rule one:
    output: "made/{i,[0-9]+}.txt"
    log: "logs/{i}.log"
    shell: "echo fine > {log}; touch {output}"
rule bad:
    output: "made/bad.txt"
    log: "logs/bad.log"
    shell: "(seq 101 150; echo boom; exit 3) > {log} 2>&1"
rule late:
    input: "made/bad.txt"
    output: "made/late.txt"
    shell: "touch {output}"
"""
COMMAND = [sys.executable, "-m", "snakemake", "--logger", "optimist", "--cores", "1"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    return tmp_path


def test_a_failure_is_shown_with_the_end_of_its_log_and_the_others_go_on(folder):
    done = subprocess.run([*COMMAND, "-k"], cwd=folder, capture_output=True, text=True)
    lines = done.stderr.splitlines()
    assert done.returncode == 1 and done.stdout == "" and "\x1b" not in done.stderr
    assert "Error in rule bad:" in lines and "    logs/bad.log ends with:" in lines
    shown = [line.strip() for line in lines if line.startswith("        ")]
    assert shown[-20:] == [*map(str, range(132, 151)), "boom"] and "131" not in shown
    assert "rule one:" not in done.stderr and "fine" not in done.stderr
    assert any(line.startswith("Complete log(s):") for line in lines)
    assert lines[-2].startswith("4/7 jobs (57 %), 1 failed, ")
    assert lines[-1] == "outputs that need failed jobs were not made, or come from an earlier run"
    (log,) = (folder / ".snakemake/log").iterdir()
    assert log.read_text().count("rule one:") == 4
    assert len(list((folder / "made").iterdir())) == 4


@pytest.mark.parametrize(
    ("script", "status", "expected"),
    [
        ("tmp1_x.run.py", "exit status 1.", True),
        ("tmp1_x.run.py", "exit status 137.", False),
        ("tmp1_x.theirs.py", "exit status 1.", False),
        ("tmp1_x.theirs.R", "exit status 1.", False),
    ],
)
def test_what_a_script_of_ours_has_said_is_not_said_again(script, status, expected):
    for path in (f"/a/.snakemake/scripts/{script}", f"'/a b/.snakemake/scripts/{script}'"):
        text = (
            'RuleException:\nCalledProcessError in file "/a/runs.smk", line 30:\n'
            f"Command 'set -euo pipefail;  python {path}' returned non-zero {status}"
        )
        assert plugin.is_said(text) == expected


def test_on_a_terminal_one_line_is_written_over_and_fits(folder):
    own, other = pty.openpty()
    env = os.environ | {"COLUMNS": "30", "TERM": "xterm"}
    targets = [f"made/{i}.txt" for i in range(4)]
    process = subprocess.Popen([*COMMAND, *targets], cwd=folder, stderr=other, env=env)
    os.close(other)
    text = b""
    try:
        while piece := os.read(own, 4096):
            text += piece
    except OSError:  # Linux says so where the other side was closed
        pass
    assert process.wait() == 0
    steps = [step for step in text.decode().split("\r\x1b[K") if "/4 jobs" in step]
    assert len(steps) >= 5 and steps[-1].startswith("4/4 jobs (100 %), ")
    assert all(len(step.rstrip("\r\n")) <= 29 and "\n" not in step for step in steps[:-1])


def test_a_dry_run_shows_what_snakemake_would_but_for_long_lists(folder):
    plain = [word for word in COMMAND if word not in ("--logger", "optimist")]
    shown = []
    for command in (COMMAND, plain):
        env = os.environ | {"PYTHONHASHSEED": "0"}
        done = subprocess.run([*command, "-n"], cwd=folder, env=env, capture_output=True, text=True)
        assert done.returncode == 0
        lines = (done.stdout + done.stderr).splitlines()
        own = re.compile("$|\\[|  (Date|Workflow ID|Command): ")
        shown.append([line for line in lines if not own.match(line)])
    ours, theirs = shown
    assert "rule bad:" in ours
    assert {*ours} <= {*theirs}
    assert "Reasons:" in theirs and "Reasons:" not in ours
    assert sum(line.split() == ["total", "7"] for line in ours) == 1


def test_a_job_is_called_by_its_cell():
    cell = {"paper": "glb_omd", "setting": "a[b=1~c=2]", "algorithm": "ring.py:Ring%2F"}
    name = plugin.called("run", {**cell, "trials": "000-019", "digest": "0123456789ab"})
    assert name == "run glb_omd/a[b=1,c=2]/ring.py:Ring/"
    assert plugin.called("page", {}) == "page"


def test_the_time_left_goes_by_what_jobs_should_take(monkeypatch):
    now = 100.0
    monkeypatch.setattr(plugin.time, "monotonic", lambda: now)
    run = plugin.Run()
    run.total, run.expected = 4, {1: 60.0, 2: 20.0, 3: 20.0, 4: 0.0}
    run.begin(1, "long")
    assert run.line() == "0/4 jobs (0 %), 0 s, time left: not known yet; running: long"
    now += 30.0
    run.end(1)
    run.done = 1
    run.begin(2, "short")
    # 60 of 101.5 expected seconds took 30; a job that does nothing takes one and a half.
    assert run.seconds_left() == pytest.approx(41.5 / 2)
    now += 10.0
    assert run.seconds_left() == pytest.approx(31.5 * 40 / 70)
    assert run.line() == "1/4 jobs (25 %), 40 s, 18 s left; running: short"
    assert run.line(over=True) == "1/4 jobs (25 %), 40 s"


def test_a_job_that_is_started_again_has_not_failed(monkeypatch):
    now = 100.0
    monkeypatch.setattr(plugin.time, "monotonic", lambda: now)
    run = plugin.Run()
    run.total, run.expected = 2, {1: 10.0, 2: 30.0}
    run.begin(1, "short")
    now += 10.0
    run.end(1)
    run.done = 1
    run.begin(2, "long")
    now += 5.0
    run.fail(2)
    assert run.failed == 1 and run.line(over=True).startswith("1/2 jobs (50 %), 1 failed")
    run.begin(2, "long")
    # All of its thirty seconds are to be done again; ten took fifteen.
    assert run.failed == 0 and run.seconds_left() == pytest.approx(45.0)
    run.end(2)
    run.done = 2
    assert run.line(over=True) == "2/2 jobs (100 %), 15 s"
