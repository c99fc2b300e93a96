"""What a results folder holds: which planned files are there, which are refused, what they cost."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from optimist import costs, results
from optimist.errors import ResultError
from optimist.simulate import EARLY


@dataclass(frozen=True)
class Entry:
    """One planned result file.

    Attributes
    ----------
    path : str
    state : {"present", "absent", "refused", "early"}
        ``refused`` by `optimist.results.verify`; ``early`` if trials of it ended for want of time
        or memory.
    remark : str
        Why it is refused, or how many trials ended early.
    """

    path: str
    state: str
    remark: str = ""


def take(plan):
    """Return an `Entry` for every result file of a `optimist.plan.Plan`."""
    folder = plan.results
    return [_entry(f"{folder}/{path}", plan) for path in plan.jobs]


def _entry(path, plan):
    if not Path(path).exists():
        return Entry(path, "absent")
    try:
        results.verify(plan.identities([path]), f"{plan.results}/data")
        table = results.read(path, ["trial", "status"])
    except ResultError as error:
        return Entry(path, "refused", str(error))
    statuses = dict(zip(*(table[name].to_pylist() for name in ("trial", "status")), strict=True))
    early = Counter(status for status in statuses.values() if status in EARLY)
    if early:
        remark = ", ".join(f"{status} {number}" for status, number in sorted(early.items()))
        return Entry(path, "early", f"{remark} of {len(statuses)} trials")
    return Entry(path, "present")


def delete(entries):
    """Delete the files of some entries."""
    for entry in entries:
        Path(entry.path).unlink()


def to_text(entries, shown=20):
    """Return a summary of entries, and the files that are refused or ended early."""
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
    for state in ("refused", "early"):
        if count[state]:
            lines.append(f"to make them again: optimist results --delete {state}, then snakemake")
    return "\n".join(lines)


def uses(plan):
    """Yield job and cost (see `optimist.costs.collect`) of each result file that is there."""
    for path, job in plan.jobs.items():
        try:
            metadata = results.read_metadata(f"{plan.results}/{path}")
        except ResultError:
            continue
        if "use" in metadata:
            yield job, metadata["use"]


def studies(plan):
    """Yield the `optimist.costs.Row` of each study that Snakemake recorded."""
    for study in plan.studies:
        for paper in plan.papers:
            path = plan.study_benchmark(study, paper)
            if Path(path).exists():
                yield costs.read_benchmark(path, study.name, paper)
