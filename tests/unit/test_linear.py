"""Norms and rank-one updates against dense linear algebra."""

import numpy as np
import pytest

from optimist.numerics.linear import (
    add_outer,
    add_outer_to_inverse,
    add_to_diagonal,
    inverse_norms,
    log_determinant,
    made_definite,
    quadratic_norms,
)


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def definite(rng, d):
    A = rng.standard_normal((d, d))
    return A @ A.T + np.eye(d)


@pytest.mark.parametrize("values", [2.0, np.array([1.0, -3.0])], ids=["one", "each"])
def test_add_to_diagonal_is_in_place_and_leaves_the_rest(rng, values):
    matrices = rng.standard_normal((2, 3, 3))
    expected = matrices + np.multiply.outer(values * np.ones(2), np.eye(3))
    add_to_diagonal(matrices, values)
    np.testing.assert_array_equal(matrices, expected)


@pytest.mark.parametrize("scale", [0.0, 1.0, 1e12])
def test_made_definite_lifts_a_singular_matrix_at_any_scale(scale):
    x = np.array([1.0, 2.0, 3.0])
    H = made_definite(scale * np.outer(x, x), 1e-9, 1e-14)
    assert np.linalg.eigvalsh(H)[0] > 0.0
    np.testing.assert_allclose(H, scale * np.outer(x, x), rtol=1e-12, atol=1e-9)


def test_inverse_norms_row_by_row(rng):
    H, arms = definite(rng, 4), rng.standard_normal((6, 4))
    expected = [np.sqrt(x @ np.linalg.solve(H, x)) for x in arms]
    np.testing.assert_allclose(inverse_norms(arms, np.linalg.inv(H)), expected, rtol=1e-12)


def test_inverse_norms_never_take_the_root_of_a_negative_rounding_error():
    almost = np.array([[1.0, 0.0], [0.0, -1e-18]])
    assert inverse_norms(np.array([[0.0, 1.0]]), almost) == [0.0]


def test_rank_one_update_of_the_inverse(rng):
    H, x, b = definite(rng, 5), rng.standard_normal(5), 0.7
    H_inv = np.linalg.inv(H)
    v = H_inv @ x
    add_outer_to_inverse(H_inv, v, b, float(x @ v))
    np.testing.assert_allclose(H_inv @ (H + b * np.outer(x, x)), np.eye(5), atol=1e-12)


def test_quadratic_norms_row_by_row(rng):
    H, centre, thetas = definite(rng, 3), rng.standard_normal(3), rng.standard_normal((4, 3))
    expected = [np.sqrt((theta - centre) @ H @ (theta - centre)) for theta in thetas]
    np.testing.assert_allclose(quadratic_norms(thetas, centre, H), expected, rtol=1e-12)
    np.testing.assert_allclose(quadratic_norms(thetas[0], centre, H), expected[:1], rtol=1e-12)


def test_log_determinant_does_not_overflow():
    assert log_determinant(np.diag([1e200, 1e200, 4.0])) == pytest.approx(
        400.0 * np.log(10.0) + np.log(4.0)
    )


@pytest.mark.parametrize("order", ["C", "F"])
def test_add_outer_in_any_order_of_memory(rng, order):
    H, v = np.array(definite(rng, 4), order=order), rng.standard_normal(4)
    expected = H - 0.7 * np.outer(v, v)
    result = add_outer(H, -0.7, v)
    np.testing.assert_allclose(result, expected, rtol=1e-12)
    assert (result is H) == (order == "F")
