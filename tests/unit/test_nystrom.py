"""Nystrom posteriors: exact where the inducing points suffice, ordered where they do not."""

import numpy as np
import pytest

from optimist.numerics.gaussian_process import dense_posterior
from optimist.numerics.kernels import GaussianKernel, LinearKernel
from optimist.numerics.nystrom import NystromPosterior, pivoted_root

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


def predict(found, B, diagonal):
    """Return mean, leverage of SoR and leverage of DTC; B has a row for every inducing point."""
    rows = B[found.basis]
    mean = found.mean(rows)
    sor = found.regressors_leverages(rows.copy())
    return mean, sor, found.leverages(rows, diagonal)


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
    found_mean, _, dtc = predict(found, kernel(S, X), kernel.diagonal(X))
    np.testing.assert_allclose(found_mean, mean, atol=1e-8)
    np.testing.assert_allclose(dtc, leverages, atol=1e-6)
    assert found.log_det == pytest.approx(log_det, abs=1e-8)


def test_few_inducing_points_give_the_dense_formula():
    kernel, X, distinct, counts, sums, *_ = setting(seed=1)
    S, observed = X[::9], X[distinct]
    found = posterior(kernel, S, observed, counts, sums)
    mean, leverages = dense_nystrom(kernel, S, X, observed, counts, sums)
    B = kernel(S, X)
    found_mean, sor, dtc = predict(found, B, kernel.diagonal(X))
    np.testing.assert_allclose(found_mean, mean, atol=1e-9)
    np.testing.assert_allclose(dtc, leverages, atol=1e-7)
    outside = (kernel.diagonal(X) - np.diag(B.T @ np.linalg.solve(kernel(S, S), B))) / RIDGE
    np.testing.assert_allclose(sor, leverages - outside, atol=1e-7)


def test_sor_is_never_wider_than_dtc_and_equal_on_the_inducing_points():
    kernel, X, distinct, counts, sums, *_ = setting(seed=2)
    S = X[:6]
    found = posterior(kernel, S, X[distinct], counts, sums)
    _, sor, dtc = predict(found, kernel(S, X), kernel.diagonal(X))
    outside = kernel.diagonal(X) - np.diag(
        kernel(X, S) @ np.linalg.solve(kernel(S, S), kernel(S, X))
    )
    np.testing.assert_allclose(dtc - sor, outside / RIDGE, atol=1e-7)
    np.testing.assert_allclose(sor[:6], dtc[:6], atol=1e-7)
    assert (dtc[6:] - sor[6:]).max() > 1.0


def test_leverages_far_below_the_prior_keep_their_digits():
    # With the linear kernel nothing lies outside the span; 1e10 observations leave a leverage of
    # 1e-10, which one subtraction from k(x, x) = 1 would lose.
    X = np.eye(3)
    counts = np.full(3, 1e10)
    found = posterior(LinearKernel(), X, X, counts, np.zeros(3), ridge=1.0)
    leverages = predict(found, X, np.ones(3))[2]
    np.testing.assert_allclose(leverages, 1.0 / (1e10 + 1.0), rtol=1e-6)


@pytest.mark.parametrize("rank", [3, 6])
def test_the_basis_of_a_singular_matrix_spans_it(rank):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((6, rank))
    K = A @ A.T
    basis, root = pivoted_root(K)
    assert len(set(basis)) == rank
    whitened = root @ K[basis]
    np.testing.assert_allclose(whitened.T @ whitened, K, atol=1e-12)
    np.testing.assert_array_equal(root, np.tril(root))


def test_inducing_points_without_variance_leave_the_prior():
    X = np.zeros((2, 3))
    found = posterior(LinearKernel(), X, X, np.ones(2), np.ones(2))
    nothing = np.zeros((1, 4))
    assert (found.mean(nothing) == 0).all()
    assert (found.regressors_leverages(nothing.copy()) == 0).all()
    np.testing.assert_allclose(found.leverages(nothing, np.full(4, 0.5)), 0.5 / RIDGE)


def test_a_kernel_that_is_not_finite_is_an_error_of_linear_algebra():
    X = np.full((2, 3), np.nan)
    with pytest.raises(np.linalg.LinAlgError, match="not finite"):
        posterior(LinearKernel(), X, X, np.ones(2), np.ones(2))


def test_a_smooth_kernel_with_points_on_top_of_each_other_keeps_its_digits():
    # 200 points, of which half are the others moved by 1e-9, so that most directions are rounding.
    rng = np.random.default_rng(5)
    half = rng.random((100, 2))
    S = np.vstack([half, half + 1e-9])
    kernel, ridge = GaussianKernel(0.5), 1e-4
    counts, y = rng.integers(1, 50, len(S)), rng.standard_normal(len(S))
    found = posterior(kernel, S, S, counts.astype(float), y, ridge)
    assert len(found.basis) < 100
    X = rng.random((60, 2))
    raw = np.repeat(S, counts, axis=0)
    rewards = np.repeat(y / counts, counts)
    mean, leverages, _ = dense_posterior(kernel, raw, rewards, X, ridge)
    found_mean, sor, dtc = predict(found, kernel(S, X), kernel.diagonal(X))
    np.testing.assert_allclose(found_mean, mean, atol=1e-6)
    np.testing.assert_allclose(dtc * ridge, leverages * ridge, atol=1e-8)
    assert (dtc >= 0.0).all() and (sor >= 0.0).all()
