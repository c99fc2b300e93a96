"""Paths of the workflow's files; only this module formats and parses them.

The results folder contains the folders ``run``, ``time`` and ``study`` (results by paper and
digest), ``data``, ``published``, ``kept`` and ``logs``. The figures folder contains the tables,
figures and verdicts of each paper. A Snakemake ``{wildcard}`` may be used in place of any name.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import NamedTuple

from optimist.core.errors import ConfigError, brief
from optimist.core.files import fingerprint

LANES = ("regret", "timing")
# Suffixes of target names, by group of targets.
GROUPS = {"paper": "", "variants": "_variants"}
TABLE_ENDINGS = ("csv", "md")
# Maximum total length, in bytes, of the paper, setting, algorithm, trials and digest in a path. The
# name of a scheduler's log file contains all of them, joined by separators, and file systems allow
# 255 bytes.
MOST_BYTES = 239
# Length of the digest in the name of a result file.
DIGEST = 12


class Result(NamedTuple):
    """Parts of the path of a result file.

    In the regret lane, the file contains trials first, ..., stop - 1 of a cell. In the timing lane,
    a race's results share a folder named after the race's number, and the path does not contain the
    trials.
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
        """The path relative to a results folder."""
        setting, algorithm = quote(self.setting), quote(self.algorithm)
        if self.lane == "timing":
            folder = race_folder(self.paper, self.race, self.digest)
            return f"{folder}/{setting}/{algorithm}.parquet"
        return result(self.paper, setting, algorithm, self.trials, self.digest)

    @property
    def trials(self) -> str:
        """The range of trials, as written in a path."""
        return f"{self.first:03d}-{self.stop - 1:03d}"


def result(paper: str, setting: str, algorithm: str, trials: str, digest: str) -> str:
    """Return the path of a regret-lane result file, given its quoted parts."""
    return f"run/{paper}/{setting}/{algorithm}/{trials}.{digest}.parquet"


def race_folder(paper: str, race: str, digest: str) -> str:
    """Return the path of the folder with a race's results, relative to a results folder."""
    return f"time/{paper}/{race}.{digest}"


def parse_result(path: str | PurePath) -> Result | None:
    """Parse the path of a result file; return None for any other path.

    Other folders may precede the part returned by `Result.path`.
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


# Patterns of the paths of result files; see `result` and `race_folder`.
_HEX = rf"\.([0-9a-f]{{{DIGEST}}})"
_RUN = re.compile(rf"(?:^|/)run/([^/]+)/([^/]+)/([^/]+)/([0-9]+)-([0-9]+){_HEX}\.parquet$")
_TIME = re.compile(rf"(?:^|/)time/([^/]+)/([0-9]+){_HEX}/([^/]+)/([^/]+)\.parquet$")


def digest_in_name(decisive: str, versions: Mapping[str, object]) -> str:
    """Return the digest for a file name.

    The digest covers package versions, since they affect the last digits of results.
    """
    return fingerprint({"decisive": decisive, "versions": dict(versions)})[:DIGEST]


def dataset_in(folder: str | Path, name: str) -> Path:
    """Return the path of a prepared data set in a folder."""
    return Path(folder) / f"{name}.csv"


def facts_in(folder: str | Path, name: str) -> Path:
    """Return the path, in a folder, of the facts about a prepared data set."""
    return Path(folder) / f"{name}_facts.csv"


def evaluations_in(folder: str | Path) -> Path:
    """Return the folder of stored scores inside a folder of prepared data sets."""
    return Path(folder) / "evaluations"


def check_length(paper: str, setting: str, algorithm: str, trials: str = "000-000") -> None:
    """Check that the labels of a cell are short enough for the names of its files.

    Raises
    ------
    ConfigError
        If the labels are too long; the message gives their length in bytes and the maximum.
    """
    parts = (paper, quote(setting), quote(algorithm), trials, "0" * DIGEST)
    length = sum(len(os.fsencode(part)) for part in parts)
    if length > MOST_BYTES:
        raise ConfigError(
            f"the labels of {brief(f'{paper}/{setting}/{algorithm}')} are too long for file "
            f"names: with trials {trials} they take {length} bytes; allowed: at most {MOST_BYTES}; "
            "give options shorter names, or make their values the defaults of the class"
        )


def quote(label: str) -> str:
    """Encode a label for use as one component of a path.

    A slash would start a new folder, and Snakemake's executors split wildcards at commas.
    """
    for letter, code in _CODES.items():
        label = label.replace(letter, code)
    return label


def unquoted(text: str) -> str:
    """Decode a label that `quote` encoded."""
    for letter, code in reversed(_CODES.items()):
        text = text.replace(code, letter)
    return text


# The order matters: "%" comes first, since codes contain it, and "~" precedes ",", since it is the
# code of ",".
_CODES = {"%": "%25", "/": "%2F", "~": "%7E", ",": "~"}


@dataclass(frozen=True)
class Layout:
    """Paths of one configuration's files.

    Attributes
    ----------
    results, figures : str
        The output folders for results and for figures.
    """

    results: str
    figures: str

    # Result files.

    def result(self, path: str) -> str:
        """Return the full path of a result file, given its `Result.path`."""
        return f"{self.results}/{path}"

    @property
    def any_result(self) -> str:
        """The path of a result file in the regret lane, with a wildcard for each part."""
        parts = ("{paper}", "{setting}", "{algorithm}", "{trials}", "{digest}")
        return self.result(result(*parts))

    def race(self, paper: str, race: str, digest: str) -> str:
        """Return the path of the folder with a race's results."""
        return self.result(race_folder(paper, race, digest))

    def study(self, paper: str, study: str, digest: str) -> str:
        """Return the path of the file with a study's tables."""
        return f"{self.results}/study/{paper}/{study}.{digest}.parquet"

    def published(self, paper: str, group: str) -> str:
        """Return the path of the file that marks a group of a paper's tables as complete."""
        return f"{self.results}/published/{paper}/{group}"

    @property
    def kept(self) -> str:
        """The folder of results kept for `compare`, organized like the results folder."""
        return f"{self.results}/kept"

    # Data sets.

    @property
    def data_folder(self) -> str:
        return f"{self.results}/data"

    def data_alone(self, decisive: str) -> str:
        """Return the folder for a single cell's data set, given its inputs' digest."""
        return f"{self.data_folder}/alone/{decisive}"

    def data(self, name: str) -> str:
        """Return the path of a prepared data set."""
        return str(dataset_in(self.data_folder, name))

    def data_facts(self, name: str) -> str:
        """Return the path of the file with facts about a prepared data set."""
        return str(facts_in(self.data_folder, name))

    def raw_table(self, raw: str) -> str:
        """Return the path of a fetched table."""
        return f"{self.data_folder}/raw/{raw}.parquet"

    def raw_record(self, raw: str) -> str:
        """Return the path of the file that records a fetched table's origin."""
        return f"{self.data_folder}/raw/{raw}.json"

    # Products of a paper.

    def figure(self, paper: str, name: str) -> dict[str, str]:
        """Return the paths of a figure's pictures, thumbnail and table, by extension."""
        folder = f"{self.figures}/{paper}"
        return {
            "png": f"{folder}/{name}.png",
            "pdf": f"{folder}/{name}.pdf",
            "webp": f"{folder}/thumbnails/{name}.webp",
            "csv": f"{folder}/tables/{name}.csv",
        }

    def table(self, paper: str, name: str) -> dict[str, str]:
        """Return the paths of a table, by extension."""
        folder = f"{self.figures}/{paper}/tables"
        return {ending: f"{folder}/{name}.{ending}" for ending in TABLE_ENDINGS}

    def product(self, paper: str, kind: str, name: str) -> dict[str, str]:
        """Return the paths of a figure, a table or the claims of a paper, by extension."""
        if kind == "claims":
            return self.claims(paper)
        return (self.figure if kind == "figures" else self.table)(paper, name)

    def trials(self, paper: str) -> str:
        """Return the path of a paper's table of trials."""
        return f"{self.figures}/{paper}/trials.parquet"

    def cells(self, paper: str) -> str:
        """Return the path of a paper's table of cells, which records where its trials come from."""
        return f"{self.figures}/{paper}/cells.csv"

    def studies(self, paper: str) -> str:
        """Return the path of the file with all of a paper's study tables."""
        return f"{self.figures}/{paper}/studies.parquet"

    def record(self, paper: str, name: str) -> str:
        """Return the path of the record for a figure, a table or the claims."""
        return f"{self.figures}/{paper}/records/{name}.json"

    def claims(self, paper: str = "") -> dict[str, str]:
        """Return the paths of the verdicts on a paper's claims, by extension.

        Without ``paper``, they cover the claims of all papers.
        """
        folder = f"{self.figures}/{paper}".rstrip("/")
        return {ending: f"{folder}/claims.{ending}" for ending in TABLE_ENDINGS}

    @property
    def page(self) -> str:
        """The path of the results page."""
        return f"{self.figures}/index.html"

    @property
    def index(self) -> str:
        """The path of the list of all figures."""
        return f"{self.figures}/README.md"

    # Records of jobs.

    def log(self, *parts: str) -> str:
        """Return the path of a job's log."""
        return f"{self.results}/logs/{'/'.join(parts)}.log"
