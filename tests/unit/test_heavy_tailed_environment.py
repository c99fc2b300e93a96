"""The heavy-tailed environments, and what algorithms are told of them."""

import json
import math
from functools import partial

import numpy as np
import pytest

from optimist.algorithms import make_algorithm
from optimist.core.errors import ConfigError
from optimist.environments import make_environment
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem
from optimist.numerics import seeding
from optimist.numerics.noise import make_law


def environment(trial=0, horizon=60, name="setting", **parameters):
    values = {"law": "student_t", "shape": 2.1, "epsilon": 0.99} | parameters
    stream = partial(seeding.stream, "paper", name, trial)
    return make_environment("heavy_tailed", horizon=horizon, trial=trial, stream=stream, **values)


def noise(env):
    return [env.reward(t, 0) - env.means(t)[0] for t in range(env.horizon)]


def test_arms_and_parameter_are_scaled_to_the_unit_ball():
    for key, lengths in (("max", 1), ("each", 50)):
        env = environment(arm_norm=key)
        norms = np.linalg.norm(env.arms(0), axis=1)
        assert norms.max() == pytest.approx(1.0)
        assert np.isclose(norms, 1.0).sum() == lengths
        assert np.linalg.norm(env.theta) == pytest.approx(1.0)
        np.testing.assert_allclose(env.means(0), env.arms(0) @ env.theta)


def test_settings_of_one_noise_differ_in_what_they_change_only():
    plain, scaled, quiet = environment(), environment(decades=2.0), environment(amplitude=0.5)
    np.testing.assert_array_equal(plain.arms(0), scaled.arms(0))
    scales = np.array(noise(scaled)) / np.array(noise(plain))
    assert scales.min() >= 1.0 - 1e-9 and scales.max() <= 100.0 * (1.0 + 1e-9)
    np.testing.assert_allclose(noise(quiet), 0.5 * np.array(noise(plain)), atol=1e-12)
    assert noise(environment(amplitude=0)) == [0.0] * 60
    subset = environment(subset=20)
    np.testing.assert_allclose(noise(subset), noise(plain), atol=1e-12)


def test_what_is_told_is_the_scale_of_the_round():
    env = environment(decades=1.5, epsilon=0.5, amplitude=3.0)
    nu = make_law("student_t", 2.1).root(1.5)
    told = np.array([env.context(t)["scale"] for t in range(60)])
    factors = np.array(noise(env)) / np.array(noise(environment(epsilon=0.5)))
    np.testing.assert_allclose(told, nu * factors, rtol=1e-6)
    problem = env.problem()
    assert problem.scale_bound == pytest.approx(nu * 3.0 * 10.0**1.5)
    assert told.max() <= problem.scale_bound
    assert problem.deviation == pytest.approx(math.sqrt(21.0) * 3.0 * 10.0**1.5)


def test_nu_may_be_what_a_paper_says():
    env = environment(nu=1.31)
    assert env.context(3) == {"scale": 1.31}
    assert env.problem().scale_bound == 1.31
    assert env.facts()["nu_exact"] == pytest.approx(4.3878, rel=1e-4)
    assert env.facts()["absolute_moment"] == pytest.approx(1.3573, rel=1e-4)


def test_subsets_are_drawn_anew_without_repetition_and_regret_is_theirs():
    env = environment(subset=20)
    pools = [{tuple(x) for x in env.arms(t)} for t in range(60)]
    everything = {tuple(x) for x in environment().arms(0)}
    assert all(len(pool) == 20 and pool <= everything for pool in pools)
    assert len({frozenset(pool) for pool in pools}) == 60
    assert not env.problem().fixed_arms and environment().problem().fixed_arms
    for t in (0, 7):
        best = int(np.argmax(env.means(t)))
        assert env.regret(t, best) == 0.0


def test_an_instance_is_that_of_the_trial_or_one_that_all_trials_and_laws_share():
    own = [environment(trial=i) for i in (0, 1)]
    assert not np.array_equal(own[0].theta, own[1].theta)
    kept = {"instance": "shared", "seed": 3}
    shared = [environment(trial=0, **kept), environment(trial=1, **kept)]
    shared.append(environment(name="other", law="normal", shape=None, epsilon=1, **kept))
    for env in shared[1:]:
        np.testing.assert_array_equal(env.theta, shared[0].theta)
        np.testing.assert_array_equal(env.arms(0), shared[0].arms(0))
    assert not np.array_equal(environment(instance="shared").theta, shared[0].theta)
    for trial in (0, 1):  # the noise is that of the trial, whatever the instance
        np.testing.assert_allclose(noise(shared[trial]), noise(own[trial]), atol=1e-12)


def test_median_centred_noise_differs_by_the_gap_of_mean_and_median():
    pareto = {"law": "pareto", "shape": 1.5, "epsilon": 0.4}
    shift = np.array(noise(environment(**pareto, centre="median"))) - noise(environment(**pareto))
    np.testing.assert_allclose(shift, 3.0 - 2.0 ** (2.0 / 3.0), atol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"epsilon": 1.49}, "epsilon is 1.49.*at most 1"),
        ({"law": "cauchy"}, "unknown noise law 'cauchy'"),
        ({"shape": 1.0}, "shape is 1.0.*above 1"),
        ({"shape": None}, "needs a shape"),
        ({"law": "pareto", "shape": 1.5, "epsilon": 0.5}, "epsilon is 0.5.*below 0.5"),
        ({"nu": "exakt"}, "nu is 'exakt'"),
        ({"decades": 400.0}, "decades is 400.*a number, at least 0, at most 100"),
        ({"amplitude": math.inf}, "amplitude is inf.*at least 0, at most 1e"),
        ({"centre": "mode"}, "centre is 'mode'"),
        ({"subset": 51}, "subset is 51; allowed: at most the number of arms, 50"),
        ({"instance": "fixed"}, "instance is 'fixed'"),
    ],
)
def test_impossible_environments_are_refused(parameters, message):
    with pytest.raises(ConfigError, match=message):
        environment(**parameters)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"radius": "theoretical"}, "radius is 'theoretical'"),
        ({"factor": 0.3}, "factor is 0.3.*allowed if radius is 'theory': 1"),
        ({"relax_sigma_bounds": "no"}, "relax_sigma_bounds is 'no'"),
        ({"scale_bound": -1.0}, "scale_bound is -1"),
        ({"epsilon": 1.69}, "epsilon is 1.69"),
    ],
)
def test_impossible_problems_are_refused(changes, message):
    values = {"dimension": 2, "horizon": 100, "epsilon": 0.9, "scale_bound": 1.0}
    with pytest.raises(ConfigError, match=message):
        HeavyTailedProblem(**(values | changes))


def test_defaults_of_the_problem():
    problem = environment(horizon=1000).problem()
    assert problem.delta == 1.0 / 8000.0
    assert (problem.radius, problem.factor) == ("theory", 1.0)
    assert not problem.relax_sigma_bounds
    assert environment().problem(radius="matched").relax_sigma_bounds
    assert environment().problem(radius="matched").factor == 1.0
    json.dumps(vars(problem) | {"deviation": None})


def test_oful_refuses_a_deviation_that_does_not_exist():
    problem = environment(law="pareto", shape=1.5, epsilon=0.4).problem()
    with pytest.raises(ConfigError, match=r"R is 'sd'.*allowed.*nu, unit"):
        make_algorithm("oful[R=sd]", problem)
