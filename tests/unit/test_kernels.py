"""Kernels against their formulas, in plain floats, and what a kernel must be."""

import math

import numpy as np
import pytest

from optimist.core.errors import ConfigError
from optimist.numerics.kernels import KERNELS, GramKernel, make_kernel

FORMULAS = {
    "gaussian": lambda r, s: math.exp(-0.5 * (r / s) ** 2),
    "matern12": lambda r, s: math.exp(-r / s),
    "matern32": lambda r, s: (1 + 3**0.5 * r / s) * math.exp(-(3**0.5) * r / s),
    "matern52": lambda r, s: (
        (1 + 5**0.5 * r / s + 5 * r**2 / (3 * s**2)) * math.exp(-(5**0.5) * r / s)
    ),
}


def kernel(name):
    return make_kernel(name, None if name == "linear" else 0.4)


def points(n, d=3, seed=0):
    return np.random.default_rng(seed).random((n, d))


@pytest.mark.parametrize("name", FORMULAS)
def test_values_are_those_of_the_formula(name):
    X, Y = points(4), points(5, seed=1)
    found = kernel(name)(X, Y)
    assert found.shape == (4, 5)
    for i, x in enumerate(X):
        for j, y in enumerate(Y):
            assert found[i, j] == pytest.approx(FORMULAS[name](math.dist(x, y), 0.4), rel=1e-12)


def test_the_linear_kernel_is_the_inner_product():
    X, Y = points(3), points(2, seed=1)
    assert kernel("linear")(X, Y)[2, 1] == pytest.approx(sum(X[2] * Y[1]))


@pytest.mark.parametrize("name", KERNELS)
def test_matrices_are_symmetric_positive_semidefinite_with_the_diagonal_given(name):
    X = points(40)
    K = kernel(name)(X, X)
    np.testing.assert_allclose(K, K.T, atol=1e-15)
    assert np.linalg.eigvalsh(K)[0] > -1e-12
    np.testing.assert_allclose(kernel(name).diagonal(X), np.diag(K), atol=1e-15)


@pytest.mark.parametrize("name", FORMULAS)
def test_a_point_has_exactly_correlation_one_with_itself_however_close_others_are(name):
    X = 1e3 + 1e-9 * points(5)
    assert (np.diag(kernel(name)(X, X)) == 1.0).all()


def test_a_gram_matrix_is_looked_up():
    gram = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])
    k = GramKernel(gram)
    rows = np.array([[2.0], [0.0], [2.0]])
    np.testing.assert_array_equal(k(rows, rows[:1]), [[1.0], [0.0], [1.0]])
    np.testing.assert_array_equal(k.diagonal(rows), [1.0, 2.0, 1.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_kernel("gausian", 1.0), "did you mean 'gaussian'"),
        (lambda: make_kernel("gaussian"), "lengthscale is None"),
        (lambda: make_kernel("gaussian", 0.0), "lengthscale is 0"),
        (lambda: make_kernel("linear", 1.0), "lengthscale is 1.0.*none"),
        (lambda: GramKernel(np.ones((2, 3))), r"gram has shape \(2, 3\)"),
        (lambda: GramKernel(np.array([[1.0, 2.0], [0.0, 1.0]])), "not symmetric"),
    ],
)
def test_what_is_no_kernel_is_refused(make, message):
    with pytest.raises(ConfigError, match=message):
        make()


@pytest.mark.parametrize("name", ["gaussian", "matern52"])
def test_the_slope_makes_the_gradient(name):
    kernel = make_kernel(name, 0.7)
    rng = np.random.default_rng(0)
    X, Y, h = rng.random((6, 3)), rng.random((4, 3)), 1e-6
    K, S = kernel.with_slope(X, Y)
    np.testing.assert_allclose(K, kernel(X, Y), atol=1e-14)
    for j, e in enumerate(np.eye(3)):
        difference = (kernel(X + h * e, Y) - kernel(X - h * e, Y)) / (2.0 * h)
        gradient = -S * (X[:, None, j] - Y[None, :, j]) / 0.7**2
        np.testing.assert_allclose(gradient, difference, atol=1e-7)
