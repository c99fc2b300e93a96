"""OFUGLB's exact solver against scipy's SLSQP in the histories it will meet."""

import math
from functools import lru_cache

import numpy as np
import pytest
from toy_environments import make_problem, random_arms

from optimist.algorithms import make_algorithm
from optimist.numerics.maximisation import best_arm, maxima, maximise_by_slsqp

TIE = 1e-4


@lru_cache
def history_of(link, norm, t):
    """Return OFUGLB before round t of a setting like the paper's, and the arms of that round."""
    rng = np.random.default_rng([t, int(norm), len(link)])
    problem = make_problem(link, dimension=5, norm_bound=norm, delta=0.01)
    algorithm = make_algorithm("ofuglb", problem)
    theta = rng.standard_normal(5)
    theta *= norm / np.linalg.norm(theta)
    played = random_arms(rng, t - 1, 5)
    rewards = problem.link.sample(rng, problem.link.mean(played @ theta))
    for s in range(t - 1):
        algorithm.update(played, s, rewards[s])
    return algorithm, random_arms(rng, 20, 5)


cases = pytest.mark.parametrize(
    ("link", "norm", "t"),
    [
        (link, norm, t)
        for link in ("logistic", "poisson")
        for norm in (3.0, 7.0)
        for t in (1, 20, 200, 2000)
    ],
)


@cases
@pytest.mark.parametrize("tolerance", [1e-12, 1e-5])
def test_values_and_arm_agree_with_the_generic_solver(link, norm, t, tolerance):
    algorithm, arms = history_of(link, norm, t)
    confidence_set = algorithm.confidence_set
    exact = maxima(confidence_set, arms)
    generic = maximise_by_slsqp(confidence_set, arms, tolerance)
    np.testing.assert_allclose(exact, generic, atol=1e-4)
    assert exact[generic.argmax()] >= exact.max() - TIE
    assert algorithm.select(arms) == exact.argmax()


@cases
def test_maxima_are_attained_in_the_set(link, norm, t):
    # No solver involved: every maximum is at least the value of any member, and no more than the
    # value anywhere a little beyond the border.
    algorithm, arms = history_of(link, norm, t)
    confidence_set = algorithm.confidence_set
    rng = np.random.default_rng(0)
    points = rng.standard_normal((4000, 5))
    points *= norm * rng.uniform(size=(4000, 1)) / np.linalg.norm(points, axis=1, keepdims=True)
    points = algorithm.estimate + np.geomspace(1e-3, 1.0, 4000)[:, None] * (
        points - algorithm.estimate
    )
    members = points[confidence_set.contains(points)]
    assert len(members) > 100
    assert (maxima(confidence_set, arms) >= (arms @ members.T).max(axis=1) - 1e-9).all()


@cases
def test_pruning_changes_nothing(link, norm, t):
    algorithm, arms = history_of(link, norm, t)
    unpruned = best_arm(algorithm.confidence_set, arms, prune=False)
    assert best_arm(algorithm.confidence_set, arms, prune=True) == unpruned


@pytest.mark.parametrize("link", ["logistic", "poisson"])
def test_self_concordance_bounds_the_excess_from_below(link):
    # Zhang et al. / Lee et al.: psi >= ||theta - estimate||^2_H / (2 + 2 R S) in the ball.
    algorithm, _ = history_of(link, 3.0, 200)
    confidence_set = algorithm.confidence_set
    hessian = confidence_set.likelihood.at(algorithm.estimate)[2]
    rng = np.random.default_rng(1)
    points = rng.standard_normal((500, 5))
    points *= 3.0 * rng.uniform(size=(500, 1)) / np.linalg.norm(points, axis=1, keepdims=True)
    move = points - algorithm.estimate
    quadratic = np.einsum("nd,de,ne->n", move, hessian, move) / 8.0
    assert (confidence_set.excess(points) >= quadratic - 1e-8).all()


def test_few_maximisations_need_the_dual():
    algorithm = make_algorithm("ofuglb", make_problem(dimension=5, delta=0.01))
    rng = np.random.default_rng(2)
    theta = np.full(5, 3.0 / math.sqrt(5.0))
    solved = 0
    for _ in range(150):
        arms = random_arms(rng, 20, 5)
        index = algorithm.select(arms)
        algorithm.update(
            arms, index, float(rng.random() < 1.0 / (1.0 + math.exp(-arms[index] @ theta)))
        )
        solved += 20
    assert algorithm.fallbacks <= 0.02 * solved
    assert algorithm.status == "ok"
