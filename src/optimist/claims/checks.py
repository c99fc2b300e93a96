"""Claims, readings and checks as plain data, and the validation of claims files."""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from optimist.claims.cells import UNIFORM
from optimist.claims.effects import Effect
from optimist.claims.first import Rows
from optimist.claims.metrics import Metric, metric
from optimist.claims.wording import ARGUMENTS, in_words
from optimist.core.errors import ConfigError, nearest, unknown_name
from optimist.experiments.trials import CellKey

# Metric arguments that name settings, and those that name algorithms.
SETTINGS = ("setting", "settings", "base")
ALGORITHMS = ("algorithm", "numerator", "denominator", "better", "worse", "one", "other")
KINDS = ("empirical", "guarantee", "fact")
# A reading is fixed by the paper (stated), left open by it (unstated), or our own (ours). If a
# reading's alternatives differ in status, the last of their statuses in this order applies.
STATUSES = ("stated", "unstated", "ours")
# Metric arguments that name rounds, which the table of trials must contain.
ROUNDS = ("rounds", "since")
# Maximum number of missing rows listed in a message.
SHOWN = 3
# Bounds that need no reason, because they only specify a sign or a direction.
SIGNS = (0, 1)


@dataclass(frozen=True)
class Check:
    """One comparison of a measured value with a bound.

    Attributes
    ----------
    quantity, statistic : str
        The measured quantity and its statistic (see `optimist.claims.metrics`).
    arguments : dict
        Arguments of the statistic.
    relation : {"below", "above", "between", "equals"} or None
        None if the value is only shown.
    bound : float or list of two floats
    tolerance : float or None
        For ``equals``, the largest allowed distance from the bound.
    why : str
        Reason for the bound, if the claim's note does not give it.
    word : str
        The vague word, defined in config/words.yaml, that gives the relation and the bound; empty
        if there is none.
    better : {"", "below", "above", "neither"}
        The side of a band that favours the paper's method.
    part : str
        The part of the claim tested by the check; by default, a setting.
    status : str
        ``ours`` if the check is shown but not counted.
    any_of : str
        A name shared by the checks of a reading of which one suffices; empty if there are none.
    controls : tuple of Check
        For a guarantee: the same check on cells that the theorem does not cover. If the bound also
        holds there, the guarantee is vacuous.
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
    any_of: str = ""
    controls: tuple["Check", ...] = ()

    @classmethod
    def make(cls, written: Mapping[str, Any]) -> Self:
        """Construct a check from an expanded entry of a claims file."""
        controls = tuple(cls.make(control) for control in written.get("controls", ()))
        return cls(**{**written, "controls": controls})

    @cached_property
    def metric(self) -> Metric:
        """The metric of the check."""
        return metric(self.quantity, self.statistic, self.arguments)

    @cached_property
    def cells(self) -> list[CellKey]:
        """The lane, setting and algorithm of each cell read by the check.

        The list is empty for facts and studies.
        """
        return self.metric.needed(self.arguments)

    @cached_property
    def label(self) -> str:
        """A description of the measured value."""
        words = {
            key: ", ".join(map(str, value)) if isinstance(value, list) else value
            for key, value in self.arguments.items()
        }
        words |= {key: in_words(words[key]) for key in ARGUMENTS if key in words}
        return self.metric.template.format(**words)

    @property
    def is_tested(self) -> bool:
        """Whether the check can fail, unlike the placeholder for a cell that was not run."""
        return self.quantity != "not_run"

    @property
    def settings(self) -> list[str]:
        """The settings named by the arguments."""
        return self.named(*SETTINGS)

    @property
    def algorithms(self) -> list[str]:
        """The algorithms named by the arguments."""
        return self.named(*ALGORITHMS)

    @property
    def rounds(self) -> list[int]:
        """The rounds named by the arguments, except round 0."""
        return [t for t in self.named(*ROUNDS) if t]

    @property
    def splits(self) -> int:
        """Number of data splits played by the trials; 0 if there are none."""
        return int(self.arguments.get("folds", 0) * self.arguments.get("repeats", 0))

    def named(self, *keys: str) -> list[Any]:
        """Return the distinct values of the arguments named in ``keys``."""
        values = [self.arguments[key] for key in keys if key in self.arguments]
        flat = itertools.chain.from_iterable(f if isinstance(f, list) else [f] for f in values)
        return list(dict.fromkeys(flat))

    @property
    def allowed(self) -> tuple[float, float]:
        """The lower and upper ends of the allowed range."""
        if self.relation == "equals":
            return self.bound - self.tolerance, self.bound + self.tolerance
        if self.relation == "between":
            low, high = self.bound
            return low, high
        return (-math.inf, self.bound) if self.relation == "below" else (self.bound, math.inf)

    @property
    def unless_better(self) -> "Check":
        """The check without the end of its band whose far side favours the paper's method."""
        if self.better not in ("below", "above"):
            return self
        low, high = self.bound
        if self.better == "below":
            return replace(self, relation="below", bound=high)
        return replace(self, relation="above", bound=low)

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
        Empty if the claim has only one reading.
    status : {"stated", "unstated", "ours"}
        Our own readings are shown but not counted.
    checks : list of Check
    alternatives : mapping
        A mapping from the name of each choice to the id of the chosen alternative.
    """

    name: str
    status: str
    checks: list[Check]
    alternatives: Mapping[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> bool:
        """Whether the verdict depends on the reading."""
        return self.status != "ours"

    @property
    def counted(self) -> list[Check]:
        """The checks on which the verdict depends."""
        return [check for check in self.checks if self.counts and check.status != "ours"]


@dataclass(frozen=True)
class Claim:
    """A statement in a paper, with the checks that test it.

    Attributes
    ----------
    id, place, statement, headline : str
    kind : {"empirical", "guarantee", "fact"}
    level : float
        Confidence level of the claim's tests and intervals.
    could_not_fail, chosen_by_it : str
        Why no run could have contradicted the claim, and how the claim was used to select the
        set-up; empty if not applicable.
    choices : mapping
        A mapping from the id of each choice to its name.
    suffices : str
        Name of the choice of which one alternative suffices; empty if there is none.
    quote, paper_value : str
        The paper's words, and the number that it prints for the claim; empty if there is none.
    effect : Effect or None
        The sentence that gives the measured answer.
    readings : list of Reading
    """

    id: str
    place: str
    statement: str
    readings: list[Reading]
    kind: str = "empirical"
    headline: str = ""
    level: float = 0.95
    could_not_fail: str = ""
    chosen_by_it: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    suffices: str = ""
    quote: str = ""
    paper_value: str = ""
    effect: Effect | None = None

    @classmethod
    def make(cls, written: Mapping[str, Any], level: float) -> Self:
        """Construct a claim from a loaded entry; ``level`` is the default confidence level."""
        about = {key: value for key, value in written.items() if key not in ("choices", "note")}
        names = {key: choice["name"] for key, choice in written.get("choices", {}).items()}
        if "suffices" in about:
            about["suffices"] = names[about["suffices"]]
        if "effect" in about:
            about["effect"] = Effect(**about["effect"])
        readings = [
            Reading(
                r["name"],
                r["status"],
                [Check.make(check) for check in r["checks"]],
                {names[key]: taken for key, taken in r.get("alternatives", {}).items()},
            )
            for r in written["readings"]
        ]
        return cls(**{"level": level, **about, "readings": readings, "choices": names})

    @property
    def all_checks(self) -> Iterator[Check]:
        """The checks of all readings, each followed by its controls."""
        checks = (check for reading in self.readings for check in reading.checks)
        return (one for check in checks for one in (check, *check.controls))

    @property
    def alpha(self) -> float:
        """The probability of error allowed on each side."""
        return (1.0 - self.level) / 2.0


def claims_of(document: Mapping[str, Any]) -> list[Claim]:
    """Construct the claims in a claims file loaded by `optimist.config.load.load_claims`."""
    return [Claim.make(claim, document["level"]) for claim in document["claims"]]


def check_claims(document: Mapping[str, Any], path: str | Path) -> None:
    """Check the claims in a loaded claims file against the table of metrics.

    Raises
    ------
    ConfigError
        If a claim is invalid; the message gives the file, the claim, the key, the value and the
        allowed values.
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
        arguments, each = entry.get("arguments", {}), entry.get("each", {})
        measured = metric(entry["quantity"], entry["statistic"], [*arguments, *each])
        for name in arguments:
            if name in each:
                wrong = f"{measured.name}: argument {name!r} is given twice"
                raise ConfigError(f"{wrong}; allowed: once")
        if "control" in entry:
            names = {**arguments, **each, **entry["control"]["arguments"]}
            metric(entry["quantity"], entry["statistic"], names)
        bound = entry.get("bound")
        ends = bound if isinstance(bound, list) else [bound]
        is_sign = all(end in SIGNS or end is None for end in ends)
        if not (is_sign or "note" in claim or "why" in entry):
            raise ConfigError(
                f"the bound {bound} of {measured.name} has no reason; required: a vague word, "
                "the key 'why', or a note on the claim"
            )


def check_effects(document: Mapping[str, Any], path: str | Path) -> None:
    """Check the sentences on effects in a claims file whose readings are expanded.

    Raise ConfigError if one is invalid; the message gives the file and the claim.
    """
    for claim in claims_of(document):
        try:
            if claim.effect is not None:
                claim.effect.check(claim)
        except ConfigError as error:
            raise ConfigError(f"{path}: claim {claim.id!r}: {error}") from None


def check_planned(
    claims: Iterable[Claim],
    names: Iterable[str],
    trials: Mapping[CellKey, int],
    homes: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Raise ConfigError if a check names an unknown setting or algorithm, or an unplanned cell.

    Parameters
    ----------
    claims : list of Claim
    names : collection of str
        Names of all settings and algorithms.
    trials : mapping
        Planned number of trials of each cell.
    homes : mapping
        The setting whose uniform play each setting shares.
    """
    checks = ((f"claim {claim.id!r}", check) for claim in claims for check in claim.all_checks)
    for where, check in checks:
        for key in (*SETTINGS, *ALGORITHMS):
            for name in check.named(key):
                if name not in names:
                    wrong = unknown_name(f"{key} of {check.metric.name}", name, names)
                    raise ConfigError(f"{where}: {wrong}")
        try:
            for lane, setting, algorithm in check.cells:
                if at_home((lane, setting, algorithm), homes) not in trials:
                    players = {a for other, s, a in trials if (other, s) == (lane, setting)}
                    place = f"algorithm in the {lane} lane of {setting!r}"
                    raise unknown_name(place, algorithm, players or {"none"})
        except ConfigError as error:
            raise ConfigError(f"{where}: {check.label}: {error}") from None


def check_first(
    claims: Iterable[Claim],
    rows: Rows,
    trials: Mapping[CellKey, int],
    least: int,
    homes: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Raise ConfigError if a row in config/first.csv is missing, wrong, or for no check.

    Every check that involves a statistical test needs a row. Facts, largest values over all trials,
    and placeholders for cells that were not run have none, because they have no sampling error.

    Parameters
    ----------
    claims : list of Claim
    rows : mapping
        The paper's rows of config/first.csv (see `optimist.claims.first`).
    trials : mapping
        Planned number of trials of each cell.
    least : int
        Minimum number of trials needed to decide one of the paper's checks.
    homes : mapping
        The setting whose uniform play each setting shares.
    """
    lacking: dict[str, None] = {}
    known: list[tuple[str, str]] = []
    for claim in claims:
        for check in (check for reading in claim.readings for check in reading.checks):
            measured, cells = check.metric, check.cells
            if measured.is_exact:
                continue
            known.append((claim.id, check.label))
            fewest = measured.least_units(check.arguments, claim.alpha)
            fewest = max(fewest, least) if measured.units == "trials" else fewest
            # No cells are planned for a study: its number of units is in runs.yaml.
            numbers = (trials[at_home(cell, homes)] for cell in cells)
            planned = min([check.splits or math.inf, *numbers])
            row = rows.get((claim.id, check.label))
            where = f"config/first.csv, claim {claim.id}, check {check.label!r}"
            if row is None:
                n0 = max(fewest, planned) if cells else fewest
                lacking[f'{claim.id},"{check.label}",{measured.units},0,{n0}'] = None
            elif row.unit != measured.units:
                raise ConfigError(f"{where}: unit is {row.unit!r}; allowed: {measured.units!r}")
            elif row.n0 < fewest:
                raise ConfigError(f"{where}: n0 is {row.n0}; allowed: at least {fewest}")
            elif row.n0 > fewest and row.start + row.n0 > planned:
                raise ConfigError(
                    f"{where}: from is {row.start} and n0 is {row.n0}, so {row.start + row.n0} "
                    f"{row.unit} are needed; allowed: at most {planned}, the number planned"
                )
    if lacking:
        more = f" and {len(lacking) - SHOWN} more" if len(lacking) > SHOWN else ""
        raise ConfigError(
            f"config/first.csv lacks {len(lacking)} row{'s' * (len(lacking) > 1)}; required: one "
            f"for each check, such as {'; '.join([*lacking][:SHOWN])}{more}"
        )
    for name, label in (key for key in rows if key not in known):
        hint = nearest(label, (other for claim_id, other in known if claim_id == name))
        raise ConfigError(
            f"config/first.csv has a row for the check {label!r} of {name}{hint}, which no claim "
            "has; allowed: one row for each check that has a statistical test"
        )


def claim_cells(claim: Claim, homes: Mapping[str, str] = MappingProxyType({})) -> set[CellKey]:
    """Return the cells read by a claim's counted checks, their controls and their gates.

    For a setting in ``homes``, uniform play is that of the setting given there.
    """
    counted = (check for reading in claim.readings for check in reading.counted)
    checks = [one for check in counted for one in (check, *check.controls)]
    gated = (cell for check in checks if check.metric.gate for cell in check.cells)
    uniform = {(lane, setting, UNIFORM) for lane, setting, _ in gated}
    return {at_home(cell, homes) for cell in uniform.union(*(check.cells for check in checks))}


def at_home(cell: CellKey, homes: Mapping[str, str]) -> CellKey:
    """Return the cell whose trials a cell shares, if it is one of uniform play."""
    lane, setting, algorithm = cell
    if algorithm == UNIFORM and lane == "regret":
        return lane, homes.get(setting, setting), algorithm
    return cell
