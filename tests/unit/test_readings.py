"""Readings: what a claims file stands for once its choices are written out, and what is refused."""

from copy import deepcopy

import pytest
import yaml
from messages import message

from optimist import claims
from optimist.config.claims import Writer
from optimist.config.labels import Names
from optimist.config.load import load_claims, load_words
from optimist.plan.claims import check_run

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


def choice(name, **alternatives):
    """Return a choice of this name; of alternatives the status, or it with what they change."""
    entries = {
        key.strip("_"): {
            "name": f"{name} {key.strip('_')}",
            "about": f"The {name} is {key.strip('_')}.",
            **({"status": entry} if isinstance(entry, str) else entry),
        }
        for key, entry in alternatives.items()
    }
    return {"name": name, "about": f"The paper has a {name}.", "alternatives": entries}


def unstated(**changes):
    return {"status": "unstated", **changes}


CHOICES = {
    "radius": choice(
        "radius",
        theory="stated",
        matched=unstated(options={"radius": "matched", "factor": 0.3}),
        odd={"status": "ours", "settings": {"gaussian": "student_t"}},
    ),
    "R": choice("scale", nu="stated", sd=unstated(algorithms={"oful": "oful[R=sd]"})),
    "other": choice(
        "rival", none="stated", tofu={"status": "ours", "algorithms": {"oful": "tofu"}}
    ),
}
WORDS = {"similar": {"relation": "between", "bound": [0.5, 2], "why": "A doubling is visible."}}
CHECK = {
    "quantity": "regret",
    "statistic": "ratio",
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
        ("radius theory; scale nu", "stated"),
        ("radius theory; scale sd", "unstated"),
        ("radius matched; scale nu", "unstated"),
        ("radius matched; scale sd", "unstated"),
        ("radius odd; scale nu", "ours"),
        ("radius odd; scale sd", "ours"),
    ]
    assert found[1]["alternatives"] == {"radius": "theory", "R": "sd"}


def test_a_claim_has_the_names_and_sentences_of_its_choices():
    found = claim(choices=["R"])["choices"]
    about = {"name": "scale nu", "about": "The scale is nu.", "status": "stated"}
    assert [*found] == ["R"]
    assert (found["R"]["name"], found["R"]["about"]) == ("scale", "The paper has a scale.")
    assert found["R"]["alternatives"]["nu"] == about
    assert claim()["choices"] == {}


@pytest.mark.parametrize(
    ("keys", "status"), [({}, "stated"), ({"reading": "unstated"}, "unstated")]
)
def test_a_claim_without_choices_has_one_reading(keys, status):
    (found,) = readings(**keys)
    assert (found["name"], found["status"]) == ("", status)


def test_combinations_can_be_left_out():
    left = [{"radius": ["matched", "odd"], "R": ["sd"]}, {"radius": ["odd"]}]
    found = readings(choices=["radius", "R"], without=left)
    assert [r["name"] for r in found] == [
        *("radius theory; scale nu", "radius theory; scale sd", "radius matched; scale nu")
    ]


def test_checks_are_made_only_when_a_condition_says_so():
    known = {"factor": choice("factor", **{"0.3": "stated", "1": "unstated"})}
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
        "law": choice("law", t=unstated(settings={"gaussian": "student_t[factor=0.5]"})),
        "radius": choice("radius", shrunk=unstated(options={"radius": "shrunk", "factor": 0.1})),
    }
    for choices in (["law", "radius"], ["radius", "law"]):
        (found,) = readings(known=known, choices=choices)
        setting = found["checks"][0]["arguments"]["setting"]
        assert setting == "student_t[factor=0.5,radius=shrunk]"


def test_labels_of_algorithms_are_replaced_and_those_of_one_name_merge():
    known = {
        "R": choice("scale", sd=unstated(algorithms={"oful": "oful[R=sd]"})),
        "way": choice(
            "way",
            theory=unstated(algorithms={"oful": "oful[radius=theory]"}),
            tofu=unstated(algorithms={"oful": "tofu"}),
        ),
    }
    names = Names("toy", BASES)
    made = Writer({"choices": known}, names, {})
    label = made._label("toy.01", "oful", [a[0] for a in made._choices.values()])
    assert label == "oful[R=sd,radius=theory]"
    assert made._label("toy.01", "oful", [made._choices["R"][0], made._choices["way"][1]]) == "tofu"
    assert made._label("toy.01", "menu", [made._choices["R"][0]]) == "menu"


def test_all_arguments_that_name_settings_or_algorithms_change_and_no_others():
    fact = {
        "quantity": "fact",
        "statistic": "value",
        "arguments": {"name": "gaussian", "setting": "gaussian/oful"},
        "relation": "below",
        "bound": 1,
    }
    several = {
        "quantity": "regret",
        "statistic": "share",
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


def test_the_control_of_a_guarantee_changes_as_its_check_does():
    check = {**CHECK, "control": {"arguments": {"numerator": "oful"}}}
    (found,) = readings(check, kind="guarantee", choices=["R"], without=[{"R": ["nu"]}])
    (control,) = found["checks"][0]["controls"]
    assert control["arguments"] == {
        "setting": "gaussian",
        "numerator": "oful[R=sd]",
        "denominator": "oful[R=sd]",
    }
    assert (control["relation"], control["bound"]) == ("below", 1)


# Parts, words, and values for each.


def test_settings_are_the_parts_unless_a_check_says_otherwise():
    each = {"setting": ["gaussian", "student_t"], "denominator": ["oful", "menu"]}
    check = {**CHECK, "arguments": {"numerator": "hvt_ucb"}, "each": each}
    first, second = (readings(c)[0]["checks"] for c in (check, {**check, "part": ["denominator"]}))
    assert [c["part"] for c in first] == ["gaussian"] * 2 + ["student_t"] * 2
    assert [c["part"] for c in second] == ["oful", "menu"] * 2
    assert arguments(readings({**check, "part": []})[0]) == arguments({"checks": first})
    assert {c["part"] for c in readings({**check, "part": []})[0]["checks"]} == {""}
    assert {c["part"] for c in readings(check, part=[])[0]["checks"]} == {""}
    named = readings(check, {**check, "part": "time"}, part="regret")[0]["checks"]
    assert [c["part"] for c in named] == ["regret"] * 4 + ["time"] * 4


def test_parts_of_several_settings_are_told_apart():
    made = {"quantity": "regret", "statistic": "exponent", "relation": "below", "bound": 1}
    known = {"algorithm": "oful", "settings": ["gaussian", "student_t"], "points": [1, 2]}
    (found,) = readings({**made, "arguments": known, "part": ["settings", "algorithm"]})
    assert [c["part"] for c in found["checks"]] == ["gaussian and student_t, oful"]


def test_parts_keep_their_names_in_all_readings():
    for found in readings(choices=["radius", "R"]):
        assert [check["part"] for check in found["checks"]] == ["gaussian"]


def test_a_word_stands_for_relation_and_bound():
    check = {key: CHECK[key] for key in ("quantity", "statistic", "arguments")}
    similar = {**check, "word": "similar", "better": "below"}
    (made,) = readings(similar)[0]["checks"]
    assert (made["relation"], made["bound"]) == ("between", [0.5, 2])
    assert made["why"] == "A doubling is visible."
    assert (made["word"], made["better"]) == ("similar", "below")
    (own,) = readings({**similar, "why": "Other."})[0]["checks"]
    assert own["why"] == "Other."


def test_values_for_each_may_be_lists_sweeps_and_numbers():
    check = {
        "quantity": "regret",
        "statistic": "ratio",
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


# Refusals while writing out.

BAD = {
    "unknown choice": (
        {"choices": ["radios"]},
        [],
        ["toy.01", "'radios'", "did you mean 'radius'"],
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
        ["toy.01", "no reading that counts", "stated or unstated"],
    ),
    "no check that counts": (
        {"choices": ["R"]},
        [{**CHECK, "when": {"R": ["nu"]}}],
        ["toy.01", "no check that counts", "'scale sd'"],
    ),
    "only checks of ours": (
        {},
        [{**CHECK, "status": "ours"}],
        ["toy.01", "no check that counts"],
    ),
    "parts that differ": (
        {"choices": ["R"]},
        [
            {**CHECK, "when": {"R": ["nu"]}},
            {**about(setting="gaussian[factor=0.5,radius=shrunk]"), "when": {"R": ["sd"]}},
        ],
        [
            "toy.01",
            "'scale sd' has the part 'gaussian[factor=0.5",
            "allowed: 'gaussian' as in 'scale nu'",
        ],
    ),
    "part that a reading lacks": (
        {"choices": ["R"]},
        [{**CHECK, "part": "time"}, {**CHECK, "part": "times", "when": {"R": ["nu"]}}],
        ["toy.01", "'scale sd' lacks the part 'times' (did you mean 'time'?)", "'scale nu'"],
    ),
    "part that only shown checks have": (
        {"choices": ["R"]},
        [
            CHECK,
            {**CHECK, "part": "time", "when": {"R": ["nu"]}},
            {**CHECK, "part": "time", "status": "ours", "when": {"R": ["sd"]}},
        ],
        ["toy.01", "'scale sd' lacks the part 'time'"],
    ),
    "part of an unknown argument": (
        {},
        [{**CHECK, "part": ["seting"]}],
        ["toy.01", "argument in part", "'seting'", "did you mean 'setting'"],
    ),
    "band without better": (
        {},
        [{**CHECK, "relation": "between", "bound": [0.5, 2]}],
        ["toy.01", "ratio of regret", "[0.5, 2]", "lacks the key 'better'", "below or above"],
    ),
    "band of a word without better": (
        {},
        [
            {
                "quantity": "regret",
                "statistic": "ratio",
                "arguments": CHECK["arguments"],
                "word": "similar",
            }
        ],
        ["toy.01", "ratio of regret", "lacks the key 'better'"],
    ),
    "better without a band": (
        {},
        [{**CHECK, "better": "below"}],
        ["toy.01", "ratio of regret has better 'below'", "bands of empirical claims"],
    ),
    "better that is no side": (
        {"kind": "guarantee"},
        [{**CHECK, "relation": "between", "bound": [0.5, 2], "better": "neither"}],
        ["toy.01", "has better 'neither'"],
    ),
    "better of a fact": (
        {"kind": "fact"},
        [{**CHECK, "relation": "between", "bound": [0.5, 2], "better": "above"}],
        ["toy.01", "has better 'above'"],
    ),
    "control of an empirical claim": (
        {},
        [{**CHECK, "control": {"arguments": {"numerator": "uniform"}}}],
        ["toy.01", "'control' in a claim of kind 'empirical'", "allowed: in guarantees"],
    ),
    "alternatives of one name": (
        {
            "known": {
                "R": choice("scale", nu="stated", sd={"status": "unstated", "name": "scale nu"})
            }
        },
        [],
        ["choices.R", "'scale nu' twice"],
    ),
    "choices of one name": (
        {
            "choices": ["R", "S"],
            "known": {"R": choice("scale", nu="stated"), "S": choice("scale", sd="stated")},
        },
        [],
        ["choices of claim 'toy.01' has 'scale' twice"],
    ),
    "alternative whose name separates names": (
        {"known": {"R": choice("scale", nu={"status": "stated", "name": "nu; exact"})}},
        [],
        ["choices.R", "'nu; exact'", "without ;"],
    ),
    "choice whose name has quotation marks": (
        {
            "known": {"R": choice('"scale"', nu={"status": "stated", "name": "nu"})},
            "choices": ["R"],
        },
        [],
        ["choices", "'\"scale\"'", 'without "'],
    ),
    "part whose name separates names": (
        {"part": "regret; time"},
        [],
        ["toy.01", "'regret; time'", "without ;"],
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
    "choices": {"R": choice("scale", nu="stated", sd="unstated")},
    "claims": [
        {
            "id": "toy.01",
            "place": "Figure 1",
            "statement": "It works.",
            "choices": ["R"],
            "checks": [CHECK],
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
    assert (found.id, found.kind, found.level) == ("toy.01", "empirical", 0.95)
    assert [(r.name, r.status, r.alternatives) for r in found.readings] == [
        ("scale nu", "stated", {"scale": "nu"}),
        ("scale sd", "unstated", {"scale": "sd"}),
    ]


CLAIM = ("claims", 0)
SD = ("choices", "R", "alternatives", "sd")
ENTRY = (*CLAIM, "checks", 0)
WITHOUT_POINTS = {
    "quantity": "regret",
    "statistic": "exponent",
    "arguments": {"algorithm": "oful", "settings": ["gaussian", "student_t"]},
}
BAD_FILES = {
    "unknown quantity": (
        (*ENTRY, "quantity"),
        "regrets",
        ["quantity", "'regrets'", "did you mean 'regret'", "time, "],
    ),
    "unknown statistic": (
        (*ENTRY, "statistic"),
        "ratios",
        ["statistic of regret", "'ratios'", "did you mean 'ratio'", "exponent"],
    ),
    "statistic of other quantities": (
        (*ENTRY, "quantity"),
        "agreement",
        ["statistic of agreement", "'ratio'", "share"],
    ),
    "exponent without points": (
        (*ENTRY,),
        {**WITHOUT_POINTS, "relation": "below", "bound": 1},
        ["exponent of regret has the arguments", "allowed: algorithm, settings, points"],
    ),
    "unknown argument": (
        (*ENTRY, "arguments"),
        {**CHECK["arguments"], "rival": "oful"},
        ["unknown argument of ratio of regret 'rival'", "numerator"],
    ),
    "lacking argument": (
        (*ENTRY, "arguments", "setting"),
        None,
        ["ratio of regret has the arguments", "allowed: numerator, denominator, setting"],
    ),
    "argument twice": ((*ENTRY, "each"), {"setting": ["gaussian"]}, ["'setting' is given twice"]),
    "argument of a control": (
        CLAIM,
        {
            **FILE["claims"][0],
            "kind": "guarantee",
            "checks": [{**CHECK, "control": {"arguments": {"numeratr": "uniform"}}}],
        },
        ["'numeratr'", "did you mean 'numerator'"],
    ),
    "control without arguments": (
        (*ENTRY, "control"),
        {"bound": 1},
        ["checks.0.control", "'bound'", "allowed: arguments"],
    ),
    "choice without a sentence": (
        ("choices", "R", "about"),
        None,
        ["choices.R lacks the key 'about'"],
    ),
    "choice without a name": (("choices", "R", "name"), None, ["choices.R", "'name'"]),
    "choice without alternatives": (("choices", "R", "alternatives"), {}, ["choices.R", "{}"]),
    "choice of the old form": (
        ("choices", "R"),
        {"nu": {"status": "stated"}},
        ["choices.R", "'nu'", "about, alternatives, name"],
    ),
    "alternative without a sentence": (
        (*SD, "about"),
        None,
        ["alternatives.sd lacks the key 'about'"],
    ),
    "alternative without a name": ((*SD, "name"), None, ["alternatives.sd", "'name'"]),
    "empty sentence": ((*SD, "about"), "", ["sd.about is ''", "a sentence"]),
    "blanks for a sentence": ((*SD, "about"), "   ", ["sd.about is '   '", "a sentence"]),
    "word for a sentence": ((*SD, "about"), "Ten.", ["sd.about is 'Ten.'", "a sentence"]),
    "phrase for a sentence": (
        ("choices", "R", "about"),
        "ten random features",
        ["choices.R.about is 'ten random features'", "a sentence, from a capital letter"],
    ),
    "list for a sentence": ((*SD, "about"), ["It is ten."], ["sd.about", "allowed: text"]),
    "misspelt sentence": (
        SD,
        {"status": "ours", "name": "sd", "abuot": "It is sd."},
        ["'abuot'", "did you mean 'about'"],
    ),
    "better": ((*ENTRY, "better"), "lower", ["'lower'", "allowed: below, above"]),
    "relation": ((*ENTRY, "relation"), "belo", ["'belo'", "did you mean 'below'", "above"]),
    "no bound": ((*ENTRY, "bound"), None, ["bound"]),
    "bound of between": ((*ENTRY, "relation"), "between", ["bound", "a list"]),
    "bound that is a text": ((*ENTRY, "bound"), "low", ["bound", "'low'", "a number"]),
    "unknown key": ((*ENTRY, "bond"), 1, ["'bond'", "did you mean 'bound'"]),
    "blank reason of a bound": ((*ENTRY, "why"), " ", ["checks.0.why is ' '", "not blank"]),
    "blank note": ((*CLAIM, "note"), "", ["claims.0.note is ''", "not blank"]),
    "blank name": ((*SD, "name"), " ", ["sd.name is ' '", "not blank"]),
    "bound without a reason": ((*ENTRY, "bound"), 1.3, ["toy.01", "1.3", "no reason", "why"]),
    "word beside a bound": ((*ENTRY, "word"), "comparable", ["toy/claims.yaml"]),
    "unknown kind": ((*CLAIM, "kind"), "theorem", ["'theorem'", "guarantee"]),
    "unknown status": ((*SD, "status"), "unstted", ["'unstted'", "did you mean 'unstated'"]),
    "status that is a verdict": ((*SD, "status"), "open", ["'open'", "stated, unstated, ours"]),
    "status of a claim": ((*CLAIM, "reading"), "ours", ["'ours'", "stated, unstated"]),
    "unknown word": (
        ENTRY,
        {
            "quantity": "regret",
            "statistic": "ratio",
            "arguments": CHECK["arguments"],
            "word": "comparabel",
        },
        ["'comparabel'", "did you mean 'comparable'"],
    ),
    **{
        f"deleted key {key}": ((*place, key), value, [f"unknown key {key!r}"])
        for place, key, value in (
            *((CLAIM, "looks", 2), (CLAIM, "decides", 2), (CLAIM, "one_suffices", ["R"])),
            (ENTRY, "control_spares_failure", True),
        )
    },
    "unknown choice": ((*CLAIM, "choices"), ["Q"], ["choice", "'Q'", "allowed: R"]),
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
        {"relation": "between", "bound": [0, 1], "better": "below"},
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
    shown = {
        "quantity": "regret",
        "statistic": "ratio",
        "arguments": CHECK["arguments"],
        "status": "ours",
    }
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


SLOPE = {
    "quantity": "regret",
    "statistic": "slope",
    "arguments": {
        "numerator": "hvt_ucb",
        "denominator": "menu",
        "settings": ["gaussian"],
        "points": [1],
    },
    "relation": "below",
    "bound": 1,
}
# Checks, words of the answer, and keys of the claim.
LACKING = {
    "setting": ([about(setting="student_t")], ["lane of 'student_t'", "'hvt_ucb'"]),
    "algorithm": ([about(denominator="menu")], ["'gaussian'", "'menu'", "hvt_ucb, oful"]),
    "algorithm that is asked for last": ([SLOPE], ["'menu'", "log-log slope"]),
    "lane": (
        [{**CHECK, "quantity": "time", "statistic": "ratio"}],
        ["timing lane of 'gaussian'", "'hvt_ucb'"],
    ),
    "control": (
        [{**CHECK, "control": {"arguments": {"numerator": "uniforn"}}}],
        ["'uniforn'", "did you mean 'uniform'"],
        {"kind": "guarantee"},
    ),
    "ours": ([CHECK, {**about(denominator="menu"), "status": "ours"}], ["'menu'"]),
    "arguments of a wrong kind": (
        [
            {
                "quantity": "regret",
                "statistic": "difference",
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
                "quantity": "time",
                "statistic": "ratio",
                "arguments": {"algorithm": "oful", "settings": ["gaussian", "g", "student_t"]},
                "relation": "below",
                "bound": 1,
            }
        ],
        ["settings has 3 names", "allowed: 2"],
    ),
    "a point too many": (
        [{**SLOPE, "arguments": {**SLOPE["arguments"], "points": [1, 2]}}],
        ["points has 2 numbers", "allowed: 1, as settings"],
    ),
}


@pytest.mark.parametrize("case", LACKING)
def test_cells_that_are_lacking_are_named(write, case):
    checks, words, keys = (*LACKING[case], {})[:3]
    found = message(claims.check_trials, loaded(write, *checks, **keys), trials())
    assert [word for word in ["toy.01", *words] if word not in found] == []


def test_what_does_not_count_may_have_few_trials(write):
    ours = {**about(denominator="uniform"), "status": "ours"}
    few = trials() | {("regret", "gaussian", "uniform"): 1}
    claims.check_trials(loaded(write, CHECK, ours), few)


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (about(setting="gausian"), ["setting of ratio of regret", "did you mean 'gaussian'"]),
        (about(numerator="hvt"), ["numerator", "'hvt'"]),
        (
            {**CHECK, "control": {"arguments": {"denominator": "ofull"}}},
            ["denominator", "did you mean 'oful'"],
        ),
    ],
)
def test_unknown_names_are_refused(write, check, words):
    known = ["gaussian", "hvt_ucb", "oful"]
    found = message(claims.check_names, loaded(write, check, kind="guarantee"), known)
    assert [word for word in ["toy.01", *words] if word not in found] == []


NOT_RUN = {
    "quantity": "not_run",
    "statistic": "value",
    "arguments": {"what": "time"},
    "relation": "above",
    "bound": 0,
}
UNRUN = {
    "setting that nobody plays": (
        [{**about(setting="student_t"), "part": [], "when": {"R": ["sd"]}}],
        ["'scale sd' (regret/student_t/hvt_ucb"],
    ),
    "algorithm with a slip": (
        [{**about(numerator="ofull", denominator="unifrm"), "when": {"R": ["sd"]}}],
        ["'scale sd' (regret/gaussian/ofull", "did you mean 'regret/gaussian/oful'"],
    ),
    "lane": (
        [{**CHECK, "quantity": "time", "statistic": "ratio", "when": {"R": ["sd"]}}],
        ["'scale sd' (timing/gaussian/hvt_ucb"],
    ),
    "nothing but what was not run": (
        [{**NOT_RUN, "when": {"R": ["sd"]}}],
        ["no cell runs the reading 'scale sd'; allowed"],
    ),
    "only a shown check is run": (
        [{**NOT_RUN, "when": {"R": ["sd"]}}, {**CHECK, "status": "ours"}],
        ["no cell runs the reading 'scale sd'; allowed"],
    ),
}


@pytest.mark.parametrize("case", UNRUN)
def test_a_reading_that_no_cell_runs_is_refused(write, case):
    checks, words = UNRUN[case]
    of_nu = {**CHECK, "part": [], "when": {"R": ["nu"]}}
    found = loaded(write, of_nu, *({**check, "part": []} for check in checks))
    told = message(check_run, found, trials())
    assert [word for word in ["toy.01", *words, "'without'"] if word not in told] == []


def test_readings_of_some_cells_and_of_facts_are_accepted(write):
    lacking = about(denominator="menu")
    fact = {
        "quantity": "fact",
        "statistic": "value",
        "arguments": {"name": "x", "setting": "gaussian"},
    }
    fact |= {"relation": "below", "bound": 1, "part": []}
    check_run(loaded(write, CHECK, lacking), trials())
    check_run(loaded(write, fact), {})
