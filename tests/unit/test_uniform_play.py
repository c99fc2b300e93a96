"""Uniform play that settings share: the options that it does not see, and whose trials are read."""

import inspect
from dataclasses import replace
from functools import cache

import cells
import numpy as np
import pandas as pd
import pytest
from cells import places_of
from claim_tables import check_of, claim_with, document, finals, reading
from toy_environments import ROOT, STAND_IN

from optimist.claims.cells import Cells, Groups
from optimist.claims.planned import check_planned, claim_cells
from optimist.config.load import load_paper, paper_names
from optimist.core.errors import ConfigError
from optimist.core.label import Label
from optimist.core.layout import dataset_in
from optimist.environments import UNSEEN, environment_class, unseen_options
from optimist.experiments.paper import Block
from optimist.experiments.trial_table import TrialTable
from optimist.experiments.trials import Trials, run
from optimist.plan.claims import PlannedClaims, homes_of, learners_of, more_trials, uniform_names


@cache
def planned():
    papers = {name: load_paper(name) for name in paper_names()}
    return PlannedClaims(papers, papers, {})


# Options that uniform play does not see.


@pytest.mark.parametrize("name", UNSEEN)
def test_unseen_options_are_options_of_the_environment_and_not_all_of_them(name):
    options = {*places_of(name)}
    # Regression arms share their options with kernels, but have normal noise alone.
    spare = {"noise"} if name == "regression_arms" else set()
    assert unseen_options(name) - spare <= options
    assert {"delta", "factor"} <= unseen_options(name)
    assert options - unseen_options(name) >= {"horizon"}


# A setting of each environment, and another value of each of its options that are not seen.
OTHER = {
    "glm": (
        "glb_omd/logistic_s3",
        *({"sigma": 2}, {"delta": 0.05}, {"norm_bound": 6}, {"kappa": "ball"}),
        *({"reward_bound": 2}, {"factor": 0.3}),
    ),
    "covertype": (
        "glb_omd/covertype",
        *({"norm_bound": 9}, {"kappa": 20}, {"delta": 0.05}, {"factor": 0.3}),
    ),
    "kernel": (
        "bkb/gaussian_d2",
        *({"deviation": 0.5}, {"noise": "rademacher"}, {"ridge": 1}, {"norm_bound": 2}),
        *({"delta": 0.05}, {"factor": 0.3}),
    ),
    "regression_arms": (
        "bkb/abalone",
        *({"deviation": 0.5}, {"ridge": 1}, {"norm_bound": 2}, {"delta": 0.05}, {"factor": 0.3}),
    ),
    "heavy_tailed": (
        "hvt_ucb/student_t",
        *({"law": "pareto", "shape": 2.5}, {"shape": 3}, {"epsilon": 0.5}, {"nu": "exact"}),
        *({"decades": 1}, {"amplitude": 0}, {"centre": "median"}, {"delta": 0.05}),
        *({"radius": "matched", "factor": 0.3}, {"radius": "shrunk", "factor": 0.3}),
        {"radius": "matched", "relax_sigma_bounds": False},
    ),
}
# One that it does see.
SEEN = {
    "glm": {"norm": 4},
    "kernel": {"lengthscale": 0.1},
    "heavy_tailed": {"dimension": 3},
}
CHANGES = [(name, change) for name, (_, *changes) in OTHER.items() for change in changes]


def regrets(name, **options):
    """Return the regrets of two short trials of uniform play in a setting with these options."""
    paper, _, setting = OTHER[name][0].partition("/")
    changed = ",".join(f"{key}={str(value).lower()}" for key, value in sorted(options.items()))
    cell = load_paper(paper).cell(f"{setting}[{changed}]" if changed else setting, "uniform")
    played = run(Trials("regret", cell, 0, 2, rounds=40), STAND_IN)
    assert {trajectory.status for trajectory in played.values()} == {"ok"}
    return np.array([trajectory.columns["regret"] for trajectory in played.values()])


def test_every_option_that_is_not_seen_has_another_value_here():
    for name, (_, *changes) in OTHER.items():
        tried = {key for change in changes for key in change}
        assert tried == unseen_options(name) & {*places_of(name)}, name
    assert {*OTHER} == {*UNSEEN}


@pytest.mark.parametrize(("name", "change"), CHANGES, ids=str)
def test_uniform_play_is_the_same_whatever_the_options_that_it_does_not_see(name, change):
    np.testing.assert_array_equal(regrets(name), regrets(name, **change))


@pytest.mark.parametrize("name", SEEN)
def test_uniform_play_differs_with_an_option_that_it_sees(name):
    assert not np.array_equal(regrets(name), regrets(name, **SEEN[name]))


CLASSES = """
from optimist.environments.glm import GLMEnvironment

class Silent(GLMEnvironment):
    pass

class Saying(GLMEnvironment):
    unseen = ("sigma", "delta")
"""


def test_a_class_from_elsewhere_lists_them_itself(tmp_path):
    path = tmp_path / "classes.py"
    path.write_text(CLASSES)
    assert unseen_options(f"{path}:Saying") == {"sigma", "delta"}
    assert unseen_options(f"{path}:Silent") == frozenset()


# The committed trials.


@cache
def shared(paper):
    """Return the trials of uniform play in a paper's table, in settings that share it."""
    table = TrialTable(ROOT / "figures" / paper / "trials.parquet")
    found = {}
    for setting, name in planned().document(paper).uniform_names.items():
        cell = table.recorded("regret", setting, "uniform")
        if cell is not None:
            found.setdefault(name, {})[setting] = cell
    return {name: cells for name, cells in found.items() if len(cells) > 1}


def test_some_settings_share_uniform_play_in_the_tables():
    assert any(map(shared, paper_names()))


@pytest.mark.parametrize(
    ("paper", "name"), [(paper, name) for paper in paper_names() for name in shared(paper)]
)
def test_committed_uniform_play_is_the_same_bit_for_bit_in_settings_that_share_it(paper, name):
    cells = [*shared(paper)[name].values()]
    whole = max(cells, key=len)
    for cell in cells:
        number = len(cell)
        assert cell.trial.tolist() == whole.trial[:number].tolist()
        assert cell.status == whole.status[:number]
        for column, values in cell.ends.items():
            if column.startswith("regret"):
                np.testing.assert_array_equal(values, whole.ends[column][:number], strict=True)
        # Tables keep other rounds of other cells; where both have one they agree.
        for trial in range(number):
            rounds, ours, theirs = np.intersect1d(
                cell.rounds[trial], whole.rounds[trial], return_indices=True
            )
            assert len(rounds)
            np.testing.assert_array_equal(
                cell.at["regret"][trial][ours], whole.at["regret"][trial][theirs], strict=True
            )


# Names without the options that are not seen.


def paper_of(*runs, **settings):
    """Return a paper with settings of these environments, and runs (settings, methods, trials)."""
    keys = ("settings", "algorithms", "trials", "group")
    used = (label.partition("[")[0] for run in runs for label in run[0])
    named = dict.fromkeys(used, "heavy_tailed") | settings
    documents = {name: {"environment": one, "horizon": 5} for name, one in named.items()}
    return cells.paper_of("toy", documents, [dict(zip(keys, one, strict=False)) for one in runs])


def test_names_lack_the_options_that_uniform_play_does_not_see():
    paper = paper_of(noisy="heavy_tailed", box="test_functions", arms="glm")
    labels = [
        *("noisy", "noisy[factor=0.3,radius=matched]", "noisy[decades=2.5,horizon=9]"),
        *("noisy[dimension=3,factor=0.3]", "box", "box[dimension=3]", "arms[factor=0.1,norm=5]"),
    ]
    assert uniform_names(paper, labels) == {
        "noisy": "noisy",
        "noisy[factor=0.3,radius=matched]": "noisy",
        "noisy[decades=2.5,horizon=9]": "noisy[horizon=9]",
        "noisy[dimension=3,factor=0.3]": "noisy[dimension=3]",
        "box": "box",
        "box[dimension=3]": "box[dimension=3]",
        "arms[factor=0.1,norm=5]": "arms[norm=5]",
    }


RADII = ["noisy", "noisy[factor=0.3,radius=matched]", "noisy[factor=0.1,radius=matched]"]
NAMES = {
    **dict.fromkeys(RADII, "noisy"),
    "lonely": "lonely",
    "noisy[horizon=9]": "noisy[horizon=9]",
}


@pytest.mark.parametrize(
    ("trials", "home"),
    [
        ((10, 20, 5), RADII[1]),
        ((20, 10, 5), RADII[0]),
        ((None, 10, 20), RADII[2]),
        # Of as many, the last name.
        ((10, 10, 5), RADII[1]),
    ],
)
def test_the_home_of_uniform_play_is_the_setting_with_most_planned_trials(trials, home):
    runs = [
        ([setting], ["a", "uniform"], number)
        for setting, number in zip(RADII, trials, strict=True)
        if number
    ]
    # More trials of another method, or of a setting with other uniform play, change nothing.
    runs += [([RADII[2]], ["a"], 99), (["noisy[horizon=9]"], ["uniform"], 50)]
    found = homes_of(paper_of(*runs), NAMES)
    assert found == {**dict.fromkeys(RADII, home), "noisy[horizon=9]": "noisy[horizon=9]"}


@pytest.mark.parametrize("paper", paper_names())
def test_homes_are_alike_and_play_uniformly(paper):
    own, document = load_paper(paper), planned().document(paper)
    homes = homes_of(own, document.uniform_names)
    numbers = {
        setting.label: block.trials
        for block in own.runs
        if "uniform" in block.algorithms
        for setting in block.settings
    }
    for setting, home in homes.items():
        names = document.uniform_names
        others = [s for s, name in names.items() if name == names[setting]]
        assert home in others
        assert numbers[home] == max(numbers.get(other, 0) for other in others)
        assert homes[home] == home


# What reads it.


def test_of_settings_that_share_it_the_one_with_most_trials_is_read():
    tables = {
        "finals": pd.concat(
            [
                finals(RADII[0], "uniform", [1.0] * 9),
                finals(RADII[1], "uniform", [2.0] * 12),
                finals(RADII[2], "uniform", [3.0] * 11),
                finals(RADII[0], "a", [4.0] * 5),
                finals("lonely", "uniform", [5.0] * 3),
            ]
        )
    }
    groups = Groups(tables, NAMES)
    cells = Cells(groups)
    for setting in RADII:
        assert groups.place("finals", (setting, "uniform")) == (RADII[1], "uniform")
        assert groups.number("regret", setting, "uniform") == 12
        (rows,) = cells.complete("finals", "regret", (setting, "uniform"))
        assert rows["regret"].tolist() == [2.0] * 12
    # Curves and ends are of the same trials, and turns of the timing lane are not shared.
    assert groups.place("regrets", (RADII[0], "uniform")) == (RADII[1], "uniform")
    assert groups.place("times", (RADII[0], "uniform")) == (RADII[0], "uniform")
    assert groups.place("finals", (RADII[1], "a")) == (RADII[1], "a")
    assert groups.number("regret", "lonely", "uniform") == 3
    assert groups.number("regret", "noisy[horizon=9]", "uniform") == 0
    alone = Groups(tables)
    assert alone.number("regret", RADII[0], "uniform") == 9


def test_claims_ask_for_uniform_play_at_home():
    ratio = {"setting": RADII[0], "numerator": "a", "denominator": "b"}
    written = claim_with(reading(check_of("regret", "ratio", ratio)))
    (claim,) = document(written).claims
    homes = dict.fromkeys(RADII, RADII[1])
    cells = {("regret", RADII[0], name) for name in "ab"} | {("regret", RADII[1], "uniform")}
    assert claim_cells(claim, homes) == cells
    assert more_trials({"toy": [claim]}, {"toy.01": 40}, {"toy": homes}) == {
        "toy": dict.fromkeys(cells, 40)
    }
    assert ("regret", RADII[0], "uniform") in claim_cells(claim)


def test_a_claim_on_uniform_play_needs_it_only_at_home():
    ratio = {"setting": RADII[0], "numerator": "a", "denominator": "uniform"}
    claims = document(claim_with(reading(check_of("regret", "ratio", ratio)))).claims
    names = {RADII[0], "a", "uniform"}
    trials = {("regret", RADII[0], "a"): 10, ("regret", RADII[1], "uniform"): 10}
    check_planned(claims, names, trials, {RADII[0]: RADII[1]})
    with pytest.raises(ConfigError, match="'uniform'"):
        check_planned(claims, names, trials)


# The methods that open gates.


def test_learners_are_the_methods_of_counted_readings_in_the_papers_own_runs():
    def of(top, bottom="b", **keys):
        return check_of(
            "regret", "ratio", {"setting": "here", "numerator": top, "denominator": bottom}, **keys
        )

    claims = document(
        claim_with(reading(of("a"), of("a[tuned=true]"), {**of("seen"), "status": "ours"})),
        claim_with(
            reading(of("b"), name="R"),
            reading(of("ours"), name="S", status="ours"),
            id="toy.02",
        ),
        claim_with(reading(of("uniform")), id="toy.03"),
    ).claims
    everybody = ["a", "a[tuned=true]", "a[tuned=false]", "b", "seen", "ours", "uniform", "greedy"]
    paper = paper_of(
        (["here", "there"], ["uniform", "b", "a"], 10, "paper"),
        (["there"], everybody, 20),
        (["here"], everybody, 10, "variants"),
        here="glm",
    )
    assert learners_of(paper, claims) == {"here": ["a", "b"], "there": ["a", "a[tuned=true]", "b"]}


@pytest.mark.parametrize("paper", paper_names())
def test_learners_of_the_papers_are_played_in_their_settings(paper):
    learners = planned().document(paper).learners
    played = {}
    for block in load_paper(paper).runs:
        for setting in block.settings:
            played.setdefault(setting.label, set()).update(block.algorithms)
    assert any(learners.values())
    for setting, names in learners.items():
        assert {*names} <= played[setting] - {"uniform"}
        assert len({*names}) == len(names)


def test_a_users_changes_add_no_learners():
    papers = {name: load_paper(name) for name in paper_names()}
    usual = papers["glb_omd"]
    block = Block([usual.setting("logistic_s3")], [Label.parse("ecolog[radius=older]")], 10)
    added = replace(usual, runs=[*usual.runs, block])
    changed = PlannedClaims({**papers, "glb_omd": added}, papers, {})
    own = planned().document("glb_omd").learners
    assert changed.document("glb_omd").learners == own


def test_data_sets_of_these_settings_have_stand_ins():
    for name, (setting, *_) in OTHER.items():
        paper, _, label = setting.partition("/")
        found = load_paper(paper).setting(label)
        assert found.environment == name
        assert not found.dataset or dataset_in(STAND_IN, found.dataset).is_file()
        assert not inspect.isabstract(environment_class(name))
