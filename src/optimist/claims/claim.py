"""Claims as data: what a paper states, and how each statement is checked.

A paper's claims (`PaperClaims`) have readings, and a reading has checks. `optimist.config.claims`
makes them from a claims file. `Gate` and the words for kinds and outcomes are here, too.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from optimist.claims import rule
from optimist.claims.metrics.table import Metric, metric
from optimist.claims.wording import ARGUMENTS, in_words
from optimist.core.label import Value
from optimist.experiments.trials import CellKey

# Metric arguments that name settings, and those that name algorithms.
SETTINGS = ("setting", "settings", "base")
ALGORITHMS = ("algorithm", "numerator", "denominator", "better", "worse", "one", "other")
# Metric arguments that name rounds, which the table of trials must contain.
ROUNDS = ("rounds", "since")
KINDS = ("empirical", "guarantee", "fact")
# A reading is fixed by the paper (stated), left open by it (unstated), or our own (ours). If a
# reading's alternatives differ in status, the last of their statuses in this order applies.
STATUSES = ("stated", "unstated", "ours")
# Possible outcomes of counted readings, for each kind of claim. A reading without data has no
# outcome.
READINGS = {
    "empirical": ("holds", "fails", "open", "idle"),
    "guarantee": ("held", "violated", "vacuous"),
    "fact": ("matches", "differs"),
}
# Possible outcomes of checks, for each kind of claim.
OUTCOMES = {kind: (*outcomes, "missing", "reported") for kind, outcomes in READINGS.items()}
VERDICTS = {
    "empirical": (*rule.WORDS, "shortened"),
    "guarantee": (*READINGS["guarantee"], "missing", "shortened"),
    "fact": (*READINGS["fact"], "selected by it", "missing", "shortened"),
}
# A setting and an algorithm.
Pair = tuple[str, str]


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
    controls : list of Check
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
    controls: list["Check"] = field(default_factory=list)

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
class Gate:
    r"""P-values from comparisons with uniform play.

    Attributes
    ----------
    support, refute, idle : float
        What $p^+$ and $p^-$ are raised to, and i; see `optimist.claims.gates`.
    remark : str
        Names the settings without uniform play; empty if there are none.
    lacking : tuple of str
        These settings.
    opening : tuple of (str, str)
        The cells whose methods can open the gate.
    is_of_everybody : bool
        Whether methods that the check does not name can open the gate (kinds 2 and 3).
    """

    support: float
    refute: float
    idle: float
    remark: str = ""
    lacking: tuple[str, ...] = ()
    opening: tuple[Pair, ...] = field(default=(), repr=False)
    is_of_everybody: bool = False


@dataclass(frozen=True)
class Alternative:
    """One way to fill in what a paper leaves open.

    Attributes
    ----------
    status : {"stated", "unstated", "ours"}
    name, about : str
        A name, and a sentence that explains what the alternative changes.
    settings, algorithms : mapping
        Labels to replace, each mapped to its replacement.
    options : mapping
        Options to add to settings.
    """

    status: str
    name: str
    about: str
    settings: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Value] = field(default_factory=dict)
    algorithms: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """A point that a paper leaves open, with the alternatives that fill it in, by id."""

    name: str
    about: str
    alternatives: Mapping[str, Alternative]


@dataclass(frozen=True)
class Effect:
    """The sentence that states a claim's answer; see `optimist.claims.effects`.

    Attributes
    ----------
    text : str
        The sentence, with fields in braces.
    numbers : mapping
        For each name of a selection, the conditions by which it selects checks: values of their
        quantity, statistic or arguments, or alternatives of their readings (``when``). With
        ``ours``, checks that do not count are selected too.
    """

    text: str
    numbers: Mapping[str, Mapping[str, Any]]


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
        A mapping from the id of each choice to the choice.
    suffices : str
        Name of the choice of which one alternative suffices; empty if there is none.
    quote, paper_value, note : str
        The paper's words, the number that it prints for the claim, and our remarks; empty if there
        are none.
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
    choices: Mapping[str, Choice] = field(default_factory=dict)
    suffices: str = ""
    quote: str = ""
    paper_value: str = ""
    note: str = ""
    effect: Effect | None = None

    @property
    def all_checks(self) -> Iterator[Check]:
        """The checks of all readings, each followed by its controls."""
        checks = (check for reading in self.readings for check in reading.checks)
        return (one for check in checks for one in (check, *check.controls))

    @property
    def alpha(self) -> float:
        """The probability of error allowed on each side."""
        return (1.0 - self.level) / 2.0


@dataclass(frozen=True)
class PaperClaims:
    """The claims of a paper, and what their verdicts need besides tables.

    Attributes
    ----------
    paper : str
    claims : list of Claim
    least : int
        Smallest number of trials with which the paper's checks are decided.
    first : list of list
        The paper's rows of config/first.csv, as returned by `optimist.claims.first.read`.
    uniform_names, titles : mapping
        For each setting, the name that settings with the same uniform play share; titles of base
        settings.
    learners : mapping
        For each setting, the methods of counted readings that the paper's own runs play in it.
    """

    paper: str
    claims: list[Claim]
    least: int = 1
    first: list[list[Any]] = field(default_factory=list)
    uniform_names: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    learners: Mapping[str, list[str]] = field(default_factory=dict)

    @classmethod
    def restore(cls, plain: Mapping[str, object]) -> Self:
        """Return the claims that `dataclasses.asdict` turned into plain data."""
        from pydantic import TypeAdapter

        restored: Self = TypeAdapter(cls).validate_python(plain)
        return restored
