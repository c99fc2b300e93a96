"""Maxima over likelihood level sets: generic solver, brute force in the plane, and bounds."""

import math

import numpy as np
import pytest
from toy_environments import random_arms

from optimist.numerics import optimality
from optimist.numerics.bounds import upper_bounds
from optimist.numerics.expansions import SolutionMemory
from optimist.numerics.level_set import LevelSet
from optimist.numerics.likelihood import History, Likelihood, minimise
from optimist.numerics.links import Gaussian, make_link
from optimist.numerics.maximisation import best_arm, maxima, maximise_by_dual
from optimist.numerics.starts import points_on_border

LINKS = [make_link("logistic"), make_link("poisson"), Gaussian(1.0)]
each_link = pytest.mark.parametrize("link", LINKS, ids=lambda link: link.name)


def random_history(rng, link, norm, n, d):
    """Return n plays of random arms with rewards from a parameter of the given norm."""
    theta = rng.standard_normal(d)
    theta *= norm / np.linalg.norm(theta)
    history = History(d)
    X = random_arms(rng, n, d)
    for x, reward in zip(X, link.sample(rng, link.mean(X @ theta)), strict=True):
        history.append(0, x, reward)
    return history


def random_set(rng, link, *, norm=3.0, n=50, d=3, level=8.0, ball=True, ridge=0.0):
    """Return the level set of a random history around its minimiser over the domain."""
    likelihood = Likelihood(link, random_history(rng, link, norm, n, d), ridge)
    radius = norm if ball else None
    centre, converged = minimise(likelihood, np.zeros(d), radius)
    assert converged
    return LevelSet(likelihood, centre, level, radius)


def brute_force(level_set, x, start):
    """Maximise over a level set in the plane by rays from the member ``start``, finer and finer."""
    best, middle, width = -np.inf, 0.0, math.pi
    for _ in range(6):
        angles = middle + np.linspace(-width, width, 400)
        rays = np.column_stack([np.cos(angles), np.sin(angles)])
        low, high = np.zeros(len(rays)), np.full(len(rays), 50.0)
        for _ in range(50):
            half = 0.5 * (low + high)
            points = start + half[:, None] * rays
            inside = level_set.excess(points) <= level_set.level
            if level_set.radius is not None:
                inside &= np.linalg.norm(points, axis=1) <= level_set.radius
            low, high = np.where(inside, half, low), np.where(inside, high, half)
        values = (start + low[:, None] * rays) @ x
        best, middle, width = max(best, values.max()), angles[values.argmax()], width / 50.0
    return best


@each_link
@pytest.mark.parametrize("ball", [True, False])
def test_maxima_equal_brute_force_in_the_plane(link, ball):
    rng = np.random.default_rng(8)
    for n in (1, 5, 60):
        level_set = random_set(rng, link, n=n, d=2, ball=ball, ridge=0.0 if ball else 1.0)
        arms = random_arms(rng, 3, 2)
        expected = [brute_force(level_set, x, level_set.centre) for x in arms]
        np.testing.assert_allclose(maxima(level_set, arms), expected, atol=2e-6)


@each_link
def test_the_set_of_no_data_is_the_ball(link):
    level_set = LevelSet(Likelihood(link, History(3)), np.zeros(3), 2.0, 1.5)
    arms = random_arms(np.random.default_rng(0), 5, 3)
    lengths = np.linalg.norm(arms, axis=1)
    np.testing.assert_allclose(maxima(level_set, arms), 1.5 * lengths, rtol=1e-12)
    assert best_arm(level_set, arms) == lengths.argmax()


def anywhere(rng, level_set, m):
    """Return m points of all sizes around the centre, with any multipliers s and rho."""
    d = len(level_set.centre)
    moves = rng.standard_normal((m, d)) * 10.0 ** rng.uniform(-3.0, 1.0, (m, 1))
    s = 10.0 ** rng.uniform(-2.0, 3.0, (m, 1))
    rho = 10.0 ** rng.uniform(-3.0, 2.0, (m, 1)) * (level_set.radius is not None)
    rho[::4] = 0.0
    return np.hstack([level_set.centre + moves, s, rho])


@each_link
@pytest.mark.parametrize(("ball", "ridge"), [(True, 0.8), (True, 0.0), (False, 0.8)])
def test_bounds_from_any_point_are_never_below_the_maximum(link, ball, ridge):
    rng = np.random.default_rng(21)
    for _ in range(15):
        n, d, norm = int(rng.integers(1, 300)), int(rng.integers(1, 6)), rng.uniform(0.5, 7.0)
        level_set = random_set(
            rng, link, norm=norm, n=n, d=d, level=rng.uniform(0.5, 60.0), ball=ball, ridge=ridge
        )
        arms = random_arms(rng, 40, d)
        unknowns = anywhere(rng, level_set, 40)
        derivatives = level_set.likelihood.derivatives(unknowns[:, :-2])
        bounds = upper_bounds(level_set, arms, unknowns, derivatives)
        assert (bounds - maxima(level_set, arms)).min() >= -1e-7


def test_an_empty_set_is_an_error_that_says_so():
    level_set, _ = outside_set(0)
    empty = LevelSet(level_set.likelihood, level_set.centre, 1e-3, 0.1)
    with pytest.raises(np.linalg.LinAlgError, match="no parameter in the domain"):
        maxima(empty, random_arms(np.random.default_rng(0), 3, 2))


@each_link
@pytest.mark.parametrize("ball", [True, False])
def test_bounds_from_a_solution_are_tight(link, ball):
    rng = np.random.default_rng(29)
    level_set = random_set(rng, link, n=100, d=3, level=4.0, ball=ball, ridge=0.8)
    x = random_arms(rng, 1, 3)
    theta, s = maximise_by_dual(level_set, x[0])
    value, gradient, hessian = level_set.likelihood.derivatives(theta[None])
    rho = max(float((s * x[0] - gradient[0]) @ theta) / (theta @ theta), 0.0) * ball
    unknowns = np.array([[*theta, s, rho]])
    bound = upper_bounds(level_set, x, unknowns, (value, gradient, hessian))
    assert bound[0] == pytest.approx(maxima(level_set, x)[0], abs=1e-5)


@each_link
@pytest.mark.parametrize("ball", [True, False])
def test_members_are_members(link, ball):
    rng = np.random.default_rng(30)
    level_set = random_set(rng, link, ball=ball, ridge=0.0 if ball else 0.8)
    thetas = anywhere(rng, level_set, 200)[:, :-2]
    members = level_set.members(thetas, level_set.likelihood.values(thetas))
    assert (level_set.excess(members) <= level_set.level * (1.0 + 1e-9)).all()
    assert not ball or (np.linalg.norm(members, axis=1) <= 3.0 * (1.0 + 1e-9)).all()
    near = level_set.centre + 1e-3 * (thetas - level_set.centre)
    kept = level_set.contains(near)
    same = level_set.members(near[kept], level_set.likelihood.values(near[kept]))
    np.testing.assert_allclose(same, near[kept], atol=1e-12)


@each_link
@pytest.mark.parametrize("remembers", [True, False])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_zero_arm_is_played_where_it_is_best_only(link, remembers, sign):
    rng = np.random.default_rng(33)
    level_set = random_set(rng, link, n=200, d=3, level=1.0)
    ahead = sign * level_set.centre / np.linalg.norm(level_set.centre)
    arms = np.array([ahead, np.zeros(3)])
    expected = maxima(level_set, arms)
    assert (expected[0] > 0.0) == (sign > 0.0)
    if remembers:
        level_set.memory = SolutionMemory(link, 3)
        maxima(level_set, random_arms(rng, 20, 3))
    assert best_arm(level_set, arms, prune=True) == expected.argmax()
    assert best_arm(level_set, arms[::-1], prune=True) == 1 - expected.argmax()


@each_link
def test_the_tip_is_reached_where_the_ball_alone_decides(link):
    rng = np.random.default_rng(35)
    level_set = random_set(rng, link, n=12, d=3, level=6.0)
    arms = random_arms(rng, 60, 3)
    whole = np.isclose(maxima(level_set, arms), 3.0 * np.linalg.norm(arms, axis=1), rtol=1e-9)
    assert [level_set.reaches_tip(x) for x in arms] == whole.tolist()
    assert 0 < whole.sum() < 60
    assert not level_set.reaches_tip(np.zeros(3))


@pytest.mark.parametrize("sigma", [1e-3, 1e-4])
def test_precise_rewards_of_collinear_arms_make_nothing_singular(sigma):
    # Hessians of 1e8 and more with an empty direction.
    link, history, x = Gaussian(sigma), History(2), np.array([0.5, 0.5])
    for _ in range(1000):
        history.append(0, x, 1.0)
    likelihood = Likelihood(link, history)
    centre, converged = minimise(likelihood, np.zeros(2), 3.0)
    assert converged
    arms = random_arms(np.random.default_rng(0), 5, 2)
    level_set = LevelSet(likelihood, centre, 5.0, 3.0)
    assert best_arm(level_set, arms, prune=True) == maxima(level_set, arms).argmax()


def test_pruning_saves_passes_over_the_data(monkeypatch):
    rng = np.random.default_rng(23)
    level_set = random_set(rng, LINKS[0], n=400, d=2, level=4.0)
    arms = random_arms(rng, 40, 2)
    evaluated, derivatives = [], Likelihood.derivatives

    def counting(likelihood, thetas):
        evaluated.append(len(thetas))
        return derivatives(likelihood, thetas)

    monkeypatch.setattr(Likelihood, "derivatives", counting)
    best_arm(level_set, arms, prune=False)
    everything = sum(evaluated)
    evaluated.clear()
    best_arm(level_set, arms, prune=True)
    assert 0 < sum(evaluated) < 0.6 * everything


@each_link
@pytest.mark.parametrize("ball", [True, False])
def test_the_dual_fallback_agrees_with_the_system(link, ball):
    rng = np.random.default_rng(24)
    level_set = random_set(rng, link, n=60, d=3, level=4.0, ball=ball, ridge=0.0 if ball else 0.8)
    arms = random_arms(rng, 6, 3)
    expected = maxima(level_set, arms)
    for x, value in zip(arms, expected, strict=True):
        theta, s = maximise_by_dual(level_set, x)
        assert s > 0.0
        assert level_set.excess(theta[None])[0] <= level_set.level * (1.0 + 1e-9)
        assert x @ theta == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize("norm", [100.0, 700.0])
@pytest.mark.parametrize("level", [0.05, 1.0, 8.0, 30.0])
def test_the_dual_solves_where_a_tilt_has_no_single_minimiser(norm, level):
    # One play without reward: a tilt by its arm makes the reward 1, and any large z as good.
    history, (x, other) = History(5), np.eye(5)[:2]
    history.append(0, x, 0.0)
    history.append(1, other, 1.0)
    likelihood = Likelihood(LINKS[0], history, 0.0)
    centre, _ = minimise(likelihood, np.zeros(5), norm)
    level_set = LevelSet(likelihood, centre, level, norm)
    largest = math.log(math.expm1(level + level_set.minimum))
    theta, _ = maximise_by_dual(level_set, x)
    assert x @ theta == pytest.approx(largest, abs=1e-9 * norm)
    assert level_set.contains(theta[None])[0] or level_set.excess(theta[None])[0] < level + 1e-9
    assert level_set.failures == 0


def test_a_dual_that_falls_short_counts_as_a_failure(monkeypatch):
    level_set = random_set(np.random.default_rng(25), LINKS[0], n=200, d=3, level=4.0)
    x = random_arms(np.random.default_rng(1), 1, 3)[0]
    maximise_by_dual(level_set, x)
    assert level_set.failures == 0
    monkeypatch.setattr(
        "optimist.numerics.maximisation.minimise",
        lambda *arguments: (minimise(*arguments)[0], False),
    )
    maximise_by_dual(level_set, x)
    assert level_set.failures == 1


def test_a_system_that_gives_up_is_replaced_by_the_dual(monkeypatch):
    rng = np.random.default_rng(25)
    level_set = random_set(rng, LINKS[0], n=200, d=3, level=4.0)
    arms = random_arms(rng, 4, 3)
    expected = maxima(level_set, arms)
    assert level_set.fallbacks == 0
    assert (expected < 2.999 * np.linalg.norm(arms, axis=1)).all()  # the level set binds
    monkeypatch.setattr(optimality, "MAX_NEWTON_STEPS", 0)
    np.testing.assert_allclose(maxima(level_set, arms), expected, atol=1e-5)
    assert level_set.fallbacks == 4


def outside_set(seed):
    """Return a level set whose unconstrained centre lies outside its ball, and a member of it."""
    rng = np.random.default_rng(seed)
    likelihood = Likelihood(LINKS[0], random_history(rng, LINKS[0], 2.0, 12, 2), 0.01)
    centre, _ = minimise(likelihood, np.zeros(2))
    radius = 0.5 * float(np.linalg.norm(centre))
    member, _ = minimise(likelihood, np.zeros(2), radius)
    gap = float(likelihood.values(member[None])[0] - likelihood.values(centre[None])[0])
    return LevelSet(likelihood, centre, 1.1 * gap + 0.01, radius), member


@pytest.mark.parametrize("newton_steps", [30, 0])
@pytest.mark.parametrize("seed", range(4))
def test_a_centre_outside_the_ball_is_no_obstacle(seed, newton_steps, monkeypatch):
    # OFULog-r with ball=true: the estimate is unconstrained, the set is not. Without Newton steps
    # the dual must do the work.
    monkeypatch.setattr(optimality, "MAX_NEWTON_STEPS", newton_steps)
    level_set, member = outside_set(seed)
    arms = random_arms(np.random.default_rng(seed), 4, 2)
    expected = np.array([brute_force(level_set, x, member) for x in arms])
    assert best_arm(level_set, arms) == expected.argmax()
    np.testing.assert_allclose(maxima(level_set, arms), expected, atol=1e-5)


def test_huge_rewards_do_not_break_the_solver():
    # A reward of 1e12 puts the estimate on the sphere and the values beyond 1e12, where
    # differences of the likelihood are rounded to 1e-4.
    rng, link = np.random.default_rng(26), LINKS[0]
    history = History(2)
    for x in random_arms(rng, 10, 2):
        history.append(0, x, 1e12)
    likelihood = Likelihood(link, history)
    centre, _ = minimise(likelihood, np.zeros(2), 3.0)
    values = maxima(LevelSet(likelihood, centre, 10.0, 3.0), random_arms(rng, 5, 2))
    assert np.isfinite(values).all()


@each_link
@pytest.mark.parametrize("ball", [True, False])
@pytest.mark.parametrize(("fixed", "slots"), [(True, 256), (False, 256), (True, 5), (False, 5)])
def test_memory_and_pruning_change_speed_and_not_values(link, ball, fixed, slots):
    # The data grow round after round: from memory and pruned, against from nothing and in full.
    rng = np.random.default_rng(28)
    history, arms = random_history(rng, link, 2.0, 5, 3), random_arms(rng, 8, 3)
    memory, centre, radius = SolutionMemory(link, 3, slots), np.zeros(3), 3.0 if ball else None
    for t in range(40):
        arms = arms if fixed else random_arms(rng, 8, 3)
        x = arms[t % 8]
        reward = float(link.sample(rng, link.mean(arms[[t % 8]] @ np.ones(3)))[0])
        history.append(t, x, reward)
        memory.observe(x, reward)
        likelihood = Likelihood(link, history, 0.0 if ball else 0.5 + 0.01 * t)
        centre, _ = minimise(likelihood, centre, radius)
        warm, cold = (LevelSet(likelihood, centre, 5.0, radius, kept) for kept in (memory, None))
        exact = maxima(cold, arms)
        np.testing.assert_allclose(maxima(warm, arms), exact, atol=1e-6)
        assert exact[best_arm(warm, arms)] == pytest.approx(exact.max(), abs=1e-6)
    assert memory.count > 0
    assert not fixed or slots < len(arms) or memory.count <= len(arms)


@pytest.mark.parametrize("ball", [True, False])
def test_starts_are_near_the_border(ball):
    rng = np.random.default_rng(32)
    level_set = random_set(rng, LINKS[0], n=200, level=4.0, ball=ball, ridge=0.0 if ball else 0.8)
    arms = random_arms(rng, 20, 3)
    thetas, on_sphere, scales = points_on_border(level_set, arms)
    roots = np.sqrt(level_set.excess(thetas) / level_set.level)
    np.testing.assert_allclose(roots, 1.0, atol=0.1)
    np.testing.assert_allclose(np.linalg.norm(thetas[on_sphere], axis=1), 3.0)
    assert (scales > 0.0).all()
    assert (np.linalg.norm(thetas, axis=1) <= 3.0 * (1.0 + 1e-9)).all() or not ball


def test_membership_by_hand():
    # One observation x = 1, r = 1 with a Gaussian likelihood: psi(theta) = (theta - 1)^2 / 2.
    history = History(1)
    history.append(0, np.ones(1), 1.0)
    level_set = LevelSet(Likelihood(Gaussian(1.0), history), np.ones(1), 0.5, 1.8)
    thetas = np.array([[-0.01], [0.01], [1.0], [1.79], [1.81], [2.5]])
    assert level_set.contains(thetas).tolist() == [False, True, True, True, False, False]
    assert maxima(level_set, np.array([[1.0], [-1.0]])) == pytest.approx([1.8, 0.0])
