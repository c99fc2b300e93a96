"""The package as others have it: built into a wheel, and installed out of sight of any checkout."""

import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest
from projects import new_project


@dataclass(frozen=True)
class Installed:
    """A virtual environment with the package from its wheel.

    Attributes
    ----------
    wheel, sdist : Path
    python : Path
        The interpreter, which sees the packages of that of the tests, but for this one.
    package : Path
        The folder of the installed package.
    """

    wheel: Path
    sdist: Path
    python: Path
    package: Path

    def run(self, program, *args, cwd, check=True):
        """Run a program of the environment in a folder; fail with its output if it does."""
        words = [str(self.python), "-m", program, *map(str, args)]
        done = subprocess.run(words, cwd=cwd, env=_env(), capture_output=True, text=True)
        if check and done.returncode:
            pytest.fail(f"{' '.join(words)}\n{done.stdout}\n{done.stderr}", pytrace=False)
        return done

    def files(self):
        """Return the content of every file of the package by path, but caches of Python's code."""
        found = (p for p in self.package.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
        return {str(p.relative_to(self.package)): p.read_bytes() for p in found}


def _env():
    """Return an environment without this checkout, and in which UCI cannot be reached."""
    found = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return {**found, "OPTIMIST_UCI_URL": "http://127.0.0.1:9"}


def build(folder, *words):
    """Build distributions as docs/your-own-folder.md says; return the folder that they are in."""
    command = [sys.executable, "-m", "hatchling", "build", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "dist"


def install(folder):
    """Build a wheel of the work tree and install it into an environment below ``folder``."""
    dist = build(new_project(folder / "project").root)
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    (site,) = (folder / "venv" / "lib").glob("python3*/site-packages")
    # After the environment's own. A line of a .pth file names a folder whose .pth files are not
    # followed, so that an editable installation there stays out of sight.
    (site / "outer.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    words = ["--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True, env=_env())
    return Installed(wheel, sdist, python, site / "optimist")
