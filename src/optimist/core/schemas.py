"""Checking documents against JSON schemas, with messages that say what is allowed."""

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from optimist.core.errors import ConfigError, brief, nearest


def check_document(
    document: Any, schema: dict[str, Any], source: str, folder: Path | None = None
) -> None:
    """Raise ConfigError for the first fault of ``document``: the key, its value, what is allowed.

    Parameters
    ----------
    document : plain data
    schema : dict
        A JSON schema.
    source : str
        Names the document in messages.
    folder : Path or None
        Where other schemas lie to which this one refers.
    """
    errors = list(_validator(json.dumps(schema), folder).iter_errors(document))
    if errors:
        from jsonschema.exceptions import relevance

        raise ConfigError(f"{source}: {_explain(max(errors, key=relevance))}")


@lru_cache
def _validator(schema: str, folder: Path | None) -> Any:
    """Return what checks documents against a schema, which is JSON, and those that it refers to."""
    from jsonschema import Draft202012Validator
    from referencing import Registry
    from referencing.retrieval import to_cached_resource

    @to_cached_resource()
    def retrieve(uri: str) -> str:
        if folder is None:
            raise LookupError(uri)
        return (folder / uri).read_text(encoding="utf-8")

    registry: Any = Registry(retrieve=retrieve)  # type: ignore[call-arg]
    return Draft202012Validator(json.loads(schema), registry=registry)


# Types of JSON in words.
_WORDS = {
    "array": "a list",
    "object": "keys with values",
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}


def _kinds(types):
    return " or ".join(_WORDS[kind] for kind in ([types] if isinstance(types, str) else types))


def _explain(error):
    while error.context:
        error = max(error.context, key=lambda e: len(e.absolute_path))
    key = ".".join(str(part) for part in error.absolute_path) or "the document"
    if error.validator == "additionalProperties":
        allowed = error.schema.get("properties", {})
        patterns = error.schema.get("patternProperties", {})
        extra = next(
            name
            for name in error.instance
            if name not in allowed and not any(re.search(p, name) for p in patterns)
        )
        return (
            f"unknown key {extra!r} in {key}{nearest(extra, allowed)}; "
            f"allowed: {', '.join(sorted(allowed))}"
        )
    if error.validator == "required":
        lacking = error.message.split("'")[1]
        return f"{key} lacks the key {lacking!r}; required: {', '.join(error.validator_value)}"
    allowed = {
        "enum": lambda: ", ".join(str(v) for v in error.validator_value),
        "type": lambda: _kinds(error.validator_value),
        "uniqueItems": lambda: "each entry once",
        "minimum": lambda: f"at least {error.validator_value}",
        "maximum": lambda: f"at most {error.validator_value}",
        "exclusiveMinimum": lambda: f"greater than {error.validator_value}",
        "exclusiveMaximum": lambda: f"less than {error.validator_value}",
        "minItems": lambda: f"at least {error.validator_value} entries",
        "pattern": lambda: error.schema.get("$comment", f"text matching {error.validator_value}"),
    }.get(error.validator, lambda: error.message)()
    hint = nearest(error.instance, error.validator_value) if error.validator == "enum" else ""
    found = brief(error.instance) if isinstance(error.instance, str) else repr(error.instance)
    return f"{key} is {found}{hint}; allowed: {allowed}"
