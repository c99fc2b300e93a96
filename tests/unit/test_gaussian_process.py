"""Posteriors against dense formulas, and what the theory says of exact variances."""

import numpy as np
import pytest

from optimist.numerics.gaussian_process import (
    DistinctPosterior,
    ExactPosterior,
    GrowingCholesky,
    dense_posterior,
)
from optimist.numerics.kernels import GaussianKernel, LinearKernel, Matern12

RIDGE = 0.04
KERNELS = {"gaussian": GaussianKernel(0.3), "matern12": Matern12(0.5), "linear": LinearKernel()}


def history(rounds, points=25, seed=0):
    """Return points, indices of observations with repetition, and rewards."""
    rng = np.random.default_rng(seed)
    return rng.random((points, 2)), rng.integers(points, size=rounds), rng.standard_normal(rounds)


def by_inverse(kernel, X, observed, y, ridge):
    """Mean, function variance and log-determinant by explicit inverses."""
    K = kernel(observed, observed)
    inverse = np.linalg.inv(K + ridge * np.eye(len(y)))
    k = kernel(observed, X)
    var_f = kernel.diagonal(X) - np.einsum("ta,ts,sa->a", k, inverse, k)
    return y @ inverse @ k, var_f, np.linalg.slogdet(K / ridge + np.eye(len(y)))[1]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("rounds", [1, 40, 60])
def test_every_posterior_is_the_dense_one(name, rounds):
    kernel = KERNELS[name]
    X, chosen, y = history(rounds)
    mean, var_f, log_det = by_inverse(kernel, X, X[chosen], y, RIDGE)
    exact, growing = ExactPosterior(kernel, X, RIDGE), GrowingCholesky(kernel, RIDGE)
    recalled = ExactPosterior(kernel, X, RIDGE, recall=True)
    distinct = DistinctPosterior(kernel, X, RIDGE)
    for index, reward in zip(chosen, y, strict=True):
        exact.observe(index, reward)
        recalled.observe(index, reward)
        distinct.observe(index, reward)
        growing.observe(X[index], reward)
    for found in (
        (exact.mean, exact.leverages, exact.log_det),
        (recalled.mean, recalled.leverages, recalled.log_det),
        (distinct.mean, distinct.leverages, distinct.log_det),
        (*growing.predict(X), growing.log_det),
        dense_posterior(kernel, X[chosen], y, X, RIDGE),
    ):
        np.testing.assert_allclose(found[0], mean, atol=1e-10)
        np.testing.assert_allclose(found[1] * RIDGE, var_f, atol=1e-10)
        assert found[2] == pytest.approx(log_det, abs=1e-9)
    K = kernel(X[chosen], X[chosen])
    trace = np.trace(K @ np.linalg.inv(K + RIDGE * np.eye(rounds)))
    assert exact.effective_dimension == pytest.approx(trace, abs=1e-9)


@pytest.mark.parametrize(
    ("points", "form", "options"),
    [
        (600, ExactPosterior, {}),
        (600, ExactPosterior, {"recall": True}),
        (30, ExactPosterior, {}),
        (30, ExactPosterior, {"recall": True}),
        (600, DistinctPosterior, {}),
        (30, DistinctPosterior, {}),
    ],
)
def test_a_thousand_observations_do_not_drift(points, form, options):
    kernel, (X, chosen, y) = KERNELS["gaussian"], history(1000, points=points, seed=3)
    # As in a bandit: one point most of the time.
    chosen[np.random.default_rng(7).random(1000) < 0.6] = 5
    exact = form(kernel, X, RIDGE, **options)
    for index, reward in zip(chosen, y, strict=True):
        exact.observe(index, reward)
    mean, leverages, log_det = dense_posterior(kernel, X[chosen], y, X, RIDGE)
    np.testing.assert_allclose(exact.mean, mean, atol=1e-8)
    np.testing.assert_allclose(exact.leverages, leverages, atol=1e-8)
    assert exact.log_det == pytest.approx(log_det, abs=1e-7)


def test_leverages_shrink_as_the_propositions_say():
    # Calandriello et al. (2019), Propositions B.1 and B.3.
    kernel, (X, chosen, y) = KERNELS["gaussian"], history(60, points=40, seed=5)
    exact, spent = ExactPosterior(kernel, X, RIDGE), 0.0
    for index, reward in zip(chosen, y, strict=True):
        before = exact.leverages
        exact.observe(index, reward)
        after = exact.leverages
        assert (after <= before + 1e-12).all()
        assert after[index] == pytest.approx(before[index] / (1.0 + before[index]))
        spent += after[index]
    K = kernel(X[chosen], X[chosen])
    largest = np.linalg.eigvalsh(K)[-1]
    d = exact.effective_dimension
    assert d <= spent <= exact.log_det <= d * (1.0 + np.log1p(largest / RIDGE))


def test_nothing_is_known_before_the_first_observation():
    X = history(1)[0]
    exact, growing = ExactPosterior(KERNELS["gaussian"], X, RIDGE), GrowingCholesky(None, RIDGE)
    assert (exact.mean == 0.0).all()
    np.testing.assert_allclose(exact.leverages, 1.0 / RIDGE)
    assert exact.log_det == growing.log_det == exact.effective_dimension == 0.0


def test_the_posterior_on_distinct_points_holds_one_row_for_each():
    X, chosen, y = history(300, points=500)
    distinct = DistinctPosterior(KERNELS["gaussian"], X, RIDGE)
    for index, reward in zip(chosen % 7, y, strict=True):
        distinct.observe(index, reward)
    assert distinct.distinct == 7
    assert distinct.held_bytes == 8 * (7 * 500 + 7 * 7 + 500)
