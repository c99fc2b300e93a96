"""Jobs: what they leave in files, and what ends them."""

import importlib
import sys
import time

import pytest
from result_files import make, toy_trials

from optimist.algorithms.glb.gloc import GLOC
from optimist.core.errors import ResultError
from optimist.core.job_logging import logged
from optimist.experiments import job as jobs
from optimist.experiments import results
from optimist.experiments.cell_records import digest_of


def test_a_result_says_what_it_is_and_what_it_cost(tmp_path):
    job = toy_trials()
    (path,) = make(tmp_path, job)
    metadata = results.read_metadata(path)
    assert metadata["trials"] == job.describe()
    assert metadata["digest"] == digest_of(job, str) and metadata["name"] in path.name
    assert 0.0 < metadata["use"]["cpu_seconds"] < 60.0
    assert 20.0 < metadata["use"]["peak_mb"] < 4000.0


def test_times_are_those_of_a_race_whose_folder_appears_as_a_whole(tmp_path, monkeypatch):
    race = [toy_trials("timing", algorithm=name) for name in ("gloc", "glb_omd")]
    folder = tmp_path / "time/toy/0.0123456789ab"
    described = [{**trials.describe(), "digest": "x"} for trials in race]
    jobs.make_race(described, folder, "")
    paths = [folder / "here" / f"{name}.parquet" for name in ("gloc", "glb_omd")]
    marks = {turn for path in paths for turn in results.read(path)["turns"].to_pylist()}
    assert len(marks) == 1 and [*folder.parent.iterdir()] == [folder]
    before = [path.read_bytes() for path in paths]
    monkeypatch.setattr(GLOC, "select", lambda self, arms: sys.exit(0))
    with pytest.raises(SystemExit):
        jobs.make_race(described, folder, "")
    assert [path.read_bytes() for path in paths] == before
    assert [*folder.parent.iterdir()] == [folder]


def test_sources_that_changed_since_the_workflow_started_are_noticed(tmp_path):
    described = {**toy_trials().describe(), "code": "0" * 64, "digest": ""}
    with pytest.raises(ResultError, match=r"toy/here/gloc changed after .* run the same command"):
        jobs.make_result(described, tmp_path / "x.parquet", "")


# Limits.


def statuses(path):
    rows = results.read(path).to_pylist()
    return {row["trial"]: row["status"] for row in rows}


def slow(monkeypatch, seconds):
    """Make every round of GLOC take so long."""
    select = GLOC.select

    def sleepy(self, arms):
        time.sleep(seconds)
        return select(self, arms)

    monkeypatch.setattr(GLOC, "select", sleepy)


def test_a_job_out_of_time_says_so(tmp_path, monkeypatch):
    slow(monkeypatch, 0.05)
    (path,) = make(tmp_path, toy_trials(horizon=400, stop=3), limits=[4.0])
    assert statuses(path) == {0: "out_of_time", 1: "out_of_time", 2: "out_of_time"}
    assert results.read(path)["round"].to_pylist()[0] >= 1  # the curve up to there is kept


def test_a_trial_that_hangs_leaves_time_to_the_others(tmp_path, monkeypatch):
    select, hung = GLOC.select, []

    def hang_once(self, arms):
        if not hung:
            hung.append(True)
            time.sleep(60.0)
        return select(self, arms)

    monkeypatch.setattr(GLOC, "select", hang_once)
    (path,) = make(tmp_path, toy_trials(stop=3), limits=[4.0])
    assert statuses(path) == {0: "out_of_time", 1: "ok", 2: "ok"}


def test_the_environment_counts_to_the_time_of_a_job(tmp_path, monkeypatch):
    def slow(*_):
        while time.process_time() < end:
            pass
        return {"dataset": None}

    end = time.process_time() + 0.2
    monkeypatch.setattr(jobs, "_resolved", slow)
    (path,) = make(tmp_path, toy_trials(), limits=[0.1])
    assert statuses(path) == {0: "out_of_time", 1: "out_of_time"}
    assert results.read_metadata(path)["use"]["cpu_seconds"] >= 0.19


def test_an_error_of_a_class_is_one_line_and_its_traceback_is_logged_once(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "mine.py").write_text("def select(self, arms):\n    raise TypeError('a bug')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(GLOC, "select", importlib.import_module("mine").select)
    log = tmp_path / "job.log"
    with pytest.raises(SystemExit), logged(log):
        make(tmp_path, toy_trials())
    said = "TypeError: a bug (mine.py, line 2), in round 1, in toy/here/gloc, trial 0"
    assert capsys.readouterr().err == f"error: {said}; {log} has the traceback\n"
    assert log.read_text().count("Traceback") == 1
    assert f"the job failed: {said}\n" in log.read_text()


def test_a_class_that_exits_fails_its_job(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(GLOC, "select", lambda self, arms: sys.exit(0))
    log = tmp_path / "job.log"
    with pytest.raises(SystemExit) as ended, logged(log):
        make(tmp_path, toy_trials())
    assert ended.value.code == 1
    assert capsys.readouterr().err.startswith("error: SystemExit: 0 (test_jobs.py, line ")


def test_the_copy_of_a_script_is_no_file_of_the_user(tmp_path, monkeypatch, capsys):
    folder = tmp_path / ".snakemake" / "scripts"
    folder.mkdir(parents=True)
    (folder / "copied.py").write_text("def fail():\n    raise KeyError('x')\n")
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(SystemExit), logged(tmp_path / "job.log"):
        importlib.import_module("copied").fail()
    assert "copied.py" not in capsys.readouterr().err
