"""Digests of a cell of each algorithm, by its label, the same on every x86-64-v3 processor.

``python tests/known_answers/test_same_numbers.py`` writes them anew: for other versions of the
packages, and where a method was changed on purpose. Then `CHANGELOG.md` says so.
"""

import json
import os
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from optimist.algorithms import REGISTRIES
from optimist.config.load import load_paper, paper_names
from optimist.core import blas_kernels
from optimist.core.label import Label, name_of
from optimist.experiments import results
from optimist.experiments.trials import Trials, expand, run

DIGESTS = Path(__file__).with_name("digests.json")
PACKAGES = ("numpy", "scipy", "scikit-learn")
ROUNDS = {"arms": 150, "box": 20}


def cells():
    """Return the first cell of each algorithm without a data set, by domain and label."""
    found, names = {}, set()
    for paper in map(load_paper, paper_names()):
        for trials in expand(paper):
            cell = trials.cell
            label = f"{cell.domain}/{cell.algorithm}"
            name = cell.domain, cell.algorithm.name
            if not cell.setting.dataset and name not in names:
                found[label] = cell
                names.add(name)
    return found


CELLS = cells()


def digest(cell):
    """Return the digest of trial 0 of a cell, without wall times and options: of its numbers."""
    rounds = min(ROUNDS[cell.domain], cell.setting.horizon)
    played = run(Trials("regret", cell, 0, 1, rounds=rounds))
    named = replace(cell, algorithm=Label(cell.algorithm.name))
    return results.digest(results.to_table(named, played))


def versions():
    return {name: version(name) for name in PACKAGES}


@pytest.mark.parametrize("domain", REGISTRIES)
def test_every_algorithm_has_a_digest(domain):
    assert {f"{domain}/{name}" for name in REGISTRIES[domain]} <= set(map(name_of, CELLS))
    assert set(json.loads(DIGESTS.read_text())["cells"]) == set(CELLS)


@pytest.mark.parametrize("name", CELLS)
def test_the_numbers_are_those_of_every_other_processor(name):
    known = json.loads(DIGESTS.read_text())
    if known["versions"] != versions():
        pytest.skip(f"digests are of {known['versions']}")
    if known["kernels"] != blas_kernels.chosen():
        pytest.skip(f"kernels are {blas_kernels.chosen()}")
    assert digest(CELLS[name]) == known["cells"][name]


if __name__ == "__main__":
    if not blas_kernels.kernels().items() <= os.environ.items():  # numpy has chosen others already
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | blas_kernels.kernels())
    found = {name: digest(cell) for name, cell in sorted(CELLS.items())}
    content = {"versions": versions(), "kernels": blas_kernels.chosen(), "cells": found}
    DIGESTS.write_text(json.dumps(content, indent=1) + "\n")
