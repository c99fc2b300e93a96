"""Acquisition functions against Monte Carlo, integrals and differences."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from optimist.numerics import acquisition

FUNCTIONS = {
    "ei": acquisition.expected_improvement,
    "log_ei": acquisition.log_expected_improvement,
    "pi": acquisition.probability_of_improvement,
    "log_pi": acquisition.log_probability_of_improvement,
    "ucb": acquisition.upper_bound,
}
M = np.array([-30.0, -3.0, -1.0, -0.5, 0.0, 0.4, 2.0])
V = np.array([0.9, 1.0, 1.3, 0.2, 1.0, 2.0, 0.5])


@pytest.mark.parametrize(("m", "v"), [(-0.5, 0.7), (0.3, 1.0), (2.0, 0.4)])
def test_expected_improvement_and_its_probability_by_monte_carlo(m, v):
    draws = m + v * np.random.default_rng(0).standard_normal(1_000_000)
    gain = np.maximum(draws - 0.2, 0.0)
    ei = float(acquisition.expected_improvement(m, v, 0.2)[0])
    assert abs(gain.mean() - ei) < 3.0 * gain.std() / 1000.0
    share = float(acquisition.probability_of_improvement(m, v, 0.2)[0])
    assert abs((gain > 0.0).mean() - share) < 3.0 * math.sqrt(share * (1.0 - share)) / 1000.0


@pytest.mark.parametrize("u", [-0.99, -1.01, -5.0, -40.0, -999.0, -1001.0, -1e5])
def test_the_logarithm_of_h_is_right_far_below_the_best_value(u):
    # h(u) / phi(u) is the integral of s exp(u s - s^2 / 2) over s > 0; with s = r / |u|:
    scaled, _ = quad(lambda r: r * math.exp(-r - 0.5 * (r / u) ** 2), 0.0, 60.0, epsabs=1e-13)
    expected = norm.logpdf(u) + math.log(scaled) - 2.0 * math.log(-u)
    value, _ = acquisition.log_h(u)
    # Far out the error of phi's exponent in double precision is all that is left.
    assert float(value) == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_logarithms_are_those_of_the_plain_functions():
    for plain, log in (("ei", "log_ei"), ("pi", "log_pi")):
        value = FUNCTIONS[plain](M[1:], V[1:], 0.1)[0]
        np.testing.assert_allclose(FUNCTIONS[log](M[1:], V[1:], 0.1)[0], np.log(value), rtol=1e-9)


@pytest.mark.parametrize("u", [-5.0, -1e4, -1e8])
def test_the_slope_of_the_probability_is_right_far_below_the_best_value(u):
    # phi / Phi, by the integral of exp(u s - s^2 / 2) over s > 0; with s = r / |u|:
    scaled, _ = quad(lambda r: math.exp(-r - 0.5 * (r / u) ** 2), 0.0, 60.0, epsabs=1e-13)
    slope = acquisition.log_probability_of_improvement(np.float64(u), np.float64(1.0), 0.0)[1]
    assert float(slope) == pytest.approx(-u / scaled, rel=1e-10)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_are_differences(name):
    function = FUNCTIONS[name]
    third = 2.5 if name == "ucb" else 0.1
    _, by_m, by_v = function(M, V, third)
    h = 1e-6
    for found, low, high in (
        (by_m, (M - h, V), (M + h, V)),
        (by_v, (M, V - h), (M, V + h)),
    ):
        expected = (function(*high, third)[0] - function(*low, third)[0]) / (2.0 * h)
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-8)


def test_the_upper_bound_multiplies_the_variance_by_beta():
    assert float(acquisition.upper_bound(np.float64(1.0), np.float64(0.5), 4.0)[0]) == 2.0
