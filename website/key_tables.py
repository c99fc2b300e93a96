"""Write the key tables in config/README.md from the models, and the statistics in add-a-claim.md.

Each table of keys is between the lines ``<!-- keys of NAME -->`` and ``<!-- end of keys -->``.
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import yaml
from annotated_types import Ge, Gt, Le, Lt, MinLen

from optimist.claims import models as claims
from optimist.claims.metrics.quantities import QUANTITIES
from optimist.claims.metrics.table import METRICS
from optimist.config import models as config
from optimist.config.documents import read_yaml
from optimist.config.validation import bare, entry_of, inside, keys_of, members
from optimist.core.files import read_text, write_text
from optimist.experiments import models as runs
from optimist.figures import PANELS, panel_class, table_class
from optimist.figures import TABLES as TABLES_SHOWN
from optimist.figures import models as panels
from optimist.figures.studies import STUDIES, study_class

# The model whose keys each table lists, by table name.
TABLES: dict[str, Any] = {
    "config": config.Config,
    "settings": runs.Settings,
    "setting": runs.Setting,
    "runs": runs.Runs,
    "block": runs.Block,
    "race": runs.Race,
    "part": runs.Part,
    "figures": panels.Figures,
    "figure": panels.Figure,
    "claims": claims.Claims,
    "claim": claims.Claim,
    "choice": claims.Choice,
    "alternative": claims.Alternative,
    "check": claims.Check,
    "word": claims.Word,
    "style": panels.Style,
    "method_style": panels.MethodStyle,
    "findings": config.Findings,
    "said": config.Said,
    "finding": config.Finding,
}
# For entries whose keys depend on their kind: a function that loads the class of a kind, and the
# registry of all kinds.
KINDS: dict[str, tuple[Any, Mapping[str, str]]] = {
    "panel": (panel_class, PANELS),
    "table": (table_class, TABLES_SHOWN),
}
ROOT = Path(__file__).parents[1]
_MARKED = re.compile(r"(<!-- keys of (\w+) -->\n).*?(<!-- end of keys -->)", re.DOTALL)
_TYPES = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "`true`, `false`",
    dict: "mapping",
    type(None): "`null`",
}
_BOUNDS = {
    Ge: "at least {0.ge}",
    Le: "at most {0.le}",
    Gt: "above {0.gt}",
    Lt: "below {0.lt}",
}
Row = tuple[str, str, str, str]


def with_tables(text: str) -> str:
    """Return a text with the tables between its markers updated."""
    return _MARKED.sub(lambda mark: f"{mark[1]}{_table(mark[2])}{mark[3]}", text)


def with_statistics(text: str) -> str:
    """Return a text in which each row of a quantity has the statistics that can be computed."""
    for quantity in QUANTITIES:
        names = ", ".join(f"`{one}`" for one in sorted(s for q, s in METRICS if q == quantity))
        text = re.sub(
            rf"^(\| `{quantity}` \| [^|]* \|)[^|]*\|$", rf"\1 {names} |", text, flags=re.MULTILINE
        )
    return text


def _table(name: str) -> str:
    if name.endswith("_kinds"):
        return _kinds_table(*KINDS[name.removesuffix("_kinds")])
    if name == "studies":
        rows = [row for study in map(study_class, STUDIES) for row in _of_study(study)]
    elif name in KINDS:
        rows = _of_kinds(*KINDS[name])
    else:
        rows = [*_rows(TABLES[name], default=_default if name == "config" else None)]
    lines = ["| key | allowed | default | meaning |", "| --- | --- | --- | --- |"]
    lines += [
        f"| `{key}` | {allowed} | {default} | {said} |" for key, allowed, default, said in rows
    ]
    return "\n".join(lines) + "\n"


def _rows(model: Any, prefix: str = "", default: Any = None) -> Iterator[Row]:
    """Yield a row for each key of a model, and for each dotted key of its nested models."""
    said = _said(model)
    model = entry_of(model) if is_dataclass(model) else model
    for key, hint in keys_of(model).items():
        is_required = "required" if key in model.__required_keys__ else ""
        in_default = is_required if default is None else default(prefix + key, hint)
        yield prefix + key, _allowed(hint), in_default, said[key]
        item = inside(hint, 0)
        inner, mark = (hint, ".") if item is Any else (item, "[].")
        if bare(inner)[0] not in TABLES.values():
            yield from _rows(bare(inner)[0], f"{prefix}{key}{mark}", default)


def _of_study(study: Any) -> Iterator[Row]:
    if keys_of(study.Section):
        yield study.name, "mapping", "", _first_line(study)
    yield from _rows(study.Section, f"{study.name}.")


def _first_line(documented: Any) -> str:
    return inspect.cleandoc(documented.__doc__).splitlines()[0]


def _of_kinds(load: Any, registry: Mapping[str, str]) -> list[Row]:
    """Return a row for each key of any kind, starting with the keys shared by all kinds."""
    kinds = [{row[0]: row for row in _rows(load(kind))} for kind in registry]
    rows_of_key: dict[str, list[Row]] = {}
    for rows in kinds:
        for key, row in rows.items():
            rows_of_key.setdefault(key, []).append(row)
    return [
        (key, rows[0][1], _needed(key, rows, kinds), " ".join(dict.fromkeys(r[3] for r in rows)))
        for key, rows in sorted(rows_of_key.items(), key=lambda item: len(item[1]) < len(kinds))
    ]


def _needed(key: str, rows: list[Row], kinds: list[dict[str, Row]]) -> str:
    """Return a key's default if every kind has the key with the same default, otherwise "".

    For a key of list items, only the kinds that have the list are considered.
    """
    above, _, _ = key.rpartition("[]")
    number = sum(above in kind for kind in kinds) if above else len(kinds)
    return rows[0][2] if len(rows) == number and len({row[2] for row in rows}) == 1 else ""


def _kinds_table(load: Any, registry: Mapping[str, str]) -> str:
    models = {kind: entry_of(load(kind)) for kind in registry}
    common = set.intersection(*({*keys_of(model)} for model in models.values()))
    lines = ["| kind | shows | keys it needs | keys it may have |", "| --- | --- | --- | --- |"]
    for kind, model in models.items():
        keys = [key for key in keys_of(model) if key not in common]
        needed, optional = model.__required_keys__, model.__optional_keys__
        lists = (", ".join(f"`{k}`" for k in keys if k in part) for part in (needed, optional))
        lines.append(f"| `{kind}` | {_first_line(load(kind))} | {' | '.join(lists)} |")
    return "\n".join(lines) + "\n"


def _said(model: Any) -> dict[str, str]:
    """Return the ``#:`` comment on each key of a class and its bases."""
    sentences: dict[str, str] = {}
    for base in model.__bases__ if is_dataclass(model) else getattr(model, "__orig_bases__", ()):
        sentences |= _said(base)
    above: list[str] = []
    has_keys = is_dataclass(model) or keys_of(model)
    for line in inspect.getsource(model).splitlines() if has_keys else ():
        code, mark, text = line.partition("#: ")
        above += [text] if mark else []
        if above and (key := re.match(r" +(\w+): ", code)):
            sentences[key[1]] = " ".join(above).replace("|", "\\|")
            above = []
    return sentences


def _default(key: str, hint: Any) -> str:
    """Return the value of a dotted key in config/config.yaml, formatted for a table."""
    value = read_yaml(ROOT / "config" / "config.yaml")
    for step in key.split("."):
        value = value[step]
    if keys_of(bare(hint)[0]):
        return ""
    return f"`{yaml.safe_dump(value, default_flow_style=True)}`".replace("\n...\n", "").replace(
        "\n", ""
    )


def _allowed(hint: Any) -> str:
    plain, conditions = bare(hint)
    if get_origin(plain) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(plain))
    types = [_type(member) for member in members(plain)]
    conditions += [one for member in members(plain) for one in bare(member)[1]]
    bounds = [text.format(one) for one in conditions if (text := _BOUNDS.get(type(one)))]
    bounds += [f"matching `{one.pattern}`" for one in conditions if getattr(one, "pattern", "")]
    if get_origin(plain) is list and any(one == MinLen(1) for one in conditions):
        bounds.insert(0, "not empty")
    return ", ".join([" or ".join(types), *bounds])


def _type(hint: Any) -> str:
    plain, _ = bare(hint)
    if get_origin(plain) is list:
        inner = get_args(plain)[0]
        names = (name for name, model in TABLES.items() if model is bare(inner)[0])
        return "list" if inner is Any else f"list ({next(names, '') or _allowed(inner)})"
    return _TYPES[dict if keys_of(plain) else get_origin(plain) or plain]


def main() -> None:
    """Write the tables of config/README.md and docs/add-a-claim.md."""
    for name, update in (
        ("config/README.md", with_tables),
        ("docs/add-a-claim.md", with_statistics),
    ):
        write_text(update(read_text(ROOT / name)), ROOT / name)


if __name__ == "__main__":
    main()
