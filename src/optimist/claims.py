"""Claims of a paper: what must be measured, and a computed verdict on each.

A claim is a list of checks. A check names a metric from the table `METRICS`, its arguments, a
relation and a bound; ``each`` repeats it over lists of arguments. With the interval of the measured
value a check

``holds``      if the whole interval is on the right side of the bound,
``fails``      if the whole interval is on the wrong side,
``undecided``  if the interval straddles the bound or cannot be had (regret of a single trial),
``missing``    if a cell it needs has not been run,
``reported``   if it states no bound.

Regret is compared on the trials that both algorithms completed (they meet the same luck) by ratios
of means with Student t intervals; all such comparisons of one claim are one family, and Holm's
method keeps the chance of a single false decision in it below one minus the level. Wall times are
medians over trials with the range that the single trials allow; a lone trial is decided by its
value. Shares have Clopper-Pearson intervals, slopes those of least squares. Facts and state sizes
have no sampling error and are decided by value.

A check may belong to a configuration, an alternative reading of the claim; checks without one
count under all. Informative checks are shown and do not count.
"""

import inspect
import itertools
import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from optimist.errors import ConfigError, nearest, unknown_name
from optimist.simulate import COMPLETE
from optimist.statistics import (
    Estimate,
    holm,
    log_log_slope,
    mean_estimate,
    proportion_interval,
    quotient,
    rate_slope,
    ratio_estimate,
)

VERDICTS = ("reproduced", "partly", "not reproduced", "undecided", "missing")
LANES = {"finals": "regret lane", "times": "timing lane"}
RANGE = "range over trials"
COLUMNS = (
    "claim",
    "place",
    "statement",
    "configuration",
    "check",
    "setting",
    "metric",
    "value",
    "low",
    "high",
    "interval",
    "trials",
    "relation",
    "bound",
    "p_adjusted",
    "outcome",
    "counts",
    "remark",
    "verdict",
)


class Missing(Exception):
    """Cells, facts or columns that a check needs and the tables lack."""

    def __init__(self, names):
        super().__init__("; ".join(names))


@dataclass(frozen=True)
class Measurement:
    """A measured value; ``interval`` names what ``low`` and ``high`` are (empty: there are none).

    ``trials`` is the number of trials behind it, the smaller one if cells differ. ``estimate``
    allows a test against a bound.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    trials: int | None = None
    interval: str = ""
    estimate: Estimate | None = None

    @property
    def ends(self):
        """The two numbers that decide: the interval, or twice the value if it has none."""
        return (self.low, self.high) if self.interval else (self.value, self.value)


class Cells:
    """What one check reads: looks up cells, notes absent ones and trials left out."""

    def __init__(self, groups, level):
        self.groups = groups
        self.level = level
        self.left_out = []

    def pick(self, table, *keys):
        """Return the entries of a table; raise Missing naming every absent one."""
        entries = self.groups[table]
        absent = [f"{' of '.join(key)} in {table}" for key in keys if key not in entries]
        if absent:
            raise Missing(absent)
        return [entries[key] for key in keys]

    def complete(self, table, column, *pairs):
        """Return the rows of complete trials per (setting, algorithm), ``column`` present."""
        known = self.groups[table]
        frames = [self._complete(known.get(pair), column, pair) for pair in pairs]
        absent = [
            f"{setting}/{algorithm} ({LANES[table]}{why})"
            for (setting, algorithm), (frame, why) in zip(pairs, frames, strict=True)
            if frame is None
        ]
        if absent:
            raise Missing(absent)
        return [frame for frame, _ in frames]

    def _complete(self, rows, column, pair):
        if rows is None:
            return None, ""
        status = rows.groupby("trial")["status"].last()
        broken = status[~status.isin(COMPLETE)]
        if len(broken):
            reasons = ", ".join(f"{n} {s}" for s, n in sorted(Counter(broken).items()))
            self.left_out.append(
                f"{'/'.join(pair)}: {len(broken)} of {len(status)} trials left out ({reasons})"
            )
        rows = rows[rows["status"].isin(COMPLETE)]
        if rows.empty:
            return None, f", no complete trial: {reasons}"
        if column not in rows or rows[column].isna().all():
            return None, f", no column {column}"
        return rows, ""

    def sampled(self, estimate, trials):
        """Return the measurement of an `Estimate` with its t interval."""
        kind = f"{self.level:.0%} t"
        return Measurement(*estimate.interval(self.level), trials, kind, estimate)


METRICS = {}


def metric(template):
    """Register a function of `Cells` and keyword arguments; ``template`` words its label."""

    def register(function):
        METRICS[function.__name__] = (function, template)
        return function

    return register


def metric_arguments(name):
    """Return the argument names of the metric called ``name``."""
    if name not in METRICS:
        raise unknown_name("metric", name, METRICS)
    parameters = inspect.signature(METRICS[name][0]).parameters.values()
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]


# Regret.


def _paired(top, bottom):
    """Return the estimated ratio of mean regrets over the trials in both, and their number."""
    both = top.set_index("trial")["regret"].to_frame("top")
    both["bottom"] = bottom.set_index("trial")["regret"]
    both = both.dropna()
    if both.empty:
        raise Missing(["trial that both algorithms completed"])
    return ratio_estimate(both["top"], both["bottom"]), len(both)


@metric("regret of {numerator} / {denominator}, {setting}")
def regret_ratio(cells, *, setting, numerator, denominator):
    """Ratio of mean final regrets over common trials."""
    pairs = (setting, numerator), (setting, denominator)
    return cells.sampled(*_paired(*cells.complete("finals", "regret", *pairs)))


@metric("regret of {algorithm}, {setting} / {base}")
def regret_growth(cells, *, algorithm, setting, base):
    """Ratio of mean final regrets of one algorithm in two settings, whose trials are unrelated."""
    top, bottom = cells.complete("finals", "regret", (setting, algorithm), (base, algorithm))
    estimate = quotient(mean_estimate(top["regret"]), mean_estimate(bottom["regret"]))
    return cells.sampled(estimate, min(len(top), len(bottom)))


@metric("regret of {numerator} / {denominator}, {setting} relative to {base}")
def regret_ratio_growth(cells, *, numerator, denominator, setting, base):
    """How much the ratio of two algorithms' regrets grows from one setting to another."""
    pairs = [(s, a) for s in (setting, base) for a in (numerator, denominator)]
    frames = cells.complete("finals", "regret", *pairs)
    (there, n), (here, m) = _paired(*frames[:2]), _paired(*frames[2:])
    return cells.sampled(quotient(there, here), min(n, m))


@metric("{column} of {algorithm} per round, {setting}")
def share_of_rounds(cells, *, algorithm, setting, column):
    """Mean over trials of a counter at the end, divided by the number of rounds."""
    (rows,) = cells.complete("finals", column, (setting, algorithm))
    shares = rows[column].astype(float) / rows["round"]
    return cells.sampled(mean_estimate(shares), len(rows))


@metric("trials of {algorithm} with the parameter in the set in all rounds, {settings}")
def coverage(cells, *, algorithm, settings):
    """Share of trials, pooled over settings, that never lost the true parameter."""
    frames = cells.complete("finals", "covered", *((s, algorithm) for s in settings))
    covered = [bool(value) for frame in frames for value in frame["covered"]]
    share = proportion_interval(sum(covered), len(covered), cells.level)
    return Measurement(*share, len(covered), f"{cells.level:.0%} Clopper-Pearson")


# Time.


def _totals(cells, *pairs):
    """Return the seconds of every complete trial, one array per (setting, algorithm)."""
    frames = cells.complete("times", "seconds", *pairs)
    return [frame.groupby("trial")["seconds"].max().to_numpy() for frame in frames]


def _over_trials(values):
    low, high = np.min(values), np.max(values)
    return Measurement(float(np.median(values)), float(low), float(high), len(values), RANGE)


def _ratio_of_times(top, bottom):
    return Measurement(
        float(np.median(top) / np.median(bottom)),
        float(top.min() / bottom.max()),
        float(top.max() / bottom.min()),
        min(len(top), len(bottom)),
        RANGE,
    )


@metric("seconds of {algorithm}, {setting}")
def time_total(cells, *, algorithm, setting):
    """Seconds of select and update over a whole trial, median over trials."""
    return _over_trials(_totals(cells, (setting, algorithm))[0])


@metric("time of {numerator} / {denominator}, {setting}")
def time_ratio(cells, *, setting, numerator, denominator):
    """Ratio of the median times of two algorithms."""
    return _ratio_of_times(*_totals(cells, (setting, numerator), (setting, denominator)))


@metric("time of {algorithm}, {setting} / {base}")
def time_growth(cells, *, algorithm, setting, base):
    """Ratio of the median times of one algorithm in two settings."""
    return _ratio_of_times(*_totals(cells, (setting, algorithm), (base, algorithm)))


@metric("longest / shortest time of {algorithm} over {settings}")
def time_flat_over_settings(cells, *, algorithm, settings):
    """Largest over smallest median time; the range is what single trials allow."""
    totals = _totals(cells, *((s, algorithm) for s in settings))
    lows, middles, highs = zip(*((t.min(), np.median(t), t.max()) for t in totals), strict=True)
    return Measurement(
        float(max(middles) / min(middles)),
        max(1.0, float(max(lows) / min(highs))),
        float(max(highs) / min(lows)),
        min(map(len, totals)),
        RANGE,
    )


def _last_to_first_third(trial):
    """Return the time in the last third of the rounds over that in the first.

    Time up to the first recorded round, which warms caches, is left out.
    """
    rounds, seconds = trial["round"].to_numpy(), trial["seconds"].to_numpy()
    first, _, last = np.diff(np.interp(np.linspace(rounds[0], rounds[-1], 4), rounds, seconds))
    return float(last / first) if first > 0 else math.nan


@metric("time in the last / first third of the rounds of {algorithm}, {setting}")
def time_flat_over_rounds(cells, *, algorithm, setting):
    """Growth of the time per round within a trial, median over trials."""
    (rows,) = cells.complete("times", "seconds", (setting, algorithm))
    trials = rows.sort_values("round").groupby("trial")
    return _over_trials([_last_to_first_third(trial) for _, trial in trials])


@metric("log-log slope of the time per round of {algorithm} against t, {setting}")
def time_slope(cells, *, algorithm, setting):
    """Slope over the median trial, see `optimist.statistics.rate_slope`."""
    (rows,) = cells.complete("times", "seconds", (setting, algorithm))
    totals = rows.groupby("round")["seconds"].median()
    slope = rate_slope(totals.index, totals, cells.level)
    return Measurement(*slope, rows["trial"].nunique(), f"{cells.level:.0%} least squares")


# State.


@metric("log-log slope of the state's bytes of {algorithm} against t, {setting}")
def state_slope(cells, *, algorithm, setting):
    """Slope over all recorded rounds of the timing lane, largest trial."""
    (rows,) = cells.complete("times", "state_bytes", (setting, algorithm))
    sizes = rows.groupby("round")["state_bytes"].max()
    return Measurement(log_log_slope(sizes.index, sizes)[0], trials=rows["trial"].nunique())


@metric("state's bytes of {algorithm}, largest / smallest over the rounds, {setting}")
def state_growth(cells, *, algorithm, setting):
    """Largest over smallest state within a trial, largest over trials; 1 means constant."""
    (rows,) = cells.complete("times", "state_bytes", (setting, algorithm))
    sizes = rows.groupby("trial")["state_bytes"].agg(["max", "min"])
    return Measurement(float((sizes["max"] / sizes["min"]).max()), trials=len(sizes))


# Everything else.


@metric("selections of {algorithm} that agree with the leader's, {setting}")
def agreement(cells, *, algorithm, setting):
    """Share of a probe's selections that agree with the algorithm whose history it follows."""
    (rows,) = cells.complete("times", "agreements", (setting, algorithm))
    last = rows.groupby("trial")[["agreements", "selections"]].max()
    share = last["agreements"].sum() / last["selections"].sum()
    return Measurement(float(share), trials=len(last))


@metric("{name}, {setting}")
def fact(cells, *, name, setting):
    """A value of the table of facts."""
    return Measurement(float(*cells.pick("facts", (name, setting))))


@metric("{name} of {numerator} / {denominator}")
def fact_ratio(cells, *, name, numerator, denominator):
    """Ratio of one fact of two settings (or algorithms, if the fact is about those)."""
    top, bottom = cells.pick("facts", (name, numerator), (name, denominator))
    return Measurement(float(top) / float(bottom) if bottom else math.nan)


@metric("log-log slope of the time of the {part} part against d, d >= {smallest}")
def scaling_slope(cells, *, part, smallest):
    """Growth of a part of the update with the dimension, from dimension ``smallest`` on."""
    (rows,) = cells.pick("scaling", (part,))
    rows = rows[rows["dimension"] >= smallest]
    slope = log_log_slope(rows["dimension"], rows["seconds"], cells.level)
    return Measurement(*slope, interval=f"{cells.level:.0%} least squares")


# Checks and verdicts.


@dataclass(frozen=True)
class Check:
    """One comparison; see the module's text. Informative ones may lack relation and bound."""

    metric: str
    arguments: dict
    relation: str | None = None
    bound: float | list | None = None
    tolerance: float | None = None
    configuration: str | None = None
    informative: bool = False

    @property
    def label(self):
        """What is measured, in words."""
        words = {k: ", ".join(v) if isinstance(v, list) else v for k, v in self.arguments.items()}
        return METRICS[self.metric][1].format(**words)

    @property
    def setting(self):
        """The settings involved, separated by commas."""
        found = [self.arguments.get(key) for key in ("setting", "settings", "base")]
        flat = itertools.chain.from_iterable(f if isinstance(f, list) else [f] for f in found)
        return ", ".join(name for name in flat if name)

    @property
    def allowed(self):
        """The ends of the range in which the value must lie."""
        if self.relation == "equals":
            return self.bound - self.tolerance, self.bound + self.tolerance
        if self.relation == "between":
            return tuple(self.bound)
        return (-math.inf, self.bound) if self.relation == "below" else (self.bound, math.inf)

    @property
    def bound_text(self):
        """The bound as text: ``1``, ``0.5 to 2`` or ``21 ± 0.5``."""
        if self.relation is None:
            return ""
        if self.relation == "between":
            return "{:g} to {:g}".format(*self.bound)
        spread = f" ± {self.tolerance:g}" if self.relation == "equals" and self.tolerance else ""
        return f"{self.bound:g}{spread}"


@dataclass(frozen=True)
class Result:
    """A check with what was measured (None if cells are missing) and what follows."""

    check: Check
    measurement: Measurement | None
    outcome: str
    p_adjusted: float = math.nan
    remark: str = ""


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim, one of `VERDICTS`, with the results it rests on."""

    claim: str
    place: str
    statement: str
    verdict: str
    explanation: str
    results: list = field(default_factory=list)
    note: str = ""
    family: int = 0


def load_claims(path):
    """Return the claims of a YAML file as a dict, checked by schema and against `METRICS`.

    Raises
    ------
    ConfigError
        Naming file, claim, key, value and what is allowed.
    """
    from optimist.config import read_yaml, schema_path, validate

    claims = read_yaml(path)
    validate(claims, schema_path("claims"), str(path))
    ids = Counter(claim["id"] for claim in claims["claims"])
    for claim in claims["claims"]:
        where = f"{path}: claim {claim['id']!r}"
        if ids[claim["id"]] > 1:
            raise ConfigError(f"{where} occurs {ids[claim['id']]} times; allowed: once")
        for check in claim["checks"]:
            try:
                _check_arguments(check)
            except ConfigError as error:
                raise ConfigError(f"{where}: {error}") from None
    return claims


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


def expand(claim):
    """Yield the `Check`s of a claim, one for each combination of ``each``."""
    for entry in claim["checks"]:
        entry = dict(entry)
        fixed, each = entry.pop("arguments", {}), entry.pop("each", {})
        for values in itertools.product(*each.values()):
            yield Check(arguments={**fixed, **dict(zip(each, values, strict=True))}, **entry)


def evaluate(claims, tables):
    """Return a `Verdict` for every claim.

    Parameters
    ----------
    claims : dict
        From `load_claims`.
    tables : dict of str to pandas.DataFrame or None
        ``finals`` (setting, algorithm, trial, round, regret, status, covered, counters), ``times``
        (setting, algorithm, trial, round, seconds, status, state_bytes, for probes selections and
        agreements), ``facts`` (name, setting, value), ``scaling`` (dimension, part, seconds).
        Absent tables, rows and columns make checks missing.
    """
    groups = {
        "finals": _group(tables, "finals", ["setting", "algorithm"]),
        "times": _group(tables, "times", ["setting", "algorithm"]),
        "facts": {
            key: rows["value"].iloc[0]
            for key, rows in _group(tables, "facts", ["name", "setting"]).items()
        },
        "scaling": _group(tables, "scaling", ["part"]),
    }
    return [_judge(claim, groups, claims["level"]) for claim in claims["claims"]]


def _group(tables, name, keys):
    frame = tables.get(name)
    return {} if frame is None or frame.empty else dict(iter(frame.groupby(keys, sort=False)))


def _judge(claim, groups, level):
    checks = list(expand(claim))
    measured = [_measure(check, groups, level) for check in checks]
    p_values = [_p_value(c, m) for c, (m, _) in zip(checks, measured, strict=True)]
    family = [i for i, p in enumerate(p_values) if p is not None]
    adjusted = dict(zip(family, holm([p_values[i] for i in family]), strict=True))
    results = [
        Result(
            check,
            found,
            _outcome(check, found, adjusted.get(i, 0.0) < 1.0 - level),
            adjusted.get(i, math.nan),
            remark,
        )
        for i, (check, (found, remark)) in enumerate(zip(checks, measured, strict=True))
    ]
    verdict, explanation = _conclude(results)
    return Verdict(
        claim["id"],
        claim["place"],
        claim["statement"],
        verdict,
        explanation,
        results,
        claim.get("note", ""),
        len(family),
    )


def _measure(check, groups, level):
    """Return the measurement, None if cells are missing, and a remark."""
    cells = Cells(groups, level)
    try:
        found = METRICS[check.metric][0](cells, **check.arguments)
    except Missing as missing:
        return None, "; ".join([f"no {missing}", *cells.left_out])
    return found, "; ".join(cells.left_out)


def _p_value(check, found):
    """Return the p-value of a counted one-sided check on a sampled value, else None."""
    if check.informative or check.relation not in ("below", "above"):
        return None
    return None if found is None or found.estimate is None else found.estimate.p_value(check.bound)


def _outcome(check, found, significant):
    if found is None:
        return "missing"
    if check.relation is None:
        return "reported"
    (low, high), (floor, ceiling) = found.ends, check.allowed
    if math.isnan(low) or math.isnan(high) or not significant:
        return "undecided"
    if check.relation in ("below", "above"):  # the bound itself is outside
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
    if outcomes["holds"] == len(counted):
        return "reproduced", f"all {len(counted)} checks hold" if len(counted) > 1 else "holds"
    if not outcomes["holds"]:
        verdict = "not reproduced" if outcomes["fails"] else "undecided"
    else:
        verdict = "partly"
    return verdict, _where(counted)


def _where(counted):
    """Say under which configurations all counted checks hold, or which checks do not."""
    names = list(dict.fromkeys(r.check.configuration for r in counted if r.check.configuration))
    if not names:
        return _tally(counted)
    return "; ".join(
        f"{name}: {_tally([r for r in counted if r.check.configuration in (None, name)])}"
        for name in names
    )


def _tally(counted, shown=3):
    """Say how many checks hold and name the first ones that do not."""
    others = [f"{r.check.label} ({r.outcome})" for r in counted if r.outcome != "holds"]
    if not others:
        return "holds"
    more = f" and {len(others) - shown} more" if len(others) > shown else ""
    holding = len(counted) - len(others)
    return f"{holding} of {len(counted)} hold, not: {'; '.join(others[:shown])}{more}"


# Tables and texts.


def to_frame(verdicts):
    """Return one row per check, with the columns `COLUMNS`, as a pandas frame."""
    import pandas as pd

    rows = [_row(verdict, result) for verdict in verdicts for result in verdict.results]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _row(verdict, result):
    check, found = result.check, result.measurement or Measurement(math.nan)
    return (
        verdict.claim,
        verdict.place,
        verdict.statement,
        check.configuration or "",
        check.label,
        check.setting,
        check.metric,
        found.value,
        found.low,
        found.high,
        found.interval,
        found.trials,
        check.relation or "",
        check.bound_text,
        result.p_adjusted,
        result.outcome,
        not check.informative,
        result.remark,
        verdict.verdict,
    )


def tally(verdicts):
    """Return one line: how many claims have which verdict."""
    counts = Counter(v.verdict for v in verdicts)
    return ", ".join(f"{counts[name]} {name}" for name in VERDICTS if counts[name])


def to_text(verdicts, *, details=False):
    """Return plain text for a terminal, one line per claim; ``details`` adds its checks."""
    width = max((len(v.claim) for v in verdicts), default=0)
    lines = []
    for v in verdicts:
        lines.append(f"{v.claim:<{width}}  {v.verdict:<14}  {v.statement}")
        if v.verdict != "reproduced" or details:
            lines.append(f"{'':<{width}}  {'':<14}  -> {v.explanation}")
        if details:
            lines += [f"    {_line(result)}" for result in v.results]
    return "\n".join([*lines, "", f"{len(verdicts)} claims: {tally(verdicts)}", ""])


def _line(result):
    check = result.check
    wanted = f", wanted {check.relation} {check.bound_text}" if check.relation else ""
    configuration = f" [{check.configuration}]" if check.configuration else ""
    remark = f" ({result.remark})" if result.remark else ""
    found = f": {_value(result)}" if result.measurement else ""
    return f"{result.outcome:<9} {check.label}{configuration}{found}{wanted}{remark}"


def _value(result):
    """Word a measured value: ``1.52 (1.41 to 1.63, n = 10)``."""
    found = result.measurement
    if found is None:
        return ""
    parts = []
    if found.interval and not math.isnan(found.low):
        parts.append(f"{_number(found.low)} to {_number(found.high)}")
    if found.trials:
        parts.append(f"n = {found.trials}")
    return _number(found.value) + (f" ({', '.join(parts)})" if parts else "")


def _number(value):
    """Four significant digits, without an exponent where a person would not write one."""
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"


def summary_block(verdicts):
    """Return a short Markdown table, claim, place, statement and verdict, for a README."""
    rows = [(v.claim, v.place, v.statement, _mark(v)) for v in verdicts]
    table = _table(("claim", "place", "statement", "verdict"), rows)
    return f"{len(verdicts)} claims: {tally(verdicts)}.\n\n{table}"


def _mark(verdict):
    return f"**{verdict.verdict}**" if verdict.verdict != "missing" else "missing"


def _table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    cells = ([str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in lines)
    return "\n".join("| " + " | ".join(row) + " |" for row in cells) + "\n"


def to_markdown(verdicts, title="Claims"):
    """Return a page for people: the summary table, then every claim with its checks."""
    head = (
        f"# {title}\n\n"
        "Values in brackets are the interval that decides and the number of trials. Regret: ratios "
        "of means over the trials that both sides completed, t intervals, and Holm's correction "
        "within a claim. Time: medians, and the range that single trials allow. A check holds or "
        "fails if the whole interval is on one side of the bound, and is undecided otherwise.\n"
    )
    return "\n".join([head, summary_block(verdicts), *(_section(v) for v in verdicts)])


def _section(verdict):
    heading = ("outcome", "check", "configuration", "value", "wanted", "remark")
    rows = [
        (
            r.outcome,
            r.check.label,
            r.check.configuration or "",
            _value(r),
            f"{r.check.relation} {r.check.bound_text}" if r.check.relation else "",
            "; ".join(filter(None, ["informative" if r.check.informative else "", r.remark])),
        )
        for r in verdict.results
    ]
    parts = [
        f"## {verdict.claim}: {verdict.verdict}\n",
        f"{verdict.statement} ({verdict.place})\n",
        f"Verdict: **{verdict.verdict}**, {verdict.explanation}.\n",
    ]
    if verdict.note:
        parts.append(f"{verdict.note.strip()}\n")
    if verdict.family > 1:
        parts.append(f"Holm's correction is over {verdict.family} comparisons.\n")
    return "\n".join([*parts, _table(heading, rows)])
