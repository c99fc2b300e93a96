"""Expansions against the likelihood that they expand."""

import numpy as np
import pytest
from toy_environments import random_arms

from optimist.numerics.expansions import Expansions, SolutionMemory
from optimist.numerics.likelihood import History, Likelihood
from optimist.numerics.links import Gaussian, make_link

LINKS = [make_link("logistic"), make_link("poisson"), Gaussian(0.5)]


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link.name)
@pytest.mark.parametrize("ridge", [0.0, 2.5])
def test_they_follow_the_likelihood_as_it_grows(link, ridge):
    rng = np.random.default_rng(1)
    history, expansions = History(3), Expansions(link, 3, size=5)
    points = rng.standard_normal((4, 3))
    for t, x in enumerate(random_arms(rng, 30, 3)):
        reward = rng.uniform(0.0, 3.0)
        history.append(t, x, reward)
        expansions.observe(x, reward)
        if t == 12:  # points may join late, and the ridge may have been another one then
            early = Likelihood(link, history, 1.0)
            expansions.put([0, 1, 2, 3], points, early.derivatives(points), 1.0)
    likelihood = Likelihood(link, history, ridge)
    everywhere = np.vstack([points, np.zeros(3)])
    expected = likelihood.derivatives(everywhere)
    for got, wanted in zip(expansions.derivatives(slice(None), ridge), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-11, atol=1e-11)
    for got, wanted in zip(expansions.tangents([2, 4], ridge), expected[:2], strict=True):
        np.testing.assert_allclose(got, wanted[[2, 4]], rtol=1e-11, atol=1e-11)


def remember(memory, directions, points):
    m = len(directions)
    derivatives = np.zeros(m), np.zeros((m, 2)), np.zeros((m, 2, 2))
    memory.add(np.array(directions), np.ones(m, dtype=bool), np.array(points), derivatives, 0.0)


def test_a_full_memory_gives_no_slot_to_two_directions():
    # numpy does not promise an order of assignments to one element: the first of a batch keeps it.
    memory = SolutionMemory(LINKS[0], 2, size=3)
    angles = np.linspace(0.0, 3.0, 11)
    rays = np.column_stack([np.cos(angles), np.sin(angles)])
    for batch in ([0, 1, 2], [0, 3], [4, 5, 6, 7, 8], [7, 9, 10]):
        remember(memory, rays[batch], 2.0 * rays[batch])
        np.testing.assert_allclose(memory.expansions.points, 2.0 * memory.directions)
        first = rays[batch[:1]]
        np.testing.assert_allclose(memory.directions[memory.nearest(first)], first)


def test_memory_replaces_the_same_direction_and_forgets_the_oldest():
    memory = SolutionMemory(LINKS[0], 2, size=3)
    remember(memory, [[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [2.0, 2.0]])
    remember(memory, [[0.0, 1.0]], [[3.0, 3.0]])
    assert memory.count == 2
    slots = memory.nearest(np.array([[0.6, 0.8], [0.8, 0.6], [0.0, -1.0]]))
    np.testing.assert_array_equal(memory.expansions.points[slots][:, 0], [3.0, 1.0, 1.0])
    remember(memory, [[-1.0, 0.0], [0.0, -1.0]], [[4.0, 4.0], [5.0, 5.0]])
    assert sorted(memory.expansions.points[:, 0]) == [3.0, 4.0, 5.0]
