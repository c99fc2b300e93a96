"""What the shared kernels cost: seconds of a trial with them, and with the processor's own.

``python benchmarks/kernels.py`` plays a trial of some cells in turns: as the workflow does, and
with the kernels that OpenBLAS and numpy choose by themselves. It prints the median seconds of
select and update of each, and their ratio; on processors without AVX-512 that is about 1.
"""

import json
import os
import statistics
import subprocess
import sys

TURNS = 5
CELLS = (
    "glb_omd/logistic_s5/glb_omd",
    "glb_omd/logistic_s5/ofuglb",
    "hvt_ucb/student_t[radius=matched,factor=0.3]/hvt_ucb",
    "bkb/gaussian_d2[factor=0.1]/bkb[q_bar=5,radius=practical]",
    "bkb/gaussian_d2[factor=0.1]/gp_ucb",
    "go_ucb/f2/go_ucb",
    "go_ucb/f2/gp_ei",
)
VARIABLES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "NPY_DISABLE_CPU_FEATURES")


def seconds(cell: str, native: bool) -> float:
    """Return the seconds of trial 0 of a cell."""
    env = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    env |= {"OPTIMIST_KERNELS": "own"} if native else {}
    command = [sys.executable, "-m", "optimist", "run", cell, "--json"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)[0]["seconds"]


def main() -> None:
    """Print a row for each cell."""
    print(f"{'cell':55} {'shared':>8} {'own':>8}  ratio")
    for cell in CELLS:
        turns = [(seconds(cell, native=False), seconds(cell, native=True)) for _ in range(TURNS)]
        shared, own = (statistics.median(side) for side in zip(*turns, strict=True))
        print(f"{cell:55} {shared:8.3f} {own:8.3f}  {shared / own:.2f}", flush=True)


if __name__ == "__main__":
    main()
