"""Why a claim is open, what its next look costs, and whether that look would answer it.

The next look gives each check that blocks the answer the number of units at its next doubling. The
forecast resamples trials: those on disk stay, and new ones are drawn from them, whole trials with
the same numbers in all cells. A forecast decides nothing and enters no p-value.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from optimist.claims.cells import LANE_OF, UNIFORM, Groups
from optimist.claims.claim import Claim
from optimist.claims.evidence import Mean
from optimist.claims.first import UNITS
from optimist.claims.gates import Gates
from optimist.claims.measurement import measure
from optimist.claims.results import NextLook, Result, Verdict, concluded, error_of
from optimist.claims.rule import DECIDED, UNDECIDED, grouped
from optimist.core.label import Label
from optimist.experiments.trials import CellKey

REPLICATES, FEWEST, SEED = 40, 10, 20260
# Shares of replicates with an answer, from which a claim is called likely or even.
LIKELY, EVEN = 0.7, 0.3
# Relative distances of an estimate, and of the ends of its interval, from a bound that no number of
# units can tell from the truth.
AT_BOUND, AROUND_BOUND = 0.05, 0.10
# Columns that the replicates copy, and arguments that name further ones.
COLUMNS = (
    *("trial", "round", "status", "turns", "regret", "regret_half", "covered", "seconds"),
    *("state_bytes", "selections", "agreements"),
)
NAMED = ("column", "top", "bottom", "against")
# A gate with a smaller p-value is not tested again in the replicates.
WIDE_OPEN = 1e-6
NO_NUMBER = "The bound is the estimate: no number of {units} decides."


def next_look(verdict: Verdict, gates: Gates, seconds: Mapping[CellKey, float]) -> NextLook:
    """Return why a claim is open, and what its next look costs and would answer.

    Parameters
    ----------
    verdict : Verdict
    gates : Gates
        The gates that the verdict was made with.
    seconds : mapping
        Processor seconds per trial, for each cell.
    """
    if verdict.word not in UNDECIDED:
        return NextLook()
    blocking, level = _blocking(verdict), error_of(verdict.results, verdict.claim.alpha)
    if not blocking:
        return NextLook("few trials", "No check blocks its open readings.")
    if all(r.check.splits and _is_below_floor(r, level) for r in blocking):
        return NextLook("few splits", "No number of splits decides this; other data sets would.")
    if lonely := {place for r in blocking if r.gate for place in r.gate.lacking}:
        return _uniform_play(verdict.claim, sorted(lonely), blocking)
    units = Counter(r.check.metric.units for r in blocking).most_common(1)[0][0]
    if all(_is_at_bound(some) for some in grouped(blocking, lambda r: id(r.reading))):
        return NextLook("bound", NO_NUMBER.format(units=units))
    gated = [r.gate is not None and min(r.without_gate()) <= level for r in blocking]
    cause = "few splits" if units == "splits" else "idle" if all(gated) else "few trials"
    wanted = _wanted(blocking, gates, level)
    if not wanted:
        number = max(_next_number(r) for r in blocking)
        text = f"The next look has {number} {units} of its study (a section of runs.yaml)."
        return NextLook(cause, text)
    on_disk = {cell: gates.groups.number(*cell) for cell in wanted}
    short = {cell: n - on_disk[cell] for cell, n in wanted.items() if n > on_disk[cell]}
    # A race is played again as a whole.
    played = {cell: wanted[cell] if cell[0] == "timing" else n for cell, n in short.items()}
    hours = sum(n * seconds.get(cell, math.nan) for cell, n in played.items()) / 3600
    chance, word = math.nan, ""
    if units != "splits":
        chance, word = _forecast(verdict, blocking, gates, wanted)
    number, paper = max(wanted.values()), verdict.claim.id.partition(".")[0]
    options = f"committed=use 'decide={{{verdict.claim.id}: {number}}}'"
    return NextLook(
        cause,
        _sentence(max(short.values(), default=0), units, hours, chance, word),
        number,
        units,
        hours,
        chance,
        _likely(chance),
        word,
        f"snakemake --cores all --config {options} -- {paper}",
    )


def _sentence(more: int, units: str, hours: float, chance: float, word: str) -> str:
    price = "" if math.isnan(hours) else f" ({hours:.1g} core-hours)"
    text = f"The next look has up to {more} more {units} a cell{price}."
    if not _likely(chance):
        return text
    return f"{text} Chance of an answer: {_likely(chance)}; commonest word: {word}."


def _likely(chance: float) -> str:
    if math.isnan(chance):
        return ""
    return "likely" if chance >= LIKELY else "even" if chance >= EVEN else "unlikely"


def _blocking(verdict: Verdict) -> list[Result]:
    """Return the checks of open readings that neither hold nor fail as parts of their readings."""
    level = error_of(verdict.results, verdict.claim.alpha)
    counted = [r for r in verdict.results if r.counts and r.check.is_tested]
    readings = len({id(r.reading) for r in counted})
    blocking = []
    for r in counted:
        size = sum(one.reading is r.reading for one in counted)
        is_open = verdict.outcomes.get(r.reading.name) == "open" and r.outcome != "idle"
        same = [one for one in counted if one.reading is r.reading and r.check.any_of]
        if any(one.check.any_of == r.check.any_of and one.outcome == "holds" for one in same):
            continue  # another check of the same name suffices
        is_short = r.support > level / readings and r.refute > level / (readings * size)
        if is_open and is_short:
            blocking.append(r)
    return blocking


def _is_at_bound(blocking: Sequence[Result]) -> bool:
    """Return whether an open reading stays open at any number of units.

    One of its checks is at its bound, so that the reading cannot hold, and no other check seems to
    fail.
    """
    near = [_is_near(r) for r in blocking]
    return any(near) and not any(
        r.evidence is not None and not is_near and not _is_inside(r)
        for r, is_near in zip(blocking, near, strict=True)
    )


def _is_inside(result: Result) -> bool:
    low, high = result.check.allowed
    return result.evidence is None or low <= result.evidence.value <= high


def _is_near(result: Result) -> bool:
    """Return whether an estimate and its interval are so close to a bound that they are one."""
    if result.evidence is None or result.k < 0:
        return False
    value, pieces = result.evidence.value, result.evidence.pieces(0.95)
    return any(
        abs(value / end - 1.0) <= AT_BOUND
        and len(pieces) == 1
        and all(abs(one / end - 1.0) <= AROUND_BOUND for one in pieces[0])
        for end in result.check.allowed
        if end and math.isfinite(end)
    )


def _is_below_floor(result: Result, level: float) -> bool:
    """Return whether no number of splits can show a difference as small as the claim's bound.

    Splits of one data set share rows, so the error of their mean has a floor.
    """
    from scipy.special import ndtri

    evidence, bounds = result.evidence, [b for b in result.check.allowed if math.isfinite(b)]
    if not isinstance(evidence, Mean):
        return False
    spread = float(evidence.values.std(ddof=1)) if len(evidence.values) > 1 else 0.0
    floor = float(ndtri(1.0 - level)) * spread * math.sqrt(evidence.extra)
    return all(floor > abs(bound) for bound in bounds)


def _next_number(result: Result) -> int:
    """Return the number of units at the next look of a check, without those before its first."""
    if result.first is None:
        return 2 * max(result.n, 1)
    return result.first.n0 << (result.k + 1)


def _wanted(blocking: Iterable[Result], gates: Gates, level: float) -> dict[CellKey, int]:
    """Return the number of units that the cells of the next look have."""
    wanted: dict[CellKey, int] = {}

    def ask(lane: str, setting: str, algorithm: str, number: int) -> None:
        pair = gates.groups.place("finals", (setting, algorithm))
        cell = (lane, *(pair if lane == "regret" else (setting, algorithm)))
        wanted[cell] = max(wanted.get(cell, 0), number)

    for r in blocking:
        number = (r.first.start if r.first else 0) + _next_number(r)
        for cell in r.check.cells:
            ask(*cell, number)
        if r.gate is None or not r.check.cells or r.gate.support <= level:
            continue
        named = {cell[1:] for cell in r.check.cells}
        for setting in {setting for setting, _ in r.gate.opening} | {s for s, _ in named}:
            ask("regret", setting, UNIFORM, number)
            learners = [(setting, one) for one in gates.learners.get(setting, ())]
            if r.gate.is_of_everybody and learners:
                ask("regret", *min(learners, key=lambda pair: _mean(gates.groups, pair)), number)
    return wanted


def _mean(groups: Groups, pair: tuple[str, str]) -> float:
    rows = groups["finals"].get(pair)
    return math.inf if rows is None else float(rows["regret"].mean())


def _uniform_play(claim: Claim, lonely: list[str], blocking: Sequence[Result]) -> NextLook:
    """Return the look of a claim that waits for uniform play, with the command that plays it."""
    number = max((r.first.start if r.first else 0) + _next_number(r) for r in blocking)
    number, paper = max(number, UNITS["trials"]), claim.id.partition(".")[0]
    settings = ", ".join(f'"{setting}"' for setting in lonely)
    runs = f"[{{settings: [{settings}], algorithms: [{UNIFORM}], trials: {number}}}]"
    options = f"committed=use 'additions={{{paper}: {{runs: {runs}}}}}'"
    return NextLook(
        "few trials",
        f"There is no uniform play in {', '.join(lonely)}, and nothing can be decided without it.",
        number,
        "trials",
        command=f"snakemake --cores all --config {options} -- {paper}",
    )


# The forecast.


def _forecast(
    verdict: Verdict, blocking: Sequence[Result], gates: Gates, wanted: Mapping[CellKey, int]
) -> tuple[float, str]:
    """Return the share of replicates that answer the claim, and their commonest word.

    Return nan and "" if the cells of a setting have too few trials in common.
    """
    claim = verdict.claim
    common: dict[tuple[str, str], np.ndarray] = {}
    # Beyond the trials that all cells of a setting have, each trial copies the same one in all.
    on_disk: dict[tuple[str, str], int] = {}
    for lane, setting, algorithm in wanted:
        trials = _trials(gates.groups, lane, (setting, algorithm))
        number = gates.groups.number(lane, setting, algorithm)
        name = lane, Label.name_of(setting)
        common[name] = np.intersect1d(common.get(name, trials), trials)
        on_disk[name] = min(on_disk.get(name, number), number)
    if any(len(trials) < FEWEST for trials in common.values()):
        return math.nan, ""
    columns = {*COLUMNS, *(r.check.arguments.get(name, "") for r in blocking for name in NAMED)}
    counted = [r for r in verdict.results if r.counts]
    places = {id(r): i for i, r in enumerate(counted)}
    words = []
    for replicate in range(REPLICATES):
        rng = np.random.default_rng((SEED, replicate))
        drawn = {name: rng.choice(trials, max(wanted.values())) for name, trials in common.items()}
        extended = gates.on(Extended(gates.groups, wanted, on_disk, drawn, columns))
        results = [*counted]
        for r in blocking:
            results[places[id(r)]] = measure(
                claim, r.reading, r.check, extended, gate=r.gate if _is_wide_open(r) else None
            )
        words.append(concluded(claim, results).word)
    word = Counter(words).most_common(1)[0][0]
    return sum(w in DECIDED and w != verdict.word for w in words) / len(words), word


def _is_wide_open(result: Result) -> bool:
    """Return whether a check's gate is so far open that further trials leave it open."""
    gate = result.gate
    return gate is not None and max(gate.support, gate.refute) < WIDE_OPEN


def _trials(groups: Groups, lane: str, pair: tuple[str, str]) -> np.ndarray:
    table = {"regret": "finals", "timing": "times"}[lane]
    rows, *_ = groups.complete(table, pair, None, 0)
    return np.array([], int) if rows is None else rows["trial"].unique()


class Extended(Groups):
    """Tables in which some cells have more trials, copies of earlier ones with other numbers.

    Parameters
    ----------
    groups : Groups
    wanted : mapping
        Number of trials of each cell.
    on_disk : mapping
        For each lane and name of a setting: the number of trials, copies excluded.
    drawn : mapping
        For each lane and name of a setting: the trial that each further trial copies.
    columns : collection of str
        Columns of cells to keep.
    """

    def __init__(
        self,
        groups: Groups,
        wanted: Mapping[CellKey, int],
        on_disk: Mapping[tuple[str, str], int],
        drawn: Mapping[tuple[str, str], np.ndarray],
        columns: Collection[str],
    ) -> None:
        super().__init__({}, groups.uniform_names)
        self._groups, self._wanted, self._on_disk = groups, wanted, on_disk
        self._drawn, self._columns = drawn, columns
        for table in LANE_OF:
            self[table] = _Copies(groups[table], partial(self._copied, table))
        self["facts"], self["studies"] = groups["facts"], groups["studies"]

    def _number(self, lane: str, setting: str, algorithm: str) -> int:
        pair = self.place("finals", (setting, algorithm)) if lane == "regret" else None
        setting, algorithm = pair or (setting, algorithm)
        there = self._groups.number(lane, setting, algorithm)
        return max(there, self._wanted.get((lane, setting, algorithm), 0))

    def _copied(self, table: str, pair: tuple[str, str]) -> Any:
        import pandas as pd

        rows, lane = self._groups[table][pair], LANE_OF[table]
        name = lane, Label.name_of(pair[0])
        number, there = self._wanted.get((lane, *pair), 0), self._on_disk.get(name, 0)
        if number <= there:
            return rows
        sources = self._drawn[name][there:number]
        trial = rows["trial"].to_numpy()
        order = np.argsort(trial, kind="stable")
        starts = np.searchsorted(trial[order], sources, "left")
        stops = np.searchsorted(trial[order], sources, "right")
        places = [order[start:stop] for start, stop in zip(starts, stops, strict=True)]
        own = np.flatnonzero(trial < there)
        order = np.concatenate([own, *places])
        kept = (name for name in rows.columns if name in self._columns)
        columns = {name: rows[name].to_numpy()[order] for name in kept}
        numbers = np.repeat(np.arange(there, number), stops - starts)
        columns["trial"] = np.concatenate([trial[own], numbers])
        return pd.DataFrame(columns, copy=False)


class _Copies(Mapping[tuple[str, str], Any]):
    """The cells of a table, each of which ``copied`` makes when it is first read."""

    def __init__(self, rows: Mapping[Any, Any], copied: Callable[[tuple[str, str]], Any]) -> None:
        self._rows, self._copied = rows, cache(copied)

    def __getitem__(self, pair: tuple[str, str]) -> Any:
        return self._copied(pair)

    def __contains__(self, pair: object) -> bool:
        return pair in self._rows

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)
