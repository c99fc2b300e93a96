"""Writing files: tables with six significant digits, and nothing that stays behind."""

import os
import shutil
import subprocess
import time
import uuid

import numpy as np
import pandas as pd
import pytest
from toy_environments import ROOT

from optimist.core.files import write_frame, write_text


def test_floating_point_numbers_have_six_digits_and_whole_ones_all_of_theirs(tmp_path):
    frame = pd.DataFrame(
        {"a": [np.pi * 1e-7, 1234567.8, np.nan], "b": [12345678, 1, 2], "c": ["x,y", "ü", None]}
    )
    write_frame(frame, tmp_path / "table.csv")
    lines = (tmp_path / "table.csv").read_bytes().decode("utf-8").split("\n")
    assert lines == ["a,b,c", '3.14159e-07,12345678,"x,y"', "1.23457e+06,1,ü", ",2,", ""]
    back = pd.read_csv(tmp_path / "table.csv")
    write_frame(back, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "table.csv").read_bytes()


def left(folder, name, hours):
    path = folder / name
    path.write_text("half")
    then = time.time() - 3600 * hours
    os.utime(path, (then, then))
    return path


def test_what_a_killed_writer_left_is_swept_by_the_next_one(tmp_path):
    old = left(tmp_path, f".fig1.pdf.{uuid.uuid4().hex}.tmp", 24)
    kept = [
        left(tmp_path, f".fig1.pdf.{uuid.uuid4().hex}.tmp", 1),  # somebody may be writing it
        left(tmp_path, "fig1.pdf", 24),
        left(tmp_path, ".mine.tmp", 24),
        left(tmp_path, f"mine.{uuid.uuid4().hex}.tmp", 24),
    ]
    write_text("text", tmp_path / "new.txt")
    assert not old.exists() and all(path.exists() for path in kept)


@pytest.mark.parametrize("path", [".gitignore", "src/optimist/cli/templates/folder/gitignore"])
def test_git_ignores_what_is_being_written(path, tmp_path):
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    shutil.copy(ROOT / path, tmp_path / ".gitignore")
    (tmp_path / "figures").mkdir()
    (tmp_path / f"figures/.fig1.pdf.{uuid.uuid4().hex}.tmp").write_text("")
    command = ["git", "-C", tmp_path, "status", "--short", "--untracked-files=all"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == (
        "?? .gitignore\n"
    )
