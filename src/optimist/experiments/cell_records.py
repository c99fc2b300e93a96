"""The table ``cells.csv`` of a paper: origin of the trials of each cell."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from optimist.core import observation
from optimist.core.errors import ResultError
from optimist.core.files import fingerprint, read_text, write_text
from optimist.core.root import how_to_restore
from optimist.experiments.cell_trials import CellTrials
from optimist.experiments.trial_table import AGAIN, TrialTable
from optimist.experiments.trials import CellKey, Trials

# In place of the lane of a cell, in the records of studies.
STUDY = "study"


@dataclass(frozen=True)
class CellRecord:
    """Origin of the trials of a cell, or of the tables of a study.

    Attributes
    ----------
    lane, group, setting, algorithm : str
        For a study: `STUDY`, its group, its name and an empty text.
    trials : int
        Trials 0, ..., trials - 1 are in the table.
    parts : tuple of int
        Ends of the ranges of trials that jobs played.
    digest : str
        Digest of the configuration, code and data that decide each trial.
    content : str
        Digest of the rows in the table of trials.
    observed : dict
        Modules and files of users behind the trials, which no digest of code covers, see
        `optimist.core.observation`.
    seconds, mb : float
        Processor seconds of a trial, and the memory of its job in MiB.
    commit : str
        Commit of the code, with ``+`` for changes; empty if unknown.
    made : str
        Versions and machine, see `description`.
    earlier : tuple of str
        Digests of earlier code with the same trials (`optimist.plan.reseal`).
    """

    lane: str
    group: str
    setting: str
    algorithm: str
    trials: int
    parts: tuple[int, ...]
    digest: str
    content: str
    observed: dict[str, Any]
    seconds: float
    mb: float
    commit: str
    made: str
    earlier: tuple[str, ...] = ()

    @property
    def key(self) -> CellKey:
        """Lane, setting and algorithm."""
        return self.lane, self.setting, self.algorithm

    @property
    def short_commit(self) -> str:
        """The first digits of the commit, with its plus."""
        return f"{self.commit[:10]}{'+' * self.commit.endswith('+')}" if self.commit else "unknown"

    def is_of(self, digest: str) -> bool:
        """Return whether trials with a current digest, from `digest_of`, would be the same."""
        return self.digest == digest and self.change is None

    def fits(self, rows: CellTrials | None) -> bool:
        """Return whether the record describes these rows of the table of trials."""
        return rows is not None and rows.content == self.content

    @property
    def change(self) -> str | None:
        """The observed module or file that changed, in words, or None."""
        return observation.first_change(self.observed) if self.observed else None


COLUMNS = tuple(field.name for field in fields(CellRecord))


def digest_of(trials: Trials, data: Callable[[str], str]) -> str:
    """Return the digest of the configuration, code and data that decide each trial of a cell.

    Parameters
    ----------
    trials : Trials
    data : callable
        Maps the name of a data set to a digest of its sources.
    """
    name = trials.cell.spec.get("dataset")
    return fingerprint(trials.decisive() | ({} if name is None else {"data": data(name)}))


def description(made: Mapping[str, Any]) -> str:
    """Return versions and machine from a record of `optimist.core.provenance.collect`."""
    packages = [f"{name} {version}" for name, version in made["packages"].items() if version]
    cpu, system = made["machine"]["cpu"], made["machine"]["system"]
    return "; ".join([f"Python {made['python']}", *packages, cpu, system])


def commit_of(made: Mapping[str, Any]) -> str:
    """Return the commit of a record of provenance, with a plus if there were changes."""
    return f"{made['commit']}{'+' if made['dirty'] else ''}" if made["commit"] else ""


def read(path: str | Path) -> dict[CellKey, CellRecord]:
    """Return the records of a table by cell, empty without such a file.

    Raises
    ------
    ResultError
        With the file, the line and the remedy.
    """
    if not Path(path).is_file():
        return {}
    records = {}
    lines = csv.DictReader(io.StringIO(read_text(path)))
    for number, line in enumerate(lines, 2):
        try:
            record = _record(line)
            if record.key in records:
                raise ValueError(f"{'/'.join(record.key)} again")
        except (KeyError, TypeError, ValueError) as error:
            raise ResultError(
                f"{path}, line {number} is no record of a cell ({error}); "
                f"{how_to_restore(path, AGAIN)}"
            ) from None
        records[record.key] = record
    return records


def misfits(records: Mapping[CellKey, CellRecord], table: str | Path) -> set[CellKey]:
    """Return the cells whose rows in a table of trials differ from their records.

    Raises
    ------
    ResultError
        If there are records of trials, and the table is absent or damaged.
    """
    of_trials = {key: record for key, record in records.items() if key[0] != STUDY}
    rows = TrialTable(table if of_trials else None)
    return {key for key, record in of_trials.items() if not record.fits(rows.recorded(*key))}


def _record(line: Mapping[str, str]) -> CellRecord:
    values: dict[str, Any] = {name: line[name] for name in COLUMNS}
    if None in values.values():
        raise ValueError("it is cut off")
    values["trials"] = int(values["trials"])
    values["parts"] = tuple(map(int, values["parts"].split()))
    values["earlier"] = tuple(values["earlier"].split())
    values["observed"] = json.loads(values["observed"] or "{}")
    values |= {name: float(values[name] or "nan") for name in ("seconds", "mb")}
    return CellRecord(**values)


def write(records: Iterable[CellRecord], path: str | Path) -> None:
    """Write a table of records, sorted by cell."""
    lines = io.StringIO()
    writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for record in sorted(records, key=lambda record: record.key):
        row = asdict(record)
        row |= {"parts": " ".join(map(str, record.parts)), "earlier": " ".join(record.earlier)}
        row["observed"] = json.dumps(record.observed, sort_keys=True) if record.observed else ""
        row |= {
            name: f"{row[name]:.4g}" if row[name] == row[name] else "" for name in ("seconds", "mb")
        }
        writer.writerow(row)
    write_text(lines.getvalue(), path)
