"""Coverage and regret of GLB-OMD in the default environment, with fixed seeds."""

import numpy as np
import pytest

from optimist.config.load import load_paper
from optimist.core.label import Label
from optimist.experiments.cell import Cell
from optimist.experiments.trials import Trials, run

pytestmark = pytest.mark.statistical
PAPER = load_paper("glb_omd")


def play(setting, algorithm, trials, rounds=None):
    cell = Cell(PAPER.setting(setting), Label.parse(algorithm))
    trajectories = run(Trials("regret", cell, 0, trials, rounds=rounds))
    assert {t.status for t in trajectories.values()} == {"ok"}
    return [t.columns for t in trajectories.values()]


@pytest.mark.parametrize("setting", ["logistic_s3", "poisson_s3"])
def test_the_set_holds_the_parameter(setting):
    # delta = 0.01; 5 % of 100 trials is far more than Monte-Carlo noise allows.
    runs = play(setting, "glb_omd[regularisation=theory]", 100, rounds=300)
    assert sum(not columns["covered"][-1] for columns in runs) <= 5


@pytest.mark.parametrize(
    ("setting", "regret"),
    [("logistic_s3", 169), ("logistic_s5", 121), ("logistic_s7", 81), ("logistic_s9", 58)],
)
def test_regret_is_that_of_the_prototype_and_grows_ever_slower(setting, regret):
    # The prototype's means are over 5 reward streams, whose range is within 7 %; these are over 10.
    runs = play(setting, "glb_omd", 10)
    assert np.mean([columns["regret"][-1] for columns in runs]) == pytest.approx(regret, rel=0.07)
    rounds = np.array(runs[0]["round"])
    mean = np.mean([columns["regret"] for columns in runs], axis=0)
    thirds = [np.interp(t, rounds, mean) for t in (1000, 2000, 3000)]
    assert thirds[0] > thirds[1] - thirds[0] > thirds[2] - thirds[1] > 0.0


def test_projections_are_neither_absent_nor_the_rule():
    (columns,) = play("logistic_s3", "glb_omd", 1)
    assert 0.02 <= columns["projections"][-1] / 3000 <= 0.25


def test_the_one_pass_estimate_beats_uniform_play_by_far():
    # Uniform play: regret 1119 at S = 3 after 3000 rounds.
    regrets = [c["regret"][-1] for c in play("logistic_s3", "glb_omd", 2, rounds=1500)]
    assert np.mean(regrets) < 0.3 * 1119 / 2
