"""What the page of results shows, read from committed files: claims, figures, cells, methods.

Outcomes, values and intervals are copied; what is computed here are means of trials, by the same
function as the pipeline's tables. `page.schema.json` describes the answer.
"""

import base64
import inspect
import io
import math
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from optimist.algorithms import algorithm_class, option_names
from optimist.data.sources import load_sources
from optimist.environments import environment_domain
from optimist.errors import ResultError
from optimist.files import sha256
from optimist.label import name_of, write
from optimist.layout import GROUPS, Layout
from optimist.listing import option_texts
from optimist.page import curves, findings, verdicts
from optimist.page.formulas import first_sentence, to_html
from optimist.page.verdicts import CHECK_COLUMNS, number
from optimist.panels.looks import Looks
from optimist.panels.rows import TABLE_LEVEL, display_name
from optimist.panels.rows import mean as mean_of
from optimist.plan.config import claims_path, load_claims
from optimist.plan.plan import Plan
from optimist.records import manifest
from optimist.root import PACKAGE, how_to_make, project_root
from optimist.runs.loop import COMPLETE
from optimist.runs.setting import option_defaults

if TYPE_CHECKING:
    import pandas as pd

VERSION = 1
# Kinds of panels whose curves the explorer shows.
EXPLORED = ("regret", "median_regret", "relative_regret")


def collect(plan: Plan, base: Path) -> dict[str, Any]:
    """Return what the page shows; its cells have their curves as of `curves.of_cell`.

    Parameters
    ----------
    plan : Plan
        Of the configuration whose figures are shown.
    base : Path
        The folder that their paths are below.

    Raises
    ------
    ResultError
        If a file that is shown does not exist, or is of another version.
    ConfigError
        In the project itself, if a sentence rests on a verdict that has changed.
    """
    shown: dict[str, Any] = {
        name: {} for name in ("papers", "settings", "methods", "labels", "figures", "claims")
    }
    shown["cells"] = []
    for name, paper in plan.papers.items():
        reader = _Paper(plan, base, name, paper)
        shown["claims"] |= reader.claims()
        shown["figures"] |= reader.figures()
        shown["cells"] += reader.cells()
        shown["settings"] |= reader.settings()
        shown["methods"] |= reader.methods(shown["methods"])
        shown["labels"] |= reader.labels()
        shown["papers"][name] = reader.about()
    said = findings.load()
    # Whoever has other settings has other verdicts, of which our sentences may not hold.
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


def _absent(path: str, paper: str, base: Path) -> ResultError:
    made = how_to_make(f"snakemake --cores 2 {paper}")
    return ResultError(f"{path} does not exist; {manifest.remedy(base / path, made)}")


def _quantiles(most: int) -> list[float]:
    """Return the quantiles of Student's t for 95 % intervals of n = 2, ..., ``most`` numbers."""
    from scipy.special import stdtrit

    return [float(f"{stdtrit(n - 1, 0.975):.10g}") for n in range(2, most + 1)]


class _Paper:
    """The committed files of a paper, and what the page shows of them."""

    def __init__(self, plan: Plan, base: Path, name: str, paper: Mapping[str, Any]) -> None:
        self.plan, self.base, self.name, self.paper = plan, base, name, paper
        self.layout: Layout = plan.layout
        self._settings: list[str] = []
        self._labels: list[str] = []
        self._files: dict[str, Path] = {}
        place = plan.layout.manifest(name)
        if not (base / place).is_file():
            raise _absent(place, name, base)
        self._described = manifest.Described((base / place).parent)

    def _path(self, path: str) -> Path:
        """Return a file that is there and as its manifest describes it."""
        found = self.base / path
        if not found.is_file():
            raise _absent(path, self.name, self.base)
        self._described.check(found)
        self._files[path] = found
        return found

    # Claims.

    def claims(self) -> dict[str, Any]:
        """Return the claims by id, each with its readings and checks."""
        from optimist.claims import read_frame

        frame = read_frame(self._path(self.layout.claims(self.name)["csv"]))
        stated = load_claims(claims_path(self.name))["claims"]
        return verdicts.claims(frame, {claim["id"]: claim.get("note", "") for claim in stated})

    # Figures.

    def figures(self) -> dict[str, Any]:
        """Return the figures by ``paper/name``, with thumbnails."""
        return {
            f"{self.name}/{name}": self._figure(name, spec)
            for name, spec in self.paper["figures"].items()
            if self._is_there(name, spec)
        }

    def _is_there(self, name: str, spec: Mapping[str, Any]) -> bool:
        """Return whether a figure is to be shown: those of variants are there only if made."""
        thumbnail = self.base / self.layout.figure(self.name, name)["webp"]
        return spec.get("group", "paper") == "paper" or thumbnail.is_file()

    def _figure(self, name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
        places = self.layout.figure(self.name, name)
        root = f"{self.layout.figures}/"
        for ending in ("png", "pdf", "csv"):  # a reader may have them beside the page
            if (beside := self.base / places[ending]).is_file():
                self._described.check(beside)
        thumbnail = self._path(places["webp"]).read_bytes()
        return {
            "title": spec["title"],
            "caption": " ".join(spec["caption"].split()),
            "group": spec.get("group", "paper"),
            "thumb": base64.b64encode(thumbnail).decode(),
            "size": _size(thumbnail),
            **{ending: places[ending].removeprefix(root) for ending in ("png", "pdf", "csv")},
            "panels": [
                {
                    "letter": letter if len(spec["panels"]) > 1 else "",
                    "title": panel.get("title", ""),
                    "setting": panel["setting"] if panel["kind"] in EXPLORED else "",
                    "algorithms": panel.get("algorithms", []),
                    "axis": panel.get("scale", "linear"),
                }
                for letter, panel in zip(ascii_lowercase, spec["panels"], strict=False)
            ],
        }

    # Cells.

    def cells(self) -> list[dict[str, Any]]:
        """Return what became of every cell of both groups, with its curves."""
        found = []
        for group in GROUPS:
            if self.plan.trials.paths(self.name, group=group):
                found += self._cells_of(group)
        return found

    def _cells_of(self, group: str) -> list[dict[str, Any]]:
        import pandas as pd

        from optimist import sealed

        places = self.layout.trials(self.name, group)
        if group != "paper" and not (self.base / places["csv"]).is_file():
            return []
        table = pd.read_csv(self._path(places["csv"]), low_memory=False)
        if "seconds" not in table:  # where nothing was timed, as of the variants
            table = table.assign(seconds=math.nan)
        drawn = sealed.read_frame(self._path(places["parquet"]))
        by_cell = dict(iter(drawn.groupby(["lane", "setting", "algorithm"], sort=False)))
        cells = []
        for (setting, label), rows in table.groupby(["setting", "algorithm"], sort=True):
            self._note(setting, label)
            cells.append(
                {
                    "paper": self.name,
                    "setting": setting,
                    "label": label,
                    "group": group,
                    **self._ends(rows),
                    **_drawn(by_cell, setting, label),
                }
            )
        return cells

    def _note(self, setting: str, label: str) -> None:
        for name, known in ((setting, self._settings), (label, self._labels)):
            if name not in known:
                known.append(name)

    def _ends(self, rows: "pd.DataFrame") -> dict[str, Any]:
        """Return final regrets, their mean with its 95 % interval, seconds, and statuses."""
        played, timed = rows[rows["lane"] == "regret"], rows[rows["lane"] == "timing"]
        good = played[played["status"].isin(COMPLETE)]
        mean: list[float | None] = []
        if len(good):
            at_level = {**self.paper, "band": TABLE_LEVEL}
            mean = [number(value, 6) for value in mean_of(good["regret"], at_level)]
        regrets = dict(zip(good["trial"], good["regret"], strict=True))
        last = int(played["trial"].max()) if len(played) else -1
        seconds = timed.loc[timed["status"].isin(COMPLETE), "seconds"]
        counts = rows["status"].str.partition(":")[0][rows["lane"] == "regret"].value_counts()
        return {
            "finals": [number(regrets.get(i, math.nan), 6) for i in range(last + 1)],
            "mean": mean,
            "seconds": [number(f(seconds), 4) for f in _TIMES] if len(seconds) else [],
            "turns": len(seconds),
            "rounds": int(played["rounds"].max()) if len(played) else int(timed["rounds"].max()),
            "statuses": {str(k): int(v) for k, v in counts.items() if k != "ok"},
        }

    # What cells are.

    def settings(self) -> dict[str, Any]:
        """Return the settings of cells by ``paper/label``."""
        titles = Looks(self.paper, {}).settings(self._settings)
        return {
            f"{self.name}/{label}": {
                "paper": self.name,
                "label": label,
                "title": titles[label],
                "about": " ".join(self.paper["settings"][label].get("about", "").split()),
                "horizon": self.paper["settings"][label]["horizon"],
                "environment": self.paper["settings"][label]["environment"],
                "parameters": _parameters(self.paper["settings"][label]),
            }
            for label in self._settings
        }

    def labels(self) -> dict[str, Any]:
        """Return name, colour, marker and dash of the labels of cells, by ``paper/label``."""
        looks = Looks(self.paper, {})
        options = self.paper.get("options")
        return {
            f"{self.name}/{label}": {
                "name": display_name(label, self.paper["names"], options),
                "colour": looks.colour(label),
                "marker": looks.shape(label),
                "dash": looks.dash_lengths(label),
            }
            for label in self._labels
        }

    def methods(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Return the methods of cells by ``domain/name``, those of other papers with this one."""
        domain = self.domain
        found = {}
        for name in dict.fromkeys(map(name_of, self._labels)):
            key = f"{domain}/{name}"
            about = known.get(key) or _method(name, domain)
            found[key] = {**about, "papers": [*about["papers"], self.name]}
            found[key].setdefault("title", self.paper["names"].get(name, name))
        return found

    @property
    def domain(self) -> str:
        """The domain of the paper's algorithms."""
        spec = next(iter(self.paper["settings"].values()))
        return environment_domain(spec["environment"])

    def about(self) -> dict[str, Any]:
        """Return what a paper is, with the order of its methods and settings."""
        keys = ("title", "reference", "method", "names")
        return {
            **{key: self.paper[key] for key in keys},
            "domain": self.domain,
            "interval": self.paper.get("interval", "t"),
            "level": self.paper["band"],
            "order": [label for label in self.paper["settings"] if label in self._settings],
            "deviations": _headings(self.name),
            "files": {
                name: sha256(path)
                for name, path in self._files.items()
                if path.suffix in (".csv", ".parquet")
            },
        }


_TIMES = (
    lambda seconds: seconds.median(),
    lambda seconds: seconds.min(),
    lambda seconds: seconds.max(),
)


def _size(picture: bytes) -> list[int]:
    """Return width and height of a picture: a reader's browser keeps so much room for it."""
    from PIL import Image

    with Image.open(io.BytesIO(picture)) as opened:
        return [*opened.size]


def _drawn(by_cell: Mapping[Any, "pd.DataFrame"], setting: str, label: str) -> dict[str, Any]:
    """Return the ``curves`` of regret and ``times`` of seconds of a cell, as far as it has them."""
    found = {}
    for lane, key in curves.KEYS.items():
        rows = by_cell.get((lane, setting, label))
        if rows is not None:
            rounds, drawn = curves.of_cell(rows, MEASURE[lane])
            if drawn:
                found[key] = rounds, drawn
    return found


def _parameters(spec: Mapping[str, Any]) -> dict[str, str]:
    return {key: write(value) for key, value in sorted(option_defaults(spec).items())}


def _method(name: str, domain: str) -> dict[str, Any]:
    """Return what an algorithm is, from its own documentation."""
    cls: Any = algorithm_class(name, domain)
    module = sys.modules[cls.__module__]
    text = inspect.cleandoc(module.__doc__ or "")
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
    """Return the file of a class: in this project with its folder, elsewhere its name alone."""
    path = Path(inspect.getfile(cls))
    is_own = path.is_relative_to(PACKAGE)
    return f"src/optimist/{path.relative_to(PACKAGE).as_posix()}" if is_own else path.name


def _headings(paper: str) -> list[list[str]]:
    """Return title and anchor of the sections on a paper in docs/deviations.md."""
    path = project_root() / "docs" / "deviations.md"
    found, inside = [], False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            inside = f"`{paper}`" in line
        elif line.startswith("### ") and inside:
            title = line.removeprefix("### ")
            anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            found.append([title, anchor])
    return found


def _provenance(plan: Plan, base: Path) -> dict[str, Any]:
    """Return what made the results and the figures, and what data they are on."""
    found: dict[str, Any] = {"papers": {}, "data": _data()}
    for name in plan.papers:
        path = base / plan.layout.manifest(name)
        content = manifest.read(path)
        manifest.check_form(content, path)
        found["papers"][name] = {
            "written": _short(content["written"]),
            "made": [_short(record) for record in content["made"]],
            "results": sum("made" in entry for entry in content["inputs"].values()),
        }
    return found


def _short(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a record of provenance that people read."""
    return {key: record[key] for key in sorted(record) if key not in ("packages", "written")} | {
        "packages": {
            name: record.get("packages", {}).get(name)
            for name in ("numpy", "scipy", "pandas", "scikit-learn", "snakemake")
            if record.get("packages", {}).get(name)
        }
    }


def _data() -> list[dict[str, str]]:
    names = ("name", "version", "licence", "doi", "content_sha256")
    return [{name: getattr(source, name) for name in names} for source in load_sources().values()]
