"""`optimist reseal`: whether cells of other code are what today's code plays."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from optimist.core.errors import OptimistError
from optimist.core.files import locked
from optimist.core.user_errors import in_one_line
from optimist.experiments import cell_records, results
from optimist.experiments.cell import Cell
from optimist.experiments.cell_records import STUDY, CellRecord
from optimist.experiments.cell_trials import CellTrials, of_result
from optimist.experiments.trial_table import TrialTable
from optimist.experiments.trials import CellKey, Trials, run
from optimist.figures.studies import study_class
from optimist.figures.studies.tables import content

if TYPE_CHECKING:
    from optimist.plan.plan import Plan

# What is compared of a timed trial: times are of a machine and a moment.
COUNTS = ("selections", "agreements", "state_bytes")


@dataclass
class Summary:
    """What became of the cells and studies of a paper.

    Attributes
    ----------
    paper : str
    current, equal : int
        How many had today's digest before, and how many have it now.
    other : dict of str to str
        Why a cell has not, by its name.
    """

    paper: str
    current: int = 0
    equal: int = 0
    other: dict[str, str] = field(default_factory=dict)

    def in_words(self) -> str:
        """Return a sentence, and a line for each cell that is another one."""
        lines = [f"{self.paper}: {self.equal} equal, {self.current} of today before"]
        lines += [f"  {name}: {why}" for name, why in self.other.items()]
        return "\n".join(lines)


def reseal(
    plan: "Plan", paper: str, cores: int, report: Callable[[int, int], None] | None = None
) -> Summary:
    """Play one trial of each cell of other code, and give today's digest to those that are equal.

    The trial is drawn at random. Of the timing lane everything but times is compared. Studies are
    computed again. The old digest of a cell is kept in its record. Cells and studies whose observed
    files have changed are others, whatever one trial says.

    Parameters
    ----------
    plan : Plan
    paper : str
    cores : int
    report : callable or None
        Called with how many are done, and how many there are.
    """
    summary, records = Summary(paper), plan.committed(paper)
    path = plan.layout.trials(paper)
    table = TrialTable(path if Path(path).is_file() else None)
    jobs = [*_cells(plan, paper, records, table, summary), *_studies(plan, paper, records, summary)]
    equal: dict[CellKey, str] = {}
    with ProcessPoolExecutor(cores, get_context("spawn")) as pool:
        waiting = {pool.submit(*job): (key, digest) for key, digest, job in jobs}
        for done, future in enumerate(as_completed(waiting), 1):
            key, digest = waiting[future]
            try:
                fault = future.result()
            except Exception as error:  # one cell that fails stops no other
                fault = str(error) if isinstance(error, OptimistError) else in_one_line(error)
            if fault:
                summary.other["/".join(filter(None, key))] = fault
            else:
                equal[key] = digest
            if report is not None:
                report(done, len(jobs))
    path = plan.layout.cells(paper)
    with locked(Path(path).parent):
        plan.forget(paper)
        latest = dict(plan.committed(paper))
        for key, digest in equal.items():
            old, now = records[key], latest.get(key)
            was = now and (now.digest, now.content)
            if was == (old.digest, old.content):  # else published meanwhile
                latest[key] = replace(old, digest=digest, earlier=(*old.earlier, old.digest))
                summary.equal += 1
        cell_records.write(latest.values(), path)
    plan.forget(paper)
    return summary


Job = tuple[CellKey, str, tuple[Any, ...]]


def _cells(
    plan: "Plan",
    paper: str,
    records: Mapping[CellKey, CellRecord],
    table: TrialTable,
    summary: Summary,
) -> Iterator[Job]:
    for key, trials in plan.trials.of_paper(paper).items():
        record = records.get(key)
        known = table.recorded(*key)
        if record is None or known is None:
            summary.other["/".join(key)] = "not in the table"
            continue
        digest = plan.trials.digest(trials)
        if change := record.change:
            summary.other["/".join(key)] = change
            continue
        if record.digest == digest:
            summary.current += 1
            continue
        trial = random.SystemRandom().randrange(min(len(known), trials.stop))
        one = trials.part(trial, trial + 1)
        data = plan.layout.data_folder
        yield key, digest, (fault_of, one, known.take(np.array([trial])), data)


def _studies(
    plan: "Plan", paper: str, records: Mapping[CellKey, CellRecord], summary: Summary
) -> Iterator[Job]:
    for name in plan.studies.names(paper):
        key, digest = (STUDY, name, ""), plan.studies.digest(paper, name)
        if key not in records:
            summary.other[f"{STUDY}/{name}"] = "not in the tables"
        elif change := records[key].change:
            summary.other[f"{STUDY}/{name}"] = change
        elif records[key].digest == digest:
            summary.current += 1
        else:
            spec, data = plan.studies.spec(paper, name), plan.layout.data_folder
            yield key, digest, (fault_of_study, name, spec, records[key].content, data)


def fault_of(trials: Trials, known: CellTrials, data_dir: str) -> str:
    """Return how a trial differs from that of the table, empty if it does not.

    Parameters
    ----------
    trials : Trials
        Of one trial.
    known : CellTrials
        What the table has of it.
    data_dir : str
        Folder of the prepared data sets.
    """
    played = results.to_table(trials.cell, run(trials, data_dir))
    found = of_result(played, trials.lane, known.group)
    found = found.stored(known.rounds[0].tolist()).at_rounds(known.rounds)
    number = trials.first
    if found.status != known.status:
        return f"trial {number} ended {found.status[0]!r}, not {known.status[0]!r}"
    if found.instance != known.instance:
        return f"trial {number} met {found.instance[0]!r}, not {known.instance[0]!r}"
    names = {*known.ends, *known.at} if trials.lane == "regret" else {*COUNTS}
    for name in (name for name in known.ends if name in names):
        mine, theirs = found.ends.get(name, np.full(1, np.nan)), known.ends[name]
        if not np.array_equal(mine, theirs, equal_nan=True):
            return f"trial {number} has {name} {float(mine[0])!r}, not {float(theirs[0])!r}"
    for name in (name for name in known.at if name in names):
        (theirs,), (mine,) = known.at[name], found.at.get(name, known.at[name])
        for i in np.flatnonzero(~np.isnan(theirs) & (mine != theirs))[:1]:
            seen, t = f"{name} {float(mine[i])!r}", known.rounds[0][i]
            return f"trial {number} has {seen} at round {t}, not {float(theirs[i])!r}"
    return ""


def fault_of_study(name: str, spec: dict[str, Any], known: str, data_dir: str) -> str:
    """Return how a study differs from that of the tables, empty if it does not."""
    study = study_class(name)(spec["section"])
    if study.timed:
        return ""  # times are of a machine and a moment
    made: Sequence[Cell] = [Cell(**cell) for cell in spec["cells"]]
    tables = study.tabulate(made, spec["caps"], data_dir)
    return "" if content(tables) == known else "its tables have other numbers"
