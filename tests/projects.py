"""Copies of the project to run for real, out of the way of the work tree's own results."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from toy_environments import ROOT

from optimist.config.load import merge
from optimist.experiments import results

# Two algorithms in one setting: enough to have jobs of both lanes, and a figure.
TINY = {
    "only": {"settings": ["logistic_s3"], "algorithms": ["glb_omd", "gloc"]},
    "caps": {"rounds": 40, "trials": 3, "timing_trials": 1},
    "timing": {"exclusive": False},
}
TARGET = "glb_omd_fig1"
# What a Snakefile prints when all is done, if this is appended to it.
TIMERS = """
onsuccess:
    import threading

    timers = [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
    print(f"timers left: {len(timers)}")
"""


@dataclass(frozen=True)
class Project:
    """A copy of all files of the work tree that git does not ignore.

    Attributes
    ----------
    root : Path
    env : dict
        Environment variables in which the copy's package is imported, not the installed one.
    """

    root: Path
    env: dict

    @property
    def quick(self):
        """What ``make quick`` gives to Snakemake, as a list of words."""
        makefile = (self.root / "Makefile").read_text()
        recipe = re.search(r"^\t\$\(SNAKEMAKE\) (.*quick\.yaml.*)$", makefile, flags=re.M)
        return ["--cores", "2", *shlex.split(recipe[1])]

    def command(self, *args):
        """Return the command ``python -m args...``."""
        return [sys.executable, "-m", *map(str, args)]

    def run(self, *args, check=True, **env):
        """Run ``python -m args...`` in the copy; show its output if it fails and ``check`` is on.

        Returns
        -------
        CompletedProcess with text in ``stdout`` and ``stderr``
        """
        done = subprocess.run(
            self.command(*args),
            cwd=self.root,
            env=self.env | env,
            capture_output=True,
            text=True,
        )
        if check and done.returncode:
            text = f"{' '.join(done.args)}\n{done.stdout}\n{done.stderr}"
            pytest.fail(text, pytrace=False)
        return done

    def start(self, *args, **env):
        """Start ``python -m args...`` in the copy, in a process group of its own."""
        return subprocess.Popen(
            self.command(*args),
            cwd=self.root,
            env=self.env | env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def overlay(self, **changes):
        """Write a small configuration, `TINY` with changes; return Snakemake's arguments."""
        (self.root / "tiny.yaml").write_text(yaml.safe_dump(merge(TINY, changes)))
        return ["snakemake", "--cores", "2", "--configfile", "tiny.yaml", "--"]

    def copied(self, root):
        """Return a copy of this project with results, records of Snakemake, and times of files."""
        shutil.copytree(self.root, root)
        return Project(root, {**self.env, "PYTHONPATH": str(root / "src")})

    def cloned(self, root):
        """Return a fresh clone: files of now, no results, no records of Snakemake."""
        ignored = shutil.ignore_patterns("results", ".snakemake", "__pycache__")
        shutil.copytree(self.root, root, ignore=ignored, copy_function=shutil.copyfile)
        return Project(root, {**self.env, "PYTHONPATH": str(root / "src")})

    def outputs(self, arguments, *targets):
        """Return the files that a dry run announces; ``arguments`` are those of `overlay`."""
        text = self.run(*arguments[:-1], "-n", "--", *targets).stdout
        lines = re.findall(r"^ +output: (.+)$", text, flags=re.MULTILINE)
        return {path for line in lines for path in line.split(", ")}

    def edit(self, name, old, new):
        """Replace some text of a file."""
        text = (self.root / name).read_text()
        assert old in text, name
        (self.root / name).write_text(text.replace(old, new))

    def digests(self, results_dir="results"):
        """Return the digest of every result file by path, without wall times."""
        root = self.root / results_dir
        paths = sorted([*root.glob("run/**/*.parquet"), *root.glob("time/**/*.parquet")])
        return {str(p.relative_to(root)): results.digest(results.read(p)) for p in paths}


def wait_for(find, what, seconds=120.0):
    """Return what ``find`` finds first, asking again and again."""
    deadline = time.monotonic() + seconds
    while not (found := find()):
        assert time.monotonic() < deadline, f"no {what} after {seconds:.0f} s"
        time.sleep(0.02)
    return found


def new_project(root):
    """Copy the work tree's tracked and new files, with uncommitted changes, to ``root``."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).exists():  # else deleted, but not yet from the index
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, root / name)
    return Project(root, {**os.environ, "PYTHONPATH": str(root / "src")})
