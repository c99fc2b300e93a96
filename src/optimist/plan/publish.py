"""Publication of results: copying the contents of result files into a paper's committed tables."""

import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from optimist.core.errors import ResultError
from optimist.core.files import locked, write_atomically
from optimist.core.layout import parse_result
from optimist.core.observation import Inputs
from optimist.experiments import cell_records, results, trial_table
from optimist.experiments.cell_records import STUDY, CellRecord
from optimist.experiments.cell_trials import CellTrials, following, read_cell
from optimist.experiments.trials import CellKey, Trials
from optimist.figures.studies import table_names
from optimist.figures.studies import tables as study_tables
from optimist.plan.trials import tiling

if TYPE_CHECKING:
    import pandas as pd

    from optimist.experiments.trial_table import TrialTable
    from optimist.plan.plan import Plan

# Maximum size of a result file in bytes.
MOST_BYTES = 2**30


@dataclass
class Summary:
    """Outcome of publishing the cells and studies of a paper.

    Attributes
    ----------
    paper : str
    published, kept : int
        Number of cells and studies published from new result files, and number left unchanged
        because the current code produced them.
    missing, stale : list of str
        Cells and studies with no results, and those whose rows other code produced.
    partial : list of str
        Timed cells that were not updated, because their race has more cells in the table than in
        this run.
    unused : list of str
        Result files of the current code that were not used, because no job has their range of
        trials.
    dropped : list of str
        Cells removed from the table because the configuration does not request them.
    """

    paper: str
    published: int = 0
    kept: int = 0
    missing: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    partial: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)

    def count(self, name: str, *, is_there: bool, is_today: bool) -> None:
        """Count a cell or study that no new result file replaces."""
        if not is_there:
            self.missing.append(name)
        elif is_today:
            self.kept += 1
        else:
            self.stale.append(name)

    def in_words(self) -> str:
        """Return a summary line, followed by one line for each list that is not empty."""
        lines = [f"{self.paper}: {self.published} from results, {self.kept} kept"]
        for names, words in (
            (self.missing, "missing"),
            (self.stale, "of other code"),
            (self.partial, "kept, because the table has more cells of their race"),
            (self.unused, "not used, because no job has their range of trials"),
            (self.dropped, "removed, because the configuration does not request them"),
        ):
            if names:
                lines.append(f"  {words}: {len(names)}: {', '.join(names[:8])}")
                lines[-1] += ", ..." if len(names) > 8 else ""
        return "\n".join(lines)


def publish(plan: "Plan", paper: str, folders: Sequence[str | Path] = ()) -> Summary:
    """Put a paper's results into its tables; cells without new results keep their rows.

    Parameters
    ----------
    plan : Plan
    paper : str
    folders : sequence of path
        Additional results folders, such as those from other machines. The files needed by the plan
        are first copied from them.

    Raises
    ------
    ResultError
        If a file is damaged; if two folders have different outcomes of the same trials or different
        parts of a race; or if a cell that this run leaves out has rows that do not match its
        record.
    """
    if folders:
        gather(plan, paper, [*map(Path, folders)])
    place = Path(plan.layout.cells(paper)).parent
    place.mkdir(parents=True, exist_ok=True)
    with locked(place):
        plan.forget(paper)
        return _publish(plan, paper)


def _publish(plan: "Plan", paper: str) -> Summary:
    layout, summary, before = plan.layout, Summary(paper), plan.committed(paper)
    records, declared = dict(before), plan.targets.declared(paper)
    table = plan.table(paper)
    rows = _rows(plan, paper, table, records, declared, summary)
    studies = _studies(plan, paper, records, summary)
    names = plan.studies.all(paper)
    kept = {
        key: records[key] for key in records if key in rows or (key[0] == STUDY and key[1] in names)
    }
    rounds = {place: sorted(one) for place, one in declared.items() if one}
    recorded = table.metadata
    if not summary.published and (kept.keys(), rounds) == (before.keys(), recorded["declared"]):
        return summary
    configuration = plan.configuration
    if any(records[key] is before.get(key) for key in rows):
        # Some rows come from earlier runs, so the restrictions recorded for those runs are kept.
        earlier = recorded["configuration"]
        configuration = {k: v for k, v in configuration.items() if k not in ("only", "caps")}
        configuration |= {k: earlier[k] for k in ("only", "caps") if k in earlier}
    # Write unchanged records first, so that every record in the file describes existing rows even
    # if the process is killed between two writes.
    cell_records.write(
        (one for key, one in kept.items() if before.get(key) is one), layout.cells(paper)
    )
    if rows:
        path = layout.trials(paper)
        trial_table.write(rows.values(), path, declared=declared, configuration=configuration)
    if studies:
        study_tables.write(studies, layout.studies(paper))
    cell_records.write(kept.values(), layout.cells(paper))
    plan.forget(paper)
    return summary


def _rows(
    plan: "Plan",
    paper: str,
    table: "TrialTable",
    records: dict[CellKey, CellRecord],
    declared: dict[str, set[int]],
    summary: Summary,
) -> dict[CellKey, CellTrials]:
    """Return the trials of all cells, and update ``records`` for cells with new results.

    Remove from ``declared`` the rounds that the table lacks for a cell.
    """
    path, planned = plan.layout.trials(paper), plan.trials.of_paper(paper)
    place = plan.layout.cells(paper)
    if table.keys and not Path(place).is_file():
        raise ResultError(
            f"{place}, the record of how {path} was made, is missing; "
            "restore it or delete both files"
        )
    rows: dict[CellKey, CellTrials] = {}
    summary.dropped += ["/".join(key) for key in table.keys if key not in plan.trials.asked[paper]]
    wanted = {place: frozenset(rounds) for place, rounds in declared.items()}
    asked = plan.trials.asked[paper]
    # A restricted run ignores the cells that it leaves out, and all races that contain such a cell.
    left_out = {asked[key].race for key in records if key in asked and key not in planned} - {""}
    for key in asked:
        trials, record = planned.get(key), records.get(key)
        stored = table.recorded(*key)
        if stored is not None and (record is None or record.content != stored.content):
            if trials is None:
                raise ResultError(
                    f"{'/'.join(key)} in {path} does not match its record in {place}; "
                    "restore both files, or publish a run that includes this cell"
                )
            stored = None  # the record describes different rows
        is_partial = trials is not None and trials.race in left_out
        fresh = None if trials is None or is_partial else from_results(plan, trials, wanted)
        if fresh is not None and stored is not None and record and fresh[0].trial[0] > 0:
            _limit(declared, stored, table)
            fresh = _appended(stored, record, *fresh)
        if fresh is not None and not (
            stored and record and (_has_more(record, fresh[1], plan) or _is_same(record, fresh[1]))
        ):
            rows[key], records[key] = fresh
            summary.published += 1
            continue
        if stored is not None:
            rows[key] = stored
            _limit(declared, stored, table)
        if trials is None:
            continue
        if fresh is None:
            summary.unused += _unused(plan, trials)
        if is_partial:
            summary.partial.append("/".join(key))
        else:
            is_today = plan.trials.is_committed(trials)
            summary.count("/".join(key), is_there=stored is not None, is_today=is_today)
    return rows


def _has_more(record: CellRecord, fresh: CellRecord, plan: "Plan") -> bool:
    """Return whether to keep the trials in the table instead of the fresh results.

    They are kept if there are more of them and either the same code played them or this run is
    shortened.
    """
    return record.trials > fresh.trials and (record.is_of(fresh.digest) or plan.is_cut("caps"))


def _is_same(record: CellRecord, fresh: CellRecord) -> bool:
    """Return whether to keep a record because the same code gave the fresh results.

    A resealed record may have a later commit than the result files. A commit with uncommitted
    changes is replaced by one without.
    """
    same = record.content == fresh.content and record.is_of(fresh.digest)
    return same and (record.is_clean or not fresh.is_clean)


def from_results(
    plan: "Plan", trials: Trials, declared: Mapping[str, Collection[int]]
) -> tuple[CellTrials, CellRecord] | None:
    """Return a cell's rows and record from its result files, or None if a file is missing."""
    paths = [*plan.trials.fresh_files(trials.cell.paper, [trials.key])]
    if not paths:
        return None
    rows, about = read_cell(paths, trials.group, declared)
    use = [one["use"] for one in about]
    made = about[-1]["provenance"]
    record = CellRecord(
        *(trials.lane, trials.group, str(trials.cell.setting.label), str(trials.cell.algorithm)),
        trials=len(rows),
        parts=tuple(one["trials"]["stop"] for one in about),
        digest=plan.trials.digest(trials),
        content=rows.content,
        observed=_observed(trials, [one["observed"] for one in about]),
        seconds=sum(one["cpu_seconds"] for one in use) / len(rows),
        mb=max(one["peak_mb"] or 0.0 for one in use),
        commit=cell_records.commit_of(made),
        made=cell_records.description(made),
    )
    return rows, record


def _limit(declared: dict[str, set[int]], stored: CellTrials, table: "TrialTable") -> None:
    """Remove from ``declared`` the rounds that the table lacks for a cell."""
    where = f"{stored.lane}/{stored.setting}"
    if stored.is_thinned and where in declared:
        declared[where] &= {*table.metadata["declared"].get(where, ())}


def _appended(
    stored: CellTrials, record: CellRecord, rows: CellTrials, new: CellRecord
) -> tuple[CellTrials, CellRecord]:
    """Return the rows and the record of a cell whose table has the trials before ``rows``."""
    first, whole = int(rows.trial[0]), following(stored, rows)
    observed = _merged(record.observed, new.observed)
    return whole, replace(
        new,
        trials=len(whole),
        parts=(*(end for end in record.parts if end <= first), *new.parts),
        content=whole.content,
        observed=observed,
        seconds=(first * record.seconds + len(rows) * new.seconds) / len(whole),
        mb=max(record.mb, new.mb),
    )


def _unused(plan: "Plan", trials: Trials) -> list[str]:
    """Return a cell's existing result files that none of its jobs would produce."""
    files = [*map(Path, plan.trials.files(trials))]
    there = files[0].parent.glob(f"*.{plan.trials.name_of(trials)}.parquet")
    return sorted(map(str, {*there}.difference(files)))


def _observed(trials: Trials, records: Iterable[Inputs]) -> Inputs:
    """Return the observed files and modules not covered by a cell's code digest."""
    covered, observed = trials.own_modules, _merged(*records)
    modules = observed.get("modules", {})
    return _merged(observed | {"modules": {n: modules[n] for n in modules if n not in covered}})


def _merged(*records: Inputs) -> Inputs:
    """Return all entries of records of observed inputs, by kind; {} if there are no entries."""
    merged: Inputs = {}
    for record in records:
        for kind, entries in record.items():
            merged.setdefault(kind, {}).update(entries)
    return merged if any(merged.values()) else {}


def _studies(
    plan: "Plan", paper: str, records: dict[CellKey, CellRecord], summary: Summary
) -> "dict[str, pd.DataFrame]":
    """Return the tables of a paper's studies, and update ``records`` for studies with results."""
    committed = plan.layout.studies(paper)
    stored = study_tables.read(committed)[0] if Path(committed).is_file() else {}
    joined: dict[str, pd.DataFrame] = {}
    asked = plan.studies.names(paper)
    for name in plan.studies.all(paper):
        path, key = plan.studies.fresh_file(paper, name), (STUDY, name, "")
        tables = {table: stored[table] for table in table_names()[name] if table in stored}
        fresh = None if path is None else _study(plan, paper, name, path)
        if fresh is not None and not (
            key in records
            and study_tables.content(tables) == records[key].content
            and _is_same(records[key], fresh[1])
        ):
            tables, records[key] = fresh
            summary.published += 1
        elif name in asked:
            is_today = plan.studies.is_committed(paper, name)
            summary.count(f"study/{name}", is_there=bool(tables), is_today=is_today)
        joined |= tables
    return joined


def _study(
    plan: "Plan", paper: str, name: str, path: str | Path
) -> "tuple[dict[str, pd.DataFrame], CellRecord]":
    """Return the tables and the record of a study from its result file."""
    tables, about = study_tables.read(path)
    made = about["provenance"]
    record = CellRecord(
        *(STUDY, "paper", name, ""),
        trials=0,
        parts=(),
        digest=plan.studies.digest(paper, name),
        content=study_tables.content(tables),
        observed=about.get("observed", {}),
        seconds=about["use"]["cpu_seconds"],
        mb=about["use"]["peak_mb"] or 0.0,
        commit=cell_records.commit_of(made),
        made=cell_records.description(made),
    )
    return tables, record


def gather(plan: "Plan", paper: str, folders: Sequence[Path]) -> int:
    """Copy the results of a paper from other results folders into the plan's folder.

    Nothing is copied unless all files are valid. Return the number of copied files.

    Raises
    ------
    ResultError
        If a folder has no results; if a file is not a regular file, is too large, is
        damaged or has the wrong path; if two folders have a file with the same path but different
        numbers; or if a race is spread over two folders.
    """
    home = Path(plan.layout.results)
    wanted = [
        Path(path).relative_to(home)
        for trials in plan.trials.of_paper(paper).values()
        for path in _there(plan, trials, [home, *folders])
    ]
    studies = [
        Path(plan.studies.file(paper, name)).relative_to(home) for name in plan.studies.names(paper)
    ]
    for folder in folders:
        if not any((folder / name).is_dir() for name in ("run", "time", "study")):
            raise ResultError(
                f"{folder} holds no results; allowed: folders that contain run, time or study"
            )
    chosen = _choose(home, folders, [*wanted, *studies])
    for name, path in chosen.items():
        write_atomically(home / name, partial(shutil.copyfile, path))
    return len(chosen)


def _there(plan: "Plan", trials: Trials, folders: Iterable[Path]) -> list[str]:
    """Return the paths for result files in ``folders`` that together cover a cell's trials.

    If no selection covers each trial exactly once, the paths for all files are returned. A timed
    cell has a single file, which may be missing.
    """
    (one, *_) = files = plan.trials.files(trials)
    if trials.lane == "timing":
        return files
    place, name = Path(one).relative_to(plan.layout.results).parent, plan.trials.name_of(trials)
    there = (path for folder in folders for path in (folder / place).glob(f"*.{name}.parquet"))
    made = sorted({(part.first, part.stop) for part in map(parse_result, there) if part})
    return [plan.trials.file(trials.part(*ends)) for ends in tiling(trials.stop, made) or made]


def _choose(home: Path, folders: Sequence[Path], names: Sequence[Path]) -> dict[Path, Path]:
    chosen: dict[Path, Path] = {}
    for name in names:
        for folder in folders:
            path = folder / name
            if not path.exists() and not path.is_symlink():
                continue
            if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
                raise ResultError(
                    f"{path} is not a result; allowed: regular files of at most {MOST_BYTES} bytes"
                )
            digest = _numbers(path)
            there = chosen.get(name) or (home / name if (home / name).is_file() else None)
            if there is None:
                chosen[name] = path
            elif name.parts[0] != "time" and digest != _numbers(there):
                raise ResultError(
                    f"{path} and {there} have different outcomes of the same trials, perhaps "
                    "from two kinds of machine; delete the file that should not be used"
                )
    origins: dict[Path, Path] = {}
    for name in (name for name in names if name.parts[0] == "time"):
        place, race = chosen.get(name, home / name), name.parents[1]
        if place.is_file() and (folder := place.parents[4]) != origins.setdefault(race, folder):
            raise ResultError(
                f"{race} is partly in {origins[race]} and partly in {folder}, so its turns are "
                "from two processes; allowed: all results of a race in one folder"
            )
    return chosen


def _numbers(path: Path) -> str:
    """Return a digest of the numbers in a result file, which holds trials or tables of a study."""
    if "study" in path.parts[-3:-2]:
        return study_tables.content(study_tables.read(path)[0])
    return results.digest(results.read(path))
