"""A copy of the project to run for real, out of the way of the work tree's own results."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


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

    def run(self, *args, check=True):
        """Run ``python -m args...`` in the copy; show its output if it fails and ``check`` is on.

        Returns
        -------
        CompletedProcess with text in ``stdout`` and ``stderr``
        """
        command = [sys.executable, "-m", *map(str, args)]
        done = subprocess.run(command, cwd=self.root, env=self.env, capture_output=True, text=True)
        if check and done.returncode:
            pytest.fail(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}", pytrace=False)
        return done


def copy_project(target):
    """Copy the work tree's tracked and new files, with uncommitted changes, to ``target``."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).exists():  # else deleted, but not yet from the index
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


@pytest.fixture
def project(tmp_path):
    """Return a fresh `Project`; its folder is removed at the end unless the test failed."""
    root = tmp_path / "project"
    copy_project(root)
    return Project(root, {**os.environ, "PYTHONPATH": str(root / "src")})


@pytest.fixture(scope="session")
def quick(tmp_path_factory):
    """Return a `Project` after the workflow of ``make quick``, whose figures it must not touch."""
    root = tmp_path_factory.mktemp("quick") / "project"
    copy_project(root)
    project = Project(root, {**os.environ, "PYTHONPATH": str(root / "src")})
    committed = _snapshot(root / "figures")
    project.run("snakemake", *project.quick)
    assert _snapshot(root / "figures") == committed
    return project


def _snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
