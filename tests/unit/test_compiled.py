"""scipy's compiled parts: the same functions, and the same bits, without the rest of scipy."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg
import scipy.spatial

from optimist.numerics import compiled
from optimist.numerics.linear import add_outer

ALONE = """
import sys
from optimist.numerics import compiled
first = compiled.blas, compiled.lapack, compiled.cdist
assert not {"scipy.linalg", "scipy.spatial", "scipy.special"} & sys.modules.keys()
import scipy.linalg, scipy.linalg.blas, scipy.linalg.lapack
assert scipy.linalg.blas.dger is compiled.blas.dger
assert scipy.linalg.lapack.dpotrf is compiled.lapack.dpotrf
assert scipy.linalg.cho_solve(scipy.linalg.cho_factor([[4.0]]), [8.0])[0] == 2.0
"""


@pytest.mark.parametrize("layout", ["C", "F"])
def test_a_rank_one_update_has_the_bits_of_scipy(layout):
    rng = np.random.default_rng(0)
    for d in (1, 2, 5, 33):
        H, v = np.array(rng.normal(size=(d, d)), order=layout), rng.normal(size=d)
        expected = scipy.linalg.blas.dger(0.3, v, v, a=H.copy(order="K"), overwrite_a=1)
        np.testing.assert_array_equal(add_outer(H.copy(order="K"), 0.3, v), expected)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_distances_have_the_bits_of_scipy(metric, monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 6))
    pairs = [(X, X[:7]), (X[:, ::2], X.T.copy().T[:4, :3]), (X.astype(int), X[:2]), (X[:0], X)]
    expected = [scipy.spatial.distance.cdist(*pair, metric) for pair in pairs]
    for pair, distances in zip(pairs, expected, strict=True):
        np.testing.assert_array_equal(compiled.cdist(*pair, metric), distances)
    monkeypatch.setattr(compiled, "_extension", lambda *names: object())  # of another scipy
    np.testing.assert_array_equal(compiled.cdist(*pairs[0], metric), expected[0])


def test_a_scipy_without_such_a_file_gives_its_public_module():
    assert compiled._extension("scipy.linalg._elsewhere", "scipy.linalg.blas") is scipy.linalg.blas


def test_they_come_alone_and_scipy_uses_the_same_ones_afterwards():
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True)
    assert not done.returncode, done.stderr


def test_other_names_are_no_part_of_it():
    with pytest.raises(AttributeError, match="'cblas'"):
        _ = compiled.cblas
