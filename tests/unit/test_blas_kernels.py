"""Kernels: the shared ones where a processor has them, unless a person keeps its own."""

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from optimist.core import blas_kernels
from optimist.core.errors import OptimistError

CHOSEN = """
import json
from optimist.core import blas_kernels
blas_kernels.fix()
print(json.dumps(blas_kernels.chosen()))
"""
OLDER = ["SSSE3", "SSE41", "POPCNT", "SSE42", "AVX", "F16C", "FMA3", "AVX2"]  # before numpy 2.4
IS_OLDER = version("numpy").startswith("2.3.")
SHARED = {"blas": ["Haswell"], "numpy": OLDER if IS_OLDER else ["X86_V3"]}


def chosen(**env):
    """Return what a new process uses that fixes its arithmetic first."""
    left = {k: v for k, v in os.environ.items() if k not in blas_kernels.kernels()}
    command = [sys.executable, "-c", CHOSEN]
    done = subprocess.run(command, env=left | env, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return json.loads(done.stdout)


def with_processor(monkeypatch, machine, flags, numpy="2.4.6"):
    monkeypatch.setattr(blas_kernels, "version", lambda package: numpy)
    monkeypatch.setattr("platform.machine", lambda: machine)
    text = f"processor : 0\nmodel name : None\nflags : {flags}\n"
    monkeypatch.setattr(Path, "read_text", lambda *args, **kwargs: text)


@pytest.mark.skipif(not blas_kernels.kernels(), reason="this processor has other kernels")
@pytest.mark.parametrize("forced", ["Prescott", "Haswell", ""])
def test_the_shared_kernels_are_chosen_whatever_is_set(forced):
    assert chosen(OPENBLAS_CORETYPE=forced) == SHARED


@pytest.mark.skipif(not blas_kernels.kernels(), reason="this processor has other kernels")
def test_a_person_may_keep_the_machines_own_kernels():
    found = chosen(OPTIMIST_KERNELS="own", OPENBLAS_CORETYPE="Prescott")
    assert found["blas"] != SHARED["blas"]  # OpenBLAS has another name for it


def test_products_that_are_wrong_are_refused(monkeypatch):
    monkeypatch.setattr(blas_kernels, "is_shared", lambda: True)
    blas_kernels.verify()
    faulty = lambda *operands: np.zeros(2)  # noqa: E731
    monkeypatch.setattr(np, "einsum", faulty)
    with pytest.raises(OptimistError, match=r"multiplies matrices wrongly .*OPTIMIST_KERNELS=own"):
        blas_kernels.verify()


def test_other_kernels_are_refused(monkeypatch):
    monkeypatch.setattr(blas_kernels, "is_shared", lambda: False)
    with pytest.raises(OptimistError, match=r"no other kernels: .*OPTIMIST_KERNELS=own"):
        blas_kernels.verify()
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    with pytest.raises(OptimistError, match="numpy was imported before optimist"):
        blas_kernels.verify()


def test_a_process_that_others_begin_wrongly_starts_again_once_and_says_why(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import os, numpy\nos.environ['OMP_NUM_THREADS'] = '4'\n"
    )
    command = [sys.executable, "-m", "optimist", "list", "bkb"]
    env = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "error: numpy is imported before every Python command" in done.stderr
    assert "by a sitecustomize.py, with the variables {'OMP_NUM_THREADS': '4'}" in done.stderr


@pytest.mark.parametrize(
    ("machine", "flags", "is_shared"),
    [
        ("x86_64", "fpu sse2 avx fma avx2 bmi1 bmi2", True),
        ("x86_64", "fpu sse2 avx fma avx2 bmi1 bmi2 avx512f avx512vl", True),
        ("x86_64", "fpu sse2 avx", False),  # would stop at an unknown instruction
        ("x86_64", "fpu avx512f fma_not bmi2", False),
        ("aarch64", "fp asimd avx2 fma bmi2", False),
    ],
)
def test_kernels_are_chosen_where_the_processor_has_them(machine, flags, is_shared, monkeypatch):
    with_processor(monkeypatch, machine, flags)
    assert bool(blas_kernels.kernels()) is is_shared


@pytest.mark.parametrize(("numpy", "name"), [("2.3.4", "AVX512_SKX"), ("2.4.0", "X86_V4")])
def test_features_have_the_names_of_the_numpy_that_is_there(numpy, name, monkeypatch):
    with_processor(monkeypatch, "x86_64", "avx2 fma bmi2", numpy)
    assert name in blas_kernels.kernels()["NPY_DISABLE_CPU_FEATURES"].split()
