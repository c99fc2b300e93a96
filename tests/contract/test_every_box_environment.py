"""What every function on a box owes: determined by its trial, honest about regret."""

import json
import shutil

import numpy as np
import pytest
from toy_environments import STAND_IN, configured

from optimist.environments import BOX_REGISTRY
from optimist.problems.box import BoxProblem
from optimist.runs.cell import Cell, build

HORIZON = 12
SETTINGS = {
    f"{paper['paper']}/{setting}": Cell(
        paper["paper"], setting, "unused", paper["settings"][setting] | {"horizon": HORIZON}
    )
    for paper, setting, _ in configured(domain="box")
}


@pytest.fixture(params=SETTINGS)
def cell(request):
    return SETTINGS[request.param]


@pytest.fixture
def environments_of(tmp_path):
    """Return a function that builds the environments of some trials, each on data of its own.

    Scores of classifiers are kept beside the data, and a kept one would equal itself.
    """

    def build_all(cell, *trials):
        folders = [tmp_path / str(number) for number in range(len(trials))]
        for folder in folders:
            shutil.copytree(STAND_IN, folder, ignore=shutil.ignore_patterns("evaluations"))
        return [build(cell, *pair)[0] for pair in zip(trials, folders, strict=True)]

    return build_all


def some_points(environment, n=2):
    share = np.random.default_rng(0).random((n, len(environment.low)))
    return environment.low + share * (environment.high - environment.low)


@pytest.mark.parametrize("name", BOX_REGISTRY)
def test_every_environment_is_used_by_a_paper(name):
    assert name in {cell.spec["environment"] for cell in SETTINGS.values()}


def test_the_same_trial_is_the_same_environment_and_another_draws_other_numbers(
    cell, environments_of
):
    a, b, c = environments_of(cell, 1, 1, 2)
    x = some_points(a, 1)[0]
    assert a.reward(3, x) == b.reward(3, x)
    assert a.value(x) == b.value(x)
    np.testing.assert_array_equal(a.problem().initial, b.problem().initial)
    assert not np.isin(a.problem().initial, c.problem().initial).any()


def test_a_reward_does_not_depend_on_what_else_is_asked(cell, environments_of):
    a, b = environments_of(cell, 0, 0)
    x, other = some_points(a)
    first = a.reward(5, x)
    b.reward(4, other)
    b.value(other)
    assert b.reward(5, x) == first == b.reward(5, x)


def test_no_value_is_above_the_maximum_or_the_bound(cell, environments_of):
    (environment,) = environments_of(cell, 0)
    values = [environment.value(x) for x in some_points(environment)]
    assert all(type(value) is float for value in values)
    assert max(values) <= environment.maximum
    assert max(map(abs, values)) <= environment.problem().value_bound


def test_the_algorithm_is_told_a_true_problem(cell):
    environment, problem = build(cell, 0, STAND_IN)
    assert isinstance(problem, BoxProblem)
    assert problem.horizon == HORIZON == environment.horizon
    np.testing.assert_array_equal(problem.low, environment.low)
    np.testing.assert_array_equal(problem.high, environment.high)
    initial = environment.problem(own_initial=False).initial
    assert initial.shape == (problem.initial_count, problem.dimension)
    assert ((initial >= environment.low) & (initial <= environment.high)).all()
    assert environment.problem(own_initial=True).initial is None


def test_environments_do_not_touch_the_global_generator(cell, environments_of):
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    (environment,) = environments_of(cell, 0)
    environment.reward(0, some_points(environment)[0])
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_facts_are_numbers(cell, environments_of):
    facts = {name: float(value) for name, value in environments_of(cell, 0)[0].facts().items()}
    assert np.isfinite(list(facts.values())).all()
    json.dumps(facts)
