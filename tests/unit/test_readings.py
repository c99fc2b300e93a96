"""Readings: what a claims file stands for once its choices are written out, and what is refused."""

import json
from copy import deepcopy
from dataclasses import asdict, replace

import pytest
import yaml
from claim_tables import check_of
from messages import message

from optimist.claims.claim import PaperClaims
from optimist.claims.planned import check_planned
from optimist.config.claims import Reader
from optimist.config.labels import Names
from optimist.config.load import load_claims, load_words
from optimist.experiments.cell import Setting
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
CHECK = check_of(
    "regret", "ratio", {"setting": "gaussian", "numerator": "hvt_ucb", "denominator": "oful"}
)


def claim(*checks, known=CHOICES, lists=None, **keys):
    """Return a claim about heavy-tailed settings, written out."""
    names = Names("toy", {n: Setting.restore("toy", n, one) for n, one in BASES.items()})
    names.add_lists(lists or {})
    about = {"id": "toy.01", "place": "p", "statement": "s", "checks": list(checks or [CHECK])}
    return Reader(known, names, WORDS).claim({**about, **keys}, 0.95)


def readings(*checks, **keys):
    return claim(*checks, **keys).readings


def arguments(found):
    return [tuple(check.arguments.values()) for check in found]


def about(**changed):
    return {**CHECK, "arguments": {**CHECK["arguments"], **changed}}


# Combinations of alternatives.


def test_readings_are_all_combinations_and_have_the_last_status_of_theirs():
    found = readings(choices=["radius", "R"])
    assert [(r.name, r.status) for r in found] == [
        ("radius theory; scale nu", "stated"),
        ("radius theory; scale sd", "unstated"),
        ("radius matched; scale nu", "unstated"),
        ("radius matched; scale sd", "unstated"),
        ("radius odd; scale nu", "ours"),
        ("radius odd; scale sd", "ours"),
    ]
    assert found[1].alternatives == {"radius": "theory", "scale": "sd"}


def test_a_claim_has_the_choices_as_its_file_has_them():
    (found,) = claim(choices=["R"]).choices.values()
    assert (found.name, found.about) == (CHOICES["R"]["name"], CHOICES["R"]["about"])
    for key, one in CHOICES["R"]["alternatives"].items():
        assert one.items() <= vars(found.alternatives[key]).items()
    assert claim().choices == {}


@pytest.mark.parametrize(
    ("keys", "status"), [({}, "stated"), ({"reading": "unstated"}, "unstated")]
)
def test_a_claim_without_choices_has_one_reading(keys, status):
    (found,) = readings(**keys)
    assert (found.name, found.status) == ("", status)


def test_combinations_can_be_left_out():
    left = [{"radius": ["matched", "odd"], "R": ["sd"]}, {"radius": ["odd"]}]
    found = readings(choices=["radius", "R"], without=left)
    assert [r.name for r in found] == [
        *("radius theory; scale nu", "radius theory; scale sd", "radius matched; scale nu")
    ]


def test_checks_are_made_only_when_a_condition_says_so():
    known = {"factor": choice("factor", **{"0.3": "stated", "1": "unstated"})}
    check = {**about(denominator="menu"), "when": {"factor": [0.3]}}
    found = readings(CHECK, check, known=known, choices=["factor"])
    assert [len(r.checks) for r in found] == [2, 1]


# What alternatives change.


def test_options_are_added_to_settings_whose_own_win():
    found = readings(CHECK, about(setting="gaussian[factor=0.5,radius=shrunk]"), choices=["radius"])
    assert [[check.arguments["setting"] for check in r.checks] for r in found] == [
        ["gaussian", "gaussian[factor=0.5,radius=shrunk]"],
        ["gaussian[factor=0.3,radius=matched]", "gaussian[factor=0.5,radius=shrunk]"],
        ["student_t", "gaussian[factor=0.5,radius=shrunk]"],
    ]


def test_a_choice_changes_no_option_that_a_check_writes_out_though_it_is_the_default():
    found = readings(about(setting="gaussian[radius=theory,factor=1]"), choices=["radius"])
    settings = [r.checks[0].arguments["setting"] for r in found]
    assert settings == ["gaussian", "gaussian", "gaussian"]


def test_settings_are_replaced_before_options_are_added():
    known = {
        "law": choice("law", t=unstated(settings={"gaussian": "student_t[factor=0.5]"})),
        "radius": choice("radius", shrunk=unstated(options={"radius": "shrunk", "factor": 0.1})),
    }
    for choices in (["law", "radius"], ["radius", "law"]):
        (found,) = readings(known=known, choices=choices)
        setting = found.checks[0].arguments["setting"]
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
    names = Names("toy", {n: Setting.restore("toy", n, one) for n, one in BASES.items()})
    made = Reader(known, names, {})

    def label(text, **taken):
        return made._label("toy.01", text, made._alternatives(taken))

    assert label("oful", R="sd", way="theory") == "oful[R=sd,radius=theory]"
    assert label("oful", R="sd", way="tofu") == "tofu"
    assert label("menu", R="sd") == "menu"


def test_all_arguments_that_name_settings_or_algorithms_change_and_no_others():
    fact = check_of("fact", "value", {"name": "gaussian", "setting": "gaussian/oful"})
    several = check_of(
        "regret",
        "share",
        {
            "settings": ["gaussian", "student_t"],
            "bound": 1,
            "numerator": "hvt_ucb",
            "denominator": "oful",
        },
        "above",
        0.5,
    )
    found = readings(fact, several, choices=["radius", "R"])[3]
    setting = "gaussian[factor=0.3,radius=matched]"
    assert found.checks[0].arguments == {
        "name": "gaussian",
        "setting": f"{setting}/oful[R=sd]",
    }
    assert found.checks[1].arguments["settings"] == [
        setting,
        setting.replace("gaussian", "student_t"),
    ]


def test_the_control_of_a_guarantee_changes_as_its_check_does():
    check = {**CHECK, "control": {"arguments": {"numerator": "oful"}}}
    (found,) = readings(check, kind="guarantee", choices=["R"], without=[{"R": ["nu"]}])
    (control,) = found.checks[0].controls
    assert control.arguments == {
        "setting": "gaussian",
        "numerator": "oful[R=sd]",
        "denominator": "oful[R=sd]",
    }
    assert (control.relation, control.bound) == ("below", 1)


# Parts, words, and values for each.


def test_settings_are_the_parts_unless_a_check_says_otherwise():
    each = {"setting": ["gaussian", "student_t"], "denominator": ["oful", "menu"]}
    check = {**CHECK, "arguments": {"numerator": "hvt_ucb"}, "each": each}
    first, second = (readings(c)[0].checks for c in (check, {**check, "part": ["denominator"]}))
    assert [c.part for c in first] == ["gaussian"] * 2 + ["student_t"] * 2
    assert [c.part for c in second] == ["oful", "menu"] * 2
    assert arguments(readings({**check, "part": []})[0].checks) == arguments(first)
    assert {c.part for c in readings({**check, "part": []})[0].checks} == {""}
    assert {c.part for c in readings(check, part=[])[0].checks} == {""}
    named = readings(check, {**check, "part": "time"}, part="regret")[0].checks
    assert [c.part for c in named] == ["regret"] * 4 + ["time"] * 4


def test_parts_of_several_settings_join_their_names():
    made = {"quantity": "regret", "statistic": "exponent", "relation": "below", "bound": 1}
    settings = {"algorithm": "oful", "settings": ["gaussian", "student_t"], "points": [1, 2]}
    (found,) = readings({**made, "arguments": settings, "part": ["settings", "algorithm"]})
    assert [c.part for c in found.checks] == ["gaussian and student_t, oful"]


def test_a_word_stands_for_relation_and_bound():
    check = {key: CHECK[key] for key in ("quantity", "statistic", "arguments")}
    similar = {**check, "word": "similar", "better": "below"}
    (made,) = readings(similar)[0].checks
    assert (made.relation, made.bound) == ("between", [0.5, 2])
    assert made.why == "A doubling is visible."
    assert (made.word, made.better) == ("similar", "below")
    (own,) = readings({**similar, "why": "Other."})[0].checks
    assert own.why == "Other."


def test_values_for_each_may_be_lists_sweeps_and_numbers():
    check = check_of(
        "regret",
        "ratio",
        {"numerator": "hvt_ucb", "denominator": "oful"},
        each={"setting": "$both", "since": [5, 10]},
    )
    both = {"both": ["gaussian", {"sweep": "gaussian", "factor": [0.5], "radius": ["shrunk"]}]}
    found = readings(check, lists=both)[0].checks
    assert [(c.arguments["setting"], c.arguments["since"]) for c in found] == [
        ("gaussian", 5),
        ("gaussian", 10),
        ("gaussian[factor=0.5,radius=shrunk]", 5),
        ("gaussian[factor=0.5,radius=shrunk]", 10),
    ]


# Refusals while writing out.

BAND = {**CHECK, "relation": "between", "bound": [0.5, 2]}
WORD = {**{k: CHECK[k] for k in ("quantity", "statistic", "arguments")}, "word": "similar"}
TWICE = {"R": choice("scale", nu="stated", sd={"status": "unstated", "name": "scale nu"})}
OF_NU, OF_SD = {"when": {"R": ["nu"]}}, {"when": {"R": ["sd"]}}
R = {"choices": ["R"]}
# Keys of a claim, its checks, and words of the answer.
BAD = [
    ({"choices": ["radios"]}, [], ["'radios'", "did you mean 'radius'"]),
    (R, [{**CHECK, "when": {"radius": ["theory"]}}], ["'radius'", "allowed: R"]),
    (R, [{**CHECK, "when": {"R": ["sdd"]}}], ["'sdd'", "did you mean 'sd'"]),
    ({**R, "without": [{"R": ["mu"]}]}, [], ["alternative of R", "'mu'", "did you mean 'nu'"]),
    (
        {"choices": ["radius"], "without": [{"radius": ["theory", "matched"]}]},
        [],
        ["no reading that counts", "stated or unstated"],
    ),
    (R, [{**CHECK, **OF_NU}], ["no check that counts", "'scale sd'"]),
    ({}, [{**CHECK, "status": "ours"}], ["no check that counts"]),
    (
        R,
        [{**CHECK, **OF_NU}, {**about(setting="student_t"), **OF_SD}],
        ["'scale sd' has the part 'student_t'", "allowed: 'gaussian', the parts of 'scale nu'"],
    ),
    (
        R,
        [{**CHECK, "part": "time"}, {**CHECK, "part": "times", **OF_NU}],
        ["'scale sd' lacks the part 'times' (did you mean 'time'?)", "'scale nu'"],
    ),
    (
        R,
        [
            CHECK,
            {**CHECK, "part": "time", **OF_NU},
            {**CHECK, "part": "time", "status": "ours", **OF_SD},
        ],
        ["'scale sd' lacks the part 'time'"],
    ),
    ({}, [{**CHECK, "part": ["seting"]}], ["argument in part", "did you mean 'setting'"]),
    ({}, [BAND], ["ratio of regret", "[0.5, 2]", "lacks the key 'better'", "below or above"]),
    ({}, [WORD], ["lacks the key 'better'"]),
    ({}, [{**CHECK, "better": "below"}], ["has better 'below'", "bands of empirical claims"]),
    ({"kind": "guarantee"}, [{**BAND, "better": "neither"}], ["has better 'neither'"]),
    ({"kind": "fact"}, [{**BAND, "better": "above"}], ["has better 'above'"]),
    (
        {},
        [{**CHECK, "control": {"arguments": {"numerator": "uniform"}}}],
        ["'control' in a claim of kind 'empirical'", "allowed: kind guarantee"],
    ),
    ({"known": TWICE}, [], ["choices.R", "'scale nu' twice"]),
    (
        {"choices": ["R", "S"], "known": {**CHOICES, "S": choice("scale", sd="stated")}},
        [],
        ["choices of claim 'toy.01' has 'scale' twice"],
    ),
    ({}, [about(setting="gaussian[factr=2]")], ["01.setting", "'factr'", "did you mean 'factor'"]),
    (
        {},
        [{**CHECK, "arguments": {}, "each": {"setting": "$all"}}],
        ["toy.01.each.setting 'all'"],
    ),
]


@pytest.mark.parametrize(("keys", "checks", "words"), BAD, ids=range(len(BAD)))
def test_what_cannot_be_written_out_is_named(keys, checks, words):
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
    (found,) = load_claims(write(FILE)).claims
    assert (found.id, found.kind, found.level) == ("toy.01", "empirical", 0.95)
    assert [(r.name, r.status, r.alternatives) for r in found.readings] == [
        ("scale nu", "stated", {"scale": "nu"}),
        ("scale sd", "unstated", {"scale": "sd"}),
    ]


def test_claims_are_restored_from_plain_data(write):
    effect = {"text": "It is {it}.", "numbers": {"it": {"when": {"R": ["nu"]}}}}
    control = {**CHECK, "control": {"arguments": {"numerator": "oful"}}}
    claims = [
        {**FILE["claims"][0], "effect": effect, "note": "Why."},
        {**FILE["claims"][0], "id": "toy.02", "kind": "guarantee", "checks": [control]},
    ]
    found = load_claims(write({**FILE, "claims": claims}))
    found = replace(found, first=[["toy.01", "x", "trials", 0, 10]], learners={"gaussian": ["a"]})
    plain = asdict(found)
    assert PaperClaims.restore(plain) == PaperClaims.restore(json.loads(json.dumps(plain))) == found


CLAIM = ("claims", 0)
SD = ("choices", "R", "alternatives", "sd")
ENTRY = (*CLAIM, "checks", 0)
EXPONENT = check_of(
    "regret", "exponent", {"algorithm": "oful", "settings": ["gaussian", "student_t"]}
)
CONTROL = {"arguments": {"numeratr": "uniform"}}
# A path of keys, the value there (None: no such key), and words of the answer.
BAD_FILES = [
    ((*ENTRY, "quantity"), "regrets", ["quantity", "'regrets'", "did you mean 'regret'", "time, "]),
    ((*ENTRY, "statistic"), "ratios", ["statistic of regret", "did you mean 'ratio'", "exponent"]),
    ((*ENTRY, "quantity"), "agreement", ["statistic of agreement", "'ratio'", "share"]),
    (ENTRY, EXPONENT, ["has the arguments", "allowed: algorithm, settings, points"]),
    (
        (*ENTRY, "arguments"),
        {**CHECK["arguments"], "rival": "oful"},
        ["unknown argument of ratio of regret 'rival'", "numerator"],
    ),
    ((*ENTRY, "arguments", "setting"), None, ["allowed: numerator, denominator, setting"]),
    ((*ENTRY, "each"), {"setting": ["gaussian"]}, ["toy.01.each.setting is given twice"]),
    ((*ENTRY, "control"), CONTROL, ["'control' in a claim"]),
    (
        CLAIM,
        {**FILE["claims"][0], "kind": "guarantee", "checks": [{**CHECK, "control": CONTROL}]},
        ["'numeratr'", "did you mean 'numerator'"],
    ),
    ((*SD, "about"), "Ten.", ["sd.about is 'Ten.'", "a sentence"]),
    ((*SD, "about"), "ten random features.", ["a sentence, from a capital letter"]),
    ((*SD, "name"), " ", ["sd.name is ' '", "not blank"]),
    ((*SD, "name"), "nu; exact", ["sd.name is 'nu; exact'", "without ;"]),
    (("choices", "R", "name"), 'a "scale"', ["R.name is 'a \"scale\"'", "without ;"]),
    ((*CLAIM, "part"), "regret; time", ["claims.0.part is 'regret; time'", "without ;"]),
    (("choices", "R", "alternatives"), {}, ["choices.R", "{}"]),
    ((*ENTRY, "why"), " ", ["checks.0.why is ' '", "not blank"]),
    ((*ENTRY, "bound"), None, ["lacks the key 'bound'"]),
    ((*ENTRY, "relation"), "between", ["bound", "a list of two numbers"]),
    ((*ENTRY, "bound"), [1, 2], ["bound is [1, 2]; allowed: a number"]),
    ((*ENTRY, "bound"), 1.3, ["toy.01", "1.3", "no reason", "why"]),
    ((*ENTRY, "word"), "comparable", ["both 'word' and 'relation'"]),
    (ENTRY, {**WORD, "word": "comparabel"}, ["'comparabel'", "did you mean 'comparable'"]),
    ((*CLAIM, "kind"), "theorem", ["'theorem'", "guarantee"]),
    ((*SD, "status"), "open", ["'open'", "stated, unstated, ours"]),
    ((*CLAIM, "reading"), "ours", ["'ours'", "stated, unstated"]),
    ((*CLAIM, "one_suffices"), ["R"], ["unknown key 'one_suffices'"]),
    ((*CLAIM, "choices"), ["Q"], ["choice", "'Q'", "allowed: R"]),
    (("paper",), "toi", ["'toi'", "allowed: 'toy'"]),
    ((*CLAIM, "id"), "toi.01", ["'toi.01'", "toy.NUMBER"]),
    (("claims",), FILE["claims"] * 2, ["'toy.01' occurs 2 times", "allowed: once"]),
]


@pytest.mark.parametrize(("path", "value", "words"), BAD_FILES, ids=range(len(BAD_FILES)))
def test_a_bad_file_is_refused_in_one_line(write, path, value, words):
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
    shown = {key: CHECK[key] for key in ("quantity", "statistic", "arguments")}
    (found,) = loaded(write, CHECK, {**shown, "status": "ours"})
    assert [check.relation for check in found.readings[0].checks] == ["below", None]


def test_every_word_has_a_bound_and_a_reason():
    words = load_words()
    assert {"comparable", "better", "significant", "not_worse"} <= set(words)
    for word, meaning in words.items():
        assert meaning["why"] and meaning["relation"] in ("below", "above", "between"), word


# Cells.


def loaded(write, *checks, **keys):
    claim = {**FILE["claims"][0], "checks": list(checks), "note": "Why.", **keys}
    return load_claims(write({**FILE, "claims": [claim]})).claims


# Settings and algorithms of checks of cells that may be lacking.
NAMES = ("gaussian", "g", "student_t", "hvt_ucb", "oful", "uniform", "uniforn", "menu")


def trials(number=30, *cells):
    known = [("regret", "gaussian", name) for name in ("hvt_ucb", "oful", "uniform")]
    return dict.fromkeys([*known, *cells], number)


def test_claims_about_what_is_run_often_enough_are_accepted(write):
    check_planned(loaded(write, CHECK), NAMES, trials(10))


SLOPE = check_of(
    "regret",
    "slope",
    {
        "numerator": "hvt_ucb",
        "denominator": "menu",
        "settings": ["gaussian"],
        "points": [1],
    },
)
OVER_SPLITS = check_of(
    "regret",
    "difference",
    {
        "setting": "gaussian",
        "one": "hvt_ucb",
        "other": "oful",
        "since": 0,
        "rounds": "all",
        "folds": 2,
        "repeats": 1,
    },
)
TIMES = {**CHECK, "quantity": "time", "statistic": "ratio"}
THREE = {"algorithm": "oful", "settings": ["gaussian", "g", "student_t"]}
SLIP = {**CHECK, "control": {"arguments": {"numerator": "uniforn"}}}
# Checks, words of the answer, and keys of the claim.
LACKING = [
    ([about(setting="student_t")], ["lane of 'student_t'", "'hvt_ucb'"], {}),
    ([about(denominator="menu")], ["'gaussian'", "'menu'", "hvt_ucb, oful"], {}),
    ([SLOPE], ["'menu'", "log-log slope"], {}),
    ([TIMES], ["timing lane of 'gaussian'", "'hvt_ucb'"], {}),
    ([SLIP], ["'uniforn'", "did you mean 'uniform'"], {"kind": "guarantee"}),
    ([CHECK, {**about(denominator="menu"), "status": "ours"}], ["'menu'"], {}),
    ([OVER_SPLITS], ["regret of hvt_ucb minus", "'rounds': 'all'"], {}),
    ([{**TIMES, "arguments": THREE}], ["settings has 3 names", "allowed: 2"], {}),
    (
        [{**SLOPE, "arguments": {**SLOPE["arguments"], "points": [1, 2]}}],
        ["points has 2 numbers", "allowed: 1, one for each setting"],
        {},
    ),
    ([about(setting="gausian")], ["setting of ratio of regret", "did you mean 'gaussian'"], {}),
    ([about(numerator="hvt")], ["numerator", "'hvt'"], {}),
]


@pytest.mark.parametrize(("checks", "words", "keys"), LACKING, ids=range(len(LACKING)))
def test_cells_that_are_lacking_are_named(write, checks, words, keys):
    found = message(check_planned, loaded(write, *checks, **keys), NAMES, trials())
    assert [word for word in ["toy.01", *words] if word not in found] == []


def test_what_does_not_count_may_have_few_trials(write):
    ours = {**about(denominator="uniform"), "status": "ours"}
    few = trials() | {("regret", "gaussian", "uniform"): 1}
    check_planned(loaded(write, CHECK, ours), NAMES, few)


NOT_RUN = check_of("not_run", "value", {"what": "time"}, "above", 0)
UNRUN = [
    ([about(setting="student_t")], ["'scale sd' (regret/student_t/hvt_ucb"]),
    (
        [about(numerator="ofull", denominator="unifrm")],
        ["'scale sd' (regret/gaussian/ofull", "did you mean 'regret/gaussian/oful'"],
    ),
    ([TIMES], ["'scale sd' (timing/gaussian/hvt_ucb"]),
    ([NOT_RUN], ["no cell is run for reading 'scale sd'; allowed"]),
    ([NOT_RUN, {**CHECK, "status": "ours"}], ["no cell is run for reading 'scale sd'; allowed"]),
]


@pytest.mark.parametrize(("checks", "words"), UNRUN, ids=range(len(UNRUN)))
def test_a_reading_that_no_cell_runs_is_refused(write, checks, words):
    of_nu = {**CHECK, "part": [], **OF_NU}
    found = loaded(write, of_nu, *({**check, "part": [], **OF_SD} for check in checks))
    answer = message(check_run, found, trials())
    assert [word for word in ["toy.01", *words, "'without'"] if word not in answer] == []


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
