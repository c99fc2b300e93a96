"""Readings: what a claims file stands for once its choices are written out, and what is refused."""

from copy import deepcopy

import pytest
import yaml
from messages import message

from optimist import claims
from optimist.errors import ConfigError
from optimist.plan.config import load_claims, load_words
from optimist.plan.names import Names
from optimist.plan.readings import Writer

BASES = {
    name: {
        "title": name,
        "about": "Noise.",
        "environment": "heavy_tailed",
        "parameters": {"law": "normal", "epsilon": 1},
        "horizon": 100,
    }
    for name in ("gaussian", "student_t")
}
CHOICES = {
    "radius": {
        "theory": {"status": "stated"},
        "matched": {"status": "open", "options": {"radius": "matched", "factor": 0.3}},
        "odd": {"status": "ours", "settings": {"gaussian": "student_t"}},
    },
    "R": {
        "nu": {"status": "stated"},
        "sd": {"status": "open", "algorithms": {"oful": "oful[R=sd]"}},
    },
    "other": {
        "none": {"status": "stated"},
        "tofu": {"status": "ours", "algorithms": {"oful": "tofu"}},
    },
}
WORDS = {"similar": {"relation": "between", "bound": [0.5, 2], "why": "A doubling is visible."}}
CHECK = {
    "metric": "regret_ratio",
    "arguments": {"setting": "gaussian", "numerator": "hvt_ucb", "denominator": "oful"},
    "relation": "below",
    "bound": 1,
}


def claim(*checks, known=CHOICES, lists=None, **keys):
    """Return a claim about heavy-tailed settings, written out."""
    names = Names("toy", BASES)
    names.add_lists(lists or {})
    about = {"id": "toy.01", "place": "p", "statement": "s", "checks": list(checks or [CHECK])}
    return Writer({"choices": known}, names, WORDS).claim({**about, **keys})


def readings(*checks, **keys):
    return claim(*checks, **keys)["readings"]


def arguments(found):
    return [tuple(check["arguments"].values()) for check in found["checks"]]


def about(**changed):
    return {**CHECK, "arguments": {**CHECK["arguments"], **changed}}


# Combinations of alternatives.


def test_readings_are_all_combinations_and_have_the_last_status_of_theirs():
    found = readings(choices=["radius", "R"])
    assert [(r["name"], r["status"]) for r in found] == [
        ("radius theory; R nu", "stated"),
        ("radius theory; R sd", "open"),
        ("radius matched; R nu", "open"),
        ("radius matched; R sd", "open"),
        ("radius odd; R nu", "ours"),
        ("radius odd; R sd", "ours"),
    ]


@pytest.mark.parametrize(("keys", "status"), [({}, "stated"), ({"reading": "open"}, "open")])
def test_a_claim_without_choices_has_one_reading(keys, status):
    (found,) = readings(**keys)
    assert (found["name"], found["status"]) == ("", status)


def test_combinations_can_be_left_out():
    left = [{"radius": ["matched", "odd"], "R": ["sd"]}, {"radius": ["odd"]}]
    found = readings(choices=["radius", "R"], without=left)
    assert [r["name"] for r in found] == [
        *("radius theory; R nu", "radius theory; R sd", "radius matched; R nu")
    ]


def test_checks_are_made_only_when_a_condition_says_so():
    known = {"factor": {0.3: {"status": "stated"}, 1: {"status": "open"}}}
    check = {**about(denominator="menu"), "when": {"factor": [0.3]}}
    found = readings(CHECK, check, known=known, choices=["factor"])
    assert [len(r["checks"]) for r in found] == [2, 1]


# What alternatives change.


def test_options_are_added_to_settings_whose_own_win():
    found = readings(CHECK, about(setting="gaussian[factor=0.5,radius=shrunk]"), choices=["radius"])
    assert [[check["arguments"]["setting"] for check in r["checks"]] for r in found] == [
        ["gaussian", "gaussian[factor=0.5,radius=shrunk]"],
        ["gaussian[factor=0.3,radius=matched]", "gaussian[factor=0.5,radius=shrunk]"],
        ["student_t", "gaussian[factor=0.5,radius=shrunk]"],
    ]


def test_a_choice_changes_no_option_that_a_check_writes_out_though_it_is_the_default():
    found = readings(about(setting="gaussian[radius=theory,factor=1]"), choices=["radius"])
    settings = [r["checks"][0]["arguments"]["setting"] for r in found]
    assert settings == ["gaussian", "gaussian", "gaussian"]


def test_settings_are_replaced_before_options_are_added():
    known = {
        "law": {"t": {"status": "open", "settings": {"gaussian": "student_t[factor=0.5]"}}},
        "radius": {
            "shrunk": {"status": "open", "options": {"radius": "shrunk", "factor": 0.1}},
        },
    }
    for choices in (["law", "radius"], ["radius", "law"]):
        (found,) = readings(known=known, choices=choices)
        setting = found["checks"][0]["arguments"]["setting"]
        assert setting == "student_t[factor=0.5,radius=shrunk]"


def test_labels_of_algorithms_are_replaced_and_those_of_one_name_merge():
    known = {
        "R": {"sd": {"status": "open", "algorithms": {"oful": "oful[R=sd]"}}},
        "way": {
            "theory": {"status": "open", "algorithms": {"oful": "oful[radius=theory]"}},
            "tofu": {"status": "open", "algorithms": {"oful": "tofu"}},
        },
    }
    names = Names("toy", BASES)
    made = Writer({"choices": known}, names, {})
    label = made._label("toy.01", "oful", [a[0] for a in made._choices.values()])
    assert label == "oful[R=sd,radius=theory]"
    assert made._label("toy.01", "oful", [made._choices["R"][0], made._choices["way"][1]]) == "tofu"
    assert made._label("toy.01", "menu", [made._choices["R"][0]]) == "menu"


def test_all_arguments_that_name_settings_or_algorithms_change_and_no_others():
    fact = {
        "metric": "fact",
        "arguments": {"name": "gaussian", "setting": "gaussian/oful"},
        "relation": "below",
        "bound": 1,
    }
    several = {
        "metric": "share_of_settings",
        "arguments": {
            "settings": ["gaussian", "student_t"],
            "bound": 1,
            "numerator": "hvt_ucb",
            "denominator": "oful",
        },
        "relation": "above",
        "bound": 0.5,
    }
    found = readings(fact, several, choices=["radius", "R"])[3]
    setting = "gaussian[factor=0.3,radius=matched]"
    assert found["checks"][0]["arguments"] == {
        "name": "gaussian",
        "setting": f"{setting}/oful[R=sd]",
    }
    assert found["checks"][1]["arguments"]["settings"] == [
        setting,
        setting.replace("gaussian", "student_t"),
    ]


def test_controls_change_as_their_check_does():
    check = {
        **CHECK,
        "control": [
            {"arguments": {"numerator": "oful"}},
            {"metric": "median_regret", "arguments": {"setting": "gaussian", "algorithm": "oful"}},
            {"bound": 5},
        ],
    }
    (found,) = readings(check, choices=["R"], without=[{"R": ["nu"]}])
    controls = found["checks"][0]["controls"]
    assert [control["arguments"] for control in controls] == [
        {"setting": "gaussian", "numerator": "oful[R=sd]", "denominator": "oful[R=sd]"},
        {"setting": "gaussian", "algorithm": "oful[R=sd]"},
        {"setting": "gaussian", "numerator": "hvt_ucb", "denominator": "oful[R=sd]"},
    ]
    assert [(c["relation"], c["bound"]) for c in controls] == [
        ("below", 1),
        ("below", 1),
        ("below", 5),
    ]
    assert not found["checks"][0]["any_control"]


@pytest.mark.parametrize(
    ("control", "number", "is_any"),
    [
        ({"arguments": {"numerator": "uniform"}}, 1, False),
        ([{"bound": 2}, {"bound": 3}], 2, False),
        ({"any": [{"bound": 2}, {"bound": 3}]}, 2, True),
    ],
)
def test_a_control_may_be_one_or_all_or_any(control, number, is_any):
    check = readings({**CHECK, "control": control})[0]["checks"][0]
    assert (len(check["controls"]), check["any_control"]) == (number, is_any)


# Parts, words, and values for each.


def test_settings_are_the_parts_unless_a_check_says_otherwise():
    each = {"setting": ["gaussian", "student_t"], "denominator": ["oful", "menu"]}
    check = {**CHECK, "arguments": {"numerator": "hvt_ucb"}, "each": each}
    first, second = (readings(c)[0]["checks"] for c in (check, {**check, "part": ["denominator"]}))
    assert [c["part"] for c in first] == ["gaussian"] * 2 + ["student_t"] * 2
    assert [c["part"] for c in second] == ["oful", "menu"] * 2
    assert arguments(readings({**check, "part": []})[0]) == arguments({"checks": first})
    assert {c["part"] for c in readings({**check, "part": []})[0]["checks"]} == {""}


def test_parts_keep_their_names_in_all_readings():
    for found in readings(choices=["radius", "R"]):
        assert [check["part"] for check in found["checks"]] == ["gaussian"]


def test_a_word_stands_for_relation_and_bound():
    check = {key: CHECK[key] for key in ("metric", "arguments")}
    (found,) = readings({**check, "word": "similar", "control": {"relation": "above", "bound": 9}})
    (made,) = found["checks"]
    assert (made["relation"], made["bound"]) == ("between", [0.5, 2])
    assert made["why"] == "A doubling is visible."
    assert (made["controls"][0]["relation"], made["controls"][0]["bound"]) == ("above", 9)
    (own,) = readings({**check, "word": "similar", "why": "Other."})[0]["checks"]
    assert own["why"] == "Other."


def test_values_for_each_may_be_lists_sweeps_and_numbers():
    check = {
        "metric": "regret_ratio_since",
        "arguments": {"numerator": "hvt_ucb", "denominator": "oful"},
        "each": {"setting": "$both", "since": [5, 10]},
        "relation": "below",
        "bound": 1,
    }
    both = {"both": ["gaussian", {"sweep": "gaussian", "factor": [0.5], "radius": ["shrunk"]}]}
    found = readings(check, lists=both)[0]["checks"]
    assert [(c["arguments"]["setting"], c["arguments"]["since"]) for c in found] == [
        ("gaussian", 5),
        ("gaussian", 10),
        ("gaussian[factor=0.5,radius=shrunk]", 5),
        ("gaussian[factor=0.5,radius=shrunk]", 10),
    ]


# One of several suffices.


def test_one_of_several_becomes_tunings_within_each_reading():
    found = readings(choices=["R"], one_suffices=["radius"])
    assert [r["name"] for r in found] == ["R nu", "R sd"]
    assert [(c["tuning"], c["status"]) for c in found[0]["checks"]] == [
        ("radius theory", "stated"),
        ("radius matched", "stated"),
        ("radius odd", "ours"),
    ]
    assert arguments(found[1])[1] == (
        *("gaussian[factor=0.3,radius=matched]", "hvt_ucb", "oful[R=sd]"),
    )
    # An open alternative does not make the reading open: the paper says that one can be had.
    assert [r["status"] for r in found] == ["stated", "open"]


def test_what_is_only_shown_and_the_same_for_all_tunings_stands_once_and_of_none():
    known = {"q": {str(n): {"status": "stated"} for n in (2, 5, 10)}}
    shown = {**about(denominator="menu"), "status": "ours"}
    of_two = {**about(denominator="tofu"), "status": "ours", "when": {"q": ["2", "5"]}}
    (found,) = readings(CHECK, shown, of_two, known=known, one_suffices=["q"])
    told = [(c["arguments"]["denominator"], c["tuning"]) for c in found["checks"]]
    assert told == [
        *(("oful", "q 2"), ("menu", ""), ("tofu", "q 2"), ("oful", "q 5"), ("tofu", "q 5")),
        ("oful", "q 10"),
    ]


# Refusals while writing out.

BAD = {
    "unknown choice that suffices": ({"one_suffices": ["S"]}, [], ["toy.01", "'S'", "R, other"]),
    "choice twice": (
        {"choices": ["R"], "one_suffices": ["R"]},
        [],
        ["toy.01", "'R'", "allowed: one of them"],
    ),
    "unknown choice in when": (
        {"choices": ["R"]},
        [{**CHECK, "when": {"radius": ["theory"]}}],
        ["toy.01", "'radius'", "allowed: R"],
    ),
    "unknown alternative in when": (
        {"choices": ["R"]},
        [{**CHECK, "when": {"R": ["sdd"]}}],
        ["toy.01", "'sdd'", "did you mean 'sd'"],
    ),
    "unknown alternative in without": (
        {"choices": ["R"], "without": [{"R": ["mu"]}]},
        [],
        ["toy.01", "alternative of R", "'mu'", "did you mean 'nu'"],
    ),
    "no reading that counts": (
        {"choices": ["radius"], "without": [{"radius": ["theory", "matched"]}]},
        [],
        ["toy.01", "no reading that counts", "stated or open"],
    ),
    "no check that counts": (
        {"choices": ["R"]},
        [{**CHECK, "when": {"R": ["nu"]}}],
        ["toy.01", "no check that counts", "'R sd'"],
    ),
    "only checks of ours": (
        {},
        [{**CHECK, "status": "ours"}],
        ["toy.01", "no check that counts"],
    ),
    "only tunings of ours": (
        {"one_suffices": ["radius"]},
        [{**CHECK, "when": {"radius": ["odd"]}}],
        ["toy.01", "no check that counts"],
    ),
    "unknown option": (
        {},
        [about(setting="gaussian[factr=2]")],
        ["toy.01.setting", "'factr'", "did you mean 'factor'"],
    ),
    "unknown list": (
        {},
        [{**CHECK, "each": {"setting": "$all"}}],
        ["toy.01.setting", "list", "'all'"],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_written_out_is_named(case):
    keys, checks, words = BAD[case]
    found = message(claim, *checks, **keys)
    assert [word for word in words if word not in found] == []


# Files.

FILE = {
    "paper": "toy",
    "level": 0.95,
    "choices": {"R": {"nu": {"status": "stated"}, "sd": {"status": "open"}}},
    "claims": [
        {
            "id": "toy.01",
            "place": "Figure 1",
            "statement": "It works.",
            "choices": ["R"],
            "checks": [{**CHECK, "control": {"arguments": {"numerator": "uniform"}}}],
        }
    ],
}


@pytest.fixture
def write(tmp_path):
    def write(document):
        path = tmp_path / "toy" / "claims.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump(document))
        return path

    return write


def changed(path, value, document=FILE):
    """Return a copy of a document with a value at a path of keys; None takes the key out."""
    copy = deepcopy(document)
    part = copy
    for step in path[:-1]:
        part = part[step]
    if value is None:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return copy


def test_a_valid_file_loads_into_claims(write):
    (found,) = claims.claims_of(load_claims(write(FILE)))
    assert (found.id, found.kind, found.level, found.decides) == ("toy.01", "empirical", 0.95, 1.25)
    assert [(r.name, r.status) for r in found.readings] == [("R nu", "stated"), ("R sd", "open")]
    (check,) = found.readings[0].checks
    assert check.controls[0].arguments["numerator"] == "uniform"


CLAIM = ("claims", 0)
ENTRY = (*CLAIM, "checks", 0)
BAD_FILES = {
    "unknown metric": ((*ENTRY, "metric"), "regret_ratios", ["'regret_ratios'", "'regret_ratio'"]),
    "unknown argument": (
        (*ENTRY, "arguments"),
        {**CHECK["arguments"], "rival": "oful"},
        ["argument 'rival' is unknown", "numerator"],
    ),
    "lacking argument": ((*ENTRY, "arguments", "setting"), None, ["lacks argument setting"]),
    "argument twice": ((*ENTRY, "each"), {"setting": ["gaussian"]}, ["'setting' is given twice"]),
    "unknown metric of a control": (
        (*ENTRY, "control"),
        {"any": [{"metric": "fat", "arguments": {}}, {"bound": 1}]},
        ["'fat'", "did you mean 'fact'"],
    ),
    "relation": ((*ENTRY, "relation"), "belo", ["'belo'", "did you mean 'below'", "above"]),
    "no bound": ((*ENTRY, "bound"), None, ["bound"]),
    "bound of between": ((*ENTRY, "relation"), "between", ["bound", "a list"]),
    "bound that is a text": ((*ENTRY, "bound"), "low", ["bound", "'low'", "a number"]),
    "unknown key": ((*ENTRY, "bond"), 1, ["'bond'", "did you mean 'bound'"]),
    "bound without a reason": ((*ENTRY, "bound"), 1.3, ["toy.01", "1.3", "no reason", "why"]),
    "word beside a bound": ((*ENTRY, "word"), "comparable", ["toy/claims.yaml"]),
    "unknown kind": ((*CLAIM, "kind"), "theorem", ["'theorem'", "guarantee"]),
    "unknown status": (("choices", "R", "sd", "status"), "opn", ["'opn'", "did you mean 'open'"]),
    "status of a claim": ((*CLAIM, "reading"), "ours", ["'ours'", "stated, open"]),
    "looks": ((*CLAIM, "looks"), 3, ["looks", "3"]),
    "ratio worth deciding": ((*CLAIM, "decides"), 1, ["decides is 1", "greater than 1"]),
    "unknown word": (
        ENTRY,
        {"metric": "regret_ratio", "arguments": CHECK["arguments"], "word": "comparabel"},
        ["'comparabel'", "did you mean 'comparable'"],
    ),
    "paper": (("paper",), "toi", ["'toi'", "allowed: 'toy'"]),
    "id of another paper": ((*CLAIM, "id"), "toi.01", ["'toi.01'", "toy.NUMBER"]),
    "id twice": (("claims",), FILE["claims"] * 2, ["'toy.01' occurs 2 times", "allowed: once"]),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_in_one_line(write, case):
    path, value, words = BAD_FILES[case]
    found = message(load_claims, write(changed(path, value)))
    assert [word for word in [*words, "toy/claims.yaml"] if word not in found] == []


@pytest.mark.parametrize(
    "given",
    [
        {"why": "Half-way."},
        {"bound": 0},
        {"bound": 1, "relation": "above"},
        {"relation": "between", "bound": [0, 1]},
        {"status": "ours"},
    ],
)
def test_bounds_with_a_reason_and_signs_are_accepted(write, given):
    check = {**CHECK, "bound": 1.3, **given}
    claim = {**FILE["claims"][0], "checks": [CHECK, check]}
    if "status" in given:
        check["bound"] = 1
    load_claims(write({**FILE, "claims": [claim]}))
    noted = {**claim, "checks": [{**CHECK, "bound": 1.3}], "note": "Half-way."}
    load_claims(write({**FILE, "claims": [noted]}))


def test_what_is_shown_only_needs_no_bound(write):
    shown = {"metric": "regret_ratio", "arguments": CHECK["arguments"], "status": "ours"}
    claim = {**FILE["claims"][0], "checks": [CHECK, shown]}
    (found,) = claims.claims_of(load_claims(write({**FILE, "claims": [claim]})))
    assert [check.relation for check in found.readings[0].checks] == ["below", None]


def test_every_word_has_a_bound_and_a_reason():
    words = load_words()
    assert {"comparable", "better", "significant", "not_worse"} <= set(words)
    for word, meaning in words.items():
        assert meaning["why"] and meaning["relation"] in ("below", "above", "between"), word


# Cells.


def loaded(write, *checks, **keys):
    claim = {**FILE["claims"][0], "checks": list(checks), "note": "Why.", **keys}
    return claims.claims_of(load_claims(write({**FILE, "claims": [claim]})))


def trials(number=30, *cells):
    known = [("regret", "gaussian", name) for name in ("hvt_ucb", "oful", "uniform")]
    return dict.fromkeys([*known, *cells], number)


def test_claims_about_what_is_run_often_enough_are_accepted(write):
    claims.check_trials(loaded(write, CHECK), trials(10))


WITH_CONTROL = {**CHECK, "control": {"arguments": {"numerator": "uniform"}}}
SLOPE = {
    "metric": "regret_ratio_slope",
    "arguments": {
        "numerator": "hvt_ucb",
        "denominator": "menu",
        "settings": ["gaussian"],
        "points": [1],
    },
    "relation": "below",
    "bound": 1,
}
MEDIAN = {**CHECK, "metric": "median_regret_ratio"}
# Checks, words of the answer, numbers of trials that are others, and keys of the claim.
LACKING = {
    "setting": ([about(setting="student_t")], ["lane of 'student_t'", "'hvt_ucb'"]),
    "algorithm": ([about(denominator="menu")], ["'gaussian'", "'menu'", "hvt_ucb, oful"]),
    "algorithm that is asked for last": ([SLOPE], ["'menu'", "log-log slope"]),
    "lane": ([{**CHECK, "metric": "time_ratio"}], ["timing lane of 'gaussian'", "'hvt_ucb'"]),
    "control": (
        [{**CHECK, "control": {"arguments": {"numerator": "uniforn"}}}],
        ["'uniforn'", "did you mean 'uniform'"],
    ),
    "ours": ([CHECK, {**about(denominator="menu"), "status": "ours"}], ["'menu'"]),
    "trials": (
        [CHECK],
        ["gaussian/oful has 9 trials", "at least 10"],
        {("regret", "gaussian", "oful"): 9},
    ),
    "trials of a control": (
        [WITH_CONTROL],
        ["gaussian/uniform has 9 trials", "at least 10"],
        {("regret", "gaussian", "uniform"): 9},
    ),
    "pairs": (
        [MEDIAN],
        ["gaussian/oful has 5 trials", "at least 6"],
        {("regret", "gaussian", "oful"): 5},
    ),
    "pairs at a higher level": (
        [MEDIAN],
        ["gaussian/oful has 6 trials", "at least 7"],
        {("regret", "gaussian", "oful"): 6},
        {"level": 0.98},
    ),
    "turns": (
        [{**CHECK, "metric": "time_ratio"}],
        ["gaussian/oful has 4 turns", "at least 5"],
        {("timing", "gaussian", "hvt_ucb"): 9, ("timing", "gaussian", "oful"): 4},
    ),
    "arguments of a wrong kind": (
        [
            {
                "metric": "split_difference",
                "arguments": {
                    "setting": "gaussian",
                    "one": "hvt_ucb",
                    "other": "oful",
                    "since": 0,
                    "rounds": "all",
                    "folds": 2,
                    "repeats": 1,
                },
                "relation": "below",
                "bound": 1,
            }
        ],
        ["regret of hvt_ucb minus", "'rounds': 'all'"],
    ),
    "a pair of three": (
        [
            {
                "metric": "time_ratio_of_pair",
                "arguments": {"algorithm": "oful", "settings": ["gaussian", "g", "student_t"]},
                "relation": "below",
                "bound": 1,
            }
        ],
        ["settings has 3 names", "two"],
    ),
}


@pytest.mark.parametrize("case", LACKING)
def test_cells_that_are_lacking_are_named(write, case):
    checks, words, changes, keys = (*LACKING[case], {}, {})[:4]
    found = message(claims.check_trials, loaded(write, *checks, **keys), trials() | changes)
    assert [word for word in ["toy.01", *words] if word not in found] == []


def test_what_does_not_count_may_have_few_trials(write):
    ours = {**about(denominator="uniform"), "status": "ours"}
    few = trials() | {("regret", "gaussian", "uniform"): 1}
    claims.check_trials(loaded(write, CHECK, ours), few)


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (about(setting="gausian"), ["setting of metric regret_ratio", "did you mean 'gaussian'"]),
        (about(numerator="hvt"), ["numerator", "'hvt'"]),
        (
            {**CHECK, "control": {"arguments": {"denominator": "ofull"}}},
            ["denominator", "did you mean 'oful'"],
        ),
    ],
)
def test_unknown_names_are_refused(write, check, words):
    known = ["gaussian", "hvt_ucb", "oful"]
    found = message(claims.check_names, loaded(write, check), known)
    assert [word for word in ["toy.01", *words] if word not in found] == []


def test_a_control_takes_arguments_of_its_check_by_name():
    own = {"numerator": "uniform", "denominator": "=numerator"}
    check = {**CHECK, "control": {"arguments": own, "bound": 2}, "control_spares_failure": True}
    found = readings(check, choices=["R"])
    for reading, label in zip(found, ("hvt_ucb", "hvt_ucb"), strict=True):
        (made,) = reading["checks"]
        (control,) = made["controls"]
        assert control["arguments"] == {
            "setting": "gaussian",
            "numerator": "uniform",
            "denominator": label,
        }
        assert made["control_spares_failure"] is True
    swapped = {**CHECK, "control": {"arguments": {"numerator": "=denominator"}, "bound": 2}}
    labels = [
        one["checks"][0]["controls"][0]["arguments"]["numerator"]
        for one in readings(swapped, choices=["R"])
    ]
    assert labels == ["oful", "oful[R=sd]"]
    wrong = {**CHECK, "control": {"arguments": {"numerator": "=numeratr"}, "bound": 2}}
    with pytest.raises(ConfigError, match="did you mean 'numerator'"):
        readings(wrong)
