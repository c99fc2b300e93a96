"""`optimist new`: files to start from work as they are, and nothing that is there is lost."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from toy_environments import ROOT

from optimist.checks.command import check
from optimist.cli import main, new
from optimist.config.load import load_paper
from optimist.experiments.play_trial import play_trial

EVERY = [(what, family) for what, families in new.FAMILIES.items() for family in families]
each = pytest.mark.parametrize(("what", "family"), EVERY)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return an empty current folder, whose modules are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def refused(capsys, *words):
    """Return the one line with which the command refuses."""
    assert main.main(["new", *words]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    return err


@each
@pytest.mark.usefixtures("in_this_process")
def test_a_new_file_keeps_its_contract_and_says_what_to_do_next(here, what, family, capsys):
    assert main.main(["new", what, "my_own", "--family", family]) == 0
    out = capsys.readouterr().out
    assert "wrote my_own.py\n" in out and "  optimist check my_own.py:MyOwn\n" in out
    (found,) = check("my_own.py:MyOwn")
    hints = {one.check for one in found.findings if one.result == "hint"}
    assert found.failed == []
    assert hints == ({"cites_its_source"} if what == "algorithm" else set())
    for setting in [new.STARTS[family].setting] if what == "algorithm" else []:
        assert "\n  optimist compare " in out
        paper, _, name = setting.partition("/")
        cell = load_paper(paper).cell(name, "my_own.py:MyOwn")
        assert play_trial(cell, 0, rounds=20).status == "ok"


def test_the_file_is_named_as_json(here, capsys):
    assert main.main(["new", "environment", "grid", "--family", "box", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": "grid.py"}
    assert Path("grid.py").exists()


def test_new_files_are_as_ruff_and_mypy_want_them(here):
    for what, family in EVERY:
        new.write(what, f"my_{what}_{family}", family)
    tools = Path(sys.executable).parent
    known = 'lint.isort.known-first-party=["optimist"]'
    config = ["--config", str(ROOT / "pyproject.toml"), "--config", known]
    for command in ("check", "format --check"):
        ran = [tools / "ruff", *command.split(), *config, "."]
        found = subprocess.run(ran, capture_output=True, text=True)
        assert found.returncode == 0, found.stdout
    checked = [tools / "mypy", "--config-file", ROOT / "pyproject.toml", *here.glob("*.py")]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    found = subprocess.run(checked, capture_output=True, text=True, env=environment)
    assert found.returncode == 0, found.stdout


def test_a_file_may_stand_elsewhere(here, capsys):
    (here / "lab").mkdir()
    assert main.main(["new", "algorithm", "mine", "--family", "glb", "--file", "lab/a.py"]) == 0
    assert "optimist check lab/a.py:Mine\n" in capsys.readouterr().out
    assert "class Mine(GLBAlgorithm)" in (here / "lab/a.py").read_text()


def test_what_is_there_is_never_overwritten(here, capsys):
    (here / "mine.py").write_text("precious")
    words = refused(capsys, "algorithm", "mine", "--family", "glb")
    assert "mine.py already exists; allowed: another name, or --file PATH" in words
    assert (here / "mine.py").read_text() == "precious"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "algorithm bkb --family kernel",
            "NAME is 'bkb', which is the name of a known algorithm; allowed",
        ),
        ("algorithm turbo --family glb", "NAME is 'turbo', which is the name of a known algorithm"),
        (
            "environment glm --family arms",
            "NAME is 'glm', which is the name of a known environment",
        ),
        ("algorithm MyOwn --family glb", "NAME is 'MyOwn'; allowed: small letters, digits and _"),
        ("algorithm 2fast --family glb", "NAME is '2fast'; allowed: small letters"),
        ("algorithm class --family glb", "NAME is 'class'; allowed: small letters"),
        ("algorithm ../mine --family glb", "NAME is '../mine'; allowed: small letters"),
        ("algorithm mine --family kernels", "is 'kernels' (did you mean 'kernel'?); allowed: glb"),
        ("environment mine --family glb", "--family of an environment is 'glb'; allowed: arms, h"),
        ("algorithm mine", "--family is missing; allowed: glb, heavy_tailed, kernel, box"),
        ("algorthm mine --family glb", "WHAT is 'algorthm' (did you mean 'algorithm'?); allowed"),
        ("algorithm mine --family glb --file a.txt", "--file is 'a.txt'; allowed: a path that en"),
        ("algorithm mine --family glb --file a[1].py", "--file is 'a[1].py'; allowed: a path th"),
        ("algorithm mine --family glb --file no/a.py", "but there is no folder 'no'"),
    ],
)
def test_bad_names_are_refused_in_one_line(here, capsys, words, expected):
    assert expected in refused(capsys, *words.split())
    assert [*here.iterdir()] == []
