"""What every environment owes: determined by its trial, honest about regret, true to its means."""

import json

import numpy as np
import pytest
from toy_environments import STAND_IN, configured

from optimist.environments import REGISTRY
from optimist.environments.base import check_arms
from optimist.problems.glb import GLBProblem
from optimist.problems.heavy_tailed import HeavyTailedProblem
from optimist.problems.kernel import KernelProblem
from optimist.runs.cell import Cell, build

HORIZON = 30
SETTINGS = {
    f"{paper['paper']}/{setting}": Cell(
        paper["paper"],
        setting,
        "unused",
        paper["settings"][setting] | {"horizon": HORIZON},
    )
    for paper, setting, _ in configured()
}


def environments_of(cell, *trials):
    return [build(cell, trial, STAND_IN)[0] for trial in trials]


def rewards(environment, rounds=HORIZON):
    return [
        [environment.reward(t, k) for k in range(len(environment.arms(t)))] for t in range(rounds)
    ]


@pytest.fixture(params=SETTINGS)
def cell(request):
    return SETTINGS[request.param]


@pytest.mark.parametrize("name", REGISTRY)
def test_every_environment_is_used_by_a_paper(name):
    assert name in {cell.spec["environment"] for cell in SETTINGS.values()}


def test_the_same_trial_is_the_same_environment(cell):
    a, b = environments_of(cell, 4, 4)
    for t in range(HORIZON):
        np.testing.assert_array_equal(a.arms(t), b.arms(t))
        np.testing.assert_array_equal(a.means(t), b.means(t))
    assert rewards(a) == rewards(b)


def test_different_trials_draw_different_numbers(cell):
    a, b = environments_of(cell, 0, 1)
    assert rewards(a) != rewards(b)


def test_a_reward_does_not_depend_on_what_else_is_asked(cell):
    a, b, c = environments_of(cell, 2, 2, 2)
    everything = rewards(a)
    backwards = {
        (t, k): b.reward(t, k)
        for t in reversed(range(HORIZON))
        for k in reversed(range(len(b.arms(t))))
    }
    assert all(everything[t][k] == value for (t, k), value in backwards.items())
    assert c.reward(HORIZON - 1, 0) == everything[-1][0]
    assert c.reward(HORIZON - 1, 0) == everything[-1][0]  # asked twice, answered the same


def test_environments_do_not_touch_the_global_generator(cell):
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    rewards(environments_of(cell, 0)[0])
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_regret_is_never_negative_and_zero_for_the_best(cell):
    (environment,) = environments_of(cell, 0)
    for t in range(HORIZON):
        means = environment.means(t)
        regrets = [environment.regret(t, k) for k in range(len(means))]
        assert min(regrets) == 0.0 == regrets[int(np.argmax(means))]
        assert max(regrets) == pytest.approx(max(means) - min(means))


def test_arms_are_sound_and_means_fit_them(cell):
    (environment,) = environments_of(cell, 0)
    for t in range(HORIZON):
        check_arms(environment.arms(t), environment.arm_bound)
        assert environment.means(t).shape == (len(environment.arms(t)),)
        assert np.isfinite(environment.means(t)).all()


def test_a_caller_cannot_change_the_environment(cell):
    (environment,) = environments_of(cell, 0)
    for values in (environment.arms(0), environment.means(0)):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 0.0


def test_rewards_are_plain_floats(cell):
    (environment,) = environments_of(cell, 0)
    assert type(environment.reward(0, 0)) is float
    assert type(environment.regret(0, 0)) is float


def test_the_algorithm_is_told_a_true_problem(cell):
    environment, problem = build(cell, 0, STAND_IN)
    assert isinstance(problem, GLBProblem | HeavyTailedProblem | KernelProblem)
    assert problem.dimension == environment.arms(0).shape[1]
    assert problem.horizon == HORIZON == environment.horizon
    if environment.theta is not None and not isinstance(problem, KernelProblem):
        assert np.linalg.norm(environment.theta) <= problem.norm_bound * (1.0 + 1e-12)
    fixed = all(np.array_equal(environment.arms(0), environment.arms(t)) for t in range(HORIZON))
    assert problem.fixed_arms == fixed


def test_what_is_told_is_plain_numbers_and_the_same_whenever_asked(cell):
    (environment,) = environments_of(cell, 0)
    told = [environment.context(t) for t in range(HORIZON)]
    json.dumps(told)
    assert told == [environment.context(t) for t in range(HORIZON)]


def test_facts_are_numbers(cell):
    (environment,) = environments_of(cell, 0)
    facts = {name: float(value) for name, value in environment.facts().items()}
    assert np.isfinite(list(facts.values())).all()
    json.dumps(facts)


# Heavy-tailed noise has no variance to go by, and the arms of kernel environments, thousands, share
# their noise; both are tested in unit tests of their own.
LIGHT = [n for n, cell in SETTINGS.items() if cell.spec["environment"] in ("glm", "covertype")]


@pytest.mark.statistical
@pytest.mark.parametrize("name", LIGHT)
def test_rewards_average_to_the_means(name):
    # Standardised residuals of all (trial, round, arm) are close to a standard normal in sum,
    # also when the arms with large and with small means are weighed against each other.
    cell, total, count, weighted = SETTINGS[name], 0.0, 0, 0.0
    for trial in range(60):
        environment, problem = build(cell, trial, STAND_IN)
        means = np.array([environment.means(t) for t in range(HORIZON)])
        variance = means * (1.0 - means) if problem.link.name == "logistic" else means
        residual = (np.array(rewards(environment)) - means) / np.sqrt(variance)
        total += residual.sum()
        weighted += (residual * np.sign(means - np.median(means))).sum()
        count += residual.size
    assert abs(total) / np.sqrt(count) < 4.0
    assert abs(weighted) / np.sqrt(count) < 4.0
