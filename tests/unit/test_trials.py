"""Trials: each is asked for once, and results do not depend on how they are cut into files."""

import gc
import weakref
from collections import defaultdict
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest
from cells import made, paper_of
from toy_environments import ROOT, STAND_IN

from optimist.algorithms import REGISTRY, algorithm_class, make_algorithm
from optimist.config.load import load_paper, paper_names
from optimist.core import arguments, source_files
from optimist.core.errors import ConfigError
from optimist.core.label import Label
from optimist.environments import REGISTRY as ENVIRONMENTS
from optimist.environments import environment_class
from optimist.environments.problems.glb import GLBProblem
from optimist.experiments import code_digest, results
from optimist.experiments.cell import Probe
from optimist.experiments.code_digest import own_modules
from optimist.experiments.play_trial import build
from optimist.experiments.trials import Trials, expand, run

PAPERS = {name: load_paper(name) for name in paper_names()}
CAPS = [{}, {"trials": 2, "timing_trials": 1, "rounds": 150}, {"trials": 1}]


def toy_paper(**changes):
    setting = {
        "environment": "glm",
        "parameters": {"link": "logistic", "norm": 3},
        "problem": {"delta": 0.05},
        "horizon": 120,
    }
    blocks = {
        "runs": [{"settings": ["a", "b"], "algorithms": ["glb_omd", "gloc"], "trials": 7}],
        "timings": [{"settings": ["a"], "algorithms": ["glb_omd"], "trials": 2}],
    }
    return paper_of("toy", {"a": setting, "b": setting}, **blocks | changes)


def trials_of(found):
    """Map each (lane, cell) to the list of its trials."""
    numbers = defaultdict(list)
    for trials in found:
        numbers[trials.lane, trials.cell.name].extend(range(trials.first, trials.stop))
    return numbers


@pytest.mark.parametrize("caps", CAPS)
@pytest.mark.parametrize("name", PAPERS)
def test_files_of_the_papers_cover_each_trial_once(name, caps):
    found = expand(PAPERS[name], caps=caps)
    for cell, trials in trials_of(found).items():
        assert sorted(trials) == list(range(len(trials))), cell
    paths = {trials.place("0" * 12).path.lower() for trials in found}  # whatever the file system
    assert len(paths) == len(found)
    assert not any(part.startswith(".") for path in paths for part in Path(path).parts)


def test_caps_cut_trials_and_rounds_of_their_lane():
    found = expand(toy_paper(), caps={"rounds": 9, "trials": 4, "timing_trials": 1})
    assert {trials.rounds for trials in found} == {9}
    counts = {key: len(trials) for key, trials in trials_of(found).items()}
    assert counts["regret", "toy/a/gloc"] == 4
    assert counts["timing", "toy/a/glb_omd"] == 1


@pytest.mark.parametrize(
    ("only", "cells"),
    [
        ({"settings": ["b"]}, {"toy/b/glb_omd", "toy/b/gloc"}),
        ({"algorithms": ["gloc"]}, {"toy/a/gloc", "toy/b/gloc"}),
        ({"settings": ["a"], "algorithms": ["glb_omd"]}, {"toy/a/glb_omd"}),
        (
            {"settings": [], "algorithms": []},
            {f"toy/{s}/{a}" for s in "ab" for a in ("glb_omd", "gloc")},
        ),
    ],
)
def test_only_restricts_the_cells(only, cells):
    assert {trials.cell.name for trials in expand(toy_paper(), only=only)} == cells


def test_only_takes_an_algorithm_with_all_its_variants():
    block = {"settings": ["a"], "algorithms": ["gloc", "gloc[variant=public]"], "trials": 1}
    found = expand(toy_paper(runs=[block, block], timings=[]), only={"algorithms": ["gloc"]})
    assert [trials.cell.algorithm for trials in found] == ["gloc", "gloc[variant=public]"]


def toy_cell(algorithm="glb_omd", **changes):
    document = toy_paper().settings["a"].document()
    return made("toy", "a", algorithm, document | changes)


@pytest.mark.parametrize("algorithm", ["glb_omd", "ofuglb", "rs_glincb[constants=practical]"])
def test_results_do_not_depend_on_the_files(algorithm):
    cell = toy_cell(algorithm)
    whole = run(Trials("regret", cell, 0, 4))
    parts = {}
    for trial in (2, 0, 3, 1):
        parts |= run(Trials("regret", cell, trial, trial + 1))
    table = results.to_table(cell, whole)
    cut = pa.concat_tables(
        [results.to_table(cell, {trial: parts[trial]}) for trial in range(4)],
        promote_options="permissive",
    )
    assert results.digest(cut) == results.digest(table)
    # The trials themselves draw different numbers.
    assert len({t.columns["regret"][-1] for t in whole.values()}) == 4


def test_a_truncated_run_is_the_beginning_of_the_full_one():
    cell = toy_cell("ofuglb", horizon=400)
    full = run(Trials("regret", cell, 0, 1))[0].columns
    short = run(Trials("regret", cell, 0, 1, rounds=60))[0].columns
    where = [full["round"].index(r) for r in short["round"]]
    for name in set(full).difference(results.VOLATILE):
        assert short[name] == [full[name][i] for i in where], name


SETTINGS = {
    setting.environment: (paper, label)
    for paper, loaded in PAPERS.items()
    for label, setting in loaded.settings.items()
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_trial_leaves_no_environment_behind(name):
    paper, setting = SETTINGS[name]
    cell = PAPERS[paper].cell(setting, "uniform")
    environment, problem = build(cell, 0, STAND_IN)
    make_algorithm(cell.algorithm, problem, cell.algorithm_stream(0))
    left = weakref.ref(environment)
    del environment, problem
    gc.collect()
    assert left() is None


def test_settings_of_one_name_share_their_streams():
    settings = ("a", "a[factor=0.1]", "b")
    document = toy_cell().setting.document()
    environments = [build(made("toy", s, "gloc", document), 0)[0] for s in settings]
    rewards = [[w.reward(t, 0) for t in range(120)] for w in environments]
    assert rewards[0] == rewards[1] != rewards[2]


def test_the_factor_on_radii_changes_no_reward():
    paper = PAPERS["glb_omd"]
    names = [one.label for one in paper.settings.values() if one.label.name == "covertype"]
    environments = [build(paper.cell(s, "gloc"), 3, STAND_IN)[0] for s in names]
    first = [[w.reward(t, 0) for t in range(100)] for w in environments]
    assert len(names) == 4
    assert first == [first[0]] * 4


def test_a_data_set_is_asked_for_by_name():
    cell = PAPERS["glb_omd"].cell("covertype", "gloc")
    with pytest.raises(ConfigError, match="needs the data set 'covertype'"):
        build(cell, 0)


def test_only_the_regret_lane_checks_coverage():
    for lane, covered in (("regret", {True}), ("timing", {None})):
        assert set(run(Trials(lane, toy_cell(), 0, 1))[0].columns["covered"]) == covered


def test_a_probe_is_timed_on_the_leaders_history():
    probe = Probe(Label("ofuglb"), 50)
    job = Trials("timing", toy_cell("ofuglb[solver=slsqp]"), 0, 1, rounds=40, probe=probe)
    columns = run(job)[0].columns
    # A short run still asks four times.
    assert columns["selections"][-1] == 4
    assert columns["agreements"] == columns["selections"]
    leader = run(Trials("regret", toy_cell("ofuglb"), 0, 1, rounds=40))[0].columns
    assert columns["regret"] == leader["regret"]


def own_file(cls):
    return (ROOT / "src" / cls.__module__.replace(".", "/")).with_suffix(".py")


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("name", REGISTRY)
def test_source_files_hold_what_decides_the_cell_and_no_other_algorithm(name, environment):
    names = own_modules(toy_cell(name, environment=environment))
    files = {Path(source_files.own_file(module)).resolve() for module in names}
    assert own_file(algorithm_class(name)) in files
    assert own_file(environment_class(environment)) in files
    # An algorithm may be a kind of another one, whose file then decides too.
    family = algorithm_class(name).__mro__
    classes = map(algorithm_class, REGISTRY)
    others = {own_file(other) for other in classes if other not in family}
    others |= {own_file(environment_class(other)) for other in ENVIRONMENTS if other != environment}
    assert not files & others
    assert {"loop.py", "seeding.py", "base.py"} <= {f.name for f in files}
    if algorithm_class(name).problem_type is GLBProblem:
        assert {"links.py", "glb.py"} <= {f.name for f in files}
    assert not {"figure.py", "marks.py", "config.py"} & {f.name for f in files}


def test_source_files_follow_imports_inside_functions_and_of_the_leader():
    numerics = {f"optimist.numerics.{name}" for name in ("level_set", "likelihood", "ball")}
    assert numerics <= own_modules(toy_cell("ofuglb"))
    assert "optimist.numerics.level_set" not in own_modules(toy_cell("glb_omd"))
    led = own_modules(toy_cell("glb_omd"), Probe(Label("ofuglb"), 5))
    assert "optimist.algorithms.glb.ofuglb" in led


@pytest.mark.parametrize(
    ("written", "edited", "decides"),
    [
        ('{**options, "rng": rng}', '{**options, "rng": None}', True),
        ("unknown opt", "no opt", False),
    ],
)
def test_how_options_become_arguments_decides_a_cell_and_the_words_of_errors_do_not(
    written, edited, decides, tmp_path, monkeypatch
):
    before, text = code_digest.of_cell(toy_cell()), Path(arguments.__file__).read_text()
    assert written in text
    (tmp_path / "edited.py").write_text(text.replace(written, edited))
    files = {"optimist.core.arguments": str(tmp_path / "edited.py")}
    monkeypatch.setattr(code_digest, "own_file", lambda n: files.get(n, source_files.own_file(n)))
    monkeypatch.setattr(code_digest, "_cached", cache(code_digest._computed))
    assert (code_digest.of_cell(toy_cell()) != before) is decides


# Races.


def timed(*parts, turns=10, race=0):
    """Return the blocks that `optimist.config.expand` makes of the parts of a race."""
    return [
        {"settings": settings, "algorithms": labels, "trials": turns, "race": race} | more
        for settings, labels, more in parts
    ]


def raced(blocks, **how):
    """Return the trials of the timing lane by cell."""
    return {t.cell.name: t for t in expand(toy_paper(runs=[], timings=blocks), **how)}


TWO = (["a", "b"], ["glb_omd"], {})
DEAR = (["a"], ["ofuglb"], {"trials": 5, "rounds": 30})


def test_parts_of_a_race_have_turns_rounds_and_limits_of_their_own():
    found = raced(timed(TWO, DEAR))
    assert {(t.first, t.stop, t.rounds) for t in found.values()} == {(0, 10, None), (0, 5, 30)}
    assert {t.lane for t in found.values()} == {"timing"}


@pytest.mark.parametrize(("rounds", "expected"), [(20, 20), (200, 30), (None, 30)])
def test_caps_cut_turns_and_rounds(rounds, expected):
    found = raced(timed(TWO, DEAR), caps={"timing_trials": 3, "trials": 1, "rounds": rounds})
    assert {t.stop for t in found.values()} == {3}
    assert found["toy/a/ofuglb"].rounds == expected


def test_a_timed_cell_says_with_which_it_is_measured():
    alone, both = raced(timed(TWO)), raced(timed(TWO, DEAR))
    for name, one in alone.items():
        assert one.race == "0"
        assert one.decisive() != both[name].decisive()
    assert len({t.rivals for t in both.values()}) == 1
    # Not where in the file, in which order, or in how many turns.
    moved = raced(timed(DEAR, TWO, turns=20, race=7))
    assert {t.rivals for t in moved.values()} == {t.rivals for t in both.values()}
    assert {t.race for t in moved.values()} == {"7"}
    left = raced(timed(TWO, DEAR), only={"algorithms": ["glb_omd"]})
    assert {t.rivals for t in left.values()} == {t.rivals for t in alone.values()}
    assert {(t.race, t.rivals) for t in expand(toy_paper(timings=[]))} == {("", "")}


def test_a_cell_stands_in_one_race():
    again = (["a"], ["glb_omd"], {})
    with pytest.raises(ConfigError, match=r"toy/a/glb_omd appears twice in timings.*allowed: once"):
        raced(timed(TWO) + timed(again, race=1))
    with pytest.raises(ConfigError, match="appears twice in timings"):
        raced(timed(TWO, (["a"], ["glb_omd"], {"trials": 3})))
    assert len(raced(timed(TWO, again))) == 2


def test_what_orders_turns_decides_times_only():
    regret, times = (Trials(lane, toy_cell(), 0, 1) for lane in ("regret", "timing"))
    assert regret.code != times.code
    assert own_modules(toy_cell(), in_turns=True) - own_modules(toy_cell()) == {
        "optimist.experiments.interleaved_repeats"
    }
