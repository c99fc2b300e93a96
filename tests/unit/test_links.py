"""Links: derivatives by finite differences, constants on grids, stability, sampling."""

import math

import numpy as np
import pytest
from scipy.special import expit

from optimist.core.errors import ConfigError
from optimist.numerics.links import LINKS, Gaussian, make_link

LINKS_UNDER_TEST = [make_link("logistic"), make_link("poisson"), Gaussian(0.5), Gaussian(2.0)]
GRID = np.linspace(-7.0, 7.0, 141)


def by_name(link):
    return f"{link.name}_{link.dispersion:g}"


each_link = pytest.mark.parametrize("link", LINKS_UNDER_TEST, ids=by_name)


@each_link
def test_mean_and_slope_are_the_derivatives_of_the_log_partition(link):
    h = 1e-5
    for f, derivative in ((link.log_partition, link.mean), (link.mean, link.slope)):
        slope = (f(GRID + h) - f(GRID - h)) / (2.0 * h)
        np.testing.assert_allclose(derivative(GRID), slope, rtol=1e-8, atol=1e-9)


@each_link
def test_self_concordance_bounds_the_second_derivative_of_the_mean(link):
    h = 1e-5
    curvature = (link.slope(GRID + h) - link.slope(GRID - h)) / (2.0 * h)
    rounding = 1e-8 * link.slope(GRID) + 1e-9  # of the finite difference
    assert (np.abs(curvature) <= link.self_concordance * link.slope(GRID) + rounding).all()


@each_link
def test_slope_bounds_are_the_extremes_on_the_interval(link):
    slopes = link.slope(GRID)
    assert link.slope_bounds(7.0) == pytest.approx((slopes.min(), slopes.max()), rel=1e-12)


@each_link
def test_jet_is_the_three_functions(link):
    for got, f in zip(link.jet(GRID), (link.log_partition, link.mean, link.slope), strict=True):
        np.testing.assert_allclose(got, f(GRID), rtol=1e-14, atol=1e-16)


@each_link
def test_scalars_and_arrays_agree(link):
    for f in (link.log_partition, link.mean, link.slope):
        np.testing.assert_allclose([float(f(float(z))) for z in GRID], f(GRID), rtol=1e-14)


def test_logistic_equals_scipy_and_survives_large_arguments():
    link = make_link("logistic")
    z = np.array([-800.0, -40.0, -1e-9, 0.0, 3.0, 40.0, 800.0])
    np.testing.assert_allclose(link.mean(z), expit(z), rtol=1e-15)
    np.testing.assert_allclose(link.log_partition(z), np.logaddexp(0.0, z), rtol=1e-12, atol=1e-16)
    assert link.slope(z)[0] == 0.0
    assert [link.mean(-800.0), link.mean(800.0), link.slope(800.0)] == [0.0, 1.0, 0.0]


def test_poisson_is_exact_in_the_ball_and_finite_beyond():
    link = make_link("poisson")
    assert link.mean(9.0) == pytest.approx(8103.083927575384, rel=1e-15)
    assert math.isfinite(link.mean(1e6))
    assert np.isfinite(link.jet(np.array([1e6]))).all()


@pytest.mark.parametrize(
    ("name", "expected"),
    # By hand from the table of Lee et al. (2024): n = 10, S = 3, d = 2, delta = 0.05.
    [("logistic", 25.0), ("poisson", 10 * 20.085537 + 3.688879), ("gaussian", 60.0 + 9.3622)],
)
def test_lipschitz_constants(name, expected):
    assert make_link(name).lipschitz(3.0, 10, 2, 0.05) == pytest.approx(expected, rel=1e-5)


@each_link
def test_samples_have_the_declared_mean_and_variance(link):
    z = np.array([-1.5, 0.0, 1.0])
    draws = link.sample(np.random.default_rng(5), np.broadcast_to(link.mean(z), (40_000, 3)))
    variance = link.dispersion * link.slope(z)
    error = np.abs(draws.mean(axis=0) - link.mean(z)) / np.sqrt(variance / len(draws))
    assert (error < 4.0).all()
    np.testing.assert_allclose(draws.var(axis=0), variance, rtol=0.05)


def test_unknown_link_suggests_the_nearest():
    with pytest.raises(ConfigError, match=r"'logistc' \(did you mean 'logistic'\?\)") as error:
        make_link("logistc")
    assert all(name in str(error.value) for name in LINKS)


@pytest.mark.parametrize("sigma", [0.0, -1.0, float("nan")])
def test_gaussian_refuses_an_impossible_deviation(sigma):
    with pytest.raises(ConfigError, match="sigma"):
        make_link("gaussian", sigma=sigma)
