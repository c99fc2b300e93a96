r"""One tidy table per figure, and the paper's tables, from the aggregated results.

A figure's table holds everything that is drawn, one row per mark:

``panel``           letter of the panel: a, b, ...
``role``            ``data``; ``note`` (a cell that is missing, incomplete or not converged);
                    ``remark`` and ``footnote`` (words on a series); ``line``, ``point`` and
                    ``slope`` (references); ``truth`` and ``ball`` (of confidence regions);
                    ``function`` and ``inducing`` (of posteriors); ``corner`` (words on a panel);
                    ``phase`` (the last round of the initial points)
``setting``         name of the setting, if the mark belongs to one
``series``          algorithm label, or what the panel compares instead
``x y low high n``  position, lower and upper end of band or whisker, number of trials
``note``            text of a note, remark, footnote or reference
``time_n``          number of trials behind x, where that is a time
``piece``           number of the outline of a confidence region

By kind of panel, x and y are

``regret``          round; mean regret (band: the paper's interval)
``median_regret``   round; median regret (band: quartiles)
``final_regret``    swept parameter; mean final regret (the paper's interval)
``final_median_regret``  the same of the median (low, high: quartiles)
``time``            swept parameter; median seconds per trial (low, high: fastest and slowest trial)
``coverage``        swept parameter; share of trials whose set held the truth in all rounds
``counter``         swept parameter; mean of a diagnostic column (low, high: its range)
``tradeoff``        median seconds per trial; mean final regret (the paper's interval)
``elapsed``         round; seconds up to it, median over trials
``time_per_round``  round; seconds per round, median over trials
``facts``           number at the end of a fact's name; the fact's value
``regions``         outline of the region, in the plane
``scaling``         dimension; median seconds of one part of an update
``relative_regret`` round; mean regret over that of the panel's ``base`` (its interval, scaled)
``posterior``       point; posterior mean (its band of the study of starvation)
``watched``         round; a column of the study of accuracy, median over trials (its range)
``distance``        round; distance of the estimate from the truth over the radius, median over
                    trials (low, high: its range)

Only complete trials enter a statistic; the others are noted. Unconverged ones are complete, and
noted too.
"""

from functools import partial
from itertools import product
from string import ascii_lowercase

import numpy as np

from optimist.algorithms import parse_label
from optimist.errors import ConfigError, unknown_name
from optimist.runs.cell import make_cell
from optimist.runs.loop import COMPLETE
from optimist.runs.setting import option_defaults
from optimist.runs.trials import expand
from optimist.statistics import (
    last_decade_slope,
    mean_intervals,
    proportion_interval,
    rate_slope,
)

COLUMNS = ("panel", "role", "setting", "series", "x", "y", "low", "high", "n", "note")
TYPES = dict.fromkeys(("x", "y", "low", "high", "n"), float)
FRAMES = {
    "curves": (
        *("setting", "algorithm", "round", "mean", "low", "high", "trials"),
        *("lower", "median", "upper"),
    ),
    "finals": ("setting", "algorithm", "trial", "round", "regret", "status", "covered"),
    "times": (
        *("setting", "algorithm", "trial", "round", "seconds", "select_seconds", "state_bytes"),
        *("status", "selections"),
    ),
    "facts": ("name", "setting", "value"),
    "regions": ("algorithm", "round", "x", "y", "inside", "theta_x", "theta_y", "norm_bound"),
    "scaling": ("dimension", "part", "seconds"),
    "lemmas": ("setting", "algorithm", "trial", "round", "distance"),
    "accuracy": ("setting", "algorithm", "trial", "round"),
    "starvation": (
        *("method", "round", "lengthscale", "x", "f", "mean", "low", "high", "inducing"),
        *("size", "dimension"),
    ),
}
TABLE_LEVEL = 0.95
BINS = 25


def method_name(label, paper):
    """Return how an algorithm label reads in a figure, ``OFUGLB (slsqp, aggregated)``."""
    name, options = parse_label(label)
    words = [v if isinstance(v, str) else f"{k}={str(v).lower()}" for k, v in options.items()]
    return paper["names"].get(name, name) + (f" ({', '.join(words)})" if words else "")


def check(paper):
    """Raise ConfigError for a figure or table that shows a cell which the paper does not run.

    ``paper`` is a loaded paper configuration.
    """
    lanes = {"regret": set(), "timing": set()}
    for job in expand(paper):
        lanes[job.lane].add((job.cell.setting, job.cell.algorithm))
    for name, figure in paper.get("figures", {}).items():
        for letter, panel in zip(ascii_lowercase, figure["panels"], strict=False):
            place = f"figure {name}, panel {letter}"
            _check_cells(paper, lanes, place, panel)
            _check_panel(paper, place, panel)
    for name, table in paper.get("tables", {}).items():
        labels = [row["algorithm"] for row in table.get("rows", []) if "algorithm" in row]
        shown = {"algorithms": labels, **table}
        _check_cells(paper, lanes, f"table {name}", shown)


def _check_cells(paper, lanes, place, spec):
    base = [spec["base"]] if "base" in spec else []
    for setting, label in product(_settings(spec), [*spec.get("algorithms", []), *base]):
        try:
            make_cell(paper, setting, label)
        except ConfigError as error:
            raise ConfigError(f"{place}: {error}") from None
        for lane in NEEDS[spec["kind"]]:
            if lane in lanes and (setting, label) not in lanes[lane]:
                raise ConfigError(
                    f"{place}: no block of {'runs' if lane == 'regret' else 'timings'} has "
                    f"algorithm {label!r} in setting {setting!r}; add one or remove the entry"
                )


def _check_panel(paper, place, panel):
    """Refuse a parameter to plot over, or a region, that the paper's configuration lacks."""
    try:
        for setting in _settings(panel):
            _swept(panel, setting, paper)
    except ConfigError as error:
        raise ConfigError(f"{place}: {error}") from None
    if panel["kind"] in ("regions", "scaling") and panel["kind"] not in paper["studies"]:
        raise ConfigError(f"{place}: the paper has no {panel['kind']}; add them or remove it")
    if panel["kind"] == "distance":
        watched = paper["studies"].get("lemmas", {}).get("settings", [])
        for series in panel["series"]:
            if series["setting"] not in watched:
                raise ConfigError(
                    f"{place}: {unknown_name('setting of lemmas', series['setting'], watched)}"
                )
    drawn = paper["studies"].get("regions", {}).get("algorithms", [])
    for label in panel["algorithms"] if panel["kind"] == "regions" else []:
        if label not in drawn:
            raise ConfigError(f"{place}: {unknown_name('algorithm of regions', label, drawn)}")


def _settings(spec):
    return spec.get("settings") or [spec[key] for key in ("setting",) if key in spec]


class _Data:
    """The aggregated tables of a paper, with their columns complete, by cell."""

    def __init__(self, tables, paper):
        self.paper = paper
        self._tables = tables
        self._cells = {}

    def frame(self, name):
        """Return a table; without rows, or with empty columns, where it was not given."""
        import pandas as pd

        found = self._tables.get(name)
        frame = pd.DataFrame() if found is None else found
        return frame.reindex(columns=list(dict.fromkeys([*FRAMES[name], *frame.columns])))

    def cell(self, name, setting, algorithm):
        """Return the rows of a cell."""
        if name not in self._cells:
            frame = self.frame(name)
            groups = dict(iter(frame.groupby(["setting", "algorithm"], sort=False)))
            self._cells[name] = groups, frame.iloc[:0]
        groups, empty = self._cells[name]
        return groups.get((setting, algorithm), empty)

    def trials(self, name, setting, algorithm):
        """Return the last row of each trial of a cell."""
        rows = self.cell(name, setting, algorithm).sort_values(["trial", "round"])
        return rows.drop_duplicates("trial", keep="last")


def tabulate(figure, tables, paper):
    """Return the table of a figure (see the module's text for its columns).

    Parameters
    ----------
    figure : dict
        An entry of ``figures`` in the paper's configuration.
    tables : dict of DataFrame
        ``curves``, ``finals``, ``times``, ``facts``, ``regions``, ``scaling``; any may lack cells
        or be absent.
    paper : dict
        The loaded paper configuration.
    """
    import pandas as pd

    data = _Data(tables, paper)
    pieces = [_rows("").iloc[:0].assign(panel="")]
    for letter, panel in zip(ascii_lowercase, figure["panels"], strict=False):
        found = [*KINDS[panel["kind"]](panel, data)]
        found += [*_references(panel), *_slopes(panel, found)]
        pieces += [piece.assign(panel=letter) for piece in found]
    table = pd.concat(pieces, ignore_index=True)
    return table[[*COLUMNS, *(name for name in table if name not in COLUMNS)]].astype(TYPES)


def _rows(role, *, setting="", series="", x=np.nan, y=np.nan, note="", **columns):
    """Return a piece of a figure's table; x, y and further columns may be arrays."""
    import pandas as pd

    empty = dict.fromkeys(("low", "high", "n"), np.nan)
    names = {"role": role, "setting": setting, "series": series, "note": note}
    return pd.DataFrame({"x": np.atleast_1d(x), "y": y, **empty, **columns}).assign(**names)


def _complete(trials):
    return trials[trials["status"].isin(COMPLETE)]


def _fault(trials):
    """Return what is wrong with a cell, given the last row of each trial; empty if nothing is."""
    if trials.empty:
        return "missing"
    lost = trials.loc[~trials["status"].isin(COMPLETE), "status"]
    if lost.empty:
        return ""
    words = ", ".join(sorted({status.partition(":")[0] for status in lost}))
    return f"incomplete: {len(lost)} of {len(trials)} trials {words}"


def _doubt(trials):
    """Return how many trials did not converge, which still count; empty if all did."""
    count = (trials["status"] == "unconverged").sum()
    return f"unconverged: {count} of {len(trials)} trials" if count else ""


def _notes(setting, algorithm, *frames):
    """Yield notes on a cell, given the last row of each trial in the lanes that are shown."""
    texts = [text(frame) for frame in frames for text in (_fault, _doubt)]
    for note in dict.fromkeys(filter(None, texts)):
        yield _rows("note", setting=setting, series=algorithm, note=note)


def _references(panel):
    for line in panel.get("lines", []):
        yield _rows("line", y=line["y"], note=line["label"])
    for point in panel.get("points", []):
        yield _rows("point", x=point["x"], y=point["y"], note=point["label"])


def _slopes(panel, pieces):
    """Return a line of given power through the last mark of a series, over one decade of x."""
    for slope in panel.get("slopes", []):
        found = [p[(p["role"] == "data") & (p["series"] == slope["series"])] for p in pieces]
        ends = [marks.iloc[-1] for marks in found if len(marks)]
        if ends:
            end = max(ends, key=lambda mark: mark["x"])
            x = end["x"] * np.array([0.1, 1.0])
            y = end["y"] * (x / end["x"]) ** slope["power"]
            yield _rows("slope", series=slope["series"], x=x, y=y, note=slope["label"])


# Line and ends of the band of a kind of regret curve, as columns of the curves.
CURVES = {"regret": ("mean", "low", "high"), "median_regret": ("median", "lower", "upper")}


def _regret(panel, data):
    setting, (middle, low, high) = panel["setting"], CURVES[panel["kind"]]
    for algorithm in panel["algorithms"]:
        trials = data.trials("finals", setting, algorithm)
        curve = data.cell("curves", setting, algorithm).sort_values("round")
        yield from _notes(setting, algorithm, trials)
        yield _rows(
            "data",
            setting=setting,
            series=algorithm,
            x=curve["round"].to_numpy(),
            y=curve[middle].to_numpy(),
            low=curve[low].to_numpy(),
            high=curve[high].to_numpy(),
            n=curve["trials"].to_numpy(),
        )
    initial = data.paper["settings"][setting].get("parameters", {}).get("initial")
    if initial is not None:
        yield _rows("phase", x=initial, note="end of Phase I")


def _relative_regret(panel, data):
    setting = panel["setting"]
    base = data.cell("curves", setting, panel["base"]).set_index("round")["mean"]
    yield from _notes(setting, panel["base"], data.trials("finals", setting, panel["base"]))
    for algorithm in panel["algorithms"]:
        curve = data.cell("curves", setting, algorithm).sort_values("round")
        yield from _notes(setting, algorithm, data.trials("finals", setting, algorithm))
        unit = base.reindex(curve["round"]).to_numpy()
        columns = dict(zip(("y", "low", "high"), CURVES["regret"], strict=True))
        values = {name: curve[column].to_numpy() / unit for name, column in columns.items()}
        where = {"setting": setting, "series": algorithm, "x": curve["round"].to_numpy()}
        yield _rows("data", n=curve["trials"].to_numpy(), **values, **where)


def _watched(panel, data):
    setting, column = panel["setting"], panel["column"]
    for algorithm in panel["algorithms"]:
        rows = data.cell("accuracy", setting, algorithm)
        if rows.empty:
            yield _rows("note", setting=setting, series=algorithm, note="missing")
            continue
        yield _rows("data", setting=setting, series=algorithm, **_over_trials(rows, column))


def _over_trials(rows, column):
    """Return a column's median over trials, its range and their number, by round."""
    by_round = rows.groupby("round")[column]
    found = by_round.agg(y="median", low="min", high="max", n="count")
    return {"x": found.index.to_numpy(), **{name: found[name].to_numpy() for name in found}}


def _posterior(panel, data):
    table = data.frame("starvation")
    rows = table[
        (table["method"] == panel["method"])
        & (table["round"] == panel["round"])
        & np.isclose(table["lengthscale"].astype(float), panel["lengthscale"])
    ]
    if rows.empty:
        yield _rows("note", series=panel["label"], note="missing")
        return
    x, mean, low, high = (rows[c].to_numpy(float) for c in ("x", "mean", "low", "high"))
    yield _rows("data", series=panel["label"], x=x, y=mean, low=low, high=high)
    yield _rows("function", x=x, y=rows["f"].to_numpy(float), note="f")
    inducing = x[rows["inducing"].to_numpy(bool)]
    if len(inducing):
        yield _rows("inducing", x=inducing, y=np.full(len(inducing), 0.03))
    about = rows.iloc[0]
    size = f"m = {about['size']:.0f}, " if about["size"] else ""
    yield _rows("corner", note=f"{size}d_eff = {about['dimension']:.1f}")


def _mean(values, paper):
    columns = values.to_numpy(float)[:, None]
    return mean_intervals(columns, paper["band"], paper.get("interval", "t"))[:, 0].tolist()


def _quartiles(values, paper):
    low, middle, high = np.quantile(values.to_numpy(float), [0.25, 0.5, 0.75])
    return middle, low, high


def _share(values, paper):
    return proportion_interval(int(values.astype(bool).sum()), len(values), paper["band"])


def _median(values, paper):
    return values.median(), values.min(), values.max()


def _average(values, paper):
    return values.mean(), values.min(), values.max()


# Kind of panel: table, column (None: named by the panel) and statistic.
SWEEPS = {
    "final_regret": ("finals", "regret", _mean),
    "final_median_regret": ("finals", "regret", _quartiles),
    "time": ("times", "seconds", _median),
    "coverage": ("finals", "covered", _share),
    "counter": ("finals", None, _average),
}


def _sweep(panel, data):
    frame, column, statistic = SWEEPS[panel["kind"]]
    column = column or panel["column"]
    for algorithm, setting in product(panel["algorithms"], panel["settings"]):
        trials = data.trials(frame, setting, algorithm)
        values = _complete(trials).reindex(columns=[column])[column].dropna()
        yield from _notes(setting, algorithm, trials)
        if len(values):
            y, low, high = statistic(values, data.paper)
            x = _swept(panel, setting, data.paper)
            where = {"setting": setting, "series": algorithm, "x": x}
            yield _rows("data", y=y, low=low, high=high, n=len(values), **where)
        elif not _fault(trials):  # the trials are there, but did not record this
            yield _rows("note", setting=setting, series=algorithm, note="missing")
    if panel["kind"] == "time":
        yield from _estimates(panel, data)


def _swept(panel, setting, paper):
    """Return the value of the swept parameter in a setting; NaN if the panel sweeps none."""
    spec = paper["settings"][setting]
    if "over" not in panel:
        return np.nan
    known = option_defaults(spec)
    if panel["over"] not in known:
        raise ConfigError(
            f"setting {setting!r} has no parameter {panel['over']!r} to plot over; "
            f"allowed: {', '.join(sorted(known))}"
        )
    return float(known[panel["over"]])


def _estimates(panel, data):
    """Footnotes on which algorithms were timed without playing (see `simulate.replay`)."""
    for algorithm in panel["algorithms"]:
        texts = [_estimate(data.trials("times", s, algorithm)) for s in panel["settings"]]
        for text in dict.fromkeys(filter(None, texts)):
            yield _rows("footnote", series=algorithm, note=text)


def _estimate(trials):
    """Return how a solver was timed that did not play itself; an empty text if it did."""
    asked = trials[trials["selections"].notna()]
    if asked.empty:
        return ""
    last = asked.iloc[0]
    if last["selections"] == last["round"]:
        return "timed on another learner's history"
    return f"estimated from {last['selections']:.0f} of {last['round']:.0f} rounds"


def _tradeoff(panel, data):
    for algorithm, setting in product(panel["algorithms"], _settings(panel)):
        finals = data.trials("finals", setting, algorithm)
        times = data.trials("times", setting, algorithm)
        yield from _notes(setting, algorithm, finals, times)
        regrets, seconds = _complete(finals)["regret"], _complete(times)["seconds"]
        if len(regrets) and len(seconds):
            y, low, high = _mean(regrets, data.paper)
            where = {"setting": setting, "series": algorithm, "x": seconds.median()}
            counts = {"n": len(regrets), "time_n": len(seconds)}
            yield _rows("data", y=y, low=low, high=high, **where, **counts)


def _timed(data, setting, algorithm):
    """Return the complete trials of a timed cell.

    A solver that is asked in some rounds only is shown from the second time on: what the first took
    pays for imports, and is charged to all rounds before it at once.
    """
    runs = _complete(data.cell("times", setting, algorithm))
    return runs[runs["selections"].isna() | (runs["selections"] > 1)]


def _time_per_round(panel, data):
    setting = panel["setting"]
    for algorithm in panel["algorithms"]:
        yield from _notes(setting, algorithm, data.trials("times", setting, algorithm))
        runs = _timed(data, setting, algorithm)
        t, seconds = per_round(runs)
        n = runs["trial"].nunique()
        yield _rows("data", setting=setting, series=algorithm, x=t, y=seconds, n=n)


def _elapsed(panel, data):
    setting = panel["setting"]
    for algorithm in panel["algorithms"]:
        yield from _notes(setting, algorithm, data.trials("times", setting, algorithm))
        runs = _timed(data, setting, algorithm)
        totals = runs.pivot(index="round", columns="trial", values="seconds").dropna()
        where = {"setting": setting, "series": algorithm, "n": totals.shape[1]}
        yield _rows("data", x=totals.index.to_numpy(), y=totals.median(axis=1).to_numpy(), **where)
    yield from _estimates({**panel, "settings": [setting]}, data)


def per_round(runs):
    """Return rounds and seconds per round of a timed cell.

    The recorded rounds are thinned to about 25 geometric steps; each step gives one value, the
    median over trials of the time it took by the number of its rounds, at the geometric mean of
    its ends. Round 1 is left out: it pays for warm caches.

    Parameters
    ----------
    runs : DataFrame
        Columns trial, round, seconds (cumulative); all trials of the same length.
    """
    totals = runs.pivot(index="round", columns="trial", values="seconds").dropna()
    rounds = totals.index.to_numpy(float)
    if len(rounds) < 2:
        return np.empty(0), np.empty(0)
    steps = np.searchsorted(rounds, np.geomspace(rounds[0], rounds[-1] * (1 - 1e-9), BINS + 1))
    steps = np.unique(steps)
    rounds, totals = rounds[steps], totals.to_numpy()[steps]
    spent = np.diff(totals, axis=0) / np.diff(rounds)[:, None]
    return np.sqrt(rounds[1:] * rounds[:-1]), np.median(spent, axis=1)


def _facts(panel, data):
    facts = data.frame("facts")
    for series in panel["series"]:
        number = facts["name"].astype(str).str.extract(rf"^{series['fact']}_(\d+)$")[0]
        found = facts[number.notna()].assign(x=number.astype(float)).sort_values("x")
        if found.empty:
            yield _rows("note", series=series["label"], note="missing")
        yield _rows(
            "data", series=series["label"], x=found["x"].to_numpy(), y=found["value"].to_numpy()
        )


def _regions(panel, data):
    regions, facts = data.frame("regions"), data.frame("facts")
    for algorithm in panel["algorithms"]:
        grid = regions[regions["algorithm"] == algorithm]
        if grid.empty:
            yield _rows("note", series=algorithm, note="missing")
            continue
        for piece, outline in enumerate(_outlines(grid)):
            yield _rows("data", series=algorithm, x=outline[:, 0], y=outline[:, 1], piece=piece)
        areas = facts[(facts["name"] == "region_area") & (facts["setting"] == algorithm)]["value"]
        for area in areas:
            yield _rows("remark", series=algorithm, note=f"area {area:.3g}")
    for world in regions.iloc[:1].itertuples():
        yield _rows("truth", x=world.theta_x, y=world.theta_y, note=r"$\theta_*$")
        ball = rf"$\|\theta\| = S = {world.norm_bound:g}$"
        yield _rows("ball", x=world.norm_bound, note=f"{ball}, round {world.round}")


def _outlines(grid):
    """Return the outlines of a region, arrays (n, 2), closed along the edge of the grid."""
    from contourpy import contour_generator

    inside = grid.pivot(index="y", columns="x", values="inside")
    x, y = (np.pad(axis.to_numpy(float), 1, "edge") for axis in (inside.columns, inside.index))
    return contour_generator(x, y, np.pad(inside.to_numpy(float), 1)).lines(0.5)


def _scaling(panel, data):
    scaling = data.frame("scaling").sort_values("dimension")
    for series in panel["series"]:
        part = scaling[scaling["part"] == series["part"]]
        x, y = part["dimension"].to_numpy(float), part["seconds"].to_numpy(float)
        if not len(x):
            yield _rows("note", series=series["label"], note="missing")
        yield _rows("data", series=series["label"], x=x, y=y)
        slope, low, high = _rounded(last_decade_slope(x, y, TABLE_LEVEL))
        if np.isfinite(slope):
            text = f"slope {slope:.2f} [{low:.2f}, {high:.2f}]"
            yield _rows("remark", series=series["label"], note=text)


def _distance(panel, data):
    lemmas = data.frame("lemmas")
    for series in panel["series"]:
        found = lemmas[lemmas["setting"] == series["setting"]]
        if found.empty:
            yield _rows("note", series=series["label"], note="missing")
        yield _rows("data", series=series["label"], **_over_trials(found, "distance"))


def _rounded(slope):
    """Return a slope and its interval to nine digits: the rest is rounding of constant values."""
    return tuple(round(value, 9) + 0.0 for value in slope)


KINDS = {
    **dict.fromkeys(CURVES, _regret),
    "relative_regret": _relative_regret,
    "posterior": _posterior,
    "watched": _watched,
    "elapsed": _elapsed,
    **dict.fromkeys(SWEEPS, _sweep),
    "tradeoff": _tradeoff,
    "time_per_round": _time_per_round,
    "facts": _facts,
    "regions": _regions,
    "scaling": _scaling,
    "distance": _distance,
}
# What a kind of panel or table is made from: lanes of results, and extra tables.
NEEDS = {
    **dict.fromkeys(
        (*CURVES, "relative_regret", "final_regret", "final_median_regret", "coverage", "counter"),
        ("regret",),
    ),
    **dict.fromkeys(
        ("time", "elapsed", "time_per_round", "theory", "run_time", "speed"), ("timing",)
    ),
    "tradeoff": ("regret", "timing"),
    "facts": ("facts",),
    "regions": ("facts", "regions", "region_areas"),
    "distance": ("lemmas",),
    "watched": ("accuracy",),
    "posterior": ("starvation",),
    "scaling": ("scaling",),
    "accuracy": ("accuracy_facts",),
    "starvation": ("starvation_facts",),
}


def make_table(spec, tables, paper):
    """Return a table of the paper, one row per method and setting or per cell.

    Parameters
    ----------
    spec : dict
        An entry of ``tables`` in the paper's configuration. Kinds: ``theory`` (the paper's columns
        and, measured, the log-log slopes of time per round and of state bytes against the round,
        with 95 % intervals), ``final_regret`` (mean, 95 % interval, statuses; median and largest if
        it asks for ``extremes``), ``run_time`` (median seconds per trial, fastest and slowest, and
        final medians of columns ``also``), ``speed`` (milliseconds per round around some rounds,
        and ratios to the paper's method), ``accuracy`` and ``starvation`` (all facts of a study).
    tables, paper
        As in `tabulate`.
    """
    import pandas as pd

    return pd.DataFrame(TABLES[spec["kind"]](spec, _Data(tables, paper)))


def _theory(spec, data):
    for row, setting in product(spec["rows"], spec["settings"]):
        words = {key: row[key] for key in ("method", "regret", "time", "memory")}
        if "efficient" in row:
            words["jointly_efficient"] = row["efficient"]
        if "remark" in row:
            words["remark"] = row["remark"]
        measured = _measured(data, setting, row.get("algorithm"))
        yield {**words, "setting": setting, **measured}


def _measured(data, setting, algorithm):
    trials = _complete(data.trials("times", setting, algorithm))
    runs = _complete(data.cell("times", setting, algorithm))
    state = runs[runs["trial"] == runs["trial"].min()]
    totals = runs.pivot(index="trial", columns="round", values="seconds").dropna(axis=1)
    slopes = {
        "time_slope": rate_slope(totals.columns, totals, TABLE_LEVEL),
        "memory_slope": last_decade_slope(state["round"], state["state_bytes"], TABLE_LEVEL),
    }
    columns = {}
    for name, slope in slopes.items():
        columns |= zip((name, f"{name}_low", f"{name}_high"), _rounded(slope), strict=True)
    ended = data.trials("times", setting, algorithm)
    note = "; ".join(filter(None, (_fault(ended), _doubt(ended)))) if algorithm else "not run"
    ends = {name: trials[name].median() for name in ("seconds", "state_bytes")}
    return {**columns, **ends, "n": len(trials), "note": note}


def _cells(spec, data, lane):
    """Yield setting and algorithm of the cells that a lane and group of the paper ask for."""
    for job in expand(data.paper):
        if job.lane == lane and job.group == spec.get("group", "paper") and job.first == 0:
            yield job.cell.setting, job.cell.algorithm


def _final_regret(spec, data):
    extremes = spec.get("extremes", False)
    for setting, algorithm in _cells(spec, data, "regret"):
        trials = data.trials("finals", setting, algorithm)
        values = _complete(trials)["regret"]
        at_level = data.paper | {"band": TABLE_LEVEL}
        mean, low, high = _mean(values, at_level) if len(values) else (np.nan,) * 3
        yield {
            **_cell_columns(setting, algorithm, trials, data),
            "regret": mean,
            "regret_low": low,
            "regret_high": high,
            **({"median": values.median(), "largest": values.max()} if extremes else {}),
            "n": len(values),
            "statuses": _statuses(trials),
        }


def _run_time(spec, data):
    for setting, algorithm in _cells(spec, data, "timing"):
        trials = data.trials("times", setting, algorithm)
        seconds = _complete(trials)["seconds"]
        yield {
            **_cell_columns(setting, algorithm, trials, data),
            "seconds": seconds.median(),
            "fastest": seconds.min(),
            "slowest": seconds.max(),
            **{name: _final_median(trials, name) for name in spec.get("also", [])},
            "n": len(seconds),
            "statuses": _statuses(trials),
            "note": _estimate(trials),
        }


def _final_median(trials, column):
    """Return the median of a diagnostic over complete trials, NaN where there is none."""
    return _complete(trials)[column].median() if column in trials else np.nan


def _speed(spec, data):
    for setting in spec["settings"]:
        own = _milliseconds(spec, data, setting, data.paper["method"])
        for algorithm in spec["algorithms"]:
            trials = data.trials("times", setting, algorithm)
            found = _milliseconds(spec, data, setting, algorithm)
            yield {
                **_cell_columns(setting, algorithm, trials, data),
                **{f"ms at {t}": found[t] for t in spec["rounds"]},
                "seconds": found["total"] / 1e3,
                **{f"ratio at {t}": found[t] / own[t] for t in spec["rounds"]},
                "ratio in total": found["total"] / own["total"],
                "seconds of updates": found["updates"] / 1e3,
                "ratio of updates": found["updates"] / own["updates"],
                "n": len(_complete(trials)),
                "note": _estimate(trials),
            }


def _milliseconds(spec, data, setting, algorithm):
    """Return milliseconds per round around the spec's rounds, in total and of all updates.

    All are medians over trials.
    """
    runs = _timed(data, setting, algorithm)
    totals = runs.pivot(index="round", columns="trial", values="seconds").dropna()
    if totals.empty:
        return dict.fromkeys([*spec["rounds"], "total", "updates"], np.nan)
    recorded = totals.index.to_numpy(float)
    found = {}
    for t in spec["rounds"]:
        # A tenth of the rounds up to t, or half as many if t is the last of all.
        ends = np.clip([0.95 * t, 1.05 * t], recorded[0], recorded[-1])
        spent = [np.diff(np.interp(ends, recorded, totals[k]))[0] for k in totals]
        found[t] = 1e3 * np.median(spent) / (ends[1] - ends[0])
    last = runs.sort_values("round").groupby("trial").last()
    updates = (last["seconds"] - last["select_seconds"]).median()
    return {**found, "total": 1e3 * totals.iloc[-1].median(), "updates": 1e3 * updates}


def _study_facts(prefix, spec, data):
    """Yield all facts whose names begin with ``prefix``, a row for each that they are about."""
    facts = data.frame("facts")
    facts = facts[facts["name"].astype(str).str.startswith(f"{prefix}_")]
    for setting, found in facts.groupby("setting", sort=False):
        names = found["name"].str.removeprefix(f"{prefix}_")
        yield {"setting": setting, **dict(zip(names, found["value"], strict=True))}


def _cell_columns(setting, algorithm, trials, data):
    return {
        "setting": setting,
        "algorithm": algorithm,
        "method": method_name(algorithm, data.paper),
        "rounds": trials["round"].max(),
    }


def _statuses(trials):
    """Return the number of trials by status, ``ok 18, timeout 2``; ``missing`` without trials."""
    words = trials["status"].str.partition(":")[0] if len(trials) else trials["status"]
    counts = words.value_counts().sort_index()
    return ", ".join(f"{status} {count}" for status, count in counts.items()) or "missing"


TABLES = {
    "theory": _theory,
    "final_regret": _final_regret,
    "run_time": _run_time,
    "speed": _speed,
    "accuracy": partial(_study_facts, "accuracy"),
    "starvation": partial(_study_facts, "starvation"),
}


def to_markdown(frame):
    """Return a table as Markdown.

    Columns ``name``, ``name_low``, ``name_high`` become one, ``1.02 [0.97, 1.07]``; numbers are
    rounded to three significant digits, missing ones are left out.
    """
    ends = {f"{c}{end}" for c in frame.columns for end in ("_low", "_high")}
    names = [c for c in frame.columns if c not in ends]
    lines = [names, ["---"] * len(names)]
    lines += [[_item(row, name) for name in names] for row in frame.to_dict("records")]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _item(row, name):
    text = _text(row[name])
    if text and _text(row.get(f"{name}_low")):
        text += f" [{_text(row[f'{name}_low'])}, {_text(row[f'{name}_high'])}]"
    return text


def _text(value):
    if value is None or isinstance(value, str):
        return (value or "").replace("|", "\\|")
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if np.isnan(value):
        return ""
    return f"{value:.0f}" if abs(value) >= 1000 or value == round(value) else f"{value:.3g}"
