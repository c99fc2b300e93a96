"""The kernel algorithms against constants worked out by hand, dense formulas and each other."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from toy_environments import ScriptedEnvironment, choices

from optimist.algorithms import make_algorithm
from optimist.algorithms.kernel.kernel_ucb import BoundUse
from optimist.config.load import load_paper
from optimist.core.errors import ConfigError
from optimist.environments.problems.kernel import KernelProblem
from optimist.experiments.play_trial import build, play_trial
from optimist.numerics.gaussian_process import dense_posterior
from optimist.numerics.kernels import GaussianKernel, GramKernel, LinearKernel

KERNEL = GaussianKernel(0.3)


def problem(kernel=KERNEL, dimension=2, **changes):
    values = {"horizon": 1000, "deviation": 0.1, "ridge": 0.01, "fixed_arms": True} | changes
    return KernelProblem(kernel=kernel, dimension=dimension, **values)


def environment(arms=40, rounds=200, dimension=2, seed=0, kernel=KERNEL):
    """Return an environment of a smooth function on random points, and all rewards."""
    rng = np.random.default_rng(seed)
    X = rng.random((arms, dimension))
    f = kernel(X, rng.random((5, dimension))) @ rng.standard_normal(5) * 0.3
    rewards = f + 0.1 * rng.standard_normal((rounds, 1))
    return ScriptedEnvironment([X], lambda t, k: float(rewards[t, k])), X, rewards


def play(label, told, place, rounds):
    """Return the algorithm after some rounds, posterior up to date, and what it chose."""
    algorithm = make_algorithm(label, told, np.random.default_rng(1))
    chosen = choices(algorithm, place, rounds)
    algorithm.select(place.arms(rounds))
    return algorithm, chosen


# GP-UCB.


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("solver", ["incremental", "recall", "distinct", "naive"])
def test_gp_ucb_maximises_the_dense_upper_bound(fixed, solver):
    place, X, rewards = environment()
    told = problem(fixed_arms=fixed, factor=0.2)
    _, chosen = play(f"gp_ucb[solver={solver}]", told, place, 60)
    for t in (1, 7, 59):
        y = rewards[np.arange(t), chosen[:t]]
        mean, leverages, log_det = dense_posterior(KERNEL, X[chosen[:t]], y, X, 0.01)
        beta = 0.2 * (0.1 + 0.1 * math.sqrt(2.0 * (log_det + math.log(10.0))))
        assert chosen[t] == int(np.argmax(mean + beta * np.sqrt(leverages)))


def test_the_radii_of_gp_ucb():
    place, X, rewards = environment()
    for radius, expected in {
        "logdet": lambda L: 0.1 * 2.0 + 0.1 * math.sqrt(2.0 * (L + math.log(20.0))),
        "ay": lambda L: 0.1 * 2.0 + 0.1 * math.sqrt(L + 2.0 * math.log(20.0)),
        # On the scale of the function it is F + xi sqrt(...), that is times sqrt(lambda) here.
        "igp": lambda L: (
            math.sqrt(1.002) * (2.0 + 0.1 * math.sqrt(2.0 * (0.5 * L + 1.0 + math.log(20.0))))
        ),
    }.items():
        told = problem(norm_bound=2.0, delta=0.05)
        algorithm, chosen = play(f"gp_ucb[radius={radius}]", told, place, 25)
        ridge = 1.002 if radius == "igp" else 0.01
        y = rewards[np.arange(25), chosen]
        log_det = dense_posterior(KERNEL, X[chosen], y, X, ridge)[2]
        assert algorithm.beta == pytest.approx(expected(log_det))


# BKB.


def test_bkb_with_the_q_bar_of_theory_is_gp_ucb():
    place, X, rewards = environment()
    bkb, chosen = play("bkb[radius=matched]", problem(), place, 80)
    assert bkb.q_bar == pytest.approx(72.0 * math.log(40_000))  # 6 alpha / eps^2, 4 T / delta
    assert bkb.diagnostics()["inducing"] == len(set(chosen))
    for t in (5, 30, 79):
        y = rewards[np.arange(t), chosen[:t]]
        mean, leverages, log_det = dense_posterior(KERNEL, X[chosen[:t]], y, X, 0.01)
        beta = 0.1 + 0.1 * math.sqrt(2.0 * (log_det + math.log(10.0)))
        score = mean + beta * np.sqrt(leverages)
        assert score[chosen[t]] == pytest.approx(score.max(), abs=1e-6)
    y = rewards[np.arange(80), chosen]
    mean, leverages, _ = dense_posterior(KERNEL, X[chosen], y, X, 0.01)
    np.testing.assert_allclose(bkb.mean, mean, atol=1e-8)
    np.testing.assert_allclose(bkb.leverages, leverages, rtol=1e-6)


def test_the_radii_of_bkb():
    place, *_ = environment()
    told = problem(norm_bound=2.0, delta=0.05, ridge=0.04)
    alpha, spread = 3.0, 1.0 + math.sqrt(2.0)
    for radius, expected in {
        "paper": lambda D: (
            0.2 * math.sqrt(alpha * math.log(31.0) * D + math.log(20.0)) + spread * 0.4
        ),
        "corrected": lambda D: (
            0.1 * math.sqrt(2 * (alpha * (1 + math.log(1 + 750)) * D + math.log(20.0)))
            + spread * 0.4
        ),
        "practical": lambda D: 0.1 * math.sqrt(D * math.log(30.0) + math.log(20.0)) + 0.4,
    }.items():
        bkb, _ = play(f"bkb[q_bar=5,radius={radius}]", told, place, 30)
        assert bkb.beta == pytest.approx(expected(bkb.information))
        assert bkb.information == pytest.approx(
            float(bkb.played.counts @ bkb.leverages[bkb.played.indices])
        )


@pytest.mark.parametrize("inclusion", ["union", "linear"])
def test_an_arm_is_an_inducing_point_as_often_as_it_should_be(inclusion):
    bkb, _ = play(
        f"bkb[q_bar=0.8,radius=practical,inclusion={inclusion}]", problem(), environment()[0], 40
    )
    n, p = bkb.played.counts, np.minimum(1.0, 0.8 * bkb.played.leverages)
    expected = 1.0 - (1.0 - p) ** n if inclusion == "union" else np.minimum(1.0, n * p)
    draws, hits = 10_000, np.zeros(len(n))
    for _ in range(draws):
        bkb.resample()
        hits[bkb.drawn] += 1
    assert expected.min() < 0.9
    error = np.abs(hits / draws - expected) / np.sqrt(expected * (1.0 - expected) / draws + 1e-9)
    assert error.max() < 5.0


def test_an_empty_draw_takes_the_likeliest_arm():
    bkb, _ = play("bkb[q_bar=5,radius=practical]", problem(), environment()[0], 20)
    bkb.q_bar = 1e-12
    likely = bkb.played.counts * bkb.played.leverages
    bkb.resample()
    assert bkb.drawn.tolist() == [int(np.argmax(likely))]


def test_bkb_draws_with_the_variance_from_before_the_pull():
    bkb = make_algorithm("bkb[q_bar=5,radius=practical]", problem(), np.random.default_rng(1))
    place, X, _ = environment()
    for t in range(30):
        index = bkb.select(X)
        before = bkb.leverages[index]
        bkb.update(X, index, place.reward(t, index))
        last = bkb.played.indices.tolist().index(index)
        assert bkb.played.leverages[last] == pytest.approx(before)
        bkb.prepare()


def test_the_cache_changes_nothing():
    place, *_ = environment()
    with_rows, chosen = play("bkb[q_bar=0.5,radius=practical]", problem(), place, 100)
    without, same = play("bkb[cache=false,q_bar=0.5,radius=practical]", problem(), place, 100)
    assert chosen == same
    assert with_rows.state_bytes() > without.state_bytes()
    # Without, it holds the kernel of the inducing points with the arms.
    assert without.held.nbytes == 8 * without.diagnostics()["rank"] * 40
    assert with_rows.held is None


def test_changing_arms_are_embedded_when_they_come():
    rng = np.random.default_rng(3)
    _, X, _ = environment(arms=60)
    f = KERNEL(X, X[:4]) @ np.array([0.5, -0.3, 0.2, 0.4])
    offers = [rng.choice(60, 20, replace=False) for _ in range(40)]
    noise = 0.1 * rng.standard_normal(40)
    pools = [X[offer] for offer in offers]
    place = ScriptedEnvironment(pools, lambda t, k: float(f[offers[t][k]] + noise[t]))
    told = problem(fixed_arms=False)
    bkb, exact = (
        make_algorithm(n, told, np.random.default_rng(1))
        for n in ("bkb[radius=practical]", "gp_ucb")
    )
    for t in range(40):
        index = bkb.select(pools[t])
        exact.select(pools[t])
        if t:
            np.testing.assert_allclose(bkb.mean, exact.mean, atol=1e-8)
            np.testing.assert_allclose(bkb.leverages, exact.leverages, rtol=1e-6)
        for each in (bkb, exact):
            each.update(pools[t], index, place.reward(t, index))


def test_kernel_and_ridge_may_be_scaled_together_without_a_change_of_draws():
    place, X, _ = environment()
    c, plain = 64.0, GramKernel(KERNEL(X, X))
    rows = ScriptedEnvironment([np.arange(40.0)[:, None]], place.reward)
    one, chosen = play("bkb[q_bar=2,radius=practical]", problem(plain, dimension=1), rows, 60)
    told = problem(GramKernel(c * plain.gram), dimension=1, ridge=c * 0.01, norm_bound=1 / c**0.5)
    other, chosen_scaled = play("bkb[q_bar=2,radius=practical]", told, rows, 60)
    assert chosen_scaled == chosen
    np.testing.assert_array_equal(other.drawn, one.drawn)
    np.testing.assert_allclose(other.leverages, one.leverages, rtol=1e-9)


# Fixed sketches and features.


@pytest.mark.parametrize("source", ["arms", "history"])
def test_dtc_with_every_arm_is_exact(source):
    place, X, rewards = environment(arms=30)
    dtc, chosen = play(f"dtc_ucb[size=200,source={source}]", problem(), place, 50)
    y = rewards[np.arange(50), chosen]
    mean, leverages, _ = dense_posterior(KERNEL, X[chosen], y, X, 0.01)
    np.testing.assert_allclose(dtc.mean, mean, atol=1e-8)
    np.testing.assert_allclose(dtc.leverages, leverages, rtol=1e-6)


def test_sor_starves_away_from_its_few_points():
    sor, _ = play("sor_ucb[size=3]", problem(), environment(arms=30)[0], 50)
    assert sor.diagnostics()["inducing"] == 3
    assert (sor.leverages < 0.5 / 0.01).sum() > 15


def test_linucb_plays_as_gp_ucb_with_the_linear_kernel():
    place, *_ = environment(dimension=4, kernel=LinearKernel())
    told = problem(LinearKernel(), 4, factor=0.3)
    linear, chosen = play("linucb[radius=logdet]", told, place, 100)
    exact, same = play("gp_ucb", told, place, 100)
    assert chosen == same
    np.testing.assert_allclose(linear.mean, exact.mean, atol=1e-9)
    assert linear.beta == pytest.approx(exact.beta)


def test_linucb_has_the_radius_of_its_theorem_without_options():
    place, *_ = environment(dimension=4, kernel=LinearKernel())
    linear, _ = play("linucb", problem(LinearKernel(), 4), place, 30)
    told, log_det = linear.problem, np.linalg.slogdet(np.linalg.inv(linear.posterior.V_inv))[1]
    growth = log_det - 4 * math.log(told.ridge)  # of V / lambda
    width = told.deviation * math.sqrt(growth - 2.0 * math.log(told.delta))
    assert linear.beta == pytest.approx(math.sqrt(told.ridge) * told.norm_bound + width)


def test_qff_ts_samples_the_posterior_of_its_features():
    place, X, rewards = environment(dimension=1)
    told = problem(dimension=1)
    qff, chosen = play("qff_ts[nodes=24]", told, place, 40)
    y = rewards[np.arange(40), chosen]
    mean, *_ = dense_posterior(KERNEL, X[chosen], y, X, 0.01)
    np.testing.assert_allclose(qff.mean, mean, atol=1e-6)
    wins = np.bincount([qff.choose() for _ in range(4000)], minlength=40) / 4000
    rng = np.random.default_rng(5)
    phi = qff.map(X)
    V = 0.01 * np.eye(phi.shape[1]) + phi[chosen].T @ phi[chosen]
    thetas = rng.multivariate_normal(
        np.linalg.solve(V, phi[chosen].T @ y), 0.01 * np.linalg.inv(V), size=4000
    )
    expected = np.bincount(np.argmax(thetas @ phi.T, axis=1), minlength=40) / 4000
    assert np.abs(wins - expected).max() < 5.0 * math.sqrt(0.5 / 4000)


def test_qff_ts_is_for_few_dimensions():
    with pytest.raises(ConfigError, match="dimension is 4; allowed for qff_ts: at most 3"):
        make_algorithm("qff_ts", problem(dimension=4))


@pytest.mark.parametrize("name", ["linucb", "soful", "cbrap"])
def test_linear_methods_refuse_other_kernels(name):
    with pytest.raises(ConfigError, match=rf"{name}.*kernel 'gaussian'; allowed: linear"):
        make_algorithm(name, problem())


def test_soful_with_a_sketch_of_more_rows_than_dimensions_is_exact():
    place, *_ = environment(dimension=3, kernel=LinearKernel())
    told = problem(LinearKernel(), 3)
    soful, chosen = play("soful[size=4,radius=oful]", told, place, 60)
    exact, same = play("linucb[radius=logdet]", told, place, 60)
    assert chosen == same
    assert soful.lost == 0.0
    np.testing.assert_allclose(soful.mean, exact.mean, atol=1e-8)
    np.testing.assert_allclose(soful.leverages, exact.leverages, rtol=1e-6)


def test_soful_keeps_what_frequent_directions_promises():
    # S^T S <= X^T X <= S^T S + lost I, with at most m - 1 rows left.
    place, X, rewards = environment(dimension=6, kernel=LinearKernel())
    told = problem(LinearKernel(), 6, norm_bound=2.0, delta=0.05, factor=0.5)
    soful, chosen = play("soful[size=3]", told, place, 80)
    G, sketched = X[chosen].T @ X[chosen], soful.sketch.T @ soful.sketch
    assert np.linalg.eigvalsh(G - sketched)[0] > -1e-9
    assert np.linalg.eigvalsh(sketched + soful.lost * np.eye(6) - G)[0] > -1e-9
    assert np.linalg.matrix_rank(soful.sketch, tol=1e-9) == 2
    V = sketched + 0.01 * np.eye(6)
    y = rewards[np.arange(80), chosen]
    np.testing.assert_allclose(soful.mean, X @ np.linalg.solve(V, X[chosen].T @ y), atol=1e-8)
    squares = np.einsum("ai,ij,aj->a", X, np.linalg.inv(V), X)
    np.testing.assert_allclose(soful.leverages, squares, rtol=1e-8)
    L2, growth = (X * X).sum(axis=1).max(), 1.0 + soful.lost / 0.01
    width = 3 * math.log(1 + 80 * L2 / 0.03) + 2 * math.log(20.0) + 6 * math.log(growth)
    expected = 0.1 * math.sqrt(width * growth) + 0.2 * growth
    assert soful.beta == pytest.approx(0.5 * expected)


def test_cbrap_is_linucb_on_projected_arms():
    place, X, _ = environment(dimension=6, kernel=LinearKernel())
    cbrap, chosen = play("cbrap[size=3]", problem(LinearKernel(), 6), place, 50)
    Z = X @ cbrap.projection.T
    projected = ScriptedEnvironment([Z], place.script)
    linear, same = play("linucb[radius=logdet]", problem(LinearKernel(), 3), projected, 50)
    assert chosen == same
    assert cbrap.beta == pytest.approx(linear.beta)


def test_epsilon_greedy_explores_less_and_less():
    place, *_ = environment(rounds=3000)
    greedy = make_algorithm("gp_epsilon_greedy", problem(), np.random.default_rng(0))
    chosen = choices(greedy, place, 1000)
    best = max(set(chosen[500:]), key=chosen[500:].count)
    explored = np.mean(np.array(chosen[500:]) != best)
    # The mean of t^(-1/3) over the last 500 rounds is 0.112.
    assert 0.05 < explored < 0.4


@pytest.mark.parametrize("setting", ["gaussian_d1[horizon=40]", "gaussian_d2[horizon=40,subset=9]"])
@pytest.mark.parametrize("label", ["gp_ucb", "bkb"])
def test_errors_are_recorded_as_shares_of_the_width_of_the_bounds(setting, label):
    cell = load_paper("bkb").cell(setting, label)
    environment, told = build(cell, 0)
    algorithm = make_algorithm(label, told, cell.algorithm_stream(0))
    shares = [0.0]
    for t in range(40):
        f = environment.truth(t)
        if f is not None and len(algorithm.mean):
            width = algorithm.beta * np.sqrt(algorithm.leverages)
            shares.append(np.max(np.abs(f - algorithm.mean) / width))
        arms = environment.arms(t)
        index = algorithm.select(arms)
        algorithm.update(arms, index, environment.reward(t, index))
        algorithm.prepare()
    last = play_trial(cell, 0).rows[-1]
    assert last["error_over_width"] == pytest.approx(max(shares), rel=1e-9)
    assert 0.0 < last["error_over_width"] < 1.0
    assert last["covered"]


def test_an_exact_mean_uses_nothing_of_its_bounds_and_an_error_without_width_all():
    known = SimpleNamespace(mean=np.array([1.0, 2.0]), widths=lambda: np.array([0.0, 1.0]))
    for f, expected in (([1.0, 2.5], 0.5), ([1.1, 2.0], math.inf)):
        use = BoundUse(lambda _, f=f: np.array(f), known)
        use.before(0)
        assert use.columns() == {"error_over_width": expected}
    nothing = BoundUse(lambda _: None, known)
    nothing.before(0)
    assert nothing.columns() == {"error_over_width": 0.0}
