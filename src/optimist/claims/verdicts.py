"""From claims and tables to verdicts: what each check measured, its outcome, and the words."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from optimist.claims import guarantees, rule
from optimist.claims.cells import Missing, group
from optimist.claims.checks import Check, Claim, Reading, claims_of
from optimist.claims.context import Context
from optimist.claims.first import Rows, of_document
from optimist.claims.gates import Gates, counted
from optimist.claims.results import Result, error_of, exact_p_values, tested_readings
from optimist.claims.vague import own_intervals
from optimist.claims.wording import number

# Outcomes of checks, by kind of claim.
OUTCOMES = {
    "empirical": ("holds", "fails", "open", "idle", "missing", "reported"),
    "guarantee": ("held", "violated", "vacuous", "missing", "reported"),
    "fact": ("matches", "differs", "missing", "reported"),
}
# Of a reading that counts; empty if a check lacks data.
READINGS = {
    "empirical": ("holds", "fails", "open", "idle"),
    "guarantee": ("held", "violated", "vacuous"),
    "fact": ("matches", "differs"),
}
VERDICTS = {
    "empirical": (*rule.WORDS, "shortened"),
    "guarantee": ("held", "violated", "vacuous", "missing", "shortened"),
    "fact": ("matches", "differs", "selected by it", "missing", "shortened"),
}

# What makes a claim or a reading untestable.
IDLE = "no check has a method that beats uniform play by its factor in each of its settings"


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
    text : str
        The word with its qualifiers, or with the choice that it depends on.
    parts : dict of str to str
        The same of each part of an empirical claim that has several.
    stated : str
        What the stated reading says: its outcome, or that the paper fixes no reading.
    if_counted : str
        The same if readings and checks of ours counted; empty if there are none.
    turns : float
        The largest error on a side below the claim's at which the word is another; 0 if none is.
    own_interval : str
        For which bounds of its vague words the claim would have an outer word.
    """

    claim: Claim
    word: str
    explanation: str
    results: list[Result]
    outcomes: dict[str, str] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    text: str = ""
    parts: dict[str, str] = field(default_factory=dict)
    stated: str = ""
    if_counted: str = ""
    turns: float = math.nan
    own_interval: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.text or self.word)


def evaluate(
    document: Mapping[str, Any],
    tables: Mapping[str, Any],
    context: Context | None = None,
) -> list[Verdict]:
    """Return a `Verdict` for every claim.

    Parameters
    ----------
    document : dict
        From `optimist.config.load.load_claims`.
    tables : dict of str to pandas.DataFrame or None
        ``finals`` (setting, algorithm, trial, round, regret, status, covered, counters), ``times``
        (setting, algorithm, trial, round, seconds, status, turns, state_bytes, for probes
        selections and agreements), ``facts`` (name, setting, value), and those of studies by their
        names. Absent tables, rows and columns make checks missing.
    context : Context or None
        Of a shortened run no verdict is given.
    """
    groups = group(tables)
    first = of_document(document.get("first", ()))
    gates = Gates(groups, first, document["paper"])
    found = [judge(claim, groups, first, gates) for claim in claims_of(document)]
    shortened = context.shortened if context else ""
    return [_withheld(v, shortened) for v in found] if shortened else found


def _withheld(verdict: Verdict, how: str) -> Verdict:
    """Return what was measured for a verdict without it, for the run was shortened."""
    results = [
        # A missing one has both already.
        r if r.outcome == "missing" else replace(r, outcome="reported", support=1.0, refute=1.0)
        for r in verdict.results
    ]
    reason = f"the run was shortened ({how}), so nothing in it is a result"
    return Verdict(verdict.claim, "shortened", reason, results)


def judge(
    claim: Claim, groups: Any, first: Rows | None = None, gates: Gates | None = None
) -> Verdict:
    """Return the `Verdict` on one claim; ``groups`` as `optimist.claims.cells.Cells` takes them."""
    first = {} if first is None else first
    gates = gates or Gates(groups, first, claim.id.partition(".")[0])

    def measured(reading: Reading, check: Check) -> Result:
        return _measure(claim, reading, check, groups, first, gates)

    results = [measured(reading, check) for reading in claim.readings for check in reading.checks]
    decide = {"empirical": _empirical, "guarantee": _guarantee, "fact": _fact}[claim.kind]
    return decide(claim, results, measured)


Measure = Callable[[Reading, Check], Result]


def _measure(
    claim: Claim, reading: Reading, check: Check, groups: Any, first: Rows, gates: Gates
) -> Result:
    row = first.get((claim.id, check.label))
    cells, k = counted(groups, row, check.cells)
    cells.check_rounds(check.settings, check.algorithms, check.rounds)
    try:
        found, lack = check.metric(cells, **check.arguments), []
        if cells.studied and row is not None:
            cells, k = counted(groups, row, (), cells.studied)
            found = check.metric(cells, **check.arguments)
    except Missing as missing:
        found, lack = None, [f"no {missing}"]
    rounds = min(cells.rounds, default=None)
    if k < 0 and found is not None:
        cells.notes.append(f"fewer than {row.n0} {row.unit}" if row else "")
    remark = "; ".join([*lack, *dict.fromkeys(filter(None, cells.notes))])
    result = Result(check, reading, found, rounds, remark, row, k)
    if found is None:
        return replace(result, outcome="missing")
    if check.relation is None:
        return replace(result, outcome="reported")
    gate = gates.of(claim.id, check) if claim.kind == "empirical" else None
    if gate is not None:
        remark = "; ".join(filter(None, [remark, gate.remark]))
    return replace(result, gate=gate, remark=remark).compared()


# Empirical claims.


def _empirical(claim: Claim, results: list[Result], measured: Measure) -> Verdict:
    del measured
    alpha = claim.alpha
    results = _with_outcomes(results, claim)
    own = [r for r in results if r.counts]
    if absent := _missing(own):
        return Verdict(claim, "missing", absent, results, flags=_flags(claim))
    readings = tested_readings(own)
    found = rule.conclude(readings, alpha)
    parts = rule.of_parts(readings, alpha)
    return Verdict(
        claim,
        found.word,
        _why(found, readings, claim),
        results,
        found.outcomes,
        _flags(claim),
        found.text,
        {name: one.text for name, one in parts.items()} if len(parts) > 1 else {},
        _stated(claim, found.outcomes),
        _if_counted(results, alpha),
        rule.turning(readings, alpha),
        "; ".join(own_intervals(claim, own)),
    )


def _if_counted(results: Sequence[Result], alpha: float) -> str:
    """Return the word if what is ours, and has a bound, counted; empty if nothing has."""
    bounded = [r for r in results if r.check.relation is not None]
    if all(r.counts for r in bounded):
        return ""
    if any(r.outcome == "missing" for r in bounded):
        return "missing"
    return rule.conclude(tested_readings(bounded), alpha).text


def _with_outcomes(results: Sequence[Result], claim: Claim) -> list[Result]:
    """Return results with the outcome of each check by itself; Holm names those that fail.

    Counted checks of a reading are corrected together, the others each by itself.
    """
    level = error_of(results, claim.alpha)
    adjusted: dict[int, float] = {}
    for reading in claim.readings:
        places = [
            i
            for i, r in enumerate(results)
            if r.reading is reading and r.counts and r.is_tested and r.check.is_tested
        ]
        values = rule.holm([results[i].refute for i in places])
        adjusted |= dict(zip(places, values, strict=True))

    def outcome(i: int, r: Result) -> str:
        if r.tested(sum(one.counts for one in claim.readings)).is_idle(claim.alpha):
            return "idle"
        if r.support <= level:
            return "holds"
        refute = adjusted.get(i, 1.0 if r.counts else r.refute)
        return "fails" if refute <= level else "open"

    return [replace(r, outcome=outcome(i, r)) if r.is_tested else r for i, r in enumerate(results)]


def _missing(own: Sequence[Result]) -> str:
    """Say which counted checks lack data; empty if none do."""
    absent = [r for r in own if r.outcome == "missing"]
    if not absent:
        return ""
    first = absent[0].remark.split("; ")[0]
    return f"{len(absent)} of {len(own)} checks cannot be made: {first}"


def _why(found: rule.Conclusion, readings: Sequence[rule.TestedReading], claim: Claim) -> str:
    """Say how the counted readings came out, and name those that an inner word is about."""
    if found.word == "untestable":
        return f"{IDLE}{', in any reading' if len(readings) > 1 else ''}"
    counts = Counter(found.outcomes.values())
    verbs = (("holds", "holds in"), ("fails", "fails in"), ("open", "open in"), ("idle", "idle in"))
    said = ", ".join(f"{verb} {counts[word]}" for word, verb in verbs if counts[word])
    noun = "reading" if len(readings) == 1 else "readings"
    text = f"{said} of {len(readings)} {noun}"
    checks = [check.is_idle(claim.alpha) for reading in readings for check in reading.checks]
    text += f", with {sum(checks)} of {len(checks)} checks idle" if any(checks) else ""
    if found.parts:
        text += f"; these parts hold: {_quoted(found.parts)}"
    names = {
        word: [name for name, one in found.outcomes.items() if one == word] for word, _ in verbs
    }
    if len(readings) == 1:
        return text
    for word in ("holds", "fails"):
        if 0 < len(names[word]) <= 3 and len(names[word]) < len(readings):
            text += f"; {word} under {_quoted(names[word])}"
    if names["idle"]:
        text += f"; {IDLE} under "
        text += _quoted(names["idle"][:3])
        text += f" and {len(names['idle']) - 3} more" if len(names["idle"]) > 3 else ""
    return text


def _quoted(names: Iterable[str]) -> str:
    """Return names as a list; they have no quotation marks, and may have commas."""
    return ", ".join(f'"{name}"' for name in names)


def _stated(claim: Claim, outcomes: Mapping[str, str]) -> str:
    """Say what the reading that the paper fixes says; empty if the claim has no other."""
    stated = [r for r in claim.readings if r.status == "stated"]
    if not stated:
        return "the paper fixes no reading"
    if len(claim.readings) == 1:
        return ""
    outcome = {r.name: outcomes.get(r.name, "") for r in stated}
    return ", ".join(f'"{name}": {word}' if name else word for name, word in outcome.items())


def _flags(claim: Claim) -> list[str]:
    flags = []
    if claim.could_not_fail:
        flags.append(f"vacuous: {claim.could_not_fail}")
    if claim.chosen_by_it:
        flags.append(f"selected by it: {claim.chosen_by_it}")
    return flags


# Guarantees and facts.


def _guarantee(claim: Claim, results: list[Result], measured: Measure) -> Verdict:
    own = [r for r in results if r.counts]
    results = [guarantees.decide(r, claim, own) for r in map(_defined, results)]
    results = [_vacuous(r, claim, measured) for r in results]
    own = [r for r in results if r.counts]
    absent = _missing(own)
    broken = [r for r in own if r.outcome == "violated"]
    if absent and not broken:  # one violation needs no other number
        return Verdict(claim, "missing", absent, results, flags=_flags(claim))
    vacuous = sum(r.outcome == "vacuous" for r in own)
    word = "violated" if broken else "vacuous" if vacuous == len(own) else "held"
    checks = "the only check" if len(own) == 1 else f"all {len(own)} checks"
    if broken:
        reason = f"{len(broken)} of {len(own)} checks are violated: {broken[0].check.label}"
    elif word == "vacuous":
        reason = f"held and vacuous in {checks}"
    else:
        reason = f"held in {checks}"
        reason += f", of which {vacuous} are vacuous" if vacuous else ""
    slacks = [r.slack for r in own if not math.isnan(r.slack)]
    if slacks and len(slacks) == len(own) and 0.0 < min(slacks) < math.inf:
        reason += f"; the bound is at least {_rounded_down(min(slacks))} times what was observed"
    order = ("violated", "held", "vacuous")
    return Verdict(claim, word, reason, results, _by_reading(own, order), _flags(claim))


def _vacuous(result: Result, claim: Claim, measured: Measure) -> Result:
    """Return a guarantee that is held, as vacuous where no run could have shown otherwise.

    So it is by the claim's own word, where the bound is ten times what was observed or more, and
    where play outside the theorem keeps the bound too.
    """
    if result.outcome != "held":
        return result
    reasons = [bool(claim.could_not_fail), result.slack >= guarantees.VACUOUS]
    if result.check.controls:
        found = [measured(result.reading, control) for control in result.check.controls]
        if all(guarantees.decide(one, claim, [one]).outcome == "held" for one in found):
            reasons.append(True)
            remark = "; ".join(filter(None, [result.remark, "play outside the theorem keeps it"]))
            result = replace(result, remark=remark)
    return replace(result, outcome="vacuous") if any(reasons) else result


def _rounded_down(value: float, digits: int = 3) -> str:
    """Return what a value is at least, but for a hundredth of its last digit."""
    unit = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return number(math.floor(value / unit + 0.01) * unit)


def _defined(result: Result) -> Result:
    """Return a result, missing if its value is nan."""
    found = result.evidence
    if found is None or not math.isnan(found.value) or result.outcome == "reported":
        return result
    remark = "; ".join(filter(None, [f"no value of {result.check.label}", result.remark]))
    return replace(result, support=1.0, refute=1.0, outcome="missing", remark=remark)


def _fact(claim: Claim, results: list[Result], measured: Measure) -> Verdict:
    del measured
    results = [_compared(_defined(r)) for r in results]
    own = [r for r in results if r.counts]
    if absent := _missing(own):
        return Verdict(claim, "missing", absent, results, flags=_flags(claim))
    off = [r for r in own if r.outcome == "differs"]
    reason = f"{len(own) - len(off)} of {len(own)} numbers match"
    if off:
        more = f" and {len(off) - 1} more" if len(off) > 1 else ""
        reason += f", not: {off[0].check.label}{more}"
    word = "differs" if off else "selected by it" if claim.chosen_by_it else "matches"
    outcomes = _by_reading(own, ("differs", "matches"))
    return Verdict(claim, word, reason, results, outcomes, _flags(claim))


def _compared(result: Result) -> Result:
    """Return the result of a fact with its outcome: what counts is the value itself."""
    if result.outcome or result.evidence is None:
        return result
    support, refute = exact_p_values(result.check, result.evidence.value)
    outcome = "matches" if support == 0.0 else "differs"
    return replace(result, support=support, refute=refute, outcome=outcome)


def _by_reading(own: Sequence[Result], order: Sequence[str]) -> dict[str, str]:
    """Return for each reading the first of some outcomes that one of its checks has."""
    found: dict[str, set[str]] = {}
    for r in own:
        found.setdefault(r.reading.name, set()).add(r.outcome)
    return {name: next((o for o in order if o in some), "") for name, some in found.items()}
