"""What there is to run, as tables of text: papers, their settings, and the options of a setting."""

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

from optimist.algorithms import REGISTRIES, algorithm_class, option_names
from optimist.environments import environment_class
from optimist.label import name_of, write
from optimist.plan.config import load_paper, paper_names
from optimist.runs.setting import option_defaults, option_places, resolve_setting
from optimist.runs.trials import Trials, expand

Table = list[dict[str, Any]]


def papers() -> Table:
    """Return a row for each paper: name, title, and how many settings and cells it has."""
    rows = []
    for name in paper_names():
        paper = load_paper(name)
        cells = {(t.cell.setting, t.cell.algorithm) for t in expand(paper)}
        bases = {name_of(setting) for setting, _ in cells}
        rows.append(
            {
                "paper": name,
                "base settings": len(bases),
                "settings": len({setting for setting, _ in cells}),
                "cells": len(cells),
                "title": paper["title"],
            }
        )
    return rows


def settings(paper: Mapping[str, Any]) -> Table:
    """Return a row for each setting that a paper runs, those of one name together."""
    found: dict[str, list[Trials]] = {}
    for trials in expand(paper):
        found.setdefault(trials.cell.setting, []).append(trials)
    order = list(dict.fromkeys(map(name_of, found)))
    return [
        _setting_row(paper, setting, found[setting])
        for setting in sorted(found, key=lambda setting: order.index(name_of(setting)))
    ]


def _setting_row(paper: Mapping[str, Any], setting: str, asked: Sequence[Trials]) -> dict[str, Any]:
    base, spec = paper["settings"][name_of(setting)], asked[0].cell.spec
    parameters = option_defaults(spec)
    trials = [t.stop for t in asked if t.lane == "regret"]
    return {
        "setting": setting,
        "d": parameters.get("dimension"),
        "arms": parameters.get("arms"),
        "horizon": spec["horizon"],
        "trials": max(trials, default=0),
        "title": base.get("title", "") if setting == name_of(setting) else "",
        "algorithms": list(dict.fromkeys(t.cell.algorithm for t in asked)),
    }


def options(paper: Mapping[str, Any], text: str) -> Table:
    """Return a row for each option of a setting: its value there, and what it may be.

    Parameters
    ----------
    paper : mapping
        A loaded paper configuration.
    text : str
        The label of a setting.
    """
    spec = resolve_setting(paper, text)[1]
    values, texts = option_defaults(spec), _described(spec["environment"])
    return [
        {
            "option": key,
            "value": write(values.get(key)),
            "may be": texts.get(key, ("", ""))[0],
            "meaning": texts.get(key, ("", ""))[1],
        }
        for key in sorted(option_places(spec["environment"]))
    ]


def algorithms(domain: str) -> Table:
    """Return a row for each algorithm of a domain: its name, options and reference."""
    rows = []
    for name in REGISTRIES[domain]:
        cls: Any = algorithm_class(name, domain)
        defaults = [f"{key}={write(value)}" for key, value in option_names(cls).items()]
        rows.append({"algorithm": name, "options": ", ".join(defaults), "source": cls.reference})
    return rows


def _described(environment: str) -> dict[str, tuple[str, str]]:
    """Return type and meaning of each option of an environment, from its documentation."""
    cls = environment_class(environment)
    problem = inspect.signature(cls.problem).return_annotation
    horizon = {"horizon": ("int", "T, the number of rounds, which the algorithm is told.")}
    texts = [getattr(of, "__doc__", None) or "" for of in (problem, cls.problem, cls)]
    for text in texts:
        horizon |= parameters_of(text)
    return horizon


def parameters_of(docstring: str) -> dict[str, tuple[str, str]]:
    """Return type and meaning of the parameters and attributes that a docstring describes."""
    found: dict[str, tuple[str, str]] = {}
    lines = inspect.cleandoc(docstring).splitlines()
    for number, line in enumerate(lines):
        entry = re.fullmatch(r"([\w, ]+) : (.+)", line)
        if entry:
            block = []
            for below in lines[number + 1 :]:
                if below and not below.startswith(" "):
                    break
                block.append(below.strip())
            meaning = " ".join(filter(None, block))
            found |= dict.fromkeys(map(str.strip, entry[1].split(",")), (entry[2], meaning))
    return found


def to_text(rows: Table) -> str:
    """Return rows as a table of text with a header, its columns aligned; lists are counted."""
    if not rows:
        return ""
    header = [*rows[0]]
    lines = [header, *([_cell(row[key]) for key in header] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "\n".join(
        "  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return "" if value is None or value == "" else write(value)
