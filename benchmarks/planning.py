"""What planning takes: processor time of a dry run of everything, against one of a single rule.

``python benchmarks/planning.py`` runs ``snakemake -n`` of this checkout, with all variants, and
of a Snakefile with one rule in turns, and prints the median of each with their ratio. It fails if
a dry run writes into the checkout.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
TURNS = 3
ONE_RULE = 'rule one:\n    output: "one.txt"\n    shell: "touch {output}"\n'
TARGETS = ("all", "glb_omd_variants", "go_ucb_variants")


def processor_seconds(folder, *targets):
    """Return the processor seconds of a dry run in ``folder``."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "snakemake", "-n", "--cores", "2", *targets]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment())
    if done.returncode:
        sys.exit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def environment():
    """Return the environment of a user: Python keeps compiled modules, BLAS has one thread."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"OMP_NUM_THREADS": "1"}


def state():
    """Return the time of every file of the checkout but Snakemake's own."""
    own = (".snakemake", ".git", "__pycache__")
    paths = (p for p in ROOT.rglob("*") if not any(part in own for part in p.parts))
    return {path: path.lstat().st_mtime_ns for path in paths if ".venv" not in path.parts}


def main():
    """Measure in turns, and print."""
    everything, one = [], []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "Snakefile").write_text(ONE_RULE)
        processor_seconds(ROOT, *TARGETS)  # compiles modules, into the checkout
        before = state()
        for _ in range(TURNS):
            everything.append(processor_seconds(ROOT, *TARGETS))
            one.append(processor_seconds(folder))
    if state() != before:
        sys.exit("the dry run wrote into the checkout")
    whole, single = statistics.median(everything), statistics.median(one)
    print(f"cores {os.cpu_count()}, turns {TURNS}")
    print(f"dry run of everything: {whole:.2f} s of processor time")
    print(f"dry run of one rule:   {single:.2f} s")
    print(f"ratio {whole / single:.2f}, our share {whole - single:.2f} s")


if __name__ == "__main__":
    main()
