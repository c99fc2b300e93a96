"""`optimist run`: a cell's data are those that the code and the configuration at hand make."""

import json
import re

import pytest
from own_class import MINE

from optimist.cli import main
from optimist.config import load as config

TIMES = ("seconds", "select_seconds")


def test_data_are_prepared_once_for_each_configuration(tmp_path, monkeypatch, capsys, caplog):
    load_config = config.load_config
    caplog.set_level("INFO")

    def run(**options):
        changes = {"results": str(tmp_path), "data": {"source": "mirror"}}
        changed = config.merge(load_config(), {**changes, "datasets": {"abalone": options}})
        monkeypatch.setattr(config, "load_config", lambda: changed)
        play = ["--debug", "run", "bkb/abalone/bkb", "--rounds", "20", "--json"]  # in this process
        assert main.main(play) == 0
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
            "AssertionError (mine.py, line 16), in round 2; the same command after",
        ),
        (
            "self.rng.random() < 0.06 and exit(3)",
            "SystemExit: 3 (mine.py, line 16); the",
        ),
        (
            "self.rng.random() < 0.06 and __import__('os')._exit(0)",
            "its process ended with exit status 0, perhaps from os._exit in a class",
        ),
        ("self.select = lambda arms: -int(self.rng.random() < 0.06)", "returned -1 in round"),
    ],
)
def test_a_class_that_breaks_is_a_line_with_its_trial(tmp_path, monkeypatch, capsys, update, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE.replace("pass", update))
    play = ["run", "glb_omd/logistic_s3/mine.py:Mine", "--rounds", "4", "--trials", "0:9"]
    assert main.main(play) == 1
    shown = capsys.readouterr()
    # Trials that had ended well are printed, and the next one is named.
    ended = shown.out.count("status ok")
    assert 0 < ended < 9
    assert shown.err.startswith(f"error: glb_omd/logistic_s3/mine.py:Mine, trial {ended}: ")
    assert said in shown.err and shown.err.count("\n") == 1
    # With --debug, one traceback follows the line.
    assert main.main(["--debug", *play]) == 1
    line, traceback = capsys.readouterr().err.split("\n", 1)
    assert line.startswith(f"error: glb_omd/logistic_s3/mine.py:Mine, trial {ended}: ")
    assert traceback.count("Traceback (most recent call last)") == 1
    frames = re.findall(r'File "[^"]*optimist/', traceback)
    assert len(frames) <= 12


def test_files_beside_a_class_hide_no_library(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random.py").write_text("raise RuntimeError('hidden')\n")
    (tmp_path / "mine.py").write_text(
        MINE.replace("import numpy as np", "import numpy as np\nimport beside")
    )
    (tmp_path / "beside.py").write_text("")
    short = ["--trials", "1", "--rounds", "4"]
    assert main.main(["run", "glb_omd/logistic_s3/mine.py:Mine", *short]) == 0
    assert main.main(["compare", "glb_omd/logistic_s3", "-a", "mine.py:Mine", *short]) == 0
    main.main(["check", "mine.py:Mine"])
    shown = capfd.readouterr()
    assert "hidden" not in shown.err and " held, " in shown.out


def test_a_number_that_is_none_is_one_line(capsys):
    with pytest.raises(SystemExit):
        main.main(["compare", "glb_omd/logistic_s3", "-a", "uniform", "--horizon", "10.5"])
    expected = "error: argument --horizon: '10.5'; allowed: a whole number below a billion; "
    assert capsys.readouterr().err == f"{expected}`optimist compare --help` shows the usage\n"


def test_a_file_that_ends_its_process_is_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("import os\nos._exit(0)\n")
    assert main.main(["run", "glb_omd/logistic_s3/mine.py:Mine"]) == 1
    how = "its process ended with exit status 0, perhaps from os._exit in a class"
    assert capsys.readouterr().err == f"error: glb_omd/logistic_s3/mine.py:Mine: {how}\n"
