"""Result files: whole or absent, read back as written, damage named with a way out."""

import pyarrow as pa
import pytest
from cells import made
from result_files import make, toy_trials

from optimist.core import checksummed
from optimist.core.errors import ResultError
from optimist.core.files import write_atomically
from optimist.experiments import results
from optimist.experiments.loop import Trajectory

CELL = made(
    *("glb_omd", "logistic_s3", "ofuglb[solver=slsqp,history=raw]"),
    {"environment": "glm", "horizon": 2},
)


def trajectory(regret=(0.0, 0.5), status="ok", **columns):
    recorded = {"round": [1, 2], "regret": list(regret), "seconds": [0.1, 0.2], **columns}
    rows = zip(*recorded.values(), strict=True)
    return Trajectory(status, [dict(zip(recorded, row, strict=True)) for row in rows])


@pytest.fixture
def path(tmp_path):
    # As in the real layout: the label's "=" must not be read as a partition of the data set.
    return tmp_path / "run" / CELL.name / "000-001.parquet"


def test_round_trip(tmp_path):
    (path,) = make(tmp_path, toy_trials())
    table, metadata = results.read_whole(path)
    results.write(table, path, metadata)
    again, same = results.read_whole(path)
    assert (again.to_pylist(), same) == (table.to_pylist(), results.read_metadata(path))
    assert metadata == same
    assert tuple(again.column_names[: len(results.REQUIRED)]) == results.REQUIRED


def test_columns_of_some_trials_only_are_empty_elsewhere():
    late = trajectory(projections=[1, 2])
    table = results.to_table(CELL, {0: trajectory(), 1: late, 2: trajectory()})
    assert table["projections"].to_pylist() == [None, None, 1, 2, None, None]


def test_a_trial_that_ended_at_once_leaves_its_status_and_no_number():
    failed = Trajectory("failed: Singular matrix")
    for trials in ({0: failed}, {0: trajectory(), 1: failed}, {0: failed, 1: trajectory()}):
        rows = results.to_table(CELL, trials).to_pylist()
        (row,) = [row for row in rows if row["status"] != "ok"]
        assert (row["status"], row["regret"], row["seconds"]) == (failed.status, None, None)


def test_a_crash_while_writing_keeps_the_old_file(path):
    write_atomically(path, lambda temporary: temporary.write_text("old"))

    def crash(temporary):
        temporary.write_text("new")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, crash)
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_the_file_appears_only_when_it_is_complete(path):
    def check(temporary):
        temporary.write_text("all of it")
        assert temporary.parent == path.parent
        assert not path.exists()

    write_atomically(path, check)
    assert path.read_text() == "all of it"


def test_another_table_is_not_a_result_file(tmp_path):
    checksummed.write_table(pa.table({"trial": [1], "round": [2]}), tmp_path / "other.parquet")
    with pytest.raises(ResultError, match=r"no column paper, setting, algorithm, regret.*--delete"):
        results.read(tmp_path / "other.parquet")


def test_a_table_without_our_metadata_is_refused(tmp_path):
    path = tmp_path / "bare.parquet"
    checksummed.write_table(results.to_table(CELL, {0: trajectory()}), path)
    with pytest.raises(ResultError, match=r"bare\.parquet is not a result file: it has no meta"):
        results.read_metadata(path)


def test_digest_ignores_wall_time_and_nothing_else():
    def digest(**changes):
        return results.digest(results.to_table(CELL, {0: trajectory(**changes)}))

    assert digest() == digest(seconds=[9.0, 9.9])
    assert digest(select_seconds=[0.0, 0.1]) == digest(select_seconds=[0.2, 0.3])
    others = [
        digest(),
        digest(regret=(0.0, 0.5000000000000001)),
        digest(status="unconverged"),
        digest(projections=[0, 0]),
        digest(round=[1, 9]),
    ]
    assert len(set(others)) == len(others)
