"""Sealed files: whatever happens to one bit of them, they are not read as good."""

import committed_tables
import numpy as np
import pandas as pd
import pytest
from committed_tables import record_of, trials_of
from result_files import make, toy_trials

from optimist.core import checksummed
from optimist.core.errors import OptimistError, ResultError
from optimist.core.files import write_frame
from optimist.experiments import results
from optimist.experiments.trial_table import TrialTable

FRAME = pd.DataFrame({"name": ["a", None], "count": [1, 2], "value": [0.1, np.nan]})


def is_read(path):
    """Return whether a file is read as good; what refuses it names it and says what to do."""
    is_result = {"run", "time"} & {*path.parts}
    is_table = path.name == "trials.parquet"
    read = results.read if is_result else TrialTable if is_table else checksummed.read_frame
    remedy = "optimist publish" if is_table else "run the same command again"
    try:
        read(path)
    except ResultError as error:
        assert str(path) in str(error) and remedy in str(error)
        return False
    return True


def flip(path, place, bit):
    with path.open("r+b") as file:
        file.seek(place)
        (byte,) = file.read(1)
        file.seek(place)
        file.write(bytes([byte ^ 1 << bit]))


@pytest.fixture
def files(tmp_path):
    """Return a small file of each kind."""
    (result,) = make(tmp_path, toy_trials(horizon=2, stop=1))
    trials = trials_of("here", "gloc", [1.0], 2)
    committed_tables.write(tmp_path, "toy", [(trials, record_of(trials, ""))])
    for name in ("table.csv", "table.parquet"):
        checksummed.write_frame(FRAME, tmp_path / name)
    return [result, *(tmp_path / n for n in ("toy/trials.parquet", "table.csv", "table.parquet"))]


@pytest.mark.parametrize("kind", range(4))
def test_a_flipped_bit_of_any_byte_is_refused(files, kind):
    path = files[kind]
    for place in range(path.stat().st_size):
        flip(path, place, place % 8)
        assert not is_read(path), place
        flip(path, place, place % 8)
    assert is_read(path)


@pytest.mark.parametrize("kind", range(4))
def test_files_that_were_cut_extended_or_emptied_are_refused(files, kind):
    path = files[kind]
    whole = path.read_bytes()
    for content in (b"", whole[:-1], whole[1:], whole + b"\n", whole[: len(whole) // 2], whole * 2):
        path.write_bytes(content)
        assert not is_read(path)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_frames_come_back_as_they_were(tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    for frame in (FRAME, FRAME.iloc[:0][["name", "value"]].astype({"name": object})):
        checksummed.write_frame(frame, path)
        pd.testing.assert_frame_equal(
            checksummed.read_frame(path), frame, check_dtype=len(frame) > 0
        )


def test_a_text_comes_back_as_it_was(tmp_path):
    for text in ("", "a,b\n", "a\n\n", "ü\n"):
        checksummed.write_text(text, tmp_path / "text.csv")
        assert checksummed.read_text(tmp_path / "text.csv") == text


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_without_a_seal_are_refused(tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    write_frame(FRAME, path) if ending == "csv" else FRAME.to_parquet(path)
    with pytest.raises(ResultError, match=f"table.{ending} is damaged or was not written by"):
        checksummed.read_frame(path)


def test_what_is_there_in_place_of_a_file_is_named(tmp_path):
    with pytest.raises(ResultError, match=r"none\.csv does not exist"):
        checksummed.read_frame(tmp_path / "none.csv")
    with pytest.raises(OptimistError, match=r"cannot be read: Is a directory"):
        checksummed.read_frame(tmp_path)
