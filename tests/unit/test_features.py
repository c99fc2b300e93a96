"""Fourier features against the kernels they stand for, and regression on features."""

import numpy as np
import pytest

from optimist.numerics.features import FeaturePosterior, quadrature_features, random_features
from optimist.numerics.gaussian_process import dense_posterior
from optimist.numerics.kernels import GaussianKernel, LinearKernel, make_kernel


@pytest.mark.parametrize(("nodes", "largest"), [(8, 6e-5), (16, 1e-10)])
def test_quadrature_features_reproduce_the_gaussian_kernel_on_the_line(nodes, largest):
    # Sup errors measured independently for lengthscale 0.5: 5e-5 with 8 nodes, 1e-13 with 16.
    x, kernel = np.linspace(0.0, 1.0, 101)[:, None], GaussianKernel(0.5)
    phi = quadrature_features(kernel, 1, nodes)(x)
    assert phi.shape == (101, nodes)
    error = np.abs(phi @ phi.T - kernel(x, x)).max()
    assert largest / 1e4 < error < largest


@pytest.mark.parametrize("nodes", [9, 12])
def test_quadrature_features_in_the_plane(nodes):
    X, kernel = np.random.default_rng(0).random((30, 2)), GaussianKernel(0.6)
    phi = quadrature_features(kernel, 2, nodes)(X)
    assert phi.shape[1] in (nodes**2, nodes**2 + 1)
    np.testing.assert_allclose(phi @ phi.T, kernel(X, X), atol=1e-5)


@pytest.mark.parametrize("name", ["gaussian", "matern12", "matern32", "matern52"])
def test_random_features_have_the_kernel_as_their_mean(name):
    rng, kernel = np.random.default_rng(1), make_kernel(name, 0.5)
    X = rng.random((12, 3))
    phi = random_features(kernel, 3, 40_000, rng)(X)
    np.testing.assert_allclose(np.sum(phi**2, axis=1), 1.0)
    # An entry is a mean of 20,000 cosines.
    assert np.abs(phi @ phi.T - kernel(X, X)).max() < 5.0 / np.sqrt(20_000)


@pytest.mark.parametrize("kept", [True, False])
def test_regression_on_features_is_the_posterior_of_their_kernel(kept):
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((30, 4)), rng.standard_normal(50)
    chosen = rng.integers(30, size=50)
    posterior = FeaturePosterior(4, 0.3, X if kept else None)
    for index, reward in zip(chosen, y, strict=True):
        posterior.observe(X[index], reward)
    mean, leverages, log_det = dense_posterior(LinearKernel(), X[chosen], y, X, 0.3)
    for value, expected in zip(posterior.predict(X), (mean, leverages), strict=True):
        np.testing.assert_allclose(value, expected, atol=1e-10)
    assert posterior.log_det == pytest.approx(log_det)
    # A matrix and two vectors; features and leverages of the fixed points.
    assert posterior.nbytes == 8 * (16 + 4 + 4 + kept * (30 * 4 + 30))
