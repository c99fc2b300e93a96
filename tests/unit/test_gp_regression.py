"""Fitted Gaussian processes: dense formulas, differences, scipy's densities, and draws."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

from optimist.algorithms.black_box import configurations, turbo
from optimist.numerics import gp_regression
from optimist.numerics.gp_regression import Flat, Gamma, GaussianProcess, Hyper, LogNormal, Scheme
from optimist.numerics.kernels import Matern52

D = 3
SCHEMES = {
    "gamma": configurations.gamma_scheme(D),
    "log_normal": configurations.log_normal_scheme(D),
    "flat": configurations.flat_scheme(D),
    "turbo": turbo.CONFIGURATIONS["release"].scheme,
}
each_scheme = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)


def data(n=20, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, D))
    return X, np.sin(4.0 * X[:, 0]) + X[:, 1] ** 2 + 0.05 * rng.standard_normal(n)


def covariance(scheme, log_theta, A, B):
    """The covariance of the function in plain numpy."""
    theta = np.exp(log_theta)
    r2 = (((A[:, None] - B[None]) / theta[:D]) ** 2).sum(axis=2)
    amplitude = 1.0 if scheme.amplitude is None else theta[D + 1]
    if scheme.kernel.name == "gaussian":
        return amplitude * np.exp(-0.5 * r2)
    z = np.sqrt(5.0 * r2)
    return amplitude * (1.0 + z + z * z / 3.0) * np.exp(-z)


@each_scheme
def test_the_likelihood_is_that_of_a_multivariate_normal(scheme):
    X, y = data()
    log_theta = scheme.starts(D, np.random.default_rng(1))[-1]
    C = covariance(scheme, log_theta, X, X) + np.exp(log_theta[D]) * np.eye(len(y))
    means = np.linspace(-3.0, 3.0, 6001) if scheme.free_mean else [0.0]
    best = max(stats.multivariate_normal(np.full(len(y), c), C).logpdf(y) for c in means[::60])
    prior = sum(
        float(kind.prior.log_density(log_theta[part])[0].sum())
        for kind, part in scheme.blocks(D)[0]
    )
    value = gp_regression.log_posterior(log_theta, scheme, X, y)[0] - prior
    # The mean in closed form is at least as likely as any on a grid, and no more than its step.
    assert best - 1e-9 <= value <= best + 0.1
    if not scheme.free_mean:
        assert value == pytest.approx(best, abs=1e-8)


@each_scheme
def test_the_gradient_is_made_of_differences(scheme):
    X, y = data()
    for log_theta in scheme.starts(D, np.random.default_rng(2)):
        gradient = gp_regression.log_posterior(log_theta, scheme, X, y)[1]
        for j, e in enumerate(np.eye(len(log_theta))):
            high, low = (
                gp_regression.log_posterior(log_theta + h * e, scheme, X, y)[0]
                for h in (1e-5, -1e-5)
            )
            assert gradient[j] == pytest.approx((high - low) / 2e-5, rel=1e-5, abs=1e-5)


def test_priors_are_densities_of_the_values_and_not_of_their_logarithms():
    theta = np.array([0.1, 0.7, 3.0])
    for prior, density in (
        (Gamma(3.0, 6.0), stats.gamma(3.0, scale=1.0 / 6.0)),
        (LogNormal(-1.0, 3.0), stats.lognorm(math.sqrt(3.0), scale=math.exp(-1.0))),
    ):
        found, slope = prior.log_density(np.log(theta))
        expected = density.logpdf(theta)
        np.testing.assert_allclose(found - found[0], expected - expected[0], atol=1e-12)
        high, low = (prior.log_density(np.log(theta) + h)[0] for h in (1e-6, -1e-6))
        np.testing.assert_allclose(slope, (high - low) / 2e-6, atol=1e-6)


def test_starts_are_drawn_from_the_priors_and_stay_in_bounds():
    rng = np.random.default_rng(3)
    draws = np.exp(Gamma(3.0, 6.0).draw(rng, 20_000, 1e-4, 1e4))
    assert stats.kstest(draws, stats.gamma(3.0, scale=1.0 / 6.0).cdf).pvalue > 1e-3
    draws = LogNormal(0.5, 3.0).draw(rng, 20_000, 1e-30, 1e30)
    assert stats.kstest(draws, stats.norm(0.5, math.sqrt(3.0)).cdf).pvalue > 1e-3
    for prior in (Flat(), Gamma(3.0, 6.0), LogNormal(0.5, 3.0)):
        draws = prior.draw(rng, 1000, 0.5, 0.6)
        assert math.log(0.5) - 1e-12 <= draws.min() <= draws.max() <= math.log(0.6) + 1e-12


@each_scheme
def test_a_fit_is_no_worse_than_its_starts_and_flat_inside_the_bounds(scheme):
    X, y = data()
    process, failed = gp_regression.fit(scheme, X, y, np.random.default_rng(4))
    found = np.log([*process.lengthscales, process.noise, process.amplitude])
    found = found[: scheme.blocks(D)[1]]
    value, gradient = gp_regression.log_posterior(found, scheme, X, y)
    for start in scheme.starts(D, np.random.default_rng(4)):
        assert value >= gp_regression.log_posterior(start, scheme, X, y)[0]
    bounds = scheme.bounds(D)
    inside = (found > bounds[:, 0] + 1e-9) & (found < bounds[:, 1] - 1e-9)
    assert failed == 0
    assert np.abs(gradient[inside]).max() < 1e-2


def by_adam(scheme, X, y):
    """Fifty steps of Adam as its paper prints it, on differences of scipy's density."""
    low, high = np.exp(scheme.bounds(D)).T

    def values(z):
        return low + (high - low) / (1.0 + np.exp(-z))

    def objective(point):
        theta = values(point[:-1])
        C = covariance(scheme, np.log(theta), X, X) + theta[D] * np.eye(len(y))
        return stats.multivariate_normal(np.full(len(y), point[-1]), C).logpdf(y) / len(y)

    start = np.array([0.5] * D + [0.005, 1.0])
    x = np.append(-np.log((high - low) / (start - low) - 1.0), 0.0)
    m, v = np.zeros_like(x), np.zeros_like(x)
    for t in range(1, 51):
        steps = 1e-5 * np.eye(len(x))
        g = np.array([(objective(x + e) - objective(x - e)) / 2e-5 for e in steps])
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        x = x + 0.1 * (m / (1.0 - 0.9**t)) / (np.sqrt(v / (1.0 - 0.999**t)) + 1e-8)
    return values(x[:-1]), x[-1]


def test_the_fit_by_adam_is_fifty_steps_as_printed():
    X, y = data()
    scheme = SCHEMES["turbo"]
    process = gp_regression.fit_by_adam(scheme, X, y)
    theta, mean = by_adam(scheme, X, y)
    found = [*process.lengthscales, process.noise, process.amplitude]
    np.testing.assert_allclose(found, theta, rtol=1e-5)
    assert process.mean == pytest.approx(mean, rel=1e-5)
    # It stops before the maximum.
    best = gp_regression.fit(scheme, X, y)[0]
    assert abs(process.amplitude / best.amplitude - 1.0) > 0.1


@each_scheme
def test_predictions_are_those_of_a_dense_solve(scheme):
    X, y = data()
    log_theta = scheme.starts(D, np.random.default_rng(5))[-1]
    Z = np.random.default_rng(6).random((7, D))
    C = covariance(scheme, log_theta, X, X) + np.exp(log_theta[D]) * np.eye(len(y))
    k = covariance(scheme, log_theta, X, Z)
    ones, inverse = np.ones(len(y)), np.linalg.inv(C)
    c = ones @ inverse @ y / (ones @ inverse @ ones) if scheme.free_mean else 0.0
    process = GaussianProcess(scheme, X, y, log_theta)
    mean, deviation = process.predict(Z)
    np.testing.assert_allclose(mean, c + k.T @ inverse @ (y - c), atol=1e-8)
    variance = np.diag(covariance(scheme, log_theta, Z, Z) - k.T @ inverse @ k)
    np.testing.assert_allclose(deviation**2, variance, atol=1e-8)


@each_scheme
def test_gradients_of_predictions_are_differences(scheme):
    X, y = data()
    process = gp_regression.fit(scheme, X, y, np.random.default_rng(7))[0]
    Z, h = np.array([[0.3, 0.8, 0.1], [0.6, 0.2, 0.9]]), 1e-6
    mean, deviation, by_mean, by_deviation = process.predict_with_gradients(Z)
    np.testing.assert_allclose([mean, deviation], process.predict(Z), atol=1e-10)
    for j, e in enumerate(np.eye(D)):
        high, low = (np.array(process.predict(Z + s * e)) for s in (h, -h))
        np.testing.assert_allclose(
            [by_mean[:, j], by_deviation[:, j]], (high - low) / (2.0 * h), rtol=1e-4, atol=1e-6
        )


def test_spare_starts_are_used_only_where_all_before_failed(monkeypatch):
    X, y = data()
    scheme = SCHEMES["gamma"]
    met, density = [], gp_regression.log_posterior

    def watched(log_theta, *arguments):
        met.append(log_theta.copy())
        if len(met) == 1 and fail:
            raise np.linalg.LinAlgError("singular")
        return density(log_theta, *arguments)

    monkeypatch.setattr(gp_regression, "log_posterior", watched)
    for fail in (False, True):
        for spare in (False, True):
            met.clear()
            how = dataclasses.replace(scheme, spare=spare)
            starts = how.starts(D, np.random.default_rng(3))
            failed = gp_regression.fit(how, X, y, np.random.default_rng(3))[1]
            used = [any(np.array_equal(start, x) for x in met) for start in starts]
            assert failed == fail
            assert used == [True, fail or not spare, not spare]
    monkeypatch.setattr(gp_regression, "WORST", -np.inf)  # all starts fail
    process, failed = gp_regression.fit(scheme, X, y, np.random.default_rng(8))
    assert failed == 3
    assert process.lengthscales == pytest.approx(np.full(D, 0.69))


def test_repeated_points_do_not_break_the_fit():
    X, y = np.full((12, D), 0.5), np.full(12, 1.0)
    for scheme in SCHEMES.values():
        process, failed = gp_regression.fit(scheme, X, y, np.random.default_rng(9))
        assert failed == 0
        assert np.isfinite(process.predict(np.array([[0.5, 0.5, 0.5], [0.0, 0.0, 0.0]]))).all()


@pytest.mark.parametrize("noise", [True, False])
def test_draws_have_the_mean_and_covariance_of_the_posterior(noise):
    scheme = Scheme(Matern52(1.0), Hyper(0.1, 1.0, 0.4, Flat()), Hyper(1e-4, 1.0, 0.05, Flat()))
    X, y = data(8)
    process = GaussianProcess(scheme, X, y, scheme.starts(D, None)[0])
    Z = np.random.default_rng(10).random((4, D))
    rng = np.random.default_rng(11)
    draws = np.array([process.draw(Z, rng, noise=noise) for _ in range(20_000)])
    log_theta = scheme.starts(D, None)[0]
    k = covariance(scheme, log_theta, X, Z)
    C = covariance(scheme, log_theta, X, X) + 0.05 * np.eye(8)
    expected = covariance(scheme, log_theta, Z, Z) - k.T @ np.linalg.solve(C, k)
    expected += 0.05 * np.eye(4) * noise
    mean = process.predict(Z)[0]
    error = np.sqrt(np.diag(expected) / len(draws))
    assert (np.abs(draws.mean(axis=0) - mean) < 4.0 * error).all()
    np.testing.assert_allclose(np.cov(draws.T), expected, atol=0.03)
