"""The two-layer network: values against the formula, gradients against central differences."""

import math

import numpy as np
import pytest
import scipy

from optimist.numerics.network import TwoLayerNetwork, logistic

NETWORK = TwoLayerNetwork(4, hidden=3)


def draw(rng, rows=5):
    return rng.standard_normal((rows, NETWORK.size)), rng.standard_normal((rows, 4))


def by_hand(w, x):
    """The formula in plain Python, parameter by parameter."""
    first, bias, second = w[:12].reshape(3, 4), w[12:15], w[15:18]
    total = w[18]
    for i in range(3):
        z = sum(first[i, j] * x[j] for j in range(4)) + bias[i]
        total += second[i] / (1.0 + math.exp(-z))
    return total


def central(function, point, step=1e-6):
    return np.array(
        [
            (function(point + step * e) - function(point - step * e)) / (2.0 * step)
            for e in np.eye(len(point))
        ]
    )


def test_it_has_as_many_parameters_as_the_paper_counts():
    assert [TwoLayerNetwork(d).size for d in (20, 7, 8, 11)] == [551, 226, 251, 326]


def test_values_are_those_of_the_formula():
    w, x = draw(np.random.default_rng(0))
    np.testing.assert_allclose(
        NETWORK.values(w, x), [by_hand(*pair) for pair in zip(w, x, strict=True)], atol=1e-12
    )
    assert NETWORK.value(w[2], x[2]) == pytest.approx(by_hand(w[2], x[2]))


def test_gradients_are_differences_of_the_formula():
    w, x = draw(np.random.default_rng(1))
    in_w, in_x = NETWORK.gradients(w, x)
    for a, b, in_a, in_b in zip(w, x, in_w, in_x, strict=True):
        by_w = central(lambda v, b=b: by_hand(v, b), a)
        by_x = central(lambda v, a=a: by_hand(a, v), b)
        np.testing.assert_allclose(in_a, by_w, atol=1e-7)
        np.testing.assert_allclose(in_b, by_x, atol=1e-7)
        np.testing.assert_array_equal(NETWORK.gradient(a, b), in_a)


def test_large_inputs_saturate_without_a_warning():
    w, x = draw(np.random.default_rng(3))
    with np.errstate(all="raise", under="ignore"):
        in_w, in_x = NETWORK.gradients(w, 1e4 * x)
    assert np.isfinite(in_w).all()
    assert np.isfinite(in_x).all()


def test_the_squared_error_is_a_mean_and_its_gradient_fits():
    rng = np.random.default_rng(4)
    w, X, y = rng.standard_normal(NETWORK.size), rng.standard_normal((6, 4)), rng.random(6)
    error, gradient = NETWORK.squared_error(w, X, y)
    squares = [(by_hand(w, x) - v) ** 2 for x, v in zip(X, y, strict=True)]
    assert error == pytest.approx(np.mean(squares))
    np.testing.assert_allclose(
        gradient, central(lambda v: NETWORK.squared_error(v, X, y)[0], w), atol=1e-6
    )


def test_initial_weights_are_uniform_up_to_the_root_of_the_inputs():
    network = TwoLayerNetwork(20)
    draws = np.array([network.initial(np.random.default_rng(k)) for k in range(400)])
    for part, bound in ((slice(0, 525), 1 / math.sqrt(20)), (slice(525, 551), 1 / 5)):
        values = draws[:, part]
        assert 0.99 * bound < np.abs(values).max() <= bound
        assert values.std() == pytest.approx(bound / math.sqrt(3), rel=0.01)


def test_the_logistic_function_of_one_number_is_that_of_scipy_bit_for_bit():
    rng = np.random.default_rng(5)
    z = [*rng.uniform(-101.0, 101.0, 1000), -math.inf, -1e300, -710.0, 0.0, 710.0, math.inf]
    assert [logistic(v) for v in z] == scipy.special.expit(z).tolist()


def test_the_value_at_one_point_is_that_of_a_row_bit_for_bit():
    w, x = draw(np.random.default_rng(6), rows=100)
    single = [NETWORK.value(*pair) for pair in zip(w, x, strict=True)]
    assert single == NETWORK.values(w, x).tolist()
