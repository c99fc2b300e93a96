"""Completion by the shell, asked as the shells' functions ask: words by words, and in shells."""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from optimist.cli import completion, main

PROGRAM = Path(sys.executable).with_name("optimist")


def complete(line, folder=None):
    """Return what a shell would offer at the end of a line."""
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_SUPPRESS_SPACE": "0"}
    # As argcomplete's function for zsh does, which breaks words at blanks alone.
    asked |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9"}
    asked |= {"_ARGCOMPLETE_SHELL": "zsh", "_ARGCOMPLETE_STDOUT_FILENAME": "found"}
    folder = Path(folder or ".")
    done = subprocess.run(
        [sys.executable, "-m", "optimist"], cwd=folder, env=os.environ | asked, capture_output=True
    )
    assert (done.returncode, done.stdout) == (0, b"")
    found = folder / "found"
    words = found.read_text().split("\n") if found.exists() else []
    # For zsh, brackets are quoted, and what a word means stands behind a colon.
    return [word.replace("\\", "").partition(":")[0].strip() for word in words if word]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("optimist comp", ["compare", "completion"]),
        ("optimist list ", ["bkb", "glb_omd", "go_ucb", "hvt_ucb"]),
        ("optimist list glb_omd/logistic_s", [f"glb_omd/logistic_s{s}" for s in (3, 5, 7, 9)]),
        ("optimist run hvt", ["hvt_ucb/"]),
        ("optimist run hvt_ucb/stu", ["hvt_ucb/student_t/"]),
        ("optimist run hvt_ucb/student_t[rad", ["hvt_ucb/student_t[radius="]),
        (
            "optimist run hvt_ucb/student_t[subset=3,radius=ma",
            [f"hvt_ucb/student_t[subset=3,radius=matched{end}" for end in ("]/", ",")],
        ),
        ("optimist run hvt_ucb/student_t[nu=2]/hv", ["hvt_ucb/student_t[nu=2]/hvt_ucb"]),
        ("optimist compare glb_omd/logistic_s3 -a glo", ["gloc"]),
        (
            "optimist compare glb_omd/logistic_s3 -a g",
            ["glb_omd", "glm_ucb", "gloc", "gp_epsilon_greedy", "gp_ucb"],
        ),
        ("optimist compare go_ucb/f1 bkb/gaussian_d1 -a tu gp_u", ["gp_ucb"]),
        (
            "optimist compare x -a ofuglb[solver=sl",
            ["ofuglb[solver=slsqp]", "ofuglb[solver=slsqp,"],
        ),
        (
            "optimist compare x -a ofuglb[prune=true,",
            [f"ofuglb[prune=true,{o}=" for o in ("history", "solver")],
        ),
        ("optimist claims hvt_ucb --det", ["--details"]),
        ("optimist new e", ["environment"]),
        ("optimist run nowhere/x", []),
    ],
)
def test_what_a_shell_offers(line, expected, tmp_path):
    assert sorted(complete(line, tmp_path)) == sorted(expected)


def test_files_of_python_are_offered_where_a_class_may_stand(tmp_path):
    for name in ("mine.py", "mine.csv"):
        (tmp_path / name).write_text("")
    assert complete("optimist check min", tmp_path) == ["mine.py"]


MINE = '''
from pathlib import Path

Path("executed").write_text("")


class Mine:
    """A method.

    Parameters
    ----------
    is_fast : bool
        Whether.
    """

    def __init__(self, problem, *, rng, gamma=1.0, is_fast=False):
        pass
'''


@pytest.mark.parametrize(
    ("complete", "word", "expected"),
    [
        ("label", "mine.py:Mine[", ["mine.py:Mine[gamma=", "mine.py:Mine[is_fast="]),
        ("label", "mine.py:Mine[is_fast=", ["mine.py:Mine[is_fast=true]"]),
        ("algorithm", "mine.py:Mine[gamma=1,", ["mine.py:Mine[gamma=1,is_fast="]),
        ("cell", "glb_omd/logistic_s3/mine.py:Mine[g", ["glb_omd/logistic_s3/mine.py:Mine[gamma="]),
        ("listed", "mine.py:Mine[g", ["mine.py:Mine[gamma="]),
        ("settings", "mine.py:Mine[g", []),
        ("cell", "mine.py:Mine/un", []),
        ("label", "mine.py:Other[", []),
        ("label", "nowhere.py:Mine[", []),
    ],
)
def test_completion_executes_no_file(complete, word, expected, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    typed = argparse.Namespace(settings=["mine.py:Mine", "glb_omd/logistic_s3"])
    found = completion.completer(complete)(word, typed)
    assert not (tmp_path / "executed").exists()
    assert {*expected} <= {*found}


def test_completion_imports_little():
    code = (
        "import sys; from optimist.cli import completion; list(completion.cells('hvt_ucb/stu'));"
        "print({'scipy.linalg', 'pandas', 'matplotlib', 'rich', 'snakemake'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


DRIVEN = {
    "bash": 'source ./script; COMP_LINE="$L"; COMP_POINT=${#L}; COMP_TYPE=9; COMP_CWORD=2; '
    'COMP_WORDS=(optimist run hvt_ucb/stu); _python_argcomplete optimist; echo "${COMPREPLY[@]}"',
    "fish": 'source ./script; complete --do-complete "$L"',
}


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_a_shell_completes_with_the_script(shell, tmp_path, capsys):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    assert main.main(["completion", shell]) == 0
    (tmp_path / "script").write_text(capsys.readouterr().out)
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"L": "optimist run hvt_ucb/stu", "PATH": path, "HOME": str(tmp_path)}
    done = subprocess.run(
        [shell, "-c", DRIVEN[shell]], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert done.stdout.strip() == "hvt_ucb/student_t/", done.stderr
