"""What cells cost: measured time and memory, from which jobs ask a scheduler for enough.

``config/costs.csv`` has one row per lane and cell: rounds of a trial, processor seconds of a trial
with all that its job does beside it, and the largest memory of the process in MiB. Rows without
setting and algorithm are whole jobs of the rule that stands for the lane, for studies. `collect`
makes the first from result files, `of_study` the second from the files of studies.
"""

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from optimist.core.errors import ConfigError
from optimist.core.files import read_text, write_text
from optimist.core.label import name_of
from optimist.experiments.trials import Trials

# Seconds and MiB of a trial of which nothing is known, and of a study.
UNKNOWN_SECONDS, UNKNOWN_MB = 60.0, 1000.0
UNKNOWN_STUDY = 600.0, 1000.0
# On a cluster Snakemake runs twice beside the script of a job: what both take, in MiB. And by how
# much the same libraries may take more on another machine than on that which was measured.
SNAKEMAKE_MB = 450
LIBRARIES_MB = 250
# Before all jobs that are ordered by what they should take: others wait for these.
FIRST = 10**6


@dataclass(frozen=True)
class Row:
    """Measured cost of a cell: processor seconds of a trial of so many rounds, memory in MiB."""

    lane: str
    paper: str
    setting: str
    algorithm: str
    rounds: int
    cpu_seconds: float
    peak_mb: int


COLUMNS = tuple(field.name for field in fields(Row))


class Costs:
    """Expected costs of jobs, and what they ask a scheduler for.

    Parameters
    ----------
    rows : list of Row
    memory_factor, time_factor : float
        By how much more is asked for than usual.
    """

    def __init__(
        self, rows: Sequence[Row], *, memory_factor: float = 1.0, time_factor: float = 1.0
    ) -> None:
        self._memory_factor, self._time_factor = memory_factor, time_factor
        self._cells: dict[tuple[str, str, str, str], Row] = {}
        self._names: dict[tuple[str, str], Row] = {}
        self._studies = {(r.lane, r.paper): r for r in rows if not r.algorithm}
        for row in (r for r in rows if r.algorithm):
            self._cells[row.lane, row.paper, row.setting, row.algorithm] = row
            name = row.paper, name_of(row.algorithm)
            worst = self._names.get(name, row)
            slower = max(worst, row, key=lambda r: r.cpu_seconds / r.rounds)
            self._names[name] = replace(slower, peak_mb=max(worst.peak_mb, row.peak_mb))

    def _of(self, trials: Trials) -> Row | None:
        cell = trials.cell
        own = self._cells.get((trials.lane, cell.paper, cell.setting, cell.algorithm))
        return own or self._names.get((cell.paper, name_of(cell.algorithm)))

    def seconds(self, trials: Trials) -> float:
        """Return the expected seconds of some trials: those of the cell or, for a cell that was
        never measured, of the slowest cell of its algorithm in the paper, by round.

        A longer horizon than was measured counts twice, as rounds get slower with what they know.
        """
        found = self._of(trials)
        number = trials.stop - trials.first
        if found is None:
            return UNKNOWN_SECONDS * number
        ratio = _rounds(trials) / found.rounds
        return found.cpu_seconds * number * ratio * max(1.0, ratio)

    def seconds_of_cell(self, paper: str, lane: str, setting: str, algorithm: str) -> float:
        """Return the seconds of a trial of a cell as it was measured, nan if it never was."""
        found = self._cells.get((lane, paper, setting, algorithm))
        return math.nan if found is None else found.cpu_seconds

    def peak_mb(self, trials: Trials) -> float:
        """Return the expected memory of a process in MiB, more for a longer horizon."""
        found = self._of(trials)
        if found is None:
            return UNKNOWN_MB
        return found.peak_mb * max(1.0, _rounds(trials) / found.rounds)

    def study(self, name: str, paper: str) -> tuple[float, float]:
        """Return the seconds of a paper's study, and its memory in MiB."""
        found = self._studies.get((name, paper))
        return UNKNOWN_STUDY if found is None else (found.cpu_seconds, found.peak_mb)

    def request(self, expected: Callable[[Any], tuple[float, float]]) -> dict[str, Any]:
        """Return the resources of a rule, for Snakemake: what its jobs ask a scheduler for.

        That is half more memory than expected with room for Snakemake and other libraries, and
        four times as long and five minutes; more at each attempt.

        Parameters
        ----------
        expected : callable
            From a job's wildcards to its seconds and its memory in MiB.

        Returns
        -------
        dict
            Functions of wildcards and attempt: ``mem_mb`` in MiB, ``runtime`` in minutes.
        """

        def mem_mb(wildcards: Any, attempt: int) -> int:
            _, peak_mb = expected(wildcards)
            room = SNAKEMAKE_MB + LIBRARIES_MB
            return math.ceil(attempt * self._memory_factor * (room + 1.5 * peak_mb))

        def runtime(wildcards: Any, attempt: int) -> int:
            seconds, _ = expected(wildcards)
            return math.ceil(attempt * self._time_factor * (5 + 4 * seconds / 60))

        return {"mem_mb": mem_mb, "runtime": runtime}


def _rounds(trials: Trials) -> int:
    horizon = int(trials.cell.spec["horizon"])
    return min(horizon, trials.rounds or horizon)


def read(path: str | Path) -> list[Row]:
    """Return the rows of a table as CSV; none if there is no such file.

    Raises
    ------
    ConfigError
        Naming the file, the row and what is wrong with it.
    """
    if not Path(path).exists():
        return []
    lines = csv.DictReader(io.StringIO(read_text(path)))
    try:
        return [_row(path, number, line) for number, line in enumerate(lines, 2)]
    except csv.Error as error:
        raise ConfigError(f"{path} is no table: {error}") from None


def _row(path: str | Path, number: int, line: dict[str, Any]) -> Row:
    try:
        values = {name: read_as(line[name]) for name, read_as in get_type_hints(Row).items()}
        row = Row(**values)
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(
            f"{path}, line {number}: {error}; allowed: {', '.join(COLUMNS)}"
        ) from None
    if row.rounds < 1 or row.peak_mb < 0 or not 0.0 <= row.cpu_seconds < math.inf:
        raise ConfigError(
            f"{path}, line {number}: rounds {row.rounds}, cpu_seconds {row.cpu_seconds}, peak_mb "
            f"{row.peak_mb}; allowed: at least one round, and no negative number"
        )
    return row


def collect(used: Iterable[tuple[Trials, Mapping[str, Any]]]) -> list[Row]:
    """Return the rows of a table, sorted, from pairs of trials and what they used.

    The second is ``use`` of the metadata that `optimist.experiments.job` writes. A cell in several
    files has the mean of their seconds by trial, and the largest memory.
    """
    found: dict[tuple[str, str, str, str, int], tuple[int, float, float]] = {}
    for trials, use in used:
        cell = trials.cell
        key = trials.lane, cell.paper, cell.setting, cell.algorithm, _rounds(trials)
        number, seconds, peak = found.get(key, (0, 0.0, 0.0))
        found[key] = (
            number + trials.stop - trials.first,
            seconds + use["cpu_seconds"],
            max(peak, use["peak_mb"] or 0.0),
        )
    return [
        Row(*key, round(seconds / number, 3), round(peak))
        for key, (number, seconds, peak) in sorted(found.items())
    ]


def of_study(use: Mapping[str, Any], study: str, paper: str) -> Row:
    """Return the row of a study from ``use`` of what its file says of how it was made."""
    return Row(study, paper, "", "", 1, round(use["cpu_seconds"], 3), round(use["peak_mb"] or 0))


def priority(expected: tuple[float, float]) -> int:
    """Return the priority of a job, from its seconds and memory: the longest is started first."""
    seconds, _ = expected
    return min(round(seconds), FIRST - 1)


def update(rows: Iterable[Row], measured: Iterable[Row]) -> list[Row]:
    """Return the rows of a table, sorted, with those measured anew in the place of older ones.

    Measurements of fewer rounds than are known tell less, and are left out.
    """
    known = {(r.lane, r.paper, r.setting, r.algorithm): r for r in rows}
    for row in measured:
        key = row.lane, row.paper, row.setting, row.algorithm
        if key not in known or row.rounds >= known[key].rounds:
            known[key] = row
    return [known[key] for key in sorted(known)]


def write(rows: Iterable[Row], path: str | Path) -> None:
    """Write a table of costs as CSV."""
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows([COLUMNS, *map(astuple, rows)])
    write_text(lines.getvalue(), path)
