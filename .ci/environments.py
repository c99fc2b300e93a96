"""Other environments than .venv: other Pythons, and the oldest and the newest packages allowed.

python .ci/environments.py pythons        modules and some tests, under each Python that is here
python .ci/environments.py lower-bounds   unit tests, with the oldest packages
python .ci/environments.py newest         numbers, files and a small run, with the newest packages

Each is made below .venvs, from wheels that uv keeps, in some seconds once these are there.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.version import Version

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".venvs"
UV = Path(sys.executable).with_name("uv")
# Tests that are quick, and touch each part: labels, files, numbers, registries, the command line.
QUICK = ("label", "listing", "results", "statistics", "seeding", "linear", "loop")
# Quick tests of the code that uses numpy, scipy, pandas, pyarrow, matplotlib and Snakemake.
NUMBERS = (
    *("acquisition", "ball", "blas_kernels", "ellipsoid", "expansions", "features"),
    *("gaussian_process", "gp_regression", "huber", "kernels", "level_set", "likelihood"),
    *("linear", "links", "loop", "network", "noise", "nystrom", "seeding", "statistics"),
    *("trial_table", "publish", "files", "results", "checksummed", "style", "registry", "listing"),
    *("hyperparameters", "inference", "metrics", "panels", "studies", "snakemake_adapter"),
)
# Imports every module; those that need more than the package itself are no part of it.
IMPORTS = """
import importlib, pkgutil, sys
import optimist
names = [m.name for m in pkgutil.walk_packages(optimist.__path__, "optimist.")]
names = [name for name in names if not name.endswith("__main__")]
for name in [*names, "snakemake_logger_plugin_optimist"]:
    importlib.import_module(name)
print(f"{len(names)} modules, Python {sys.version.split()[0]}", flush=True)
"""


def versions() -> list[str]:
    """Return the versions of Python that pyproject.toml names, such as 3.11."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        names = tomllib.load(file)["project"]["classifiers"]
    start = "Programming Language :: Python :: 3."
    return [name.rpartition(" ")[2] for name in names if name.startswith(start)]


def interpreter(version: str) -> str | None:
    """Return an interpreter of a version that works, of pyenv or on the path."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places = [*map(str, sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True))]
    for place in filter(None, [*places, shutil.which(f"python{version}")]):
        code = "import sys; print(*sys.version_info[:2], sep='.')"
        done = subprocess.run([place, "-c", code], capture_output=True, text=True)
        if done.stdout.strip() == version:  # a shim of pyenv may stand for nothing
            return place
    return None


def run(*words: str | Path) -> None:
    """Run a command in the project; end with its status if it fails."""
    # Neither the packages of this process, nor where a caller keeps his own.
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([*map(str, words)], cwd=ROOT, env=env)
    if done.returncode:
        ended = f", {signal.Signals(-done.returncode).name}" if done.returncode < 0 else ""
        print(f"failed{ended}: {' '.join(map(str, words))[:200]}", flush=True)
        sys.exit(1)


def made(name: str, python: str, *packages: str | Path) -> Path:
    """Return the interpreter of a new environment with some packages."""
    folder = FOLDER / name
    run(UV, "venv", "--quiet", "--clear", "--python", python, folder)
    found = folder / "bin" / "python"
    run(UV, "pip", "install", "--quiet", "--python", found, *packages)
    return found


def test(python: Path, *tests: str, processes: str = "0") -> None:
    """Import every module, and run tests."""
    run(python, "-c", IMPORTS)
    run(python, "-m", "pytest", "-q", "--durations", "3", "-n", processes, *tests)


def pythons() -> None:
    """Test under each version of Python that is here, and say which is not."""
    own = "{}.{}".format(*sys.version_info)
    for version in versions():
        found = interpreter(version)
        if version == own:
            print(f"Python {version}: that of make test", flush=True)
        elif found is None:
            print(f"Python {version}: SKIPPED, there is none here", flush=True)
        else:
            made_from = ("--constraints", "requirements.lock", "--editable", ".[test]")
            test(made(version, found, *made_from), *(f"tests/unit/test_{n}.py" for n in QUICK))


def requirements() -> dict[str, list[str]]:
    """Return what pyproject.toml requires: of the package, under "", and of each extra."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    return {"": project["dependencies"], **project["optional-dependencies"]}


def check_bounds(pins: str, texts: list[str]) -> None:
    """End the process if what is declared as the oldest version cannot be installed."""
    found = dict(re.findall(r"^([\w.-]+)==(\S+)$", pins, flags=re.M))
    for name, bound in re.findall(r"^([\w.-]+)>=([\w.]+)", "\n".join(texts), flags=re.M):
        if Version(found[name]) != Version(bound):
            sys.exit(f"{name}>={bound} cannot be: the oldest that fits is {found[name]}")


def oldest(python: str, extras: list[str], checked: list[str]) -> Path:
    """Return a file of the oldest packages for some extras; check what ``checked`` requires."""
    FOLDER.mkdir(exist_ok=True)
    pins = FOLDER / f"oldest-{'-'.join(extras)}.txt"
    options = [word for extra in extras for word in ("--extra", extra)]
    options += ["--resolution", "lowest-direct", "--python", python, "--output-file", str(pins)]
    run(UV, "pip", "compile", "--quiet", *options, "pyproject.toml")
    known = requirements()
    check_bounds(pins.read_text(), [text for name in checked for text in known[name]])
    return pins


def lower_bounds() -> None:
    """Test with the oldest packages, on the oldest Python that there is."""
    python = next(filter(None, map(interpreter, versions())), sys.executable)
    # The plugin for Slurm asks for a newer numpy than we do: its own bound alone is checked.
    oldest(python, ["cluster"], ["cluster"])
    pins = oldest(python, ["test", "site"], ["", "test", "site"])
    found = made("lower-bounds", python, "--requirements", pins, "--editable", ".")
    test(found, "tests/unit", processes="2")


def newest() -> None:
    """Test with the newest packages that pyproject.toml allows, on the newest Python here."""
    python = next(filter(None, map(interpreter, reversed(versions()))), sys.executable)
    found = made("newest", python, "--editable", ".[test]")
    test(found, "tests/known_answers", *(f"tests/unit/test_{n}.py" for n in NUMBERS), processes="2")
    # What crashed once, in matrices of many arms; then a job of the workflow.
    crashed = ("glb_omd/covertype", "--algorithm", "ofuglb[prune=false]", "--trials", "1")
    run(found, "-m", "optimist", "compare", *crashed, "--fresh")
    folder = FOLDER / "newest-run"
    shutil.rmtree(folder, ignore_errors=True)
    only = "only={settings: [pool_logistic_s3], algorithms: [gloc]}"
    quick = ("--configfile", "config/quick.yaml", "--config", only, "--directory", folder)
    run(found, "-m", "snakemake", "--quiet", "all", "--cores", "1", *quick, "--until", "run")


if __name__ == "__main__":
    commands = {"pythons": pythons, "lower-bounds": lower_bounds, "newest": newest}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit(f"what to do is {sys.argv[1:]}; allowed: one of {', '.join(commands)}")
    commands[sys.argv[1]]()
