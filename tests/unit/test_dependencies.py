"""What is imported is declared, what is declared is imported, and other environments are tested."""

import ast
import re
import sys
import tomllib
from importlib import metadata

from packaging.requirements import Requirement
from toy_environments import ROOT

# What always comes with a package that is declared, and is part of its interface.
WITH = {
    "annotated-types": "pydantic",
    "griffe": "mkdocstrings-python",  # before its version 2
    "griffelib": "mkdocstrings-python",
    "jupyter-client": "nbclient",
    "markdown": "mkdocs",
    "markdown-it-py": "rich",
    "nbformat": "nbclient",
    "packaging": "pytest",
    "snakemake-interface-logger-plugins": "snakemake",
    "contourpy": "matplotlib",
    "typing-extensions": "pydantic",
}
# Packages that are in no environment of the tests, by what is imported of them.
ELSEWHERE = {"skopt": "scikit-optimize"}
FOLDERS = ("src", "workflow", "benchmarks", "tests", "website", "examples")
# Of Snakemake's scripts and of the project itself.
OWN = {path.stem for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")} | {"optimist"}
OWN |= {path.name for path in (ROOT / "src").iterdir()}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def imported(path):
    """Yield the top-level modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.partition(".")[0]


def packages(*folders):
    """Return the packages that files of some folders import, each with one of the files."""
    owners = metadata.packages_distributions()
    found = {}
    for path in (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))):
        for module in {*imported(path)} - OWN - sys.stdlib_module_names:
            known = owners.get(module, [ELSEWHERE.get(module, module)])
            names = {normal(name) for name in known}
            found |= dict.fromkeys(names, f"{path.relative_to(ROOT)}: {module}")
    return found


def declared():
    """Return the requirements of the package and of each extra, as names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    return {
        key: {normal(Requirement(text).name) for text in texts} for key, texts in groups.items()
    }


def undeclared(found, allowed):
    return {name: where for name, where in found.items() if not {name, WITH.get(name)} & allowed}


def test_what_the_package_imports_are_its_dependencies():
    groups = declared()
    assert undeclared(packages("src", "workflow"), groups[""]) == {}
    assert undeclared(packages("examples"), groups[""]) == {}
    # A page is timed in the browser that tests it, others' packages in an environment of its own.
    allowed = groups[""] | groups["test"] | groups["peers"]
    assert undeclared(packages("benchmarks"), allowed) == {}


def test_what_tests_and_the_site_import_is_declared():
    every = set().union(*declared().values())
    assert undeclared(packages("tests", "website"), every) == {}
