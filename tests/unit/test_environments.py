"""Details of the two environments that the contract does not cover."""

import math
from functools import partial

import numpy as np
import pytest
from toy_environments import STAND_IN

from optimist.core.errors import ConfigError
from optimist.environments import make_environment
from optimist.environments.glm import draw_instance
from optimist.numerics import seeding


def glm(trial=0, horizon=40, **parameters):
    values = {"link": "logistic", "norm": 3.0} | parameters
    stream = partial(seeding.stream, "paper", "setting", trial)
    return make_environment("glm", horizon=horizon, trial=trial, stream=stream, **values)


def test_the_order_of_the_draws_is_that_of_the_public_environment():
    # Drawn again here, one number at a time, as the specification words it.
    rng = np.random.default_rng(7)
    direction = rng.uniform(-1.0, 1.0, 3)
    direction /= np.sqrt((direction**2).sum())
    arms = []
    for _ in range(2 * 4):
        normals = np.array([rng.standard_normal() for _ in range(3)])
        arms.append(normals / np.sqrt((normals**2).sum()) * rng.uniform() ** (1.0 / 3.0))
    drawn_direction, drawn = draw_instance((7,), 3, 4, 2)
    np.testing.assert_allclose(drawn_direction, direction, rtol=1e-14)
    np.testing.assert_allclose(drawn.reshape(-1, 3), arms, rtol=1e-13)


def test_instances_are_shared_or_each_trial_s_own():
    a, b = glm(trial=0), glm(trial=1)
    np.testing.assert_array_equal(a.theta, b.theta)
    np.testing.assert_array_equal(a.arms(3), b.arms(3))
    a, b = (glm(trial=t, instance="per_trial") for t in (0, 1))
    assert np.abs(a.theta - b.theta).max() > 0.01
    assert np.abs(a.arms(0) - b.arms(0)).max() > 0.01


def test_redrawn_and_fixed_arms():
    assert np.abs(glm().arms(0) - glm().arms(1)).max() > 0.01
    fixed = glm(redrawn=False)
    np.testing.assert_array_equal(fixed.arms(0), fixed.arms(39))
    assert fixed.problem().fixed_arms
    assert not glm().problem().fixed_arms


def test_the_longest_arm_of_a_rescaled_pool():
    pool = glm(redrawn=False, longest=0.9811).arms(0)
    assert np.linalg.norm(pool, axis=1).max() == pytest.approx(0.9811, rel=1e-12)


def test_the_parameter_has_the_norm_and_the_means_follow_the_link():
    environment = glm(norm=5.0)
    assert np.linalg.norm(environment.theta) == pytest.approx(5.0)
    z = [
        float(sum(a * b for a, b in zip(x, environment.theta, strict=True)))
        for x in environment.arms(2)
    ]
    np.testing.assert_allclose(environment.means(2), [1.0 / (1.0 + math.exp(-v)) for v in z])


def test_the_three_kappas():
    # The longest arm is 1/2 and S = 2: over the ball kappa is 2 + 2 cosh 1, over unit arms
    # 2 + 2 cosh 2; at the parameter it is smaller than both.
    environment = glm(norm=2.0, redrawn=False, longest=0.5)
    assert environment.kappa("arms") == pytest.approx(2.0 + 2.0 * math.cosh(1.0))
    assert environment.kappa("ball") == pytest.approx(2.0 + 2.0 * math.cosh(2.0))
    slopes = environment.means(0) * (1.0 - environment.means(0))
    assert environment.kappa("parameter") == pytest.approx(1.0 / slopes.min())
    assert environment.kappa("parameter") <= environment.kappa("arms")


def test_poisson_kappa_looks_at_the_smallest_mean():
    environment = glm(link="poisson", norm=2.0)
    assert environment.kappa() == pytest.approx(
        1.0 / min(environment.means(t).min() for t in range(40))
    )


def test_an_algorithm_may_be_told_a_larger_norm_but_not_a_smaller_one():
    assert glm().problem().norm_bound == 3.0
    assert glm().problem(norm_bound=4.0).norm_bound == 4.0
    for key, value, message in (
        ("norm_bound", 2.9, r"norm_bound is 2\.9.*at least the true norm 3"),
        ("kappa", "bal", "did you mean 'ball'"),
        ("delta", 2.0, "delta is 2"),
    ):
        with pytest.raises(ConfigError, match=message):
            glm().problem(**{key: value})


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"link": "probit"}, "probit"),
        ({"norm": 0}, "norm is 0"),
        ({"arms": 0}, r"shape \(0, 5\)|arms is 0"),
        ({"arms": 2.5}, "arms is 2.5"),
        ({"dimension": 0}, "dimension is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"longest": 1.2, "redrawn": False}, r"norm 1\.2"),
        ({"longest": 0.0}, "longest is 0"),
        ({"instance": "per_tral"}, "did you mean 'per_trial'"),
        ({"redrawn": "no"}, "redrawn is 'no'"),
    ],
)
def test_impossible_environments_are_refused(parameters, message):
    with pytest.raises(ConfigError, match=message):
        glm(**parameters)


def covertype(trial=0, horizon=50, path=STAND_IN / "covertype.csv"):
    stream = partial(seeding.stream, "paper", "setting", trial)
    return make_environment("covertype", horizon=horizon, trial=trial, stream=stream, dataset=path)


def test_covertype_rewards_are_zeros_and_ones():
    environment = covertype()
    rewards = {
        environment.reward(t, k) for t in range(50) for k in range(len(environment.means(0)))
    }
    assert rewards == {0.0, 1.0}
