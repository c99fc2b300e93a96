"""GLB-OMD against numbers worked by hand, its defining problem, and recursive least squares."""

import numpy as np
import pytest
from scipy.optimize import minimize
from toy_environments import make_problem, papers, random_arms

from optimist.algorithms import make_algorithm
from optimist.algorithms.glb.glb_omd import regret_bound
from optimist.algorithms.glb.inverses import MATRIX_INVERSES
from optimist.experiments.play_trial import build, play_trial
from optimist.numerics.links import Gaussian

(PAPER,) = (p for p in papers() if p.id == "glb_omd")


def test_two_rounds_by_hand():
    # d = 1, S = 1, R = 1, C = 1/4, delta = 0.01: lambda = 1, eta = 2, one arm x = 1, rewards 1, 1.
    algorithm = make_algorithm("glb_omd", make_problem(dimension=1, norm_bound=1.0, delta=0.01))
    arms = np.array([[1.0]])
    # beta_1^2 = 4 + 4 ln 100 + 24 ln 2.5 = 4 + 18.420681 + 21.990978.
    assert algorithm.radius == pytest.approx(np.sqrt(44.411659), rel=1e-7)
    # Round 1: mu = 1/2, mu' = 1/4, alpha = 1/2, q = 1: theta = 2 * (1/2) / (1 + 1/2) = 2/3.
    # Then b = mu'(2/3) = e^(-2/3) / (1 + e^(-2/3))^2 = 0.513417 / 2.290431 = 0.224157.
    algorithm.update(arms, 0, 1.0)
    assert algorithm.theta == pytest.approx([2.0 / 3.0], abs=1e-12)
    assert algorithm.H[0, 0] == pytest.approx(1.224157, abs=1e-6)
    assert algorithm.radius == pytest.approx(np.sqrt(22.420681 + 24.0 * np.log(3.0)), rel=1e-7)
    # Round 2: mu(2/3) = 0.660758, q = 1 / 1.224157 = 0.816889, alpha = 0.448314,
    # zeta = 2/3 + 2 * 0.339242 * 0.816889 / 1.366223 = 1.0723 > 1: projected to 1.
    # b = mu'(1) = 0.196612.
    algorithm.update(arms, 0, 1.0)
    assert algorithm.theta == pytest.approx([1.0], abs=1e-12)
    assert algorithm.projections == 1
    assert algorithm.H[0, 0] == pytest.approx(1.420769, abs=2e-6)


def test_the_first_arm_is_the_longest_and_ties_go_to_the_lowest_index():
    algorithm = make_algorithm("glb_omd", make_problem())
    assert algorithm.select(np.array([[0.3, 0.0], [0.0, 0.9], [0.5, 0.5]])) == 1
    assert algorithm.select(np.array([[0.3, 0.0], [0.0, 0.9], [0.9, 0.0]])) == 1


def test_the_index_by_hand():
    # theta = (1, 0), H = diag(4, 1): the indices of the arms are 0.8 + 0.4 beta and 0.5 beta, so
    # the second wins if beta > 8.
    algorithm = make_algorithm("glb_omd", make_problem(factor=1e-3))
    algorithm.theta = np.array([1.0, 0.0])
    algorithm.H_inv = np.diag([0.25, 1.0])
    beta = algorithm.radius
    assert beta < 0.1
    assert algorithm.select(np.array([[0.8, 0.0], [0.0, 0.5]])) == 0
    wide = make_algorithm("glb_omd", make_problem())
    wide.theta, wide.H_inv = algorithm.theta, algorithm.H_inv
    assert wide.radius > 8.0
    assert wide.select(np.array([[0.8, 0.0], [0.0, 0.5]])) == 1


def warm(rng, link, d, norm):
    """Return an algorithm after some rounds, and arms."""
    algorithm = make_algorithm("glb_omd", make_problem(link, dimension=d, norm_bound=norm))
    arms = random_arms(rng, 30, d)
    theta = rng.standard_normal(d)
    theta *= norm / np.linalg.norm(theta)
    for t in range(25):
        mean = algorithm.problem.link.mean(arms[t : t + 1] @ theta)
        algorithm.update(arms, t, float(algorithm.problem.link.sample(rng, mean)[0]))
    return algorithm, arms


def mirror_descent_step(algorithm, x, reward):
    """Solve equation (3) by a generic constrained minimiser."""
    link, S = algorithm.problem.link, algorithm.problem.norm_bound
    old, H, z = algorithm.theta, algorithm.H, x @ algorithm.theta
    gradient = (link.mean(z) - reward) * x / link.dispersion
    curvature = link.slope(z) / link.dispersion * np.outer(x, x) + H / algorithm.eta
    scale = np.linalg.norm(curvature, 2)
    solution = minimize(
        lambda t: (gradient @ (t - old) + 0.5 * (t - old) @ curvature @ (t - old)) / scale,
        old,
        jac=lambda t: (gradient + curvature @ (t - old)) / scale,
        constraints={"type": "ineq", "fun": lambda t: S**2 - t @ t, "jac": lambda t: -2.0 * t},
        method="SLSQP",
        options={"ftol": 1e-16, "maxiter": 1000},
    )
    return solution.x


@pytest.mark.parametrize("d", [1, 2, 3, 5, 8, 11])
@pytest.mark.parametrize(
    "link", ["logistic", "poisson", Gaussian(0.7)], ids=["logistic", "poisson", "gaussian"]
)
def test_an_update_solves_equation_3(link, d):
    rng = np.random.default_rng(d)
    projected = []
    for surprise in (None, -1.0, 1.0, 40.0, 300.0, -300.0):
        algorithm, arms = warm(rng, link, d, norm=2.0)
        z = arms[25] @ algorithm.theta
        # None: a reward that pulls the prediction a little towards 0, away from the sphere.
        surprise = -0.05 * np.sign(z) if surprise is None else surprise
        reward = algorithm.problem.link.mean(z) + surprise
        expected = mirror_descent_step(algorithm, arms[25], reward)
        before = algorithm.projections
        algorithm.update(arms, 25, reward)
        projected.append(algorithm.projections - before)
        np.testing.assert_allclose(algorithm.theta, expected, atol=1e-6)
        assert np.linalg.norm(algorithm.theta) <= 2.0 * (1.0 + 1e-12)
    assert set(projected) == {0, 1}, "both cases must occur"


@pytest.mark.parametrize("setting", ["logistic_s3", "poisson_s9"])
def test_the_inverse_stays_an_inverse_for_three_thousand_rounds(setting):
    cell = PAPER.cell(setting, "glb_omd")
    environment, problem = build(cell, 0)
    algorithm = make_algorithm("glb_omd", problem)
    for t in range(3000):
        arms = environment.arms(t)
        index = algorithm.select(arms)
        algorithm.update(arms, index, environment.reward(t, index))
    np.testing.assert_allclose(algorithm.H_inv @ algorithm.H, np.eye(5), atol=1e-8)


def test_the_set_is_the_ellipsoid_around_the_estimate():
    algorithm, _ = warm(np.random.default_rng(4), "logistic", 3, norm=2.0)
    directions = np.random.default_rng(5).standard_normal((20, 3))
    lengths = np.sqrt([v @ algorithm.H @ v for v in directions])
    border = directions * (algorithm.radius / lengths)[:, None]
    assert algorithm.contains(algorithm.theta + 0.999 * border).all()
    assert not algorithm.contains(algorithm.theta + 1.001 * border).any()


@pytest.mark.parametrize(
    ("name", "setting", "form"),
    [
        ("glb_omd", "logistic_s3", "inverse=rank_one"),
        ("glb_omd", "poisson_s5", "inverse=rank_one"),
        ("gloc", "logistic_s3", "inverse=rank_one"),
        ("gloc", "poisson_s5", "inverse=rank_one"),
        ("ecolog", "logistic_s3", "diameter=norm,inverse=rank_one"),
        ("rs_glincb", "logistic_s3", "constants=practical,inverse=inv"),
        ("rs_glincb", "poisson_s5", "constants=practical,inverse=inv"),
        ("glm_ucb", "logistic_s3", "radius=logdet,inverse=inv"),
        ("glm_ucb", "poisson_s5", "radius=logdet,inverse=inv"),
    ],
)
def test_a_pseudo_inverse_plays_as_the_usual_inverse_does(name, setting, form):
    one, anew = (
        play_trial(PAPER.cell(setting, f"{name}[{options}]"), 0, rounds=400).columns
        for options in (form, form.rpartition("=")[0] + "=pinv")
    )
    assert one["regret"] == anew["regret"]
    assert one.get("projections") == anew.get("projections")


@pytest.mark.parametrize("name", ["rs_glincb", "glm_ucb"])
def test_a_pseudo_inverse_is_asked_for_where_it_is_named(name, monkeypatch):
    def refuse(matrix):
        raise AssertionError("the pseudo-inverse")

    monkeypatch.setitem(MATRIX_INVERSES, "pinv", refuse)
    cells = [PAPER.cell("logistic_s3", f"{name}[inverse={how}]") for how in ("inv", "pinv")]
    play_trial(cells[0], 0, rounds=20)
    with pytest.raises(AssertionError, match="the pseudo-inverse"):
        play_trial(cells[1], 0, rounds=20)


# What the theorems say, beside what happened.


def test_the_bound_of_theorem_2_by_hand():
    # d = 1, S = 1: lambda = 1, eta = 2, R = g = 1, C = 1/4, c = mu'(1) = 0.196612, T = 2.
    algorithm = make_algorithm("glb_omd", make_problem(dimension=1, norm_bound=1.0, delta=0.01))
    # beta_2^2 = 22.420681 + 24 ln 3 = 48.787376, beta_3^2 = 22.420681 + 24 ln 3.5 = 52.486988.
    # gamma_1^2 = 4 * 48.787376 * 2.5 * ln 1.5 = 197.816.
    # gamma_2 = 8 * 0.25 * 52.486988 / 0.196612 * ln(1 + 2 * 0.196612) = 177.060.
    gamma_1, gamma_2 = np.sqrt(197.816), 177.060
    root = np.sqrt(gamma_1**2 + 2.0 * gamma_2 + 0.4)
    expected = 2.0 * gamma_2 + 2.0 * gamma_1**2 + 2.0 * gamma_1 * root
    assert regret_bound(algorithm, 2, 0.4) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("setting", ["logistic_s3", "poisson_s9"])
def test_distances_and_regret_are_recorded_as_shares_of_what_the_theorems_allow(setting):
    cell = PAPER.cell(setting, "glb_omd")
    environment, problem = build(cell, 0)
    algorithm = make_algorithm("glb_omd", problem)
    distances, regret, slopes, shares = [], 0.0, 0.0, []
    for t in range(60):
        gap = environment.theta - algorithm.theta
        distances.append(np.sqrt(gap @ algorithm.H @ gap) / algorithm.radius)
        arms = environment.arms(t)
        index = algorithm.select(arms)
        algorithm.update(arms, index, environment.reward(t, index))
        regret += environment.regret(t, index)
        slopes += problem.link.slope((arms @ environment.theta).max())
        shares.append(regret / regret_bound(algorithm, t + 1, slopes))
    last = play_trial(cell, 0, rounds=60).rows[-1]
    assert last["distance_over_radius"] == pytest.approx(max(distances), rel=1e-12)
    assert last["covered"] == (max(distances) <= 1.0)
    assert 0.0 < last["regret_over_bound"] <= max(shares) * (1.0 + 1e-12)
    assert last["regret_over_bound"] >= shares[-1] * (1.0 - 1e-12)


def test_the_timing_lane_asks_for_no_theory():
    cell = PAPER.cell("logistic_s3", "glb_omd")
    played = play_trial(cell, 0, rounds=20, coverage=False).columns
    assert "distance_over_radius" not in played
