"""What every algorithm owes, checked over the registry: a new entry is tested by being there.

The checks are those of ``optimist check`` (`optimist.checks`), here in the papers' own settings.
"""

import numpy as np
import pytest
from contracts_held import every, hold
from toy_environments import STAND_IN, configured

from optimist.algorithms import REGISTRY, make_algorithm
from optimist.checks.arms import bytes_at
from optimist.checks.battery import ALGORITHMS
from optimist.checks.cases import HORIZON, Method, Played, Toy, shortened
from optimist.core.label import name_of
from optimist.experiments.cell import Cell

CONSTANT_MEMORY = ("glb_omd", "gloc", "ecolog", "hvt_ucb", "oful", "crtm")


def _most(cell):
    """Few rounds where they are slow: generic solvers, and arms that do not span."""
    if "slsqp" in cell.algorithm:
        return 8
    return 30 if "dataset" in cell.spec else HORIZON


def _played():
    """Map readable ids to one cell for each label and kind of environment the papers run it in."""
    cases = {}
    for paper, setting, label in [*configured("runs"), *configured("timings")]:
        spec = paper["settings"][setting]
        kind = spec.get("parameters", {}).get("link", spec["environment"])
        cell = shortened(Cell(paper["paper"], setting, label, spec))
        cases.setdefault(f"{label}-{kind}", Played(cell, STAND_IN, _most(cell)))
    return cases


PLAYED = _played()
METHODS = {name: Method(name) for name in REGISTRY}
TOYS = {
    f"{name}-{kind}": Toy(method, kind) for name, method in METHODS.items() for kind in method.kinds
}


@every(ALGORITHMS["arms"], METHODS | TOYS | PLAYED)
def test_it_keeps_its_contract(check, case):
    hold(check, case)


# What it owes this repository.


@pytest.mark.parametrize(
    "case", [pytest.param(c, id=n) for n, c in PLAYED.items() if name_of(n) in CONSTANT_MEMORY]
)
def test_the_memory_of_a_one_pass_method_does_not_grow(case):
    assert not (np.diff(bytes_at(case)) > 0).any()


@pytest.mark.parametrize("name", ["ofuglb", "ofulog_r"])
def test_an_estimate_kept_in_an_object_of_its_own_is_seen_to_be_finite_or_not(name):
    algorithm = make_algorithm(name, METHODS[name].problem())
    assert algorithm.is_finite()
    algorithm._estimate.points[0, 1] = np.nan
    assert not algorithm.is_finite()
