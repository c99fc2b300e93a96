"""Paths of files: only this module formats and parses paths of the workflow.

The results folder has ``run``, ``time`` and ``study`` (results by paper and digest), ``data``,
``published``, ``kept`` and ``logs``; the figures folder has the tables, figures and
verdicts of each paper. A ``{wildcard}`` may replace any name.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from optimist.core.errors import ConfigError, brief
from optimist.core.files import fingerprint

LANES = ("regret", "timing")
# Groups of targets, with the suffix of their targets.
GROUPS = {"paper": "", "variants": "_variants"}
TABLE_ENDINGS = ("csv", "md")
# A file system allows 255 bytes in a name, and one name in a scheduler's log folder contains a
# paper, a setting, an algorithm, trials and a digest with separators.
MOST_BYTES = 239
# Length of the digest in the name of a result.
DIGEST = 12


class Result(NamedTuple):
    """Content of a result file's path: trials first, ..., stop - 1 of a cell in a lane.

    In the timing lane the results of a race share a folder named by the number of the race, and the
    path does not contain trials.
    """

    lane: str
    paper: str
    setting: str
    algorithm: str
    digest: str
    first: int = 0
    stop: int = 0
    race: str = ""

    @property
    def path(self) -> str:
        """The path below a results folder."""
        setting, algorithm = quote(self.setting), quote(self.algorithm)
        if self.lane == "timing":
            folder = race_folder(self.paper, self.race, self.digest)
            return f"{folder}/{setting}/{algorithm}.parquet"
        return result(self.paper, setting, algorithm, self.trials, self.digest)

    @property
    def trials(self) -> str:
        """The range of trials as in a path."""
        return f"{self.first:03d}-{self.stop - 1:03d}"


def result(paper: str, setting: str, algorithm: str, trials: str, digest: str) -> str:
    """Return the path of a result file of the regret lane, from its quoted parts."""
    return f"run/{paper}/{setting}/{algorithm}/{trials}.{digest}.parquet"


def race_folder(paper: str, race: str, digest: str) -> str:
    """Return the path of the folder of a race's results below a results folder."""
    return f"time/{paper}/{race}.{digest}"


def parse_result(path: str | PurePath) -> Result | None:
    """Return the parsed path of a result file, None for any other path.

    It may start with any folders.
    """
    match = _RUN.search(PurePath(path).as_posix())
    if match:
        paper, setting, algorithm, first, last, digest = match.groups()
        names = unquoted(setting), unquoted(algorithm)
        return Result("regret", paper, *names, digest, int(first), int(last) + 1)
    match = _TIME.search(PurePath(path).as_posix())
    if match:
        paper, race, digest, setting, algorithm = match.groups()
        return Result("timing", paper, unquoted(setting), unquoted(algorithm), digest, race=race)
    return None


# The forms of `result` and `race_folder`.
_HEX = rf"\.([0-9a-f]{{{DIGEST}}})"
_RUN = re.compile(rf"(?:^|/)run/([^/]+)/([^/]+)/([^/]+)/([0-9]+)-([0-9]+){_HEX}\.parquet$")
_TIME = re.compile(rf"(?:^|/)time/([^/]+)/([0-9]+){_HEX}/([^/]+)/([^/]+)\.parquet$")


def digest_in_name(decisive: str, versions: Mapping[str, Any]) -> str:
    """Return the digest in the name of a file: package versions change last digits."""
    return fingerprint({"decisive": decisive, "versions": dict(versions)})[:DIGEST]


def dataset_in(folder: str | Path, name: str) -> Path:
    """Return the path of a prepared data set in a folder."""
    return Path(folder) / f"{name}.csv"


def facts_in(folder: str | Path, name: str) -> Path:
    """Return the path of the facts about a prepared data set in a folder."""
    return Path(folder) / f"{name}_facts.csv"


def evaluations_in(folder: str | Path) -> Path:
    """Return the folder of kept scores next to the prepared data sets of a folder."""
    return Path(folder) / "evaluations"


def check_length(paper: str, setting: str, algorithm: str, trials: str = "000-000") -> None:
    """Raise ConfigError if the labels of a cell are too long for the names of its files.

    Raises
    ------
    ConfigError
        With the number of bytes in UTF-8, and the largest allowed number.
    """
    parts = (paper, quote(setting), quote(algorithm), trials, "0" * DIGEST)
    length = sum(len(os.fsencode(part)) for part in parts)
    if length > MOST_BYTES:
        raise ConfigError(
            f"the labels of {brief(f'{paper}/{setting}/{algorithm}')} are too long for names of "
            f"files: with trials {trials} they have {length} bytes; allowed: at most {MOST_BYTES}; "
            "give options shorter names, or a class other defaults"
        )


def quote(label: str) -> str:
    """Return a label as part of a path.

    A slash would begin a folder, and Snakemake's executors split wildcards at commas.
    """
    for letter, code in _CODES.items():
        label = label.replace(letter, code)
    return label


def unquoted(text: str) -> str:
    """Return the label behind a text of `quote`."""
    for letter, code in reversed(_CODES.items()):
        text = text.replace(code, letter)
    return text


# In this order, as the codes except the last contain special characters.
_CODES = {"%": "%25", "/": "%2F", "~": "%7E", ",": "~"}


@dataclass(frozen=True)
class Layout:
    """The paths of one configuration.

    Attributes
    ----------
    results, figures : str
        The two output folders.
    """

    results: str
    figures: str

    # Result files.

    def result(self, path: str) -> str:
        """Return the full path of the result file ``path`` from `Result.path`."""
        return f"{self.results}/{path}"

    @property
    def any_result(self) -> str:
        """The pattern of result files of the regret lane."""
        parts = ("{paper}", "{setting}", "{algorithm}", "{trials}", "{digest}")
        return self.result(result(*parts))

    def race(self, paper: str, race: str, digest: str) -> str:
        """Return the path of the folder of a race's results."""
        return self.result(race_folder(paper, race, digest))

    def study(self, paper: str, study: str, digest: str) -> str:
        """Return the path of the tables of a study of a paper."""
        return f"{self.results}/study/{paper}/{study}.{digest}.parquet"

    def published(self, paper: str, group: str) -> str:
        """Return the path of the mark for complete tables of a paper's group."""
        return f"{self.results}/published/{paper}/{group}"

    @property
    def kept(self) -> str:
        """The folder of the results of `compare`, in the form of the results folder."""
        return f"{self.results}/kept"

    # Data sets.

    @property
    def data_folder(self) -> str:
        return f"{self.results}/data"

    def data_alone(self, decisive: str) -> str:
        """Return the folder of a data set prepared for one cell, by its inputs."""
        return f"{self.data_folder}/alone/{decisive}"

    def data(self, name: str) -> str:
        """Return the path of a prepared data set."""
        return str(dataset_in(self.data_folder, name))

    def data_facts(self, name: str) -> str:
        """Return the path of the facts about a prepared data set."""
        return str(facts_in(self.data_folder, name))

    def raw_table(self, raw: str) -> str:
        """Return the path of a fetched table."""
        return f"{self.data_folder}/raw/{raw}.parquet"

    def raw_record(self, raw: str) -> str:
        """Return the path of the record of a fetched table's origin."""
        return f"{self.data_folder}/raw/{raw}.json"

    # Products of a paper.

    def figure(self, paper: str, name: str) -> dict[str, str]:
        """Return the paths of a figure, by ending: pictures, thumbnail, and table."""
        folder = f"{self.figures}/{paper}"
        return {
            "png": f"{folder}/{name}.png",
            "pdf": f"{folder}/{name}.pdf",
            "webp": f"{folder}/thumbnails/{name}.webp",
            "csv": f"{folder}/tables/{name}.csv",
        }

    def table(self, paper: str, name: str) -> dict[str, str]:
        """Return the paths of a table, by ending."""
        folder = f"{self.figures}/{paper}/tables"
        return {ending: f"{folder}/{name}.{ending}" for ending in TABLE_ENDINGS}

    def product(self, paper: str, kind: str, name: str) -> dict[str, str]:
        """Return the paths of a figure, a table or the claims of a paper, by ending."""
        if kind == "claims":
            return self.claims(paper)
        return (self.figure if kind == "figures" else self.table)(paper, name)

    def trials(self, paper: str) -> str:
        """Return the path of the table of all trials of a paper."""
        return f"{self.figures}/{paper}/trials.parquet"

    def cells(self, paper: str) -> str:
        """Return the path of the table with the origin of each cell of a paper."""
        return f"{self.figures}/{paper}/cells.csv"

    def studies(self, paper: str) -> str:
        """Return the path of the tables of all studies of a paper."""
        return f"{self.figures}/{paper}/studies.parquet"

    def record(self, paper: str, name: str) -> str:
        """Return the path of the record of a figure, a table or the claims."""
        return f"{self.figures}/{paper}/records/{name}.json"

    def claims(self, paper: str = "") -> dict[str, str]:
        """Return the paths of the verdicts of a paper, or of all papers, by ending."""
        folder = f"{self.figures}/{paper}".rstrip("/")
        return {ending: f"{folder}/claims.{ending}" for ending in TABLE_ENDINGS}

    @property
    def page(self) -> str:
        """The path of the page of results."""
        return f"{self.figures}/index.html"

    @property
    def index(self) -> str:
        """The path of the list of all figures."""
        return f"{self.figures}/README.md"

    # Records of jobs.

    def log(self, *parts: str) -> str:
        """Return the path of a job's log."""
        return f"{self.results}/logs/{'/'.join(parts)}.log"
