"""Reading YAML files, with messages that name the file and the line, and merging documents."""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from optimist.errors import ConfigError

# The safe loader, in C where PyYAML was built with it: ten times faster.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: str | Path) -> Any:
    """Return the document of a YAML file.

    Raises
    ------
    ConfigError
        If the file does not exist, is not valid YAML or has a key twice.
    """
    try:
        return _document(Path(path).read_text(), path)
    except FileNotFoundError:
        raise ConfigError(f"file {path} does not exist") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"file {path} is not valid YAML: {error}") from None


def merge(base: Mapping[str, Any], overlay: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``base`` with the nested keys of ``overlay`` put over it; neither is changed."""
    merged = deepcopy(dict(base))
    for key, value in overlay.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = merge(merged[key], value) if both else deepcopy(value)
    return merged


def _document(text: str, path: str | Path) -> Any:
    loader = _LOADER(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _refuse_duplicates(node, path)
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _refuse_duplicates(root: yaml.Node, path: str | Path) -> None:
    """Raise ConfigError if some mapping has a key twice; YAML would keep the last in silence."""
    seen, todo = set(), [root]
    while todo:
        node = todo.pop()
        if id(node) in seen or isinstance(node, yaml.ScalarNode):
            continue
        seen.add(id(node))  # a node with an anchor stands in several places
        if isinstance(node, yaml.SequenceNode):
            todo += node.value
            continue
        lines: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            name = str(key.value)
            if name in lines:
                raise ConfigError(
                    f"file {path}, line {line}: key {name!r} stands in line "
                    f"{lines[name]} already; allowed: once"
                )
            lines[name] = line
            todo.append(value)
