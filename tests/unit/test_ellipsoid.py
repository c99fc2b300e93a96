"""Ellipsoids of low rank against dense matrices and conditions of optimality."""

import numpy as np
import pytest

from optimist.numerics.ellipsoid import LowRankEllipsoid

RIDGE = 0.7
D = 12


def grown(vectors=5, seed=0):
    """Return an ellipsoid after some updates, its dense matrix, and what it was told."""
    rng = np.random.default_rng(seed)
    ball = LowRankEllipsoid(rng.standard_normal(D), RIDGE)
    first = ball.centre.copy()
    told = []
    for _ in range(vectors):
        g, error = rng.standard_normal(D), float(rng.standard_normal())
        told.append((g, error, ball.centre.copy()))
        ball.recentre(g, error)
    Sigma = RIDGE * np.eye(D) + sum((np.outer(g, g) for g, _, _ in told), np.zeros((D, D)))
    return ball, Sigma, first, told


@pytest.mark.parametrize("vectors", [0, 1, 5, 20])
def test_it_solves_and_squares_like_the_dense_matrix(vectors):
    ball, Sigma, _, _ = grown(vectors)
    v = np.random.default_rng(9).standard_normal((3, D))
    np.testing.assert_allclose(ball.solve(v), np.linalg.solve(Sigma, v.T).T, atol=1e-10)
    np.testing.assert_allclose(ball.solve(v[0]), np.linalg.solve(Sigma, v[0]), atol=1e-10)
    np.testing.assert_allclose(ball.square(v), np.einsum("ki,ij,kj->k", v, Sigma, v), rtol=1e-12)


def test_the_centre_is_the_minimiser_of_the_regularised_least_squares():
    # Liu and Wang (2023), equations 4 and 5: each term is linear about the centre of its round.
    ball, Sigma, first, told = grown(8)
    right = RIDGE * first + sum(g * (g @ centre + error) for g, error, centre in told)
    np.testing.assert_allclose(ball.centre, np.linalg.solve(Sigma, right), atol=1e-10)


def test_leverages_are_those_of_the_matrix_before_and_after():
    ball, Sigma, _, told = grown(6)
    inverse = np.linalg.inv(Sigma)
    np.testing.assert_allclose(ball.leverages(), [g @ inverse @ g for g, _, _ in told], atol=1e-10)
    g = np.arange(D, dtype=float)
    assert ball.recentre(g, 0.0) == pytest.approx(g @ inverse @ g)


def test_scaling_ends_on_the_boundary_towards_the_centre():
    ball, _, _, _ = grown()
    w = ball.centre + 5.0 * np.random.default_rng(4).standard_normal((6, D))
    back = ball.scale(w, 1.5)
    np.testing.assert_allclose(ball.square(back - ball.centre), 1.5, rtol=1e-12)
    for a, b in zip(w - ball.centre, back - ball.centre, strict=True):
        assert np.linalg.matrix_rank(np.array([a, b]), tol=1e-9) == 1
        assert a @ b > 0.0


@pytest.mark.parametrize("vectors", [1, 5, 20])
def test_projection_is_on_the_border_and_pulled_along_its_normal(vectors):
    ball, Sigma, _, _ = grown(vectors)
    for w in ball.centre + 3.0 * np.random.default_rng(5).standard_normal((4, D)):
        (found,) = ball.project(w[None], 1.0)
        delta = found - ball.centre
        assert delta @ Sigma @ delta == pytest.approx(1.0, abs=1e-9)
        # w - found = rho Sigma delta with rho > 0.
        normal = Sigma @ delta
        rho = (w - found) @ normal / (normal @ normal)
        assert rho > 0.0
        np.testing.assert_allclose(w - found, rho * normal, atol=1e-7)


def test_what_is_outside_by_rounding_only_stays_where_it_is():
    ball = grown()[0]
    w = ball.centre + 3.0 * np.random.default_rng(8).standard_normal((200, D))
    once = ball.project(w, 1.0)
    np.testing.assert_allclose(ball.project(once, 1.0), once, atol=1e-9)


def test_projecting_without_vectors_is_scaling():
    ball = grown(0)[0]
    w = ball.centre + np.random.default_rng(6).standard_normal((3, D)) * 4.0
    np.testing.assert_allclose(ball.project(w, 1.0), ball.scale(w, 1.0), atol=1e-9)
