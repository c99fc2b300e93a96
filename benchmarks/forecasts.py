"""Cost of the forecasts of open claims: ``optimist decide`` with and without them, and a list.

``python benchmarks/forecasts.py`` decides all papers on a copy of the committed tables, with
forecasts and without, and lists the open claims, in turns. Each run is a process of its own; the
median of its processor seconds is printed, and what the forecasts add.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
TURNS = 3
COMMAND = "import sys; from optimist.cli.main import main; sys.exit(main(sys.argv[1:]))"
FORECASTS = "from optimist.claims import next_look as forecasts; "
WITHOUT = FORECASTS + "forecasts.next_look = lambda *_: forecasts.NextLook(); "


def processor_seconds(program, *arguments):
    """Return the processor seconds of a Python program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", program, *arguments]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    """Measure in turns, and print medians."""
    times = {"with": [], "without": [], "open": []}
    with tempfile.TemporaryDirectory() as folder:
        figures = str(shutil.copytree(ROOT / "figures", Path(folder, "figures")))
        for _ in range(TURNS):
            without = processor_seconds(WITHOUT + COMMAND, "decide", "--figures", figures)
            times["without"].append(without)
            times["with"].append(processor_seconds(COMMAND, "decide", "--figures", figures))
            opened = processor_seconds(COMMAND, "claims", "--open", "--figures", figures)
            times["open"].append(opened)
    median = {name: statistics.median(seconds) for name, seconds in times.items()}
    added = median["with"] - median["without"]
    print(f"cores {os.cpu_count()}, turns {TURNS}")
    print(f"decide, all papers, without forecasts: {median['without']:.1f} s")
    print(f"with forecasts: {median['with']:.1f} s, {added:.1f} more (target: at most 10)")
    print(f"claims --open: {median['open']:.1f} s (target: at most 5)")


if __name__ == "__main__":
    main()
