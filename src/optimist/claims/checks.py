"""Claims as plain data: readings, their checks, and what a claims file may say."""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from optimist.claims.metrics import least_units, metric, metric_arguments
from optimist.claims.names import ARGUMENTS, in_words
from optimist.claims.needs import needed_cells
from optimist.errors import ConfigError, nearest, unknown_name

# Arguments of metrics that name settings, and that name algorithms.
SETTINGS = ("setting", "settings", "base")
ALGORITHMS = (
    *("algorithm", "numerator", "denominator", "leader"),
    *("better", "worse", "one", "other"),
)
KINDS = ("empirical", "guarantee", "fact")
# Whether the paper fixes a reading, leaves it open, or has nothing to do with it: from the first to
# the last, a reading is what the last of these is among its alternatives.
STATUSES = ("stated", "open", "ours")
# Arguments of metrics that are rounds, which the table of trials has to hold.
ROUNDS = ("rounds", "since")
# Bounds that are signs: they need no reason.
SIGNS = (0, 1)


@dataclass(frozen=True)
class Check:
    """One comparison of a measured value with a bound.

    Attributes
    ----------
    metric : str
    arguments : dict
    relation : {"below", "above", "between", "equals"} or None
        None for what is shown and not compared.
    bound : float or list of two floats
    tolerance : float or None
        For ``equals``.
    why : str
        Why the bound is what it is, if the claim's note does not say so.
    part : str
        What the claim asserts by itself, by default a setting.
    tuning : str
        The tuning that it belongs to where one of several suffices.
    status : str
        ``ours`` if it is shown and does not count.
    controls : list of Check
        Checks that must fail for this one to say anything; with ``any_control`` one suffices. With
        ``control_spares_failure`` they must fail for it to hold, and it may fail without.
    """

    metric: str
    arguments: dict[str, Any]
    relation: str | None = None
    bound: Any = None
    tolerance: Any = None
    why: str = ""
    part: str = ""
    tuning: str = ""
    status: str = "stated"
    controls: tuple["Check", ...] = ()
    any_control: bool = False
    control_spares_failure: bool = False

    @classmethod
    def make(cls, written: Mapping[str, Any]) -> Self:
        """Return the check that a claims file states, written out."""
        controls = tuple(cls.make(control) for control in written.get("controls", ()))
        return cls(**{**written, "controls": controls})

    @cached_property
    def label(self) -> str:
        """What is measured, in words."""
        words = {
            key: ", ".join(map(str, value)) if isinstance(value, list) else value
            for key, value in self.arguments.items()
        }
        words |= {key: in_words(words[key]) for key in ARGUMENTS if key in words}
        return metric(self.metric).template.format(**words)

    @property
    def is_tested(self) -> bool:
        """Whether it can fail: what was not run stands in the place of a check, and cannot."""
        return self.metric != "not_run"

    @property
    def settings(self) -> list[str]:
        """The settings involved."""
        return self._named(SETTINGS)

    @property
    def algorithms(self) -> list[str]:
        """The algorithms involved."""
        return self._named(ALGORITHMS)

    @property
    def rounds(self) -> list[int]:
        """The rounds that are asked for by number."""
        return [t for t in self._named(ROUNDS) if t]

    def _named(self, keys: Iterable[str]) -> list[Any]:
        found = [self.arguments[key] for key in keys if key in self.arguments]
        flat = itertools.chain.from_iterable(f if isinstance(f, list) else [f] for f in found)
        return list(dict.fromkeys(flat))

    @property
    def allowed(self) -> tuple[float, float]:
        """The ends of the range in which the value must lie."""
        if self.relation == "equals":
            return self.bound - self.tolerance, self.bound + self.tolerance
        if self.relation == "between":
            low, high = self.bound
            return low, high
        return (-math.inf, self.bound) if self.relation == "below" else (self.bound, math.inf)

    @property
    def bound_text(self) -> str:
        """The bound as text: ``1``, ``0.5 to 2`` or ``21 ± 0.5``."""
        if self.relation is None:
            return ""
        if self.relation == "between":
            return "{:g} to {:g}".format(*self.bound)
        spread = f" ± {self.tolerance:g}" if self.relation == "equals" and self.tolerance else ""
        return f"{self.bound:g}{spread}"


@dataclass(frozen=True)
class Reading:
    """One way to understand a claim.

    Attributes
    ----------
    name : str
        Empty if there is only one.
    status : {"stated", "open", "ours"}
        Readings that are ours are shown and do not count.
    checks : list of Check
    """

    name: str
    status: str
    checks: list[Check]

    @property
    def counts(self) -> bool:
        """Whether the verdict rests on it."""
        return self.status != "ours"

    @property
    def counted(self) -> list[Check]:
        """The checks that count."""
        return [check for check in self.checks if self.counts and check.status != "ours"]


@dataclass(frozen=True)
class Claim:
    """What a paper says, and how it is tested.

    Attributes
    ----------
    id, place, statement, headline, note : str
    kind : {"empirical", "guarantee", "fact"}
    level : float
        Confidence level of its tests and intervals.
    decides : float
        The ratio worth deciding.
    looks : int
        1, or 2 if it may be enlarged once.
    could_not_fail, chosen_by_it : str
        Why it says little: no run could have failed it, or it selected the set-up. Empty if not.
    readings : list of Reading
    """

    id: str
    place: str
    statement: str
    readings: list[Reading]
    kind: str = "empirical"
    headline: str = ""
    note: str = ""
    level: float = 0.95
    decides: float = 1.25
    looks: int = 1
    could_not_fail: str = ""
    chosen_by_it: str = ""

    @classmethod
    def make(cls, written: Mapping[str, Any], level: float) -> Self:
        """Return the claim of a loaded file; ``level`` is that of the file."""
        readings = [
            Reading(r["name"], r["status"], [Check.make(check) for check in r["checks"]])
            for r in written["readings"]
        ]
        return cls(**{"level": level, **written, "readings": readings})

    @property
    def all_checks(self) -> Iterator[Check]:
        """The checks of all readings, and their controls."""
        for reading in self.readings:
            for check in reading.checks:
                yield check
                yield from check.controls

    @property
    def alpha(self) -> float:
        """The error allowed on each side of each look: half where there may be two (Bonferroni)."""
        return (1.0 - self.level) / 2.0 / self.looks


def claims_of(document: Mapping[str, Any]) -> list[Claim]:
    """Return the claims of a loaded file, see `optimist.plan.config.load_claims`."""
    return [Claim.make(claim, document["level"]) for claim in document["claims"]]


def check_claims(document: Mapping[str, Any], path: str | Path) -> None:
    """Check the claims of a loaded file against the metrics.

    Raises
    ------
    ConfigError
        Naming file, claim, key, value and what is allowed.
    """
    paper = Path(path).parent.name
    if document["paper"] != paper:
        raise ConfigError(f"{path}: paper is {document['paper']!r}; allowed: {paper!r}")
    ids = Counter(claim["id"] for claim in document["claims"])
    for claim in document["claims"]:
        where = f"{path}: claim {claim['id']!r}"
        if not claim["id"].startswith(f"{paper}."):
            raise ConfigError(f"{where}: id is {claim['id']!r}; allowed: {paper}.NUMBER")
        if ids[claim["id"]] > 1:
            raise ConfigError(f"{where} occurs {ids[claim['id']]} times; allowed: once")
        try:
            _check_entries(claim)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None


def _check_entries(claim: Mapping[str, Any]) -> None:
    for entry in claim["checks"]:
        _check_arguments(entry, entry.get("arguments", {}), entry.get("each", {}))
        for control in controls_of(entry):
            own = control.get("arguments", {})
            if "metric" in control:
                _check_arguments(control, own)
            else:
                _check_arguments(
                    entry, {**entry.get("arguments", {}), **entry.get("each", {}), **own}
                )
        bound = entry.get("bound")
        ends = bound if isinstance(bound, list) else [bound]
        is_sign = all(end in SIGNS or end is None for end in ends)
        if not (is_sign or "note" in claim or "why" in entry):
            raise ConfigError(
                f"the bound {bound} of metric {entry['metric']!r} has no reason; allowed: a word, "
                "why beside it, or a note of the claim"
            )


def controls_of(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the controls that an entry of a claims file names."""
    control = entry.get("control", [])
    found: list[Mapping[str, Any]]
    found = control.get("any", [control]) if isinstance(control, Mapping) else control
    return found


def _check_arguments(entry: Mapping[str, Any], *arguments: Mapping[str, Any]) -> None:
    allowed = metric_arguments(entry["metric"])
    given = [name for some in arguments for name in some]
    for name in given:
        if name not in allowed or given.count(name) > 1:
            fault = "given twice" if name in allowed else f"unknown{nearest(name, allowed)}"
            raise ConfigError(
                f"metric {entry['metric']!r}: argument {name!r} is {fault}; "
                f"allowed: {', '.join(allowed)}"
            )
    absent = [name for name in allowed if name not in given]
    if absent:
        raise ConfigError(f"metric {entry['metric']!r} lacks argument {', '.join(absent)}")


def check_names(claims: Iterable[Claim], known: Iterable[str]) -> None:
    """Raise ConfigError for a check about a setting or an algorithm that is not ``known``."""
    for claim in claims:
        for check in claim.all_checks:
            for key in (*SETTINGS, *ALGORITHMS):
                value = check.arguments.get(key, [])
                for name in value if isinstance(value, list) else [value]:
                    if name not in known:
                        wrong = unknown_name(f"{key} of metric {check.metric}", name, known)
                        raise ConfigError(f"claim {claim.id!r}: {wrong}")


def check_trials(claims: Iterable[Claim], trials: Mapping[tuple[str, str, str], int]) -> None:
    """Raise ConfigError for cells that are not run, or too seldom for a check that counts.

    Parameters
    ----------
    claims : list of Claim
    trials : mapping
        How many trials each cell has, by lane, setting and algorithm.
    """
    for claim in claims:
        for reading in claim.readings:
            for check in reading.checks:
                counts = reading.counts and check.status != "ours"
                for one in (check, *check.controls):
                    try:
                        least = least_units(one.metric, one.arguments, claim.alpha)
                        _check_cells(one, trials, least if counts else 0)
                    except ConfigError as error:
                        raise ConfigError(f"claim {claim.id!r}: {one.label}: {error}") from None


def _check_cells(check: Check, trials: Mapping[tuple[str, str, str], int], least: int) -> None:
    found = metric(check.metric)
    for cell in needed_cells(found, check.arguments):
        lane, setting, algorithm = cell
        number = trials.get(cell)
        if number is None:
            known = {a for known_lane, s, a in trials if (known_lane, s) == cell[:2]}
            place = f"algorithm in the {lane} lane of {setting!r}"
            raise unknown_name(place, algorithm, known or {"none"})
        if number < least:
            raise ConfigError(
                f"{setting}/{algorithm} has {number} {found.units}; allowed: at least {least}"
            )


def claim_cells(claim: Claim) -> set[tuple[str, str, str]]:
    """Return lane, setting and algorithm of the cells that the counted checks of a claim read."""
    return {
        cell
        for check in _counted(claim)
        for one in (check, *check.controls)
        for cell in needed_cells(metric(one.metric), one.arguments)
    }


def _counted(claim: Claim) -> list[Check]:
    return [check for reading in claim.readings for check in reading.counted]
