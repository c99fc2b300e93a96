"""Files that a person names for tables and pictures: what is not of this package stays."""

import os

import numpy as np
import pytest
from matplotlib.figure import Figure

from optimist.cli import main
from optimist.comparison.rank import COLUMNS
from optimist.core import outputs
from optimist.core.errors import ConfigError

COMPARE = ["compare", "glb_omd/logistic_s3", "-a", "uniform", "--trials", "2", "--rounds", "5"]


def drawn(path, **metadata):
    page = Figure()
    page.subplots().plot(np.arange(3))
    page.savefig(path, metadata=metadata)


@pytest.mark.parametrize("ending", outputs.MARKS)
def test_a_picture_that_was_drawn_here_is_drawn_again(ending, tmp_path):
    path = tmp_path / f"curves.{ending}"
    drawn(path, **outputs.metadata(ending))
    outputs.check_picture("--plot", str(path))
    drawn(path)
    with pytest.raises(ConfigError, match="a file that --plot did not write; allowed: a new name"):
        outputs.check_picture("--plot", str(path))
    path.write_bytes(b"")
    outputs.check_picture("--plot", str(path))


def test_a_table_is_known_by_its_header(tmp_path):
    path = tmp_path / "t.csv"
    for text in (",".join(COLUMNS) + "\n", ",".join(COLUMNS) + "\r\n1,2\r\n", ""):
        path.write_text(text, newline="")
        outputs.check_table("--csv", str(path), COLUMNS)
    for text in ("paper,setting\n1,2\n", "import numpy\n", "\n", ",".join(COLUMNS) + ",more\n"):
        path.write_text(text)
        with pytest.raises(ConfigError, match="a file that --csv did not write"):
            outputs.check_table("--csv", str(path), COLUMNS)
    with pytest.raises(ConfigError, match="a file that --costs did not write"):
        outputs.check_table("--costs", str(path), ("lane", "paper"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mine.py", "allowed: a file with extension csv"),
        ("queue.csv", "did not write"),
        ("link.csv", "--csv is .link.csv."),
    ],
)
def test_other_files_are_refused(name, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("")
    os.mkfifo(tmp_path / "queue.csv")
    (tmp_path / "link.csv").symlink_to(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match=words):
        outputs.check_table("--csv", name, COLUMNS)


def test_commands_write_over_what_they_wrote_alone(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wanted = ["--csv", "t.csv", "--plot", "c.svg"]
    assert main.main([*COMPARE, *wanted]) == 0
    assert main.main([*COMPARE, *wanted]) == 0
    source = tmp_path / "mine.py"
    source.write_text("x = 1\n")
    shown = tmp_path / "own.png"
    drawn(shown)
    before = shown.read_bytes()
    for words in (
        [*COMPARE, "--csv", "mine.py"],
        [*COMPARE, "--csv", "same.svg", "--plot", "same.svg"],
        [*COMPARE, "--plot", "own.png"],
        [*COMPARE, "--plot", "mine.py"],
        ["results", "--costs", "mine.py"],
        ["results", "--costs", "t.csv"],
        ["new", "algorithm", "other", "--family", "glb", "--file", "mine.py"],
    ):
        capsys.readouterr()
        assert main.main(words) == 1
        said = capsys.readouterr().err
        assert said.startswith("error: ") and said.count("\n") == 1 and "allowed" in said
    assert source.read_text() == "x = 1\n" and shown.read_bytes() == before
    assert not (tmp_path / "same.svg").exists()
