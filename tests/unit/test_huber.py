"""Adaptive Huber regression: derivatives, optimality conditions, and solvers against each other."""

import numpy as np
import pytest

from optimist.numerics.huber import (
    MAX_STEPS,
    SOLVERS,
    HuberRegression,
    solve_by_reweighting,
    solve_newton,
)

TIGHT = 1e-9
# The one that public code runs stops early.
MINIMISERS = sorted(set(SOLVERS) - {"slsqp_loop"})


def regression(seed, *, n=300, d=3, radius=2.0, tau_scale=1.0, ridge=1.0):
    """Return a regression on heavy-tailed data with weights over two orders of magnitude."""
    rng = np.random.default_rng(seed)
    found = HuberRegression(d, ridge, radius)
    theta = rng.standard_normal(d)
    for _ in range(n):
        x, sigma = rng.uniform(-1.0, 1.0, d), 10.0 ** rng.uniform(-1.0, 1.0)
        reward = x @ theta + sigma * rng.standard_t(1.7)
        found.append(x / sigma, reward / sigma, tau_scale * rng.uniform(0.5, 3.0))
    return found


def test_value_and_gradient_by_the_definition():
    problem = regression(1, n=40)
    a, y, tau = problem.observations
    theta = np.array([0.3, -0.4, 0.1])
    z = y - theta @ a
    losses = [
        0.5 * v * v if abs(v) <= t else t * abs(v) - 0.5 * t * t
        for v, t in zip(z, tau, strict=True)
    ]
    assert problem.value(theta) == pytest.approx(0.5 * theta @ theta + sum(losses), rel=1e-12)
    step = 1e-6
    numeric = [
        (problem.value(theta + step * e) - problem.value(theta - step * e)) / (2.0 * step)
        for e in np.eye(3)
    ]
    np.testing.assert_allclose(problem.gradient(theta), numeric, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("solver", MINIMISERS)
@pytest.mark.parametrize("radius", [0.5, 20.0])
@pytest.mark.parametrize("tau_scale", [1.0, 0.05])
def test_solvers_find_the_minimum_that_newton_finds(solver, radius, tau_scale):
    for seed in range(4):
        problem = regression(seed, radius=radius, tau_scale=tau_scale)
        theta, converged = SOLVERS[solver](problem, np.array([0.1, 0.0, -0.2]), TIGHT)
        newton, _ = SOLVERS["newton"](problem, np.zeros(3), TIGHT)
        assert converged
        assert len(problem.clipped(newton)[0]) >= 15  # 5 % of the data
        np.testing.assert_allclose(theta, newton, atol=1e-6)


@pytest.mark.parametrize("tau_scale", [1.0, 0.02])
def test_newton_is_exact_from_anywhere(tau_scale):
    # At the minimiser of the set of clipped observations there, F's gradient vanishes in the ball,
    # and is opposite to theta on its border.
    for seed in range(30):
        for radius in (0.4, 30.0):
            problem = regression(seed, n=80, radius=radius, tau_scale=tau_scale)
            start = np.random.default_rng(seed).standard_normal(3)
            start *= radius / np.linalg.norm(start)
            theta, converged = SOLVERS["newton"](problem, start, TIGHT)
            assert converged
            gradient, scale = problem.gradient(theta), np.trace(problem.H)
            if np.linalg.norm(theta) < radius * (1.0 - 1e-9):
                np.testing.assert_allclose(gradient, 0.0, atol=1e-11 * scale)
            else:
                rho = -(gradient @ theta) / radius**2
                assert rho >= 0.0
                np.testing.assert_allclose(gradient, -rho * theta, atol=1e-9 * scale)


def test_more_clipped_than_not_and_all_clipped():
    # The sums over the observations inside are then made anew, not by subtraction.
    problem = regression(2, n=60, tau_scale=1e-3)
    for theta in (np.zeros(3), np.full(3, 0.3)):
        assert len(problem.clipped(theta)[0]) > 30
    theta, converged = SOLVERS["newton"](problem, np.zeros(3), TIGHT)
    assert converged
    np.testing.assert_allclose(problem.gradient(theta), 0.0, atol=1e-9)


def test_a_solver_that_is_stopped_says_so(monkeypatch):
    from optimist.numerics import huber

    problem = regression(5, tau_scale=0.05)
    for name, limit in (
        ("newton", "MAX_STEPS"),
        ("irls", "MAX_SWEEPS"),
        ("gd_cold", "MAX_GRADIENT_STEPS"),
    ):
        monkeypatch.setattr(huber, limit, 1)
        assert not SOLVERS[name](problem, np.zeros(3), 1e-12)[1]
    assert MAX_STEPS > 1


def test_what_is_known_of_clipping_is_used_for_the_same_point_only():
    problem = regression(7, n=100, tau_scale=0.2)
    here, there = np.full(3, 0.2), np.zeros(3)
    problem.clipped(here)
    grown = regression(7, n=140, tau_scale=0.2)
    a, y, tau = grown.observations
    for k in range(100, 140):
        problem.append(a[:, k], y[k], tau[k])
    for theta in (here, there, here.copy(), here):
        found, expected = problem.clipped(theta), grown.clipped(theta.copy())
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_array_equal(found[1], expected[1])
    assert len(problem.clipped(here)[0]) > len(regression(7, n=100, tau_scale=0.2).clipped(here)[0])


def test_bytes_grow_with_the_rows_in_use():
    small, large = regression(0, n=10), regression(0, n=20)
    assert large.nbytes - small.nbytes == 8 * 10 * 5


def test_the_loop_of_public_code_finds_the_same_minimum_to_its_digits():
    problem = regression(4, n=60)
    exact, _ = SOLVERS["newton"](problem, np.zeros(3), TIGHT)
    theta, converged = SOLVERS["slsqp_loop"](problem, np.zeros(3), TIGHT)
    assert converged
    assert problem.value(theta) == pytest.approx(problem.value(exact), rel=1e-4)
    np.testing.assert_allclose(theta, exact, atol=0.02)


@pytest.mark.parametrize("outlier", [1e6, 1e9, 1e12, 1e14, 1e300])
def test_a_huge_reward_costs_no_digits(outlier):
    rng = np.random.default_rng(3)
    plain, huge = (HuberRegression(3, 1.0, 2.0) for _ in range(2))
    for s in range(60):
        a, y = rng.standard_normal(3), rng.standard_normal()
        for regression, reward in ((plain, 1e3), (huge, outlier)):
            regression.append(a, reward if s in (7, 30) else y, 1.5)
    found, converged = solve_newton(huge, np.zeros(3), 1e-8)
    expected, _ = solve_newton(plain, np.zeros(3), 1e-8)
    assert converged
    # Clipped is clipped: a larger reward pulls no harder.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found, solve_by_reweighting(huge, found, 1e-8)[0], atol=1e-8)
