"""Quadratic programs over the ball: they meet the optimality conditions."""

import numpy as np
import pytest

from optimist.numerics.ball import distance_to_sphere, minimise_quadratic, project


def random_problem(rng, d, condition, outside):
    """Return H (d, d), a point and a radius, the point outside or inside of the ball."""
    basis, _ = np.linalg.qr(rng.standard_normal((d, d)))
    H = (basis * np.geomspace(1.0, condition, d)) @ basis.T
    zeta = rng.standard_normal(d)
    radius = np.linalg.norm(zeta) / (rng.uniform(1.01, 50.0) if outside else 0.5)
    return 0.5 * (H + H.T), zeta, radius


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e5])
@pytest.mark.parametrize("d", [1, 2, 5, 11, 20])
def test_projection_meets_the_optimality_conditions(d, condition):
    rng = np.random.default_rng(d)
    for _ in range(20):
        H, zeta, radius = random_problem(rng, d, condition, outside=True)
        theta = project(H, zeta, radius)
        assert np.linalg.norm(theta) == pytest.approx(radius, rel=1e-12)
        # H (theta - zeta) = -rho theta with rho > 0.
        pull = H @ (zeta - theta)
        rho = pull @ theta / radius**2
        assert rho > 0.0
        assert np.linalg.norm(pull - rho * theta) <= 1e-9 * np.linalg.norm(H @ zeta)


def test_projection_leaves_points_of_the_ball_alone():
    H, zeta, radius = random_problem(np.random.default_rng(0), 4, 10.0, outside=False)
    np.testing.assert_array_equal(project(H, zeta, radius), zeta)


def test_projection_by_hand():
    # H = diag(1, 4), zeta = (0, 2), S = 1: on the axis, the nearest point is (0, 1).
    np.testing.assert_allclose(
        project(np.diag([1.0, 4.0]), np.array([0.0, 2.0]), 1.0), [0.0, 1.0], atol=1e-14
    )


@pytest.mark.parametrize("d", [1, 2, 7])
@pytest.mark.parametrize("radius", [0.1, 1.0, 1e3])
def test_the_quadratic_minimiser_meets_the_optimality_conditions(d, radius):
    rng = np.random.default_rng(10 * d)
    A = rng.standard_normal((d, d))
    H, b = A @ A.T + 0.5 * np.eye(d), 3.0 * rng.standard_normal(d)
    theta, rho = minimise_quadratic(H, b, radius)
    np.testing.assert_allclose(H @ theta + rho * theta, b, atol=1e-9)
    assert rho >= 0.0
    length = np.linalg.norm(theta)
    assert length == pytest.approx(radius) if rho > 0.0 else length <= radius


def test_nearly_singular_quadratics_are_solved():
    # Two directions seen, one not: the situation of the first rounds of OFUGLB.
    X = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0]])
    H = 50.0 * X.T @ X + 1e-9 * np.eye(3)
    b = np.array([30.0, -200.0, 5.0])
    theta, rho = minimise_quadratic(H, b, 3.0)
    assert np.linalg.norm(theta) == pytest.approx(3.0, rel=1e-9)
    np.testing.assert_allclose(H @ theta + rho * theta, b, rtol=1e-8, atol=1e-8)


def test_the_distance_to_the_sphere_ends_on_it():
    rng = np.random.default_rng(9)
    inside, moves = 0.3 * rng.standard_normal(3), rng.standard_normal((20, 3))
    ends = inside + distance_to_sphere(inside, moves, 2.0)[:, None] * moves
    np.testing.assert_allclose(np.linalg.norm(ends, axis=1), 2.0)
    assert (distance_to_sphere(inside, moves, 2.0) > 0.0).all()
