"""Configuration: a wrong input is one message with key, value, what is allowed, nearest name."""

import shutil
from collections import Counter
from copy import deepcopy
from pathlib import Path

import pytest
import yaml
from claim_tables import check_of
from messages import message

from optimist.config import load as config
from optimist.plan.plan import Plan

ROOT = Path(__file__).parents[2]
# The smallest paper that is valid, by file.
PAPER = yaml.safe_load("""
settings:
  paper: toy
  title: Toy
  reference: Nobody (2000)
  band: 0.99
  names: {glb_omd: GLB-OMD}
  settings:
    s3:
      title: S = 3
      about: Logistic rewards.
      environment: glm
      parameters: {link: logistic, norm: 3}
      problem: {delta: 0.01}
      horizon: 20
    counts:
      title: Poisson
      about: Poisson rewards.
      environment: glm
      parameters: {link: poisson, norm: 3}
      horizon: 20
runs:
  runs: [{settings: [s3, counts], algorithms: [glb_omd], trials: 2}]
  timings: [{turns: 5, cells: [{settings: [s3], algorithms: [glb_omd]}]}]
figures:
  figures:
    one:
      title: One
      caption: One.
      panels: [{kind: regret, setting: s3, algorithms: [glb_omd]}]
""")
CLAIMS = yaml.safe_load("""
paper: toy
level: 0.95
claims:
  - id: toy.01
    place: Figure 1
    statement: It is fast.
    checks:
      - quantity: time
        statistic: mean
        arguments: {setting: s3, algorithm: glb_omd}
        relation: below
        bound: 1
""")
TIME_ROW = 'toy.01,"seconds of glb_omd, s3",turns,0,5'
REGRET_ROW = 'toy.01,"regret of glb_omd / its regret midway, s3",trials,0,10'


def first(*rows):
    return "\n".join(["claim,check,unit,from,n0", *rows, ""])


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Return a project folder with one paper, in which the configuration is looked up."""
    shutil.copytree(ROOT / "data" / "stand_in", tmp_path / "data" / "stand_in")
    (tmp_path / "config" / "papers" / "toy").mkdir(parents=True)
    shutil.copy(ROOT / "config" / "words.yaml", tmp_path / "config")
    (tmp_path / "config" / "first.csv").write_text(first(TIME_ROW))
    base = config.merge(config.load_config(), {"papers": ["toy"]})
    (tmp_path / "config" / "config.yaml").write_text(yaml.safe_dump(base))
    write(tmp_path, PAPER)
    write(tmp_path, {"claims": CLAIMS})
    monkeypatch.setattr(config, "project_root", lambda: tmp_path)
    return tmp_path


def write(tree, rooms):
    for room, document in rooms.items():
        path = tree / "config" / "papers" / "toy" / f"{room}.yaml"
        path.write_text(yaml.safe_dump(document, sort_keys=False))


def changed(document, path, value):
    """Return a copy of ``document`` with ``value`` at a path of keys and indices."""
    copy = deepcopy(document)
    part = copy
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    return copy


def holds(text, words):
    missing = [word for word in words if word not in text]
    assert not missing, f"{missing} not in: {text}"


# What is good is accepted.


def test_the_files_of_the_project_are_valid():
    loaded = config.load_config(ROOT / "config" / "quick.yaml")
    assert set(loaded["papers"]) <= set(config.paper_names())
    assert all(config.load_paper(name).id == name for name in config.paper_names())


def test_the_smallest_paper_is_valid(tree):
    paper = config.load_paper("toy")
    found = {label: setting.document() for label, setting in paper.settings.items()}
    assert found == PAPER["settings"]["settings"]
    (block,), (race,) = paper.runs, paper.timings
    assert [setting.label for setting in block.settings] == ["s3", "counts"]
    assert (block.algorithms, block.trials, block.race) == (["glb_omd"], 2, None)
    assert (race.algorithms, race.trials, race.race) == (["glb_omd"], 5, 0)
    assert paper.figures == PAPER["figures"]["figures"]
    assert len(list(Plan(config.load_config()).trials)) == 3


# config.yaml and overlays.


def test_a_missing_key_is_named(tree):
    broken = config.load_config()
    del broken["data"]["source"]
    holds(message(config.check_config, broken), ["data", "'source'", "required"])


def test_overlays_merge_keys_and_replace_lists(tree):
    first, second = tree / "first.yaml", tree / "second.yaml"
    first.write_text("caps: {rounds: 7, trials: 3}\nonly: {settings: [s3, counts]}\n")
    second.write_text("caps: {rounds: 9}\nonly: {settings: [s3]}\n")
    merged = config.load_config(first, second)
    assert merged["caps"] == {"rounds": 9, "trials": 3, "timing_trials": None}
    assert merged["only"] == {"settings": ["s3"], "algorithms": [], "figures": []}


def test_a_text_with_a_colon_stays_a_text_in_additions(tree):
    figure = {"title": "Ours: a start", "caption": "[as] {it: stands}", "height": "3"}
    texts = {"additions": {"toy": {"figures": {"ours": figure}}}}
    found = config.check_config(config.merge(config.load_config(), texts))
    kept = found["additions"]["toy"]["figures"]["ours"]
    assert kept == {**figure, "height": 3}


def test_an_empty_overlay_changes_nothing(tree):
    overlay = tree / "overlay.yaml"
    overlay.write_text("# nothing yet\n")
    assert config.load_config(overlay) == config.load_config()


# Changes to papers.


def section(trials=None, **settings):
    return {"trials": trials, "settings": {"toy": settings}}


def change(trials=None, **settings):
    changes = section(trials, **settings)
    return config.changes_of({**config.load_config(), "changes": changes})


def test_changes_are_merged_over_the_settings_that_match(tree):
    longer = {"horizon": 50, "parameters": {"norm": 5}}
    paper = config.load_paper("toy", change(**{"s*": longer}))
    usual = PAPER["settings"]["settings"]
    s3 = paper.settings["s3"]
    assert (s3.parameters, s3.horizon) == ({"link": "logistic", "norm": 5}, 50)
    assert s3.problem == usual["s3"]["problem"]
    assert paper.settings["counts"].document() == usual["counts"]
    assert paper.runs[0].settings[0] == s3
    assert config.load_paper("toy").settings["s3"].document() == usual["s3"]


def test_trials_are_raised_and_never_lowered(tree):
    for least, expected in ((1, 2), (5, 5), (None, 2)):
        assert config.load_paper("toy", change(least)).runs[0].trials == expected
    assert [block.trials for block in config.load_paper("toy", change(9)).timings] == [5]


def test_the_plan_runs_the_changed_paper(tree):
    changes = section(4, counts={"horizon": 31})
    asked = Plan({**config.load_config(), "changes": changes}).trials
    horizons = {t.cell.setting.label: t.cell.setting.horizon for t in asked if t.lane == "regret"}
    assert horizons == {"counts": 31, "s3": 20}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"t*": {"horizon": 9}}, ["changes.settings.toy", "'t*'", "s3, counts"]),
        ({"s3": {"horizon": 0}}, ["changes.settings.toy", "settings.s3.horizon is 0", "at least"]),
        ({"s3": {"horison": 9}}, ["changes.settings.toy", "'horison'", "did you mean 'horizon'"]),
        ({"s3": {"parameters": {"arms": 0}}}, ["setting 's3'", "arms is 0"]),
    ],
)
def test_bad_changes_are_named(tree, settings, words):
    holds(message(config.load_paper, "toy", change(**settings)), words)


@pytest.mark.parametrize("name", ["large", "bkb_long"])
def test_the_overlays_of_the_project_raise_trials_and_horizons(name):
    plan = Plan(config.load_config(ROOT / "config" / f"{name}.yaml"))
    # In the same folder of figures, so that neither has trials of the committed table.
    same = {key: plan.config[key] for key in ("papers", "figures")}
    usual = Plan(config.merge(config.load_config(), same))
    many, few = ({(t.lane, t.cell.name): t.cell.setting for t in p.trials} for p in (plan, usual))
    assert many.keys() == few.keys()
    stops, own = (
        {t.cell.name: t.stop for t in p.trials if t.lane == "regret"} for p in (plan, usual)
    )
    least = plan.config["changes"]["trials"]
    assert stops == {cell: max(least, number) for cell, number in own.items()}
    if name == "large":
        assert many == few
    else:
        grown = [key for key, one in many.items() if one.horizon > few[key].horizon]
        assert len(grown) > len(many) / 4
        assert all(one.horizon >= few[key].horizon for key, one in many.items())


# Papers.

RUNS = ("runs", "runs", 0, "algorithms")
PANEL = ("figures", "figures", "one", "panels", 0)
S3 = ("settings", "settings", "s3")
BLOCK, RACE = ("runs", "runs", 0), ("runs", "timings", 0)
PROBE = {"leader": "glb_omd", "every": 5}
REGIONS = {"setting": "s3", "algorithms": ["glb_omd"], "round": 21, "resolution": 9}
TWO_RACES = [
    {"turns": 2, "cells": [{"settings": settings, "algorithms": ["glb_omd"]}]}
    for settings in (["s3", "counts"], ["counts"])
]
# A path of keys, the value there, and words of the answer; some with the line of the file.
BAD_PAPER = [
    (("settings", "setings"), {}, ["settings.yaml", "'setings'", "did you mean 'settings'"]),
    (
        (*S3, "horison"),
        5,
        ["settings.yaml, line 18: unknown key 'horison'", "settings.s3", "'horizon'"],
    ),
    (
        (*PANEL, "kind"),
        "regrets",
        [
            "figures.yaml, line 2: unknown kind in figures.one.panels.0 'regrets'",
            "did you mean 'regret'",
        ],
    ),
    (
        (*PANEL, "each"),
        {"sclae": ["log", "linear"]},
        ["figures.yaml, line 2: unknown key 'sclae' in figures.one.panels.0", "mean 'scale'"],
    ),
    (
        PANEL,
        {"each": {"knid": ["regret"]}, "setting": "s3", "algorithms": ["glb_omd"]},
        ["figures.yaml, line 2", "lacks the key 'kind'; its keys are setting, algorithms, knid"],
    ),
    (
        (*PANEL, "kind"),
        ["regret", "elapsed"],
        ["figures.yaml, line 6: figures.one.panels.0 has", "each: {kind: [regret, elapsed]}"],
    ),
    (("settings", "band"), 1.0, ["band is 1.0", "less than 1"]),
    (("settings", "paper"), "toi", ["paper is 'toi'", "allowed: 'toy'"]),
    (
        RUNS,
        ["glb_omd", "glb_omb"],
        ["runs.yaml, line 7: unknown algorithm 'glb_omb'", "did you mean 'glb_omd'", "ecolog"],
    ),
    (("runs", "studies"), {"regions": REGIONS}, ["regions.round is 21", "at most the horizon, 20"]),
    (
        ("runs", "studies"),
        {"scaling": {"dimensions": [5], "turns": 3}},
        ["scaling", "glb_omd"],
    ),
    (
        RUNS,
        ["glb_omd[regularization=theory]"],
        [
            "runs.yaml, line 6: algorithm",
            "did you mean 'regularisation'",
            "allowed: inverse, regularisation",
        ],
    ),
    (
        RUNS,
        ["glb_omd[regularisation=teory]"],
        [
            "runs.yaml, line 6: regularisation is 'teory'",
            "did you mean 'theory'",
            "practical, theory",
        ],
    ),
    (RUNS, ["ecolog"], ["'ecolog'", "link 'poisson'", "allowed: logistic"]),
    (RUNS, ["ofuglb[history=aggregated]"], ["history is 'aggregated'", "allowed", "raw"]),
    ((*BLOCK, "settings"), ["s33"], ["setting", "'s33'", "did you mean 's3'", "counts, s3"]),
    (
        (*RACE, "cells", 0, "probe"),
        {**PROBE, "leader": "glb_omt"},
        ["'glb_omt'", "did you mean 'glb_omd'"],
    ),
    ((*RACE, "turn"), 5, ["'turn'", "timings.0", "did you mean 'turns'"]),
    ((*BLOCK, "probe"), PROBE, ["'probe'", "runs.0"]),
    ((*BLOCK, "trials"), 0, ["runs.yaml, line 7: runs.0.trials is 0"]),
    ((*RACE, "cells", 0, "turns"), 6, ["timings.0.cells.0.turns is 6", "at most 5"]),
    (("runs", "timings"), TWO_RACES, ["toy/counts/glb_omd appears twice in timings"]),
    (
        (*S3, "environment"),
        "gml",
        ["setting 's3'", "environment 'gml'", "did you mean 'glm'", "covertype, glm"],
    ),
    (
        (*S3, "parameters", "norm"),
        -3,
        ["settings.yaml, line 14: setting 's3': norm is -3", "a positive number"],
    ),
]


@pytest.mark.parametrize(("path", "value", "words"), BAD_PAPER, ids=range(len(BAD_PAPER)))
def test_a_bad_paper_is_named_with_its_file(tree, path, value, words):
    write(tree, changed(PAPER, path, value))
    found = message(config.load_paper, "toy")
    holds(found, ["config/papers/toy", *words])


def test_messages_on_claims_and_overlays_have_the_line(tree):
    write(tree, {"claims": changed(CLAIMS, ("claims", 0, "checks", 0, "bound"), "low")})
    holds(message(config.load_claims, config.claims_path("toy")), ["claims.yaml, line 14: claims"])
    write(tree, {"claims": changed(CLAIMS, ("claims", 0, "choices"), ["S"])})
    holds(message(config.load_claims, config.claims_path("toy")), ["claims.yaml, line 4: unknown"])
    first, second = tree / "first.yaml", tree / "second.yaml"
    first.write_text("papers: [toy]\n\ncaps:\n  rounds: ten\n")
    second.write_text("caps: {trials: 5}\n")
    found = message(config.load_config, first, second)
    fault = "caps.rounds is 'ten'; allowed: a whole number or null"
    holds(found, [f"first.yaml, line 4: {fault}"])
    value = "caps={rounds: ten}"
    assert message(config.load_config, values=[value]) == f"--config {value}: {fault}"


def panel(kind, **keys):
    return {"kind": kind, "settings": ["s3"], "algorithms": ["glb_omd"], **keys}


SCALING = {"kind": "scaling", "series": [{"part": "rank_one", "label": "x"}]}


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (("algorithms",), ["glb_omd", "gloc"], ["no block of runs", "'gloc'", "'s3'"]),
        (("algorithms",), ["glb_omt"], ["'glb_omt'", "did you mean 'glb_omd'"]),
        (("setting",), "s4", ["'s4'", "did you mean 's3'"]),
        ((), panel("final_regret", over="nrm"), ["'s3'", "'nrm'", "norm"]),
        ((), panel("time", settings=["counts"]), ["no race of timings", "'counts'"]),
        ((), {"kind": "regions", "algorithms": ["glb_omd"]}, ["no study 'regions'"]),
        ((), SCALING, ["no study 'scaling'"]),
    ],
)
def test_a_panel_of_what_the_paper_does_not_have_is_named(tree, key, value, words):
    write(tree, changed(PAPER, ("figures", "figures", "one", "panels", 0, *key), value))
    holds(message(Plan, config.load_config()), ["figure one, panel a", *words])


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"one": ["s3"]}, ["'one'", "part", "allowed"]),
        ({"variants": ["s3"]}, ["'variants'", "part", "allowed"]),
        ({"logistic": ["s4"]}, ["'logistic'", "'s4'", "s3"]),
        ({"logistic": []}, ["parts.logistic", "at least 1"]),
    ],
)
def test_a_part_that_is_no_target_is_named(tree, parts, words):
    write(tree, changed(PAPER, ("runs", "parts"), parts))
    holds(message(Plan, config.load_config()), words)


CHECK = ("claims", 0, "checks", 0)
TIMED = {"setting": "s3", "algorithm": "glb_omd"}


def test_bad_claims_are_named_before_anything_runs(tree):
    write(tree, {"claims": changed(CLAIMS, (*CHECK, "arguments", "setting"), "counts")})
    words = ["toy.01", "timing lane of 'counts'", "'glb_omd'", "allowed: none"]
    holds(message(Plan, config.load_config()), words)


@pytest.mark.parametrize(
    ("decide", "words"),
    [
        ({"toy.02": 50}, ["claim in decide", "'toy.02'", "did you mean 'toy.01'"]),
        ({"toy.01": 0}, ["decide.toy.01 is 0", "at least 1"]),
        ({"toy.01": "many"}, ["decide.toy.01", "'many'"]),
    ],
)
def test_claims_that_cannot_be_decided_are_named(tree, decide, words):
    def plan(overlay):
        return Plan(config.check_config({**config.load_config(), **overlay}))

    holds(message(plan, {"decide": decide}), words)


def test_deciding_a_claim_gives_its_cells_the_trials(tree):
    regret = check_of("regret", "ratio", TIMED)
    write(tree, {"claims": changed(CLAIMS, CHECK, regret)})
    (tree / "config" / "first.csv").write_text(first(REGRET_ROW))
    write(tree, changed(PAPER, ("runs", "runs", 0, "trials"), 10))
    plan = Plan({**config.load_config(), "decide": {"toy.01": 14}})
    numbers = Counter()
    for asked in plan.trials:
        if asked.lane == "regret":
            numbers[asked.key[1]] += asked.stop - asked.first
    assert numbers == {"s3": 14, "counts": 10}


def test_an_unknown_paper_is_named(tree):
    holds(message(config.load_paper, "tiy"), ["paper 'tiy'", "did you mean 'toy'"])
