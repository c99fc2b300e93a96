"""Promises of every algorithm: the tests of ``optimist check``, in the papers' own settings.

An entry of the registries is tested by being there.
"""

import numpy as np
import pytest
from cells import name_of
from toy_environments import STAND_IN, configured, make_problem, parametrize

from optimist.algorithms import REGISTRIES, make_algorithm
from optimist.algorithms.black_box import turbo
from optimist.checks import plays
from optimist.checks.algorithms import *  # noqa: F403
from optimist.checks.cases import BOX, HORIZON, Method, Played, Toy, shortened
from optimist.checks.classes import *  # noqa: F403
from optimist.checks.edge_cases import *  # noqa: F403
from optimist.core.errors import ConfigError
from optimist.core.label import Label
from optimist.experiments.cell import Cell
from optimist.experiments.trials import Trials, run

# Algorithms of this package are no files of a user, whose inputs this test observes.
del test_uses_inputs_that_are_recorded  # noqa: F821
CONSTANT_MEMORY = ("glb_omd", "gloc", "ecolog", "hvt_ucb", "oful", "crtm")
HISTORIES = ("raw", "aggregated")
pytestmark = pytest.mark.filterwarnings("ignore")


def _most(cell):
    """Few rounds where they are slow: generic solvers, and arms that do not span."""
    if "slsqp" in cell.algorithm:
        return 8
    return 30 if cell.setting.dataset else HORIZON


def _played():
    """Map readable ids to one cell for each label and kind of environment the papers run it in."""
    cases = {}
    for setting, label in [*configured("runs"), *configured("timings")]:
        kind = setting.parameters.get("link", setting.environment)
        cell = shortened(Cell(setting, label))
        cases.setdefault(f"{label}-{kind}", Played(cell, kind, STAND_IN, _most(cell)))
    for setting, label in configured(domain=BOX):
        cell = shortened(Cell(setting, label))
        cases.setdefault(f"{label}-{BOX}", Played(cell, BOX, STAND_IN))
    return cases


PLAYED = _played()
METHODS = {
    f"{name}-on-{domain}": Method(Label(name), domain)
    for domain, registry in REGISTRIES.items()
    for name in registry
}
TOYS = {
    f"{name}-toy-{kind}": Toy(method, kind)
    for name, method in METHODS.items()
    for kind in method.kinds
}


@pytest.fixture(autouse=True, scope="module")
def few_candidates():
    """Let TuRBO choose among few candidates: a draw of all takes most of a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(turbo, "MOST", 500)
        yield


def pytest_generate_tests(metafunc):
    parametrize(metafunc, METHODS | TOYS | PLAYED)


# Promises to this repository.


WITH_HISTORY = [name for name, one in METHODS.items() if one.options.get("history") in HISTORIES]


def bytes_at(case):
    """Return the bytes of its state after each of 90 rounds, or of fewer."""
    trials = Trials("timing", case.cell, 0, 1, rounds=case.rounds(90))
    return run(trials, case.data)[0].columns["state_bytes"]


def keeps_raw_history(case):
    label = case.cell.algorithm
    options = Method(Label(label.name)).options if case.domain == "arms" else {}
    return (options | dict(label.options)).get("history") == "raw"


@pytest.mark.parametrize("name", [n for n, case in PLAYED.items() if keeps_raw_history(case)])
def test_memory_grows_with_a_raw_history(name):
    assert (np.diff(bytes_at(PLAYED[name])) > 0).all()


@pytest.mark.parametrize("name", WITH_HISTORY)
@pytest.mark.parametrize("link", ["logistic", "poisson"])
def test_raw_and_aggregated_histories_choose_the_same(name, link):
    method = METHODS[name]
    if link not in method.kinds:
        pytest.skip("the class is made for other problems")
    problem = make_problem(link, fixed_arms=True)
    environment = plays.sampled(Toy(method, link), problem, 12, [2.0, 2.0])
    raw, aggregated = (
        plays.Player(make_algorithm(method.with_options(history=mode), problem), environment)
        for mode in HISTORIES
    )
    plays.require_equal_plays(raw, aggregated, range(120), "with history=raw", "the same arm")


@pytest.mark.parametrize("name", WITH_HISTORY)
def test_redrawn_arms_are_not_aggregated(name):
    label, problem = METHODS[name].with_options(history="aggregated"), METHODS[name].problem()
    with pytest.raises(ConfigError, match="history is 'aggregated'"):
        make_algorithm(label, problem)


@pytest.mark.parametrize(
    "case", [pytest.param(c, id=n) for n, c in PLAYED.items() if name_of(n) in CONSTANT_MEMORY]
)
def test_the_memory_of_a_one_pass_method_does_not_grow(case):
    assert not (np.diff(bytes_at(case)) > 0).any()


@pytest.mark.parametrize("name", ["ofuglb", "ofulog_r"])
def test_an_estimate_kept_in_an_object_of_its_own_is_seen_to_be_finite_or_not(name):
    algorithm = make_algorithm(name, Method(Label(name)).problem())
    assert algorithm.is_finite()
    algorithm._estimate.points[0, 1] = np.nan
    assert not algorithm.is_finite()
