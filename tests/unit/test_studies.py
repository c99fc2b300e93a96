"""Studies: what BKB's accuracy and the starvation of variances are measured by."""

import math

import numpy as np
import pandas as pd
import pytest

from optimist.algorithms import make_algorithm
from optimist.errors import ConfigError
from optimist.panels.studies import FACTS, STUDIES, TABLES, accuracy, of_paper, starvation
from optimist.plan.config import load_paper
from optimist.runs.cell import build
from optimist.runs.loop import play
from optimist.runs.trials import make_cell

SPEC = {
    "lengthscales": [0.1],
    "rounds": [6, 40],
    "grid": 101,
    "deviation": 0.1,
    "q_bar": 5,
    "inducing": 6,
    "features": 20,
    "trials": 3,
    "limits": {"trials": None, "rounds": None},
}


@pytest.fixture(scope="module")
def paper():
    return load_paper("bkb")


def test_every_table_has_one_maker_and_facts_are_tables():
    made = [name for study in STUDIES.values() for name in study.tables]
    assert len(made) == len(set(made)) == len(TABLES)
    assert set(FACTS) <= set(TABLES)


def test_a_paper_has_the_studies_that_it_configures(paper):
    names = {study.name for study in of_paper(paper)}
    assert names == {"facts", "accuracy", "starvation"}


@pytest.mark.parametrize("q_bar", ["theory", 1])
def test_with_the_q_bar_of_theory_the_sketch_is_exact_and_with_one_it_is_not(paper, q_bar):
    cell = make_cell(paper, "gaussian_d2", f"bkb[q_bar={q_bar}]")
    rows = pd.DataFrame(accuracy.watch(cell, 0, 60))
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
    last = accuracy.watch(cell, 0, 1)[-1]
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


def test_extremes_keep_what_is_not_a_number():
    watched = accuracy._Watched(None, None)
    for value in (2.0, 3.0, 1.0):
        watched.note(ratio_low=value, ratio_high=value)
    assert watched.worst == {"ratio_low": 1.0, "ratio_high": 3.0}
    watched.note(ratio_low=math.nan)
    watched.note(ratio_low=0.5)
    assert np.isnan(watched.worst["ratio_low"])


def watched_frame(columns, rounds=80):
    t = np.arange(1, rounds + 1)
    grown = {"inducing": 2.0 * np.sqrt(t), "dimension": np.sqrt(t), "distinct": 1.0 * t}
    about = {"setting": "s", "algorithm": "bkb", "trial": 0, "round": t}
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
    cell = make_cell(paper, "gaussian_d2", "bkb[radius=paper]")
    last = accuracy.watch(cell, 0, accuracy.SETTLED)[-1]
    tail, log_t = math.log(10), math.log(1 + accuracy.SETTLED)
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
    assert accuracy.spectrum(bkb) == pytest.approx((values.min(), values.max()), rel=1e-6)


def test_posteriors_of_figure_2_start_from_one_function_and_one_set_of_observations():
    found = starvation.posteriors(SPEC, 0.1, 0)
    assert set(found["method"]) == set(starvation.METHODS)
    for _, piece in found.groupby("round"):
        assert piece.groupby("method")["f"].apply(tuple).nunique() == 1
        assert (piece.loc[piece["seen"], "x"] <= 0.5).all()
    exact = found[found["method"] == "exact"]
    np.testing.assert_allclose(exact["deviation"], exact["exact"], atol=1e-12)


def test_bkb_and_dtc_keep_the_prior_far_from_data_and_sor_and_rff_starve():
    facts = starvation.tabulate(SPEC, None)["starvation_facts"]
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
        ("accuracy", {"settings": ["subsets"]}, "accuracy.settings has 'subsets'.*fixed arms"),
        ("starvation", {"rounds": [6, 3]}, r"starvation.rounds is \[6, 3\].*increasing"),
    ],
)
def test_studies_of_what_cannot_be_are_refused(paper, section, changes, message):
    changed = paper | {section: paper[section] | changes}
    with pytest.raises(ConfigError, match=message):
        STUDIES[section].load().check(changed)
