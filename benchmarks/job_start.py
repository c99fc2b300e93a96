"""What the start and the end of a job cost: processor time of jobs of one cell through Snakemake.

    python benchmarks/job_start.py [--jobs 22] [--turns 3] [--compare FOLDER]

Each job plays one trial of two rounds (GO-UCB: two after its eight initial points) and writes its
result file, one job after another (``--cores 1``). A run of many jobs and a run of two differ in
jobs alone, so their difference over the number of jobs is the cost of one job, Snakemake's share
included. The benchmark prints medians over turns and their ratio to the cost of
``python -c "import numpy, pyarrow"``, which every such job needs. ``--compare`` times another
checkout in the same turns.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
# Paper, setting, algorithm, rounds.
CELLS = {
    "Hvt-UCB": ("hvt_ucb", "student_t[factor=0.3,radius=matched]", "hvt_ucb", 2),
    "GLB-OMD": ("glb_omd", "logistic_s5", "glb_omd", 2),
    "BKB": ("bkb", "gaussian_d2[factor=0.1]", "bkb", 2),
    "GO-UCB": ("go_ucb", "f2", "go_ucb", 10),
}
FEW = 2
COLUMNS = "lane,paper,setting,algorithm,rounds,cpu_seconds,peak_mb"
# Prints the result files of a cell.
FILES = """
import sys
from optimist.config.load import load_config
from optimist.plan.plan import Plan
plan, (paper, *cell) = Plan(load_config("start.yaml")), sys.argv[1:]
print(*plan.trials.files(plan.trials.of_paper(paper)["regret", *cell]))
"""
FLOOR = "import numpy, pyarrow"


def processor_seconds(command, folder, environment):
    """Return the processor seconds of a command and of all processes that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def environment(folder):
    """Return the environment of a user: Python keeps compiled modules, BLAS has one thread."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(folder / "src")}


def copied(root, folder):
    """Copy a checkout without its results; return the folder of the copy."""
    ignored = shutil.ignore_patterns(".venv", ".snakemake", "results", "figures", "tests")
    shutil.copytree(root, folder, ignore=ignored)
    return folder


def run(folder, cell, jobs):
    """Return the processor seconds of a run of ``jobs`` jobs of one trial each."""
    paper, setting, algorithm, rounds = cell
    overlay = {"papers": [paper], "caps": {"rounds": rounds}, "changes": {"trials": jobs}}
    (folder / "start.yaml").write_text(yaml.safe_dump(overlay))
    # Trials that take longer than a job may are a job each.
    costs = f'{COLUMNS}\nregret,{paper},"{setting}","{algorithm}",{rounds},601,100\n'
    (folder / "config/costs.csv").write_text(costs)
    shutil.rmtree(folder / "results", ignore_errors=True)
    listed = [sys.executable, "-c", FILES, paper, setting, algorithm]
    done = subprocess.run(
        listed, cwd=folder, env=environment(folder), capture_output=True, text=True, check=True
    )
    targets = done.stdout.split()[:jobs]
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all"]
    command += ["--configfile", "start.yaml", "--", *targets]
    return processor_seconds(command, folder, environment(folder))


def slope(folder, cell, jobs):
    """Return the processor seconds of one job."""
    return (run(folder, cell, jobs) - run(folder, cell, FEW)) / (jobs - FEW)


def main():
    """Measure in turns, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=22)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--compare", type=Path, metavar="FOLDER", help="another checkout")
    options = parser.parse_args()
    roots = [ROOT, *([options.compare] if options.compare else [])]
    with tempfile.TemporaryDirectory() as place:
        folders = [copied(root, Path(place) / str(i)) for i, root in enumerate(roots)]
        floors, found = [], {name: [[] for _ in folders] for name in CELLS}
        for folder in folders:
            run(folder, CELLS["Hvt-UCB"], FEW)  # compiles modules
        for _ in range(options.turns):
            python = [sys.executable, "-c", FLOOR]
            floors += [processor_seconds(python, place, environment(folders[0]))]
            for name, cell in CELLS.items():
                for folder, seconds in zip(folders, found[name], strict=True):
                    seconds.append(slope(folder, cell, options.jobs))
    floor = statistics.median(floors)
    print(f"{FLOOR}: {floor:.2f} s of processor time, turns {options.turns}")
    for name, each in found.items():
        medians = [statistics.median(seconds) for seconds in each]
        texts = (f"{seconds:.2f} s ({seconds / floor:.1f})" for seconds in medians)
        print(f"{name:8} {'   '.join(texts)}")


if __name__ == "__main__":
    main()
