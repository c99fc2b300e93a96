"""`optimist run`: a cell's data are those that the code and the configuration at hand make."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress

import pytest
from own_class import MINE

from optimist import apart, cli
from optimist.errors import OptimistError
from optimist.plan import config

TIMES = ("seconds", "select_seconds")


def test_data_are_prepared_once_for_each_configuration(tmp_path, monkeypatch, capsys, caplog):
    load_config = config.load_config
    caplog.set_level("INFO")

    def run(**options):
        changes = {"results": str(tmp_path), "data": {"source": "mirror"}}
        changed = config.merge(load_config(), {**changes, "datasets": {"abalone": options}})
        monkeypatch.setattr(config, "load_config", lambda: changed)
        assert cli.main(["run", "bkb/abalone/bkb", "--rounds", "20", "--json"]) == 0
        (trial,) = json.loads(capsys.readouterr().out)
        said = caplog.text
        caplog.clear()
        return {k: v for k, v in trial.items() if k not in TIMES}, "preparing" in said

    plain, prepared = run()
    assert prepared
    # What the workflow made, with who knows which options, is not looked at.
    (tmp_path / "data/abalone.csv").write_text("target,a\n0,1\n1,2\n")
    assert run() == (plain, False)
    other, prepared = run(one_hot=True)
    assert prepared and other != plain
    assert run(one_hot=True) == (other, False)


@pytest.mark.parametrize(
    ("update", "said"),
    [
        (
            "assert self.rng.random() > 0.06",
            "AssertionError (mine.py, line 16); the same command after",
        ),
        (
            "self.rng.random() < 0.06 and exit(3)",
            "SystemExit: 3 (mine.py, line 16); the",
        ),
        ("self.select = lambda arms: -int(self.rng.random() < 0.06)", "returned -1 in round"),
    ],
)
def test_a_class_that_breaks_is_a_line_with_its_trial(tmp_path, monkeypatch, capsys, update, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE.replace("pass", update))
    play = ["run", "glb_omd/logistic_s3/mine.py:Mine", "--rounds", "4", "--trials", "0:9"]
    assert cli.main(play) == 1
    shown = capsys.readouterr()
    # Trials that had ended well are printed, and the next one is named.
    ended = shown.out.count("status ok")
    assert 0 < ended < 9
    assert shown.err.startswith(f"error: glb_omd/logistic_s3/mine.py:Mine, trial {ended}: ")
    assert said in shown.err and shown.err.count("\n") == 1
    with pytest.raises(Exception, match=r"^$|3|-1"):
        cli.main(["--debug", *play])


PLAY = [sys.executable, "-m", "optimist", "run", "glb_omd/logistic_s3/mine.py:Mine"]


@pytest.mark.parametrize("status", [0, 1, 100])
def test_a_class_that_ends_its_process_is_one_line(tmp_path, status):
    (tmp_path / "mine.py").write_text(MINE.replace("pass", f"import os; os._exit({status})"))
    done = subprocess.run(PLAY, cwd=tmp_path, capture_output=True, text=True)
    how = f"exit status {status}, as os._exit in a class does it"
    assert (done.returncode, done.stdout) == (1, "")
    ended = f"{PLAY[-1]}, trial 0: the process that played it ended with {how}"
    assert done.stderr == f"error: {ended}\n"


@contextmanager
def begun(folder):
    """Yield the process of a run whose class sleeps."""
    code = "import time; print('begun', flush=True); time.sleep(60)"
    (folder / "mine.py").write_text(MINE.replace("pass", code))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True}
    with subprocess.Popen(PLAY, cwd=folder, text=True, preexec_fn=heed, **pipes) as process:
        try:
            assert process.stdout.readline() == "begun\n"
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def heed():
    """Heed signals that the tests themselves ignore, in the background or under nohup."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("reached", "number", "status"),
    [
        ("all", signal.SIGINT, 130),
        ("first", signal.SIGINT, 130),
        ("first", signal.SIGTERM, 143),
        ("first", signal.SIGHUP, 129),
    ],
)
def test_a_run_of_a_class_is_stopped_with_its_process(tmp_path, reached, number, status):
    """The signal of a terminal reaches both processes, and one of `kill` or `timeout` the first."""
    with begun(tmp_path) as process:
        (os.killpg if reached == "all" else os.kill)(process.pid, number)
        _, told = process.communicate(timeout=30)
        assert process.returncode == status
        assert told == ("\ninterrupted\n" if number == signal.SIGINT else "")
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)


def test_a_run_that_a_hangup_should_not_end_goes_on(monkeypatch):
    """As under nohup."""
    heard = []

    class Process:
        def __init__(self, *arguments, **keywords):
            os.kill(os.getpid(), signal.SIGHUP)
            heard.append(signal.getsignal(signal.SIGTERM))

        def wait(self, patience=None):
            return 0

        terminate = wait

    monkeypatch.setattr(subprocess, "Popen", Process)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with pytest.raises(OptimistError, match="a run: its process ended with exit status 0"):
            apart.run([], "a run")
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    assert callable(*heard)


def test_files_beside_a_class_hide_no_library(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random.py").write_text("raise RuntimeError('hidden')\n")
    (tmp_path / "mine.py").write_text(
        MINE.replace("import numpy as np", "import numpy as np\nimport beside")
    )
    (tmp_path / "beside.py").write_text("")
    short = ["--trials", "1", "--rounds", "4"]
    assert cli.main(["run", "glb_omd/logistic_s3/mine.py:Mine", *short]) == 0
    assert cli.main(["compare", "glb_omd/logistic_s3", "-a", "mine.py:Mine", *short]) == 0
    cli.main(["check", "mine.py:Mine"])
    shown = capfd.readouterr()
    assert "hidden" not in shown.err and " held, " in shown.out


def test_a_number_that_is_none_is_one_line(capsys):
    with pytest.raises(SystemExit):
        cli.main(["compare", "glb_omd/logistic_s3", "-a", "uniform", "--horizon", "10.5"])
    expected = (
        "error: argument --horizon: '10.5'; allowed: how many, below a billion; `optimist compare "
    )
    assert capsys.readouterr().err == f"{expected}--help` shows what there is\n"
