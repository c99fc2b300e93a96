"""Where files are: every path of the workflow is formatted and parsed here, and nowhere else.

Below the results folder stand ``regret`` and ``timing`` (result files by lane, paper, setting,
algorithm and trials), ``data``, ``tables``, ``studies``, ``kept``, ``logs`` and ``benchmarks``;
below the figures folder what a paper shows. A ``{wildcard}`` may stand wherever a name does.
"""

import os
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import NamedTuple
from urllib.parse import unquote

from optimist.errors import ConfigError, brief

LANES = ("regret", "timing")
# Groups of targets, with what tells their targets and manifests from those of the paper.
GROUPS = {"paper": "", "variants": "_variants"}
# With what the manifest of something that is made alone begins.
ALONE = "manifest_of_"
# Aggregated tables of a group.
AGGREGATED = ("finals", "regrets", "times")
TABLE_ENDINGS = ("csv", "md")
# A file system takes 255 bytes in a name, and one name of a scheduler's log folder has a paper, a
# setting, an algorithm and trials with marks between them.
MOST_BYTES = 239


class Result(NamedTuple):
    """What the path of a result file says: trials first, ..., stop - 1 of a cell in a lane."""

    lane: str
    paper: str
    setting: str
    algorithm: str
    first: int
    stop: int

    @property
    def path(self) -> str:
        """The path below a results folder."""
        setting, algorithm = quote(self.setting), quote(self.algorithm)
        return result(self.lane, self.paper, setting, algorithm, self.trials)

    @property
    def trials(self) -> str:
        """The name of the file without its ending."""
        return f"{self.first:03d}-{self.stop - 1:03d}"


def result(lane: str, paper: str, setting: str, algorithm: str, trials: str) -> str:
    """Return the path of a result file below a results folder, from its parts."""
    return f"{lane}/{paper}/{setting}/{algorithm}/{trials}.parquet"


def parse_result(path: str | PurePath) -> Result | None:
    """Return what the path of a result file says, None if the path is not that of a result.

    It may start with any folders.
    """
    parts = PurePath(path).parts[-5:]
    if len(parts) < 5 or parts[0] not in LANES or not parts[4].endswith(".parquet"):
        return None
    first, dash, last = parts[4].removesuffix(".parquet").partition("-")
    if not (dash and first.isdecimal() and last.isdecimal()):
        return None
    lane, paper, setting, algorithm = parts[:4]
    return Result(lane, paper, unquote(setting), unquote(algorithm), int(first), int(last) + 1)


def dataset_in(folder: str | Path, name: str) -> Path:
    """Return the path of a prepared data set in a folder of them."""
    return Path(folder) / f"{name}.csv"


def facts_in(folder: str | Path, name: str) -> Path:
    """Return the path of the facts about a prepared data set in a folder of them."""
    return Path(folder) / f"{name}_facts.csv"


def evaluations_in(folder: str | Path) -> Path:
    """Return the folder of scores that are kept beside the prepared data sets of a folder."""
    return Path(folder) / "evaluations"


def by_digest(folder: str | Path, digest: str, ending: str) -> Path:
    """Return the path of a file that is kept under the digest of what decides it."""
    return Path(folder) / digest[:2] / f"{digest}.{ending}"


def parse_manifest(stem: str) -> tuple[str | None, str | None]:
    """Return the group, or the one thing made alone, whose manifest has a name; the other is None.

    Raises
    ------
    StopIteration
        If no manifest has that name.
    """
    if stem.startswith(ALONE):
        return None, stem.removeprefix(ALONE)
    return next(group for group, ending in GROUPS.items() if stem == f"manifest{ending}"), None


def check_length(paper: str, setting: str, algorithm: str, trials: str = "000-000") -> None:
    """Raise ConfigError if the labels of a cell are too long for the names of its files.

    Raises
    ------
    ConfigError
        Saying how many bytes there are, in letters of UTF-8, and how many are allowed.
    """
    parts = (paper, quote(setting), quote(algorithm), trials)
    length = sum(len(os.fsencode(part)) for part in parts)
    if length > MOST_BYTES:
        raise ConfigError(
            f"the labels of {brief(f'{paper}/{setting}/{algorithm}')} are too long for names of "
            f"files: with trials {trials} they have {length} bytes; allowed: at most {MOST_BYTES}; "
            "give options shorter names, or a class other defaults"
        )


def quote(label: str) -> str:
    """Return a label as part of a path: one that names a file has no slash in it."""
    return label.replace("%", "%25").replace("/", "%2F")


@dataclass(frozen=True)
class Layout:
    """The paths of one configuration.

    Attributes
    ----------
    results, figures : str
        The two folders that are written to.
    """

    results: str
    figures: str

    # Result files.

    def result(self, path: str) -> str:
        """Return where the result file ``path``, as of `Result.path`, is."""
        return f"{self.results}/{path}"

    def any_result(self, lane: str) -> str:
        """Return the pattern of a lane's result files."""
        return self.result(result(lane, "{paper}", "{setting}", "{algorithm}", "{trials}"))

    @property
    def kept(self) -> str:
        """The folder of results by what decides them, from which they are taken again."""
        return f"{self.results}/kept"

    # Data sets.

    @property
    def data_folder(self) -> str:
        return f"{self.results}/data"

    def data_alone(self, decisive: str) -> str:
        """Return the folder of a data set that is prepared for one cell, by what decides it."""
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
        """Return the path of the record of where a fetched table came from."""
        return f"{self.data_folder}/raw/{raw}.json"

    # Tables that figures and claims are made from.

    def aggregated(self, paper: str, group: str) -> dict[str, str]:
        """Return the paths of a group's aggregated tables, by name."""
        return {name: self._table(paper, group, name) for name in AGGREGATED}

    def best_known(self, paper: str, group: str) -> str:
        """Return the path of a group's table of best known values."""
        return self._table(paper, group, "best_known")

    def _table(self, paper: str, group: str, name: str) -> str:
        return f"{self.results}/tables/{paper}/{group}/{name}.parquet"

    def study(self, paper: str, table: str, ending: str) -> str:
        """Return the path of a table that a study of a paper makes."""
        return f"{self.results}/studies/{paper}/{table}.{ending}"

    # What a paper shows.

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

    def trials(self, paper: str, group: str) -> dict[str, str]:
        """Return the paths of a group's tables of all trials, by ending: ends, and curves."""
        folder, ending = f"{self.figures}/{paper}", GROUPS[group]
        return {
            "csv": f"{folder}/tables/trials{ending}.csv",
            "parquet": f"{folder}/curves{ending}.parquet",
        }

    def claims(self, paper: str = "") -> dict[str, str]:
        """Return the paths of the verdicts of a paper, or of all papers, by ending.

        Those of a paper come with the rows of studies that they rest on.
        """
        folder = f"{self.figures}/{paper}".rstrip("/")
        found = {ending: f"{folder}/claims.{ending}" for ending in TABLE_ENDINGS}
        return {**found, "parquet": f"{folder}/studies.parquet"} if paper else found

    @property
    def page(self) -> str:
        """The path of the page of results."""
        return f"{self.figures}/index.html"

    @property
    def index(self) -> str:
        """The path of the list of all figures."""
        return f"{self.figures}/README.md"

    def manifest(self, paper: str = "", group: str = "paper") -> str:
        """Return the path of the manifest of a paper's group, or of the verdicts of all papers."""
        return f"{self.figures}/{paper}/manifest{GROUPS[group]}.json".replace("//", "/")

    def manifest_of(self, paper: str, name: str) -> str:
        """Return the path of the manifest of one figure or table, or of the claims, made alone."""
        return f"{self.figures}/{paper}/{ALONE}{name}.json"

    @property
    def any_manifest(self) -> str:
        """The pattern of the manifests of papers, and of their parts made alone."""
        return f"{self.figures}/{{paper}}/{{manifest}}.json"

    # Records of jobs.

    def log(self, *parts: str) -> str:
        """Return the path of a job's log."""
        return f"{self.results}/logs/{'/'.join(parts)}.log"

    def benchmark(self, *parts: str) -> str:
        """Return where Snakemake records what a job took."""
        return f"{self.results}/benchmarks/{'/'.join(parts)}.tsv"

    def use(self, *parts: str) -> str:
        """Return where a job records what it used itself."""
        return f"{self.results}/benchmarks/{'/'.join(parts)}.json"


def shared_names(folder: Path) -> list[Path]:
    """Return what machines share of a results folder, relative to it: results, and data sets.

    Facts about data sets are left out: their last digits are a machine's, and they are soon made.
    """
    patterns = [f"{lane}/**/*.parquet" for lane in LANES]
    patterns += ["data/*.csv", "data/raw/*.parquet", "data/raw/*.json"]
    names = (path.relative_to(folder) for pattern in patterns for path in folder.glob(pattern))
    return sorted(
        name
        for name in names
        if parse_result(name) or (name.parts[0] == "data" and not name.match("*_facts.csv"))
    )
