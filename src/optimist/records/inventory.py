"""What a results folder holds: which planned files are there, which are refused, what they cost."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optimist.errors import ResultError
from optimist.plan import costs
from optimist.plan.plan import Plan
from optimist.runs import results
from optimist.runs.loop import COMPLETE, EARLY
from optimist.runs.trials import Trials


@dataclass(frozen=True)
class Entry:
    """One planned result file.

    Attributes
    ----------
    path : str
    trials : Trials
    state : {"present", "absent", "refused", "early"}
        ``refused`` by `optimist.runs.results.verify`; ``early`` if trials of it ended for lack of
        time or memory.
    remark : str
        Why it is refused, or how many trials ended early.
    played : bool
        Whether no trial ended before its last round, or the time that it was given.
    """

    path: str
    trials: Trials
    state: str
    remark: str = ""
    played: bool = False


def take(plan: Plan) -> list[Entry]:
    """Return an `Entry` for every result file of a `optimist.plan.plan.Plan`.

    Raises
    ------
    UnreadableError
        If the system does not let a file be read.
    DataError
        If there are results from a data set that is not there.
    """
    return [_entry(path, trials, plan) for path, trials in plan.trials.by_path.items()]


def _entry(path: str, trials: Trials, plan: Plan) -> Entry:
    if not Path(path).exists():
        return Entry(path, trials, "absent")
    try:
        results.verify(plan.trials.fingerprints([path]), plan.layout.data_folder)
        table = results.read(path, ["trial", "status"])
    except ResultError as error:
        return Entry(path, trials, "refused", str(error))
    ends = dict(zip(*(table[name].to_pylist() for name in ("trial", "status")), strict=True))
    early = Counter(status for status in ends.values() if status in EARLY)
    if early:
        remark = ", ".join(f"{status} {number}" for status, number in sorted(early.items()))
        return Entry(path, trials, "early", f"{remark} of {len(ends)} trials")
    return Entry(path, trials, "present", played={*ends.values()} <= {*COMPLETE, "timeout"})


def delete(entries: Iterable[Entry], plan: Plan) -> int:
    """Delete the files of some entries, and what was made from them, so that it is made again.

    A figure that is older than all that it would be made from came with a checkout, and stays.

    Returns
    -------
    int
        The number of files that were made from them.
    """
    doomed = [entry.path for entry in entries]
    made = set()
    for files, inputs in plan.targets.made_with(doomed):
        oldest = min(_time(path) for path in inputs)
        made |= {path for path in files if oldest <= _time(path) < math.inf}
    for path in [*doomed, *made]:
        Path(path).unlink()
    return len(made)


def _time(path: str) -> float:
    """Return when a file was written, infinity if there is none."""
    return Path(path).stat().st_mtime if Path(path).exists() else math.inf


def to_rows(entries: Iterable[Entry]) -> list[dict[str, str]]:
    """Return path, state and remark of each entry."""
    return [{"path": e.path, "state": e.state, "remark": e.remark} for e in entries]


def to_text(entries: Sequence[Entry], options: str = "", shown: int = 20) -> str:
    """Return a summary of entries, the files that are refused or ended early, and what to type.

    ``options`` are those of the command line that named the configuration.
    """
    count = Counter(entry.state for entry in entries)
    lines = [
        f"{len(entries)} result files planned: {count['present'] + count['early']} present, "
        f"{count['absent']} absent, {count['refused']} refused; "
        f"{count['early']} with trials that ended early"
    ]
    odd = [entry for entry in entries if entry.state in ("refused", "early")]
    lines += [
        f"{e.state}: {e.remark}" + f" in {e.path}" * (e.state == "early") for e in odd[:shown]
    ]
    lines += [f"and {len(odd) - shown} more"] if len(odd) > shown else []
    for state, more in (
        ("refused", ""),
        ("early", ", --config memory_factor=2 or time_factor=2 added"),
    ):
        if count[state]:
            lines.append(
                f"to make them again: optimist results {options}--delete {state}, then the command "
                f"of the run{more}"
            )
    return "\n".join(lines)


def uses(entries: Iterable[Entry]) -> Iterator[tuple[Trials, dict[str, Any]]]:
    """Yield trials and cost, see `optimist.plan.costs.collect`, of each entry played whole."""
    for entry in entries:
        if entry.played:
            metadata = results.read_metadata(entry.path)
            if "use" in metadata:
                yield entry.trials, metadata["use"]


def studies(plan: Plan) -> Iterator[costs.Row]:
    """Yield the `optimist.plan.costs.Row` of each study that left a record of it.

    None of a run that was cut short, or of some cells only: its studies may be of less.
    """
    cuts = [*plan.config["caps"].values(), *plan.config["only"].values()]
    if any(cut not in (None, []) for cut in cuts):
        return
    for study in plan.studies.asked:
        for paper in plan.papers:
            path = plan.studies.use(study, paper)
            if Path(path).exists():
                yield costs.of_study(path, study.name, paper)
