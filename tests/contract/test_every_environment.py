"""Promises of every environment: the tests of ``optimist check``, in the papers' own settings."""

import itertools
import shutil

import pytest
from toy_environments import STAND_IN, configured, parametrize

from optimist.checks.cases import BOX, HORIZONS, World
from optimist.checks.environments import *  # noqa: F403
from optimist.environments import BOX_REGISTRY, REGISTRY
from optimist.experiments.cell import NOTHING, Cell

COPIES = {"number": itertools.count()}
pytestmark = pytest.mark.filterwarnings("ignore")


def copied():
    """Return a copy of the stand-in data.

    Scores of classifiers are kept in the folder of the data, and a kept one would equal itself.
    """
    folder = COPIES["folder"] / str(next(COPIES["number"]))
    shutil.copytree(STAND_IN, folder, ignore=shutil.ignore_patterns("evaluations"))
    return folder


@pytest.fixture(autouse=True, scope="session")
def copies(tmp_path_factory):
    """Let copies of the data go with the temporary files of the tests."""
    COPIES["folder"] = tmp_path_factory.mktemp("copies")


def _worlds():
    """Map names of settings to the environments of all papers."""
    cases = {}
    for domain, horizon in HORIZONS.items():
        for setting, _ in configured(domain=domain):
            where, cell = str(setting), Cell(setting, NOTHING).lasting(horizon)
            data = copied if domain == BOX and setting.dataset else lambda: STAND_IN
            cases[where] = World(cell, where, domain, data)
    return cases


WORLDS = _worlds()


def pytest_generate_tests(metafunc):
    parametrize(metafunc, WORLDS)


@pytest.mark.parametrize("name", [*REGISTRY, *BOX_REGISTRY])
def test_every_environment_is_used_by_a_paper(name):
    assert name in {world.cell.setting.environment for world in WORLDS.values()}
