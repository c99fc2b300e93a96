"""Modules and files that decide a result: what is recorded, and what an edit plays again."""

import json
import os
import runpy
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from own_class import MINE
from result_files import make, path_of, toy_trials
from toy_environments import ROOT

from optimist.config.checks import stand_in
from optimist.config.load import load_paper
from optimist.core import blas_kernels, provenance, user_inputs
from optimist.core.files import sha256
from optimist.core.observation import (
    ABSENT,
    NAMED,
    UNSTEADY,
    Observer,
    first_change,
    is_record,
    observe,
)
from optimist.core.source_files import digest_of, is_left_out
from optimist.experiments import cell_records, results, trials
from optimist.experiments.job import make_result

LABEL = "mine.py:Mine"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return an empty folder, the current one."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name, module in list(sys.modules.items()):  # modules that other tests have loaded
        if str(getattr(module, "__file__", "")).startswith(str(tmp_path.parents[1])):
            monkeypatch.delitem(sys.modules, name)
    return folder


@pytest.fixture
def played(monkeypatch):
    """Return a list of the trials that are played."""
    found = []
    play = trials.Player.play

    def counting(self, trial, *more):
        found.append(trial)
        return play(self, trial, *more)

    monkeypatch.setattr(trials.Player, "play", counting)
    return found


def write(folder, **parts):
    """Write a class of a user: lines above it, lines in it, and lines of its constructor."""
    text = MINE.replace("class Mine", f"{parts.get('above', '')}\n\nclass Mine")
    text = text.replace("    def __init__", f"    {parts.get('within', '')}\n\n    def __init__", 1)
    lines = "".join(f"\n        {line}" for line in parts.get("start", "").splitlines())
    text = text.replace("rng, gamma\n", f"rng, gamma{lines}\n")
    (folder / "mine.py").write_text(text)


def observed(*, stop=1, label=LABEL, **changes):
    """Play trials unless a result of today is there; return what their file records."""
    asked = toy_trials(algorithm=label, stop=stop, **changes)
    path = Path("results", path_of(asked))
    if not path.is_file() or first_change(results.read_metadata(path)["observed"]):
        make(Path("results"), asked)
    return results.read_metadata(path)["observed"]


def save(path, number):
    np.save(path, np.full(3, number))


def save_parquet(path, number):
    pd.DataFrame({"x": [number]}).to_parquet(path)


def save_text(path, number):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"W = {number}\n")


# How a class depends on a file: how that is written, and the parts of the class.
WAYS = {
    "semicolon": ("w.py", save_text, {"above": "import math; import w"}),
    "guarded": ("w.py", save_text, {"above": "try: import w\nexcept ImportError: raise"}),
    "function": ("w.py", save_text, {"start": "import w"}),
    "by name": ("w.py", save_text, {"start": "__import__('importlib').import_module('w')"}),
    "executed": ("w.py", save_text, {"start": "exec(open('w.py').read())"}),
    "removed": ("w.py", save_text, {"start": "import w, sys\ndel sys.modules['w']"}),
    "sibling": (
        "../aside/w.py",
        save_text,
        {"above": "import sys; sys.path += ['../aside']\nimport w"},
    ),
    "namespace": ("lib/w.py", save_text, {"above": "from lib import w"}),
    "helper": ("lib/w.py", save_text, {"above": "from lib2.step import W"}),
    "open": ("w.txt", save_text, {"start": "open('w.txt').read()"}),
    "descriptor": ("w.txt", save_text, {"start": "import os; os.close(os.open('w.txt', 0))"}),
    "update": ("w.txt", save_text, {"start": "open('w.txt', 'r+').read()"}),
    "numpy": ("w.npy", save, {"start": "np.load('w.npy')"}),
    "csv": ("w.csv", save_text, {"start": "import pandas; pandas.read_csv('w.csv')"}),
    "parquet once": ("w.parquet", save_parquet, {"within": "reads = 'w.parquet'"}),
    "reader": (
        "w.parquet",
        save_parquet,
        {"start": "from optimist.data.tables import read; read('w.parquet')"},
    ),
    "outside": ("../w.txt", save_text, {"start": "open('../w.txt').read()"}),
}


@pytest.mark.parametrize("way", WAYS)
def test_an_edit_of_what_was_used_plays_again_and_nothing_else_does(here, played, way):
    name, make_file, parts = WAYS[way]
    (here / "lib2").mkdir()
    (here / "lib2/step.py").write_text("from lib.w import W\n")
    (here / "bystander.py").write_text("x = 1\n")
    (here / "bystander.csv").write_text("1\n")
    make_file(here / name, 1)
    write(here, **parts)
    observed()
    assert played == [0]
    Path("bystander.py").write_text("x = 2\n")
    Path("bystander.csv").write_text("2\n")
    observed()
    assert played == [0]
    make_file(here / name, 2)
    observed()
    assert played == [0, 0]
    observed()
    assert played == [0, 0]


def test_a_file_that_was_looked_for_in_vain_counts_once_it_is_there(here, played):
    write(here, start="try: open('w.txt')\nexcept OSError: pass")
    assert observed()["files"] == {"w.txt": ABSENT}
    (here / "w.txt").write_text("")
    assert observed()["files"] == {"w.txt": digest_of("w.txt")}
    assert played == [0, 0]


def test_the_record_names_what_was_used_and_leaves_out_system_packages_and_outputs(
    here, monkeypatch
):
    # Snakemake leaves a relative entry of a folder that is not there.
    monkeypatch.setattr(sys, "path", [*sys.path, "lacking/packages"])
    (here / "w.txt").write_text("1")
    (here / "link.txt").symlink_to("w.txt")
    (here / "unused.py").write_text("")
    # multiprocessing names the script of a job so in its children.
    script = ModuleType("__mp_main__")
    script.__file__ = str(here / "unused.py")
    monkeypatch.setitem(sys.modules, "__mp_main__", script)
    lines = """
import colorsys, importlib.metadata, json, os, pandas, pathlib, subprocess, sys, tempfile
for name in ('/proc/cpuinfo', '/dev/null', '/etc/hostname', json.__file__, pandas.__file__):
    os.path.exists(name) and open(name).close()
open('own.txt', 'w').write('x')
open('own.txt').read()
with tempfile.TemporaryFile() as file, tempfile.NamedTemporaryFile('w+') as other:
    open(other.name).read()
open('link.txt').read()
os.listdir('.')
importlib.metadata.entry_points()
for name in ('.', 'x' + chr(0), None):
    try: open(name)
    except (OSError, ValueError, TypeError): pass
"""
    write(here, start=lines.strip(), within="reads = 5")
    found = observed(stop=2)
    assert {*found["files"]} == {"link.txt", "./"}
    assert found["files"]["link.txt"] == digest_of("w.txt")
    assert {n for n in found["modules"] if not n.startswith(("optimist.", "/"))} == {"mine.py"}
    assert {"optimist.experiments.loop", "optimist.algorithms.glb.base"} <= set(found["modules"])
    assert found["modules"]["optimist.experiments.loop"] == digest_of(
        str(ROOT / "src/optimist/experiments/loop.py")
    )


def test_an_algorithm_that_a_class_makes_by_its_name_is_recorded(here):
    write(
        here,
        start="from optimist.algorithms import make_algorithm; make_algorithm('gloc', problem)",
    )
    assert "optimist.algorithms.glb.gloc" in observed()["modules"]


def test_what_foreign_code_uses_is_not_recorded_for_others(here):
    write(here, start="open('w.txt').read()")
    (here / "w.txt").write_text("1")
    paths = make(here / "results", toy_trials(algorithm=LABEL), toy_trials())
    foreign, own = (results.read_metadata(path)["observed"] for path in paths)
    assert foreign["files"] and not own["files"]
    assert all(name.startswith("optimist.") for name in own["modules"])


def test_a_file_that_changes_while_it_is_used_is_never_fresh(here, played):
    (here / "w.txt").write_text("1")
    write(here, start="open('w.txt').read()\nif gamma: open('w.txt', 'w').write('2')")
    assert observed(stop=2)["files"] == {"w.txt": UNSTEADY}
    assert observed(stop=2)["files"] == {"w.txt": digest_of("w.txt")}  # from now on the same
    assert played == [0, 1, 0, 1]
    observed(stop=2)
    assert played == [0, 1, 0, 1]


def test_a_module_that_is_edited_or_deleted_while_a_job_runs_is_noticed(here):
    write(here, above="import w", start="open('w.py', 'w').write('x = 2')")
    (here / "w.py").write_text("x = 1")
    assert observed()["modules"]["w.py"] == UNSTEADY
    write(here, above="import w", start="import os; os.path.exists('w.py') and os.unlink('w.py')")
    assert observed()["modules"]["w.py"] == UNSTEADY


def test_a_folder_that_is_copied_keeps_its_results(here, played, monkeypatch):
    write(here, above="import w", start="open('w.txt').read()")
    for name in ("w.py", "w.txt"):
        (here / name).write_text("")
    observed()
    shutil.copytree(here, here.parent / "other/place")
    shutil.rmtree(here)
    monkeypatch.chdir(here.parent / "other/place")
    observed()
    assert played == [0]


def test_the_timing_lane_and_a_notebooks_class_record_too(here):
    write(here, start="open('w.txt').read()")
    (here / "w.txt").write_text("1")
    (path,) = make(here / "results", toy_trials("timing", algorithm=LABEL))
    assert results.read_metadata(path)["observed"]["files"] == {"w.txt": digest_of("w.txt")}


def test_a_data_set_with_a_checksum_is_not_recorded_twice(here):
    paper = load_paper("go_ucb")
    name = next(n for n, s in paper.settings.items() if s.dataset == "breast_cancer_wdbc")
    job = replace(toy_trials(), cell=paper.cell(name, "uniform"), stop=1, rounds=10)
    described = {**job.describe(), "digest": ""}
    make_result(described, "x.parquet", str(stand_in()))
    metadata = results.read_metadata("x.parquet")
    assert metadata["resolved"]["dataset"] == sha256(stand_in() / "breast_cancer_wdbc.csv")
    assert not metadata["observed"]["files"]


# Inputs for which a user's file asks.


def used(text):
    """Run a user's file, as a job would, and return the record of what it used."""
    Path("mine.py").write_text(text)
    before = dict(os.environ)
    with Observer(is_foreign=True) as observer:
        runpy.run_path(os.path.abspath("mine.py"))
    os.environ.clear()
    os.environ.update(before)
    record = observer.record()
    del record["files"]["mine.py"]
    return record


def release(version, *, place="site-packages", record=None):
    """Install the package lab, perhaps from a folder, which leaves a list of its files."""
    shutil.rmtree(place, ignore_errors=True)
    info = Path(place, f"lab-{version}.dist-info")
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: lab\nVersion: {version}\n")
    Path(place, "lab.py").write_text("")
    if record is not None:
        (info / "direct_url.json").write_text("{}")
        (info / "RECORD").write_text(f"lab.py,sha256={record},1\n../bin/x,sha256={version},1\n")


def set_variable(value):
    os.environ["WIDTH"] = value


def store(number):
    with closing(sqlite3.connect("w.db")) as database, database:
        database.execute(f"pragma user_version = {number}")


def put(path, text=""):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def add_byte():
    with open("w.so", "ab") as file:
        file.write(b"0")


VARIABLE = "environment variable WIDTH"
# How a file asks for an input: its lines, a change of the input, and this change in words.
QUESTIONS = {
    "getenv": ("os.getenv('WIDTH')", lambda: set_variable("2"), f"{VARIABLE} changed"),
    "item": ("os.environ['WIDTH']", lambda: os.environ.pop("WIDTH"), f"{VARIABLE} is gone"),
    "get": ("os.environ.get('DEPTH')", lambda: os.environ.update(DEPTH=""), "DEPTH did not exist"),
    "in": ("'WIDTH' in os.environ", lambda: os.environ.pop("WIDTH"), f"{VARIABLE} is gone"),
    "bytes": ("os.environb[b'WIDTH']", lambda: set_variable("2"), f"{VARIABLE} changed"),
    "text": ("os.path.expandvars('$WIDTH')", lambda: set_variable("2"), f"{VARIABLE} changed"),
    "chain": (
        "import collections; collections.ChainMap({}, os.environ)['WIDTH']",
        lambda: set_variable("2"),
        f"{VARIABLE} changed",
    ),
    "set by the file": (
        "os.environ['WIDTH'] = '3'; os.environ['WIDTH']",
        lambda: set_variable("2"),
        f"{VARIABLE} changed",
    ),
    "listdir": ("os.listdir('data')", lambda: put("data/x"), "data/ changed"),
    "scandir": ("list(os.scandir('data'))", lambda: os.remove("data/w.txt"), "data/ changed"),
    "walk": ("list(os.walk('.'))", lambda: put("data/below/x"), "data/ changed"),
    "glob": ("import glob; glob.glob('data/*.c')", lambda: put("data/x.c"), "data/ changed"),
    "iterdir": ("list(Path('data').iterdir())", lambda: shutil.rmtree("data"), "data/ is gone"),
    "own folder": ("list(Path(__file__).parent.iterdir())", lambda: put("x.txt"), "./ changed"),
    "modules": (
        "import pkgutil; list(pkgutil.iter_modules(['data']))",
        lambda: put("data/x.py"),
        "data/ changed",
    ),
    "no folder": ("Path('none').glob('*') and os.path.isdir('none')", lambda: put("none/x"), ""),
    "exists": ("os.path.exists('x.txt')", lambda: put("x.txt"), "x.txt did not exist"),
    "is_file": ("Path('w.txt').is_file()", lambda: os.remove("w.txt"), "w.txt is gone"),
    "access": ("os.access('x.txt', os.R_OK)", lambda: put("x.txt"), "x.txt did not exist"),
    "another kind": ("os.path.isdir('x')", lambda: put("x/y"), "x did not exist"),
    "then read": ("Path('w.txt').exists() and open('w.txt')", lambda: put("w.txt", "2"), ""),
    "sqlite": ("import sqlite3; sqlite3.connect('w.db')", lambda: store(2), "w.db changed"),
    "sqlite by its address": (
        "import sqlite3; sqlite3.connect('file:w.db?mode=ro', uri=True)",
        lambda: store(2),
        "w.db changed",
    ),
    "library": ("import ctypes; ctypes.CDLL('./w.so')", add_byte, "w.so changed"),
    "numpy's library": (
        "import numpy; numpy.ctypeslib.load_library('w', '.')",
        add_byte,
        "w.so changed",
    ),
    "version": ("import lab", lambda: release("2.0"), "package lab changed"),
    "uninstalled": ("import lab", lambda: shutil.rmtree("site-packages"), "package lab is gone"),
    "installed again": (
        "import lab",
        lambda: release("1.0", record="2"),
        "package lab changed",
    ),
}


@pytest.fixture
def inputs(here, monkeypatch):
    """Provide the inputs for which the files in `QUESTIONS` ask."""
    monkeypatch.setenv("WIDTH", "1")
    monkeypatch.delenv("DEPTH", raising=False)
    monkeypatch.syspath_prepend(here / "site-packages")
    put("data/w.txt")
    put("w.txt", "1")
    store(1)
    import _ctypes

    shutil.copy(_ctypes.__file__, "w.so")
    release("1.0", record="1")
    yield here
    sys.modules.pop("lab", None)
    os.environ.pop("DEPTH", None)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_change_of_what_a_file_asked_for_is_noticed(inputs, question):
    text, change, words = QUESTIONS[question]
    record = used(f"import os\nfrom pathlib import Path\n{text}")
    assert is_record(record) and first_change(record) is None
    put("bystander.d/x.txt")
    os.environ["BYSTANDER"] = "1"
    assert first_change(record) is None
    change()
    assert first_change(record).endswith(words)
    assert "'2'" not in json.dumps(record)


@pytest.mark.parametrize(
    "text",
    [
        "dict(os.environ)",
        "os.environ.copy()",
        "[*os.environ.items()]",
        "'SLURM_JOB_ID' in os.environ, os.getenv('OMP_NUM_THREADS')",
        "import tempfile; tempfile.gettempdir(); import subprocess",
        "Path(__file__).resolve(); os.makedirs('made/below', exist_ok=True)",
        "os.mkdir('made'); os.path.exists('made/x'); open('made/y', 'w'); os.listdir('made')",
        "os.path.exists('log') or open('log', 'w').close()",
        "import tempfile\nwith tempfile.TemporaryDirectory() as d: os.listdir(d)",
        "os.path.exists('/proc/1'), os.listdir('/proc'), os.stat(0)",
        "import sqlite3; sqlite3.connect(':memory:'); import ctypes; ctypes.CDLL(None)",
        "open('/dev/urandom', 'rb').close(); os.path.exists('/dev/stdout'); os.listdir('/dev')",
        "os.path.exists('c') or open('t', 'w').close() or os.replace('t', 'c'); open('c').read()",
        "os.path.exists('c') or (os.mkdir('t'), Path('t').rename('c')); open('c/x', 'w').close()",
        "os.path.exists('c') or os.symlink('.', 'c')",
        "os.path.exists('c') or os.mkdir('t') or os.symlink('t', 'c'); open('t/x', 'w').close()",
    ],
)
def test_sessions_outputs_and_system_are_not_recorded(inputs, text):
    record = used(f"import os\nfrom pathlib import Path\n{text}")
    assert record["files"] == {} and record.keys() == used("").keys()


def change_database(path):
    """Return lines of a file that change a database."""
    statement = "create table if not exists t(x); insert into t values (1)"
    return (
        f"import sqlite3; d = sqlite3.connect({path!r}); d.executescript({statement!r}); d.close()"
    )


@pytest.mark.parametrize("path", ["w.db", "./new.db"])
def test_a_database_that_a_job_changes_is_made_by_it(inputs, path):
    record = used(change_database(path))
    assert record["files"] == {} and first_change(record) is None


def test_a_database_that_changes_in_a_copy_of_the_process_is_made_by_it(here, played):
    store(1)
    write(here, start=change_database("w.db"))
    for _ in range(2):
        observed(stop=2)
    assert played == [0, 1]


@pytest.mark.parametrize("way", ["symlink('../v/w.txt', 'below/x')", "link('v/w.txt', 'below/x')"])
def test_a_file_that_is_read_through_a_link_of_the_job_counts(here, way):
    put("v/w.txt", "1")
    put("below/y")
    record = used(f"import os; os.{way}; open('below/x').read()")
    os.remove("below/x")
    assert first_change(record) is None
    put("v/w.txt", "2")
    assert first_change(record) == "v/w.txt changed"


def test_a_file_below_a_link_of_the_job_counts(here):
    put("v/w.txt", "1")
    record = used("import os\nos.path.exists('x') or os.symlink('v', 'x')\nopen('x/w.txt').read()")
    assert first_change(record) is None
    put("v/w.txt", "2")
    assert first_change(record) == "x/w.txt changed"


def test_files_in_shared_memory_count():
    left_out = {name: is_left_out(f"/dev/{name}") for name in ("shm", "shm/x", "null")}
    assert left_out == {"shm": False, "shm/x": False, "null": True}


def test_variables_that_optimist_sets_are_not_recorded():
    fixed = {**blas_kernels.variables(), "PYTHONHASHSEED": "0", blas_kernels.OPT_OUT: ""}
    assert all(map(user_inputs.OF_JOBS.fullmatch, [*fixed, "TMP"]))
    assert not user_inputs.OF_JOBS.fullmatch("TEMPERATURE")


def test_packages_that_name_a_result_are_not_recorded():
    modules = {"sklearn" if name == "scikit-learn" else name for name in provenance.PACKAGES}
    assert modules == NAMED


def test_a_module_without_a_distribution_is_recorded_by_its_content(inputs):
    put("site-packages/alone/__init__.py", "x = 1")
    put("site-packages/alone/below/y.py", "y = 1")
    record = used("import alone")
    assert first_change(record) is None
    put("site-packages/alone/below/y.py", "y = 2")
    assert first_change(record) == "site-packages/alone/below/y.py changed"


def test_functions_of_python_are_replaced_in_a_foreign_job_alone(here):
    before = os.stat, os.lstat, os.access, type(os.environ).__getitem__
    with Observer():
        assert (os.stat, os.lstat, os.access, type(os.environ).__getitem__) == before
    with Observer(is_foreign=True):
        assert os.stat is not before[0] and os.stat in os.supports_follow_symlinks
        shutil.copy2(__file__, "copy", follow_symlinks=False)
    assert (os.stat, os.lstat, os.access, type(os.environ).__getitem__) == before
    supported = os.supports_fd | os.supports_dir_fd | os.supports_follow_symlinks
    assert not any(hasattr(function, "__wrapped__") for function in supported)


def test_a_class_and_an_environment_are_played_again(here, played, monkeypatch):
    monkeypatch.setenv("WIDTH", "1")
    write(here, start="import os; os.environ.get('WIDTH')")
    base = "from optimist.environments.glm import GLMEnvironment\n"
    text = f"import os\n{base}os.path.exists('w.txt')\nclass World(GLMEnvironment): pass\n"
    (here / "world.py").write_text(text)
    for change in (lambda: None, lambda: set_variable("2"), lambda: put("w.txt")):
        change()
        for _ in range(2):
            found = observed(environment="world.py:World")
    assert played == [0, 0, 0] and found["files"] == {"w.txt": "is a file"}
    assert [*found["variables"]] == ["WIDTH"]


# Copies of a folder.


COPIES = {
    "file": ("open('../w.txt').read()", lambda: put("../w.txt", "2")),
    "module": (
        "import sys; sys.path.append('../lib'); import w",
        lambda: put("../lib/w.py", "x = 2"),
    ),
    "gone": ("open('../w.txt').read()", lambda: os.remove("../w.txt")),
    "link": ("open('data/w.txt').read()", lambda: put("../v/w.txt", "2")),
    "existence": ("import os; os.path.exists('../x')", lambda: put("../x")),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_changed_copy_of_a_folder_is_played_again_and_an_equal_one_is_not(here, name):
    text, change = COPIES[name]
    one = here.parent / "one/experiments"
    put(one / "../w.txt", "1")
    put(one / "../lib/w.py", "x = 1")
    put(one / "../v/w.txt", "1")
    (one / "data").symlink_to("../v")
    os.chdir(one)
    record = used(text)
    sys.modules.pop("w", None)
    shutil.copytree(one.parent, here.parent / "two", symlinks=True)
    os.chdir(here.parent / "two/experiments")
    assert first_change(record) is None
    change()
    assert first_change(record)
    os.chdir(one)
    assert first_change(record) is None


def test_a_link_that_leads_elsewhere_is_noticed(here):
    put("v1/w.txt", "1")
    put("v2/w.txt", "2")
    Path("data").symlink_to("v1")
    record = used("open('data/w.txt').read()")
    Path("data").unlink()
    Path("data").symlink_to("v2")
    assert first_change(record) == "data/w.txt changed"


# Records and today's files.


def test_nothing_is_observed_outside_of_a_block(here):
    (here / "w.txt").write_text("1")
    observer = Observer()
    observe("w.txt")
    with observer:
        pass
    Path("w.txt").read_text()
    assert observer.record() == {"modules": {}, "files": {}}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({}, None),
        ({"modules": {"optimist.core.label": "0" * 64}}, "optimist.core.label changed"),
        ({"modules": {"optimist.no_such": "0" * 64}}, "optimist.no_such is gone"),
        ({"modules": {"w.py": "0" * 64}}, "w.py changed"),
        ({"modules": {"none.py": "0" * 64}}, "none.py is gone"),
        ({"modules": {"w.py": UNSTEADY}}, "w.py changed while the job ran"),
        ({"files": {"w.txt": "0" * 64}}, "w.txt changed"),
        ({"files": {"none.txt": "0" * 64}}, "none.txt is gone"),
        ({"files": {"folder": "0" * 64}}, "folder is gone"),
        ({"files": {"w.txt": ABSENT}}, "w.txt did not exist"),
        ({"files": {"none.txt": ABSENT}}, None),
        ({"files": {"w.txt": UNSTEADY}}, "w.txt changed while the job ran"),
        ({"modules": 5}, "the record of its modules and files is damaged"),
        ({"files": {"w.txt": 5}}, "the record of its modules and files is damaged"),
        ({"later": {"kind": "x"}}, None),
    ],
)
def test_the_first_change_is_in_words(here, record, expected):
    (here / "w.py").write_text("x = 1")
    (here / "w.txt").write_text("1")
    (here / "folder").mkdir()
    same = {"modules": {"w.py": digest_of("w.py")}, "files": {"w.txt": digest_of("w.txt")}}
    for kind in record:
        same[kind] = record[kind]
    assert first_change(same) == expected


def test_a_damaged_record_in_a_table_is_out_of_date(here):
    record = cell_records.CellRecord(
        *("regret", "paper", "s3", "mine.py:Mine"),
        trials=1,
        parts=(1,),
        digest="0" * 64,
        content="",
        seconds=1.0,
        mb=1.0,
        commit="",
        made="",
        observed={"modules": 5},
    )
    cell_records.write([record], "cells.csv")
    (read,) = cell_records.read("cells.csv").values()
    assert not read.is_of("0" * 64) and "damaged" in read.change
    assert replace(read, observed={}).is_of("0" * 64)


def test_a_file_without_permission_counts_as_absent(here, monkeypatch):
    (here / "w.txt").write_text("1")
    digest = digest_of("w.txt")

    def refuse(*arguments, **keywords):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("optimist.core.source_files._sha256", refuse)
    monkeypatch.setattr("optimist.core.source_files._KNOWN", {})
    assert first_change({"modules": {}, "files": {"w.txt": digest}}) == "w.txt is gone"


# What imports tell is all that published methods load.


@pytest.mark.parametrize(
    "name",
    [
        "glb_omd/logistic_s3/glb_omd",
        "hvt_ucb/student_t/hvt_ucb",
        "bkb/gaussian_d1/bkb",
        "go_ucb/f1/go_ucb",
        "go_ucb/f1/turbo",
    ],
)
def test_imports_tell_all_modules_that_a_published_method_loads(name):
    code = """
import json, sys
from optimist.experiments.cell import Cell
from optimist.experiments.play_trial import play_trial
from optimist.experiments.code_digest import own_modules
cell = Cell.restore(json.loads(sys.argv[1]))
play_trial(cell, 0, rounds=12)
rooms = tuple(f"optimist.{room}." for room in ("algorithms", "environments", "numerics"))
loaded = {name for name, module in sys.modules.items() if not hasattr(module, "__path__")}
print(*sorted({name for name in loaded if name.startswith(rooms)} - own_modules(cell)))
"""
    paper, setting, algorithm = name.split("/")
    cell = load_paper(paper).cell(setting, algorithm)
    command = [sys.executable, "-c", code, json.dumps(cell.describe())]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
