"""Claims as plain data: readings, their checks, and what a claims file may say."""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from optimist.claims.first import GATE, UNIFORM, Rows
from optimist.claims.metrics import Metric, metric
from optimist.claims.wording import ARGUMENTS, in_words
from optimist.core.errors import ConfigError, unknown_name
from optimist.experiments.trials import CellKey

# Arguments of metrics that name settings, and that name algorithms.
SETTINGS = ("setting", "settings", "base")
ALGORITHMS = ("algorithm", "numerator", "denominator", "better", "worse", "one", "other")
KINDS = ("empirical", "guarantee", "fact")
# Whether the paper fixes a reading, does not state it, or has nothing to do with it: from the first
# to the last, a reading is what the last of these is among its alternatives.
STATUSES = ("stated", "unstated", "ours")
# Arguments of metrics that are rounds, which the table of trials has to hold.
ROUNDS = ("rounds", "since")
# How many rows that are lacking a message shows.
SHOWN = 3
# Bounds that are signs: they need no reason.
SIGNS = (0, 1)


@dataclass(frozen=True)
class Check:
    """One comparison of a measured value with a bound.

    Attributes
    ----------
    quantity, statistic : str
        What is measured, see `optimist.claims.metrics`.
    arguments : dict
    relation : {"below", "above", "between", "equals"} or None
        None for what is shown and not compared.
    bound : float or list of two floats
    tolerance : float or None
        For ``equals``.
    why : str
        Why the bound is what it is, if the claim's note does not say so.
    word : str
        The vague word of config/words.yaml that gives relation and bound; empty if none does.
    better : {"", "below", "above", "neither"}
        The side of a band that praises the paper's method.
    part : str
        What the claim asserts by itself, by default a setting.
    status : str
        ``ours`` if it is shown and does not count.
    controls : tuple of Check
        Of a guarantee: play outside the theorem, which makes it vacuous if it keeps the bound too.
    """

    quantity: str
    statistic: str
    arguments: dict[str, Any]
    relation: str | None = None
    bound: Any = None
    tolerance: Any = None
    why: str = ""
    word: str = ""
    better: str = ""
    part: str = ""
    status: str = "stated"
    controls: tuple["Check", ...] = ()

    @classmethod
    def make(cls, written: Mapping[str, Any]) -> Self:
        """Return the check that a claims file states, written out."""
        controls = tuple(cls.make(control) for control in written.get("controls", ()))
        return cls(**{**written, "controls": controls})

    @cached_property
    def metric(self) -> Metric:
        """What measures it."""
        return metric(self.quantity, self.statistic, self.arguments)

    @cached_property
    def cells(self) -> list[CellKey]:
        """Lane, setting and algorithm of the cells that it reads; none of facts and studies."""
        return self.metric.needed(self.arguments)

    @cached_property
    def label(self) -> str:
        """What is measured, in words."""
        words = {
            key: ", ".join(map(str, value)) if isinstance(value, list) else value
            for key, value in self.arguments.items()
        }
        words |= {key: in_words(words[key]) for key in ARGUMENTS if key in words}
        return self.metric.template.format(**words)

    @property
    def is_tested(self) -> bool:
        """Whether it can fail: what was not run stands in the place of a check, and cannot."""
        return self.quantity != "not_run"

    @property
    def settings(self) -> list[str]:
        """The settings involved."""
        return self.named(*SETTINGS)

    @property
    def algorithms(self) -> list[str]:
        """The algorithms involved."""
        return self.named(*ALGORITHMS)

    @property
    def rounds(self) -> list[int]:
        """The rounds that are asked for by number."""
        return [t for t in self.named(*ROUNDS) if t]

    @property
    def splits(self) -> int:
        """How many splits of the data its trials share, 0 if they are of none."""
        return self.arguments.get("folds", 0) * self.arguments.get("repeats", 0)

    def named(self, *keys: str) -> list[Any]:
        """Return the values of some arguments, each once."""
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
    status : {"stated", "unstated", "ours"}
        Readings that are ours are shown and do not count.
    checks : list of Check
    alternatives : mapping
        The id of the alternative that it takes of each choice, by the choice's name.
    """

    name: str
    status: str
    checks: list[Check]
    alternatives: Mapping[str, str] = field(default_factory=dict)

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
    could_not_fail, chosen_by_it : str
        Why it is vacuous, as no run could have failed it, or that it selected the set-up; else "".
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
    could_not_fail: str = ""
    chosen_by_it: str = ""

    @classmethod
    def make(cls, written: Mapping[str, Any], level: float) -> Self:
        """Return the claim of a loaded file; ``level`` is that of the file."""
        about = {key: value for key, value in written.items() if key != "choices"}
        names = {key: choice["name"] for key, choice in written.get("choices", {}).items()}
        readings = [
            Reading(
                r["name"],
                r["status"],
                [Check.make(check) for check in r["checks"]],
                {names[key]: taken for key, taken in r.get("alternatives", {}).items()},
            )
            for r in written["readings"]
        ]
        return cls(**{"level": level, **about, "readings": readings})

    @property
    def all_checks(self) -> Iterator[Check]:
        """The checks of all readings, and their controls."""
        for reading in self.readings:
            for check in reading.checks:
                yield check
                yield from check.controls

    @property
    def alpha(self) -> float:
        """The error allowed on each side."""
        return (1.0 - self.level) / 2.0


def claims_of(document: Mapping[str, Any]) -> list[Claim]:
    """Return the claims of a loaded file, see `optimist.config.load.load_claims`."""
    return [Claim.make(claim, document["level"]) for claim in document["claims"]]


def check_claims(document: Mapping[str, Any], path: str | Path) -> None:
    """Check the claims of a loaded file against the table of metrics.

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
        if "control" in entry:
            own = entry["control"]["arguments"]
            _check_arguments(entry, {**entry.get("arguments", {}), **entry.get("each", {}), **own})
        bound = entry.get("bound")
        ends = bound if isinstance(bound, list) else [bound]
        is_sign = all(end in SIGNS or end is None for end in ends)
        if not (is_sign or "note" in claim or "why" in entry):
            raise ConfigError(
                f"the bound {bound} of {entry['statistic']} of {entry['quantity']} has no reason; "
                "allowed: a word, why beside it, or a note of the claim"
            )


def _check_arguments(entry: Mapping[str, Any], *arguments: Mapping[str, Any]) -> None:
    given = [name for some in arguments for name in some]
    found = metric(entry["quantity"], entry["statistic"], given)
    for name in given:
        if given.count(name) > 1:
            raise ConfigError(f"{found.name}: argument {name!r} is given twice; allowed: once")


def check_names(claims: Iterable[Claim], known: Iterable[str]) -> None:
    """Raise ConfigError for a check about a setting or an algorithm that is not ``known``."""
    for claim in claims:
        for check in claim.all_checks:
            for key in (*SETTINGS, *ALGORITHMS):
                for name in check.named(key):
                    if name not in known:
                        wrong = unknown_name(f"{key} of {check.metric.name}", name, known)
                        raise ConfigError(f"claim {claim.id!r}: {wrong}")


def check_trials(claims: Iterable[Claim], trials: Mapping[CellKey, int]) -> None:
    """Raise ConfigError for a check of cells that are not run.

    Parameters
    ----------
    claims : list of Claim
    trials : mapping
        How many trials each cell is planned to have.
    """
    for claim in claims:
        for check in claim.all_checks:
            try:
                for lane, setting, algorithm in check.cells:
                    if (lane, setting, algorithm) not in trials:
                        known = {a for other, s, a in trials if (other, s) == (lane, setting)}
                        place = f"algorithm in the {lane} lane of {setting!r}"
                        raise unknown_name(place, algorithm, known or {"none"})
            except ConfigError as error:
                raise ConfigError(f"claim {claim.id!r}: {check.label}: {error}") from None


def check_first(
    claims: Iterable[Claim], rows: Rows, trials: Mapping[CellKey, int], least: int
) -> None:
    """Raise ConfigError for checks without a row of config/first.csv, or one with a false row.

    Every check of cells has a row, and of a study every test: a fact, the largest of all trials and
    what was not run are numbers without an error.

    Parameters
    ----------
    claims : list of Claim
    rows : mapping
        The rows of the paper, see `optimist.claims.first`.
    trials : mapping
        How many trials each cell is planned to have.
    least : int
        The fewest trials that decide anything in the paper.
    """
    lacking: dict[str, None] = {}
    for claim in claims:
        for check in (check for reading in claim.readings for check in reading.checks):
            found, cells = check.metric, check.cells
            if not cells and found.least == 1:
                continue
            fewest = found.least_units(check.arguments, claim.alpha)
            fewest = max(fewest, least) if found.units == "trials" else fewest
            # Of a study its section says how many units each cell has.
            planned = min((trials[cell] for cell in cells), default=math.inf)
            planned = min(planned, check.splits or planned)
            if found.gate and claim.kind == "empirical":
                lacking |= _gates_lacking(claim, cells, rows, trials)
            row = rows.get((claim.id, check.label))
            where = f"config/first.csv, claim {claim.id}, check {check.label!r}"
            if row is None:
                n0 = max(fewest, planned) if cells else fewest
                lacking[f'{claim.id},"{check.label}",{found.units},0,{n0}'] = None
            elif row.unit != found.units:
                raise ConfigError(f"{where}: unit is {row.unit!r}; allowed: {found.units!r}")
            elif row.n0 < fewest:
                raise ConfigError(f"{where}: n0 is {row.n0}; allowed: at least {fewest}")
            elif row.n0 > fewest and row.start + row.n0 > planned:
                raise ConfigError(
                    f"{where}: from {row.start} and n0 {row.n0} need {row.start + row.n0} "
                    f"{row.unit}; allowed: at most the {planned} that are planned"
                )
    if lacking:
        more = f" and {len(lacking) - SHOWN} more" if len(lacking) > SHOWN else ""
        raise ConfigError(
            f"config/first.csv lacks {len(lacking)} row{'s' * (len(lacking) > 1)}; allowed: one of "
            f"each check and gate, such as {'; '.join([*lacking][:SHOWN])}{more}"
        )


def _gates_lacking(
    claim: Claim, cells: Iterable[CellKey], rows: Rows, trials: Mapping[CellKey, int]
) -> dict[str, None]:
    """Return a row for each setting whose uniform play has none: none of it is doubled."""
    paper, found = claim.id.partition(".")[0], dict[str, None]()
    for _, setting, _ in cells:
        gate, number = f"{GATE}{setting}", trials.get(("regret", setting, UNIFORM), 0)
        if number and (claim.id, gate) not in rows and (paper, gate) not in rows:
            found[f'{paper},"{gate}",trials,0,{number}'] = None
    return found


def claim_cells(claim: Claim) -> set[CellKey]:
    """Return the cells that the counted checks of a claim read, and uniform play of their gates."""
    found: set[CellKey] = set()
    for check in (check for reading in claim.readings for check in reading.counted):
        for one in (check, *check.controls):
            found.update(one.cells)
            if one.metric.gate:
                found |= {(lane, setting, UNIFORM) for lane, setting, _ in one.cells}
    return found
