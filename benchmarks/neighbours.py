"""What a busy neighbour does to times, and to the ratios of times that claims are about.

    python benchmarks/neighbours.py [--turns 5]

For a few pairs of cells, a fast method and its slow rival: in every turn both are played alone, and
then once more while another process plays BKB on 20,000 arms, which moves more memory than most.
Run it on two cores with nothing else on them. Printed: median seconds of both alone, by how much a
neighbour lengthens each (median over turns of the ratio), and what it does to their ratio.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

# Fixed before numpy is imported, in every process.
THREADS = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
PAIRS = [
    ("glb_omd/logistic_s3", 1500, "glb_omd", "ofuglb"),
    ("hvt_ucb/student_t[factor=0.3,radius=matched]", 4000, "hvt_ucb", "heavy_oful"),
    ("bkb/smooth[factor=0.1]", 1000, "bkb[q_bar=5,radius=practical]", "gp_ucb"),
    (
        "bkb/smooth[arms=20000,factor=0.1,horizon=500]",
        150,
        "gp_ucb[solver=recall]",
        "bkb[q_bar=10,radius=practical]",
    ),
    ("go_ucb/f2", 40, "go_ucb", "gp_ei"),
]
NEIGHBOUR = (
    "bkb/smooth[arms=20000,factor=0.1,horizon=500]/bkb[q_bar=10,radius=practical]",
    "0:1000",
)


def start(cell, *options):
    command = [sys.executable, "-m", "optimist", "run", cell, *options, "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, env=os.environ | THREADS, **pipes)


def seconds(cell, rounds):
    """Return the time of a trial; another one before it loads what the process needs."""
    found = json.loads(start(cell, "--trials", "0:2", "--rounds", str(rounds)).communicate()[0])
    return found[1]["seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=5)
    turns = parser.parse_args().turns
    print("setting,fast,slow,fast_seconds,slow_seconds,fast_beside,slow_beside,ratio_beside")
    for setting, rounds, fast, slow in PAIRS:
        cells = [f"{setting}/{label}" for label in (fast, slow)]
        alone, beside = [], []
        for _ in range(turns):
            alone.append([seconds(cell, rounds) for cell in cells])
            neighbour = start(NEIGHBOUR[0], "--trials", NEIGHBOUR[1])
            try:
                beside.append([seconds(cell, rounds) for cell in cells])
            finally:
                neighbour.kill()
                neighbour.wait()
        changes = [
            [b / a for a, b in zip(*pair, strict=True)] for pair in zip(alone, beside, strict=True)
        ]
        of_ratio = [change[1] / change[0] for change in changes]
        columns = [*zip(*alone, strict=True), *zip(*changes, strict=True), of_ratio]
        medians = [statistics.median(values) for values in columns]
        numbers = ",".join(f"{value:.3g}" for value in medians)
        print(f'"{setting}","{fast}","{slow}",{numbers}', flush=True)


if __name__ == "__main__":
    main()
