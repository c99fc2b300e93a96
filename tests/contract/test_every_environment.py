"""What every environment owes: determined by its trial, honest about regret, true to its means.

The checks are those of ``optimist check`` (`optimist.checks`), here in the papers' own settings.
"""

import pytest
from contracts_held import every, hold
from toy_environments import STAND_IN, configured

from optimist.checks.battery import HORIZONS, WORLDS
from optimist.checks.cases import World
from optimist.environments import REGISTRY
from optimist.experiments.cell import Cell

SETTINGS = {
    f"{paper['paper']}/{setting}": World(
        Cell(
            paper["paper"],
            setting,
            "unused",
            paper["settings"][setting] | {"horizon": HORIZONS["arms"]},
        ),
        lambda: STAND_IN,
    )
    for paper, setting, _ in configured()
}


@every(WORLDS["arms"], SETTINGS)
def test_it_keeps_its_contract(check, case):
    hold(check, case)


@pytest.mark.parametrize("name", REGISTRY)
def test_every_environment_is_used_by_a_paper(name):
    assert name in {case.cell.spec["environment"] for case in SETTINGS.values()}
