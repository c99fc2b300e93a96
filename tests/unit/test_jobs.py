"""Jobs: what they leave in files, what is kept, and what ends them."""

import errno
import importlib
import os
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from own_class import MINE
from result_files import make, toy_trials

from optimist.algorithms.glb.gloc import GLOC
from optimist.errors import ResultError
from optimist.jobs import logged
from optimist.layout import Layout
from optimist.plan.config import load_config, merge, with_defaults
from optimist.plan.plan import Plan
from optimist.records import provenance
from optimist.runs import job as jobs
from optimist.runs import results, trials


@pytest.fixture
def runs(monkeypatch):
    """Count the trials that are played, but for those that are not measured."""
    counted = []
    play = trials.Player.play

    def counting(self, trial, *more):
        counted.append((self._trials.path, trial))
        return play(self, trial, *more)

    monkeypatch.setattr(trials.Player, "play", counting)
    return counted


def digests(paths):
    return [results.digest(results.read(path)) for path in paths]


def test_a_result_says_what_it_is_and_what_it_cost(tmp_path):
    job = toy_trials()
    (path,) = make(tmp_path, job)
    metadata = results.read_metadata(path)
    assert metadata["trials"] == job.describe()
    assert 0.0 < metadata["use"]["cpu_seconds"] < 60.0
    assert 20.0 < metadata["use"]["peak_mb"] < 4000.0


def test_what_was_made_is_not_made_again(tmp_path, runs):
    two = [toy_trials(), toy_trials(setting="there")]
    paths = make(tmp_path, *two)
    before = digests(paths), [results.read_metadata(path) for path in paths]
    assert len(runs) == 4
    for path in paths:
        path.unlink()
    again = make(tmp_path, *reversed(two))
    assert len(runs) == 4
    assert (digests(again[::-1]), [results.read_metadata(p) for p in again[::-1]]) == before


def test_a_killed_job_keeps_the_files_it_had_finished(tmp_path, runs, monkeypatch):
    two = [toy_trials(), toy_trials(setting="there")]
    write = results.write

    def die_at_second(table, path, metadata):
        if "there" in str(path):
            raise KeyboardInterrupt
        write(table, path, metadata)

    monkeypatch.setattr(results, "write", die_at_second)
    with pytest.raises(KeyboardInterrupt):
        make(tmp_path, *two)
    monkeypatch.setattr(results, "write", write)
    (tmp_path / two[0].path).unlink()  # as Snakemake does with outputs of a failed job
    runs.clear()
    paths = make(tmp_path, *two)
    assert {path for path, _ in runs} == {two[1].path}
    assert digests(paths) == digests(make(tmp_path / "undisturbed", *two))


@pytest.mark.parametrize("damage", [b"", b"PAR1 and no more"])
def test_a_damaged_kept_file_is_made_again(tmp_path, runs, damage):
    (path,) = make(tmp_path, toy_trials())
    expected = digests([path])
    path.unlink()
    for kept in tmp_path.glob("kept/*/*"):
        kept.write_bytes(damage)
    runs.clear()
    assert digests(make(tmp_path, toy_trials())) == expected
    assert len(runs) == 2


@pytest.mark.parametrize(
    "other",
    [
        {"horizon": 13},
        {"problem": {"delta": 0.01}},
        {"stop": 3},
        {"algorithm": "gloc[variant=public]"},
    ],
)
def test_another_job_is_not_taken_for_it(tmp_path, runs, other):
    make(tmp_path, toy_trials())
    runs.clear()
    make(tmp_path, toy_trials(**other))
    assert runs


def test_the_targets_that_ask_for_a_job_decide_no_result(tmp_path, runs):
    make(tmp_path, toy_trials())
    runs.clear()
    make(tmp_path, replace(toy_trials(), group="variants"))
    assert not runs


def test_times_are_taken_anew(tmp_path, runs):
    (path,) = make(tmp_path, toy_trials("timing"))
    path.unlink()
    make(tmp_path, toy_trials("timing"))
    assert len(runs) == 4
    assert not (tmp_path / "kept").exists()


def test_where_files_cannot_be_linked_they_are_copied(tmp_path, monkeypatch, runs):
    def no_links(*paths):
        raise OSError("not supported")

    monkeypatch.setattr(os, "link", no_links)
    (path,) = make(tmp_path, toy_trials())
    path.unlink()
    make(tmp_path, toy_trials())
    assert len(runs) == 2


def test_sources_that_changed_since_the_workflow_started_are_noticed(tmp_path):
    job = toy_trials()
    description = {**job.describe(), "code": "0" * 64}
    with pytest.raises(ResultError, match=r"toy/here/gloc changed after .* run the same command"):
        make_described(tmp_path, [description], [job.path])


def make_described(root, descriptions, outputs):
    layout = Layout(str(root), str(root))
    outputs = [str(root / path) for path in outputs]
    jobs.make_results(descriptions, outputs, layout.data_folder, layout.kept, provenance.collect)


# Limits.


def statuses(path):
    rows = results.read(path, ["trial", "status"]).to_pylist()
    return {row["trial"]: row["status"] for row in rows}


def slow(monkeypatch, seconds):
    """Make every round of GLOC take so long."""
    select = GLOC.select

    def sleepy(self, arms):
        time.sleep(seconds)
        return select(self, arms)

    monkeypatch.setattr(GLOC, "select", sleepy)


def test_a_job_out_of_time_says_so_and_the_next_one_goes_on(tmp_path, monkeypatch):
    slow(monkeypatch, 0.05)
    long, short = toy_trials(horizon=400, stop=3), toy_trials(setting="there", stop=1)
    paths = make(tmp_path, long, short, limits=[{"seconds": 4.0}, {"seconds": 60.0}])
    assert statuses(paths[0]) == {0: "out_of_time", 1: "out_of_time", 2: "out_of_time"}
    assert statuses(paths[1]) == {0: "ok"}
    assert results.read(paths[0])["round"].to_pylist()[0] >= 1  # the curve up to there is kept


def test_a_trial_that_hangs_leaves_time_to_the_others(tmp_path, monkeypatch):
    select, hung = GLOC.select, []

    def hang_once(self, arms):
        if not hung:
            hung.append(True)
            time.sleep(60.0)
        return select(self, arms)

    monkeypatch.setattr(GLOC, "select", hang_once)
    (path,) = make(tmp_path, toy_trials(stop=3), limits=[{"seconds": 4.0}])
    assert statuses(path) == {0: "out_of_time", 1: "ok", 2: "ok"}


def test_the_environment_counts_to_the_time_of_a_job(tmp_path, monkeypatch):
    def slow(*_):
        while time.process_time() < end:
            pass
        return {"dataset": None}

    end = time.process_time() + 0.2
    monkeypatch.setattr(jobs, "_resolved", slow)
    (path,) = make(tmp_path, toy_trials(), limits=[{"seconds": 0.1}])
    assert statuses(path) == {0: "out_of_time", 1: "out_of_time"}
    assert results.read_metadata(path)["use"]["cpu_seconds"] >= 0.19


def test_a_job_with_an_error_does_not_stop_the_others(tmp_path, monkeypatch):
    select = GLOC.select

    def fail_here(self, arms):
        raise TypeError("a bug of gloc")

    monkeypatch.setattr(GLOC, "select", fail_here)
    here, there = toy_trials(), toy_trials(algorithm="glb_omd", setting="there")
    with pytest.raises(TypeError, match="a bug of gloc"):
        make(tmp_path, here, there)
    assert not (tmp_path / here.path).exists()
    assert statuses(tmp_path / there.path) == {0: "ok", 1: "ok"}
    monkeypatch.setattr(GLOC, "select", select)
    make(tmp_path, here, there)


def test_what_users_mend_is_logged_in_one_line(tmp_path):
    """An error of ours in one job of several, as where sources changed meanwhile."""
    job, log = toy_trials(), tmp_path / "job.log"
    descriptions = [{**job.describe(), "code": "0" * 64}, job.describe()]
    outputs = [tmp_path / name for name in ("changed.parquet", "same.parquet")]
    with pytest.raises(SystemExit), logged(log):
        make_described(tmp_path, descriptions, outputs)
    assert "changed.parquet is not made: the source files of toy/here/gloc" in log.read_text()
    assert "Traceback" not in log.read_text()
    assert statuses(outputs[1]) == {0: "ok", 1: "ok"}


def test_an_error_of_a_class_is_one_line_and_its_traceback_is_logged_once(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "mine.py").write_text("def select(self, arms):\n    raise TypeError('a bug')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(GLOC, "select", importlib.import_module("mine").select)
    log = tmp_path / "job.log"
    with pytest.raises(SystemExit), logged(log):  # of each of two files, the first of which is told
        make(tmp_path, toy_trials(), toy_trials(setting="there"))
    said = "TypeError: a bug (mine.py, line 2), in toy/here/gloc, trial 0"
    assert capsys.readouterr().err == f"error: {said}; {log} has the traceback\n"
    assert log.read_text().count("Traceback") == 2
    assert log.read_text().endswith(f"the job failed: {said}\n")


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


def test_no_log_is_named_that_could_not_be_made(tmp_path, capsys):
    (tmp_path / "f").write_text("no folder")
    with pytest.raises(SystemExit), logged(tmp_path / "f" / "job.log"):
        pass
    assert "has the traceback" not in capsys.readouterr().err


def test_an_error_of_a_script_is_one_line_too(tmp_path, capsys):
    log = tmp_path / "job.log"
    with pytest.raises(SystemExit), logged(log):
        raise KeyError("column")
    assert capsys.readouterr().err.startswith("error: KeyError: 'column' (test_jobs.py, line ")
    assert log.read_text().count("Traceback") == 1


def test_an_error_of_the_system_stops_all_jobs(tmp_path, monkeypatch):
    made = []

    def full(table, path, metadata):
        made.append(path)
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(results, "write", full)
    with pytest.raises(OSError, match="No space left"):
        make(tmp_path, toy_trials(), toy_trials(setting="there"))
    assert len(made) == 1


def test_a_trial_out_of_memory_says_so_and_the_next_one_goes_on(tmp_path, monkeypatch):
    select, held = GLOC.select, []

    def greedy(self, arms):
        held.append(np.zeros(2**31 if len(held) == 5 else 1))  # 16 GiB in the sixth round
        return select(self, arms)

    monkeypatch.setattr(GLOC, "select", greedy)
    (path,) = make(tmp_path, toy_trials(), limits=[{"memory_mb": 4000.0}])
    # Nothing was appended in the round that failed, so the second trial fails at once.
    assert statuses(path) == {0: "out_of_memory", 1: "out_of_memory"}
    rounds = results.read(path, ["trial", "round"]).to_pylist()
    assert max(row["round"] for row in rounds if row["trial"] == 0) == 5
    held.append(None)
    (path,) = make(tmp_path, toy_trials(), limits=[{"memory_mb": 4000.0}])
    assert statuses(path) == {0: "ok", 1: "ok"}


def test_trials_that_ended_early_are_not_kept(tmp_path, monkeypatch, runs):
    slow(monkeypatch, 0.05)
    make(tmp_path, toy_trials(horizon=400), limits=[{"seconds": 0.2}])
    assert not (tmp_path / "kept").exists()


def test_a_cell_with_foreign_code_shares_a_job_with_no_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py", "other.py"):
        (tmp_path / name).write_text(MINE)
    foreign = ["mine", "other", "mine[gamma=0.3]"]
    block = {"settings": "logistic_s3", "algorithms": [*foreign, "uniform", "gloc"], "trials": 2}
    config = merge(
        load_config(),
        {
            "algorithm_files": {"mine": "mine.py:Mine", "other": "other.py:Mine"},
            "additions": {"glb_omd": {"runs": [block | {"settings": ["logistic_s9[horizon=7]"]}]}},
            "only": {"settings": ["logistic_s9[horizon=7]"]},
        },
    )
    plan = Plan(with_defaults(config))
    jobs = [{t.cell.algorithm for t in job.trials} for job in plan.jobs.of_lane("regret").values()]
    own = [cells for cells in jobs if any(".py:" in name for name in cells)]
    assert len(own) == 3 and all(len(cells) == 1 for cells in own)
    assert {"uniform", "gloc"} in jobs
