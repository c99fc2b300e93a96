"""`optimist run`: a cell's data are those that the code and the configuration at hand make."""

import json

import pytest
from own_class import MINE

from optimist import cli
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
def test_a_class_that_breaks_is_one_line_with_its_trial(
    tmp_path, monkeypatch, capsys, update, said
):
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
    with pytest.raises((AssertionError, SystemExit, OptimistError)):
        cli.main(["--debug", *play])


def test_a_number_that_is_none_is_one_line(capsys):
    with pytest.raises(SystemExit):
        cli.main(["compare", "glb_omd/logistic_s3", "-a", "uniform", "--horizon", "10.5"])
    expected = (
        "error: argument --horizon: '10.5'; allowed: how many, below a billion; `optimist compare "
    )
    assert capsys.readouterr().err == f"{expected}--help` shows what there is\n"
