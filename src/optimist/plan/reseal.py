"""The command `optimist reseal`, which checks whether the current code reproduces older results."""

import random
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from optimist.core import provenance
from optimist.core.errors import OptimistError
from optimist.core.files import locked
from optimist.core.user_errors import in_one_line
from optimist.experiments import cell_records, results
from optimist.experiments.cell import Cell
from optimist.experiments.cell_records import STUDY, CellRecord
from optimist.experiments.cell_trials import FEW, CellTrials, of_result
from optimist.experiments.loop import checkpoints
from optimist.experiments.trials import CellKey, Trials, run
from optimist.figures.studies import study_class, table_names, tables

if TYPE_CHECKING:
    from optimist.plan.plan import Plan

# Columns of a timed trial that are compared. Times are not compared, because they vary from run to
# run.
COUNTS = ("selections", "agreements", "state_bytes")
# Maximum number of digests of earlier code that a record keeps.
EARLIER = 3


@dataclass
class Summary:
    """Outcome of resealing the cells and studies of a paper.

    Attributes
    ----------
    paper : str
    current, equal : int
        Number of cells and studies that already had the current digest, and number that received
        it.
    other : dict of str to str
        Why each other cell or study did not receive the current digest, by name.
    """

    paper: str
    current: int = 0
    equal: int = 0
    other: dict[str, str] = field(default_factory=dict)

    def in_words(self) -> str:
        """Return a summary line, followed by one line for each entry of ``other``."""
        lines = [f"{self.paper}: {self.equal} reproduced, {self.current} already up to date"]
        lines += [f"  {name}: {why}" for name, why in self.other.items()]
        return "\n".join(lines)


def reseal(
    plan: "Plan", paper: str, cores: int, report: Callable[[int, int], None] | None = None
) -> Summary:
    """Replay one trial of each cell that other code produced, and compare the results.

    The trial is chosen at random. Studies are computed again in full. In the timing lane and in
    timed studies, everything except times is compared. A cell whose trial is reproduced gets the
    current digest, and its record also keeps the old one. Cells and studies whose observed files
    have changed are reported as different and are not played.

    A record whose commit had uncommitted changes names no code that can be checked out. If the
    checkout has none, such a cell or study is replayed too, and its record gets the current commit.

    Parameters
    ----------
    plan : Plan
    paper : str
    cores : int
    report : callable or None
        Called with the number of finished jobs and the total number of jobs.
    """
    summary, records = Summary(paper), plan.committed(paper)
    jobs = [*_cells(plan, paper, records, summary), *_studies(plan, paper, records, summary)]
    equal: dict[CellKey, str] = {}
    try:
        with ProcessPoolExecutor(cores, get_context("spawn")) as pool:
            waiting = {pool.submit(*job): (key, digest) for key, digest, job in jobs}
            try:
                for done, future in enumerate(as_completed(waiting), 1):
                    key, digest = waiting[future]
                    try:
                        fault = future.result()
                    except Exception as error:  # one failing cell must not stop the others
                        is_ours = isinstance(error, OptimistError)
                        fault = str(error) if is_ours else in_one_line(error)
                    if fault:
                        summary.other[_name(key)] = fault
                    else:
                        equal[key] = digest
                    if report is not None:
                        report(done, len(jobs))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        if equal:
            _seal(plan, paper, records, equal, summary)
    return summary


def _seal(
    plan: "Plan",
    paper: str,
    records: Mapping[CellKey, CellRecord],
    equal: Mapping[CellKey, str],
    summary: Summary,
) -> None:
    """Write the current digests into records that have not changed since the comparison."""
    path = plan.layout.cells(paper)
    with locked(Path(path).parent):
        latest = cell_records.read(path)
        for key, digest in equal.items():
            old, now = records[key], latest.get(key)
            if now is None or (now.digest, now.content) != (old.digest, old.content):
                summary.other[_name(key)] = "published meanwhile, and not compared"
                continue
            if now.digest != digest:
                now = replace(now, digest=digest, earlier=(*now.earlier, now.digest)[-EARLIER:])
            latest[key] = replace(now, commit=_clean_commit() if _is_unclean(now) else now.commit)
            summary.equal += 1
        if summary.equal:
            cell_records.write(latest.values(), path)
    plan.forget(paper)


def _clean_commit() -> str:
    """Return the commit of the checkout, or "" if it is unknown or files differ from it."""
    commit = cell_records.commit_of(provenance.collect())
    return "" if commit.endswith("+") else commit


def _is_unclean(record: CellRecord) -> bool:
    """Return whether a record needs a commit without changes, and the checkout has one."""
    return not record.is_clean and bool(_clean_commit())


def _name(key: CellKey) -> str:
    return "/".join(filter(None, key))


Job = tuple[CellKey, str, tuple[Any, ...]]


def _cells(
    plan: "Plan", paper: str, records: Mapping[CellKey, CellRecord], summary: Summary
) -> Iterator[Job]:
    table = plan.table(paper)
    for key, trials in plan.trials.of_paper(paper).items():
        record = records.get(key)
        stored = table.recorded(*key)
        digest = plan.trials.digest(trials)
        if record is None or stored is None:
            summary.other[_name(key)] = "not in the table"
        elif not record.fits(stored):
            summary.other[_name(key)] = "its rows in the table do not match its record"
        elif change := record.change:
            summary.other[_name(key)] = change
        elif record.digest == digest and not _is_unclean(record):
            summary.current += 1
        else:
            trial = random.SystemRandom().randrange(min(len(stored), trials.stop))
            one = trials.part(trial, trial + 1)
            yield key, digest, (fault_of, one, stored, plan.layout.data_folder)


def _studies(
    plan: "Plan", paper: str, records: Mapping[CellKey, CellRecord], summary: Summary
) -> Iterator[Job]:
    for name in plan.studies.names(paper):
        key, digest = (STUDY, name, ""), plan.studies.digest(paper, name)
        if key not in records:
            summary.other[f"{STUDY}/{name}"] = "not in the tables"
        elif change := records[key].change:
            summary.other[f"{STUDY}/{name}"] = change
        elif records[key].digest == digest and not _is_unclean(records[key]):
            summary.current += 1
        else:
            places = plan.layout.studies(paper), plan.layout.data_folder
            job = (fault_of_study, name, plan.studies.spec(paper, name), records[key].content)
            yield key, digest, (*job, *places)


def fault_of(trials: Trials, cell: CellTrials, data_dir: str) -> str:
    """Describe how a replayed trial differs from the table; return "" if it does not.

    Parameters
    ----------
    trials : Trials
        A single trial.
    cell : CellTrials
        All trials of the same cell in the table.
    data_dir : str
        Folder of the prepared data sets.
    """
    number, stored = trials.first, cell.take(np.array([trials.first]))
    table = results.to_table(trials.cell, run(trials, data_dir))
    played = of_result(table, trials.lane, cell.group)
    if played.status != stored.status:
        return f"trial {number} ended {played.status[0]!r}, not {stored.status[0]!r}"
    if played.instance != stored.instance:
        return f"trial {number} met {played.instance[0]!r}, not {stored.instance[0]!r}"
    names = {*cell.ends, *cell.at} if trials.lane == "regret" else {*COUNTS}
    for name in (name for name in stored.ends if name in names):
        mine, theirs = played.ends.get(name, np.full(1, np.nan)), stored.ends[name]
        if not np.array_equal(mine, theirs, equal_nan=True):
            return f"trial {number} has {name} {float(mine[0])!r}, not {float(theirs[0])!r}"
    if trials.lane == "regret" and (more := [n for n in played.ends if n not in stored.ends]):
        return f"trial {number} has {more[0]}, which the table lacks"
    return _fault_of_curve(trials, played, stored, names, _precision(trials, cell))


def _fault_of_curve(
    trials: Trials, played: CellTrials, stored: CellTrials, names: Collection[str], kind: type
) -> str:
    """Describe how a trial differs in the stored rounds, after rounding to the type ``kind``."""
    number, (rounds,), (recorded,) = trials.first, stored.rounds, played.rounds
    if rounds[-1:].tolist() != recorded[-1:].tolist() or not np.isin(rounds, recorded).all():
        return f"trial {number} has different rounds from the table"
    played = played.at_rounds(stored.rounds)
    for name in (name for name in stored.at if name in names):
        (theirs,), (mine,) = stored.at[name], played.at.get(name, stored.at[name])
        is_other = mine.astype(kind) != theirs.astype(kind)
        for i in np.flatnonzero(~np.isnan(theirs) & is_other)[:1]:
            seen, t = f"{name} {float(mine[i])!r}", rounds[i]
            return f"trial {number} has {seen} at round {t}, not {float(theirs[i])!r}"
    return ""


def _precision(trials: Trials, cell: CellTrials) -> type:
    """Return the data type in which the table stores a cell's values at each round."""
    last = max((rounds[-1] for rounds in cell.rounds if len(rounds)), default=0)
    recorded = bisect_right(checkpoints(trials.cell.setting.horizon, trials.rounds), last)
    return float if trials.lane == "regret" and recorded <= FEW else np.float32


def fault_of_study(
    name: str, spec: dict[str, Any], recorded: str, table: str, data_dir: str
) -> str:
    """Describe how a recomputed study differs from its tables; return "" if it does not.

    In a timed study, columns of seconds are not compared.

    Parameters
    ----------
    name : str
    spec : dict
        Specification of the study from `optimist.plan.studies.PlannedStudies.spec`.
    recorded : str
        Digest of the study's tables in its record.
    table : str
        Path of the file with the tables of all the paper's studies.
    data_dir : str
        Folder of the prepared data sets.
    """
    study = study_class(name)(spec["section"], spec["caps"], data_dir)
    committed = tables.read(table)[0]
    stored = {one: committed[one] for one in table_names()[name] if one in committed}
    if tables.content(stored) != recorded:
        return "its tables do not match its record"
    made = study.tabulate([*map(Cell.restore, spec["cells"])])
    if study.timed:  # times vary from run to run
        stored, made = (
            {one: frame.drop(columns="seconds", errors="ignore") for one, frame in each.items()}
            for each in (stored, made)
        )
    return "" if tables.content(made) == tables.content(stored) else "its numbers differ"
