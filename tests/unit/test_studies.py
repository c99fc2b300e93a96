"""Studies: what is measured beside the runs, and what is recorded of trials that fail."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from optimist.algorithms import algorithm_class, make_algorithm
from optimist.errors import ConfigError
from optimist.panels.studies import (
    STUDIES,
    accuracy,
    check_studies,
    lemmas,
    of_paper,
    regions,
    sketch_observer,
    starvation,
    starvation_posteriors,
    study_class,
    table_formats,
)
from optimist.panels.studies.base import TRIAL_COLUMNS, Study, watch_trials
from optimist.plan.config import load_paper
from optimist.runs.cell import Cell, build, make_cell
from optimist.runs.loop import Observer, play

SPEC = {
    "lengthscales": [0.1],
    "rounds": [6, 40],
    "grid": 101,
    "deviation": 0.1,
    "q_bar": 5,
    "inducing": 6,
    "features": 20,
    "trials": 3,
}
NO_CAPS = {"trials": None, "rounds": None}


@pytest.fixture(scope="module")
def paper():
    return load_paper("bkb")


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_complete_and_has_the_name_it_is_registered_by(name):
    study = study_class(name)
    assert issubclass(study, Study)
    assert study.name == name
    assert study.__doc__
    assert set(study.tables.values()) <= {"csv", "parquet"}
    assert set(study.facts) <= set(study.tables)
    assert name in study.tables
    assert study.schema["additionalProperties"] is False
    assert study.schema["description"]


def test_every_table_has_one_maker():
    made = [table for name in STUDIES for table in study_class(name).tables]
    assert len(made) == len(set(made)) == len(table_formats())


def test_an_unknown_study_is_refused_with_the_nearest_name(paper):
    with pytest.raises(ConfigError, match=r"unknown study 'acuracy' \(did you mean 'accuracy'"):
        check_studies(paper | {"studies": {"acuracy": {}}})


def test_a_section_stands_under_studies_or_alone(paper):
    section = {**SPEC, "rounds": [2]}
    (study,) = (s for s in of_paper({"studies": {"starvation": section}}) if s.name != "facts")
    assert isinstance(study, starvation.Starvation)
    assert study.section == section
    check_studies({"studies": {"starvation": section}})


def test_a_paper_has_the_studies_that_it_configures(paper):
    names = {study.name for study in of_paper(paper)}
    assert names == {"facts", "accuracy", "starvation"}


# Trials that are watched.


class Fails:
    """Makes a method raise LinAlgError when it is called for the n-th time, and only then."""

    def __init__(self, method, n):
        self.method, self.left = method, n

    def __get__(self, instance, owner):
        return lambda *args, **told: self(instance, *args, **told)

    def __call__(self, instance, *args, **told):
        self.left -= 1
        if self.left == 0:
            raise np.linalg.LinAlgError("singular matrix")
        return self.method(instance, *args, **told)


@pytest.mark.parametrize(
    ("name", "algorithm", "setting", "about"),
    [
        ("lemmas", "hvt_ucb", "student_t", "student_t"),
        ("accuracy", "bkb", "gaussian_d2", "gaussian_d2/bkb"),
    ],
)
def test_a_watched_trial_that_fails_keeps_its_status_and_the_others_stand(
    monkeypatch, name, algorithm, setting, about
):
    paper = load_paper("hvt_ucb" if name == "lemmas" else "bkb")
    cell = make_cell(paper, setting, algorithm)
    study = study_class(name)({"settings": [setting], "trials": 3})
    caps = {"trials": None, "rounds": 30}
    whole = study.tabulate([cell], caps, None)
    cls = algorithm_class(algorithm)
    monkeypatch.setattr(cls, "update", Fails(cls.update, 30 + 6))  # in round 6 of trial 1
    found = study.tabulate([cell], caps, None)
    trials = dict(iter(found[name].groupby("trial")))
    assert set(trials) == {0, 1, 2}
    assert set(trials[1]["status"]) == {"failed: singular matrix"}
    assert trials[1]["round"].tolist() == [1, 2, 3, 4, 5]
    for trial in (0, 2):
        expected = whole[name][whole[name]["trial"] == trial]
        pd.testing.assert_frame_equal(trials[trial], expected.set_index(trials[trial].index))
    # What holds in all trials is not known where one failed.
    facts = found[f"{study.facts[0]}"]
    assert facts["value"].isna().all()
    assert whole[study.facts[0]]["value"].notna().any()
    assert set(facts["setting"]) <= {about}


def test_a_trial_that_fails_at_once_has_one_row_without_values(monkeypatch, paper):
    cell = make_cell(paper, "gaussian_d2", "bkb")
    cls = algorithm_class("bkb")
    monkeypatch.setattr(cls, "select", Fails(cls.select, 1))
    frame = watch_trials([cell], range(2), Watching, ["seen"], rounds=2)
    assert list(frame) == [*TRIAL_COLUMNS, "seen"]
    assert frame["round"].tolist() == [0, 1, 2]
    assert frame["status"].tolist() == ["failed: singular matrix", "ok", "ok"]
    assert frame["seen"].isna().tolist() == [True, False, False]


def test_an_observer_that_fails_ends_the_trial_like_an_algorithm(paper):
    class Failing(Watching):
        def after(self, t, *played):
            super().after(t, *played)
            if t == 3:
                raise ZeroDivisionError("division by zero")

    frame = watch_trials([make_cell(paper, "gaussian_d2", "bkb")], [0], Failing, ["seen"], rounds=9)
    assert frame["seen"].tolist() == [1, 2, 3]
    assert set(frame["status"]) == {"failed: division by zero"}


class Watching(Observer):
    """Counts rounds."""

    def __init__(self, environment, algorithm):
        self.seen = 0

    def after(self, t, *played):
        self.seen += 1

    def columns(self):
        return {"seen": self.seen}


def test_the_region_of_a_trial_that_fails_is_a_row_with_its_status(monkeypatch):
    paper = load_paper("glb_omd")
    (study,) = (s for s in of_paper(paper) if s.name == "regions")
    small = regions.Regions({**study.section, "round": 9, "resolution": 5})
    cls = algorithm_class("glm_ucb")
    monkeypatch.setattr(cls, "update", Fails(cls.update, 6))
    found = small.tabulate(small.cells(paper, ()), NO_CAPS, None)
    by_algorithm = dict(iter(found["regions"].groupby("algorithm")))
    assert {label: len(rows) for label, rows in by_algorithm.items()} == {
        "glb_omd": 25,
        "ofuglb": 25,
        "glm_ucb": 1,
    }
    assert by_algorithm["glm_ucb"]["status"].tolist() == ["failed: singular matrix"]
    assert set(found["region_areas"]["setting"]) == {"glb_omd", "ofuglb"}


# BKB's accuracy.


def watched(cell, trial, rounds):
    """Return what the observer of the sketch saw in one trial, as a frame."""
    columns = sketch_observer.COLUMNS
    return watch_trials([cell], [trial], sketch_observer.SketchObserver, columns, rounds=rounds)


@pytest.mark.parametrize("q_bar", ["theory", 1])
def test_with_the_q_bar_of_theory_the_sketch_is_exact_and_with_one_it_is_not(paper, q_bar):
    cell = make_cell(paper, "gaussian_d2", f"bkb[q_bar={q_bar}]")
    rows = watched(cell, 0, 60)
    last = rows.iloc[-1]
    assert last["round"] == 60
    if q_bar == "theory":
        assert rows["ratio_low"].min() == pytest.approx(1.0, abs=1e-6)
        assert rows["ratio_high"].max() == pytest.approx(1.0, abs=1e-6)
        assert (rows["inducing"] == rows["distinct"]).all()
        assert last["eigenvalue_low"] == pytest.approx(1.0, abs=1e-8)
        assert last["information"] == pytest.approx(last["dimension"])
    else:
        assert last["ratio_high"] > 1.5
        assert last["inducing"] < last["distinct"]
        assert last["eigenvalue_low"] < 0.99
    assert rows["chain"].min() >= 0.0
    assert rows["step_error"].max() < 1e-9
    assert (rows["size_share"] <= 1.0).all()
    assert (rows["regret_share"] <= 1.0).all()


def test_the_regret_bound_is_that_of_the_theorem(paper):
    cell = make_cell(paper, "gaussian_d2", "bkb")
    last = watched(cell, 0, 1).iloc[-1]
    environment, problem = build(cell, 0)
    bkb = make_algorithm("bkb", problem, cell.stream(0, "bkb"))
    played = play(environment, bkb, [1]).columns["regret"][-1]
    # alpha = 3, xi = 0.1, lambda = 0.01, F = 1, delta = 0.1.
    log_t, d = math.log(2), last["dimension"]
    bound = 2 * 6**1.5
    bound *= 0.1 * d * log_t + math.sqrt(0.01 * d * log_t) + 0.1 * math.log(10)
    assert problem.delta == 0.1 and problem.ridge == pytest.approx(0.01)
    assert last["regret_share"] == pytest.approx(played / bound)


def test_the_worst_over_rounds_and_trials_is_the_fact():
    first = watched_frame({name: 1.0 + np.arange(80) for name in sketch_observer.WORST})
    frame = pd.concat([first, first.assign(trial=1, ratio_low=70.0, chain=np.nan)])
    frame["eigenvalue_low"] = np.nan  # not measured
    found = accuracy.facts(frame).set_index("name")
    assert (found["setting"] == "s/bkb").all()
    assert found.loc["accuracy_ratio_low", "value"] == 70.0
    assert found.loc["accuracy_ratio_high", "value"] == 80.0
    # What is not a number in one trial cannot be good in all.
    assert np.isnan(found.loc["accuracy_chain", "value"])
    assert np.isnan(found.loc["accuracy_eigenvalue_low", "value"])


def test_extremes_keep_what_is_not_a_number(paper):
    environment, problem = build(make_cell(paper, "gaussian_d2", "bkb"), 0)
    rng = np.random.default_rng(0)
    watched = sketch_observer.SketchObserver(environment, make_algorithm("bkb", problem, rng))
    for value in (2.0, 3.0, 1.0):
        watched.note(ratio_low=value, ratio_high=value)
    assert watched.worst == {"ratio_low": 1.0, "ratio_high": 3.0}
    watched.note(ratio_low=math.nan)
    watched.note(ratio_low=0.5)
    assert np.isnan(watched.worst["ratio_low"])


def watched_frame(columns, rounds=80):
    t = np.arange(1, rounds + 1)
    grown = {"inducing": 2.0 * np.sqrt(t), "dimension": np.sqrt(t), "distinct": 1.0 * t}
    about = {"setting": "s", "algorithm": "bkb", "trial": 0, "round": t, "status": "ok"}
    return pd.DataFrame({**about, **grown, **columns})


def test_growth_is_from_the_middle_of_a_trial_to_its_end():
    frame = watched_frame({name: np.ones(80) for name in sketch_observer.WORST})
    found = accuracy.facts(frame).set_index("name")["value"]
    # Medians of eleven rounds: of 70 to 80 and of 30 to 40.
    assert found["accuracy_growth_distinct"] == pytest.approx(75 / 35)
    assert found["accuracy_growth_dimension"] == pytest.approx(math.sqrt(75 / 35))
    assert found["accuracy_growth_share"] == pytest.approx(1.0)
    short = watched_frame({name: np.ones(12) for name in sketch_observer.WORST}, rounds=12)
    assert np.isnan(accuracy.facts(short).set_index("name")["value"]["accuracy_growth_share"])


def test_the_radius_share_is_that_of_the_stochastic_parts(paper):
    cell = make_cell(paper, "gaussian_d2", "bkb[radius=paper]")
    last = watched(cell, 0, sketch_observer.SETTLED).iloc[-1]
    tail, log_t = math.log(10), math.log(1 + sketch_observer.SETTLED)
    # alpha = 3, xi = 0.1; squares of what is added to the bias in either radius.
    ours = 4 * 0.01 * (3 * log_t * last["information"] + tail)
    exact = 2 * 0.01 * (last["log_det"] + tail)
    assert last["radius_share"] == pytest.approx(ours / exact / (9 * log_t))


def test_the_sketched_matrix_is_that_of_projected_features(paper):
    # With explicit features: the arms of the linear kernel.
    cell = make_cell(paper, "linear_d10", "bkb[q_bar=0.1]")
    environment, problem = build(cell, 0)
    bkb = make_algorithm("bkb[q_bar=0.1]", problem, cell.stream(0, "bkb"))
    play(environment, bkb, [60])
    X, n = bkb.played.points, bkb.played.counts
    S = X[bkb.drawn]
    assert np.linalg.matrix_rank(S) < 10
    P = np.linalg.pinv(S) @ S
    A = (X.T * n) @ X + 0.01 * np.eye(10)
    sketched = P @ (X.T * n) @ X @ P + 0.01 * np.eye(10)
    values = np.linalg.eigvals(np.linalg.solve(A, sketched)).real
    assert sketch_observer.spectrum(bkb) == pytest.approx((values.min(), values.max()), rel=1e-6)


def test_posteriors_of_figure_2_start_from_one_function_and_one_set_of_observations():
    found = starvation_posteriors.posteriors(SPEC, 0.1, 0)
    assert set(found["method"]) == set(starvation_posteriors.METHODS)
    for _, piece in found.groupby("round"):
        assert piece.groupby("method")["f"].apply(tuple).nunique() == 1
        assert (piece.loc[piece["seen"], "x"] <= 0.5).all()
    exact = found[found["method"] == "exact"]
    np.testing.assert_allclose(exact["deviation"], exact["exact"], atol=1e-12)


def test_bkb_and_dtc_keep_the_prior_far_from_data_and_sor_and_rff_starve():
    facts = starvation.Starvation(SPEC).tabulate([], NO_CAPS, None)["starvation_facts"]
    ratio = facts[facts["name"] == "starvation_ratio"].set_index("setting")["value"]
    assert ratio["bkb/40/0.1"] == pytest.approx(1.0, abs=0.01)
    assert ratio["dtc/40/0.1"] > 0.95
    highest = facts[facts["name"] == "starvation_highest"].set_index("setting")["value"]
    assert highest["dtc/40/0.1"] > 2.0 > highest["bkb/40/0.1"] >= 1.0
    assert ratio["sor/40/0.1"] < 0.5
    assert ratio["rff/40/0.1"] < 0.95


@pytest.mark.parametrize(
    ("section", "changes", "message"),
    [
        ("accuracy", {"algorithms": ["gp_ucb"]}, r"accuracy.algorithms has 'gp_ucb'.*bkb"),
        ("accuracy", {"settings": ["gaussian_d2[subset=5]"]}, "accuracy.settings has.*fixed arms"),
        ("accuracy", {"settings": ["gausian_d2"]}, "unknown setting of bkb.*did you mean 'gauss"),
        ("accuracy", {"trials": 0}, "accuracy: trials is 0; allowed: at least 1"),
        ("accuracy", {"trails": 1}, r"unknown key 'trails'.*did you mean 'trials'"),
        ("starvation", {"rounds": [6, 3]}, r"starvation.rounds is \[6, 3\].*increasing"),
    ],
)
def test_studies_of_what_cannot_be_are_refused(paper, section, changes, message):
    sections = paper["studies"]
    changed = paper | {"studies": sections | {section: sections[section] | changes}}
    with pytest.raises(ConfigError, match=message):
        check_studies(changed)


# The watched lemmas.


def cell(**algorithm):
    spec = {
        "environment": "heavy_tailed",
        "parameters": {"law": "student_t", "shape": 2.1, "epsilon": 0.99},
        "problem": algorithm,
        "horizon": 400,
    }
    return Cell("hvt_ucb", "student_t", "hvt_ucb", spec)


def watched_lemmas(cell, trial, rounds=None):
    return watch_trials([cell], [trial], lemmas.LemmaObserver, lemmas.COLUMNS, rounds=rounds)


def test_lemmas_hold_with_the_radius_of_theory_and_not_with_hardly_any():
    theory = watched_lemmas(cell(radius="theory", factor=1.0), 0)
    last = theory.iloc[-1]
    assert last["round"] == 400
    assert theory["distance"].max() <= last["largest"] <= 1.0
    assert last["bounded"] == 1.0
    tiny = watched_lemmas(cell(radius="shrunk", factor=1e-5), 0, rounds=100)
    assert tiny.iloc[-1]["round"] == 100
    assert tiny.iloc[-1]["largest"] > 1.0


def test_the_watched_distance_and_share_are_those_of_the_definitions():
    shrunk = replace(cell(radius="shrunk", factor=3e-4), algorithm="hvt_ucb[tau_scale=0.005]")
    row = watched_lemmas(shrunk, 1, rounds=60).set_index("round").loc[60]
    environment, problem = build(shrunk, 1)
    algorithm = make_algorithm(shrunk.algorithm, problem)
    held, distances = [], []
    for t in range(60):
        arms = environment.arms(t)
        index = algorithm.select(arms)
        before = algorithm.theta.copy()
        algorithm.update(arms, index, environment.reward(t, index), scale=problem.scale_bound)
        error = abs((before - environment.theta) @ arms[index])
        held.append(2.0 * error <= algorithm.tau * algorithm.sigma)
        move = algorithm.theta - environment.theta
        distances.append(math.sqrt(move @ algorithm.V @ move) / algorithm.beta)
    assert row["bounded"] == np.mean(held) < 1.0
    assert row["distance"] == pytest.approx(distances[-1])
    assert row["largest"] == pytest.approx(max(distances))


def test_facts_of_the_lemmas_are_the_worst_over_trials():
    rows = [
        ("s", 0, 1, 0.5, 1.0),
        ("s", 0, 9, 0.7, 0.9),
        ("s", 1, 1, 0.1, 1.0),
        ("s", 1, 9, 1.2, 0.8),
    ]
    frame = pd.DataFrame(rows, columns=["setting", "trial", "round", "largest", "bounded"])
    found = lemmas.facts(frame.assign(status="ok"))
    assert list(found.itertuples(index=False, name=None)) == [
        ("lemma_largest_distance", "s", 1.2),
        ("lemma_least_bounded_share", "s", 0.8),
        ("lemma_trials_within_radius", "s", 0.5),
    ]
