"""What cells cost: measured time and memory, from which jobs ask a scheduler for enough.

``config/costs.csv`` has one row per lane and cell: rounds of a trial, seconds of a trial with all
that its job does beside it, and the largest memory of the process in MiB. Rows without setting and
algorithm are whole jobs of the rule that stands for the lane, for studies. `collect` makes the
first from result files, `read_benchmark` the second from Snakemake's benchmark files.
"""

import csv
import math
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

from optimist.algorithms import parse_label
from optimist.errors import ConfigError

# A trial of which nothing is known, and a study.
UNKNOWN_SECONDS, UNKNOWN_MB = 60.0, 1000.0
UNKNOWN_STUDY_SECONDS, UNKNOWN_STUDY_MB = 600.0, 2000.0


def memory_to_ask(peak_mb, attempt=1):
    """Return the MiB that a job asks for: half more than measured, more at each new attempt."""
    return math.ceil(attempt * (100 + 1.5 * peak_mb))


def minutes_to_ask(seconds, attempt=1):
    """Return the minutes that a job asks for: four times what was measured, and five."""
    return math.ceil(attempt * (5 + 4 * seconds / 60))


@dataclass(frozen=True)
class Row:
    """Measured cost of a cell: seconds per trial of so many rounds, and memory in MiB."""

    lane: str
    paper: str
    setting: str
    algorithm: str
    rounds: int
    seconds: float
    peak_mb: float


class Costs:
    """Expected costs of jobs.

    Parameters
    ----------
    rows : list of Row
    """

    def __init__(self, rows):
        self._cells = {}
        self._names = {}
        self._studies = {(r.lane, r.paper): r for r in rows if not r.algorithm}
        for row in (r for r in rows if r.algorithm):
            self._cells[row.lane, row.paper, row.setting, row.algorithm] = row
            name = row.paper, parse_label(row.algorithm)[0]
            worst = self._names.get(name, row)
            slower = max(worst, row, key=lambda r: r.seconds / r.rounds)
            self._names[name] = replace(slower, peak_mb=max(worst.peak_mb, row.peak_mb))

    @classmethod
    def read(cls, path):
        """Return the costs of a table as CSV; none if there is no such file.

        Raises
        ------
        ConfigError
            Naming the file, the row and what is wrong with it.
        """
        if not Path(path).exists():
            return cls([])
        with open(path, newline="") as file:
            return cls(
                [_row(path, number, line) for number, line in enumerate(csv.DictReader(file), 2)]
            )

    def _of(self, job):
        cell = job.cell
        own = self._cells.get((job.lane, cell.paper, cell.setting, cell.algorithm))
        return own or self._names.get((cell.paper, parse_label(cell.algorithm)[0]))

    def seconds(self, job):
        """Return the expected seconds of a job: those of the cell or, for a cell that was never
        measured, of the slowest cell of its algorithm in the paper, by round."""
        found = self._of(job)
        trials = job.stop - job.first
        if found is None:
            return UNKNOWN_SECONDS * trials
        rounds = min(job.cell.spec["horizon"], job.rounds or job.cell.spec["horizon"])
        return found.seconds * trials * rounds / found.rounds

    def peak_mb(self, job):
        """Return the expected memory of a job's process in MiB."""
        found = self._of(job)
        return UNKNOWN_MB if found is None else found.peak_mb

    def study(self, name, paper):
        """Return the seconds of a paper's study, and its memory in MiB."""
        found = self._studies.get((name, paper))
        if found is None:
            return UNKNOWN_STUDY_SECONDS, UNKNOWN_STUDY_MB
        return found.seconds, found.peak_mb


def _row(path, number, line):
    try:
        return Row(**{field.name: field.type(line[field.name]) for field in fields(Row)})
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(
            f"{path}, line {number}: {error}; allowed: {', '.join(f.name for f in fields(Row))}"
        ) from None


def collect(descriptions):
    """Return the rows of a table from pairs of job and ``use`` (see `optimist.jobs`), sorted.

    A cell in several files has the mean of their seconds by trial, and the largest memory.
    """
    found = {}
    for job, use in descriptions:
        cell = job.cell
        key = job.lane, cell.paper, cell.setting, cell.algorithm
        rounds = min(cell.spec["horizon"], job.rounds or cell.spec["horizon"])
        trials, seconds, peak = found.get((*key, rounds), (0, 0.0, 0.0))
        found[*key, rounds] = (
            trials + job.stop - job.first,
            seconds + use["seconds"],
            max(peak, use["peak_mb"] or 0.0),
        )
    return [
        Row(*key, round(seconds / trials, 3), round(peak))
        for key, (trials, seconds, peak) in sorted(found.items())
    ]


def read_benchmark(path, study, paper):
    """Return the row of a study from the file in which Snakemake recorded its job."""
    with open(path, newline="") as file:
        last = list(csv.DictReader(file, delimiter="\t"))[-1]
    # A job too short to be looked at has no memory there.
    peak = 0.0 if last["max_rss"] in ("-", "NA") else float(last["max_rss"])
    return Row(study, paper, "", "", 1, round(float(last["s"]), 3), round(peak))


def write(rows, path):
    """Write a table of costs as CSV."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Row)])
        writer.writerows(map(astuple, rows))
