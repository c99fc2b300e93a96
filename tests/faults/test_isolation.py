"""A user's file changes no other method's trials, and no trial changes another."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from own_class import MINE
from result_files import make, toy_trials

import optimist
from optimist.algorithms import REGISTRIES
from optimist.algorithms.uniform import Uniform
from optimist.cli import new
from optimist.comparison import earlier_trials
from optimist.comparison import play as playing
from optimist.core.errors import ConfigError, EndedError, ResultError
from optimist.core.label import Label
from optimist.experiments import isolation, results
from optimist.experiments.cell import Probe
from optimist.experiments.isolation import isolated

# Each is what a file does when it is loaded, or its class when it learns.
PATCHES = {
    "the mean of a ranking": (
        "import pandas as pd; old = pd.Series.mean; "
        "pd.Series.mean = lambda self, *a, **k: 0.5 * old(self, *a, **k)"
    ),
    "numpy": "np.linalg.inv = lambda matrix: np.eye(len(matrix))",
    "a published class": (
        "from optimist.algorithms.glb.rs_glincb import RSGLinCB; "
        "RSGLinCB.select = lambda self, arms: 0"
    ),
}
LEAKS = {
    "a list of the module": ("", "SEEN.append(reward)", "int(sum(SEEN)) % len(arms)"),
    "a class attribute": (
        "",
        "type(self).n = getattr(type(self), 'n', 0) + 1",
        "getattr(type(self), 'n', 0) % 7",
    ),
    "numpy's generator": ("", "pass", "int(np.random.randint(len(arms)))"),
    "Python's generator": ("import random", "pass", "random.randrange(len(arms))"),
    "the order of a set": (
        "",
        "pass",
        "int(max({'one', 'two', 'six'} - {next(iter(NAMES))}) > 's')",
    ),
}
LEAK = """
    def update(self, arms, index, reward):
        UPDATE

    def select(self, arms):
        return int(CHOICE) % len(arms)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return an empty folder: the current one, and the one that takes results."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(playing, "workspace", lambda: tmp_path)
    monkeypatch.setattr(earlier_trials, "figures_folder", lambda paper: tmp_path / "figures")
    return tmp_path


def ends(played, algorithm):
    """Return the final regret of each trial."""
    rows = played[played["algorithm"] == algorithm]
    return rows.groupby("trial")["regret"].last().to_list()


def compared(*words):
    """Return the mean regret of each setting and algorithm, from the command in its own process.

    A patch would reach the process of the tests too.
    """
    command = [sys.executable, "-m", "optimist", "compare", *words, "--trials", "2", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    return {(row["setting"], row["algorithm"]): row["mean"] for row in rows}


@pytest.fixture(scope="module")
def expected():
    """Return the mean regret of the published method where no file was loaded."""
    words = ["glb_omd/logistic_s3", "-a", "rs_glincb", "--rounds", "60", "--fresh"]
    return compared(*words)["logistic_s3", "rs_glincb"]


@pytest.mark.parametrize("name", PATCHES)
def test_a_users_file_changes_no_published_trial(tmp_path, monkeypatch, expected, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(f"{MINE}\n{PATCHES[name]}\n")
    words = ["glb_omd/logistic_s3", "--rounds", "60", "--fresh", "-a"]
    found = compared(*words, "mine.py:Mine", "rs_glincb")
    assert found["logistic_s3", "rs_glincb"] == expected


def test_a_users_environment_changes_no_published_setting(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = new.template("environment", "arms", "world")
    (tmp_path / "world.py").write_text(f"{text}\n{PATCHES['numpy']}\n")
    words = ["glb_omd/logistic_s3[horizon=60]", "-a", "rs_glincb", "--fresh"]
    both = compared("world.py:World[horizon=60]", *words)
    assert both.items() >= compared(*words).items() and len(both) == 2


@pytest.mark.skipif(not isolation.CAN_FORK, reason="trials are not isolated here")
@pytest.mark.parametrize("name", LEAKS)
def test_no_trial_changes_another(here, name):
    load, update, choice = LEAKS[name]
    body = LEAK.replace("UPDATE", update).replace("CHOICE", choice)
    start = MINE.index("    def select")
    names = "SEEN, NAMES = [], {'one', 'two', 'six'}\n"
    (here / "mine.py").write_text(f"{load}\n{MINE[:start]}{body}\n    {CONTAINS}\n{names}")
    asked = {"trials": 3, "rounds": 40, "fresh": True}
    one, two = (
        ends(optimist.play("glb_omd/logistic_s3", ["mine.py:Mine"], cores=cores, **asked), LABEL)
        for cores in (1, 2)
    )
    assert one == two
    last = optimist.play("glb_omd/logistic_s3", ["mine.py:Mine"], first=2, **{**asked, "trials": 1})
    assert ends(last, LABEL) == one[2:]


LABEL = "mine.py:Mine"
CONTAINS = "contains = lambda self, thetas: np.ones(len(thetas), dtype=bool)"


@pytest.mark.skipif(not isolation.CAN_FORK, reason="functions run here")
def test_a_copy_says_how_it_ended():
    found = isolated(lambda: os.getpid(), 1)
    assert found != os.getpid()
    with pytest.raises(EndedError, match="exit status 7"):
        isolated(lambda: os._exit(7), 1)
    with pytest.raises(EndedError, match="SIGSEGV"):
        isolated(lambda: os.kill(os.getpid(), 11), 1)
    with pytest.raises(ConfigError, match="of ours"):
        isolated(lambda: fail(ConfigError("of ours")), 1)
    with pytest.raises(Exception, match=r"annot pickle|an't pickle"):
        isolated(lambda: lambda: 0, 1)

    class OwnError(BaseException):
        def __init__(self, one, two):
            super().__init__(f"{one} {two}")

    with pytest.raises(Exception, match="one two") as error:
        isolated(lambda: fail(OwnError("one", "two")), 1)
    assert type(error.value).__name__ == "OwnError"
    # A child of the copy that holds its pipe delays nothing.
    assert isolated(lambda: os.fork() and 5, 1) in (0, 5)


def fail(error):
    raise error


def test_threads_of_a_class_hang_nothing(here):
    pool = "from concurrent.futures import ThreadPoolExecutor; POOL = ThreadPoolExecutor(1)\n"
    body = MINE.replace("pass", "assert POOL.submit(int, '7').result(20) == 7")
    (here / "mine.py").write_text(pool + body)
    assert len(ends(optimist.play("glb_omd/logistic_s3", [LABEL], trials=2, rounds=40), LABEL)) == 2


def test_a_class_of_a_notebook_starts_each_trial_alike(here):
    seen = []

    class Keeps(Uniform):
        def select(self, arms):
            seen.append(1)
            return len(seen) % len(arms)

    asked = {"trials": 3, "rounds": 50}
    one, two = (
        ends(optimist.play("glb_omd/logistic_s3", [Keeps], cores=cores, **asked), "Keeps")
        for cores in (1, 2)
    )
    assert one == two and not seen
    REGISTRIES["arms"].added.clear()


def test_a_race_with_a_users_class_changes_no_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE + PATCHES["a published class"] + "\n")
    alone = make(tmp_path / "a", *race("rs_glincb"))
    beside = make(tmp_path / "b", *race("mine.py:Mine", "rs_glincb"))
    one, other = (results.digest(results.read(paths[-1])) for paths in (alone, beside))
    assert one == other


def race(*labels):
    """Return the trials of a race."""
    return [replace(toy_trials("timing", algorithm=one, horizon=60), race="r") for one in labels]


def test_a_foreign_leader_is_kept_apart_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    probe = Probe(Label("mine.py:Mine"), 4)
    asked = replace(toy_trials("timing", algorithm="gloc"), race="r", probe=probe)
    assert asked.is_foreign and not asked.cell.is_foreign
    (path,) = make(tmp_path, asked)
    assert set(results.read(path)["status"].to_pylist()) == {"ok"}


def test_what_multiplies_wrongly_is_named_and_no_class(here, monkeypatch, capsys):
    (here / "sitecustomize.py").write_text(
        "import numpy as np\nnp.einsum = lambda *a: np.zeros(1)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(here), prepend=os.pathsep)
    with pytest.raises(ResultError, match=r"^numpy .* multiplies .* wrongly .*=own \(the last"):
        optimist.play("glb_omd/logistic_s3", ["uniform"], trials=1, rounds=5)
