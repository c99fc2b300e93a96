"""Read and write ``cells.csv``, which records the origin of the trials in a paper's cells."""

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

# Replaces the lane in the records of studies.
STUDY = "study"


@dataclass(frozen=True)
class CellRecord:
    """Origin of a cell's trials or of a study's tables.

    Attributes
    ----------
    lane, group, setting, algorithm : str
        For a study: `STUDY`, the study's group, its name and an empty string.
    trials : int
        Number of trials; the table contains trials 0, ..., trials - 1.
    parts : tuple of int
        Exclusive end of each job's range of trials.
    digest : str
        Digest of the configuration, code and data that determine each trial.
    content : str
        Digest of the cell's rows in the table of trials.
    observed : dict
        Inputs of the trials that no digest of code covers, such as users' files, in the form of
        `optimist.core.observation.Observer.record`.
    seconds, mb : float
        Processor time per trial, in seconds, and the largest peak memory of a job, in MiB.
    commit : str
        Commit of the code, with ``+`` if files differed from it; empty if unknown.
    made : str
        Package versions and machine; see `description`.
    earlier : tuple of str
        The most recent earlier values of ``digest``, from versions of the code that gave the same
        trials; see `optimist.plan.reseal`.
    """

    lane: str
    group: str
    setting: str
    algorithm: str
    trials: int
    parts: tuple[int, ...]
    digest: str
    content: str
    observed: observation.Inputs
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
    def is_clean(self) -> bool:
        """Whether no files differed from the commit."""
        return not self.commit.endswith("+")

    @property
    def short_commit(self) -> str:
        """The first digits of the commit, with ``+`` if files differed from it."""
        return f"{self.commit[:10]}{'' if self.is_clean else '+'}" if self.commit else "unknown"

    def is_of(self, digest: str) -> bool:
        """Return whether the trials are up to date, given the current digest from `digest_of`."""
        return self.digest == digest and self.change is None

    def fits(self, rows: CellTrials | None) -> bool:
        """Return whether the record describes these rows of the table of trials."""
        return rows is not None and rows.content == self.content

    @property
    def change(self) -> str | None:
        """Description of the first observed input that changed, or None."""
        return observation.first_change(self.observed) if self.observed else None


COLUMNS = tuple(field.name for field in fields(CellRecord))


def digest_of(trials: Trials, data: Callable[[str], str]) -> str:
    """Return the digest of the configuration, code and data that determine a cell's trials.

    Parameters
    ----------
    trials : Trials
    data : callable
        Returns the digest of a data set's sources, given its name.
    """
    name = trials.cell.setting.dataset
    return fingerprint(trials.decisive() | ({"data": data(name)} if name else {}))


def description(made: Mapping[str, Any]) -> str:
    """Describe the versions and machine in a record from `optimist.core.provenance.collect`."""
    packages = [f"{name} {version}" for name, version in made["packages"].items() if version]
    cpu, system = made["machine"]["cpu"], made["machine"]["system"]
    return "; ".join([f"Python {made['python']}", *packages, cpu, system])


def commit_of(made: Mapping[str, Any]) -> str:
    """Return the commit in a provenance record, with ``+`` if files differed from it."""
    return f"{made['commit']}{'+' if made['dirty'] else ''}" if made["commit"] else ""


def read(path: str | Path) -> dict[CellKey, CellRecord]:
    """Return the records in a table, by cell, or an empty dict if the file does not exist.

    Raises
    ------
    ResultError
        If a line is malformed; the message gives the file, the line and the remedy.
    """
    if not Path(path).is_file():
        return {}
    records = {}
    lines = csv.DictReader(io.StringIO(read_text(path)))
    for number, line in enumerate(lines, 2):
        try:
            record = _record(line)
            if record.key in records:
                raise ValueError(f"{'/'.join(record.key)} is repeated")
        except (KeyError, TypeError, ValueError) as error:
            raise ResultError(
                f"{path}, line {number} is not a record of a cell ({error}); "
                f"{how_to_restore(path, AGAIN)}"
            ) from None
        records[record.key] = record
    return records


def misfits(records: Mapping[CellKey, CellRecord], table: str | Path) -> set[CellKey]:
    """Return the cells whose rows in a table of trials differ from their records.

    Raises
    ------
    ResultError
        If the table is missing or damaged although there are records of trials.
    """
    of_trials = {key: record for key, record in records.items() if key[0] != STUDY}
    rows = TrialTable(table if of_trials else None)
    return {key for key, record in of_trials.items() if not record.fits(rows.recorded(*key))}


def _record(line: Mapping[str, str]) -> CellRecord:
    values: dict[str, Any] = {name: line[name] for name in COLUMNS}
    if None in values.values():
        raise ValueError("the line is cut off")
    values["trials"] = int(values["trials"])
    values["parts"] = tuple(map(int, values["parts"].split()))
    values["earlier"] = tuple(values["earlier"].split())
    values["observed"] = json.loads(values["observed"] or "{}")
    values |= {name: float(values[name] or "nan") for name in ("seconds", "mb")}
    return CellRecord(**values)


def write(records: Iterable[CellRecord], path: str | Path) -> None:
    """Write records to a table, sorted by cell."""
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
