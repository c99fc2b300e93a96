"""Memory and time of aggregating a million rows, in a process of its own.

    python benchmarks/aggregation.py [ROWS]

Result files of 100 trials of 300 recorded rounds, with twenty diagnostics, are made in a temporary
folder; then what the rule ``aggregate`` does is done to them.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRIALS, ROUNDS, DIAGNOSTICS = 100, 300, 20


def make(folder, rows):
    """Write result files with so many rows together; return their paths."""
    import numpy as np

    from optimist.runs import results
    from optimist.runs.cell import Cell
    from optimist.runs.loop import Trajectory

    rng = np.random.default_rng(0)
    paths = []
    for number in range(rows // (TRIALS * ROUNDS)):
        cell = Cell("paper", f"setting_{number % 7}", f"algorithm[option={number // 7}]", {})
        trials = {trial: Trajectory("ok", _columns(rng)) for trial in range(TRIALS)}
        paths.append(f"{folder}/{number:05d}.parquet")
        results.write(results.to_table(cell, trials), paths[-1], {})
    return paths


def _columns(rng):
    columns = {"round": list(range(1, ROUNDS + 1)), "seconds": rng.random(ROUNDS).tolist()}
    columns["regret"] = rng.random(ROUNDS).cumsum().tolist()
    named = (f"diagnostic_{i}" for i in range(DIAGNOSTICS))
    return columns | {name: rng.integers(0, 10**6, ROUNDS).tolist() for name in named}


def aggregate(folder):
    """Make the tables of a group; print rows, seconds and the largest memory."""
    start = time.perf_counter()
    import pyarrow.parquet as pq

    from optimist.runs import aggregate

    paths = sorted(map(str, Path(folder).glob("*.parquet")))
    tables = {name: f"{folder}/tables/{name}.parquet" for name in ("finals", "regrets", "times")}
    aggregate.write_tables(paths, paths[:1], None, tables)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = pq.read_metadata(tables["regrets"]).num_rows
    print(f"{rows} rows of {len(paths)} files: {seconds:.1f} s, at most {peak:.0f} MiB")


def main(arguments):
    if arguments[:1] == ["--in"]:
        aggregate(arguments[1])
        return
    with tempfile.TemporaryDirectory() as folder:
        make(folder, int(arguments[0]) if arguments else 1_000_000)
        subprocess.run([sys.executable, __file__, "--in", folder], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
