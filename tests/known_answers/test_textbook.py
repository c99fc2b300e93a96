"""Slow re-implementations, written from the formulas alone, choose the same arms.

They invert matrices afresh, sum over all rounds explicitly, and leave every minimisation to scipy's
generic solvers. Both sides meet the same arms and rewards; where two arms tie within 1e-6, either
may be chosen.
"""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from toy_environments import make_problem, random_arms

from optimist.algorithms import make_algorithm

ROUNDS = 60
TIE = 1e-6


def mu(link, z):
    return 1.0 / (1.0 + np.exp(-z)) if link == "logistic" else np.exp(z)


def slope(link, z):
    return mu(link, z) * (1.0 - mu(link, z)) if link == "logistic" else np.exp(z)


def partition(link, z):
    return np.logaddexp(0.0, z) if link == "logistic" else np.exp(z)


def norms(arms, matrix):
    inverse = np.linalg.inv(matrix)
    return np.array([math.sqrt(x @ inverse @ x) for x in arms])


def loss(link, X, r, theta):
    """Negative log-likelihood and gradient of rows X (n, d) and rewards r (n,)."""
    X, r = np.reshape(X, (-1, len(theta))), np.asarray(r)
    z = X @ theta
    return float(np.sum(partition(link, z) - r * z)), (mu(link, z) - r) @ X


def ridge_estimate(link, X, r, ridge, d):
    def objective(theta):
        value, gradient = loss(link, X, r, theta)
        return value + 0.5 * ridge * theta @ theta, gradient + ridge * theta

    return minimize(objective, np.zeros(d), jac=True, method="BFGS", options={"gtol": 1e-10}).x


def in_ball(objective, start, S):
    ball = {"type": "ineq", "fun": lambda t: S * S - t @ t, "jac": lambda t: -2.0 * t}
    options = {"ftol": 1e-15, "maxiter": 500}
    return minimize(objective, start, jac=True, method="SLSQP", constraints=ball, options=options).x


class Textbook:
    """Keeps all that was played; `index` returns the value of each arm and may note its radius."""

    radius = None

    def __init__(self, problem):
        self.p, self.link = problem, problem.link.name
        self.d, self.S = problem.dimension, problem.norm_bound
        self.X, self.r = [], []
        self.start()

    def start(self):
        pass

    def learn(self, x, reward):
        pass

    def update(self, arms, index, reward):
        self.learn(arms[index], reward)
        self.X.append(arms[index])
        self.r.append(reward)

    @property
    def t(self):
        return len(self.X) + 1

    def design(self, ridge):
        return ridge * np.eye(self.d) + sum(
            (np.outer(x, x) for x in self.X), np.zeros((self.d,) * 2)
        )


class GLOC(Textbook):
    def start(self):
        self.iterates = [np.zeros(self.d)]
        self.z, self.bound = [], 2.0 / self.p.kappa * self.S**2 * self.d

    def learn(self, x, reward):
        c, now = 1.0 / self.p.kappa, self.iterates[-1]
        A = self.design(self.d) + np.outer(x, x)
        g = mu(self.link, x @ now) - reward
        self.z.append(x @ now)
        self.bound += g**2 / (2.0 * c) * (x @ np.linalg.inv(A) @ x)
        step = now - g / c * np.linalg.inv(A) @ x
        if np.linalg.norm(step) > self.S:
            scale = np.linalg.norm(A, 2)

            def distance(theta):
                pull = A @ (theta - step) / scale
                return 0.5 * (theta - step) @ pull, pull

            step = in_ball(distance, step * (self.S / np.linalg.norm(step)), self.S)
        self.iterates.append(step)

    def index(self, arms):
        c = 1.0 / self.p.kappa
        R = math.sqrt(0.25 if self.link == "logistic" else math.exp(self.S))
        V = self.design(self.d)
        xi = sum((z * x for z, x in zip(self.z, self.X, strict=True)), np.zeros(self.d))
        estimate = np.linalg.inv(V) @ xi
        inside = 1.0 + 2.0 / c * self.bound + 4.0 * R**4 / (c**4 * self.p.delta**2)
        beta = 1.0 + 4.0 / c * self.bound
        beta += 8.0 * R**2 / c**2 * math.log(2.0 / self.p.delta * math.sqrt(inside))
        beta += self.d * self.S**2 - (sum(z * z for z in self.z) - estimate @ xi)
        self.radius = math.sqrt(beta)
        return arms @ estimate + self.radius * norms(arms, V)


class GLMUCB(Textbook):
    def index(self, arms):
        ridge = self.d * math.log(1.0 + self.t)
        V = self.design(ridge)
        estimate = ridge_estimate(self.link, self.X, self.r, ridge, self.d)
        steepest = 0.25 if self.link == "logistic" else math.exp(self.S)
        log_ratio = math.log(np.linalg.det(V)) - self.d * math.log(ridge)
        rho = steepest * self.p.kappa * self.p.reward_bound
        rho *= math.sqrt(2.0 * math.log(1.0 / self.p.delta) + log_ratio)
        rho += math.sqrt(ridge) * self.S
        self.radius = rho
        return mu(self.link, arms @ estimate) + rho * norms(arms, V)


class ECOLog(Textbook):
    def start(self):
        self.theta, self.excess = np.zeros(self.d), 0.0
        self.W = self.d * np.eye(self.d)

    def solve(self, x, labels):
        def objective(theta):
            pull = self.W @ (theta - self.theta) / (1.0 + self.S / 2.0)
            value, gradient = loss(self.link, [x] * len(labels), labels, theta)
            return 0.5 * (theta - self.theta) @ pull + value, pull + gradient

        return in_ball(objective, self.theta, self.S)

    def learn(self, x, reward):
        new, reference = self.solve(x, [reward]), self.solve(x, [0.0, 1.0])
        self.excess += loss(self.link, [x], [reward], reference)[0]
        self.excess -= loss(self.link, [x], [reward], new)[0]
        self.W = self.W + slope(self.link, x @ new) * np.outer(x, x)
        self.theta = new

    def index(self, arms):
        D, ridge = self.S, self.d
        nu = 0.5 + 2.0 * math.log(2.0 / self.p.delta * math.sqrt(1.0 + self.t / (4.0 * ridge)))
        u = (2.0 + D) * nu / 4.0 + D**2 / (2.0 + D)
        r = 4.0 * ridge * self.S**2 + 2.0 * (2.0 + D) * (u + self.excess)
        r += 4.0 * math.log(1.0 + self.t)
        self.radius = math.sqrt(max(r, ridge * self.S**2))
        return arms @ self.theta + self.radius * norms(arms, self.W)


class RSGLinCB(Textbook):
    """The practical constants."""

    def start(self):
        self.warm = []  # positions of the warm-up rounds
        self.H_switch, self.switched = None, np.zeros(self.d)
        self.warming = True
        self.switches = self.overruled = 0

    def warm_estimate(self):
        X, r = [self.X[i] for i in self.warm], [self.r[i] for i in self.warm]
        return ridge_estimate(self.link, X, r, self.d, self.d), X

    def H(self):
        # The slope is that of the moment of play; the warm-up estimate changes in warm-up only.
        return self.d * np.eye(self.d) + sum(self.curvatures, np.zeros((self.d,) * 2))

    curvatures = ()

    def learn(self, x, reward):
        if self.warming:
            self.warm.append(len(self.X))
        else:
            b = slope(self.link, x @ self.warm_estimate()[0])
            self.curvatures = (*self.curvatures, b * np.outer(x, x))

    def index(self, arms):
        estimate, X = self.warm_estimate()
        V = self.d * np.eye(self.d) + sum((np.outer(x, x) for x in X), np.zeros((self.d,) * 2))
        length = norms(arms, V)
        M, L = self.p.reward_bound, self.d * math.log(self.p.horizon / self.p.delta)
        self.warming = bool((length**2).max() >= 100.0 / (self.p.kappa * M**4 * self.S**2 * self.d))
        if self.warming:
            return length
        H = self.H()
        if self.H_switch is None or np.linalg.det(H) > 1.5 * np.linalg.det(self.H_switch):
            self.H_switch, self.switches = H, self.switches + 1
            self.switched = ridge_estimate(self.link, self.X, self.r, self.d, self.d)
        root = self.p.factor * math.sqrt(L)
        width = M * self.S * root * math.sqrt(self.p.kappa) * length
        lower = (arms @ estimate - width).max()
        value = arms @ (0.5 * (estimate + self.switched))
        value = value + 4.0 * root * norms(arms, self.H_switch)
        survives = arms @ estimate + width >= lower
        self.overruled += not survives[value.argmax()]
        return np.where(survives, value, -np.inf)


def environment(link, d, K, rounds, seed=0):
    """Return arms (rounds, K, d) and rewards (rounds, K)."""
    rng = np.random.default_rng(seed)
    arms = random_arms(rng, rounds, K, d)
    theta = rng.standard_normal(d)
    theta *= 3.0 / np.linalg.norm(theta)
    z = arms @ theta
    rewards = rng.random(z.shape) < mu(link, z) if link == "logistic" else rng.poisson(np.exp(z))
    return arms, rewards.astype(float)


def compare(textbook, algorithm, arms, rewards):
    """Play ``algorithm``, check each choice against the textbook's index."""
    for t in range(len(arms)):
        values = textbook.index(arms[t])
        if textbook.radius is not None:
            assert algorithm.radius == pytest.approx(textbook.radius, rel=1e-6), f"round {t}"
        index = algorithm.select(arms[t])
        assert values[index] >= values.max() - TIE * (1.0 + abs(values.max())), f"round {t}"
        for each in (textbook, algorithm):
            each.update(arms[t], index, rewards[t, index])
    assert algorithm.status == "ok"


@pytest.mark.parametrize(
    ("label", "textbook", "link", "kappa"),
    [
        # A small kappa keeps GLOC's and GLM-UCB's radii small enough for rewards to matter.
        ("gloc", GLOC, "logistic", 1.2),
        ("gloc", GLOC, "logistic", 21.0),
        ("gloc", GLOC, "poisson", 18.3),
        ("glm_ucb[projection=false,radius=logdet]", GLMUCB, "logistic", 0.05),
        ("glm_ucb[projection=false,radius=logdet]", GLMUCB, "logistic", 21.0),
        ("glm_ucb[projection=false,radius=logdet]", GLMUCB, "poisson", 0.01),
        ("ecolog[diameter=norm]", ECOLog, "logistic", 21.0),
        ("rs_glincb[constants=practical]", RSGLinCB, "logistic", 21.0),
        ("rs_glincb[constants=practical]", RSGLinCB, "logistic", 2.0),
        ("rs_glincb[constants=practical]", RSGLinCB, "poisson", 2.0),
    ],
)
def test_the_textbook_chooses_the_same_arms(label, textbook, link, kappa):
    problem = make_problem(link, dimension=3, kappa=kappa, delta=0.05)
    arms, rewards = environment(link, 3, 10, ROUNDS)
    compare(textbook(problem), make_algorithm(label, problem), arms, rewards)


def test_rs_glincb_plays_no_eliminated_arm():
    # Elimination decides only where radii are small: here it overrules the best index.
    problem = make_problem(dimension=3, kappa=50.0, factor=0.001)
    arms, rewards = environment("logistic", 3, 10, 100)
    textbook = RSGLinCB(problem)
    compare(textbook, make_algorithm("rs_glincb[constants=practical]", problem), arms, rewards)
    assert textbook.overruled > 3


def test_rs_glincb_meets_both_of_its_phases_above_and_counts_its_fits(monkeypatch):
    problem = make_problem(dimension=3, kappa=21.0)
    arms, rewards = environment("logistic", 3, 10, ROUNDS)
    algorithm = make_algorithm("rs_glincb[constants=practical]", problem)
    fits, fit = [], algorithm._fit
    monkeypatch.setattr(algorithm, "_fit", lambda *a: fits.append(1) or fit(*a))
    for t in range(ROUNDS):
        index = algorithm.select(arms[t])
        algorithm.update(arms[t], index, rewards[t, index])
    assert 5 < algorithm.diagnostics()["warm_up_rounds"] < 50
    assert algorithm.diagnostics()["switches"] >= 2
    assert algorithm.diagnostics()["updates"] == len(fits)


@pytest.mark.parametrize(
    "form",
    ["index=linear", "index=mixed", "radius=older", "proximal=unscaled", "diameter=norm"],
)
def test_the_two_solvers_of_ecolog_learn_the_same(form):
    arms, rewards = environment("logistic", 5, 20, 150)
    problem = make_problem(dimension=5)
    exact = make_algorithm(f"ecolog[{form},solver=newton]", problem)
    descent = make_algorithm(f"ecolog[{form},solver=pgd]", problem)
    for t in range(len(arms)):
        for each in (exact, descent):
            each.update(arms[t], t % 20, rewards[t, t % 20])
    # Descent stops at accuracy 1/t in each round; the errors of 150 rounds stay of that order.
    assert np.linalg.norm(exact.theta - descent.theta) < 0.02
    assert descent.radius == pytest.approx(exact.radius, rel=0.02)


def test_ecolog_stays_in_the_ball_and_solves_its_problem_there():
    # One arm, always paid: the unconstrained minimiser leaves a ball of radius 1/2.
    problem = make_problem(dimension=2, norm_bound=0.5)
    algorithm, textbook = (
        make_algorithm("ecolog[diameter=norm]", problem),
        ECOLog(problem),
    )
    arms = np.array([[0.8, 0.6], [0.0, 1.0]])
    for t in range(40):
        for each in (algorithm, textbook):
            each.update(arms, t % 2, 1.0)
        np.testing.assert_allclose(algorithm.theta, textbook.theta, atol=1e-6)
    assert np.linalg.norm(algorithm.theta) == pytest.approx(0.5)
    assert algorithm.excess == pytest.approx(textbook.excess, abs=1e-6)


@pytest.mark.parametrize("norm", [0.3, 0.5])
def test_descent_moves_in_small_balls_too(norm):
    # ceil((9/4 + D/8) log(D t)) steps are none while D t < 1.
    algorithm = make_algorithm(
        "ecolog[diameter=norm,solver=pgd]", make_problem(dimension=1, norm_bound=norm)
    )
    algorithm.update(np.array([[1.0]]), 0, 1.0)
    assert algorithm.theta[0] > 0.0


def test_glm_ucb_projects_in_the_norm_of_its_gradients():
    problem = make_problem(dimension=2, norm_bound=0.8)
    projecting = make_algorithm("glm_ucb[radius=logdet]", problem)
    arms, _ = environment("logistic", 2, 5, 80, seed=3)
    for t in range(80):
        projecting.update(arms[t], t % 5, float(arms[t, t % 5] @ [1.0, 0.5] > 0.0))
    X = np.array([arms[t, t % 5] for t in range(80)])
    r = np.array([float(x @ [1.0, 0.5] > 0.0) for x in X])
    ridge = 2.0 * math.log(82.0)
    free = ridge_estimate("logistic", X, r, ridge, 2)
    assert np.linalg.norm(free) > 0.8
    V_inv = np.linalg.inv(ridge * np.eye(2) + X.T @ X)

    def distance(theta):
        gap = (mu("logistic", X @ theta) - mu("logistic", X @ free)) @ X + ridge * (theta - free)
        return gap @ V_inv @ gap

    angles = np.linspace(-math.pi, math.pi, 100_001)
    circle = 0.8 * np.column_stack([np.cos(angles), np.sin(angles)])
    gaps = (mu("logistic", circle @ X.T) - mu("logistic", X @ free)) @ X + ridge * (circle - free)
    best = np.einsum("nd,de,ne->n", gaps, V_inv, gaps).min()
    assert np.linalg.norm(projecting.estimate) == pytest.approx(0.8)
    assert distance(projecting.estimate) == pytest.approx(best, rel=1e-6)


def test_an_alias_never_switches_again():
    arms, rewards = environment("logistic", 3, 10, 120)
    problem = make_problem(dimension=3, kappa=2.0)
    switches = {}
    for alias in ("true", "false"):
        algorithm = make_algorithm(f"rs_glincb[alias={alias},constants=practical]", problem)
        for t in range(120):
            index = algorithm.select(arms[t])
            algorithm.update(arms[t], index, rewards[t, index])
        switches[alias] = algorithm.diagnostics()["switches"]
    assert switches["true"] == 1 < switches["false"]


def test_the_radius_of_ofulog_r_does_not_wait_for_its_estimate():
    rng = np.random.default_rng(12)
    algorithm, arms = (
        make_algorithm("ofulog_r[ball=false,radius=data]", make_problem(dimension=3)),
        random_arms(rng, 8, 3),
    )
    for t in range(20):
        algorithm.update(arms, t % 8, float(t % 2))
    before = algorithm.level
    algorithm.estimate.sum()
    assert algorithm.level == before
