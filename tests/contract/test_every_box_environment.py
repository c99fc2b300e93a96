"""What every function on a box owes: determined by its trial, honest about regret.

The checks are those of ``optimist check`` (`optimist.checks`), here in the papers' own settings.
"""

import itertools
import shutil
from dataclasses import replace

import pytest
from contracts_held import every, hold
from toy_environments import STAND_IN, configured

from optimist.checks.battery import HORIZONS, WORLDS
from optimist.checks.cases import BOX, World
from optimist.environments import BOX_REGISTRY
from optimist.experiments.cell import Cell

SETTINGS = {
    f"{paper['paper']}/{setting}": World(
        Cell(
            paper["paper"],
            setting,
            "unused",
            paper["settings"][setting] | {"horizon": HORIZONS[BOX]},
        )
    )
    for paper, setting, _ in configured(domain=BOX)
}


@pytest.fixture
def data(tmp_path):
    """Return a function that copies the data, for each environment anew.

    Scores of classifiers are kept beside the data, and a kept one would equal itself.
    """
    numbers = itertools.count()

    def copied():
        folder = tmp_path / str(next(numbers))
        shutil.copytree(STAND_IN, folder, ignore=shutil.ignore_patterns("evaluations"))
        return folder

    return copied


@every(WORLDS[BOX], SETTINGS)
def test_it_keeps_its_contract(check, case, data):
    hold(check, replace(case, data=data))


@pytest.mark.parametrize("name", BOX_REGISTRY)
def test_every_environment_is_used_by_a_paper(name):
    assert name in {case.cell.spec["environment"] for case in SETTINGS.values()}
