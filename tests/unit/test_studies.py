"""Studies: what BKB's accuracy and the starvation of variances are measured by."""

import numpy as np
import pandas as pd
import pytest

from optimist.config import load_paper
from optimist.errors import ConfigError
from optimist.experiment import make_cell
from optimist.studies import FACTS, STUDIES, TABLES, accuracy, of_paper, starvation

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
        # A projection takes away from the exact matrix.
        assert last["eigenvalue_low"] < 0.99
    assert rows["chain"].min() >= 0.0
    assert rows["step_error"].max() < 1e-9
    assert (rows["size_share"] <= 1.0).all()


def test_the_worst_over_rounds_and_trials_is_the_fact():
    frame = pd.DataFrame({name: [1.0, 2.0, 3.0] for name in accuracy.WORST})
    frame = frame.assign(setting="s", algorithm="bkb")
    found = accuracy.facts(frame).set_index("name")
    assert (found["setting"] == "s/bkb").all()
    assert found.loc["accuracy_ratio_low", "value"] == 1.0
    assert found.loc["accuracy_ratio_high", "value"] == 3.0


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
