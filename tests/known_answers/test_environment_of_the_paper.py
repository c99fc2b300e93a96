"""The identified environment: kappa as the paper prints it, and what follows from it."""

import math
from functools import partial

import numpy as np
import pytest
from toy_environments import papers

from optimist.environments import make_environment
from optimist.experiments.play_trial import build
from optimist.experiments.trials import Trials, run
from optimist.numerics import seeding

(PAPER,) = (p for p in papers() if p.id == "glb_omd")


def setting(name):
    return PAPER.cell(name, "rs_glincb[constants=practical]")


@pytest.mark.parametrize(
    ("link", "norm", "kappa"),
    [
        ("logistic", 3, "21.0"),
        ("logistic", 5, "137.1"),
        ("logistic", 7, "963.3"),
        ("logistic", 9, "6842.8"),
        ("poisson", 3, "18.3"),
        ("poisson", 5, "127.0"),
        ("poisson", 7, "881.8"),
        ("poisson", 9, "6122"),
    ],
)
def test_kappa(link, norm, kappa):
    problem = build(setting(f"{link}_s{norm}"), 0)[1]
    digits = len(kappa.partition(".")[2])
    assert f"{problem.kappa:.{digits}f}" == kappa
    assert problem.norm_bound == norm


def test_extremes_and_direction():
    environment = build(setting("logistic_s3"), 0)[0]
    predictors = np.array([environment.arms(t) @ environment.theta for t in range(3000)]) / 3.0
    assert round(predictors.max(), 6) == 0.981185
    assert round(predictors.min(), 6) == -0.968854
    # The draws that decide kappa, counted arm by arm from 0 or from 1.
    assert predictors.argmin() in (15776, 15777)
    assert predictors.argmax() in (31689, 31690)
    expected = [0.0960, 0.5938, 0.2468, 0.0833, -0.7552]
    np.testing.assert_allclose(environment.theta / 3.0, expected, atol=5e-5)


def test_kappa_over_the_ball_is_larger():
    environment = build(setting("logistic_s3"), 0)[0]
    assert environment.kappa("ball") == pytest.approx(2.0 + 2.0 * math.cosh(3.0))
    assert environment.kappa("parameter") < environment.kappa("arms") < environment.kappa("ball")


@pytest.mark.parametrize(
    ("link", "longest", "norm", "kappa"),
    [
        ("logistic", 0.9811, 3, 21.0),
        ("logistic", 0.9811, 5, 137.1),
        ("logistic", 0.9811, 7, 963.3),
        ("poisson", 0.9689, 3, 18.3),
        ("poisson", 0.9689, 5, 127.0),
        ("poisson", 0.9689, 7, 881.8),
    ],
)
@pytest.mark.parametrize("trial", [0, 7])
def test_calibrated_pools_give_the_reported_kappa(link, longest, norm, kappa, trial):
    environment = make_environment(
        "glm",
        horizon=5,
        trial=trial,
        stream=partial(seeding.stream, "p", "s", trial),
        link=link,
        norm=norm,
        dimension=2,
        redrawn=False,
        instance="per_trial",
        longest=longest,
    )
    assert environment.kappa("arms") == pytest.approx(kappa, rel=2e-3)


@pytest.mark.parametrize(
    ("name", "rounds"),
    [
        ("logistic_s3", 28),
        ("logistic_s5", 858),
        ("logistic_s7", 3000),
        ("logistic_s9", 3000),
    ],
)
def test_warm_up_rounds_of_rs_glincb_in_the_default_environment(name, rounds):
    # The threshold and the arms decide the count; rewards do not enter.
    trajectory = run(Trials("timing", setting(name), 0, 1))[0]
    assert trajectory.columns["warm_up_rounds"][-1] == rounds
    assert trajectory.status == "ok"


@pytest.mark.parametrize(("name", "rounds"), [("pool_logistic_s3", 4), ("pool_logistic_s7", 1884)])
def test_warm_up_rounds_of_rs_glincb_in_a_fixed_pool(name, rounds):
    trajectory = run(Trials("timing", setting(name), 0, 1))[0]
    assert trajectory.columns["warm_up_rounds"][-1] == pytest.approx(rounds, rel=0.1, abs=1)
