"""Nystrom posteriors: exact where the inducing points suffice, ordered where they do not."""

import numpy as np
import pytest

from optimist.numerics.gaussian_process import dense_posterior
from optimist.numerics.kernels import GaussianKernel, LinearKernel
from optimist.numerics.nystrom import NystromPosterior, inverse_root

RIDGE = 0.01


def setting(seed=0, points=50, rounds=40, kernel=None):
    """Return kernel, points, distinct observed points with counts and sums, and the raw history."""
    rng = np.random.default_rng(seed)
    X = rng.random((points, 2))
    chosen, y = rng.integers(points // 2, size=rounds), rng.standard_normal(rounds)
    distinct, place = np.unique(chosen, return_inverse=True)
    counts = np.bincount(place).astype(float)
    sums = np.bincount(place, weights=y)
    return kernel or GaussianKernel(0.4), X, distinct, counts, sums, chosen, y


def posterior(kernel, S, observed, counts, sums, ridge=RIDGE):
    return NystromPosterior(kernel(S, S), kernel(S, observed), counts, sums, ridge)


def dense_nystrom(kernel, S, X, observed, counts, sums, ridge=RIDGE):
    """Mean and DTC leverage from the approximate kernel matrix, with the pseudo-inverse."""
    root = np.linalg.pinv(kernel(S, S), rcond=1e-13, hermitian=True)
    Q = lambda A, B: kernel(A, S) @ root @ kernel(S, B)  # noqa: E731
    N = np.diag(counts)
    G = np.linalg.inv(ridge * np.eye(len(counts)) + N @ Q(observed, observed))
    mean = Q(X, observed) @ G @ sums
    var_f = kernel.diagonal(X) - np.diag(Q(X, observed) @ G @ N @ Q(observed, X))
    return mean, var_f / ridge


def test_all_observed_points_as_inducing_points_give_the_exact_posterior():
    kernel, X, distinct, counts, sums, chosen, y = setting()
    S = X[distinct]
    found = posterior(kernel, S, S, counts, sums)
    mean, leverages, log_det = dense_posterior(kernel, X[chosen], y, X, RIDGE)
    B = kernel(S, X)
    np.testing.assert_allclose(found.mean(B), mean, atol=1e-8)
    np.testing.assert_allclose(found.leverages(B, kernel.diagonal(X)), leverages, atol=1e-6)
    assert found.log_det == pytest.approx(log_det, abs=1e-8)


def test_few_inducing_points_give_the_dense_formula():
    kernel, X, distinct, counts, sums, *_ = setting(seed=1)
    S, observed = X[::9], X[distinct]
    found = posterior(kernel, S, observed, counts, sums)
    mean, leverages = dense_nystrom(kernel, S, X, observed, counts, sums)
    B = kernel(S, X)
    np.testing.assert_allclose(found.mean(B), mean, atol=1e-9)
    np.testing.assert_allclose(found.leverages(B, kernel.diagonal(X)), leverages, atol=1e-7)
    outside = (kernel.diagonal(X) - np.diag(B.T @ np.linalg.solve(kernel(S, S), B))) / RIDGE
    np.testing.assert_allclose(found.regressors_leverages(B), leverages - outside, atol=1e-7)


def test_sor_is_never_wider_than_dtc_and_equal_on_the_inducing_points():
    kernel, X, distinct, counts, sums, *_ = setting(seed=2)
    S = X[:6]
    found = posterior(kernel, S, X[distinct], counts, sums)
    B = kernel(S, X)
    dtc, sor = found.leverages(B, kernel.diagonal(X)), found.regressors_leverages(B)
    assert (sor <= dtc + 1e-9).all()
    np.testing.assert_allclose(sor[:6], dtc[:6], atol=1e-7)
    assert (dtc[6:] - sor[6:]).max() > 1.0


def test_the_embedding_may_be_rotated_and_inducing_points_repeated():
    kernel, X, distinct, counts, sums, *_ = setting(seed=3)
    S, observed = X[:8], X[distinct]
    once = posterior(kernel, S, observed, counts, sums)
    twice = posterior(kernel, np.vstack([S[::-1], S]), observed, counts, sums)
    assert twice.rank == once.rank == 8
    B, diagonal = kernel(S, X), kernel.diagonal(X)
    C = kernel(np.vstack([S[::-1], S]), X)
    np.testing.assert_allclose(twice.mean(C), once.mean(B), atol=1e-8)
    np.testing.assert_allclose(twice.leverages(C, diagonal), once.leverages(B, diagonal), atol=1e-6)


def test_kernel_and_ridge_may_be_scaled_together():
    kernel, X, distinct, counts, sums, *_ = setting(seed=4)
    S, observed, c = X[:7], X[distinct], 250.0
    plain = posterior(kernel, S, observed, counts, sums)
    scaled = NystromPosterior(c * kernel(S, S), c * kernel(S, observed), counts, sums, c * RIDGE)
    B, diagonal = kernel(S, X), kernel.diagonal(X)
    np.testing.assert_allclose(scaled.mean(c * B), plain.mean(B), atol=1e-9)
    np.testing.assert_allclose(
        scaled.leverages(c * B, c * diagonal), plain.leverages(B, diagonal), atol=1e-7
    )


def test_leverages_far_below_the_prior_keep_their_digits():
    # With the linear kernel nothing lies outside the span; 1e10 observations leave a leverage of
    # 1e-10, which one subtraction from k(x, x) = 1 would lose.
    X = np.eye(3)
    counts = np.full(3, 1e10)
    found = posterior(LinearKernel(), X, X, counts, np.zeros(3), ridge=1.0)
    leverages = found.leverages(X, np.ones(3))
    np.testing.assert_allclose(leverages, 1.0 / (1e10 + 1.0), rtol=1e-6)


def test_the_inverse_root_of_a_singular_matrix_leaves_its_null_space_out():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((6, 3))
    W = inverse_root(A @ A.T)
    assert W.shape == (6, 3)
    np.testing.assert_allclose(W @ W.T, np.linalg.pinv(A @ A.T), atol=1e-10)
