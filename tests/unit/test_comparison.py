"""Algorithms side by side: what is asked for, what is played and kept, the table and the figure."""

import importlib
import inspect
import io
import json
import math
import os
import re
import shutil
import sys
import threading
from dataclasses import replace

import cloudpickle
import committed_tables
import numpy as np
import pandas as pd
import pytest
from committed_tables import record_of, trials_of
from matplotlib.colors import to_rgb
from own_class import MINE
from PIL import Image

import optimist
from optimist.algorithms import REGISTRIES
from optimist.algorithms.uniform import Uniform
from optimist.cli import main, new
from optimist.comparison import draw, earlier_trials, show
from optimist.comparison import play as playing
from optimist.comparison.clock import Clock
from optimist.config.load import load_config, load_paper, load_style, using
from optimist.core import provenance
from optimist.core.errors import ConfigError, ResultError, UnwritableError
from optimist.core.layout import Layout, digest_in_name
from optimist.experiments import cell_records
from optimist.experiments.job import make_result
from optimist.experiments.play_trial import play_trial
from optimist.experiments.trials import Trials
from optimist.figures.style import MARKERS
from optimist.plan import data


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Give an empty folder that is the current one, and to which results are written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(playing, "workspace", lambda: tmp_path)
    monkeypatch.setattr(earlier_trials, "figures_folder", lambda paper: tmp_path / "figures")
    (tmp_path / "mine.py").write_text(MINE)
    yield tmp_path
    REGISTRIES["arms"].added.clear()


def message(call, *arguments, error=ConfigError, **keywords):
    with pytest.raises(error) as raised:
        call(*arguments, **keywords)
    assert "\n" not in str(raised.value)
    return str(raised.value)


S3 = "glb_omd/logistic_s3"


def played(labels, where=S3, trials=1, **keywords):
    """Return the frame of a comparison, and how many trials were played for it now."""
    reports = []
    frame = optimist.play(where, labels, trials=trials, report=reports.append, **keywords)
    return frame, len(reports)


# What is asked for.


def test_settings_are_found_by_label_pattern_and_option():
    found = optimist.settings("glb_omd/logistic_s?", "glb_omd/logistic_s3", horizon=50)
    labels = [f"glb_omd/logistic_s{s}[horizon=50]" for s in (3, 5, 7, 9)]
    assert [str(one) for one in found] == labels
    assert str(optimist.setting("hvt_ucb/student_t[radius=matched,factor=0.30]")) == (
        "hvt_ucb/student_t[factor=0.3,radius=matched]"
    )
    assert optimist.setting("go_ucb/f1").domain == "box"
    plain = optimist.setting("glb_omd/logistic_s3").title
    assert "S = 3" in plain
    assert optimist.setting("glb_omd/logistic_s3", horizon=50).title == f"{plain} [horizon=50]"
    assert len(optimist.settings("hvt_ucb/student_t[*shrunk*]")) > 3
    shrunk = [f"glb_omd/logistic_s{s}[factor=0.3]" for s in (3, 5, 7, 9)]
    assert [str(one) for one in optimist.settings("glb_omd/logistic_s?[factor=0.3]")] == shrunk


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("glb_omd/logstic_s3", "did you mean 'logistic_s3'?"),
        ("glb_omd", "setting 'glb_omd' is malformed; allowed: PAPER/SETTING with bkb, glb_omd"),
        ("glb_omd/", "is malformed"),
        ("glb/x", "did you mean 'glb_omd'?"),
        ("glb_omd/logistic_x*", "setting 'glb_omd/logistic_x*' matches nothing; allowed: patterns"),
        ("glb_omd/logistic_s3[hrizon=3]", "unknown option 'hrizon' (did you mean 'horizon'?)"),
        ("none.py:World", "environment 'none.py:World': there is no file 'none.py'"),
    ],
)
def test_a_wrong_setting_is_one_line(text, expected):
    assert expected in message(optimist.settings, text)


def test_one_setting_is_one():
    assert "matches 4 settings; allowed: one" in message(optimist.setting, "glb_omd/logistic_s?")


def test_an_environment_of_ones_own_is_a_setting(here):
    (here / "world.py").write_text(
        "from optimist.environments.glm import GLMEnvironment\n"
        "class World(GLMEnvironment):\n    pass\n"
    )
    where = optimist.setting("world.py:World[dimension=3]", horizon=20, link="logistic", norm=3)
    assert str(where) == "World[dimension=3,horizon=20,link=logistic,norm=3]"
    played = optimist.play(where, ["glb_omd"], trials=2)
    assert set(played["paper"]) == {"own"} and played["round"].max() == 20


# Playing.


def test_trials_are_those_of_the_workflow_whatever_the_process(here):
    played = optimist.play("glb_omd/logistic_s3", ["glb_omd"], trials=2, rounds=40, cores=2)
    cell = load_paper("glb_omd").cell("logistic_s3", "glb_omd")
    for trial in (0, 1):
        own = played[played["trial"] == trial]["regret"].to_numpy()
        np.testing.assert_allclose(own, play_trial(cell, trial, rounds=40).columns["regret"])


def test_what_was_played_is_kept_and_an_edit_plays_it_again(here):
    labels, reports = ["mine.py:Mine[gamma=0.2]", "uniform"], []
    first, number = played(labels, trials=2, rounds=30)
    again, none = played(labels, trials=2, rounds=30)
    pd.testing.assert_frame_equal(first, again)
    assert (number, none) == (4, 0)
    longer = optimist.play(S3, labels, trials=3, rounds=30, report=reports.append)
    assert [(now.done, now.total) for now in reports] == [(5, 6), (6, 6)]
    assert len(longer) == 1.5 * len(first)
    (here / "mine.py").write_text(MINE.replace("pass", "self.seen = index"))
    assert played(labels, trials=2, rounds=30)[1] == 2


def test_an_edit_of_a_helpers_helper_plays_again_and_an_edit_of_words_does_not(here):
    (here / "lib").mkdir()
    (here / "lib/step.py").write_text("from lib.width import WIDTH\n")
    text = MINE.replace("import numpy as np", "import numpy as np; from lib.step import WIDTH")
    (here / "mine.py").write_text(text.replace("int(self.rng.integers(len(arms)))", "WIDTH"))
    regrets, numbers = [], []
    for width in ("WIDTH = 1\n", '"""Words."""\nWIDTH = 1  # more words\n', "WIDTH = 2\n"):
        (here / "lib/width.py").write_text(width)
        frame, number = played(["mine.py:Mine"], rounds=30)
        regrets.append(frame["regret"].tolist())
        numbers.append(number)
    assert numbers == [1, 0, 1]
    fresh, _ = played(["mine.py:Mine"], rounds=30, fresh=True)
    assert regrets[0] == regrets[1] != regrets[2] == fresh["regret"].tolist()


def test_an_edit_of_data_that_a_class_reads_plays_again(here):
    (here / "mine.py").write_text(MINE.replace("super()", "np.load('w.npy')\n        super()"))
    reused = []
    for value in (1.0, None, 2.0):
        if value is not None:
            np.save(here / "w.npy", [value])
        played = optimist.play("glb_omd/logistic_s3", ["mine.py:Mine"], trials=2, rounds=10)
        reused.append(played.attrs["reused"])
    assert reused == [0, 2, 0]


def test_results_of_the_workflow_are_taken(here):
    cell = load_paper("glb_omd").cell("logistic_s9", "uniform")
    asked = Trials("regret", cell, 0, 4)
    decisive = cell_records.digest_of(asked, str)
    place = asked.place(digest_in_name(decisive, provenance.packages()))
    path = f"results/{place.path}"
    make_result({**asked.describe(), "digest": decisive}, path, "")
    frame, number = played(["uniform"], "glb_omd/logistic_s9", 4)
    assert number == 0 and sorted(set(frame["trial"])) == [0, 1, 2, 3]
    (here / path).write_bytes(b"")
    assert played(["uniform"], "glb_omd/logistic_s9")[1] == 1


def test_a_class_of_this_process_is_played_by_another_and_not_kept(here):
    class Lazy(Uniform):
        def diagnostics(self):
            return {"process": os.getpid()}

    numbers = []
    for _ in range(2):
        frame, number = played([Lazy, "uniform"], trials=2, rounds=10)
        numbers.append(number)
    assert set(frame["algorithm"]) == {"Lazy", "uniform"} and numbers == [4, 2]
    assert os.getpid() not in {*frame["process"]}


HELD = """
import held_side
from held_side import doubled
from optimist.algorithms.uniform import Uniform

WIDTH = 1


class OfModule(Uniform):
    def select(self, arms):
        raise ValueError(f"it holds {WIDTH}")


class OfNeighbour(Uniform):
    def select(self, arms):
        raise ValueError(f"it holds {held_side.WIDTH}")


class OfFunction(Uniform):
    def select(self, arms):
        raise ValueError(f"it holds {doubled()}")


class OfClass(Uniform):
    width = 1

    def select(self, arms):
        raise ValueError(f"it holds {self.width}")
"""


def test_a_class_is_played_as_the_notebook_holds_it(here, monkeypatch):
    (here / "held.py").write_text(HELD)
    (here / "held_side.py").write_text("WIDTH = 1\n\n\ndef doubled():\n    return 2 * WIDTH\n")
    monkeypatch.syspath_prepend(here)
    names = ("held", "held_side")
    held, side = (importlib.import_module(name) for name in names)
    held.WIDTH, side.WIDTH, held.OfClass.width = 30, 40, 50
    (here / "held.py").write_text("raise SystemError('the file is not loaded again')")
    classes = [held.OfModule, held.OfNeighbour, held.OfFunction, held.OfClass]
    with pytest.raises(ResultError) as error:
        optimist.play(S3, classes, trials=1, rounds=5, errors="skip")
    held_by = dict(re.findall(r"/(\w+), trial 0: ValueError: it holds (\d+)", str(error.value)))
    assert held_by == {"OfModule": "30", "OfNeighbour": "40", "OfFunction": "80", "OfClass": "50"}
    assert "(held.py, line 11)" in str(error.value)
    assert not set(names) & cloudpickle.list_registry_pickle_by_value()
    for name in names:
        del sys.modules[name]


def test_a_class_that_cannot_be_sent_is_refused_in_one_line(here):
    lock = threading.Lock()

    class Locked(Uniform):
        held = lock

    said = message(optimist.play, "glb_omd/logistic_s3", [Locked], trials=1, rounds=5)
    assert "Locked cannot be sent to another process (TypeError: cannot pickle" in said


def test_a_class_that_claims_a_known_name_or_is_none_is_refused():
    known = type("oful", (Uniform,), {})
    assert "'oful' is the name of a known algorithm" in message(optimist.register, known)
    assert "Fraction is not an algorithm" in message(optimist.register, type("Fraction", (), {}))
    assert "algorithm is 3; allowed: a label, or a class" in message(
        optimist.play, "glb_omd/logistic_s3", [3]
    )


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        ({"trials": 0}, "trials is 0; allowed: a whole number, at least 1"),
        ({"trials": 2.5}, "trials is 2.5"),
        ({"cores": True}, "cores is True"),
        ({"first": -1}, "first is -1; allowed: a whole number, at least 0"),
        ({"rounds": 0}, "rounds is 0; allowed: a whole number, at least 1, or none"),
        (
            {"rounds": 3001},
            "rounds is 3001; allowed in glb_omd/logistic_s3: at most 3000, the horizon",
        ),
    ],
)
def test_wrong_numbers_are_refused_before_anything_is_played(here, keywords, expected):
    assert expected in message(optimist.play, "glb_omd/logistic_s3", ["uniform"], **keywords)
    assert not (here / "results").exists()


def test_what_does_not_fit_is_refused_before_anything_is_played(here):
    labels = ["uniform", "hvt_ucb"]
    text = message(optimist.play, ["hvt_ucb/student_t", "glb_omd/logistic_s3"], labels)
    assert "glb_omd/logistic_s3/hvt_ucb: algorithm 'hvt_ucb' is not defined for a GLB" in text
    assert "algorithms is empty" in message(optimist.play, "glb_omd/logistic_s3", [])
    assert "settings is empty" in message(optimist.play, [], ["uniform"])
    assert not (here / "results").exists()


BREAKS = {
    "raise KeyError('lost')": "glb_omd/logistic_s3/mine.py:Mine, trial 0: KeyError: 'lost' "
    "(mine.py, line 16), in round 1; optimist --debug run glb_omd/logistic_s3/mine.py:Mine "
    "--trials 0:1 --rounds 10 shows",
    "self.rng.choice(3, p=[0.5, 0.5, 0.5])": "(mine.py, line 16), in round 1; optimist --debug",
    "open('weights.npy')": "mine.py:Mine, trial 0: FileNotFoundError: ",
    "import sys; sys.exit(3)": "mine.py:Mine, trial 0: SystemExit: 3 (mine.py, line 16); optimist",
}


@pytest.mark.parametrize(("update", "expected"), BREAKS.items())
def test_a_class_that_breaks_says_so_in_one_line(here, update, expected, capfd):
    (here / "mine.py").write_text(MINE.replace("pass", update))
    said = message(played, ["mine.py:Mine"], trials=2, rounds=10, error=ResultError)
    assert expected in said
    assert "Traceback" not in capfd.readouterr().err


def test_regret_is_counted_from_the_best_known_value_where_it_must_be(here, monkeypatch):
    # As many rows as a process would give, without a classifier to train.
    def rows(best):
        frame = {"round": [1, 2], "regret": [best, 2 * best], "simple_regret": [best, best]}
        return pd.DataFrame({**frame, "paper": "go_ucb", "setting": "breast_cancer_rf"}).assign(
            algorithm=f"a{best}", trial=0, status="ok", instance="one", seconds=1.0
        )

    cell = load_paper("go_ucb").cell("breast_cancer_rf", "uniform")
    trials = [playing.Trials("regret", cell, 0, 1)] * 2
    joined = playing._joined(trials, [rows(0.25), rows(0.5)])
    assert joined["regret"].tolist() == [0.0, 0.0, 0.25, 0.5]


# The table.


def table(**values):
    """Return played rows with the final regrets of each algorithm, by trial."""
    rows = [
        {"paper": "p", "setting": "s", "algorithm": name, "trial": i, "round": 9, "regret": value}
        for name, regrets in values.items()
        for i, value in enumerate(regrets)
    ]
    return pd.DataFrame(rows).assign(seconds=0.5, status="ok")


def test_a_ranking_by_hand():
    base = np.arange(12.0)
    found = optimist.rank(table(worse=base + 13.0 + (-1.0) ** base, best=base + 1.0))
    first, second = found.to_dict("records")
    assert (first["algorithm"], first["rank"], first["trials"]) == ("best", 1, 12)
    assert (first["mean"], first["median"]) == (6.5, 6.5)
    half = 2.200985 * base.std(ddof=1) / math.sqrt(12)
    assert (first["low"], first["high"]) == pytest.approx((6.5 - half, 6.5 + half), rel=1e-5)
    assert math.isnan(first["difference"]) and math.isnan(first["p"])
    # Differences are 13 and 11 in turn: deviation 1.0445, t = 12 / (1.0445 / 3.4641) = 39.8.
    assert second["difference"] == pytest.approx(12.0)
    assert second["difference_high"] - 12.0 == pytest.approx(2.200985 * 1.044466 / math.sqrt(12))
    assert (first["wins"], first["losses"], second["wins"], second["losses"]) == (1, 0, 0, 1)
    assert (first["better_than"], second["worse_than"]) == (["worse"], ["best"])


def test_fewer_than_ten_trials_decide_nothing_and_many_pairs_are_corrected():
    few = optimist.rank(table(a=[1.0] * 9, b=[100.0, 101.0] * 4 + [99.0]))
    assert few["wins"].sum() == 0 and math.isnan(few["p"].iloc[1])
    # One pair at p 0.04 wins alone, and not among six.
    rng = np.random.default_rng(4)
    noise = rng.standard_normal(20)
    near = (noise - noise.mean()) / noise.std(ddof=1) + 2.2 / math.sqrt(20)
    two = table(a=[5.0] * 20, b=near + 5.0)
    assert 0.03 < optimist.rank(two)["p"].iloc[1] < 0.05
    assert optimist.rank(two)["wins"].sum() == 1
    four = table(a=[5.0] * 20, b=near + 5.0, c=near + 5.0, d=near + 5.0)
    assert optimist.rank(four)["wins"].sum() == 0


def test_differences_are_to_a_reference_if_one_is_named():
    base = np.arange(12.0)
    played = table(worse=base + 13.0, best=base + 1.0, middle=base + 3.0)
    found = optimist.rank(played, reference="middle").set_index("algorithm")
    assert [*found.index] == ["best", "middle", "worse"]
    assert found["difference"].tolist()[::2] == [-2.0, 10.0]
    assert math.isnan(found.loc["middle", "difference"]) and found.loc["worse", "p"] < 0.001
    assert message(optimist.rank, played, reference="midle").startswith("unknown reference 'midle'")


def test_trials_that_failed_count_as_that_alone():
    """Survivors are not ranked before those that completed all, and compared with none."""
    played = table(a=[1.0] * 11 + [9.0], b=[9.0, 8.0] * 6, c=[5.0] * 12, d=[19.0, 18.0] * 6)
    played.loc[(played["algorithm"] == "a") & (played["trial"] == 11), "status"] = "failed: x"
    played.loc[played["algorithm"] == "c", "status"] = "non_finite"
    found = optimist.rank(played).set_index("algorithm")
    assert [*found.index] == ["b", "d", "a", "c"]
    assert found.loc["a", ["trials", "failed", "mean"]].tolist() == [11, 1, 1.0]
    assert found.loc["c", ["trials", "failed"]].tolist() == [0, 12]
    assert found["better_than"].tolist() == [["d"], [], [], []]
    assert found["worse_than"].tolist() == [[], ["b"], [], []]
    assert found["p"].notna().tolist() == [False, True, False, False]
    assert optimist.rank(played, reference="a")["difference"].isna().all()


def test_ranks_of_others_are_shown_in_runs():
    ranks = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 6}
    assert show._ranks(["e", "b", "a", "c"], ranks) == "1-3,6" and show._ranks([], ranks) == "-"


def test_settings_of_one_instance_say_so(here, capsys):
    settings = ["glb_omd/logistic_s3", "glb_omd/logistic_s3[instance=per_trial]"]
    assert main.main(["compare", *settings, "-a", "uniform", "--trials", "2", "--rounds", "5"]) == 0
    shown = capsys.readouterr().out
    cut, radii = "2 trials; 5 of 3000 rounds", "each method has the radius of its theorem"
    one = "one instance: trials differ only in noise"
    assert f"glb_omd/logistic_s3 ({cut}; {one}; {radii})\n" in shown
    assert f"glb_omd/logistic_s3[instance=per_trial] ({cut}; {radii})\n" in shown
    assert "factor=0.3 shrinks the radii" in " ".join(shown.split())
    assert "optimist check" not in shown
    changed = ["--trials", "1", "--horizon", "5", "-a", "mine.py:Mine"]
    assert main.main(["compare", settings[1], *changed]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "[horizon=5,instance=per_trial] (1 trial; each method has" in shown
    assert " rounds" not in shown
    assert "Use optimist check to test the contract of mine.py:Mine." in shown


def test_files_that_cannot_be_written_are_refused_before_anything_is_played(
    here, monkeypatch, capsys
):
    (here / "kept.csv").write_text("mine")
    (here / "kept").mkdir()
    # Who runs the tests may be one who writes where it wants.
    monkeypatch.setattr("os.access", lambda path, mode: "kept" not in str(path))
    for option, path, expected in (
        ("--csv", "kept.csv", "--csv is 'kept.csv', but kept.csv is write-protected"),
        ("--csv", "kept/new/t.csv", "kept is write-protected"),
        ("--csv", "kept.csv/t.csv", "kept.csv is write-protected"),
        ("--csv", "kept", "--csv is 'kept', a folder; allowed: a file"),
        ("--csv", ".", "--csv is '.', a folder; allowed: a file"),
        ("--csv", "new/t.csv", "'nope'"),
    ):
        assert main.main(["compare", "glb_omd/logistic_s3", "-a", "nope", option, path]) == 1
        assert expected in capsys.readouterr().err
    assert (here / "kept.csv").read_text() == "mine" and not (here / "results").exists()


def test_a_file_system_without_room_ends_all_even_where_errors_are_skipped(here, monkeypatch):
    def calls(waiting, processes):
        yield 0, "error", OSError(28, "No space left on device", "results")

    monkeypatch.setattr(playing, "calls", calls)
    with pytest.raises(ResultError, match="No space left") as error:
        optimist.play("glb_omd/logistic_s3", ["uniform", "glb_omd"], trials=2, errors="skip")
    assert not isinstance(error.value, playing.TrialError)


def test_the_figure_has_the_order_of_the_table():
    played = table(a=[1.0] * 3, b=[9.0] * 3)
    played = pd.concat([played.assign(round=1, regret=0.5), played], ignore_index=True)
    played.loc[(played["algorithm"] == "a") & (played["trial"] == 2), "status"] = "failed: x"
    labels = [text.get_text() for text in optimist.plot(played).axes[2].get_yticklabels()]
    assert labels == ["b", "a\n1 failed"]


# The figure and the command.


def test_a_figure_has_a_row_for_each_setting(here):
    where = ["glb_omd/logistic_s3", "glb_omd/logistic_s5"]
    played = optimist.play(where, ["uniform", "mine.py:Mine"], trials=3, rounds=30)
    for ending in ("png", "pdf", "svg"):
        assert len(optimist.plot(played, f"curves.{ending}").axes) == 6
        assert (here / f"curves.{ending}").stat().st_size > 3000
    assert Image.open(here / "curves.png").width > 900


def test_a_figure_shows_the_mean_its_interval_and_the_end_of_every_trial():
    base = np.arange(12.0)
    page = optimist.plot(table(worse=base + 30.0, best=base[::-1]), names={"best": "Mine"})
    curves, times, ends = page.axes
    palette = load_style()["palette"]
    assert [line.get_color() for line in curves.lines] == palette[:2]
    assert [line.get_color() for line in times.lines] == palette[:2]
    (band, _) = curves.collections
    half = 2.200985 * base.std(ddof=1) / math.sqrt(12)
    corners = band.get_paths()[0].vertices[:, 1]
    assert (corners.min(), corners.max()) == pytest.approx((35.5 - half, 35.5 + half), rel=1e-5)
    assert [text.get_text() for text in ends.get_yticklabels()] == ["Mine", "worse"]
    points = [found.get_offsets() for found in ends.collections]
    assert sorted(points[0][:, 0]) == [*base] and set(points[0][:, 1]) == {0.0}
    joined = [tuple(line.get_xdata()) for line in ends.lines if len(line.get_xdata()) == 2]
    assert {(11.0 - x, x + 30.0) for x in base} <= set(joined)
    faces = [patch.get_facecolor()[:3] for patch in ends.patches]
    assert faces == [to_rgb(palette[1]), to_rgb(palette[0])]


def test_registered_algorithms_have_the_colours_of_the_papers_figures():
    labels = ["gloc", "mine.py:Mine", "gloc[variant=public]"]
    lines = {label: draw._style(labels, {}).line(label) for label in labels}
    known = load_style()
    assert lines["gloc"]["color"] == known["methods"]["gloc"]["colour"]
    assert lines["gloc"]["marker"] == MARKERS[known["methods"]["gloc"]["marker"]]
    assert lines["gloc[variant=public]"]["markerfacecolor"] == "white"
    assert lines["gloc[variant=public]"]["color"] == lines["gloc"]["color"]
    assert lines["mine.py:Mine"]["color"] != lines["gloc"]["color"]
    assert len({(keywords["color"], keywords["linestyle"]) for keywords in lines.values()}) == 3
    assert len({keywords["marker"] for keywords in lines.values()}) == 3


@pytest.mark.parametrize(
    ("one", "other", "scales"),
    [
        ([1.0, 2.0, 3.0], [2.0, 3.0, 4.0], ["linear", "linear"]),
        ([1.0, 2.0, 3.0], [90.0, 99.0, 95.0], ["log", "log"]),
        ([0.0, 2.0, 3.0], [90.0, 99.0, 95.0], ["log", "symlog"]),
        ([-1.0, 2.0, 3.0], [90.0, 99.0, 95.0], ["log", "symlog"]),
        ([0.0, 0.0, 0.0], [90.0, 99.0, 95.0], ["linear", "linear"]),
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], ["linear", "linear"]),
        ([1.0] * 8 + [300.0], [2.0] * 9, ["linear", "log"]),
    ],
)
def test_what_a_linear_axis_would_bury_is_drawn_on_a_logarithmic_one(one, other, scales):
    curves, _, ends = optimist.plot(table(a=one, b=other)).axes
    assert [curves.get_yscale(), ends.get_xscale()] == scales
    low, high = ends.get_xlim()
    assert low < min(*one, *other) and max(*one, *other) < high


def test_a_short_logarithmic_axis_has_plain_numbers():
    curves, _, _ = optimist.plot(table(a=[20.0, 22.0, 21.0], b=[480.0, 490.0, 485.0])).axes
    curves.figure.canvas.draw()
    labels = {text.get_text() for text in curves.get_yticklabels(which="both")} - {""}
    assert curves.get_yscale() == "log" and {"20", "50", "100", "200"} <= labels
    assert all(label.isdigit() for label in labels)


def test_trials_without_times_are_drawn_where_they_can_be(here):
    played = table(timed=[1.0, 2.0, 4.0], kept=[3.0, 1.0, 5.0])
    played.loc[played["algorithm"] == "kept", "seconds"] = math.nan
    page = optimist.plot(played, "x.svg")
    curves, times, ends = page.axes
    assert [len(curves.lines), len(times.lines), len(ends.collections)] == [2, 1, 2]
    (words,) = page.axes[1].texts
    said = "no times, because trials are from the full run: kept"
    assert " ".join(words.get_text().split()) == said


def test_what_was_seen_of_results_that_cannot_be_kept_is_an_error_of_the_system(here):
    words = {"trials": 1, "rounds": 5, "fresh": True}
    optimist.play("glb_omd/logistic_s3", ["uniform"], **words)
    for folder in (here / "results/kept").iterdir():
        shutil.rmtree(folder)
        folder.write_text("no folder")
    with pytest.raises(ResultError, match="results/kept"):
        optimist.play("glb_omd/logistic_s3", ["uniform"], errors="skip", **words)


def test_times_are_of_one_run_if_all_is_played_afresh(here, capsys):
    words = ["compare", "glb_omd/logistic_s3", "-a", "mine.py:Mine", "--rounds", "40", "--trials"]
    for trials, said in (("2", ""), ("3", "2 trials had been played before, with times from")):
        assert main.main([*words, trials]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert said in shown and ("--fresh plays all" in shown) == bool(said)
    first, afresh, again = (
        optimist.play("glb_omd/logistic_s3", ["mine.py:Mine"], trials=3, rounds=40, fresh=is_fresh)
        for is_fresh in (False, True, False)
    )
    assert first["regret"].equals(afresh["regret"])
    assert not first["seconds"].equals(afresh["seconds"])
    assert again["seconds"].equals(afresh["seconds"])
    assert [frame.attrs["reused"] for frame in (first, afresh, again)] == [3, 0, 3]


def test_figures_and_rankings_of_other_tables_are_refused():
    played = table(a=[1.0, 2.0])
    said = message(optimist.plot, played, "x.gif")
    assert "x.gif has an unsupported extension; allowed: pdf, png, svg" in said
    assert "no trial was completed" in message(optimist.plot, played.assign(status="non_finite"))
    assert "unknown names 'b'" in message(optimist.plot, played, names={"b": "x"})
    assert "has no column regret" in message(optimist.rank, played.drop(columns="regret"))
    assert "level is 95" in message(optimist.rank, played, level=95)


COMMAND = ["compare", "glb_omd/logistic_s3", "-a", "uniform", "mine.py:Mine[gamma=0.5]"]


def test_the_command_prints_a_table_or_json_and_draws(here, capsys):
    words = [*COMMAND, "--trials", "3", "--rounds", "20"]
    assert main.main([*words, "--csv", "t.csv", "--plot", "c.pdf"]) == 0
    out = capsys.readouterr().out
    assert "glb_omd/logistic_s3" in out and "mine.py:Mine[gamma=0.5]" in out
    assert "Fewer than 10 trials cannot decide a comparison." in " ".join(out.split())
    assert [*pd.read_csv("t.csv")["rank"]] == [1, 2] and (here / "c.pdf").exists()
    assert main.main([*words, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["algorithm"] for row in rows} == {"uniform", "mine.py:Mine[gamma=0.5]"}
    assert main.main([*COMMAND, "--horizon", "25", "--trials", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["setting"] == "logistic_s3[horizon=25]"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--plot", "c.gif"], "--plot is 'c.gif'; allowed: a file with extension pdf, png, svg"),
        (["--trials", "0"], "trials is 0"),
        (["--horizon", "0"], "horizon is 0"),
        (["-a", "glb_omdd"], "unknown algorithm 'glb_omdd' (did you mean 'glb_omd'?)"),
    ],
)
def test_the_command_refuses_in_one_line(here, capsys, words, expected):
    assert main.main([*COMMAND, *words]) == 1
    error = capsys.readouterr().err
    assert expected in error and error.strip().count("\n") == 0
    assert not (here / "results").exists()


def test_the_time_that_is_left_is_said_in_words(monkeypatch):
    monkeypatch.setattr(show, "PLAIN_PAUSE", -1.0)
    stream = io.StringIO()
    with show.progress(stream) as report:
        report(playing.Progress(1, 2, 600.0))
    assert stream.getvalue() == "1 of 2 trials, about 10 min left\n"


def test_the_interface_is_imported_when_it_is_used():
    assert set(optimist.__all__) <= set(dir(optimist))
    for name in optimist.__all__:
        assert getattr(optimist, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'plays'"):
        optimist.plays  # noqa: B018


# What a full run left beside its figures.


def digest_of(place, algorithm):
    paper, setting = place.split("/")
    cell = load_paper(paper).cell(setting, algorithm)
    options = load_config()["datasets"]
    return cell_records.digest_of(
        Trials("regret", cell, 0, 1), lambda name: data.digest_of(name, options)
    )


@pytest.fixture
def full_run(here):
    """Write a committed table of two trials of uniform play, of today's code or of another."""

    def write(digest=""):
        found = trials_of("logistic_s3", "uniform", [100.0, 101.0], 3000)
        record = record_of(found, digest or digest_of("glb_omd/logistic_s3", "uniform"))
        committed_tables.write(here / "figures", "glb_omd", [(found, record)])

    write()
    return write


def test_whole_trials_of_a_full_run_are_taken_without_their_times(full_run):
    frame, number = played(["uniform"], trials=3)
    assert number == 1  # the third
    assert frame.attrs["committed"] == {"0123456789": 2}
    assert frame.attrs["other_code"]["cells"] == []
    alone, _ = played(["uniform"], trials=2)
    assert alone[["seconds", "covered", "state_bytes"]].isna().all(axis=None)
    assert optimist.rank(alone)["seconds"].isna().all()
    first = frame[frame["trial"] == 0]
    assert first["regret"].tolist() == [50.0, 100.0] and first["seconds"].isna().all()
    for is_fresh in (False, True):
        cut, _ = played(["uniform"], fresh=is_fresh, rounds=20)
        assert cut.attrs["committed"] == {}


def test_cells_of_other_code_are_played_again_unless_they_are_asked_for(full_run, here, capsys):
    full_run(digest="0" * 16)
    words = ["compare", "glb_omd/logistic_s3", "-a", "uniform", "gloc", "--trials", "1"]
    assert main.main([*words, "--committed", "--json"]) == 0
    shown = capsys.readouterr()
    names = "glb_omd/logistic_s3/uniform"
    assert f"1 of 1 committed cells are of other code: {names}" in shown.err
    rows = {row["algorithm"]: row for row in json.loads(shown.out)}
    assert rows["uniform"]["mean"] == 100.0
    assert main.main(words) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first == (
        f"1 of 1 committed cells are of other code: {names}; they were played again "
        "(--committed takes them as they are)"
    )
    frame, number = played(["uniform"])
    assert number == 0 and frame["regret"].iloc[-1] != 100.0


def test_an_overlay_that_changes_a_setting_takes_none_of_its_committed_trials(full_run, here):
    (here / "own.yaml").write_text(
        "changes: {settings: {glb_omd: {logistic_s3: {parameters: {norm: 4}}}}}\n"
    )
    with using(here / "own.yaml"):
        assert played(["uniform"], committed=True)[1] == 1


def test_committed_trials_on_an_unknown_maximum_count_from_the_best_of_those_compared(here):
    found = []
    for label, least in (("uniform", 0.25), ("gp_ei", 0.5)):
        ends = {"regret": np.array([80.0]), "simple_regret": np.array([least])}
        trials = trials_of("breast_cancer_rf", label, [80.0], 72, instance=["one"], ends=ends)
        found.append((trials, record_of(trials, digest_of("go_ucb/breast_cancer_rf", label))))
    committed_tables.write(here / "figures", "go_ucb", found)
    for labels, least in ((["uniform", "gp_ei"], 0.25), (["gp_ei"], 0.5)):
        played = optimist.play("go_ucb/breast_cancer_rf", labels, trials=1)
        assert played["regret"].tolist() == [40.0 - 36 * least, 80.0 - 72 * least] * len(labels)


def test_a_committed_trial_that_ended_at_once_has_its_status(here):
    cell = trials_of("logistic_s3", "uniform", [1.0, 2.0], 3000, status=["ok", "non_finite"])
    bare = {"rounds": [*cell.rounds[:1], np.empty(0, int)]}
    bare["at"] = {"regret": [cell.at["regret"][0], np.empty(0)]}
    bare["ends"] = {"regret": np.array([1.0, np.nan])}
    cell = replace(cell, **bare)
    record = record_of(cell, digest_of("glb_omd/logistic_s3", "uniform"))
    committed_tables.write(here / "figures", "glb_omd", [(cell, record)])
    played = optimist.play("glb_omd/logistic_s3", ["uniform"], trials=2)
    assert played[["round", "status"]].to_numpy().tolist()[-1] == [0, "non_finite"]
    assert optimist.rank(played)["failed"].tolist() == [1]


def test_trials_that_differ_from_their_record_are_played_again(full_run, here):
    path = here / "figures/glb_omd/cells.csv"
    records = cell_records.read(path).values()
    cell_records.write([replace(one, content="0" * 16) for one in records], path)
    assert played(["uniform"])[1] == 1


def test_a_damaged_table_is_refused(full_run, here):
    path = here / "figures/glb_omd/trials.parquet"
    path.write_bytes(path.read_bytes()[:-40])
    assert "trials.parquet is damaged" in message(played, ["uniform"], error=ResultError)


def test_the_table_of_the_project_has_what_is_compared_first():
    """The paper's own trials are committed and of today's code."""
    earlier = earlier_trials.EarlierTrials(Layout("", ""), takes_all=False)
    cell = load_paper("glb_omd").cell("logistic_s3", "glb_omd")
    rows, commit = earlier.rows(Trials("regret", cell, 0, 1))
    assert commit and rows["round"].iloc[-1] == cell.setting.horizon


def test_an_algorithm_that_is_named_twice_is_refused():
    labels = ["glb_omd", "uniform", "glb_omd[inverse=rank_one]"]
    said = message(optimist.play, "glb_omd/logistic_s3", labels, trials=1)
    assert said.startswith("algorithms 'glb_omd' and 'glb_omd[inverse=rank_one]' are the same")


def test_failed_trials_say_why(here, capsys):
    broken = "raise np.linalg.LinAlgError('Singular matrix')"
    (here / "mine.py").write_text(MINE.replace("pass", broken))
    words = [
        "compare",
        "glb_omd/logistic_s3",
        "-a",
        "mine.py:Mine",
        "--trials",
        "2",
        "--rounds",
        "5",
    ]
    assert main.main(words) == 0
    assert "mine.py:Mine: 2 failed: Singular matrix" in capsys.readouterr().out
    assert main.main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["faults"] == "2 failed: Singular matrix"


def test_a_wrong_index_names_cell_and_round_and_the_command_that_may_say_why(here):
    (here / "mine.py").write_text(MINE.replace("int(self.rng.integers(len(arms)))", "-1"))
    assert message(played, ["mine.py:Mine"], rounds=5, error=ResultError) == (
        "glb_omd/logistic_s3/mine.py:Mine, trial 0: Mine.select returned -1 in round 1; allowed: "
        "the index of an arm, from 0 to 19; optimist check mine.py:Mine may explain why"
    )


def test_an_algorithm_with_an_error_is_left_out_and_the_others_are_ranked(here, capsys):
    """The first of the labels, and the reference, ends with an error in its second trial."""
    fails = "assert self.problem.horizon == 2000 and self.rng.random() > 0.5"
    (here / "mine.py").write_text(MINE.replace("pass", fails))
    settings = ["glb_omd/logistic_s3", "glb_omd/logistic_s5"]
    play = ["compare", *settings, "-a", "mine.py:Mine", "uniform", "--rounds", "5"]
    assert main.main([*play, "--trials", "8", "--reference", "mine.py:Mine", "--csv", "t.csv"]) == 1
    shown = capsys.readouterr()
    for place, line in zip(settings, shown.err.splitlines(), strict=True):
        where = r"\(mine.py, line 16\), in round \d"
        said = rf"error: {place}/mine.py:Mine, trial \d: AssertionError {where}; optimist"
        assert re.match(said, line)
    left_out = "Left out because a trial ended with an error: glb_omd/logistic_s3/mine.py:Mine, "
    assert left_out in " ".join(shown.out.split())
    table = pd.read_csv(here / "t.csv")
    assert table[["algorithm", "trials"]].to_numpy().tolist() == [["uniform", 8]] * 2


def test_errors_of_a_class_of_this_process_are_raised_unless_they_are_skipped(here):
    class Wrong(Uniform):
        """Ends with an error in its first round."""

        def select(self, arms):
            raise TypeError("of ours")

    line = inspect.getsourcelines(Wrong)[1] + 4

    asked = ["glb_omd/logistic_s3", [Wrong, "uniform"]]
    with pytest.raises(ResultError, match="TypeError: of ours"):
        optimist.play(*asked, trials=2, rounds=5)
    reports = []
    found = optimist.play(*asked, trials=2, rounds=5, errors="skip", report=reports.append)
    name = "glb_omd/logistic_s3/Wrong"
    place = f"TypeError: of ours (test_comparison.py, line {line}), in round 1"
    assert found.attrs["errors"] == {name: f"{name}, trial 0: {place}"}
    assert {*found["algorithm"]} == {"uniform"} and {*found["trial"]} == {0, 1}
    assert optimist.plot(found, names={"Wrong": "W", "uniform": "U"})
    assert (reports[-1].done, reports[-1].total, reports[-1].seconds_left) == (2, 2, 0.0)
    with pytest.raises(ResultError, match="Wrong, trial 0: TypeError: of ours"):
        optimist.play(asked[0], [Wrong], trials=2, rounds=5, errors="skip")


def test_the_first_trial_does_not_pay_for_what_a_process_loads(here):
    """The time of a class that loads something in its first round is that of its later rounds."""
    loads = "import time; time.sleep(0.0 if _seen else 0.5); _seen.append(1)"
    text = MINE.replace("pass", loads).replace("class Mine", "_seen = []\n\nclass Mine", 1)
    (here / "mine.py").write_text(text)
    played = optimist.play("glb_omd/logistic_s3", ["mine.py:Mine"], trials=1, rounds=5)
    assert played["seconds"].max() < 0.25


def test_where_nothing_can_be_written_trials_are_played_and_not_kept(here, monkeypatch, capsys):
    monkeypatch.setattr(playing, "check_writable", full)
    play = ["compare", "glb_omd/logistic_s3", "-a", "uniform", "--trials", "2", "--rounds", "5"]
    assert main.main(play) == 0
    assert "No results were kept" in " ".join(capsys.readouterr().out.split())
    assert not (here / "results").exists()


def full(folder):
    raise UnwritableError(folder)


def test_an_interruption_is_one_line(here, monkeypatch, capsys):
    def interrupted(*arguments, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr(show, "play", interrupted)
    assert main.main(["compare", "glb_omd/logistic_s3", "-a", "uniform"]) == 130
    assert capsys.readouterr().err.strip() == "interrupted; trials that had ended are kept"


def test_environments_of_one_name_are_refused_and_a_class_is_no_setting(here):
    text = new.template("environment", "arms", "world")
    for name in ("one.py", "other.py"):
        (here / name).write_text(text)
    said = message(optimist.play, ["one.py:World", "other.py:World"], ["uniform"], trials=1)
    assert said.startswith("one.py:World and other.py:World have the same name, World;")
    assert "world.py:World for a class" in message(optimist.play, Uniform, ["uniform"])
    # However it is typed, a file is one.
    assert len(optimist.settings("one.py:World", "./one.py:World")) == 1


def test_an_overlay_names_settings_and_algorithms(here, capsys):
    (here / "world.py").write_text(new.template("environment", "arms", "world"))
    (here / "own.yaml").write_text(
        "algorithm_files: {ours: mine.py:Mine}\n"
        "additions: {glb_omd: {settings: {world: {title: W, about: A., environment: world.py:World,"
        " horizon: 30}}}}\n"
    )
    words = ["--configfile", "own.yaml"]
    play = ["compare", "glb_omd/world", "-a", "ours", "gloc", "--trials", "2"]
    assert main.main([*play, *words]) == 0
    assert "mine.py:Mine" in capsys.readouterr().out
    assert main.main(["run", "glb_omd/world/ours", *words]) == 0
    assert main.main(["list", "glb_omd/world", *words]) == 0
    assert main.main(["list", "ours", *words]) == 0
    assert "options of mine.py:Mine" in capsys.readouterr().out
    assert main.main([*play, "--reference", "ours", *words]) == 0
    assert "minus mine.py:Mine" in " ".join(capsys.readouterr().out.split())
    # Nothing of it is left for what comes after.
    assert main.main(play) == 1
    assert "unknown setting" in capsys.readouterr().err
    assert main.main(["list", *["--configfile", "none.yaml"]]) == 1
    with pytest.raises(ConfigError, match="unknown algorithm 'ours'"):
        optimist.play("glb_omd/logistic_s3", ["ours"], trials=1)


def test_files_with_a_class_of_one_name_are_told_apart_in_a_figure():
    labels = ["a/x.py:Mine", "b/x.py:Mine", "y.py:Mine[gamma=1]", "z.py:Other", "uniform"]
    called = [draw._style(labels, {}).name(label) for label in labels]
    assert called == [*labels[:2], "y.py:Mine (gamma=1)", "Other", "uniform"]


def test_time_left_goes_by_costs_and_then_by_the_trials_of_the_cell():
    one, *others = (
        Trials("regret", load_paper("glb_omd").cell("logistic_s3", label), 0, 1)
        for label in ("uniform", "gloc", "gloc", "gloc")
    )
    clock = Clock([one, *others])
    assert clock.left > 0.0
    clock.stop(one, 2.0)
    clock.stop(others[0], 3.0)
    clock.stop(others[1], 5.0)
    assert clock.left == 4.0
    clock.drop(others[2].cell)
    assert clock.left == 0.0


def test_a_misspelt_option_is_named(capsys):
    with pytest.raises(SystemExit):
        main.main(["compare", "glb_omd/logistic_s3", "-a", "uniform", "--trails", "2"])
    assert "(did you mean '--trials'?)" in capsys.readouterr().err


def test_a_setting_in_a_file_is_run(here, capfd):
    (here / "world.py").write_text(new.template("environment", "arms", "world"))
    assert main.main(["run", "world.py:World[dimension=2]/mine.py:Mine", "--rounds", "5"]) == 0
    assert "status ok" in capfd.readouterr().out
