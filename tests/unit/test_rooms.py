"""Lists, sweeps, labels and panels: what a paper's files stand for once they are written out."""

import os
import subprocess
import sys

import pytest
from messages import message

from optimist.config import expand
from optimist.config import load as config
from optimist.config.claims import Reader
from optimist.config.documents import read_value, read_yaml
from optimist.config.expand import base_settings, names_of
from optimist.config.labels import Names
from optimist.config.panels import expand_figure
from optimist.core.errors import ConfigError
from optimist.core.label import Label
from optimist.experiments.cell import Setting

BASES = {
    "student_t": {
        "title": "Student's t",
        "about": "Heavy tails.",
        "environment": "heavy_tailed",
        "parameters": {"law": "student_t", "shape": 2.1, "epsilon": 0.99, "nu": 1.31},
        "horizon": 18000,
    },
    "gaussian": {
        "title": "Gaussian",
        "about": "Light tails.",
        "environment": "heavy_tailed",
        "parameters": {"law": "normal", "epsilon": 1},
        "horizon": 18000,
    },
}


@pytest.fixture
def names():
    found = Names("toy", {n: Setting.restore("toy", n, one) for n, one in BASES.items()})
    found.add_lists(
        {"both": ["student_t", "gaussian"], "fast": {"sweep": "oful", "R": ["sd", "nu"]}}
    )
    return found


# Lists, sweeps and labels.


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ("student_t", ["student_t"]),
        (["$both", ["student_t"]], ["student_t", "gaussian"]),
        ({"sweep": "student_t", "factor": [1, 0.3]}, ["student_t", "student_t[factor=0.3]"]),
        (
            {"sweep": "$both", "radius": ["shrunk"], "factor": 0.1},
            ["student_t[factor=0.1,radius=shrunk]", "gaussian[factor=0.1,radius=shrunk]"],
        ),
        (
            {"sweep": "student_t", "horizon": [5, 9], "nu": [1.31, "exact"]},
            [
                *("student_t[horizon=5]", "student_t[horizon=5,nu=exact]"),
                *("student_t[horizon=9]", "student_t[horizon=9,nu=exact]"),
            ],
        ),
        (["student_t[radius=theory,factor=1.0]"], ["student_t"]),
        ("$fast", ["oful[R=sd]", "oful"]),
        (
            {"sweep": "$both", "algorithms": ["oful[R=nu]"]},
            ["student_t/oful", "gaussian/oful"],
        ),
        (
            {"sweep": "gaussian", "horizon": [5, 9], "algorithms": {"sweep": "oful", "R": "sd"}},
            ["gaussian[horizon=5]/oful[R=sd]", "gaussian[horizon=9]/oful[R=sd]"],
        ),
        (["bkb/6/0.1"], ["bkb/6/0.1"]),
    ],
)
def test_entries_stand_for_canonical_labels(names, entries, expected):
    assert names.labels("runs.0.settings", entries) == expected


def test_a_label_has_the_specification_of_its_name_with_its_options(names):
    label = "student_t[factor=0.1,horizon=9,nu=exact]"
    names.labels("runs", label)
    found = names.settings[label]
    assert (found.horizon, found.problem, found.parameters["nu"]) == (9, {"factor": 0.1}, "exact")
    assert names.settings["student_t"].document() == BASES["student_t"]


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ("$bth", ["list in runs.0", "'bth'", "did you mean 'both'"]),
        (
            "student_t[factr=1]",
            ["runs.0", "'factr'", "did you mean 'factor'", "allowed: amplitude"],
        ),
        ({"sweep": "student_t"}, ["runs.0", "allowed: the key 'sweep', and at least one key"]),
        ({"factor": [1]}, ["runs.0", "allowed: the key 'sweep', and at least one key"]),
        (
            {"settings": "$both", "factor": [1]},
            ["runs.0", "allowed: the key 'sweep', and at least one key"],
        ),
        (
            {"settings": "$both", "algorithms": ["oful", "oful[R=sd]"]},
            ["runs.0", "; write {sweep: $both, algorithms: [oful, 'oful[R=sd]']}"],
        ),
        ([3], ["runs.0", "3", "a label, $list, a sweep or a list"]),
    ],
)
def test_a_wrong_entry_is_named(names, entries, words):
    found = message(names.labels, "runs.0", entries)
    assert [word for word in words if word not in found] == []
    assert "lists.both" in message(names.add_lists, {"both": ["gaussian"]})  # a second meaning


def test_options_that_no_file_uses_are_known_all_the_same():
    paper = config.load_paper("hvt_ucb")
    label = "student_t[radius=shrunk,factor=0.05]"
    cell = paper.cell(label, "oful")
    assert cell.setting.label == "student_t[factor=0.05,radius=shrunk]" not in paper.settings
    assert cell.setting.problem == {"factor": 0.05, "radius": "shrunk"}
    with pytest.raises(ConfigError, match=r"unknown option 'factr' .did you mean 'factor'"):
        paper.cell("student_t[factr=0.05]", "oful")


# Settings.


def test_settings_share_what_their_environment_does():
    shared = {"problem": {"delta": 0.1, "kappa": 2}, "horizon": 5}
    one = {"environment": "glm", "problem": {"delta": 0.2}}
    room = {"defaults": {"glm": shared}, "settings": {"one": one}}
    expanded = base_settings("toy", room)["one"].document()
    expected = {"environment": "glm", "problem": {"delta": 0.2, "kappa": 2}, "horizon": 5}
    assert expanded == expected
    with pytest.raises(ConfigError, match=r"in defaults 'gml' \(did you mean 'glm'"):
        base_settings("toy", {"settings": {"one": one | {"horizon": 5}}, "defaults": {"gml": {}}})
    found = message(base_settings, "toy", {"settings": {"one": one}})
    assert found == "setting 'one': key 'horizon' is missing"


def test_an_entry_may_stand_for_a_setting_for_each_value():
    same = {"environment": "glm", "horizon": 5}
    entry = {
        "title": "{link}, S = 3",
        "about": "{link} rewards.",
        "parameters": {"norm": 3},
        **same,
    }
    entry["each"] = {"link": {"logistic": "Logistic", "poisson": "Poisson"}}
    found = base_settings("toy", {"settings": {"{link}_s3": entry}})
    assert list(found) == ["logistic_s3", "poisson_s3"]
    texts = {"title": "Poisson, S = 3", "about": "Poisson rewards."}
    assert found["poisson_s3"].document() == {
        **texts,
        "parameters": {"norm": 3, "link": "poisson"},
        **same,
    }
    twice = {"{link}_s3": entry, "poisson_s3": {**entry, "each": {"link": ["poisson"]}}}
    assert "'poisson_s3' is defined twice" in message(base_settings, "toy", {"settings": twice})
    entry["each"] = {"link": ["logistic", "poisson"], "norm": [3, 5]}
    found = message(base_settings, "toy", {"settings": {"{link}_s{norm}": entry}})
    assert found.startswith("settings.{link}_s{norm}.each.norm is given twice")
    entry["parameters"] = {}
    found = base_settings("toy", {"settings": {"{link}_s{norm}": entry}})
    assert list(found) == ["logistic_s3", "logistic_s5", "poisson_s3", "poisson_s5"]
    assert found["poisson_s3"].parameters == {"link": "poisson", "norm": 3}


# Panels.


def panels(names, *written, **room):
    figure = {"title": "T", "caption": "C", "panels": list(written), **room.pop("figure", {})}
    return expand_figure("figures.one", figure, room, names)[0]["panels"]


def test_a_panel_stands_for_all_combinations(names):
    found = panels(
        names,
        {
            "each": {"kind": ["regret", "elapsed"], "setting": "$both"},
            "title": "{setting}, {kind}",
        },
        titles={"regret": "mean", "gaussian": "normal"},
    )
    assert [(p["kind"], p["setting"], p["title"]) for p in found] == [
        ("regret", "student_t", "Student's t, mean"),
        ("regret", "gaussian", "normal, mean"),
        ("elapsed", "student_t", "Student's t, elapsed"),
        ("elapsed", "gaussian", "normal, elapsed"),
    ]


def test_a_title_of_a_label_may_have_its_options_in_any_order(names):
    (found,) = panels(
        names,
        {"kind": "regret", "setting": "student_t[factor=0.1,radius=shrunk]", "title": "{setting}"},
        figure={"titles": {"student_t[radius=shrunk,factor=0.1]": "shrunk"}},
    )
    assert found["title"] == "shrunk"


def test_a_title_that_no_panel_asks_for_is_refused(names):
    panel = {"kind": "regret", "setting": "student_t", "title": "{setting}"}
    with pytest.raises(
        ConfigError, match=r"figures\.one\.titles has 'gaussian', which no panel title"
    ):
        panels(names, panel, figure={"titles": {"student_t": "t", "gaussian": "normal"}})
    room = {"titles": {"gaussian": "normal"}, "figures": {"one": {"title": "T", "panels": [panel]}}}
    with pytest.raises(ConfigError, match=r"^titles has 'gaussian', which no panel title uses"):
        expand._shown(room, names)


def test_a_panel_for_each_of_some_settings_and_one_over_values(names):
    settings = ["$both", "gaussian", ["gaussian", "student_t"]]
    panel = {"kind": "tradeoff", "title": "{setting}"}
    found = panels(names, {**panel, "each": {"settings": settings}})
    assert [(p["settings"], p["title"]) for p in found] == [
        (["student_t", "gaussian"], "Student's t and Gaussian"),
        (["gaussian"], "Gaussian"),
        (["gaussian", "student_t"], "Gaussian and Student's t"),
    ]
    found = panels(names, {**panel, "each": {"settings": "$both"}})
    assert [p["settings"] for p in found] == [["student_t"], ["gaussian"]]
    panel = {"kind": "final_regret", "setting": "student_t", "over": {"factor": [1, 0.3]}}
    settings = ["student_t", "student_t[factor=0.3]"]
    assert panels(names, panel) == [
        {"kind": "final_regret", "over": "factor", "settings": settings}
    ]


def test_defaults_give_way_to_the_panel_and_null_takes_one_out(names):
    found = panels(
        names,
        {"scale": None, "algorithms": "$fast"},
        panel_defaults={"kind": "regret", "scale": "log"},
        figure={"defaults": {"kind": "elapsed"}},
    )
    assert found == [{"kind": "elapsed", "algorithms": ["oful[R=sd]", "oful"]}]


def test_each_of_a_panel_replaces_that_of_its_defaults_and_null_takes_it_out(names):
    panel_defaults = {"each": {"kind": ["regret", "elapsed"], "round": [2, 1]}}
    found = panels(names, {}, panel_defaults=panel_defaults)
    assert [(p["kind"], p["round"]) for p in found] == [
        *(("regret", 2), ("regret", 1), ("elapsed", 2), ("elapsed", 1)),
    ]
    found = panels(
        names,
        {"each": {"round": [3]}, "kind": "regret"},
        {"each": None, "kind": "counter"},
        panel_defaults=panel_defaults,
    )
    assert found == [{"kind": "regret", "round": 3}, {"kind": "counter"}]
    assert "panels.0.each.kind is given twice" in message(
        panels, names, {"kind": "regret"}, panel_defaults=panel_defaults
    )


@pytest.mark.parametrize(
    ("panel", "words"),
    [
        ({"title": "{settings}", "setting": "gaussian"}, ["'settings'", "did you mean 'setting'"]),
        (
            {"title": "{round}", "kind": "regret", "each": {"setting": "$both"}},
            ["unknown key in figures.one.panels.0.title 'round'; allowed: kind, setting"],
        ),
        (
            {"kind": "regret", "each": {"kind": ["regret"]}},
            ["figures.one.panels.0.each.kind is given twice, under 'each' and beside it"],
        ),
        ({"each": {"kind": []}}, ["panels.0.each.kind is []; allowed: a list with at least one"]),
        ({"each": {"round": 6}}, ["panels.0.each.round has 6; allowed: a label, $list"]),
        ({"each": ["kind"]}, ["panels.0.each is ['kind']; allowed: keys with lists"]),
        (
            {"each": {"setting": "$bth"}},
            ["list in figures.one.panels.0.each.setting 'bth'", "'both'"],
        ),
        (
            {"each": {"setting": {"sweep": "gaussian", "horizon": []}}},
            ["panels.0.each.setting is {'sweep': 'gaussian', 'horizon': []}; allowed: a list"],
        ),
        (
            {"over": {"factor": [1]}},
            ["figures.one.panels.0.over", "in a panel with the key 'setting'"],
        ),
        ({"algorithms": ["oful[R=sd"]}, ["figures.one.panels.0.algorithms", "'oful[R=sd'"]),
    ],
)
def test_a_wrong_panel_is_named(names, panel, words):
    found = message(panels, names, panel)
    assert [word for word in words if word not in found] == []


@pytest.mark.parametrize(
    ("old", "key", "new", "number"),
    [
        ({"setting": "$both"}, "setting", "each: {setting: $both}", 2),
        (
            {"setting": {"sweep": "gaussian", "horizon": [5, 9]}, "kind": ["regret", "elapsed"]},
            "kind and setting",
            "each: {kind: [regret, elapsed], setting: {sweep: gaussian, horizon: [5, 9]}}",
            4,
        ),
        ({"settings": {"each": ["oful[R=sd]"]}}, "settings", "each: {settings: ['oful[R=sd]']}", 1),
        ({"round": [6, 63]}, "round", "each: {round: [6, 63]}", 2),
    ],
)
def test_a_list_without_each_is_refused_with_the_new_form(names, old, key, new, number):
    expected = f"figures.one.panels.0 has several values of {key}; write {new}"
    assert message(panels, names, old) == expected
    assert message(panels, names, {}, panel_defaults=old) == expected
    assert len(panels(names, read_value(f"{{{new}}}", "new"))) == number  # The new form is valid.


# Claims.

CLAIM = {"id": "toy.01", "place": "Figure 1", "statement": "It works."}


def test_claims_use_lists_and_sweeps(names):
    about = {"setting": "student_t[factor=1]", "settings": "$mine"}
    check = {"quantity": "regret", "statistic": "ratio", "arguments": about}
    check["each"] = {"numerator": "$fast", "rounds": [1, 2]}
    names.add_lists({"mine": "$both"})
    (found,) = Reader({}, names, {}).claim({**CLAIM, "checks": [check]}, 0.95).readings
    plain = {"setting": "student_t", "settings": ["student_t", "gaussian"]}
    assert [one.arguments for one in found.checks] == [
        {**plain, "rounds": rounds, "numerator": numerator}
        for numerator in ("oful[R=sd]", "oful")
        for rounds in (1, 2)
    ]


def test_a_list_of_settings_may_take_several_values(names):
    check = {"quantity": "time", "statistic": "ratio", "arguments": {"algorithm": "oful"}}
    check["each"] = {"settings": ["$both", ["gaussian", "student_t"]]}
    (found,) = Reader({}, names, {}).claim({**CLAIM, "checks": [check]}, 0.95).readings
    assert [one.arguments["settings"] for one in found.checks] == [
        ["student_t", "gaussian"],
        ["gaussian", "student_t"],
    ]


# Patterns of overlays.


@pytest.mark.parametrize(
    ("pattern", "selected"),
    [
        ("f1", {"f1", "f1[horizon=20,initial=4]"}),
        ("f?", {"f1", "f1[horizon=20,initial=4]", "f2"}),
        ("f1[horizon=20,initial=4]", {"f1[horizon=20,initial=4]"}),
        ("f1[*", {"f1[horizon=20,initial=4]"}),
        ("f[12]", set()),
    ],
)
def test_patterns_select_names_or_labels(pattern, selected):
    labels = map(Label.parse, ("f1", "f1[horizon=20,initial=4]", "f2"))
    assert {label for label in labels if config.matches(label, pattern)} == selected


# Reading YAML.


def test_a_key_that_stands_twice_is_refused_with_file_and_lines(tmp_path):
    path = tmp_path / "settings.yaml"
    path.write_text("a: 1\nb:\n  - {c: 1}\n  - c: 1\n    d: 2\n    c: 3\n")
    assert message(read_yaml, path) == (
        f"file {path}, line 6: key 'c' is also on line 4; allowed: each key once"
    )


def test_an_alias_repeats_a_value_and_a_merge_key_is_refused(tmp_path):
    path = tmp_path / "settings.yaml"
    path.write_text("a: &a {x: 1, y: 2}\nd: *a\ne: {'<<': 3}\n")
    assert read_yaml(path) == {"a": {"x": 1, "y": 2}, "d": {"x": 1, "y": 2}, "e": {"<<": 3}}
    path.write_text("a: &a {x: 1, y: 2}\nb:\n  <<: *a\n  y: 3\n")
    assert message(read_yaml, path).startswith(
        f"file {path}, line 3: key '<<' merges other keys; write these out, as in"
    )


def test_loaded_papers_do_not_depend_on_the_hashes_of_texts():
    code = "from optimist.config import load as c; print([*map(c.load_paper, c.paper_names())])"
    command = [sys.executable, "-c", code]
    printed = {
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "01"
    }
    assert len(printed) == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"slopes": 3}, "slopes is 3"),
        ({"slopes": ["x"]}, "slopes is"),
        ({"series": 3}, "series is 3"),
        ({"base": 3}, "base is 3; allowed: a label"),
        ({"setting": {"a": "b"}}, "setting"),
        ({"title": "{setting.foo}"}, "setting.foo"),
    ],
)
def test_keys_of_a_wrong_kind_are_refused(changes, words):
    panel = {"kind": "regret", "setting": "logistic_s3", "algorithms": ["glb_omd"]} | changes
    names = names_of("glb_omd", *config._documents(config.project_root() / "config/papers/glb_omd"))
    with pytest.raises(ConfigError, match=words):
        expand_figure("figures.x", {"panels": [panel]}, {}, names)


def test_braces_that_are_mathematics_stay_in_a_title():
    names = names_of("glb_omd", *config._documents(config.project_root() / "config/papers/glb_omd"))
    title = r"$x_{1}$, $e^{a}$, $\mathrm{kl}$ { in {setting}"
    panel = {"kind": "regret", "setting": "logistic_s3", "algorithms": ["glb_omd"], "title": title}
    (found,) = expand_figure("figures.x", {"panels": [panel]}, {}, names)[0]["panels"]
    word = names.settings["logistic_s3"].title
    assert found["title"] == title.replace("{setting}", word)
