"""From claims and tables to verdicts: checks, their outcomes, and what follows for each claim."""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from optimist.claims.cells import Cells, Measurement, Missing, group
from optimist.claims.metrics import metric, metric_arguments
from optimist.errors import ConfigError, nearest, unknown_name
from optimist.statistics import holm

# Arguments of metrics that name a setting or an algorithm.
NAMING = (
    *("setting", "settings", "base", "algorithm", "numerator", "denominator"),
    *("better", "worse", "one", "other"),
)
OUTCOMES = ("holds", "fails", "undecided", "missing", "reported")
VERDICTS = ("reproduced", "partly", "not reproduced", "undecided", "missing")


@dataclass(frozen=True)
class Check:
    """One comparison, see `optimist.claims`.

    ``bound`` is a number, or two for the relation ``between``. Informative checks may lack relation
    and bound.
    """

    metric: str
    arguments: dict
    relation: str | None = None
    bound: Any = None
    tolerance: Any = None
    configuration: str | None = None
    informative: bool = False

    @property
    def label(self) -> str:
        """What is measured, in words."""
        words = {k: ", ".join(v) if isinstance(v, list) else v for k, v in self.arguments.items()}
        return metric(self.metric).template.format(**words)

    @property
    def setting(self) -> str:
        """The settings involved, separated by commas."""
        found = [self.arguments.get(key) for key in ("setting", "settings", "base")]
        flat = itertools.chain.from_iterable(f if isinstance(f, list) else [f] for f in found)
        return ", ".join(name for name in flat if name)

    @property
    def one_sided(self) -> bool:
        """Whether the value must lie on one side of the bound, which itself is outside."""
        return self.relation in ("below", "above")

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
class Result:
    """A check with what was measured and what follows.

    ``measurement`` is None if cells are missing, ``rounds`` the number of rounds of the shortest
    cell read, None if there is none. Outcomes are described in `optimist.claims`.
    """

    check: Check
    measurement: Measurement | None
    rounds: int | None
    remark: str
    p_adjusted: float = math.nan
    outcome: str = ""

    @property
    def p_value(self) -> float | None:
        """The p-value of a counted one-sided check on a sampled value, None for others."""
        found = self.measurement
        if self.check.informative or not self.check.one_sided:
            return None
        return found.estimate.p_value(self.check.bound) if found and found.estimate else None


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim, one of `VERDICTS`, with the results it rests on."""

    claim: str
    place: str
    statement: str
    note: str
    verdict: str
    explanation: str
    results: list

    @property
    def family(self) -> int:
        """The number of comparisons over which Holm's correction is made."""
        return sum(result.p_value is not None for result in self.results)


# Claims files.


def check_claims(claims: Mapping[str, Any], path: str | Path) -> None:
    """Check the claims of a file, which have the form of their schema, against `METRICS`.

    Raises
    ------
    ConfigError
        Naming file, claim, key, value and what is allowed.
    """
    paper = Path(path).parent.name
    if claims["paper"] != paper:
        raise ConfigError(f"{path}: paper is {claims['paper']!r}; allowed: {paper!r}")
    ids = Counter(claim["id"] for claim in claims["claims"])
    for claim in claims["claims"]:
        where = f"{path}: claim {claim['id']!r}"
        if not claim["id"].startswith(f"{paper}."):
            raise ConfigError(f"{where}: id is {claim['id']!r}; allowed: {paper}.NUMBER")
        if ids[claim["id"]] > 1:
            raise ConfigError(f"{where} occurs {ids[claim['id']]} times; allowed: once")
        for check in claim["checks"]:
            try:
                _check_arguments(check)
            except ConfigError as error:
                raise ConfigError(f"{where}: {error}") from None


def _check_arguments(check):
    allowed = metric_arguments(check["metric"])
    given = [*check.get("arguments", {}), *check.get("each", {})]
    for name in given:
        if name not in allowed or given.count(name) > 1:
            fault = "given twice" if name in allowed else f"unknown{nearest(name, allowed)}"
            raise ConfigError(
                f"metric {check['metric']!r}: argument {name!r} is {fault}; "
                f"allowed: {', '.join(allowed)}"
            )
    absent = [name for name in allowed if name not in given]
    if absent:
        raise ConfigError(f"metric {check['metric']!r} lacks argument {', '.join(absent)}")


def check_names(claims: dict[str, Any], known: Iterable[str]) -> None:
    """Raise ConfigError for a check about a setting or an algorithm that is not ``known``."""
    for claim in claims["claims"]:
        for check in expand(claim):
            for key in NAMING:
                value = check.arguments.get(key, [])
                for name in value if isinstance(value, list) else [value]:
                    if name not in known:
                        wrong = unknown_name(f"{key} of metric {check.metric}", name, known)
                        raise ConfigError(f"claim {claim['id']!r}: {wrong}")


def expand(claim: dict[str, Any]) -> Iterator[Check]:
    """Yield the `Check`s of a claim, one for each combination of ``each``."""
    for entry in claim["checks"]:
        entry = dict(entry)
        fixed, each = entry.pop("arguments", {}), entry.pop("each", {})
        for values in itertools.product(*each.values()):
            yield Check(arguments={**fixed, **dict(zip(each, values, strict=True))}, **entry)


# Verdicts.


def evaluate(claims: dict[str, Any], tables: Mapping[str, Any]) -> list[Verdict]:
    """Return a `Verdict` for every claim.

    Parameters
    ----------
    claims : dict
        From `optimist.plan.config.load_claims`.
    tables : dict of str to pandas.DataFrame or None
        ``finals`` (setting, algorithm, trial, round, regret, status, covered, counters), ``times``
        (setting, algorithm, trial, round, seconds, status, state_bytes, for probes selections and
        agreements), ``facts`` (name, setting, value), and those of studies by their names.
        Absent tables, rows and columns make checks missing.
    """
    groups = group(tables)
    return [judge(claim, groups, claims["level"]) for claim in claims["claims"]]


def judge(claim: dict[str, Any], groups: Any, level: float) -> Verdict:
    """Return the `Verdict` on one claim; ``groups`` as `Cells` takes them."""
    measured = _correct([_measure(check, Cells(groups, level)) for check in expand(claim)])
    results = [replace(result, outcome=_outcome(result, level)) for result in measured]
    about = claim["id"], claim["place"], claim["statement"], claim.get("note", "")
    verdict, reason = _conclude(results)
    return Verdict(*about, verdict, reason, results)


def _measure(check, cells):
    try:
        found, lack = metric(check.metric)(cells, **check.arguments), []
    except Missing as missing:
        found, lack = None, [f"no {missing}"]
    rounds = min(cells.rounds, default=None)
    lone = ["one trial"] if found and found.trials == 1 else []
    return Result(check, found, rounds, "; ".join([*lack, *lone, *dict.fromkeys(cells.notes)]))


def _correct(results):
    """Return the results with the p-values of the family adjusted by Holm's method."""
    p_values = {i: r.p_value for i, r in enumerate(results) if r.p_value is not None}
    adjusted = dict(zip(p_values, holm(list(p_values.values())), strict=True))
    return [replace(r, p_adjusted=adjusted.get(i, math.nan)) for i, r in enumerate(results)]


def _outcome(result, level):
    check, found = result.check, result.measurement
    if found is None:
        return "missing"
    if check.relation is None:
        return "reported"
    (low, high), (floor, ceiling) = found.ends, check.allowed
    if math.isnan(low) or math.isnan(high) or result.p_adjusted >= 1.0 - level:
        return "undecided"
    if check.one_sided:
        inside, outside = floor < low and high < ceiling, high <= floor or low >= ceiling
    else:
        inside, outside = floor <= low and high <= ceiling, high < floor or low > ceiling
    return "holds" if inside else "fails" if outside else "undecided"


def _conclude(results):
    """Return the verdict and one line that explains it."""
    counted = [r for r in results if not r.check.informative]
    outcomes = Counter(r.outcome for r in counted)
    if outcomes["missing"]:
        first = next(r.remark for r in counted if r.outcome == "missing").split("; ")[0]
        return "missing", f"{outcomes['missing']} of {len(counted)} checks cannot be made: {first}"
    if _hold(counted):
        all_hold = f"all {len(counted)} checks hold" if len(counted) > 1 else "holds"
        return "reproduced", all_hold + _lone_trials(counted)
    groups = _groups(counted)
    if any(map(_hold, groups.values())):
        verdict = "partly"
    else:
        verdict = "not reproduced" if outcomes["fails"] else "undecided"
    return verdict, _which_groups_hold(groups) + _lone_trials(counted)


def _hold(results):
    return all(r.outcome == "holds" for r in results)


def _groups(counted):
    """Return the counted checks by configuration, or by setting if there are no configurations.

    Checks that belong to none are common to all groups; a claim with fewer than two settings is
    one group without a name.
    """
    keys = [r.check.configuration for r in counted]
    if not any(keys):
        keys = [r.check.arguments.get("setting") for r in counted]
        if len({*keys} - {None}) < 2:
            return {"": counted}
    names = dict.fromkeys(filter(None, keys))
    pairs = list(zip(keys, counted, strict=True))
    return {name: [r for key, r in pairs if key in (None, name)] for name in names}


def _which_groups_hold(groups, shown=4):
    """Say which groups hold, these first, and what does not hold in the others."""
    order = sorted(groups.items(), key=lambda item: not _hold(item[1]))
    parts = [f"{name}: {_which_hold(g)}" if name else _which_hold(g) for name, g in order[:shown]]
    more = [f"and {len(order) - shown} more"] if len(order) > shown else []
    return "; ".join(parts + more)


def _which_hold(results, shown=2):
    """Say how many checks hold and name the first ones that do not."""
    others = [f"{r.check.label} ({r.outcome})" for r in results if r.outcome != "holds"]
    if not others:
        return "holds"
    more = f" and {len(others) - shown} more" if len(others) > shown else ""
    holding = len(results) - len(others)
    return f"{holding} of {len(results)} hold, not: {', '.join(others[:shown])}{more}"


def _lone_trials(counted):
    """Say how many checks were decided on one trial; empty if none was."""
    lone = sum(r.measurement.trials == 1 for r in counted)
    return f" (one trial behind {lone} of {len(counted)} checks)" if lone else ""
