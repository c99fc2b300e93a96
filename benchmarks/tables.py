"""From the table of trials to numbers, verdicts and pictures, without a trial played.

    python benchmarks/tables.py [--turns 3] [--figures DIR] [PAPER ...]

For each paper with a table of trials, medians over turns: processor milliseconds to open the table
and read one cell, over all cells, and to read all final regrets, within this process and without
pandas; then processor seconds of `optimist decide` and `optimist draw`, for the whole paper and for
its first claim and figure, in a copy of the folder.
"""

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from optimist.config.load import load_config, paper_names
from optimist.core.root import project_root
from optimist.experiments.trial_table import TrialTable


def milliseconds(work):
    """Return the processor milliseconds of a call."""
    start = time.process_time()
    work()
    return 1e3 * (time.process_time() - start)


def seconds(*words):
    """Return the processor seconds of a command of optimist and of the processes that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "optimist", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def reading(path, turns):
    """Return the milliseconds of reading a cell, and of reading all final regrets."""

    def finals():
        return [cell.ends["regret"] for cell in TrialTable(path).cells("regret")]

    keys = TrialTable(path).keys
    finals()  # imports
    one = [milliseconds(lambda key=key: TrialTable(path).cell(*key)) for key in keys]
    every = [milliseconds(finals) for _ in range(turns)]
    assert "pandas" not in sys.modules
    return statistics.median(one), statistics.median(every)


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("papers", nargs="*", default=paper_names())
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--figures", type=Path, default=Path(load_config()["figures"]))
    options = parser.parse_args()
    print("paper,cell_ms,finals_ms,decide,decide_one,draw,draw_one")
    for name in options.papers:
        path = options.figures / name / "trials.parquet"
        if not path.is_file():
            continue
        numbers, folder = [*reading(path, options.turns)], project_root() / "config/papers" / name
        claims, figures = (
            yaml.safe_load((folder / f"{room}.yaml").read_text())[room]
            for room in ("claims", "figures")
        )
        claim, figure = claims[0]["id"], next(iter(figures))
        wanted = (("decide", name), ("decide", claim), ("draw", name), ("draw", f"{name}/{figure}"))
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(options.figures / name, Path(folder) / name)
            for words in wanted:
                taken = [seconds(*words, "--figures", folder) for _ in range(options.turns)]
                numbers.append(statistics.median(taken))
        print(",".join([name, *(f"{number:.3g}" for number in numbers)]), flush=True)


if __name__ == "__main__":
    main()
