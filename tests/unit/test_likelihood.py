"""Likelihoods against explicit sums, finite differences and generic minimisers."""

import math

import numpy as np
import pytest
from toy_environments import random_arms

from optimist.core.errors import ConfigError
from optimist.numerics.likelihood import History, Likelihood, descend, minimise
from optimist.numerics.links import Gaussian, make_link

LOG_PARTITION = {
    "logistic": lambda z: math.log1p(math.exp(z)),
    "poisson": math.exp,
    "gaussian": lambda z: 0.5 * z * z,
}
LINKS = [make_link("logistic"), make_link("poisson"), Gaussian(0.5)]
each_link = pytest.mark.parametrize("link", LINKS, ids=lambda link: link.name)


def played(link, mode="raw", n=40, K=6, d=3, seed=0):
    """Return a history and the (arm, reward) pairs in it."""
    rng = np.random.default_rng(seed)
    arms = random_arms(rng, K, d)
    history, pairs = History(d, mode), []
    for _ in range(n):
        k = int(rng.integers(K))
        reward = float(link.sample(rng, link.mean(arms[[k]] @ np.full(d, 0.5)))[0])
        history.append(k, arms[k], reward)
        pairs.append((arms[k], reward))
    return history, pairs


def explicit(link, pairs, ridge, tilt, theta):
    total = 0.5 * ridge * sum(t * t for t in theta) - sum(tilt * theta)
    for x, r in pairs:
        z = float(sum(x * theta))
        total += (LOG_PARTITION[link.name](z) - r * z) / link.dispersion
    return total


@each_link
@pytest.mark.parametrize("mode", ["raw", "aggregated"])
def test_values_are_the_sum_of_the_losses(link, mode):
    history, pairs = played(link, mode)
    tilt = np.array([0.1, -0.2, 0.3])
    likelihood = Likelihood(link, history, ridge=0.7, tilt=tilt)
    thetas = np.random.default_rng(1).standard_normal((5, 3))
    expected = [explicit(link, pairs, 0.7, tilt, theta) for theta in thetas]
    assert len(history.weights) == (40 if mode == "raw" else 6)
    np.testing.assert_allclose(likelihood.values(thetas), expected, rtol=1e-11)
    np.testing.assert_allclose(likelihood.derivatives(thetas)[0], expected, rtol=1e-11)


@each_link
@pytest.mark.parametrize("mode", ["raw", "aggregated"])
def test_gradients_and_hessians_by_finite_differences(link, mode):
    likelihood = Likelihood(link, played(link, mode)[0], ridge=0.3)
    theta, h = np.array([0.4, -0.3, 0.8]), 1e-5
    steps = h * np.eye(3)
    _, gradient, hessian = likelihood.at(theta)
    slope = (likelihood.values(theta + steps) - likelihood.values(theta - steps)) / (2.0 * h)
    np.testing.assert_allclose(gradient, slope, atol=1e-6)
    np.testing.assert_allclose(likelihood.gradients(theta[None])[0], slope, atol=1e-6)
    bend = (likelihood.gradients(theta + steps) - likelihood.gradients(theta - steps)) / (2.0 * h)
    np.testing.assert_allclose(hessian, bend, atol=1e-6)


@each_link
@pytest.mark.parametrize("radius", [None, 0.4, 3.0])
def test_minimisers_meet_the_optimality_conditions(link, radius):
    # With a ridge of 1 the gradient bounds the distance to the minimiser.
    for seed in range(12):
        likelihood = Likelihood(link, played(link, seed=seed)[0], ridge=1.0)
        theta, converged = minimise(likelihood, np.zeros(3), radius)
        assert converged
        gradient, rho = likelihood.gradients(theta[None])[0], 0.0
        if radius is not None and np.linalg.norm(theta) > radius * (1.0 - 1e-9):
            assert np.linalg.norm(theta) == pytest.approx(radius, rel=1e-12)
            rho = -float(gradient @ theta) / radius**2
            assert rho >= 0.0
        np.testing.assert_allclose(gradient + rho * theta, 0.0, atol=1e-10)
        same, derivatives, _ = descend(likelihood, np.zeros(3), likelihood.at(np.zeros(3)), radius)
        np.testing.assert_allclose(same, theta, rtol=0, atol=1e-10)
        for got, expected in zip(derivatives, likelihood.at(same), strict=True):
            np.testing.assert_array_equal(got, expected)


def test_bytes_count_rows_in_use():
    raw, aggregated = History(3, "raw"), History(3, "aggregated")
    sizes = []
    for _ in range(3):
        for history in (raw, aggregated):
            history.append(0, np.ones(3), 1.0)
        sizes.append((raw.nbytes, aggregated.nbytes))
    # d + d^2 + 1 = 13 numbers a row.
    assert np.diff([r for r, _ in sizes]).tolist() == [104, 104]
    assert np.diff([a for _, a in sizes]).tolist() == [0, 0]


def test_separable_data_without_a_ridge_stop_at_the_ball():
    link, history = make_link("logistic"), History(1)
    for _ in range(20):
        history.append(0, np.ones(1), 1.0)
    theta, converged = minimise(Likelihood(link, history), np.zeros(1), 3.0)
    assert converged
    assert theta == pytest.approx([3.0], abs=1e-9)


def test_a_poisson_start_far_from_the_minimum_does_not_overflow():
    link, history = make_link("poisson"), History(1)
    for reward in (200.0, 180.0):
        history.append(0, np.ones(1), reward)
    theta, converged = minimise(Likelihood(link, history, ridge=1e-6), np.zeros(1))
    assert converged
    assert theta == pytest.approx([math.log(190.0)], abs=1e-6)


def test_unknown_mode_is_refused():
    with pytest.raises(ConfigError, match=r"'rwa'.*raw, aggregated"):
        History(2, "rwa")


def test_a_history_that_is_extended_is_one_that_was_played():
    rng = np.random.default_rng(2)
    rows, rewards = random_arms(rng, 40, 3), rng.standard_normal(40)
    played, stored = History(3), History(3)
    for i in range(40):
        played.append(i, rows[i], rewards[i])
    stored.append(0, rows[0], rewards[0])
    stored.extend(rows[1:30], rewards[1:30])
    stored.extend(rows[30:], rewards[30:])
    assert (len(stored.weights), stored.plays, stored.nbytes) == (40, 40, played.nbytes)
    assert stored.longest == pytest.approx(played.longest)
    np.testing.assert_allclose(stored.reward_sum, played.reward_sum, rtol=1e-12)
    np.testing.assert_array_equal(played.features, rows)
    products = np.einsum("nd,ne->nde", rows, rows).reshape(40, 9)
    np.testing.assert_allclose(played.products, products)
    for name in ("features", "products", "weights"):
        np.testing.assert_array_equal(getattr(stored, name), getattr(played, name))
    for each in (played, stored):  # and both grow on
        each.append(0, rows[7], 1.0)
    np.testing.assert_array_equal(stored.features, played.features)
