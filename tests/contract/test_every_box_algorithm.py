"""What every algorithm on a box owes, checked over the registry and the papers' configuration.

The checks are those of ``optimist check`` (`optimist.checks`), here in the papers' own settings.
"""

from contracts_held import every, hold
from toy_environments import STAND_IN, configured

from optimist.algorithms import BOX_REGISTRY
from optimist.checks.battery import ALGORITHMS
from optimist.checks.cases import BOX, Method, Played, Toy, shortened
from optimist.experiments.cell import Cell


def _played():
    """Map labels to one cell for each label that a paper runs, a few rounds beyond Phase I."""
    cases = {}
    for paper, setting, label in configured(domain=BOX):
        cell = shortened(Cell(paper["paper"], setting, label, paper["settings"][setting]))
        cases.setdefault(label, Played(cell, STAND_IN))
    return cases


PLAYED = _played()
METHODS = {name: Method(name, BOX) for name in BOX_REGISTRY}
TOYS = {f"{name}-toy": Toy(method, BOX) for name, method in METHODS.items()}


@every(ALGORITHMS[BOX], METHODS | TOYS | PLAYED)
def test_it_keeps_its_contract(check, case):
    hold(check, case)


# What it owes this repository.
