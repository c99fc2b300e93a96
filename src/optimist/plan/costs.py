"""Measured time and memory of cells, used to request resources from a scheduler.

Each row of ``config/costs.csv`` describes a cell in one lane. It contains the number of rounds per
trial, the CPU time per trial in seconds (including job overhead), and the peak memory of the
process in MiB. A row with no setting or algorithm describes a whole study, named in the column
``lane``.
"""

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from optimist.core.errors import ConfigError
from optimist.core.files import read_text, write_text
from optimist.core.label import Label
from optimist.experiments.trials import Trials

# Time in seconds and memory in MiB assumed for unmeasured trials and studies.
UNKNOWN_SECONDS, UNKNOWN_MB = 60.0, 1000.0
UNKNOWN_STUDY = 600.0, 1000.0
# Memory in MiB of the two Snakemake processes that run in addition to a job's script on a cluster.
SNAKEMAKE_MB = 450
# Extra memory in MiB that libraries may use on a machine other than the measured one.
LIBRARIES_MB = 250
# Priority of jobs that other jobs wait for; higher than any value returned by `priority`.
FIRST = 10**6


@dataclass(frozen=True)
class Row:
    """Measured cost of a cell: CPU time of a trial with ``rounds`` rounds, and peak memory."""

    lane: str
    paper: str
    setting: str
    algorithm: str
    rounds: int
    cpu_seconds: float
    peak_mb: int


COLUMNS = tuple(field.name for field in fields(Row))


class Costs:
    """Expected costs of jobs, and the resources to request for them from a scheduler.

    Parameters
    ----------
    rows : list of Row
    memory_factor, time_factor : float
        Factors by which requests for memory and time are multiplied.
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
            name = row.paper, Label.parse(row.algorithm).name
            worst = self._names.get(name, row)
            slower = max(worst, row, key=lambda r: r.cpu_seconds / r.rounds)
            self._names[name] = replace(slower, peak_mb=max(worst.peak_mb, row.peak_mb))

    def _of(self, trials: Trials) -> Row | None:
        cell = trials.cell
        row = self._cells.get((trials.lane, cell.paper, *cell.labels))
        return row or self._names.get((cell.paper, cell.algorithm.name))

    def seconds(self, trials: Trials) -> float:
        """Return the expected CPU seconds of the given trials.

        An unmeasured cell is assumed to take as long per round as the slowest measured cell with
        the same algorithm in the same paper. If the trials have more rounds than the measured
        ones, their time is assumed to grow with the square of the number of rounds, because later
        rounds are slower.
        """
        row, number = self._of(trials), trials.stop - trials.first
        if row is None:
            return UNKNOWN_SECONDS * number
        ratio = rounds_of(trials) / row.rounds
        return row.cpu_seconds * number * ratio * max(1.0, ratio)

    def seconds_of_cell(self, paper: str, lane: str, setting: str, algorithm: str) -> float:
        """Return the measured CPU seconds per trial of a cell, or NaN if it was never measured."""
        row = self._cells.get((lane, paper, setting, algorithm))
        return math.nan if row is None else row.cpu_seconds

    def peak_mb(self, trials: Trials) -> float:
        """Return the expected peak memory of the given trials in MiB.

        If the trials have more rounds than the measured ones, their memory is assumed to grow in
        proportion to the number of rounds.
        """
        row = self._of(trials)
        if row is None:
            return UNKNOWN_MB
        return row.peak_mb * max(1.0, rounds_of(trials) / row.rounds)

    def study(self, name: str, paper: str) -> tuple[float, float]:
        """Return a study's expected time in seconds and expected peak memory in MiB."""
        row = self._studies.get((name, paper))
        return UNKNOWN_STUDY if row is None else (row.cpu_seconds, row.peak_mb)

    def request(self, expected: Callable[[Any], tuple[float, float]]) -> dict[str, object]:
        """Return the Snakemake resources to request for a rule's jobs.

        The request is 1.5 times the expected memory plus a margin for Snakemake and libraries, and
        four times the expected time plus five minutes. Each is then multiplied by its configured
        factor and by the attempt number.

        Parameters
        ----------
        expected : callable
            Maps the wildcards of a job to its expected time in seconds and peak memory in MiB.

        Returns
        -------
        dict
            Two functions of the wildcards and the attempt number: ``mem_mb`` returns the memory in
            MiB, and ``runtime`` the time in minutes.
        """

        def mem_mb(wildcards: Any, attempt: int) -> int:
            _, peak_mb = expected(wildcards)
            room = SNAKEMAKE_MB + LIBRARIES_MB
            return math.ceil(attempt * self._memory_factor * (room + 1.5 * peak_mb))

        def runtime(wildcards: Any, attempt: int) -> int:
            seconds, _ = expected(wildcards)
            return math.ceil(attempt * self._time_factor * (5 + 4 * seconds / 60))

        return {"mem_mb": mem_mb, "runtime": runtime}


def rounds_of(trials: Trials) -> int:
    """Return the number of rounds in each of the given trials."""
    horizon = trials.cell.setting.horizon
    return min(horizon, trials.rounds or horizon)


def read(path: str | Path) -> list[Row]:
    """Read a table of costs from a CSV file; return no rows if the file does not exist.

    Raises
    ------
    ConfigError
        If a row is invalid. The message gives the file, the line and the reason.
    """
    if not Path(path).exists():
        return []
    kinds, rows = get_type_hints(Row), []
    for number, line in enumerate(csv.DictReader(io.StringIO(read_text(path))), 2):
        try:
            row = Row(**{name: kind(line[name]) for name, kind in kinds.items()})
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(
                f"{path}, line {number}: {error}; allowed: valid values for {', '.join(COLUMNS)}"
            ) from None
        if row.rounds < 1 or row.peak_mb < 0 or not 0.0 <= row.cpu_seconds < math.inf:
            raise ConfigError(
                f"{path}, line {number}: rounds is {row.rounds}, cpu_seconds is "
                f"{row.cpu_seconds} and peak_mb is {row.peak_mb}; allowed: at least one round, and "
                "finite costs of at least 0"
            )
        rows.append(row)
    return rows


def priority(expected: tuple[float, float]) -> int:
    """Return a job's priority, given its expected time and memory; longer jobs start first."""
    seconds, _ = expected
    return min(round(seconds), FIRST - 1)


def update(rows: Iterable[Row], measured: Iterable[Row]) -> list[Row]:
    """Return the rows of a table in sorted order, with old measurements replaced by new ones.

    A measurement is ignored if it has fewer rounds than the existing row for the same cell.
    """
    latest = {(r.lane, r.paper, r.setting, r.algorithm): r for r in rows}
    for row in measured:
        key = row.lane, row.paper, row.setting, row.algorithm
        if key not in latest or row.rounds >= latest[key].rounds:
            latest[key] = row
    return [latest[key] for key in sorted(latest)]


def write(rows: Iterable[Row], path: str | Path) -> None:
    """Write a table of costs to a CSV file."""
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows([COLUMNS, *map(astuple, rows)])
    write_text(lines.getvalue(), path)
