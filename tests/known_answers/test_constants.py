"""Radii and thresholds against numbers worked by hand and against numeric optimisation."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import chi2
from toy_environments import make_problem, random_arms

from optimist.algorithms import make_algorithm
from optimist.numerics.links import Gaussian


@pytest.mark.parametrize(
    ("link", "norm", "ridge"),
    [
        # d = 2: 2 max(7 * 2 * 4, 3 * 4 * 3 / 4) = 112.
        ("logistic", 3.0, 112.0),
        # 2 * 3 * 4 * 3 e^3 = 1446.16 and 2 * 3 * 8 * 7 e^7 = 368466.
        ("poisson", 3.0, 1446.16),
        ("poisson", 7.0, 368466.8),
        # R = 0: 2 C / g.
        (Gaussian(0.5), 3.0, 8.0),
    ],
)
def test_regularisation_of_the_theory(link, norm, ridge):
    problem = make_problem(link, norm_bound=norm)
    algorithm = make_algorithm("glb_omd[regularisation=theory]", problem)
    assert algorithm.ridge == pytest.approx(ridge, rel=1e-5)
    assert make_algorithm("glb_omd", problem).ridge == 2.0


def test_radius_of_glb_omd_by_hand():
    # d = 5, S = 3, delta = 0.01, lambda = 5, eta = 4, C = 1/4, t = 1:
    # 4*5*9 + 8 ln 100 + 6*5*16 ln(2 + 0.1) = 180 + 36.84136 + 480 * 0.7419373 = 572.97129.
    problem = make_problem(dimension=5, delta=0.01)
    algorithm = make_algorithm("glb_omd", problem)
    assert algorithm.radius**2 == pytest.approx(572.97129, rel=1e-7)
    scaled = make_algorithm("glb_omd", make_problem(dimension=5, delta=0.01, factor=0.1))
    assert scaled.radius == pytest.approx(0.1 * algorithm.radius, rel=1e-12)


@pytest.mark.parametrize("link", ["logistic", "poisson"])
@pytest.mark.parametrize("plays", [1, 10, 1000])
def test_level_of_ofuglb_is_the_infimum_over_c(link, plays):
    d, S, delta = 3, 2.0, 0.02
    algorithm = make_algorithm("ofuglb", make_problem(link, dimension=d, norm_bound=S, delta=delta))
    for _ in range(plays):
        algorithm.history.append(0, np.array([1.0, 0.0, 0.0]), 1.0)
    L = {
        "logistic": (1.0 + S / 2.0) * plays,
        "poisson": math.exp(S) * plays + math.log(d / delta),
    }[link]
    assert d <= 2.0 * S * L
    best = minimize_scalar(
        lambda log_c: -d * log_c + 2.0 * S * L * math.exp(log_c),
        bounds=(-30.0, 0.0),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert algorithm.level == pytest.approx(math.log(1.0 / delta) + best.fun, rel=1e-9)


def test_level_of_ofuglb_before_the_first_play():
    problem = make_problem(dimension=3, delta=0.02)
    assert make_algorithm("ofuglb", problem).level == pytest.approx(math.log(50.0) + 3.0)
    scaled = make_algorithm("ofuglb", make_problem(dimension=3, delta=0.02, factor=0.1))
    assert scaled.level == pytest.approx(0.01 * (math.log(50.0) + 3.0))


def played(name, rounds, **changes):
    """Return the algorithm after some rounds with alternating rewards, and its arms."""
    problem = make_problem(**changes)
    algorithm = make_algorithm(name, problem)
    arms = random_arms(np.random.default_rng(0), 20, problem.dimension)
    pulled = []
    for t in range(rounds):
        index = t % 20
        pulled.append(arms[index])
        algorithm.select(arms)
        algorithm.update(arms, index, float(t % 3 == 0))
    return algorithm, np.array(pulled)


def test_published_radius_of_ofulog_r():
    # d = 2, S = 3, delta = 0.05, t = 1000: lambda = 2 ln 1001 = 13.817510, its root 3.717191;
    # gamma = 3.717191 * 3.5 + 2 / 3.717191 * ln(80 (1 + 1000 / (32 * 13.817510)))
    #       = 13.010169 + 0.538041 * ln(80 * 3.261614) = 13.010169 + 0.538041 * 5.564251 = 16.003964
    # beta = 16.003964 + 16.003964^2 / 3.717191 = 16.003964 + 68.90334 = 84.90730.
    algorithm, _ = played("ofulog_r", 0)
    algorithm.history.plays = 999
    assert algorithm.level == pytest.approx(84.90730**2, rel=1e-5)


def test_data_dependent_radius_of_ofulog_r():
    algorithm, X = played("ofulog_r[ball=false,radius=data]", 60)
    ridge = 2.0 * math.log(62.0)
    assert algorithm.history.plays == 60
    z = X @ algorithm.estimate
    hessian = ridge * np.eye(2) + sum(
        math.exp(-v) / (1.0 + math.exp(-v)) ** 2 * np.outer(x, x) for v, x in zip(z, X, strict=True)
    )
    ell = (
        math.log(20.0)
        + 0.5 * math.log(np.linalg.det(hessian) / ridge**2)
        + chi2.logcdf(2.0 * ridge, 2)
        - chi2.logcdf(ridge, 2)
    )
    root = math.sqrt(ridge)
    gamma = min(root * 3.5 + 2.0 / root * ell, root * 3.0 + ell)
    assert algorithm.confidence_set.level == pytest.approx((gamma + gamma**2 / ridge) ** 2)
    assert algorithm.confidence_set.radius is None
    assert played("ofulog_r", 3)[0].confidence_set.radius == 3.0


def test_constants_of_rs_glincb():
    # d = 5, T = 3000, delta = 0.01: L = 5 ln 300000 = 63.057688, its root 7.940887.
    problem = make_problem(dimension=5, horizon=3000, delta=0.01, kappa=21.0)
    practical = make_algorithm("rs_glincb[constants=practical]", problem)
    assert practical.gamma == pytest.approx(3.0 * 7.940887, rel=1e-6)
    assert practical.beta == pytest.approx(4.0 * 7.940887, rel=1e-6)
    assert practical.threshold == pytest.approx(100.0 / (21.0 * 9.0 * 5.0))
    theory = make_algorithm("rs_glincb", problem)
    assert theory.gamma == pytest.approx(75.0 * 7.940887, rel=1e-6)
    assert theory.beta == pytest.approx(150.0 * 7.940887, rel=1e-6)
    assert theory.threshold == pytest.approx(1.34e-7, rel=0.01)
    # Shrunk radii leave the warm-up as it is; a reward bound M enters with its fourth power.
    shrunk = make_algorithm(
        "rs_glincb[constants=practical]",
        make_problem(dimension=5, horizon=3000, delta=0.01, factor=0.1),
    )
    assert shrunk.gamma == pytest.approx(0.1 * practical.gamma)
    assert shrunk.threshold == practical.threshold
    bounded = make_algorithm(
        "rs_glincb[constants=practical]", make_problem("poisson", reward_bound=100.0)
    )
    unbounded = make_algorithm("rs_glincb[constants=practical]", make_problem("poisson"))
    assert unbounded.threshold / bounded.threshold == pytest.approx(1e8)


def test_radius_of_glm_ucb():
    algorithm, X = played("glm_ucb[radius=logdet]", 40, reward_bound=2.0)
    ridge = 2.0 * math.log(42.0)
    V = ridge * np.eye(2) + X.T @ X
    noise = math.sqrt(2.0 * math.log(20.0) + math.log(np.linalg.det(V) / ridge**2))
    expected = 0.25 * 21.0 * 2.0 * noise + math.sqrt(ridge) * 3.0
    assert algorithm.radius == pytest.approx(expected, rel=1e-10)
    # Poisson, S = 3, M = 100, kappa = 18.29: beyond 4e4, which is pure exploration.
    poisson = make_problem("poisson", kappa=18.29, reward_bound=100.0)
    assert make_algorithm("glm_ucb[radius=logdet]", poisson).radius > 4e4


def test_original_radius_of_glm_ucb():
    algorithm, _ = played("glm_ucb", 40)
    ridge = 2.0 * math.log(42.0)
    expected = 2.0 * 0.25 * 21.0 * math.sqrt(3.0 + 2.0 * math.log(1.0 + 2.0 / ridge))
    expected *= math.sqrt(4.0 * math.log(4.0 * 200.0 / 0.05))
    assert algorithm.radius == pytest.approx(expected, rel=1e-10)


def test_first_radii_of_ecolog():
    # d = 5, S = D = 3, delta = 0.01, t = 1, lambda = 5.
    tail = math.log(200.0 * math.sqrt(1.0 + 1.0 / 20.0))
    nu = 0.5 + 2.0 * tail
    u = 5.0 * nu / 4.0 + 9.0 / 5.0
    published = 4.0 * 5.0 * 9.0 + 2.0 * 5.0 * u + 4.0 * math.log(2.0)
    problem = make_problem(dimension=5, delta=0.01)
    assert make_algorithm("ecolog[diameter=norm]", problem).radius ** 2 == pytest.approx(published)
    gamma = math.sqrt(5.0) / 2.0 + 2.0 / math.sqrt(5.0) * tail
    older = 2.0 * 5.0 * 9.0 + 16.0 * gamma
    assert make_algorithm(
        "ecolog[diameter=norm,radius=older]", problem
    ).radius ** 2 == pytest.approx(older)
    # With the width 2S of the ball as D: (2 + 6) nu / 4 + 36 / 8, and 2 + 6 again in the growth.
    wide = 180.0 + 2.0 * 8.0 * (2.0 * nu + 4.5) + 4.0 * math.log(2.0)
    found = make_algorithm("ecolog", problem).radius ** 2
    assert found == pytest.approx(wide)
