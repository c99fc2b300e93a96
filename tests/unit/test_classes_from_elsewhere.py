"""Algorithms and environments of a file or of an installed package."""

import os
import re
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
import yaml
from messages import message
from own_class import MINE
from toy_environments import ROOT, make_problem

from optimist.algorithms import BOX_REGISTRY, REGISTRIES, REGISTRY, canonical, make_algorithm
from optimist.checks.command import check
from optimist.cli import main, new
from optimist.config.load import load_config, load_paper
from optimist.config.select import setting
from optimist.core import registry
from optimist.core.errors import UnreadableError
from optimist.core.label import Label
from optimist.core.registry import Registry, canonical_name
from optimist.core.source_files import closure
from optimist.environments import ENVIRONMENTS, environment_domain
from optimist.experiments.cell import Cell
from optimist.experiments.play_trial import build, play_trial
from optimist.experiments.trials import Trials
from optimist.plan.plan import Plan

WORLD = """
from optimist.environments.glm import GLMEnvironment

class World(GLMEnvironment):
    pass
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return an empty current folder, whose modules are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def cell_of(label, setting="logistic_s3[horizon=50]", paper="glb_omd"):
    return load_paper(paper).cell(setting, label)


def test_a_class_in_a_file_is_played_as_any_other(here):
    # Observers see the truth, so those of a foreign class have no part.
    cheats = "    def observers(self, environment):\n        raise RuntimeError\n"
    (here / "mine.py").write_text(f"{MINE}\n{cheats}")
    cell = cell_of("mine.py:Mine[gamma=0.2]")
    assert cell.name == "glb_omd/logistic_s3[horizon=50]/mine.py:Mine[gamma=0.2]"
    assert play_trial(cell, 0).status == "ok"
    place = Trials("regret", cell, 0, 1).place("0" * 12)
    assert place.path.endswith(f"/mine.py:Mine[gamma=0.2]/000-000.{'0' * 12}.parquet")


def test_a_file_has_one_name_whatever_is_typed(here):
    (here / "lab").mkdir()
    (here / "lab" / "other.py").write_text(MINE)
    for text in ("./mine.py:Mine", f"{here}/mine.py:Mine", "lab/../mine.py:Mine[gamma=0.10]"):
        assert canonical(text) == "mine.py:Mine"
    assert canonical("lab//other.py:Mine") == "lab/other.py:Mine"
    outside = os.path.abspath(here / ".." / "mine.py")
    assert canonical_name("../mine.py:Mine") == f"{outside}:Mine"
    place = Trials("regret", cell_of("lab/other.py:Mine"), 0, 1).place("0" * 12)
    assert place.path.count("/") == 4


def test_where_a_file_is_changes_neither_its_numbers_nor_its_code(here):
    (here / "lab").mkdir()
    (here / "lab" / "mine.py").write_text(MINE)
    one, two = (cell_of(label) for label in ("mine.py:Mine", "lab/mine.py:Mine"))
    assert play_trial(one, 3).columns["regret"] == play_trial(two, 3).columns["regret"]
    assert Trials("regret", one, 0, 1).code == Trials("regret", two, 0, 1).code


@pytest.mark.parametrize(
    ("label", "text", "expected"),
    [
        ("mine.py:Mien", MINE, "has no class 'Mien' (did you mean 'Mine'?); allowed: Mine"),
        ("mine.py:np", MINE, "has no class 'np'; allowed: Mine"),
        ("mine.py:X", "x = 1", "allowed: a subclass of optimist.algorithms.base.FiniteArm"),
        (
            "mine.py:Mine",
            "class Mine: pass",
            "mine.py:Mine is not an algorithm; allowed: a subclass of",
        ),
        ("mine.py:Mine", MINE.replace("def update", "def updat"), "does not define update"),
        ("mine.py:Mine", "def f(:", "mine.py cannot be loaded: SyntaxError: invalid syntax"),
        ("mine.py:Mine", "import nothing_there", "ModuleNotFoundError: No module named 'nothing"),
        ("mine.py:Mine", "1 / 0", "mine.py cannot be loaded: ZeroDivisionError: division by zero"),
        (
            "mine.py:Mine",
            "from optimist.errors import ConfigError",
            "No module named 'optimist.errors' (mine.py, line 1) (did you mean "
            "'optimist.core.errors'?); this version of optimist has other modules; `optimist new`",
        ),
        (
            "mine.py:Mine",
            "from optimist.core.errors import config_error",
            "(mine.py, line 1); this version of optimist has other modules; `optimist new`",
        ),
        (
            "mine.py:Mine",
            f"from optimist.algorithms.base import FiniteArmAlgorithm\n{MINE}".replace(
                "(GLBAlgorithm)", "(FiniteArmAlgorithm)"
            ),
            "algorithm 'mine.py:Mine': problem_type is None (mine.py, line LINE); allowed: "
            "GLBProblem, HeavyTailedProblem, KernelProblem, BoxProblem or object",
        ),
        (
            "mine.py:Mine",
            f"{MINE}    problem_type = 'GLBProblem'\n",
            "problem_type is 'GLBProblem' (mine.py, line LINE); allowed: GLBProblem, ",
        ),
        ("mine.py:Mine[beta=1]", MINE, "unknown option 'beta'; allowed: gamma"),
        ("none.py:Mine", MINE, "algorithm 'none.py:Mine': there is no file 'none.py'"),
        ("mine.py", MINE, "unknown algorithm 'mine.py'"),
        ("mine.py:", MINE, "unknown algorithm 'mine.py:'"),
    ],
)
def test_a_wrong_file_is_one_line(here, label, text, expected):
    (here / "mine.py").write_text(text)
    line = text.partition("class Mine")[0].count("\n") + 1
    expected = expected.replace("LINE", str(line))
    assert expected in message(lambda: make_algorithm(label, make_problem()))


def test_a_class_for_another_problem_or_domain_is_refused(here):
    assert "is not defined for a HeavyTailedProblem; allowed: GLBProblem" in message(
        lambda: play_trial(cell_of("mine.py:Mine", "student_t[horizon=50]", "hvt_ucb"), 0)
    )
    assert "mine.py:Mine is for another kind of setting; allowed here: a subclass of" in message(
        cell_of, "mine.py:Mine", "f1", "go_ucb"
    )


def test_a_setting_may_name_an_environment_in_a_file(here):
    (here / "mine.py").write_text(WORLD)
    assert environment_domain("mine.py:World") == "arms"
    paper = load_paper("glb_omd")
    known = paper.cell("logistic_s3", "glb_omd")
    foreign = replace(known.setting, label=Label("own"), environment="mine.py:World")
    own = Cell.of(foreign, "glb_omd")
    assert play_trial(own, 0, rounds=5).status == "ok"
    assert Trials("regret", own, 0, 1).code != Trials("regret", known, 0, 1).code
    assert "no class 'Wrld'" in message(environment_domain, "mine.py:Wrld")


# Installed packages.


@pytest.fixture
def offered(here, monkeypatch):
    """Return a function that makes an installed package offer algorithms."""
    (here / "offered_package.py").write_text(MINE)
    monkeypatch.syspath_prepend(str(here))

    def forget():
        for one in (*REGISTRIES.values(), ENVIRONMENTS):
            one.__dict__.pop("offered", None)

    def offer(**entries):
        found = [EntryPoint(n, v, "optimist.algorithms") for n, v in entries.items()]
        monkeypatch.setattr(registry, "entry_points", lambda group: found)
        forget()

    yield offer
    forget()


@pytest.mark.usefixtures("in_this_process")
def test_an_installed_package_offers_algorithms(offered):
    offered(mine="offered_package:Mine")
    cell = cell_of("mine[gamma=0.2]")
    assert play_trial(cell, 0).status == "ok"
    assert any(path.endswith("offered_package.py") for path in closure("offered_package"))
    assert "mine" in message(make_algorithm, "mien", make_problem())
    (found,) = check("mine[gamma=0.2]", only="is_built")
    assert (found.label, found.what) == ("mine[gamma=0.2]", "algorithm on arms")


@pytest.mark.parametrize("name", ["hvt_ucb", "turbo"])
def test_a_package_that_claims_a_registered_name_is_refused(offered, name):
    offered(**{name: "offered_package:Mine"})
    text = message(make_algorithm, "mine", make_problem())
    assert f"offers the algorithm {name!r}, a name that optimist itself uses" in text


def test_a_package_that_is_partly_removed_is_named_and_all_others_are_played(
    here, offered, monkeypatch, capsys
):
    content = here / "site/labplugin-1.0.dist-info"
    content.mkdir(parents=True)
    (content / "METADATA").write_text("Metadata-Version: 2.1\nName: labplugin\nVersion: 1.0\n")
    places = {"gone": "lab_gone:Mine", "half": "lab_half:Mine", "renamed": "offered_package:Old"}
    entries = "\n".join(f"{name} = {place}" for name, place in places.items())
    (content / "entry_points.txt").write_text(f"[optimist.algorithms]\n{entries}\n")
    (here / "lab_half.py").write_text("import lab_half_gone\n")
    monkeypatch.syspath_prepend(str(content.parent))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(content.parent), str(here)]))
    words = ["glb_omd/logistic_s3", "-a", *places, "uniform", "--trials", "1", "--rounds", "5"]
    assert main.main(["compare", *words]) == 1
    shown = capsys.readouterr()
    assert re.search(r"1  uniform +\d", shown.out)
    faults = {
        "gone": "there is no module 'lab_gone'",
        "half": "its module cannot be loaded: ModuleNotFoundError: No module named 'lab_half_gone'",
        "renamed": "offered_package has no class 'Old'",
    }
    for name, fault in faults.items():
        words = f"package 'labplugin' offers the algorithm '{name}', but {fault}"
        assert shown.err.count(words) == 1
    assert main.main(["run", "glb_omd/logistic_s3/gone"]) == 1
    assert "error: package 'labplugin' offers" in capsys.readouterr().err


def test_the_tables_and_what_is_offered_are_names():
    own = Registry("algorithm", REGISTRY, "optimist.no_such_group", ())
    assert [*own] == [*REGISTRY]
    assert "glb_omd" in own and "a/b.py:C" in own and "turbo" not in own
    assert set(REGISTRIES["box"]) >= set(BOX_REGISTRY)
    assert np.all([name in REGISTRIES["arms"] for name in REGISTRY])


# In the workflow.


def overlay(here, **changes):
    """Return the plan of the overlay in docs/compare.md, with some of its keys changed."""
    text = (ROOT / "docs/compare.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```yaml\n(.*?)^```", text, flags=re.M | re.S)
    (here / "mine.yaml").write_text(yaml.safe_dump(yaml.safe_load(block) | changes))
    return Plan(load_config(here / "mine.yaml", values=["papers=[glb_omd]"]))


def test_an_overlay_adds_algorithms_runs_and_figures(here):
    plan = overlay(here)
    own = {t.cell.name: t for t in plan.trials if "Mine" in t.cell.algorithm}
    assert set(own) == {
        f"glb_omd/logistic_s{s}/mine.py:Mine{options}"
        for s in (3, 5)
        for options in ("", "[gamma=0.3]")
    }
    assert {(t.first, t.stop) for t in own.values()} == {(0, 20)}
    paper = plan.papers["glb_omd"]
    assert paper.names["mine.py:Mine"] == "mine"
    assert "mine.py:Mine[gamma=0.3]" in paper.figures["with_mine"]["panels"][0]["algorithms"]
    before = {name: t.code for name, t in own.items()}
    (here / "mine.py").write_text(MINE + "EDITED = 1\n")
    after = {t.cell.name: t.code for t in overlay(here).trials if "Mine" in t.cell.algorithm}
    assert all(after[name] != before[name] for name in own)


def test_an_overlay_of_algorithms_alone_gives_them_their_names(here):
    paper = overlay(here, additions={}).papers["glb_omd"]
    assert paper.names["mine.py:Mine"] == "mine"


def test_an_overlay_is_restricted_by_its_own_names(here):
    only = {"settings": ["logistic_s5"], "algorithms": ["mine[gamma=0.3]"]}
    cells = {t.cell.name for t in overlay(here, only=only).trials}
    assert cells == {"glb_omd/logistic_s5/mine.py:Mine[gamma=0.3]"}


def test_an_overlay_adds_a_setting_of_an_environment_in_a_file(here):
    (here / "world.py").write_text(WORLD)
    setting = {
        "title": "Mine",
        "about": "A setting of mine.",
        "environment": "world.py:World",
        "horizon": 100,
        "parameters": {"link": "logistic", "norm": 3},
    }
    runs = [{"settings": ["own"], "algorithms": ["glb_omd", "mine"], "trials": 2}]
    plan = overlay(here, additions={"glb_omd": {"settings": {"own": setting}, "runs": runs}})
    own = {t.cell.name for t in plan.trials if t.cell.setting.label == "own"}
    assert own == {"glb_omd/own/glb_omd", "glb_omd/own/mine.py:Mine"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"algorithm_files": {"hvt_ucb": "mine.py:Mine"}},
            "algorithm_files.hvt_ucb has the name of",
        ),
        ({"algorithm_files": {"mine": "mine.py"}}, "algorithm_files.mine is 'mine.py'"),
        ({"algorithm_files": {"mine": "gone.py:Mine"}}, "there is no file 'gone.py'"),
        ({"algorithm_files": {"mine": "mine.py:Mien"}}, "did you mean 'Mine'?"),
        ({"algorithm_files": {}}, "unknown algorithm 'mine'"),
        ({"additions": {"glb": {}}}, "unknown paper 'glb' (did you mean 'glb_omd'?)"),
        ({"additions": {"glb_omd": {"run": []}}}, "unknown key 'run'"),
        (
            {"additions": {"glb_omd": {"figures": {"fig1": {"panels": []}}}}},
            "has 'fig1', which already exists",
        ),
        ({"additions": {"glb_omd": {"runs": [{"settings": ["logistic_s3"]}]}}}, "with additions"),
    ],
)
def test_a_wrong_overlay_is_one_line(here, changes, expected):
    assert expected in message(lambda: overlay(here, **changes))


@pytest.mark.parametrize("typed", ["mine.py", "Mine", "mine[gamma=1]"])
@pytest.mark.parametrize(
    "words",
    [
        ["check", "{}"],
        ["run", "glb_omd/logistic_s3/{}"],
        ["compare", "{}", "-a", "uniform"],
    ],
)
def test_a_class_without_its_file_or_the_reverse_is_named(
    typed, words, tmp_path, monkeypatch, capsys
):
    """Of files only what stands in them is read: a script may do anything when it is executed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "raise SystemExit\nclass _Base: ...\nclass Mine(_Base): ...\n"
    )
    (tmp_path / "broken.py").write_text("class Mine(:\n")
    assert main.main([word.format(typed) for word in words]) == 1
    assert "(did you mean 'mine.py:Mine'?)" in capsys.readouterr().err


def test_an_option_without_a_default_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = new.template("algorithm", "glb", "mine")
    (tmp_path / "mine.py").write_text(text.replace("gamma: float = 1.0", "gamma: float"))
    play = ["compare", "glb_omd/logistic_s3", "--trials", "1", "--rounds", "9", "-a"]
    assert main.main([*play, "mine.py:Mine"]) == 1
    assert "as in mine.py:Mine[gamma=...]\n" in capsys.readouterr().err
    assert main.main([*play, "mine.py:Mine[gamma=1]"]) == 0


LATIN = "# -*- coding: latin-1 -*-\n# Größe\n"


@pytest.mark.parametrize(
    "source",
    [
        (LATIN + MINE).encode("latin-1"),
        b"\xef\xbb\xbf" + MINE.replace("\n", "\r\n").encode(),
    ],
    ids=["latin-1", "mark"],
)
@pytest.mark.usefixtures("in_this_process")
def test_a_source_in_another_encoding_is_played_and_what_it_imports_is_followed(here, source):
    (here / "mine.py").write_bytes(source.replace(b"import numpy", b"import aside\nimport numpy"))
    (here / "aside.py").write_bytes((LATIN + "LEVEL = 1\n").encode("latin-1"))
    assert play_trial(cell_of("mine.py:Mine"), 0).status == "ok"
    assert str(here / "aside.py") in closure("mine.py")
    assert "mine.py:Mine" in registry.file_meant("mine.py")
    (found,) = check("mine.py:Mine")
    assert "raised" not in found.to_text(debug=True)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (MINE.encode("utf-16"), "mine.py cannot be loaded: "),
        (b"x = '\xf6'\n" + MINE.encode(), "mine.py cannot be loaded: SyntaxError: "),
    ],
    ids=["utf-16", "no utf-8"],
)
def test_a_source_that_is_none_is_one_line(here, source, expected):
    (here / "mine.py").write_bytes(source)
    assert expected in message(lambda: make_algorithm("mine.py:Mine", make_problem()))
    assert "'mine.py'" in message(lambda: make_algorithm("mine.py", make_problem()))


def test_a_file_that_cannot_be_read_is_named(here, monkeypatch):
    (here / "mine.py").write_text("import aside\n" + MINE)
    (here / "aside.py").write_text("")
    read = Path.read_bytes

    def refuse(path):
        if path.name == "aside.py":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(UnreadableError, match="cannot be read: Permission"):
        closure("mine.py")


@pytest.mark.parametrize(
    "text",
    [
        "import math; import b",
        "from \\\n    b import c",
        "def f():\n    if True: from b import c",
        "import a.x, b as c",
        "from . import b",
    ],
)
def test_imports_in_any_form_are_followed(tmp_path, text):
    (tmp_path / "a.py").write_text(text)
    (tmp_path / "b.py").write_text("")
    assert closure(str(tmp_path / "a.py")) == {str(tmp_path / "a.py"), str(tmp_path / "b.py")}


def test_packages_around_a_module_are_followed(tmp_path):
    (tmp_path / "a.py").write_text("import lib.inner.step\n")
    (tmp_path / "lib/inner").mkdir(parents=True)
    names = {"a.py", "lib/__init__.py", "lib/inner/__init__.py", "lib/inner/step.py"}
    for name in names - {"a.py"}:
        (tmp_path / name).write_text("")
    assert closure(str(tmp_path / "a.py")) == {str(tmp_path / name) for name in names}


MOVING = """
import os
import tempfile

from optimist.algorithms.uniform import Uniform
from optimist.environments.glm import GLMEnvironment

os.chdir(tempfile.mkdtemp())


class Method(Uniform):
    def update(self, arms, index, reward):
        os.chdir(tempfile.mkdtemp())
        open("solver.log", "w").close()


class World(GLMEnvironment):
    def __init__(self, *, horizon, trial, stream):
        names = dict(arms=5, dimension=2, link="logistic", norm=1.0)
        super().__init__(horizon=horizon, trial=trial, stream=stream, **names)
        os.chdir(tempfile.mkdtemp())

    def problem(self, delta=0.05):
        os.chdir(tempfile.mkdtemp())
        return super().problem(delta=delta)
"""


@pytest.mark.parametrize("command", ["compare", "run", "check"])
def test_a_class_may_change_the_current_folder(here, capfd, command, monkeypatch):
    (here / "moving.py").write_text(MOVING)
    (here / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(here / "scratch"))
    world, method = "moving.py:World[horizon=9]", "moving.py:Method"
    words = {
        "compare": [world, "-a", method, "uniform", "--trials", "2", "--csv", "table.csv"],
        "run": [f"{world}/{method}", "--trials", "2"],
        "check": [world],
    }
    main.main([command, *words[command]])
    shown = capfd.readouterr()
    assert "there is no file" not in shown.out + shown.err and "error" not in shown.err
    assert Path.cwd() == here and (here / "table.csv").is_file() == (command == "compare")
    assert not (here / "solver.log").exists()


DECLARED = """
from optimist.algorithms.uniform import Uniform
from optimist.environments.glm import GLMEnvironment


class Method(Uniform):
    def __init__(self, problem, *, rng, prior: float = 0.5, width=1):
        super().__init__(problem, rng=rng)
        self.given = prior, width


class World(GLMEnvironment):
    def __init__(self, *, horizon, trial, stream, arms=5, shift=0.5):
        names = dict(dimension=2, link="logistic", norm=1.0)
        super().__init__(horizon=horizon, trial=trial, stream=stream, arms=arms, **names)
        self.shift = shift

    def problem(self, *, bound: "float" = 2):
        self.bound = bound
        return super().problem(delta=0.1)
"""


def test_options_have_the_type_that_a_constructor_declares(here):
    (here / "declared.py").write_text(DECLARED)
    world = "declared.py:World[bound=4.0,horizon=9,shift=3.0]"
    cell = Cell.of(setting(world), "declared.py:Method[prior=2.0,width=2.0]")
    assert cell.setting.label == "World[bound=4,horizon=9,shift=3]"
    assert cell.algorithm == "declared.py:Method[prior=2,width=2]"
    environment, problem = build(cell, 0)
    method = make_algorithm(cell.algorithm, problem, np.random.default_rng(0))
    assert repr((*method.given, environment.shift, environment.bound)) == "(2.0, 2, 3.0, 4.0)"


PASSING = """
from optimist.algorithms.glb.gloc import GLOC
from optimist.environments.glm import GLMEnvironment


class Method(GLOC):
    def __init__(self, problem, **options):
        super().__init__(problem, **options)


class World(GLMEnvironment):
    def problem(self, *, norm_bound=1.0, **told):
        return super().problem(norm_bound=norm_bound, **told)
"""


def test_a_class_that_passes_any_option_on_is_refused_by_each_command(here, capsys):
    (here / "passing.py").write_text(PASSING)
    method = "`**options` in Method (passing.py, line 7): name the options that it passes on, such "
    method += "as `def __init__(self, problem, *, rng, a=1, gamma=0.1)`"
    world = "`**told` in World (passing.py, line 12): name the options that it passes on, such as"
    trials = ["--trials", "1", "--rounds", "3"]
    for words, refusal in (
        (["compare", "glb_omd/logistic_s3", "-a", "passing.py:Method", *trials], method),
        (["run", "glb_omd/logistic_s3/passing.py:Method"], method),
        (["check", "passing.py:Method"], method),
        (["compare", "passing.py:World", "-a", "gloc", *trials], world),
    ):
        assert main.main(words) == 1
        assert capsys.readouterr().err.strip().startswith(f"error: {refusal}")
