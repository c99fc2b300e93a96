"""From claims and tables to verdicts: what each check measured, its outcome, and the words."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from optimist.claims import guarantees
from optimist.claims.cells import Cells, Measurement, Missing, group
from optimist.claims.checks import Check, Claim, Reading, claims_of
from optimist.claims.context import CellKey, Context
from optimist.claims.inference import RATIO_UNITS, Evidence, Exact
from optimist.claims.logic import Conjunction, Part, bonferroni, conclude, holm, one_suffices
from optimist.claims.metrics import metric
from optimist.claims.names import number

# Outcomes of checks, by kind of claim; ``empty``: its control did not fail, so it says nothing.
OUTCOMES = {
    "empirical": ("holds", "fails", "undecided", "empty", "missing", "reported"),
    "guarantee": ("held", "violated", "missing", "reported"),
    "fact": ("matches", "differs", "missing", "reported"),
}
# Of a reading that counts; empty if a check lacks data.
READINGS = {
    "empirical": ("holds", "fails", "mixed", "undecided"),
    "guarantee": ("held", "violated"),
    "fact": ("matches", "differs"),
}
VERDICTS = {
    "empirical": ("reproduced", "partly", "not reproduced", "undecided", "missing", "shortened"),
    "guarantee": ("held", "violated", "missing", "shortened"),
    "fact": ("matches", "differs", "missing", "shortened"),
}
# What rounding may take a number beyond a bound that it may reach, relative to both.
ROUNDING = 1e-9
# A guarantee whose bound is so many times what was observed could hardly have failed.
COULD_NOT_FAIL = 10.0


@dataclass(frozen=True)
class Result:
    """A check with what was measured and what follows.

    Attributes
    ----------
    check : Check
    reading : Reading
        The one that it belongs to.
    measurement : Measurement or None
        None if cells are missing.
    rounds : int or None
        Number of rounds of the shortest cell read.
    remark : str
    support, refute : float
        One-sided p-values: small if the data show, or refute, what the check states.
    outcome : str
        One of `OUTCOMES`.
    slack : float
        Of a guarantee: bound over observed; nan for others.
    cannot_hold : bool
        Whether its control is shown not to fail, so that no number of trials makes it hold.
    open_controls : tuple of Result
        Controls that are undecided, on which the outcome waits.
    """

    check: Check
    reading: Reading
    measurement: Measurement | None
    rounds: int | None
    remark: str
    support: float = 1.0
    refute: float = 1.0
    outcome: str = ""
    slack: float = math.nan
    cannot_hold: bool = False
    open_controls: tuple["Result", ...] = ()

    @property
    def counts(self) -> bool:
        """Whether the verdict rests on it."""
        return self.reading.counts and self.check.status != "ours"


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim, with the results that it rests on.

    Attributes
    ----------
    claim : Claim
    word : str
        One of `VERDICTS`.
    explanation : str
        One line.
    results : list of Result
    outcomes : dict of str to str
        Of each reading that counts, by its name.
    flags : list of str
        Why the verdict says less than it seems.
    """

    claim: Claim
    word: str
    explanation: str
    results: list[Result]
    outcomes: dict[str, str] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)

    @property
    def is_flagged(self) -> bool:
        """Whether it is counted apart."""
        return bool(self.flags)


def evaluate(
    document: Mapping[str, Any],
    tables: Mapping[str, Any],
    context: Context | None = None,
) -> list[Verdict]:
    """Return a `Verdict` for every claim.

    Parameters
    ----------
    document : dict
        From `optimist.plan.config.load_claims`.
    tables : dict of str to pandas.DataFrame or None
        ``finals`` (setting, algorithm, trial, round, regret, status, covered, counters), ``times``
        (setting, algorithm, trial, round, seconds, status, turns, state_bytes, for probes
        selections and agreements), ``facts`` (name, setting, value), and those of studies by their
        names. Absent tables, rows and columns make checks missing.
    context : Context or None
        With it, trials beyond those that were planned count for the claims that they were run
        for, and for no others. A claim that was to be looked at twice has all of its trials then,
        and one that was not is decided on the new ones alone. Of a shortened run no verdict is
        given.
    """
    groups = group(tables)
    context = context or Context()
    found = [judge(claim, groups, kept(claim, context)) for claim in claims_of(document)]
    return [_withheld(v, context.shortened) for v in found] if context.shortened else found


def _withheld(verdict: Verdict, how: str) -> Verdict:
    """Return what was measured for a verdict without it, for the run was shortened."""
    results = [
        replace(
            result,
            outcome="missing" if result.outcome == "missing" else "reported",
            support=1.0,
            refute=1.0,
        )
        for result in verdict.results
    ]
    reason = f"the run was shortened ({how}), so nothing in it is a result"
    return Verdict(verdict.claim, "shortened", reason, results)


def kept(claim: Claim, context: Context) -> Mapping[CellKey, tuple[int, float]]:
    """Return which trials of each cell count for a claim: from the first to before the second."""
    if claim.id not in context.enlarged:
        return {cell: (0, number) for cell, number in context.trials.items()}
    if claim.looks == 2:
        return {}
    return {cell: (number, math.inf) for cell, number in context.trials.items()}


def judge(
    claim: Claim, groups: Any, keep: Mapping[CellKey, tuple[int, float]] | None = None
) -> Verdict:
    """Return the `Verdict` on one claim; ``groups`` and ``keep`` as `Cells` takes them."""

    def cells() -> Cells:
        return Cells(groups, keep or {})

    results = [_measure(reading, c, cells()) for reading in claim.readings for c in reading.checks]
    decide = {"empirical": _empirical, "guarantee": _guarantee, "fact": _fact}[claim.kind]
    return decide(claim, results, cells)


def _measure(reading: Reading, check: Check, cells: Cells) -> Result:
    cells.check_rounds(check.settings, check.algorithms, check.rounds)
    try:
        found, lack = metric(check.metric)(cells, **check.arguments), []
    except Missing as missing:
        found, lack = None, [f"no {missing}"]
    rounds = min(cells.rounds, default=None)
    remark = "; ".join([*lack, *dict.fromkeys(cells.notes)])
    if found is None:
        return Result(check, reading, None, rounds, remark, outcome="missing")
    if check.relation is None:
        return Result(check, reading, found, rounds, remark, outcome="reported")
    support, refute = p_values(check, found.evidence)
    return Result(check, reading, found, rounds, remark, support, refute)


def p_values(check: Check, evidence: Evidence) -> tuple[float, float]:
    """Return the p-values that a measured value supports, and refutes, what a check states.

    Two bounds are tested by two one-sided tests (Schuirmann, 1987).
    """
    low, high = check.allowed
    if isinstance(evidence, Exact):
        return _exact(check, evidence.value)
    below_high, above_high = evidence.p_values(high) if high < math.inf else (0.0, 1.0)
    below_low, above_low = evidence.p_values(low) if low > -math.inf else (1.0, 0.0)
    support = max(below_high, above_low)
    sides = 2.0 if math.isfinite(low) and math.isfinite(high) else 1.0
    refute = min(1.0, sides * min(above_high, below_low))
    if math.isnan(support) or math.isnan(refute):
        return 1.0, 1.0
    if support == refute == 1.0 and _is_certain(evidence):
        return _exact(check, evidence.value)
    return support, refute


def _is_certain(evidence: Evidence) -> bool:
    """Return whether a number is the same in all of enough trials, as a count at its limit is."""
    pieces = evidence.pieces(0.5)
    return (evidence.n or 0) >= RATIO_UNITS and len(pieces) == 1 and pieces[0][0] == pieces[0][1]


def _exact(check: Check, value: float) -> tuple[float, float]:
    """Return 0 and 1, or 1 and 0; 1 and 1 for a value that is none.

    The ends of a range belong to it, a one-sided bound does not.
    """
    if math.isnan(value):
        return 1.0, 1.0
    low, high = check.allowed
    if check.relation in ("below", "above"):
        inside = low < value < high
    else:
        spare = ROUNDING * max(abs(low), abs(high))
        inside = low - spare <= value <= high + spare
    return (0.0, 1.0) if inside else (1.0, 0.0)


# Empirical claims.


def _empirical(claim: Claim, results: list[Result], cells: Any) -> Verdict:
    results = _with_controls(results, claim, cells)
    results = [r for reading in claim.readings for r in _outcomes(_of(results, reading), claim)]
    counted = [r for r in results if r.counts]
    absent = _missing(counted)
    if absent:
        return Verdict(claim, "missing", absent, results, flags=_flags(claim))
    readings = [r for r in claim.readings if r.counts]
    found = {r.name: conjunction(_of(counted, r)) for r in readings}
    word = conclude(list(found.values()), claim.alpha, _distinct(counted))
    outcomes = {name: one.outcome(claim.alpha) for name, one in found.items()}
    why = _why(found, claim, counted)
    if word == "undecided" and teaches_nothing(counted):
        why += "; under one reading nothing can be learnt, so that no trials make it reproduced"
    elif word == "undecided" and (unable := number_that_cannot_hold(counted)):
        checks = "one check" if unable == 1 else f"{unable} checks"
        why += f"; {checks} cannot hold, so that more trials can refute it but not reproduce it"
    return Verdict(claim, word, why, results, outcomes, _flags(claim))


def teaches_nothing(counted: Iterable[Result]) -> bool:
    """Return whether all checks of some reading are empty, which then neither holds nor fails."""
    outcomes: dict[str, set[str]] = {}
    for r in counted:
        outcomes.setdefault(r.reading.name, set()).add(r.outcome)
    return {"empty"} in outcomes.values()


def number_that_cannot_hold(counted: Iterable[Result]) -> int:
    """Return how many checks cannot hold, each once; none of tunings, of which one suffices."""
    return len({_key(r) for r in counted if r.cannot_hold and not r.check.tuning})


def _key(result: Result) -> tuple[str, str, str | None]:
    return result.check.label, result.check.bound_text, result.check.relation


def _distinct(counted: Sequence[Result]) -> list[float] | None:
    """Return what refutes each check, once where readings share it; None of tunings."""
    if any(r.check.tuning for r in counted):
        return None
    return [*{_key(r): r.refute for r in counted}.values()]


def _of(results: Iterable[Result], reading: Reading) -> list[Result]:
    return [result for result in results if result.reading is reading]


def _with_controls(results: list[Result], claim: Claim, cells: Any) -> list[Result]:
    """Empty the checks whose control holds, since nothing could be learnt there.

    While a control is undecided so is its check. A control that is only needed to hold leaves what
    refutes a check.
    """
    for i, result in enumerate(results):
        if result.check.controls and not result.outcome:
            outcome, reason, waiting = _control(result, claim, cells)
            if outcome and result.check.control_spares_failure and outcome != "missing":
                remark = "; ".join(filter(None, [f"cannot hold: {reason}", result.remark]))
                found = replace(result, support=1.0, remark=remark, cannot_hold=outcome == "empty")
            else:
                found = _without(result, outcome, reason) if outcome else result
            results[i] = replace(found, open_controls=waiting)
    return results


def _without(result: Result, outcome: str, reason: str) -> Result:
    """Return a result from which nothing follows, for some reason."""
    return replace(
        result,
        support=1.0,
        refute=1.0,
        outcome=outcome,
        remark="; ".join(filter(None, [reason, result.remark])),
        cannot_hold=outcome == "empty",
    )


def _control(result: Result, claim: Claim, cells: Any) -> tuple[str, str, tuple[Result, ...]]:
    """Return outcome, reason and open controls of a check whose controls do not fail, else nothing.

    It is empty if a control of those that must all fail is shown to hold, or all of those of which
    one is enough; undecided if that is open.
    """
    found = [_measure(result.reading, control, cells()) for control in result.check.controls]
    refutes = [one.refute for one in found]
    needed = bonferroni(refutes) if result.check.any_control else max(refutes)
    if needed <= claim.alpha:
        return "", "", ()
    lacking = [f"for its control {one.remark}" for one in found if one.outcome == "missing"]
    if lacking:
        return "missing", lacking[0], ()
    supports = [one.support for one in found]
    shown = max(supports) if result.check.any_control else bonferroni(supports)
    # Of several of which one is enough, the one that is nearest to failing.
    pick = min if result.check.any_control else max
    named = pick(found, key=lambda one: one.refute)
    label = named.check.label
    if shown <= claim.alpha:
        return "empty", f"nothing to learn: its control, {label}, does not fail", ()
    reason = f"whether anything can be learnt is open: its control, {label}, is undecided"
    waiting = [named] if result.check.any_control else [r for r in found if r.refute > claim.alpha]
    return "undecided", reason, tuple(waiting)


def _outcomes(results: list[Result], claim: Claim) -> list[Result]:
    """Return the results of one reading with their outcomes; Holm names those that fail.

    What does not count is corrected by itself.
    """
    adjusted: dict[int, float] = {}
    for counts in (True, False):
        own = [
            i
            for i, r in enumerate(results)
            if not r.outcome and r.counts == counts and r.check.is_tested
        ]
        # What is empty counts among those that are corrected for, as it does for the reading.
        spare = [1.0] * sum(r.outcome == "empty" and r.counts == counts for r in results)
        values = holm([results[i].refute for i in own] + spare)[: len(own)]
        adjusted |= dict(zip(own, values, strict=True))

    def outcome(i: int) -> str:
        if results[i].support <= claim.alpha:
            return "holds"
        return "fails" if adjusted[i] <= claim.alpha else "undecided"

    results = [
        replace(r, outcome=outcome(i)) if i in adjusted else r for i, r in enumerate(results)
    ]
    return [r if r.outcome else replace(r, outcome="undecided") for r in results]


def conjunction(results: Sequence[Result]) -> Conjunction:
    """Return what the counted checks of one reading say together."""
    tunings: dict[str, dict[str, list[Result]]] = {}
    for r in results:
        tunings.setdefault(r.check.tuning, {}).setdefault(r.check.part, []).append(r)
    found = [
        Conjunction(
            tuple(
                Part(
                    name,
                    tuple(r.support for r in own),
                    tuple(r.refute for r in own if r.check.is_tested),
                )
                for name, own in parts.items()
            )
        )
        for parts in tunings.values()
    ]
    return found[0] if [*tunings] == [""] else one_suffices(found)


def _missing(counted: Sequence[Result]) -> str:
    """Say which counted checks lack data; a tuning that fails without them needs none."""
    absent = [r for r in counted if r.outcome == "missing"]
    failed = {(id(r.reading), r.check.tuning) for r in counted if r.outcome == "fails"}
    lacking = [
        r for r in absent if not r.check.tuning or (id(r.reading), r.check.tuning) not in failed
    ]
    if not lacking:
        return ""
    first = lacking[0].remark.split("; ")[0]
    return f"{len(lacking)} of {len(counted)} checks cannot be made: {first}"


def _why(
    found: Mapping[str, Conjunction], claim: Claim, counted: Sequence[Result], shown: int = 4
) -> str:
    """Say of each reading how it came out, and what does not hold in it."""
    texts = []
    for name, reading in [*found.items()][:shown]:
        own = [r for r in counted if r.reading.name == name]
        texts.append(
            f"{name}: {_which(reading, own, claim)}" if name else _which(reading, own, claim)
        )
    if len(found) > shown:
        rest = Counter(one.outcome(claim.alpha) for one in [*found.values()][shown:])
        counts = ", ".join(f"{n} {word}" for word, n in rest.items())
        texts.append(f"of {len(found) - shown} more readings {counts}")
    return "; ".join(texts)


def _which(reading: Conjunction, results: Sequence[Result], claim: Claim, shown: int = 2) -> str:
    """Say how many checks of a reading hold, and name the first that do not."""
    outcome = reading.outcome(claim.alpha)
    tunings = list(dict.fromkeys(r.check.tuning for r in results))
    if tunings != [""]:
        return _which_tuning(outcome, tunings, results, claim)
    if outcome == "holds":
        return "holds" if len(results) == 1 else f"all {len(results)} checks hold"
    others = sorted(
        (r for r in results if r.outcome != "holds"), key=lambda r: r.outcome != "fails"
    )
    names = ", ".join(f"{r.check.label} ({r.outcome})" for r in others[:shown])
    more = f" and {len(others) - shown} more" if len(others) > shown else ""
    holding = len(results) - len(others)
    return f"{outcome}, {holding} of {len(results)} checks hold, not: {names}{more}"


def _which_tuning(
    outcome: str, tunings: Sequence[str], results: Sequence[Result], claim: Claim
) -> str:
    """Say of how many tunings, of which one suffices, all checks hold, one fails, or neither."""
    found = {t: conjunction([r for r in results if r.check.tuning == t]) for t in tunings}
    words = {t: one.outcome(claim.alpha) for t, one in found.items()}
    holding = [t for t, word in words.items() if word == "holds"]
    texts = []
    for verbs, members in (
        (("fails", "fail"), [t for t, word in words.items() if word in ("fails", "mixed")]),
        (("is undecided", "are undecided"), [t for t in tunings if words[t] == "undecided"]),
        (("holds by itself", "hold by themselves"), holding),
    ):
        if members:
            texts.append(f"{len(members)} {verbs[len(members) > 1]}")
    said = f"{outcome}; of {len(tunings)} tunings, one of which suffices, {', '.join(texts)}"
    if holding and outcome != "holds":
        p = min(found[t].support for t in holding)
        said += (
            f" ({', '.join(holding)}); corrected for having picked one of {len(tunings)}, that is "
            f"times {len(tunings)}, the least p is {len(tunings) * p:.3g}, and at most "
            f"{claim.alpha:.3g} is needed"
        )
    return f"{said} ({', '.join(holding)})" if holding and outcome == "holds" else said


def _flags(claim: Claim) -> list[str]:
    flags = []
    if claim.could_not_fail:
        flags.append(f"could not fail: {claim.could_not_fail}")
    if claim.chosen_by_it:
        flags.append(f"was chosen by it: {claim.chosen_by_it}")
    return flags


# Guarantees and facts.


def _guarantee(claim: Claim, results: list[Result], cells: Any) -> Verdict:
    counted = [r for r in results if r.counts]
    results = [guarantees.decide(r, claim, counted) for r in map(_defined, results)]
    counted = [r for r in results if r.counts]
    absent = _missing(counted)
    flags = _flags(claim)
    broken = [r for r in counted if r.outcome == "violated"]
    if absent and not broken:  # one violation needs no other number
        return Verdict(claim, "missing", absent, results, flags=flags)
    slacks = [r.slack for r in counted if not math.isnan(r.slack)]
    if not flags and slacks and len(slacks) == len(counted) and min(slacks) >= COULD_NOT_FAIL:
        least = min(slacks)
        times = f"at least {_rounded_down(least)}" if least < math.inf else "infinitely many"
        flags.append(f"could not fail: the bound is {times} times what was observed")
    kept = [r for r in counted if r.check.controls and _is_kept(r, claim, cells)]
    if not flags and kept and len(kept) == sum(bool(r.check.controls) for r in counted):
        flags.append("could not fail: a control outside the theorem keeps the bound too")
    word = "violated" if broken else "held"
    reason = (
        f"{len(broken)} of {len(counted)} checks are violated: {broken[0].check.label}"
        if broken
        else f"held in all {len(counted)} checks"
        if len(counted) > 1
        else "held"
    )
    if slacks and len(slacks) == len(counted) and 0.0 < min(slacks) < math.inf:
        reason += f"; the bound is at least {_rounded_down(min(slacks))} times what was observed"
    return Verdict(claim, word, reason, results, _by_reading(counted, "violated", "held"), flags)


def _rounded_down(value: float, digits: int = 3) -> str:
    """Return what a value is at least, but for a hundredth of its last digit."""
    unit = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return number(math.floor(value / unit + 0.01) * unit)


def _is_kept(result: Result, claim: Claim, cells: Any) -> bool:
    """Return whether the controls of a guarantee keep its bound too: one of all, or all of any."""
    found = [_measure(result.reading, control, cells()) for control in result.check.controls]
    keep = [r.measurement is not None and _not_violated(r, claim) for r in found]
    return all(keep) if result.check.any_control else any(keep)


def _not_violated(control: Result, claim: Claim) -> bool:
    """Return whether what is outside a theorem keeps its bound, by the test that decides on it."""
    return guarantees.decide(control, claim, [control]).outcome == "held"


def _defined(result: Result) -> Result:
    """Return a result, missing if its value is none."""
    found = result.measurement
    if found is None or not math.isnan(found.evidence.value) or result.outcome == "reported":
        return result
    return _without(result, "missing", f"no value of {result.check.label}")


def _fact(claim: Claim, results: list[Result], cells: Any) -> Verdict:
    del cells
    results = [_compared(_defined(r)) for r in results]
    counted = [r for r in results if r.counts]
    absent = _missing(counted)
    if absent:
        return Verdict(claim, "missing", absent, results, flags=_flags(claim))
    off = [r for r in counted if r.outcome == "differs"]
    reason = f"{len(counted) - len(off)} of {len(counted)} numbers match"
    if off:
        more = f" and {len(off) - 1} more" if len(off) > 1 else ""
        reason += f", not: {off[0].check.label}{more}"
    outcomes = _by_reading(counted, "differs", "matches")
    return Verdict(claim, "differs" if off else "matches", reason, results, outcomes, _flags(claim))


def _compared(result: Result) -> Result:
    """Return the result of a fact with its outcome: what counts is the value itself."""
    if result.outcome or result.measurement is None:
        return result
    support, refute = _exact(result.check, result.measurement.evidence.value)
    outcome = "matches" if support == 0.0 else "differs"
    return replace(result, support=support, refute=refute, outcome=outcome)


def _by_reading(counted: Sequence[Result], bad: str, good: str) -> dict[str, str]:
    names = dict.fromkeys(r.reading.name for r in counted)
    broken = {r.reading.name for r in counted if r.outcome == bad}
    return {name: bad if name in broken else good for name in names}
