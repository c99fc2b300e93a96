"""Covertype arms of the full data: known answers, and the same bytes whatever the threads."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from optimist.data.prepare import covertype

ARMS_SCRIPT = """
import sys
from optimist.data.fetch import fetch
from optimist.data.prepare import covertype
frame, _ = fetch("covertype", source="mirror")
covertype.write_arms(covertype.prepare(frame, clusters=60, seed=7, n_init=1), sys.argv[1])
"""
EXTREMES_SCRIPT = """
import sys
from optimist.data.fetch import fetch
from optimist.data.prepare import covertype
frame, _ = fetch("covertype", source="mirror")
covertype.extremes(frame, [0, 42]).to_csv(sys.argv[1], index=False)
"""


def start(script, threads, path):
    variables = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    env = os.environ | dict.fromkeys(variables, str(threads))
    return subprocess.Popen([sys.executable, "-c", script, str(path)], env=env)


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """Folder with arms of the full data by 1 and 2 threads, and extremes for seeds 0 and 42."""
    folder = tmp_path_factory.mktemp("covertype")
    single = [
        start(EXTREMES_SCRIPT, 1, folder / "extremes.csv"),
        start(ARMS_SCRIPT, 1, folder / "arms1.csv"),
    ]
    assert [process.wait() for process in single] == [0, 0]
    assert start(ARMS_SCRIPT, 2, folder / "arms2.csv").wait() == 0
    return folder


@pytest.fixture(scope="module")
def full_arms(full):
    return covertype.read_arms(full / "arms1.csv")


def test_threads_do_not_change_a_byte(full):
    assert (full / "arms1.csv").read_bytes() == (full / "arms2.csv").read_bytes()


def test_default_seed_gives_the_range_of_the_paper(full_arms):
    assert full_arms.means.min() == pytest.approx(0.103, abs=5e-4)
    assert full_arms.means.max() == pytest.approx(0.881, abs=5e-4)
    # 48.76 % of all cells are lodgepole pine.
    assert full_arms.sizes.sum() == 581_012
    assert np.rint(full_arms.sizes @ full_arms.means) == 283_301


def test_longest_centroid_before_scaling(full_arms):
    # The constant was 1, so its value now is the scale. Norm of the ten standardised columns.
    longest = np.linalg.norm(full_arms.features[:, :10] / full_arms.features[:, 10:], axis=1).max()
    assert longest == pytest.approx(5.72, abs=5e-3)


def test_shape_and_centring_of_the_arms(full_arms):
    assert full_arms.features.shape == (60, 11)
    assert np.linalg.norm(full_arms.features, axis=1).max() == pytest.approx(1, abs=1e-11)
    assert np.ptp(full_arms.features[:, -1]) == 0
    # Standardised columns have mean zero over all rows, hence over centroids weighted by size.
    assert full_arms.sizes @ full_arms.features[:, :10] == pytest.approx(0, abs=1e-4)


def test_extremes_of_other_seeds(full):
    table = pd.read_csv(full / "extremes.csv")
    assert list(table.columns) == ["seed", "lowest", "highest"]
    assert list(table["seed"]) == [0, 42]
    assert list(table["lowest"].round(3)) == [0.109, 0.123]  # 0.1091 and 0.1225
    assert list(table["highest"].round(3)) == [0.865, 0.892]  # 0.8654 and 0.8925


def test_logistic_fit_of_the_full_data(full_arms):
    assert covertype.logistic_fit_norm(full_arms) == pytest.approx(20.83, abs=0.01)
