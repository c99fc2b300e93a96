"""Inventory of a results folder: planned results, their defects, and other files."""

import math
import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from optimist.core.errors import ConfigError, ResultError
from optimist.core.layout import parse_result
from optimist.experiments import results
from optimist.experiments.cell_records import STUDY
from optimist.experiments.loop import COMPLETE, EARLY
from optimist.experiments.trials import CellKey
from optimist.figures.studies import tables as study_tables
from optimist.plan import costs
from optimist.plan.plan import Plan


@dataclass(frozen=True)
class Entry:
    """A planned result: a file that contains trials or the tables of a study.

    Attributes
    ----------
    path : str
    made : str
        Output of the job that makes the result: the file itself, or the folder of its race.
    state : {"present", "absent", "damaged", "early"}
        ``early`` means that some trials ran out of time.
    paper : str
    key : CellKey
        Lane, setting and algorithm; for a study, `STUDY`, its name and an empty string.
    is_committed : bool
        Whether the committed tables contain this result and the current code produced it.
    remark : str
        Description of the damage, or the number of trials that ended early; otherwise empty.
    is_whole : bool
        Whether every trial reached its last round or its time limit.
    """

    path: str
    made: str
    state: str
    paper: str
    key: CellKey
    is_committed: bool
    remark: str = ""
    is_whole: bool = True


def take(plan: Plan) -> list[Entry]:
    """Return an `Entry` for every result of a plan.

    Raises
    ------
    UnreadableError
        If the operating system denies access to a file.
    """
    entries = []
    for trials in plan.trials:
        is_race = trials.lane == "timing"
        about = trials.cell.paper, trials.key, plan.trials.is_committed(trials)
        for path in plan.trials.files(trials):
            made = plan.trials.outputs(trials)[0] if is_race else path
            entries.append(_entry(path, made, *about))
    for paper in plan.papers:
        for name in plan.studies.names(paper):
            path, is_committed = plan.studies.file(paper, name), plan.studies.is_committed
            entries.append(_entry(path, path, paper, (STUDY, name, ""), is_committed(paper, name)))
    return entries


def _entry(path: str, made: str, paper: str, key: CellKey, is_committed: bool) -> Entry:
    about = paper, key, is_committed
    if not Path(path).exists():
        return Entry(path, made, "absent", *about)
    try:
        if key[0] == STUDY:
            study_tables.read(path)
            return Entry(path, made, "present", *about)
        table = results.read(path)
    except ResultError as error:
        return Entry(path, made, "damaged", *about, str(error))
    ends = dict(zip(*(table[name].to_pylist() for name in ("trial", "status")), strict=True))
    early = Counter(status for status in ends.values() if status in EARLY)
    if early:
        remark = ", ".join(f"{status} {number}" for status, number in sorted(early.items()))
        return Entry(path, made, "early", *about, f"{remark} of {len(ends)} trials")
    is_whole = {*ends.values()} <= {*COMPLETE}
    return Entry(path, made, "present", *about, is_whole=is_whole)


def others(plan: Plan) -> dict[str, int]:
    """Return the sizes of existing result files that are not in the plan, by path.

    Such files come from other code or from another configuration.

    Raises
    ------
    ConfigError
        If ``only`` leaves out cells, because their results would be returned too.
    """
    if any(plan.config["only"].values()):
        raise ConfigError(
            "only leaves out cells, so their results would be listed as other files; "
            "allowed: empty lists in only"
        )
    trials = {(*t.place(plan.trials.name_of(t))[:5], t.race) for t in plan.trials}
    studies = {plan.studies.file(p, name) for p in plan.papers for name in plan.studies.names(p)}
    sizes = {}
    for kind, paper in ((kind, p) for kind in ("run", "time", "study") for p in plan.papers):
        for path in sorted(Path(plan.layout.result(f"{kind}/{paper}")).rglob("*")):
            # A file or folder has a hidden name while a job is still writing it.
            if not path.is_file() or any(part.startswith(".") for part in path.parts[-4:]):
                continue
            place = parse_result(path)
            is_planned = (*place[:5], place.race) in trials if place else str(path) in studies
            if not is_planned:
                sizes[str(path)] = path.stat().st_size
    return sizes


def delete(paths: Collection[str]) -> None:
    """Delete result files or folders of races, and then the parent folders that become empty."""
    for path in map(Path, paths):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
        folder = path.parent
        while folder.name not in ("run", "time", "study") and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent


def to_text(
    entries: Sequence[Entry], other: Mapping[str, int], options: str = "", shown: int = 20
) -> str:
    """Return a report that counts entries, names defective files and suggests commands.

    Parameters
    ----------
    entries : sequence of Entry
    other : mapping
        Sizes of files that are not planned, by path, as returned by `others`.
    options : str
        Command-line options that selected the configuration.
    shown : int
        Maximum number of files to name.
    """
    count = Counter(entry.state for entry in entries)
    committed = sum(entry.is_committed and entry.state == "absent" for entry in entries)
    lines = [
        f"{len(entries)} results planned: {count['present'] + count['early']} present, "
        f"{count['absent']} absent ({committed} of these in the committed tables), "
        f"{count['damaged']} damaged; {count['early']} with trials that ended early"
    ]
    odd = [entry for entry in entries if entry.remark]
    lines += [
        f"{e.state}: {e.remark}" + f" in {e.path}" * (e.state == "early") for e in odd[:shown]
    ]
    lines += [f"and {len(odd) - shown} more"] if len(odd) > shown else []
    if other:
        lines.append(
            f"{len(other)} files, {sum(other.values()) / 1e6:.1f} MB, come from other code or "
            f"another configuration; to delete them: optimist results {options}--delete other"
        )
    for state, more in (("damaged", ""), ("early", " with --config time_factor=2")):
        if count[state]:
            lines.append(
                f"to make them again: optimist results {options}--delete {state}, then repeat the "
                f"command of the run{more}"
            )
    return "\n".join(lines)


def measured(entries: Iterable[Entry], plan: Plan) -> list[costs.Row]:
    """Return the measured costs of the published results that the current code produced.

    Cells with a trial that failed or ended early are left out. If the run is shortened or
    restricted, its studies are left out too, because they may cost more in a full run.
    """
    is_measured: dict[tuple[str, CellKey], bool] = {}
    for entry in entries:
        is_sound = entry.state == "present" and entry.is_whole and entry.is_committed
        place = entry.paper, entry.key
        is_measured[place] = is_sound and is_measured.get(place, True)
    rows = []
    for paper, key in (place for place, is_sound in is_measured.items() if is_sound):
        record = plan.committed(paper)[key]
        if key[0] == STUDY:
            cell, rounds = (key[1], paper, "", ""), 1
        else:
            cell = key[0], paper, *key[1:]
            rounds = costs.rounds_of(plan.trials.of_paper(paper)[key])
        is_cut = key[0] == STUDY and plan.is_cut("caps", "only")
        if not (is_cut or math.isnan(record.seconds + record.mb)):
            rows.append(costs.Row(*cell, rounds, round(record.seconds, 3), round(record.mb)))
    return rows
