"""Studies: what is measured beside the runs, and what is recorded of trials that fail."""

import importlib
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cells import made

from optimist.algorithms import algorithm_class, make_algorithm
from optimist.config.checks import check_studies
from optimist.config.documents import Source
from optimist.config.load import load_paper
from optimist.core.errors import ConfigError
from optimist.core.label import Label
from optimist.environments.observer import Observer
from optimist.experiments.cell import Cell
from optimist.experiments.loop import rounds_of
from optimist.experiments.play_trial import build
from optimist.figures.studies import (
    STUDIES,
    accuracy,
    dimension,
    lemmas,
    of_paper,
    oracle,
    passes,
    regions,
    starvation,
    study_class,
    table_names,
    tables,
)
from optimist.figures.studies.base import TRIAL_COLUMNS, thinned, watch_trials
from optimist.numerics.likelihood import Likelihood, minimise
from optimist.numerics.network import TwoLayerNetwork
from optimist.numerics.seeding import stream
from optimist.plan.study import make

SPEC = {
    "lengthscales": [0.1],
    "rounds": [6, 40],
    "grid": 101,
    "deviation": 0.1,
    "q_bars": [5, 2],
    "inducing": 6,
    "features": [20, 10],
    "trials": 3,
}
SUBSET = "gaussian_d2[subset=5]"  # of changing arms


@pytest.fixture(scope="module")
def paper():
    return load_paper("bkb")


def test_a_paper_has_the_studies_that_it_configures_and_every_table_has_one_maker(paper):
    made = [table for name in STUDIES for table in study_class(name).tables]
    assert made == [t for names in table_names().values() for t in names]
    assert len(made) == len(set(made))
    assert {study.name for study in of_paper(paper)} == {
        *("facts", "accuracy", "dimension", "starvation")
    }


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
    cell = paper.cell(setting, algorithm)
    study = study_class(name)({"settings": [setting], "trials": 3}, {"rounds": 30})
    whole = study.tabulate([cell])
    cls = algorithm_class(algorithm)
    monkeypatch.setattr(cls, "update", Fails(cls.update, 30 + 6))  # in round 6 of trial 1
    found = study.tabulate([cell])
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
    cell = paper.cell("gaussian_d2", "bkb")
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

    frame = watch_trials([paper.cell("gaussian_d2", "bkb")], [0], Failing, ["seen"], rounds=9)
    assert frame["seen"].tolist() == [1, 2, 3]
    assert set(frame["status"]) == {"failed: division by zero"}


def test_watched_trials_are_thinned_one_by_one():
    long = pd.DataFrame({"trial": 0, "round": np.arange(1, 1001), "seen": np.arange(1, 1001)})
    ended = pd.DataFrame({"trial": 1, "round": [0], "seen": [np.nan]})
    frame = pd.concat([long, ended], ignore_index=True).assign(setting="s", algorithm="a")
    kept = thinned(frame)
    of_first = kept[kept["trial"] == 0]
    assert {1, 25, 500, 1000} <= {*of_first["round"]}
    assert len(of_first) <= 60
    assert (of_first["seen"] == of_first["round"]).all()
    assert kept["round"].tolist()[-1] == 0
    assert thinned(kept).equals(kept)


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
    found = small.tabulate(small.cells(paper, ()))
    by_algorithm = dict(iter(found["regions"].groupby("algorithm")))
    assert {label: len(rows) for label, rows in by_algorithm.items()} == {
        "glb_omd": 25,
        "ofuglb": 25,
        GLM_UCB: 1,
    }
    assert by_algorithm[GLM_UCB]["status"].tolist() == ["failed: singular matrix"]
    assert set(found["region_areas"]["setting"]) == {"glb_omd", "ofuglb"}


# Costs of an update and of a pass.


def test_every_dimension_has_an_update_in_every_turn():
    study = study_class("scaling")({"dimensions": [2, 5, 9], "turns": 3})
    found = study.tabulate([])["scaling"]
    counts = found.groupby(["dimension", "part"])["repetition"].apply(list)
    assert {key: sorted(turns) for key, turns in counts.items()} == {
        (d, part): [0, 1, 2] for d in (2, 5, 9) for part in ("rank_one", "projection")
    }
    assert (found["seconds"] > 0.0).all()
    # The order within a turn is drawn: three turns do not all have the same.
    orders = found.groupby("repetition")["dimension"].apply(lambda d: tuple(d.iloc[::2]))
    assert len(set(orders)) > 1


# The forms whose estimates are in no ball.
GLM_UCB = "glm_ucb[projection=false,radius=logdet]"
RS_GLINCB = "rs_glincb[constants=practical]"
REFITS = {
    "setting": "student_t[factor=0.3,horizon=500,radius=matched]",
    "algorithms": ["heavy_oful", "heavy_oful[solver=gd_cold]", "heavy_oful[solver=irls]", "tofu"],
    "lengths": [60, 500],
    "turns": 2,
}
PASSES = {
    "setting": "logistic_s3",
    "algorithms": [GLM_UCB, RS_GLINCB, "ofuglb"],
    "lengths": [50, 400],
    "turns": 2,
}


def test_a_short_run_has_histories_shorter_in_proportion():
    section = {**PASSES, "lengths": [50, 400, 1000]}
    for rounds, lengths in {
        None: [50, 400, 1000],
        2000: [50, 400, 1000],
        100: [10, 40, 100],
    }.items():
        assert passes.Passes(section, {"rounds": rounds}).lengths == lengths
    study = passes.Passes(section, {"trials": 2, "rounds": 20})
    found = study.tabulate(study.cells(load_paper("glb_omd"), ()))["passes"]
    assert set(found["length"]) == {10, 20}


@pytest.mark.parametrize(
    ("name", "estimate"),
    [(GLM_UCB, "estimate"), ("ofuglb", "estimate"), (RS_GLINCB, "switch_estimate")],
)
def test_the_estimate_of_a_stored_history_is_that_of_the_method_itself(name, estimate):
    environment, problem = build(load_paper("glb_omd").cell("logistic_s3", name), 0)
    (history,) = passes.stored_histories(environment, problem, [120]).values()
    algorithm = make_algorithm(name, problem)
    algorithm.threshold = np.inf  # no warm-up
    arms = history.features
    rng = np.random.default_rng(0)
    rewards = problem.link.sample(rng, problem.link.mean(arms @ environment.theta))
    for t in range(120):
        algorithm.update(arms, t, rewards[t])
    algorithm.select(environment.arms(0))  # RS-GLinCB fits when it must choose
    played = problem.new_history("raw")
    played.extend(arms, rewards)
    ridge, ball = passes.ESTIMATES[name](problem, 120)
    fitted, _ = minimise(Likelihood(problem.link, played, ridge), np.zeros(5), ball)
    np.testing.assert_allclose(getattr(algorithm, estimate), fitted, atol=1e-5)


@pytest.mark.parametrize(("name", "section"), [("glb_omd", PASSES), ("hvt_ucb", REFITS)])
def test_every_method_estimates_from_every_length_in_every_turn(name, section):
    paper, study = load_paper(name), passes.Passes(section)
    study.check(paper)
    table = study.tabulate(study.cells(paper, ()))["passes"]
    assert len(table) == len(section["algorithms"]) * 2 * 2
    assert set(table["setting"]) == {section["setting"]}
    assert not table.duplicated(["algorithm", "length", "repetition"]).any()
    assert sorted(table["repetition"].unique()) == [0, 1]
    assert (table["seconds"] > 0.0).all()
    counts = table.set_index("algorithm")["passes"]
    assert (
        counts[[*PASSES["algorithms"]] if name == "glb_omd" else ["heavy_oful"]]
        .between(2, 12)
        .all()
    )
    if name == "hvt_ucb":
        assert set(counts["tofu"]) == {1}
        assert (counts[["heavy_oful[solver=gd_cold]", "heavy_oful[solver=irls]"]] > 1).all()
    # The solver is the same in every turn, and so is the number of its passes.
    assert (table.groupby(["algorithm", "length"])["passes"].nunique() == 1).all()


@pytest.mark.parametrize("name", ["heavy_oful", "tofu"])
def test_the_estimate_of_a_stored_history_is_that_after_as_many_rounds(name):
    environment, problem = build(load_paper("hvt_ucb").cell(REFITS["setting"], name), 0)
    histories = passes.stored_algorithms(environment, problem, [name], [60, 500])
    played = make_algorithm(name, problem)
    rng = stream("refits", "arms")
    for t, index in enumerate(rng.integers(50, size=500)[:60]):
        told = environment.context(t)
        played.update(environment.arms(t), index, environment.reward(t, index), **told)
    assert (histories[name, 60].t, histories[name, 500].t) == (60, 500)
    np.testing.assert_allclose(histories[name, 60].estimate, played.estimate, atol=1e-12)


def test_an_estimate_that_does_not_converge_has_no_time(monkeypatch):
    environment, problem = build(load_paper("hvt_ucb").cell(REFITS["setting"], "tofu"), 0)
    (algorithm,) = passes.stored_algorithms(environment, problem, ["heavy_oful"], [60]).values()
    monkeypatch.setitem(
        passes.SOLVERS, "newton", lambda regression, start, accuracy: (start, False)
    )
    with pytest.raises(RuntimeError, match="heavy_oful after 60 rounds did not converge"):
        passes.refit_cost(Label("heavy_oful"), algorithm)


# BKB's accuracy.


def watched(cell, trial, rounds):
    """Return what the observer of the sketch saw in one trial, as a frame."""
    columns = accuracy.COLUMNS
    return watch_trials([cell], [trial], accuracy.SketchObserver, columns, rounds=rounds)


@pytest.mark.parametrize("q_bar", ["theory", 1])
def test_with_the_q_bar_of_theory_the_sketch_is_exact_and_with_one_it_is_not(paper, q_bar):
    cell = paper.cell("gaussian_d2", f"bkb[q_bar={q_bar}]")
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
    cell = paper.cell("gaussian_d2", "bkb")
    last = watched(cell, 0, 1).iloc[-1]
    environment, problem = build(cell, 0)
    bkb = make_algorithm("bkb", problem, cell.stream(0, "bkb"))
    played = rounds_of(environment, bkb).run([1]).columns["regret"][-1]
    # alpha = 3, xi = 0.1, lambda = 0.01, F = 1, delta = 0.1.
    log_t, d = math.log(2), last["dimension"]
    bound = 2 * 6**1.5
    bound *= 0.1 * d * log_t + math.sqrt(0.01 * d * log_t) + 0.1 * math.log(10)
    assert problem.delta == 0.1 and problem.ridge == pytest.approx(0.01)
    assert last["regret_share"] == pytest.approx(played / bound)


def test_the_worst_over_rounds_and_trials_is_the_fact():
    first = watched_frame({name: 1.0 + np.arange(80) for name in accuracy.WORST})
    frame = pd.concat([first, first.assign(trial=1, ratio_low=70.0, chain=np.nan)])
    frame["eigenvalue_low"] = np.nan  # not measured
    found = accuracy.facts(frame).set_index("name")
    assert (found["setting"] == "s/bkb").all()
    assert found.loc["accuracy_ratio_low", "value"] == 70.0
    assert found.loc["accuracy_ratio_high", "value"] == 80.0
    # What is not a number in one trial cannot be good in all.
    assert np.isnan(found.loc["accuracy_chain", "value"])
    assert np.isnan(found.loc["accuracy_eigenvalue_low", "value"])


def test_the_price_of_an_accuracy_is_that_of_the_formulas():
    found = accuracy.price(0.5).set_index("name")["value"]
    # q-bar is 6 alpha log(4 T / delta) / epsilon^2, a round costs its square, the bound alpha^1.5.
    assert found["price_alpha"] == pytest.approx(3.0)
    assert found["price_sketch"] == pytest.approx(12.0)
    assert found["price_round"] == pytest.approx(144.0)
    assert found["price_regret"] == pytest.approx(math.sqrt(27.0))


def test_extremes_keep_what_is_not_a_number(paper):
    environment, problem = build(paper.cell("gaussian_d2", "bkb"), 0)
    rng = np.random.default_rng(0)
    watched = accuracy.SketchObserver(environment, make_algorithm("bkb", problem, rng))
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
    frame = watched_frame({name: np.ones(80) for name in accuracy.WORST})
    found = accuracy.facts(frame).set_index("name")["value"]
    # Medians of eleven rounds: of 70 to 80 and of 30 to 40.
    assert found["accuracy_growth_distinct"] == pytest.approx(75 / 35)
    assert found["accuracy_growth_dimension"] == pytest.approx(math.sqrt(75 / 35))
    assert found["accuracy_growth_share"] == pytest.approx(1.0)
    short = watched_frame({name: np.ones(12) for name in accuracy.WORST}, rounds=12)
    assert np.isnan(accuracy.facts(short).set_index("name")["value"]["accuracy_growth_share"])


def test_the_radius_share_is_that_of_the_stochastic_parts(paper):
    cell = paper.cell("gaussian_d2", "bkb[radius=paper]")
    last = watched(cell, 0, accuracy.SETTLED).iloc[-1]
    tail, log_t = math.log(10), math.log(1 + accuracy.SETTLED)
    # alpha = 3, xi = 0.1; squares of what is added to the bias in either radius.
    ours = 4 * 0.01 * (3 * log_t * last["information"] + tail)
    exact = 2 * 0.01 * (last["log_det"] + tail)
    assert last["radius_share"] == pytest.approx(ours / exact / (9 * log_t))


def test_the_sketched_matrix_is_that_of_projected_features(paper):
    # With explicit features: the arms of the linear kernel.
    cell = paper.cell("linear_d10", "bkb[q_bar=0.1,radius=practical]")
    environment, problem = build(cell, 0)
    bkb = make_algorithm("bkb[q_bar=0.1,radius=practical]", problem, cell.stream(0, "bkb"))
    rounds_of(environment, bkb).run([60])
    X, n = bkb.played.points, bkb.played.counts
    S = X[bkb.drawn]
    assert np.linalg.matrix_rank(S) < 10
    P = np.linalg.pinv(S) @ S
    A = (X.T * n) @ X + 0.01 * np.eye(10)
    sketched = P @ (X.T * n) @ X @ P + 0.01 * np.eye(10)
    values = np.linalg.eigvals(np.linalg.solve(A, sketched)).real
    assert accuracy.spectrum(bkb) == pytest.approx((values.min(), values.max()), rel=1e-6)


@pytest.fixture(scope="module")
def starved():
    return starvation.Starvation(SPEC).tabulate([])


def test_posteriors_of_figure_2_start_from_one_function_and_one_set_of_observations():
    found = starvation.posteriors(SPEC, 0.1, 0)
    assert set(found["method"]) == set(starvation.methods(SPEC))
    for _, piece in found.groupby("round"):
        assert piece.groupby("method")["f"].apply(tuple).nunique() == 1
        assert (piece.loc[piece["seen"], "x"] <= 0.5).all()
    exact = found[found["method"] == "exact"]
    np.testing.assert_allclose(exact["deviation"], exact["exact"], atol=1e-12)


def test_bkb_and_dtc_keep_the_prior_far_from_data_and_sor_and_rff_starve(starved):
    facts = starved["starvation_facts"]
    ratio = facts[facts["name"] == "starvation_ratio"].set_index("setting")["value"]
    assert ratio["bkb_5/40/0.1"] == pytest.approx(1.0, abs=0.01)
    assert ratio["dtc/40/0.1"] > 0.9
    highest = facts[facts["name"] == "starvation_highest"].set_index("setting")["value"]
    assert highest["dtc/40/0.1"] > 4.0 > highest["bkb_5/40/0.1"] >= 1.0
    assert ratio["sor/40/0.1"] < 0.25
    assert ratio["rff_20/40/0.1"] < 0.9
    assert ratio["rff_10/40/0.1"] < ratio["rff_20/40/0.1"]


def test_the_trials_behind_the_facts_of_figure_2_are_kept(starved):
    trials = starved["starvation_trials"].set_index(["algorithm", "round", "trial"]).sort_index()
    assert len(trials) == len(starvation.methods(SPEC)) * 2 * 3
    facts = starved["starvation_facts"].set_index(["name", "setting"])["value"].sort_index()
    far = trials.loc[("sor", 40), "ratio"]
    assert facts["starvation_ratio", "sor/40/0.1"] == pytest.approx(far.median())
    assert facts["starvation_highest", "sor/40/0.1"] == trials.loc[("sor", 40), "highest"].max()
    assert set(trials["setting"]) == {"6/0.1", "40/0.1"}
    assert {"40/0.1", "sor", "sor/40/0.1"} <= starvation.Starvation(SPEC).about()
    # A variance, and not a deviation.
    curves = starved["starvation"]
    piece = curves[(curves["method"] == "sor") & (curves["round"] == 40) & (curves["x"] >= 0.6)]
    expected = (piece["deviation"] ** 2 / piece["exact"] ** 2).median()
    assert far.loc[0] == pytest.approx(expected)


# The effective dimension.


def test_the_effective_dimension_is_that_of_the_arms_played(paper):
    cell = paper.cell("gaussian_d2", "bkb[q_bar=2]")
    frame = watch_trials([cell], [0], dimension.DimensionObserver, dimension.COLUMNS, rounds=60)
    environment, problem = build(cell, 0)
    bkb = make_algorithm("bkb[q_bar=2]", problem, cell.stream(0, "bkb"))
    rounds_of(environment, bkb).run([60])
    X, n = bkb.played.points, bkb.played.counts
    K = np.sqrt(n)[:, None] * problem.kernel(X, X) * np.sqrt(n)
    expected = np.trace(K @ np.linalg.inv(K + 0.01 * np.eye(len(n))))
    last = frame.iloc[-1]
    assert last["dimension"] == pytest.approx(expected, rel=1e-8)
    assert (last["inducing"], last["distinct"]) == (len(bkb.drawn), len(n))
    # Shares of the bound of Theorem 4.1, which the study of accuracy computes as well.
    other = watched(cell, 0, 60).iloc[-1]
    assert last["regret_share"] == pytest.approx(other["regret_share"], rel=1e-8)
    f = environment.means(0)
    first = frame.iloc[0]
    bound = first["regret"] / first["regret_share"]
    assert first["uniform_share"] == pytest.approx((f.max() - f.mean()) / bound)


def test_blocks_of_the_dimension_have_their_own_trials(paper):
    block = {"settings": ["gaussian_d1"], "algorithms": ["bkb"], "trials": 3}
    other = {"settings": ["linear_d10"], "algorithms": ["dtc_ucb[size=5]"], "trials": 1}
    study = dimension.Dimension({"blocks": [block, other]}, {"trials": 2, "rounds": 30})
    assert "dimension" in study.about()
    cells = study.cells(paper, ())
    found = study.tabulate(cells)["dimension"]
    found = found[found["round"] == 30]
    assert found.groupby("setting", sort=False).size().to_dict() == {
        "gaussian_d1": 2,
        "linear_d10": 1,
    }
    # The theorem is about BKB.
    assert found.set_index("setting")["regret_share"].isna().tolist() == [False, False, True]


# The watched lemmas.


def cell(**algorithm):
    spec = {
        "environment": "heavy_tailed",
        "parameters": {"law": "student_t", "shape": 2.1, "epsilon": 0.99},
        "problem": algorithm,
        "horizon": 400,
    }
    return made("hvt_ucb", "student_t", "hvt_ucb", spec)


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
    shrunk = replace(
        cell(radius="shrunk", factor=3e-4), algorithm=Label.parse("hvt_ucb[tau_scale=0.005]")
    )
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
        ("s", 0, 1, 0.5, 1.0, 0.2, 3.0),
        ("s", 0, 9, 0.7, 0.9, 0.3, 2.0),
        ("s", 1, 1, 0.1, 1.0, 0.1, 9.0),
        ("s", 1, 9, 1.2, 0.8, 0.2, 4.0),
    ]
    columns = ["setting", "trial", "round", "largest", "bounded", "regret_share", "void"]
    frame = pd.DataFrame(rows, columns=columns)
    found = lemmas.facts(frame.assign(status="ok"))
    assert list(found.itertuples(index=False, name=None)) == [
        ("lemma_largest_distance", "s", 1.2),
        ("lemma_least_bounded_share", "s", 0.8),
        ("lemma_trials_within_radius", "s", 0.5),
        ("theorem_regret_over_bound", "s", 0.3),
        ("theorem_bound_over_worst", "s", 2.0),
    ]


@pytest.mark.parametrize("scale", ["round", "bound"])
def test_the_bound_on_regret_is_that_of_the_proof(scale):
    base = cell(radius="theory", factor=1.0).setting
    wide = replace(base, parameters={**base.parameters, "decades": 1.0})
    watched = Cell(wide, Label.parse(f"hvt_ucb[scale={scale}]"))
    environment, problem = build(watched, 2)
    T, d, nus = 400, 2, [environment.context(t)["scale"] for t in range(400)]
    if scale == "bound":
        nus = [problem.scale_bound] * 400
    log_term, power = math.log(8 * T * 2 * T**2), 0.01 / (2 * 1.99)
    kappa = d * math.log(1 + T**2 / (4 * d * d))
    tau_0 = math.sqrt(2 * kappa) * math.log(3 * T) ** power / log_term ** (1 / 1.99)
    c = math.sqrt(6 * d) / tau_0 + 107 * log_term
    bounds, squares = [], 0.0
    for t in range(T):
        squares += nus[t] ** 2 + 1 / T
        beta = 107 * log_term * tau_0 * (t + 1) ** power + math.sqrt(6 * d)
        terms = math.sqrt(2 * kappa) * math.sqrt(squares) + c * kappa / math.sqrt(d)
        bounds.append(4 * beta * terms)
    last = watched_lemmas(watched, 2).iloc[-1]
    rounds = np.arange(1, T + 1)
    assert last["void"] == pytest.approx(min(bounds / (2.0 * rounds)), rel=1e-12)
    regrets = {}
    algorithm = make_algorithm(watched.algorithm, problem)
    for row in rounds_of(environment, algorithm).run(rounds.tolist()).rows:
        regrets[row["round"]] = row["regret"]
    shares = [regrets[t] / bounds[t - 1] for t in rounds]
    assert last["regret_share"] == pytest.approx(max(shares), rel=1e-12)


# Oracle.


def test_the_oracle_is_compared_with_the_truth():
    go = load_paper("go_ucb")
    cells = [
        go.cell("net[horizon=65,initial=64]", label)
        for label in ("go_ucb", "go_ucb[oracle=exact,unit_weights=true]")
    ]
    label = cells[0].setting.label
    section = {"settings": [label], "algorithms": ["go_ucb"], "trials": 2}
    tables = oracle.Oracle(section).tabulate(cells)
    watched, found = tables["oracle"], tables["oracle_facts"]
    assert list(watched.columns) == [*TRIAL_COLUMNS, *oracle.COLUMNS]
    assert (watched["initial"] == 64).all()
    share = watched.groupby("algorithm")["share"].max()
    assert share["go_ucb"] == pytest.approx(1.0, abs=1e-6)
    assert share[cells[1].algorithm] < 0.01
    value = found.set_index(["name", "setting"])["value"]
    assert value["oracle_second_term_power", label] == 2.0
    mean = watched[watched["algorithm"] == cells[1].algorithm]["distance"].mean()
    assert value["oracle_distance", f"{label}/{cells[1].algorithm}"] == mean


def test_distances_do_not_mind_the_order_of_units():
    network = TwoLayerNetwork(2, 3)
    theta = np.random.default_rng(0).random(network.size)
    moved = theta.copy()
    moved_layers, layers = network.layers(moved[None]), network.layers(theta[None])
    for new, old in zip(moved_layers[:3], layers[:3], strict=True):
        new[0] = old[0][[2, 0, 1]]
    assert oracle.distance(network, moved, theta) == 0.0
    moved[-1] += 0.5
    assert oracle.distance(network, moved, theta) == pytest.approx(0.25)
    large = TwoLayerNetwork(2)
    assert math.isnan(oracle.distance(large, np.zeros(large.size), np.zeros(large.size)))


# What cannot be.


@pytest.mark.parametrize(
    ("paper", "section", "changes", "message"),
    [
        ("bkb", "acuracy", {}, r"unknown study 'acuracy' \(did you mean 'accuracy'"),
        ("bkb", "accuracy", {"algorithms": ["gp_ucb"]}, "accuracy.algorithms has 'gp_ucb'.*bkb"),
        ("bkb", "accuracy", {"settings": [SUBSET]}, "accuracy.settings has.*fixed arms"),
        ("bkb", "accuracy", {"settings": ["gausian_d2"]}, "of bkb.*did you mean 'gauss"),
        ("bkb", "accuracy", {"trials": 0}, "^runs.yaml: studies.accuracy.trials is 0; allowed"),
        ("bkb", "accuracy", {"trails": 1}, "unknown key 'trails'.*did you mean 'trials'"),
        ("bkb", "starvation", {"rounds": [6, 3]}, r"starvation.rounds is \[6, 3\].*increasing"),
        ("bkb", "dimension", {"algorithms": ["gp_ucb"]}, "blocks has 'gp_ucb'; allowed: bkb, dtc"),
        ("bkb", "dimension", {"settings": [SUBSET]}, "dimension.blocks has.*fixed arms"),
        ("bkb", "dimension", {"algorithms": ["bkb"] * 2}, "gaussian_d1/bkb' twice; allowed: once"),
        ("bkb", "dimension", {"trials": 0}, "trials is 0; allowed: at least 1"),
        ("go_ucb", "oracle", {"algorithms": ["gp_ei"]}, "oracle.algorithms has 'gp_ei'.*: go"),
        ("go_ucb", "oracle", {"algorithms": ["go_ucb[variant=tuned]"]}, "oracle.algorithms"),
        ("go_ucb", "oracle", {"settings": ["f2"]}, "oracle.settings has 'f2'; .* network"),
        ("glb_omd", "passes", {"algorithms": ["tofu"]}, "has 'tofu'; allowed: glm"),
        ("hvt_ucb", "passes", REFITS | {"algorithms": ["hvt_ucb"]}, "allowed: heavy_oful, tofu"),
    ],
)
def test_studies_of_what_cannot_be_are_refused(paper, section, changes, message):
    paper = load_paper(paper)
    known = {"passes": PASSES} | paper.studies
    asked = known.get(section, {}) | changes
    if section == "dimension":
        block = {"settings": ["gaussian_d1"], "algorithms": ["bkb"], "trials": 1}
        asked = {"blocks": [block | changes]}
    with pytest.raises(ConfigError, match=message):
        check_studies(replace(paper, studies={section: asked}), Source("runs.yaml"))


# The job of a study.


@pytest.mark.parametrize("reads", [False, True])
def test_the_file_of_a_study_lists_what_it_read(reads, paper, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.csv").write_text("1\n")
    Path("data").mkdir()
    Path("data/known.csv").write_text("1\n")
    Path("script.py").write_text("1\n")
    monkeypatch.setattr(sys, "argv", ["script.py"])
    tabulate = accuracy.Accuracy.tabulate

    modules = ("optimist.numerics.nystrom", *["optimist.data.prepare"] * reads)
    for name in modules:
        monkeypatch.delitem(sys.modules, name, raising=False)

    def reading(self, *arguments):
        for name in ("script.py", "data/known.csv", *["own.csv"] * reads):
            Path(name).read_text()
        for name in modules:
            importlib.import_module(name)
        return tabulate(self, *arguments)

    monkeypatch.setattr(accuracy.Accuracy, "tabulate", reading)
    section = {"settings": ["gaussian_d2"], "trials": 1}
    spec = {"study": "accuracy", "section": section, "digest": "0" * 16}
    spec["cells"] = [paper.cell("gaussian_d2", "bkb").describe()]
    make(spec | {"caps": {"trials": 1, "rounds": 5}}, "results/study.parquet", "data")
    about = tables.read("results/study.parquet")[1]
    found = {kind: [*digests] for kind, digests in about["observed"].items()}
    seen = {"modules": ["optimist.data.prepare"], "files": ["own.csv"]}
    assert found == (seen if reads else {})
