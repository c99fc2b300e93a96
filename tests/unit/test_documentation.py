"""Texts that must not drift from what they describe: keys, rooms, environment, citation."""

import ast
import importlib
import inspect
import re
import runpy
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

from optimist import environments
from optimist.claims.metrics.quantities import QUANTITIES
from optimist.claims.metrics.table import METRICS
from optimist.experiments import cell_records, cell_trials, trial_table

ROOT = Path(__file__).parents[2]


def read(path):
    return (ROOT / path).read_text()


@pytest.mark.parametrize("folder", ["benchmarks", "examples", "website"])
def test_scripts_import_names_that_exist(folder):
    for path in (ROOT / folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("optimist"):
                module = importlib.import_module(node.module)
                for name in (alias.name for alias in node.names):
                    is_module = (Path(module.__file__).parent / f"{name}.py").is_file()
                    assert hasattr(module, name) or is_module, f"{path}: {name}"


# The key reference in config/README.md.


def test_the_tables_of_keys_are_those_of_the_schemas():
    text, script = read("config/README.md"), runpy.run_path(str(ROOT / "website" / "key_tables.py"))
    assert script["with_tables"](text) == text
    for name in (*script["TABLES"], *script["KINDS"], "studies"):
        assert f"<!-- keys of {name} -->\n| key |" in text


def test_the_statistics_of_each_quantity_are_those_that_can_be_measured():
    rows = re.findall(r"^\| `(\w+)` \| .* \| (`.*`) \|$", read("docs/add-a-claim.md"), re.MULTILINE)
    assert [quantity for quantity, _ in rows] == [*QUANTITIES]
    written = [(quantity, name) for quantity, names in rows for name in re.findall(r"\w+", names)]
    assert sorted(written) == sorted(METRICS)


def default_words(key, parameter):
    """Return a default as config/README.md writes it; norm_bound's is another key."""
    if parameter.default is parameter.empty:
        return "required"
    if parameter.default is None:
        return "`norm`" if key == "norm_bound" else "none"
    return f"`{yaml.safe_dump(parameter.default).split()[0]}`"


def test_parameters_of_the_environments_are_those_of_their_classes():
    text = read("config/README.md").split("### Parameters of the environments")[1].split("###")[0]
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)\.(\w+)` \|.*\| (\S+) \| [^|]+\|$", text, flags=re.M)
    expected = set()
    for name in environments.REGISTRY | environments.BOX_REGISTRY:
        cls = environments.environment_class(name)
        for group, function in (("parameters", cls.__init__), ("problem", cls.problem)):
            for key, parameter in inspect.signature(function).parameters.items():
                if key not in ("self", "horizon", "trial", "stream", "dataset"):
                    expected.add((name, group, key, default_words(key, parameter)))
    assert set(rows) == expected


def test_every_file_that_the_texts_link_to_or_name_exists():
    for text in ("config/README.md", "docs/how-it-works.md"):
        links = re.findall(r"\]\((?!http)([^)#]+)", read(text))
        named = re.findall(
            r"`((?:src|config|workflow|docs|tests|data|profiles)/[\w/.-]+)`", read(text)
        )
        missing = [link for link in links if not (ROOT / text).parent.joinpath(link).exists()]
        missing += [name for name in named if not (ROOT / name).exists()]
        assert not missing, text


def imported_rooms(room):
    """Return the other rooms that modules of a room import."""
    modules = set()
    for path in (ROOT / "src/optimist" / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {m.split(".")[1] for m in modules if m.startswith("optimist.")} - {room}


def test_the_table_of_rooms_has_their_imports_from_the_ground_up():
    section = read("docs/how-it-works.md").split("## Rooms")[1].split("## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| ([^|]+) \|$", section, flags=re.M))
    folders = (ROOT / "src/optimist").glob("*/__init__.py")
    assert sorted(rows) == sorted(path.parent.name for path in folders)
    above = set()
    for room, written in rows.items():
        names = set(re.findall(r"\w+", re.sub("none|all earlier( but)?", "", written)))
        assert names <= above, room
        expected = above - names if written.startswith("all earlier") else names
        assert imported_rooms(room) == expected, room
        above.add(room)


# Committed tables, and a laboratory's words.


def test_the_tables_of_columns_are_those_of_the_files():
    text = read("docs/tables.md")
    table = text.split("## `cells.csv`")[1].split("## ")[0]
    named = re.findall(r"^\| (`.*`) \|", table, flags=re.M)
    columns = [name for cell in named for name in re.findall("`(\\w+)`", cell)]
    assert columns == list(cell_records.COLUMNS)
    table = text.split("## `trials.parquet`")[1].split("```")[0]
    at = {f"{name}_at" for names in cell_trials.AT.values() for name in names}
    assert {*trial_table.TEXTS, *at, "trial", "rounds"} <= set(re.findall(r"`(\w+)`", table))


@pytest.mark.skipif(
    not all((ROOT / f"figures/{p}/trials.parquet").exists() for p in ("glb_omd", "go_ucb")),
    reason="no full run is committed yet",
)
def test_the_python_of_the_page_on_tables_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```", read("docs/tables.md"), flags=re.M | re.S):
        exec(block, names)
    paired, check = names["paired"], names["check"]
    ratio = paired[names["top"]].mean() / paired[names["bottom"]].mean()
    assert ratio == pytest.approx(check["value"], rel=1e-5)
    assert names["regret"].notna().all()


# Packaging.


def project():
    return tomllib.loads(read("pyproject.toml"))["project"]


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements():
    """Return the requirements of pyproject.toml and of its extras, by name.

    Requirements of benchmarks/peers.py are excluded: it has an environment of its own.
    """
    extras = [
        texts for name, texts in project()["optional-dependencies"].items() if name != "peers"
    ]
    texts = [*project()["dependencies"], *(text for extra in extras for text in extra)]
    return {normal(r.name): r.specifier for r in map(Requirement, texts)}


def test_conda_environment_is_that_of_the_project():
    environment = yaml.safe_load(read("environment.yml"))
    entries = environment["dependencies"]
    packages = [Requirement(entry) for entry in entries if isinstance(entry, str)]
    found = {normal(r.name): str(r.specifier) for r in packages}
    assert found.pop("python") == project()["requires-python"]
    assert found.pop("pip") == ""
    assert found == {name: str(bound) for name, bound in requirements().items()}
    assert entries[-1] == {"pip": ["-e ."]}
    assert environment["name"] == project()["name"]
    # Snakemake and snakefmt are only in bioconda, which needs conda-forge before it.
    assert environment["channels"] == ["conda-forge", "bioconda"]


def test_lock_file_pins_every_requirement_within_its_bound():
    pins = dict(line.split("==") for line in read("requirements.lock").split())
    pins = {normal(name): Version(version) for name, version in pins.items()}
    for name, bound in requirements().items():
        assert pins[name] in bound, name


def test_version_and_licence_are_the_same_everywhere():
    citation = yaml.safe_load(read("CITATION.cff"))
    package = re.search(r'VERSION = "(.*)"', read("src/optimist/core/version.py"))[1]
    latest = re.search(r"^## (\d\S*)", read("CHANGELOG.md"), flags=re.M)[1]
    assert {str(citation["version"]), package, latest} == {project()["version"]}
    assert citation["license"] == project()["license"]["text"] == "BSD-3-Clause"
    assert "BSD 3-Clause" in read("LICENSE")
    assert "the optimist authors" in read("LICENSE")


def test_citation_refers_to_every_paper():
    cited = {entry["title"] for entry in yaml.safe_load(read("CITATION.cff"))["references"]}
    papers = (ROOT / "config" / "papers").glob("*/settings.yaml")
    assert {yaml.safe_load(path.read_text())["title"] for path in papers} <= cited
