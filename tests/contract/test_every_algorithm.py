"""Promises of every algorithm: the tests of ``optimist check``, in the papers' own settings.

An entry of the registries is tested by being there.
"""

import numpy as np
import pytest
from toy_environments import STAND_IN, configured, distinct

from optimist.algorithms import REGISTRIES, make_algorithm
from optimist.contracts.algorithms import *  # noqa: F403
from optimist.contracts.arms import *  # noqa: F403
from optimist.contracts.arms import bytes_at
from optimist.contracts.box import *  # noqa: F403
from optimist.contracts.cases import BOX, HORIZON, Method, Played, Toy, parametrize, shortened
from optimist.contracts.classes import *  # noqa: F403
from optimist.contracts.edge_cases import *  # noqa: F403
from optimist.label import Label, name_of
from optimist.runs.cell import Cell

CONSTANT_MEMORY = ("glb_omd", "gloc", "ecolog", "hvt_ucb", "oful", "crtm")


def _most(cell):
    """Few rounds where they are slow: generic solvers, and arms that do not span."""
    if "slsqp" in cell.algorithm:
        return 8
    return 30 if "dataset" in cell.spec and cell.domain == "arms" else HORIZON


def _played():
    """Map ids to cells, until each class has met each kind of environment and option there is."""
    cases, covered = {}, set()
    asked = [*configured("runs"), *configured("timings"), *configured(domain=BOX)]
    for paper, setting, label in asked:
        spec = paper["settings"][setting]
        cell = shortened(Cell(paper["paper"], setting, label, spec))
        kind = spec.get("parameters", {}).get("link", spec["environment"])
        kind = BOX if cell.domain == BOX else kind
        new = distinct(name_of(label), {"kind": kind, **dict(Label.parse(label).options)})
        if new - covered:
            covered |= new
            cases[f"{label}-{kind}"] = Played(cell, STAND_IN, _most(cell), kind)
    return cases


PLAYED = _played()
METHODS = {
    f"{name}-on-{domain}": Method(name, domain)
    for domain, registry in REGISTRIES.items()
    for name in registry
}
TOYS = {
    f"{method.name}-toy-{kind}": Toy(method, kind)
    for method in METHODS.values()
    for kind in method.kinds
}


def pytest_generate_tests(metafunc):
    parametrize(metafunc, METHODS | TOYS | PLAYED)


# Promises to this repository.


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=key)
        for key, case in PLAYED.items()
        if name_of(case.cell.algorithm) in CONSTANT_MEMORY
    ],
)
def test_the_memory_of_a_one_pass_method_does_not_grow(case):
    assert not (np.diff(bytes_at(case)) > 0).any()


@pytest.mark.parametrize("name", ["ofuglb", "ofulog_r"])
def test_an_estimate_kept_in_an_object_of_its_own_is_seen_to_be_finite_or_not(name):
    algorithm = make_algorithm(name, Method(name).problem())
    assert algorithm.is_finite()
    algorithm._estimate.points[0, 1] = np.nan
    assert not algorithm.is_finite()
