"""The tables of keys in config/README.md, made from the schemas.

``python -m optimist.config.key_tables`` writes them anew between the lines ``<!-- keys of NAME
-->`` and ``<!-- end of keys -->``.
"""

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from optimist.config.load import schema_path
from optimist.core.files import read_text, write_text
from optimist.core.root import project_root
from optimist.figures import PANELS, panel_class, table_class
from optimist.figures import TABLES as TABLES_SHOWN
from optimist.figures.studies import STUDIES, study_class

# The object that each table lists the keys of: name of the schema, path within it.
TABLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "config": ("config", ()),
    "settings": ("settings", ()),
    "setting": ("setting", ()),
    "runs": ("runs", ()),
    "block": ("runs", ("$defs", "block")),
    "race": ("runs", ("$defs", "race")),
    "part": ("runs", ("$defs", "part")),
    "figures": ("figures", ()),
    "figure": ("figure", ()),
    "claims": ("claims", ()),
    "claim": ("claims", ("$defs", "claim")),
    "choice": ("claims", ("$defs", "choice")),
    "alternative": ("claims", ("$defs", "alternative")),
    "check": ("claims", ("$defs", "check")),
    "word": ("words", ("additionalProperties",)),
    "looks": ("looks", ()),
    "look": ("looks", ("properties", "methods", "additionalProperties")),
    "findings": ("findings", ()),
    "said": ("findings", ("properties", "papers", "additionalProperties")),
    "finding": ("findings", ("properties", "findings", "items")),
}
# Objects whose kinds have keys of their own, with the registry of the kinds.
KINDS: dict[str, tuple[Any, Mapping[str, str]]] = {
    "panel": (panel_class, PANELS),
    "table": (table_class, TABLES_SHOWN),
}
_MARKED = re.compile(r"(<!-- keys of (\w+) -->\n).*?(<!-- end of keys -->)", re.DOTALL)
_TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true`, `false`",
    "object": "mapping",
    "array": "list",
    "null": "`null`",
}
_BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "above {}",
    "exclusiveMaximum": "below {}",
}


def with_tables(text: str) -> str:
    """Return a text with the tables between its marks made anew."""
    return _MARKED.sub(lambda mark: f"{mark[1]}{_table(mark[2])}{mark[3]}", text)


def _table(name: str) -> str:
    if name.endswith("_kinds"):
        return _kinds_table(name.removesuffix("_kinds"))
    whole, part = _schema(name)
    defaults = _defaults() if name == "config" else {}
    lines = ["| key | allowed | default | meaning |", "| --- | --- | --- | --- |"]
    for key, schema, is_required in _keys(whole, part):
        default = defaults.get(key, "required" if is_required else "")
        meaning = schema.get("description", "").replace("|", "\\|")
        lines.append(f"| `{key}` | {_allowed(whole, schema)} | {default} | {meaning} |")
    return "\n".join(lines) + "\n"


def _schema(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the whole schema and the object in it that a table is about."""
    if name in KINDS:
        return {}, _of_kinds(*KINDS[name])
    if name == "studies":
        sections = {study: study_class(study).schema for study in STUDIES}
        shown = {study: section for study, section in sections.items() if section["properties"]}
        return {}, {"properties": shown}
    schema, path = TABLES[name]
    whole = part = json.loads(schema_path(schema).read_text(encoding="utf-8"))
    for step in path:
        part = part[step]
    return whole, part


def _of_kinds(load: Any, registry: Mapping[str, str]) -> dict[str, Any]:
    """Return the keys that all kinds have, and then those that some kinds have."""
    schemas = [load(kind).schema() for kind in registry]
    required = set.intersection(*(set(schema["required"]) for schema in schemas))
    keys: dict[str, Any] = {}
    for schema in schemas:
        for key, value in schema["properties"].items():
            keys.setdefault(key, []).append(value)
    common = {key: found[0] for key, found in keys.items() if len(found) == len(schemas)}
    own = {key: _joined(found) for key, found in keys.items() if key not in common}
    return {"properties": {**common, **own}, "required": sorted(required)}


def _joined(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one schema for a key that several kinds have, with what is said of it in each."""
    texts = dict.fromkeys(schema["description"] for schema in schemas)
    inner = [schema["items"] for schema in schemas if "properties" in schema.get("items", {})]
    joined = {**schemas[0], "description": " ".join(texts)}
    if inner:
        entries = {key: value for items in inner for key, value in items["properties"].items()}
        required = set.intersection(*(set(items["required"]) for items in inner))
        joined["items"] = {**inner[0], "properties": entries, "required": sorted(required)}
    return joined


def _kinds_table(name: str) -> str:
    load, registry = KINDS[name]
    lines = ["| kind | shows | keys it needs | keys it may have |", "| --- | --- | --- | --- |"]
    for kind in registry:
        cls = load(kind)
        shows = inspect.cleandoc(cls.__doc__).splitlines()[0]
        needs, may = (", ".join(f"`{key}`" for key in keys) for keys in (cls.keys, cls.optional))
        lines.append(f"| `{kind}` | {shows} | {needs} | {may} |")
    return "\n".join(lines) + "\n"


def _defaults() -> dict[str, str]:
    """Return the values of config/config.yaml by dotted key, as they stand in a table."""
    config = yaml.safe_load((project_root() / "config" / "config.yaml").read_text(encoding="utf-8"))
    whole, part = _schema("config")
    found = {}
    for key, schema, _ in _keys(whole, part):
        value = config
        for step in key.split("."):
            value = value[step]
        is_section = "properties" in schema
        found[key] = "" if is_section else f"`{yaml.safe_dump(value, default_flow_style=True)}`"
    return {key: value.replace("\n...\n", "").replace("\n", "") for key, value in found.items()}


def _keys(
    whole: Mapping[str, Any], part: Mapping[str, Any], prefix: str = ""
) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield dotted key, schema and whether it is required, of an object and of those inside it."""
    for key, schema in part.get("properties", {}).items():
        own = _resolve(whole, schema)
        yield prefix + key, own, key in part.get("required", [])
        if "$ref" in own.get("items", {}):
            continue
        inner, mark = (own["items"], "[].") if "items" in own else (own, ".")
        yield from _keys(whole, inner, prefix + key + mark)


def _resolve(whole: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Follow a reference within a schema; keys beside it go first."""
    pointer = schema.get("$ref", "")
    if not pointer.startswith("#"):
        return dict(schema)
    found: Any = whole
    for step in pointer.removeprefix("#/").split("/"):
        found = found[step]
    return {**found, **schema}


def _allowed(whole: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Return in words what a schema allows."""
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return _allowed_list(whole, schema)
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    bounds = [text.format(schema[key]) for key, text in _BOUNDS.items() if key in schema]
    bounds += [f"matching `{schema['pattern']}`"] if "pattern" in schema else []
    return ", ".join([" or ".join(_TYPES[name] for name in names) or "any", *bounds])


def _allowed_list(whole: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    items = schema["items"]
    if "anyOf" in items:
        entry = "text or lists of it"
    elif "$ref" in items:
        entry = items["$ref"].rpartition("/")[2]
    else:
        entry = _allowed(whole, _resolve(whole, items))
    few = ["not empty"] if schema.get("minItems") == 1 else []
    many = [f"at most {schema['maxItems']}"] if "maxItems" in schema else []
    return ", ".join([f"list ({entry})", *few, *many])


def main() -> None:
    """Write the tables of config/README.md anew."""
    path: Path = project_root() / "config" / "README.md"
    write_text(with_tables(read_text(path)), path)


if __name__ == "__main__":
    main()
