"""Content of the page of results: claims, figures, cells and methods, read from committed files.

The outcomes, values and intervals of claims are copied. Only summaries of trials are computed here,
by the functions that also serve figures and tables. `page.schema.json` describes the content.
"""

import base64
import inspect
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from optimist.algorithms import algorithm_class, option_names
from optimist.core.docstrings import option_texts
from optimist.core.errors import ResultError
from optimist.core.files import sha256
from optimist.core.label import write
from optimist.core.root import PACKAGE, how_to_make, project_root
from optimist.data.sources import load_sources
from optimist.experiments import cell_records
from optimist.experiments.cell_trials import CellTrials
from optimist.experiments.loop import COMPLETE
from optimist.experiments.paper import Paper
from optimist.experiments.trial_table import TrialTable
from optimist.figures.curves import Regret
from optimist.figures.models import Figure
from optimist.figures.rows import TABLE_LEVEL, display_name
from optimist.figures.style import Style
from optimist.numerics.statistics import mean_intervals
from optimist.page import curves, findings, verdicts
from optimist.page.formulas import first_sentence, to_html
from optimist.page.verdicts import CHECK_COLUMNS, number
from optimist.plan.plan import Plan

VERSION = 1


def collect(plan: Plan, base: Path) -> dict[str, Any]:
    """Return the page's content, in which cells contain the curves from `curves.of_cell`.

    Parameters
    ----------
    plan : Plan
        Plan of the configuration whose results the page shows.
    base : Path
        Folder to which the paths of files are relative.

    Raises
    ------
    ResultError
        If a file that the page shows does not exist or has changed.
    ConfigError
        If, in the project's own folder, a sentence relies on a verdict that has changed.
    """
    shown: dict[str, Any] = {
        name: {} for name in ("papers", "settings", "methods", "labels", "figures", "claims")
    }
    shown["cells"] = []
    for name, paper in plan.papers.items():
        reader = _Paper(plan, base, name, paper)
        shown["claims"] |= reader.claims()
        shown["figures"] |= reader.figures()
        shown["cells"] += reader.cells
        shown["settings"] |= reader.settings()
        shown["methods"] |= reader.methods(shown["methods"])
        shown["labels"] |= reader.labels()
        shown["papers"][name] = reader.about()
    said = findings.load()
    # Users' own settings may lead to verdicts that contradict the project's sentences.
    is_ours = base.resolve() == project_root()
    sentences = findings.fill(said, shown["claims"], [*plan.papers], strict=is_ours)
    for name, words in sentences["papers"].items():
        shown["papers"][name] |= words
    most = max((len(cell["finals"]) for cell in shown["cells"]), default=2)
    return {
        "version": VERSION,
        "quick": any(claim["verdict"] == "shortened" for claim in shown["claims"].values()),
        "checks": CHECK_COLUMNS,
        "findings": sentences["findings"],
        "t": _quantiles(max(most, 2)),
        "provenance": _provenance(plan, base),
        **shown,
    }


def _quantiles(most: int) -> list[float]:
    """Return the 97.5 % quantiles of Student's t for means of n = 2, ..., ``most`` values."""
    from scipy.special import stdtrit

    return [float(f"{stdtrit(n - 1, 0.975):.10g}") for n in range(2, most + 1)]


class _Paper:
    """A paper's committed files, and the part of the page made from them."""

    def __init__(self, plan: Plan, base: Path, name: str, paper: Paper) -> None:
        self.plan, self.base, self.name, self.paper = plan, base, name, paper
        self.layout = plan.layout
        tables = self.layout.trials(name), self.layout.cells(name)
        self._files = {path: base / path for path in tables if (base / path).is_file()}
        for path in tables:
            if path not in self._files:
                made = how_to_make(f"snakemake --cores 2 {name}")
                raise ResultError(f"{path} does not exist; {made}")

    def _path(self, path: str, product: str) -> Path:
        """Return the path of a file that belongs to a figure or to the claims.

        Raise ResultError if the file is missing or does not match its record.
        """
        command = f"optimist draw {self.name}/{product}"
        if product == "claims":
            command = f"optimist decide {self.name}"
        file = self.base / path
        if not file.is_file():
            raise ResultError(f"{path} does not exist; make it: {command}")
        record = self.layout.record(self.name, product)
        below = Path(path).relative_to(Path(record).parents[1]).as_posix()
        try:
            digest = json.loads((self.base / record).read_text(encoding="utf-8"))["files"][below]
        except (OSError, ValueError, KeyError, TypeError):
            raise ResultError(
                f"{record} does not mention {path}; make it again: {command}"
            ) from None
        if sha256(file) != digest:
            raise ResultError(
                f"{path} is not the file that {record} describes; make it again: {command}"
            )
        return file

    # Claims.

    def claims(self) -> dict[str, verdicts.Shown]:
        """Return the claims by ID, each with its readings and checks."""
        from optimist.claims.table import read_frame

        place = self.layout.claims(self.name)["csv"]
        self._files[place] = self._path(place, "claims")
        stated = self.plan.claims.by_paper[self.name]
        frame = read_frame(self._files[place])
        return verdicts.claims(frame, {claim.id: claim for claim in stated})

    # Figures.

    def figures(self) -> dict[str, object]:
        """Return the figures by ``paper/name``, with thumbnails."""
        figures = {name: Figure(**entry) for name, entry in self.paper.figures.items()}
        return {
            f"{self.name}/{name}": self._figure(name, figure)
            for name, figure in figures.items()
            if self._is_there(name, figure)
        }

    def _is_there(self, name: str, figure: Figure) -> bool:
        """Return whether the page shows a figure.

        It shows requested figures, but those outside the group ``paper`` only if they exist.
        """
        if not self.plan.shown.is_made(f"{self.name}/{name}"):
            return False
        thumbnail = self.base / self.layout.figure(self.name, name)["webp"]
        return figure.group == "paper" or thumbnail.is_file()

    def _figure(self, name: str, figure: Figure) -> dict[str, object]:
        places = self.layout.figure(self.name, name)
        root = f"{self.layout.figures}/"
        for ending in ("png", "pdf", "csv"):  # these files are optional
            if (self.base / places[ending]).is_file():
                self._path(places[ending], name)
        thumbnail = self._path(places["webp"], name).read_bytes()
        return {
            "title": figure.title,
            "caption": " ".join(figure.caption.split()),
            "group": figure.group,
            "thumb": base64.b64encode(thumbnail).decode(),
            "size": _size(thumbnail),
            **{ending: places[ending].removeprefix(root) for ending in ("png", "pdf", "csv")},
            "panels": [
                {
                    "letter": letter if len(figure.panels) > 1 else "",
                    "title": panel.title,
                    "setting": panel.setting if isinstance(panel, Regret) else "",
                    "algorithms": getattr(panel, "algorithms", []),
                    "axis": panel.scale or "linear",
                }
                for letter, panel in figure.by_letter.items()
            ],
        }

    # Cells.

    @cached_property
    def cells(self) -> list[dict[str, Any]]:
        """Results and curves of all cells; the group ``paper`` comes before ``variants``."""
        table = TrialTable(self.base / self.layout.trials(self.name))
        lanes_of: dict[tuple[str, str, str], dict[str, CellTrials]] = {}
        for lane in curves.KEYS:
            for cell in table.cells(lane):
                if cell.key in self.plan.trials.asked[self.name]:
                    key = cell.group, cell.setting, cell.algorithm
                    lanes_of.setdefault(key, {})[lane] = cell
        return [
            {
                "paper": self.name,
                "setting": setting,
                "label": label,
                "group": group,
                **self._ends(lanes),
                **self._drawn(lanes),
            }
            for (group, setting, label), lanes in sorted(lanes_of.items())
        ]

    def _ends(self, lanes: Mapping[str, CellTrials]) -> dict[str, object]:
        """Return a cell's results at the end of its trials.

        These are the final regrets, their mean with its 95 % interval, and the trials' times and
        statuses.
        """
        finals = _at_end(lanes.get("regret"), "regret")
        regrets = finals[~np.isnan(finals)]
        interval = self.paper.interval
        mean = mean_intervals(regrets[:, None], TABLE_LEVEL, interval) if len(regrets) else regrets
        seconds = _at_end(lanes.get("timing"), "seconds")
        seconds = seconds[~np.isnan(seconds)]
        times = [np.median(seconds), seconds.min(), seconds.max()] if len(seconds) else []
        ends = [int(rounds[-1]) for rounds in next(iter(lanes.values())).rounds if len(rounds)]
        statuses = lanes["regret"].status if "regret" in lanes else []
        counts = Counter(status.partition(":")[0] for status in statuses)
        return {
            "finals": [number(value, 6) for value in finals.tolist()],
            "mean": [number(value, 6) for value in mean.ravel().tolist()],
            "seconds": [number(value, 4) for value in times],
            "turns": len(seconds),
            "rounds": max(ends, default=0),
            "statuses": {word: count for word, count in counts.most_common() if word != "ok"},
        }

    def _drawn(self, lanes: Mapping[str, CellTrials]) -> dict[str, curves.Drawn]:
        """Return the ``curves`` of regret and the ``times`` in seconds, if the cell has them."""
        how = self.paper.band, self.paper.interval
        drawn = {curves.KEYS[lane]: curves.of_cell(cell, *how) for lane, cell in lanes.items()}
        return {key: one for key, one in drawn.items() if one is not None}

    def _names(self, key: str) -> list[str]:
        """Return the distinct values of ``key`` (``setting`` or ``label``) among the cells."""
        return [*dict.fromkeys(cell[key] for cell in self.cells)]

    # Descriptions of cells.

    def settings(self) -> dict[str, object]:
        """Return the settings that occur in cells, by ``paper/label``."""
        titles = Style(self.paper, {}).settings(self._names("setting"))
        settings = {label: self.paper.setting(label) for label in titles}
        return {
            f"{self.name}/{label}": {
                "paper": self.name,
                "label": label,
                "title": titles[label],
                "about": " ".join(one.about.split()),
                "horizon": one.horizon,
                "environment": one.environment,
                "parameters": {name: write(value) for name, value in sorted(one.options.items())},
            }
            for label, one in settings.items()
        }

    def labels(self) -> dict[str, object]:
        """Return the name, colour, marker and dashes of each label in cells, by ``paper/label``."""
        style = Style(self.paper, {})
        return {
            f"{self.name}/{label}": {
                "name": display_name(label, self.paper.names, self.paper.options),
                "colour": style.colour(label),
                "marker": style.shape(label),
                "dash": style.dash_lengths(label),
            }
            for label in self._names("label")
        }

    def methods(self, described: Mapping[str, Any]) -> dict[str, Any]:
        """Return the methods that occur in cells, by ``domain/name``.

        ``described`` contains the methods of papers read earlier.
        """
        methods, names = {}, {str(label): label.name for label in self.paper.algorithms}
        for name in dict.fromkeys(names[label] for label in self._names("label")):
            key = f"{self.domain}/{name}"
            about = described.get(key) or _method(name, self.domain)
            title = about.get("title", self.paper.names.get(name, name))
            methods[key] = {**about, "papers": [*about["papers"], self.name], "title": title}
        return methods

    @property
    def domain(self) -> str:
        """The domain of the paper's algorithms."""
        return next(iter(self.paper.settings.values())).domain

    def about(self) -> dict[str, object]:
        """Return a paper's description, with its methods' names and the order of its settings."""
        keys, shown = ("title", "reference", "method", "names"), {*self._names("setting")}
        return {
            **{key: getattr(self.paper, key) for key in keys},
            "domain": self.domain,
            "interval": self.paper.interval,
            "level": self.paper.band,
            "order": [label for label in self.paper.settings if label in shown],
            "deviations": _headings(self.name),
            "files": {name: sha256(path) for name, path in self._files.items()},
        }


def _at_end(cell: CellTrials | None, name: str) -> np.ndarray:
    """Return the last value of a column in each trial, or NaN for an incomplete trial."""
    if cell is None:
        return np.empty(0)
    is_complete = [status in COMPLETE for status in cell.status]
    return np.where(is_complete, cell.ends.get(name, np.nan), np.nan)


def _size(picture: bytes) -> list[int]:
    """Return the width and height of a picture, so that browsers can reserve space for it."""
    from PIL import Image

    with Image.open(io.BytesIO(picture)) as opened:
        return [*opened.size]


def _method(name: str, domain: str) -> dict[str, Any]:
    """Return the description of an algorithm, taken from its docstrings."""
    cls: Any = algorithm_class(name, domain)
    text = inspect.cleandoc(sys.modules[cls.__module__].__doc__ or "")
    described = option_texts(cls)
    return {
        "name": name,
        "domain": domain,
        "sentence": first_sentence(text),
        "text": to_html(text.partition("\n\n")[2]),
        "reference": cls.reference,
        "file": _file(cls),
        "options": [
            {
                "option": key,
                "default": write(value),
                "values": described.get(key, ("", ""))[0],
                "meaning": to_html(described.get(key, ("", ""))[1]),
            }
            for key, value in option_names(cls).items()
        ],
        "papers": [],
    }


def _file(cls: type) -> str:
    """Return the path of a class's file in this project; for other files, return only the name."""
    path = Path(inspect.getfile(cls))
    is_own = path.is_relative_to(PACKAGE)
    return f"src/optimist/{path.relative_to(PACKAGE).as_posix()}" if is_own else path.name


def _headings(paper: str) -> list[list[str]]:
    """Return the title and anchor of each section about a paper in docs/deviations.md."""
    path = project_root() / "docs" / "deviations.md"
    headings, inside = [], False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            inside = f"`{paper}`" in line
        elif line.startswith("### ") and inside:
            title = line.removeprefix("### ")
            anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            headings.append([title, anchor])
    return headings


def _provenance(plan: Plan, base: Path) -> dict[str, object]:
    """Return the origins of each paper's results, and a description of each data set.

    A paper's origins are the commits and machines that produced its results, in decreasing order of
    the number of cells.
    """
    papers = {}
    for name in plan.papers:
        records = cell_records.read(base / plan.layout.cells(name)).values()
        made = Counter((record.commit, record.made) for record in records).most_common()
        papers[name] = [{"commit": code, "words": words, "cells": n} for (code, words), n in made]
    names = ("name", "version", "licence", "doi", "content_sha256")
    sources = load_sources().values()
    data = [{name: getattr(source, name) for name in names} for source in sources]
    return {"papers": papers, "data": data}
