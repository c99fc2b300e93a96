"""Whatever kernels a machine would choose, each command gives the committed trials.

GP-EI on f2 magnifies a last digit: with other kernels, both trials end thousands away.
"""

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pandas as pd
import pytest
from toy_environments import ROOT

from optimist.cli import new
from optimist.config.load import load_config
from optimist.core import blas_kernels
from optimist.plan.plan import Plan

KNOWN = json.loads((ROOT / "tests/known_answers/digests.json").read_text())["versions"]
pytestmark = [
    pytest.mark.skipif(not blas_kernels.kernels(), reason="this processor has other kernels"),
    pytest.mark.skipif(
        {name: version(name) for name in KNOWN} != KNOWN, reason=f"trials are of {KNOWN}"
    ),
]
CELL = "go_ucb/f2/gp_ei"
FORCED = ["SkylakeX", "Prescott"]
NOTEBOOK = """
import numpy
import optimist

played = optimist.play("go_ucb/f2", ["gp_ei"], trials=2, fresh=True)
print(played.groupby("trial")["regret"].last().to_list())
"""
OF_NOTEBOOK = """
import numpy
import optimist
from optimist.algorithms.uniform import Uniform


class Looks(Uniform):
    def diagnostics(self):
        from optimist import arithmetic

        return {"is_shared": arithmetic.is_shared()}


played = optimist.play("glb_omd/logistic_s3", [Looks], trials=1, rounds=5)
print(float(played["is_shared"].all()))
"""
# A package that Python loads at every start, and that loads numpy.
SITE = "import numpy\n"


@pytest.fixture(scope="module")
def committed():
    """Return the final regrets of two trials in the committed table."""
    path = ROOT / "figures/go_ucb/trials.parquet"
    if not path.is_file():
        pytest.skip("no full run is committed yet")
    trials = pd.read_parquet(path, columns=["lane", "setting", "algorithm", "trial", "regret"])
    here = trials[(trials["lane"] == "regret") & (trials["setting"] == "f2")]
    of_method = here[(here["algorithm"] == "gp_ei") & (here["trial"] < 2)]
    return pytest.approx(of_method.sort_values("trial")["regret"].to_list(), rel=5e-6)


@pytest.fixture(params=FORCED)
def call(request, tmp_path):
    """Run ``python words...`` where the machine's own kernels are others; return what it prints."""
    dropped = {*blas_kernels.variables(), "PYTHONHASHSEED"}
    env = {key: value for key, value in os.environ.items() if key not in dropped}
    env |= {"OPENBLAS_CORETYPE": request.param, "OMP_NUM_THREADS": "2"}

    def called(*words, **more):
        done = subprocess.run(
            [sys.executable, *map(str, words)],
            env=env | more,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return called


def test_run(call, committed):
    trials = json.loads(call("-m", "optimist", "run", CELL, "--trials", "2", "--json"))
    assert [trial["regret"] for trial in trials] == committed


def test_run_where_numpy_is_imported_first(call, committed, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(SITE)
    words = ["-m", "optimist", "run", CELL, "--trials", "2", "--json"]
    found = json.loads(call(*words, PYTHONPATH=str(tmp_path)))
    assert [trial["regret"] for trial in found] == committed


def test_compare(call, committed):
    words = ["--trials", "2", "--fresh", "--json"]
    (row,) = json.loads(call("-m", "optimist", "compare", "go_ucb/f2", "-a", "gp_ei", *words))
    assert row["mean"] == pytest.approx(sum(committed.expected) / 2.0, rel=5e-6)


def test_a_notebook(call, committed, tmp_path):
    (tmp_path / "results").mkdir()
    assert json.loads(call("-c", NOTEBOOK)) == committed


def test_a_class_of_a_notebook(call, tmp_path):
    assert call("-c", OF_NOTEBOOK) == "1.0\n"


def test_check(call, tmp_path):
    looks = "from optimist import arithmetic\n\nassert arithmetic.is_shared()\n"
    (tmp_path / "mine.py").write_text(new.template("algorithm", "glb", "mine") + looks)
    (report,) = json.loads(call("-m", "optimist", "check", "mine.py:Mine", "--json"))
    assert report["failed"] == []


def test_a_job_of_the_workflow(call, committed, tmp_path):
    words = ["--snakefile", ROOT / "Snakefile", "--directory", tmp_path, "--cores", "1", "--quiet"]
    values = ["papers=[go_ucb]", "caps={trials: 2}"]
    words += ["--config", *values]
    plan = Plan(load_config(values=values))
    (path,) = plan.trials.files(plan.trials.of_paper("go_ucb")["regret", "f2", "gp_ei"])
    call("-m", "snakemake", *words, "--", path)
    table = pd.read_parquet(tmp_path / path)
    assert table.groupby("trial")["regret"].last().to_list() == committed
