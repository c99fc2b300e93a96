"""A job of one cell loads no more than it plays with, and none checks configuration."""

import json
import subprocess
import sys

from optimist.config.load import load_paper
from optimist.experiments.trials import Trials

CELLS = (
    ("glb_omd", "logistic_s5", "glb_omd"),
    ("hvt_ucb", "student_t[factor=0.3,radius=matched]", "hvt_ucb"),
    ("bkb", "gaussian_d2[factor=0.1]", "bkb"),
    ("go_ucb", "f2", "go_ucb"),
)
JOB = """
import json, sys
from optimist.core import blas_kernels
blas_kernels.fix()
blas_kernels.verify()
from optimist.experiments import results
from optimist.experiments.job import make_result
descriptions, outputs, folder, slow = json.load(sys.stdin)
for description, output in zip(descriptions, outputs):
    make_result(description, output, folder)
    assert results.digest(results.read(output))
loaded = sys.modules.keys() & set(slow)
from optimist.figures.studies import STUDIES, study_class
studies = [study_class(name) for name in STUDIES]
print(json.dumps(sorted(loaded | sys.modules.keys() & {"pydantic"})))
"""
SLOW = (
    *("pandas", "pyarrow.compute", "scipy.linalg", "scipy.optimize", "scipy.spatial", "numpy.ma"),
    *("sklearn", "matplotlib", "pydantic", "yaml", "snakemake"),
)


def test_a_job_of_a_short_cell_imports_nothing_slow(tmp_path):
    cells = [load_paper(paper).cell(*labels) for paper, *labels in CELLS]
    asked = [Trials("regret", cell, 0, 1, rounds=2) for cell in cells]
    outputs = [str(tmp_path / f"{number}.parquet") for number in range(len(asked))]
    described = [{**trials.describe(), "digest": ""} for trials in asked]
    told = [described, outputs, str(tmp_path), SLOW]
    command = [sys.executable, "-c", JOB]
    done = subprocess.run(command, input=json.dumps(told), capture_output=True, text=True)
    assert not done.returncode, done.stderr
    assert json.loads(done.stdout) == []
