"""Texts that must not drift from what they describe: key reference, environment, citation."""

import inspect
import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

from optimist import environments

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "workflow" / "schemas"
TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true`, `false`",
    "object": "mapping",
    "null": "`null`",
}
BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "above {}",
    "exclusiveMaximum": "below {}",
}
# Where the keys of each object are listed: heading of config/README.md, schema, path within it.
TABLES = {
    "config/config.yaml": ("config", ()),
    "config/papers/PAPER.yaml": ("paper", ()),
    "An entry of `settings`": ("paper", ("properties", "settings", "additionalProperties")),
    "A block of `runs` or `timings`": ("paper", ("$defs", "block")),
    "An entry of `figures`": ("figure", ("$defs", "figure")),
    "A panel": ("figure", ("$defs", "panel")),
    "An entry of `tables`": ("figure", ("$defs", "table")),
    "config/claims/PAPER.yaml": ("claims", ()),
    "A claim": ("claims", ("$defs", "claim")),
    "A check": ("claims", ("$defs", "check")),
}


def read(path):
    return (ROOT / path).read_text()


# The key reference in config/README.md.


def schema_of(heading):
    """Return the whole schema and the object in it that a heading documents."""
    name, path = TABLES[heading]
    whole = part = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    for step in path:
        part = part[step]
    return whole, part


def resolve(whole, schema):
    """Follow a reference within a schema; keys beside it go first."""
    pointer = schema.get("$ref", "")
    if not pointer.startswith("#"):
        return schema
    found = whole
    for step in pointer.removeprefix("#/").split("/"):
        found = found[step]
    return {**found, **schema}


def keys(whole, part, prefix=""):
    """Yield (dotted key, schema, required) of an object and of the objects written inside it."""
    for key, schema in part.get("properties", {}).items():
        own = resolve(whole, schema)
        yield prefix + key, own, key in part.get("required", [])
        if "$ref" in own.get("items", {}):
            continue
        inner, mark = (own["items"], "[].") if "items" in own else (own, ".")
        yield from keys(whole, inner, prefix + key + mark)


def allowed(whole, schema):
    """Return what a schema allows, in the words of the key reference."""
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return list_allowed(whole, schema)
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    limits = [text.format(schema[key]) for key, text in BOUNDS.items() if key in schema]
    limits += [f"matching `{schema['pattern']}`"] if "pattern" in schema else []
    return ", ".join([" or ".join(TYPES[n] for n in names) or "any", *limits])


def list_allowed(whole, schema):
    items = schema["items"]
    if "anyOf" in items:
        entry = "text or lists of it"
    elif "$ref" in items:
        entry = items["$ref"].rpartition("/")[2]
    else:
        entry = allowed(whole, resolve(whole, items))
    few = ["not empty"] if schema.get("minItems") == 1 else []
    many = [f"at most {schema['maxItems']}"] if "maxItems" in schema else []
    return ", ".join([f"list ({entry})", *few, *many])


def documented(heading):
    """Return the rows of the table below a heading of config/README.md, by key."""
    text = read("config/README.md")
    sections = re.split(r"^#+ (.*)$", text, flags=re.M)
    bodies = dict(zip(sections[1::2], sections[2::2], strict=True))
    lines = [line for line in bodies[heading].splitlines() if line.startswith("| `")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0].strip("`"): row[1:] for row in rows}


@pytest.mark.parametrize("heading", TABLES)
def test_every_key_is_documented_and_no_other(heading):
    whole, part = schema_of(heading)
    assert list(documented(heading)) == [key for key, _, _ in keys(whole, part)]


@pytest.mark.parametrize("heading", TABLES)
def test_documented_keys_say_what_the_schema_says(heading):
    rows = documented(heading)
    whole, part = schema_of(heading)
    for key, schema, required in keys(whole, part):
        values, default, meaning = rows[key]
        assert values == allowed(whole, schema), key
        assert meaning.startswith(schema.get("description", "")), key
        assert meaning, key
        if heading != "config/config.yaml":
            assert (default == "required") == required, key


def test_documented_defaults_are_those_of_the_configuration():
    config = yaml.safe_load(read("config/config.yaml"))
    for key, (_, default, _) in documented("config/config.yaml").items():
        value = config
        for step in key.split("."):
            value = value[step]
        if not isinstance(value, dict):
            assert yaml.safe_load(default.strip("`")) == value, key


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


# Packaging.


def project():
    return tomllib.loads(read("pyproject.toml"))["project"]


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements():
    """Return the requirements of pyproject.toml, those of its extras included, by name."""
    extras = project()["optional-dependencies"].values()
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
    package = re.search(r'__version__ = "(.*)"', read("src/optimist/__init__.py"))[1]
    latest = re.search(r"^## (\S+)", read("CHANGELOG.md"), flags=re.M)[1]
    assert {str(citation["version"]), package, latest} == {project()["version"]}
    assert citation["license"] == project()["license"]["text"] == "BSD-3-Clause"
    assert "BSD 3-Clause" in read("LICENSE")
    assert "the optimist authors" in read("LICENSE")


def test_citation_refers_to_every_paper():
    cited = {entry["title"] for entry in yaml.safe_load(read("CITATION.cff"))["references"]}
    papers = (ROOT / "config" / "papers").glob("*.yaml")
    assert {yaml.safe_load(path.read_text())["title"] for path in papers} <= cited
