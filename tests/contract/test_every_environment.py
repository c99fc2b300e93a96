"""Promises of every environment: the tests of ``optimist check``, in the papers' own settings."""

import itertools
import shutil

import pytest
from toy_environments import STAND_IN, configured, distinct

from optimist.contracts.arm_environments import *  # noqa: F403
from optimist.contracts.battery import HORIZONS
from optimist.contracts.box_environments import *  # noqa: F403
from optimist.contracts.cases import BOX, World, parametrize
from optimist.contracts.environments import *  # noqa: F403
from optimist.environments import BOX_REGISTRY, REGISTRY
from optimist.runs.cell import Cell

COPIES = {"number": itertools.count()}


def stand_in():
    """Return the stand-in data, for each environment a copy on a box.

    Scores of classifiers are kept beside the data, and a kept one would equal itself.
    """
    folder = COPIES["folder"] / str(next(COPIES["number"]))
    shutil.copytree(STAND_IN, folder, ignore=shutil.ignore_patterns("evaluations"))
    return folder


@pytest.fixture(autouse=True)
def copies(tmp_path):
    """Let copies of the data go with the test."""
    COPIES["folder"] = tmp_path


def _worlds():
    """Map ids to settings, until each environment has met each data set and option there is."""
    cases, covered = {}, set()
    for domain in HORIZONS:
        data = stand_in if domain == BOX else lambda: STAND_IN
        for paper, setting, _ in configured(domain=domain):
            spec = paper["settings"][setting] | {"horizon": HORIZONS[domain]}
            options = {"dataset": spec.get("dataset"), **spec.get("parameters", {})}
            new = distinct(spec["environment"], options)
            if new - covered:
                covered |= new
                world = World(Cell(paper["paper"], setting, "unused", spec), domain, data)
                cases[world.where] = world
    return cases


WORLDS = _worlds()


def pytest_generate_tests(metafunc):
    parametrize(metafunc, WORLDS)


@pytest.mark.parametrize("name", [*REGISTRY, *BOX_REGISTRY])
def test_every_environment_is_used_by_a_paper(name):
    assert name in {world.cell.spec["environment"] for world in WORLDS.values()}
