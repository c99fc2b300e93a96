"""Listings of papers, settings, algorithms and their options, as data and as text."""

import inspect
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import StringIO
from typing import Any

from optimist.algorithms import REGISTRIES, algorithm_class, is_algorithm, option_names
from optimist.config.load import load_paper, matches, paper_names, using, with_file
from optimist.config.select import HORIZON
from optimist.core.docstrings import option_texts, parameters_of
from optimist.core.errors import ConfigError, unknown_name
from optimist.core.label import Label, Value, write
from optimist.core.registry import OtherDomainError, file_meant, names_file
from optimist.core.terminal import folded
from optimist.environments import environment_class
from optimist.experiments.cell import OWN, Setting
from optimist.experiments.trials import Trials, expand

Row = dict[str, Value | list[str]]  # a value for each column
Listing = dict[str, str | Sequence[str | Row] | None]  # sentences, lists and tables, by title

WIDEST = 10**6  # width of a table that is not wrapped
HERE = "\ue000"  # private character: place of a name that has a line of its own


def content(listed: str | None) -> Listing:
    """Return the listing of a paper, setting or algorithm, or of everything if None is given."""
    if listed is None:
        return everything()
    paper, _, setting = listed.partition("/")
    if not setting or names_file(listed):
        return of_name(listed.removesuffix("/"))
    return (of_settings if {*"*?"} & {*setting} else of_setting)(paper, setting)


def with_overlays(
    tell: Callable[[Any], None], listed: str | None, overlays: Sequence[str]
) -> Listing:
    """Return `content` with the settings and algorithms that overlays add.

    The argument ``tell`` is unused; `optimist.core.executor.call`, which runs this function in
    another process, requires it.
    """
    with using(*overlays):
        return content(listed)


def everything() -> Listing:
    """Return the tables ``papers`` and ``algorithms``, which list all papers and all algorithms."""
    algorithms = []
    for domain, registry in REGISTRIES.items():
        for name in registry.table:
            cls: Any = algorithm_class(name, domain)
            defaults = [f"{key}={write(value)}" for key, value in option_names(cls).items()]
            row: Row = {"algorithm": name, "on": domain, "options": defaults}
            algorithms.append({**row, "source": _source(cls)})
    return {"papers": [_paper_row(name) for name in paper_names()], "algorithms": algorithms}


def of_name(name: str) -> Listing:
    """Return the settings of a paper, the options of an algorithm, or both if they share a name.

    Raises
    ------
    ConfigError
        Raised when no paper or algorithm has this name.
    """
    name = Label.name_of(with_file(name))  # the user may have pasted a whole label
    is_paper, is_method = name in paper_names(), is_algorithm(name)
    if set("*?").intersection(name):
        raise ConfigError(
            f"{name!r} is a pattern; allowed: patterns only for settings, as in hvt_ucb/student*"
        )
    if names_file(name) and _is_environment(name):
        own = Setting(OWN, Label(name), name, HORIZON)
        return {"environment": name, "options": _options(own)}
    if not (is_paper or is_method):
        names = {*paper_names()}.union(*REGISTRIES.values())
        if meant := file_meant(name):
            raise ConfigError(f"{name!r} is not a class{meant}; allowed: path.py:Class")
        raise unknown_name("paper or algorithm", name, names)
    tables = of_paper(name) if is_paper else {}
    for domain in [domain for domain in REGISTRIES if name in REGISTRIES[domain]]:
        with suppress(OtherDomainError):  # the class may be in a file and fit only one domain
            tables |= _method(name, domain)
    return tables


def _is_environment(name: str) -> bool:
    """Return whether a class in a file is an environment; False if it cannot be loaded."""
    try:
        return bool(environment_class(name))
    except ConfigError:
        return False


def _method(name: str, domain: str) -> Listing:
    """Return an algorithm's description, and the table of its options."""
    cls: Any = algorithm_class(name, domain)
    texts = option_texts(cls)
    return {
        f"algorithm on {domain}": f"{name} on {domain}: {_source(cls)}",
        f"options of {name} on {domain}": [
            _option_row(
                key, "default", "required" if value is inspect.Parameter.empty else value, texts
            )
            for key, value in option_names(cls).items()
        ],
    }


def _option_row(key: str, column: str, value: Value, texts: Mapping[str, tuple[str, str]]) -> Row:
    kind, meaning = map(_as_typed, texts.get(key, ("", "")))
    return {"option": key, column: write(value), "may be": kind, "meaning": meaning}


def _paper_row(name: str) -> Row:
    paper = load_paper(name)
    cells = {trials.cell.labels for trials in expand(paper)}
    settings = {setting for setting, _ in cells}
    return {
        "paper": name,
        "base settings": len({setting.name for setting in settings}),
        "settings": len(settings),
        "cells": len(cells),
        "title": paper.title,
    }


def of_paper(name: str) -> Listing:
    """Return a paper's title, its table ``base settings``, and its algorithms."""
    paper, asked = load_paper(name), _by_setting(name)
    variants = Counter(label.name for label in asked)
    return {
        "paper": f"{name}: {paper.title}, {paper.reference}",
        "base settings": [_base_row(paper.setting(base), run) for base, run in variants.items()],
        "algorithms": [*dict.fromkeys(t.cell.algorithm for ts in asked.values() for t in ts)],
        "see also": f"optimist list {name}/{next(iter(variants))} for a setting and the values of "
        f"its options, optimist list '{name}/*' for all settings and the algorithms in each",
    }


def of_settings(name: str, pattern: str) -> Listing:
    """Return a paper's title, and the table ``settings`` of the matching settings.

    Settings with the same base setting are adjacent.

    Parameters
    ----------
    name : str
    pattern : str
        Pattern that selects settings; see `optimist.config.load.matches`.

    Raises
    ------
    ConfigError
        Raised when the pattern matches no setting.
    """
    paper, asked = load_paper(name), _by_setting(name)
    bases = list(dict.fromkeys(label.name for label in asked))
    matching = [setting for setting in asked if matches(setting, pattern)]
    if not matching:
        raise ConfigError(
            f"setting {name}/{pattern} matches nothing; allowed: patterns of {', '.join(bases)}"
        )
    return {
        "paper": f"{name}: {paper.title}, {paper.reference}",
        "settings": [
            {
                "setting": setting,
                "trials": max((t.stop for t in asked[setting] if t.lane == "regret"), default=0),
                "turns": max((t.stop for t in asked[setting] if t.lane == "timing"), default=0),
                "algorithms": list(dict.fromkeys(t.cell.algorithm for t in asked[setting])),
            }
            for setting in sorted(matching, key=lambda setting: bases.index(setting.name))
        ],
    }


def _by_setting(name: str) -> dict[Label, list[Trials]]:
    by_setting: dict[Label, list[Trials]] = {}
    for trials in expand(load_paper(name)):
        by_setting.setdefault(trials.cell.setting.label, []).append(trials)
    return by_setting


def _base_row(setting: Setting, run: int) -> Row:
    options = setting.options
    return {
        "base setting": setting.label,
        "title": setting.title or None,
        "d": options.get("dimension"),
        "arms": options.get("arms"),
        "horizon": setting.horizon,
        "settings of it": run,
    }


def of_setting(paper_name: str, text: str) -> Listing:
    """Return a setting's description, and the table of its ``options``.

    Parameters
    ----------
    paper_name : str
    text : str
        The label of a setting.
    """
    setting = load_paper(paper_name).setting(text)
    return {
        "setting": str(setting),
        "title": setting.title or None,
        "about": setting.about or None,
        "options": _options(setting),
    }


def _options(setting: Setting) -> list[Row]:
    """Return a row for each option of a setting, with its value and the allowed values."""
    values, texts = setting.options, described(setting.environment)
    return [_option_row(key, "value", values.get(key), texts) for key in sorted(setting.places)]


def _source(cls: Any) -> str:
    """Return the source that a class cites, or ``no reference`` if it cites none."""
    return getattr(cls, "reference", None) or "no reference"


def _as_typed(text: str) -> str:
    """Return text from a docstring, with Python constants in the notation of labels."""
    words = {"None": "null", "True": "true", "False": "false"}
    return re.sub(r"\b(None|True|False)\b", lambda match: words[match[0]], text)


def described(environment: str) -> dict[str, tuple[str, str]]:
    """Return the type and meaning of each option of an environment, from its docstrings."""
    cls = environment_class(environment)
    problem = inspect.signature(cls.problem).return_annotation
    horizon = {"horizon": ("int", "T, the number of rounds, which the algorithm knows.")}
    texts = [getattr(of, "__doc__", None) or "" for of in (problem, cls.problem, cls)]
    for text in texts:
        horizon |= parameters_of(text)
    return horizon


def to_text(content: Listing, width: int | None) -> str:
    """Format a listing as sentences, then tables, in lines of at most ``width`` characters.

    If ``width`` is None, no line is wrapped, so each row of a table is one line.
    """
    sentences = [folded(value, width) for value in content.values() if isinstance(value, str)]
    lists = {key: value for key, value in content.items() if isinstance(value, list) and value}
    width = width or WIDEST
    blocks = ["\n".join(sentences)]
    for key, rows in lists.items():
        table = [row for row in rows if isinstance(row, dict)]
        text = _table(table, width) if table else textwrap.fill(", ".join(map(str, rows)), width)
        blocks.append(f"{key}\n{text}")
    return "\n\n".join(filter(None, blocks))


def _table(rows: Sequence[Row], width: int) -> str:
    """Return rows as aligned text under a header.

    A long name in the first column has a line of its own, unbroken, so that users can copy it.
    """
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    lines = [[*rows[0]], *([_cell(value) for value in row.values()] for row in rows)]
    grid = Grid(box=None, pad_edge=False, show_header=False)
    for number, _ in enumerate(rows[0]):
        grid.add_column(overflow="fold", no_wrap=number == 0)
    names = [name for name, *_ in lines if len(name) > width // 3]
    for name, *others in lines:
        grid.add_row(*map(Text, (HERE if name in names else name, *others)))
    Console(file=(text := StringIO()), width=width).print(grid)
    shown = re.sub(f"(?m)^{HERE}", lambda _: f"{names.pop(0)}\n ", text.getvalue())
    return "\n".join(line.rstrip() for line in shown.splitlines())


def _cell(value: Value | list[str]) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return "" if value is None or value == "" else write(value)
