"""The cost of a job without its trial: a workflow of many trials of two rounds each.

    python benchmarks/overhead.py 100 1000 [--subsample JOBS]

For each number of jobs a copy of the project gets one block of so many trials, one a job, and a
dry run and the run are timed. Printed per job: wall seconds times cores. With a subsample
Snakemake's scheduler looks at so many ready jobs at a time, not at all of them
(``--scheduler-subsample``).
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]


def project(folder, jobs):
    """Copy the project to a folder, with one paper of so many jobs."""
    ignored = shutil.ignore_patterns(".git", ".venv", ".snakemake", "results", "figures", "tests")
    shutil.copytree(ROOT, folder, ignore=ignored)
    setting = {
        "environment": "glm",
        "parameters": {"link": "logistic", "norm": 3},
        "horizon": 2,
        "title": "tiny",
        "about": "The shortest trials.",
    }
    block = {"settings": "tiny", "algorithms": "gloc", "trials": jobs}
    settings = {
        "paper": "toy",
        "title": "Toy",
        "reference": "Nobody",
        "band": 0.95,
        "names": {"gloc": "GLOC"},
        "settings": {"tiny": setting},
    }
    runs = {"runs": [block], "timings": []}
    check = {"metric": "coverage", "arguments": {"algorithm": "gloc", "settings": ["tiny"]}}
    claim = {"id": "toy.01", "place": "nowhere", "statement": "None.", "checks": [check]}
    check |= {"relation": "above", "bound": 0.5, "why": "A toy."}
    claims = {"paper": "toy", "level": 0.95, "claims": [claim]}
    paper = {"settings": settings, "runs": runs, "figures": {}, "claims": claims}
    # Trials that take longer than a job may are a job each.
    columns = "lane,paper,setting,algorithm,rounds,cpu_seconds,peak_mb"
    (folder / "config/costs.csv").write_text(f"{columns}\nregret,toy,tiny,gloc,2,601,100\n")
    (folder / "config/papers/toy").mkdir()
    for room, document in paper.items():
        (folder / f"config/papers/toy/{room}.yaml").write_text(yaml.safe_dump(document))


def run(folder, cores, *more):
    """Run all jobs; return seconds."""
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), "--quiet", "all"]
    env = os.environ | {"PYTHONPATH": str(folder / "src"), "OMP_NUM_THREADS": "1"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # as the Makefile does
    start = time.perf_counter()
    subprocess.run(
        [*command, "--config", "papers=[toy]", *more, "--", "results"],
        cwd=folder,
        env=env,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jobs", type=int, nargs="+")
    parser.add_argument("--subsample", type=int, metavar="JOBS")
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    more = ["--scheduler-subsample", str(options.subsample)] if options.subsample else []
    print("jobs,plan_seconds,run_seconds,core_seconds_per_job")
    for jobs in options.jobs:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "project"
            project(folder, jobs)
            plan = run(folder, options.cores, "-n")
            seconds = run(folder, options.cores, *more)
            each = seconds * options.cores / jobs
            print(f"{jobs},{plan:.1f},{seconds:.1f},{each:.3f}", flush=True)


if __name__ == "__main__":
    main()
