"""Contents of a results folder: planned results, their faults, and other files."""

import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optimist.core.errors import ConfigError, ResultError
from optimist.core.layout import parse_result
from optimist.experiments import results
from optimist.experiments.loop import COMPLETE, EARLY
from optimist.experiments.trials import Trials
from optimist.figures.studies import tables as study_tables
from optimist.plan import costs
from optimist.plan.plan import Plan


@dataclass(frozen=True)
class Entry:
    """One planned result: a file of trials, or the file of a study's tables.

    Attributes
    ----------
    path : str
    made : str
        The output of its job: the file, or the folder of its race.
    state : {"present", "absent", "damaged", "early"}
        ``early`` if some trials ended for lack of time.
    remark : str
        The damage, or how many trials ended early.
    trials : Trials or None
        None for a study.
    cost : Row or None
        Of an existing study.
    is_whole : bool
        Whether every trial reached its last round or its time limit.
    is_committed : bool
        For an absent result, whether the committed tables have it, made by today's code.
    """

    path: str
    made: str
    state: str
    remark: str = ""
    trials: Trials | None = None
    cost: costs.Row | None = None
    is_whole: bool = False
    is_committed: bool = False


def take(plan: Plan) -> list[Entry]:
    """Return an `Entry` for every result of a plan.

    Raises
    ------
    UnreadableError
        If the system refuses to read a file.
    """
    found = []
    for trials in plan.trials:
        is_race = trials.lane == "timing"
        parts = [trials] if is_race else plan.trials.parts(trials)
        for part, path in zip(parts, plan.trials.files(trials), strict=True):
            made = plan.trials.outputs(trials)[0] if is_race else path
            found.append(_of_trials(path, made, part, plan.trials.is_committed(trials)))
    for paper in plan.papers:
        found += [_of_study(plan, paper, name) for name in plan.studies.names(paper)]
    return found


def _of_trials(path: str, made: str, trials: Trials, is_committed: bool) -> Entry:
    if not Path(path).exists():
        return Entry(path, made, "absent", trials=trials, is_committed=is_committed)
    try:
        table = results.read(path)
    except ResultError as error:
        return Entry(path, made, "damaged", str(error), trials)
    ends = dict(zip(*(table[name].to_pylist() for name in ("trial", "status")), strict=True))
    early = Counter(status for status in ends.values() if status in EARLY)
    if early:
        remark = ", ".join(f"{status} {number}" for status, number in sorted(early.items()))
        return Entry(path, made, "early", f"{remark} of {len(ends)} trials", trials)
    is_whole = {*ends.values()} <= {*COMPLETE}
    return Entry(path, made, "present", trials=trials, is_whole=is_whole)


def _of_study(plan: Plan, paper: str, name: str) -> Entry:
    path = plan.studies.file(paper, name)
    if not Path(path).exists():
        return Entry(path, path, "absent", is_committed=plan.studies.is_committed(paper, name))
    try:
        use = study_tables.read(path)[1]["use"]
    except ResultError as error:
        return Entry(path, path, "damaged", str(error))
    return Entry(path, path, "present", cost=costs.of_study(use, name, paper))


def others(plan: Plan) -> dict[str, int]:
    """Return the sizes of a plan's result files whose digest is not planned.

    They come from other code or from another configuration.

    Raises
    ------
    ConfigError
        If the configuration leaves out cells, because their results would be listed too.
    """
    if any(plan.config["only"].values()):
        raise ConfigError("only leaves cells out, whose results would count as other; allowed: []")
    trials = {(*t.place(plan.trials.name_of(t))[:5], t.race) for t in plan.trials}
    studies = {plan.studies.file(p, name) for p in plan.papers for name in plan.studies.names(p)}
    found = {}
    for kind, paper in ((kind, p) for kind in ("run", "time", "study") for p in plan.papers):
        for path in sorted(Path(plan.layout.result(f"{kind}/{paper}")).rglob("*")):
            # A job writes to files with hidden names.
            if not path.is_file() or any(part.startswith(".") for part in path.parts[-4:]):
                continue
            place = parse_result(path)
            is_planned = (*place[:5], place.race) in trials if place else str(path) in studies
            if not is_planned:
                found[str(path)] = path.stat().st_size
    return found


def delete(paths: Collection[str]) -> None:
    """Delete files and folders of races, then the folders that become empty."""
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
    """Return a summary of entries, the faulty files, and the commands to type next.

    Parameters
    ----------
    entries : sequence of Entry
    other : mapping
        Sizes of other results, see `others`.
    options : str
        Command-line options that named the configuration.
    shown : int
        How many files to name.
    """
    count = Counter(entry.state for entry in entries)
    committed = sum(entry.is_committed for entry in entries)
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
            f"{len(other)} files, {sum(other.values()) / 1e6:.1f} MB, are of other code or "
            f"another configuration; to delete them: optimist results {options}--delete other"
        )
    for state, more in (
        ("damaged", ""),
        ("early", ", --config time_factor=2 added"),
    ):
        if count[state]:
            lines.append(
                f"to make them again: optimist results {options}--delete {state}, then the command "
                f"of the run{more}"
            )
    return "\n".join(lines)


def uses(entries: Iterable[Entry]) -> Iterator[tuple[Trials, dict[str, Any]]]:
    """Yield trials and their cost, see `optimist.plan.costs.collect`, of each whole file."""
    for entry in entries:
        if entry.trials is not None and entry.is_whole:
            metadata = results.read_metadata(entry.path)
            if "use" in metadata:
                yield entry.trials, metadata["use"]


def studies(entries: Iterable[Entry], plan: Plan) -> list[costs.Row]:
    """Return the costs of the existing studies.

    A shortened or restricted run gives none, as its studies may be smaller.
    """
    cuts = [*plan.config["caps"].values(), *plan.config["only"].values()]
    if any(cut not in (None, []) for cut in cuts):
        return []
    return [entry.cost for entry in entries if entry.cost is not None]
