"""Trials of one configuration: their cells, digests and result files."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.config.load import load_paper, paper_names
from optimist.core import observation
from optimist.core.errors import ConfigError, ResultError, nearest, unknown_name
from optimist.core.files import fingerprint
from optimist.core.layout import check_length, parse_result, result
from optimist.experiments import results
from optimist.experiments.cell_records import CellRecord, digest_of, misfits
from optimist.experiments.trials import CellKey, Trials, expand

if TYPE_CHECKING:
    from optimist.plan.plan import Plan

# CPU seconds above which the trials of a cell are split into several jobs.
LONGEST_JOB = 600.0


@dataclass(frozen=True)
class Race:
    """Cells of the timing lane that one process plays in turns.

    Attributes
    ----------
    paper, number : str
    trials : tuple of Trials
    digest : str
        Digest of all inputs of the results.
    """

    paper: str
    number: str
    trials: tuple[Trials, ...]
    digest: str


class PlannedTrials:
    """All trials of a plan.

    Attributes
    ----------
    asked : dict
        The trials of each cell that a paper requests before ``caps`` and ``only`` are applied, by
        paper and cell.
    misfits : callable
        Returns the cells of a paper whose rows in the table do not match their records.

    Raises
    ------
    ConfigError
        If a name in ``only`` matches no cell, or if no cell matches all its keys.
    """

    def __init__(self, plan: "Plan") -> None:
        self._plan, papers = plan, plan.papers
        caps = {key: plan.config["caps"][key] for key in ("rounds", "trials", "timing_trials")}
        only = {key: plan.config["only"][key] for key in ("settings", "algorithms", "figures")}
        kept = plan.shown.kept
        self._digests: dict[tuple[str, CellKey], str] = {}
        self._is_unchanged = cache(_is_unchanged)
        self.misfits = cache(
            lambda paper: misfits(plan.committed(paper), plan.layout.trials(paper))
        )
        whole = {name: expand(paper) for name, paper in papers.items()}
        self.asked = {name: {t.key: t for t in planned} for name, planned in whole.items()}
        _check_only(only, self.asked)
        least = plan.claims.least
        if any(caps.values()) or any(only.values()) or any(least.values()):
            whole = {
                name: expand(paper, caps, only, least.get(name), kept[name] if kept else None)
                for name, paper in papers.items()
            }
        self._of_paper = {
            name: {t.key: t if any(caps.values()) else self._with_known(t) for t in planned}
            for name, planned in whole.items()
        }
        restricts = only["settings"] or only["algorithms"] or kept is None
        if restricts and not any(self._of_paper.values()):  # figures of studies have no cells
            raise ConfigError(f"only is {dict(only)!r}; allowed: names that together select a cell")
        for trials in self:
            place = trials.place("")
            check_length(*place[1:4], place.trials)

    def forget(self) -> None:
        """Drop the cached comparisons of rows with their records."""
        self.misfits.cache_clear()

    def _with_known(self, trials: Trials) -> Trials:
        """Extend the trials to include all those in the table, so that no results are discarded."""
        record = self._record(trials)
        return trials.part(0, record.trials) if record and record.trials > trials.stop else trials

    def __iter__(self) -> Iterator[Trials]:
        return (t for planned in self._of_paper.values() for t in planned.values())

    def of_paper(self, paper: str) -> Mapping[CellKey, Trials]:
        """Return a paper's trials by cell."""
        return self._of_paper[paper]

    def digest(self, trials: Trials) -> str:
        """Return the digest of all inputs of a cell's trials: configuration, code and data."""
        key = trials.cell.paper, trials.key
        if key not in self._digests:
            self._digests[key] = digest_of(trials, self._plan.data.digest)
        return self._digests[key]

    def _record(self, trials: Trials) -> CellRecord | None:
        """Return a cell's committed record, or None if there is none.

        With ``committed: use``, a record that does not match its rows in the table is ignored.
        """
        paper = trials.cell.paper
        is_misfit = self._plan.reuses and trials.key in self.misfits(paper)
        return None if is_misfit else self._plan.committed(paper).get(trials.key)

    def is_committed(self, trials: Trials) -> bool:
        """Return whether the table contains these trials and the current code played them.

        Rows are compared with their records only if the configuration has ``committed: use``.
        Otherwise, the table is not opened.
        """
        record = self._record(trials)
        if record is None or record.trials < trials.stop:
            return False
        return record.is_of(self.digest(trials))

    # Result files.

    def parts(self, trials: Trials) -> list[Trials]:
        """Return the trials of a cell, split into one part for each result file.

        Parts that already exist, as files or in the table, stay the same even if more trials are
        requested or the costs change.
        """
        record = self._record(trials)
        seconds = self._plan.costs.seconds(trials) / (trials.stop - trials.first)
        files = Path(self.file(trials)).parent.glob(f"*.{self.name_of(trials)}.parquet")
        made = [(place.first, place.stop) for place in map(parse_result, files) if place]
        ends = part_ends(trials.stop, record.parts if record else (), seconds, made)
        return [trials.part(*ends) for ends in zip([0, *ends], ends, strict=False)]

    def name_of(self, trials: Trials) -> str:
        """Return the digest used in the names of a cell's result files."""
        if trials.lane == "timing":
            return self._races[trials.cell.paper][trials.race].digest
        return self._plan.in_name(self.digest(trials))

    def file(self, part: Trials) -> str:
        """Return the path of the result file for a part of a cell's trials in the regret lane."""
        return self._plan.layout.result(part.place(self.name_of(part)).path)

    def files(self, trials: Trials) -> list[str]:
        """Return the paths of a cell's result files; in the timing lane, there is only one."""
        if trials.lane == "timing":
            return [self._plan.layout.result(trials.place(self.name_of(trials)).path)]
        return [self.file(part) for part in self.parts(trials)]

    def outputs(self, trials: Trials) -> list[str]:
        """Return the outputs of a cell's jobs: its result files, or the folder of its race."""
        if trials.lane == "timing":
            race = self.races(trials.cell.paper)[trials.race]
            return [self._plan.layout.race(race.paper, race.number, race.digest)]
        return self.new_files(trials)

    def new_files(self, trials: Trials) -> list[str]:
        """Return the paths of the result files that a cell needs in addition to the table.

        With ``committed: use``, the table's trials of the current code and of today's packages need
        no result files.
        """
        parts = self.parts(trials) if trials.lane == "regret" else []
        files = [self.file(part) for part in parts] or self.files(trials)
        record = self._record(trials) if self._plan.reuses and parts else None
        if record is None or record.trials >= trials.stop or all(map(os.path.isfile, files)):
            return files
        firsts = [part.first for part in parts]
        is_todays = record.is_of(self.digest(trials)) and self._plan.is_made_today(record)
        if not is_todays or record.trials not in firsts:
            return files
        return files[firsts.index(record.trials) :]

    def needed(self, paper: str, cells: Iterable[CellKey]) -> list[str]:
        """Return the outputs that must exist before the results of the given cells are read.

        With ``committed: use``, a missing output is omitted if the table contains its trials and
        the current code played them.
        """
        paths: dict[str, None] = {}
        for trials in filter(None, map(self._of_paper[paper].get, cells)):
            is_at_hand = self._plan.reuses and self.is_committed(trials)
            outputs = self.outputs(trials)
            paths |= dict.fromkeys(p for p in outputs if not is_at_hand or Path(p).exists())
        return [*paths]

    def fresh_files(self, paper: str, cells: Iterable[CellKey]) -> dict[str, str]:
        """Return the group of each result file, by path, for cells whose new files all exist."""
        groups: dict[str, str] = {}
        for trials in filter(None, map(self._of_paper[paper].get, cells)):
            files = self.new_files(trials)
            if all(self.is_there(trials, path) for path in files):
                groups |= dict.fromkeys(files, trials.group)
        return groups

    def is_there(self, trials: Trials, path: str) -> bool:
        """Return whether a result exists and none of the files observed during its job has changed.

        Only algorithms and environments from outside this package may read files that the digest
        does not cover. Results of this package's own classes are therefore not opened.
        """
        if not Path(path).is_file():
            return False
        if not trials.is_foreign:
            return True
        return self._is_unchanged(path, os.stat(path).st_mtime_ns)

    def keys(self, paper: str, *, group: str | None = None) -> list[CellKey]:
        """Return the cells of a paper in one group of targets, or in all groups."""
        return [key for key, t in self._of_paper[paper].items() if group in (None, t.group)]

    def races(self, paper: str) -> Mapping[str, Race]:
        """Return the races of a paper by number."""
        return self._races[paper]

    @cached_property
    def _races(self) -> dict[str, dict[str, Race]]:
        members: dict[str, dict[str, list[Trials]]] = {paper: {} for paper in self._of_paper}
        for trials in self:
            if trials.lane == "timing":
                members[trials.cell.paper].setdefault(trials.race, []).append(trials)
        return {
            paper: {number: self._race(paper, number, some) for number, some in races.items()}
            for paper, races in members.items()
        }

    def _race(self, paper: str, number: str, members: Sequence[Trials]) -> Race:
        decisive = fingerprint({t.cell.name: [self.digest(t), t.stop] for t in members})
        return Race(paper, number, tuple(members), self._plan.in_name(decisive))

    def find(self, wildcards: Any) -> Trials:
        """Return the trials in a result file, given the wildcards of `Layout.any_result`.

        Raises
        ------
        ConfigError
            If no cell of the configuration has this file.
        """
        w = wildcards
        path = self._plan.layout.result(result(w.paper, w.setting, w.algorithm, w.trials, w.digest))
        planned = self._by_path[w.paper]
        if path not in planned:
            folder = path.rpartition("/")[0]
            siblings = [other for other in planned if other.startswith(f"{folder}/")]
            raise ConfigError(
                f"no cell of this configuration has the result file {path!r}"
                f"{nearest(path, siblings or planned)}; allowed: files listed by `snakemake -n`"
            )
        return planned[path]

    @cached_property
    def _by_path(self) -> dict[str, dict[str, Trials]]:
        return {
            paper: {
                self.file(part): part
                for trials in planned.values()
                if trials.lane == "regret"
                for part in self.parts(trials)
            }
            for paper, planned in self._of_paper.items()
        }

    def race(self, wildcards: Any) -> Race:
        """Return the race identified by wildcards; raise ConfigError if there is none."""
        race = self._races[wildcards.paper].get(wildcards.race)
        if race is None or race.digest != wildcards.digest:
            races = (f"{r.number}.{r.digest}" for r in self._races[wildcards.paper].values())
            raise ConfigError(
                f"{wildcards.paper} has no race {wildcards.race}.{wildcards.digest}; allowed: "
                f"{', '.join(races)}"
            )
        return race

    # In settings with an unknown maximum, regret is measured from the best value found.

    def of_unknown_maximum(self, paper: str) -> set[str]:
        """Return the settings of a paper in which regret is measured from the best known value."""
        return {
            t.cell.setting.label
            for t in self._of_paper[paper].values()
            if not t.cell.setting.cls.maximum_is_known
        }


def _is_unchanged(path: str, mtime: int) -> bool:
    """Return whether a result is whole and none of the files that its job observed has changed."""
    try:
        return observation.first_change(results.read_metadata(path)["observed"]) is None
    except ResultError:
        return False


def part_ends(
    number: int, recorded: Sequence[int], seconds: float, made: Iterable[tuple[int, int]] = ()
) -> list[int]:
    """Return the ends of the parts into which ``number`` trials are split.

    Parameters
    ----------
    number : int
    recorded : sequence of int
        Ends of the parts in which the trials in the table were played.
    seconds : float
        CPU seconds per trial.
    made : iterable of (int, int)
        First trial and end of each part that has a result file, even if it is not in the table.
    """
    longest = max(1, int(LONGEST_JOB / seconds)) if seconds > 0.0 else number
    made = sorted(part for part in made if part[1] <= number)
    outer = (a for a in made if not any(b != a and b[0] <= a[0] and a[1] <= b[1] for b in made))
    there = dict(tiling(number, made) or outer)  # the longest part that starts at each trial
    ends = [0]
    while (last := ends[-1]) < number:
        end = there.get(last) or min(
            (end for end in recorded if last < end <= number),
            default=last + min(longest, last or number),
        )
        ends.append(min(end, number, *(first for first in there if last < first)))
    return ends[1:]


def tiling(number: int, made: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return parts from ``made`` that together cover each trial once, or [] if there are none."""
    ways: dict[int, list[tuple[int, int]]] = {0: []}
    for first, stop in sorted(made):
        if first in ways:
            ways.setdefault(stop, [*ways[first], (first, stop)])
    return ways.get(number, [])


def _check_only(
    only: Mapping[str, list[str]], asked: Mapping[str, Mapping[CellKey, Trials]]
) -> None:
    """Raise ConfigError if a name in ``only`` matches no cell of any paper, planned or not."""
    names = _names(one for planned in asked.values() for one in planned.values())
    for key, allowed in names.items():
        lacking = [name for name in only[key] if name not in allowed]
        for paper in paper_names() if lacking else ():
            if paper not in asked:
                elsewhere = _names(expand(load_paper(paper)))[key]
                lacking = [name for name in lacking if name not in elsewhere]
        for name in lacking:
            raise unknown_name(f"name in only.{key}", name, allowed)


def _names(planned: Iterable[Trials]) -> dict[str, set[str]]:
    """Return the names of settings and of algorithms, with and without options."""
    names: dict[str, set[str]] = {"settings": set(), "algorithms": set()}
    for trials in planned:
        for key, label in zip(names, trials.cell.labels, strict=True):
            names[key] |= {label, label.name}
    return names
