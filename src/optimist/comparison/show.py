"""Output of ``optimist compare``: progress, and a table for each setting."""

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Table

from optimist.comparison.draw import plot, short_names
from optimist.comparison.play import Progress, play
from optimist.comparison.rank import COLUMNS, rank
from optimist.config.load import paper_names
from optimist.config.select import algorithm, settings
from optimist.core import outputs, terminal
from optimist.core.durations import in_words
from optimist.core.errors import ConfigError, EndedError, known_name
from optimist.core.executor import relayed
from optimist.core.files import write_frame
from optimist.core.label import Label
from optimist.core.registry import names_file
from optimist.experiments.isolation import isolated

if TYPE_CHECKING:
    import pandas as pd

# Width if the output is not a terminal; enough for all columns.
WIDTH = 160
ROOMY = 120  # minimum terminal width for a header that names the reference
ROUNDING = 1e-9  # relative rounding error between sums of the same numbers
LARGEST, MOST_DECIMALS = 1e7, 6  # limits for printing a number without an exponent
NAME = "algorithm"
PLAIN_PAUSE = 60.0  # seconds between progress lines if they cannot be overwritten
FEWEST = 10  # minimum number of trials for any decision
NAMED = 4  # maximum number of cells named in one line


@contextmanager
def progress(stream: TextIO) -> Iterator[Callable[[Progress], None]]:
    """Show a progress bar, or print a line per minute; yield the function that reports progress."""
    columns = (
        TextColumn("trials"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
    )
    console, silent = Console(file=stream), not stream.isatty()
    with Bar(*columns, console=console, transient=True, disable=silent) as bar:
        task = bar.add_task("trials", total=None, left="")
        last = time.monotonic()

        def report(now: Progress) -> None:
            nonlocal last
            left = f"about {in_words(now.seconds_left)} left"
            bar.update(task, completed=now.done, total=now.total, left=left)
            if silent and time.monotonic() - last > PLAIN_PAUSE:
                last = time.monotonic()
                print(f"{now.done} of {now.total} trials, {left}", file=stream)

        yield report


def compared(options: argparse.Namespace) -> "pd.DataFrame":
    """Play the requested trials, write the requested files, and return the ranking.

    A copy of this process loads users' environments, so that they cannot affect the ranking.

    Raises
    ------
    ConfigError
        If a name, a number or a file name is invalid. No trial is played in this case.
    ResultError
        If no algorithm completed a trial, or if a file cannot be read or written.
    """
    if options.csv:
        outputs.check_table("--csv", options.csv, COLUMNS)
    if options.plot:
        outputs.check_picture("--plot", options.plot)
    reference = options.reference
    if reference is not None:
        labels = [*map(algorithm, options.algorithm)]
        reference = known_name("--reference", algorithm(reference), labels)
    is_apart = _is_foreign(options) and not options.debug
    try:
        played = _played_apart(options) if is_apart else _played(options)
    except EndedError as error:
        raise ConfigError(f"{', '.join(options.settings)}: {error}") from None
    table = rank(played, reference=reference if reference in {*played["algorithm"]} else None)
    lost = reference is not None and table.attrs["reference"] is None
    table.attrs |= {**played.attrs, "rounds": options.rounds, "lost": reference if lost else None}
    if options.csv:
        texts = {name: table[name].map(json.dumps) for name in ("better_than", "worse_than")}
        write_frame(table.assign(**texts), options.csv)
    if options.plot:
        plot(played, options.plot)
    return table


def _is_foreign(options: argparse.Namespace) -> bool:
    """Return whether the trials may use a user's environments."""
    of_papers = all(text.partition("/")[0] in paper_names() for text in options.settings)
    return bool(options.configfile) or not of_papers


def _played_apart(options: argparse.Namespace) -> "pd.DataFrame":
    """Play in a copy of this process, whose output goes to standard error."""

    def played() -> "pd.DataFrame":
        for number in (1, 2):
            if not os.isatty(number):  # a child of a class must not keep the caller's pipe open
                os.dup2(output, number)
        return _played(options)

    with relayed() as output:
        frame: pd.DataFrame = isolated(played, 0)
    return frame


def _played(options: argparse.Namespace) -> "pd.DataFrame":
    changes = {} if options.horizon is None else {"horizon": options.horizon}
    with progress(sys.stderr) as report:
        return play(
            settings(*options.settings, **changes),
            options.algorithm,
            trials=options.trials,
            rounds=options.rounds,
            cores=options.cores,
            fresh=options.fresh,
            committed=options.committed,
            report=report,
            errors="skip",
        )


def write(table: "pd.DataFrame", stream: TextIO) -> None:
    """Write a ranking as one table per setting, fitted to the width of the terminal."""
    console = Console(file=stream, width=terminal.width() or WIDTH, highlight=False, emoji=False)
    if words := other_code(table):
        console.print(_text(words), end="\n\n")
    base = table.attrs.get("reference")
    base = "the first" if base is None else base if console.width >= ROOMY else "the reference"
    groups = [rows for _, rows in table.groupby(["paper", "setting"], sort=False)]
    forms = [list(_narrower(_columns(rows, base))) for rows in groups]
    # All tables have the same columns: the first form in which every table fits.
    for number in range(len(forms[0])):
        if all(_width(_as_table(form[number]), console) <= console.width for form in forms):
            break
    for rows, form in zip(groups, forms, strict=True):
        paper, setting = rows["paper"].iloc[0], rows["setting"].iloc[0]
        title = setting if paper == "own" else f"{paper}/{setting}"
        remarks = _remarks(f"{paper}/{setting}", rows, table.attrs)
        lines = [title + (f" ({'; '.join(remarks)})" if remarks else "")]
        if NAME not in form[number]:
            labels = zip(rows["rank"], rows["algorithm"], strict=True)
            lines += [f"{rank}  {label}" for rank, label in labels]
        folded = (terminal.folded(line, console.width) for line in lines)
        console.print(_text("\n".join(folded)), soft_wrap=True, style="italic")
        console.print(_as_table(form[number]))
        faults = dict(zip(rows["algorithm"], rows["faults"], strict=True))
        for name in table.attrs.get("errors", ()):
            if name.startswith(place := f"{paper}/{setting}/"):
                faults[name.removeprefix(place)] = "left out because of the error below"
        for label, words in faults.items():
            if words:
                console.print(_text(f"{label}: {words}"), end="\n\n")
    hidden = [name for name in ("p", "median") if name not in forms[0][number]]
    console.print(_text(_note(table, hidden)))


def other_code(table: "pd.DataFrame") -> str:
    """Describe the committed cells played by another version of the code, if any."""
    other = table.attrs.get("other_code", {})
    names = other.get("cells", ())
    if not names:
        return ""
    shown = ", ".join([*names[:NAMED], *["..."] * (len(names) > NAMED)])
    again = "; they were played again (--committed takes them as they are)"
    words = f"{len(names)} of {other['of']} committed cells are of other code: {shown}"
    return words if other["taken"] else words + again


def _text(words: str) -> str:
    """Return text that rich prints literally, without markup or terminal commands."""
    return escape(terminal.shown(words))


def _remarks(place: str, rows: "pd.DataFrame", attrs: dict[str, Any]) -> list[str]:
    """Describe how much of a setting was played, and what limits conclusions from its trials."""
    remarks = [] if _is_uneven(rows) else [_trials(rows["trials"].iloc[0])]
    rounds, horizon = attrs.get("rounds"), attrs.get("horizons", {}).get(place)
    if rounds is not None and rounds != horizon:
        remarks.append(f"{rounds} of {horizon} rounds")
    if place in attrs.get("one_instance", ()):
        remarks.append("one instance: trials differ only in noise")
    if place in attrs.get("own_radii", ()):
        remarks.append("each method has the radius of its theorem")
    return remarks


def _is_uneven(rows: "pd.DataFrame") -> bool:
    """Return whether a trial failed, or algorithms completed different numbers of trials."""
    return rows["trials"].nunique() > 1 or bool(rows["failed"].any())


def _trials(number: int) -> str:
    return f"{number} trial" if number == 1 else f"{number} trials"


def _columns(rows: "pd.DataFrame", base: str) -> "dict[str, pd.Series]":
    """Return the columns of one setting's table as strings, by header."""
    ranks = dict(zip(rows["algorithm"], rows["rank"], strict=True))
    columns = {"": rows["rank"].map(str), NAME: rows["algorithm"]}
    if _is_uneven(rows):
        failed = rows["failed"].map(lambda number: f" ({number} failed)" if number else "")
        columns["trials"] = rows["trials"].map(str) + failed
    columns |= {
        "mean regret\n(± 95 %)": _intervals(rows, "mean", "high"),
        "median": rows["median"].map(_number),
        f"minus {_text(base)}\n(± 95 %)": _intervals(rows, "difference", "difference_high"),
        "p": rows["p"].map(lambda p: _number(p, 2)),
        "better\nthan": rows["better_than"].map(lambda labels: _ranks(labels, ranks)),
        "worse\nthan": rows["worse_than"].map(lambda labels: _ranks(labels, ranks)),
        "seconds\na trial": rows["seconds"].map(lambda seconds: _number(seconds, 2)),
    }
    return columns


def _narrower(columns: "dict[str, pd.Series]") -> "Iterator[dict[str, pd.Series]]":
    """Yield the columns, then ever narrower forms that omit the less important ones.

    A label broken across lines is hard to read or copy, so the last form omits the labels, and the
    caller prints them above the table.
    """
    yield columns
    short = columns | {NAME: columns[NAME].map(short_names(columns[NAME]))}
    yield short
    for left_out in (("p",), ("p", "median")):
        yield {name: words for name, words in short.items() if name not in left_out}
    yield {name: words for name, words in columns.items() if name != NAME}


def _width(shown: Table, console: Console) -> int:
    """Return a table's width if no line is wrapped."""
    return console.measure(shown, options=console.options.update(max_width=10**4)).maximum


def _as_table(columns: "dict[str, pd.Series]") -> Table:
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in columns:
        shown.add_column(name, justify="left" if name == NAME else "right", overflow="fold")
    for words in zip(*columns.values(), strict=True):
        shown.add_row(*map(_text, words))
    return shown


def _intervals(rows: "pd.DataFrame", value: str, high: str) -> "pd.Series":
    """Format means with the half-widths of their intervals, which are symmetric (Student's t)."""
    least = ROUNDING * rows["mean"].abs().replace(math.inf, math.nan).max()
    return rows.apply(lambda row: _interval(row[value], row[high] - row[value], least), axis=1)


def _interval(value: float, half: float, least: float = 0.0) -> str:
    """Format a mean and its interval's half-width, whose first two digits set the precision.

    An absolute value of at most ``least`` is a rounding error, and is shown as 0.
    """
    value, half = (0.0 if abs(number) <= least else number for number in (value, half))
    if half != half:
        return _number(value)
    if half == 0.0:
        return f"{_number(value)} ± 0"
    half = float(f"{half:.1e}") if half < 10.0 else half
    decimals = max(0, 1 - math.floor(math.log10(half)))
    if decimals > MOST_DECIMALS or abs(value) >= LARGEST:
        return f"{_number(value)} ± {_number(half, 2)}"
    return f"{value:.{decimals}f} ± {half:.{decimals}f}"


def _ranks(labels: Sequence[str], ranks: dict[str, int]) -> str:
    """Format the ranks of the labels, with consecutive ranks joined, as in ``2-4,6``."""
    runs: list[list[int]] = []
    for place in sorted(ranks[label] for label in labels):
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return ",".join("-".join(map(str, dict.fromkeys((run[0], run[-1])))) for run in runs) or "-"


def _number(value: float, digits: int = 4) -> str:
    """Format a number to ``digits`` significant digits, or as an integer if that has more digits.

    A number of at least `LARGEST` has ``digits`` digits and an exponent.
    """
    if value != value:
        return ""
    rounded = abs(float(f"{value:.{digits - 1}e}"))
    if not rounded or 10 ** (digits - 1) <= rounded < LARGEST:
        return f"{value:.0f}"
    return f"{value:#.{digits}g}"


def _note(table: "pd.DataFrame", hidden: Sequence[str]) -> str:
    words = (
        "Differences are paired by trial; each interval and each p is for one pair alone. The "
        "columns better than and worse than list ranks, at 95 % for all pairs of a setting (Holm)."
    )
    if hidden:
        words += f" There is no space for {' and '.join(hidden)}; use --csv or --json."
    if table.attrs.get("rounds"):
        words += " With more rounds, another algorithm may be first."
    if table.attrs.get("isolated"):
        words += " Trials that were played now ran in copies of processes, as users' classes do."
    processes = table.attrs.get("processes")
    if processes != 1:
        words += " Times were measured in processes that may slow each other down."
    if processes and processes > (there := os.cpu_count() or processes):
        words += f" {processes} processes shared {there} processors."
    for commit, number in table.attrs.get("committed", {}).items():
        words += f" The full run of commit {commit} provided {_trials(number)}, without times."
    if reused := table.attrs.get("reused"):
        words += f" {_trials(reused)} had been played before, with times from earlier runs."
    if reused or table.attrs.get("committed"):
        words += " --fresh plays all trials now."
    if table["failed"].any():
        words += (
            " Algorithms with failed trials come last and are not compared with others, because "
            "the trials that they completed may be the easy ones."
        )
    if places := table.attrs.get("own_radii"):
        is_matched = all(place.startswith("hvt_ucb/") for place in places)
        words += (
            " Radii of theorems may be so large that methods with a radius learn little, and a "
            "method without one looks better than it is; "
            + (
                "radius=matched makes the radii equal."
                if is_matched
                else "factor=0.3 shrinks the radii."
            )
        )
    if files := [*dict.fromkeys(filter(names_file, map(Label.name_of, table["algorithm"])))]:
        words += f" Use optimist check to test the contract of {' and '.join(files)}."
    if lost := table.attrs.get("lost"):
        words += f" The reference {lost} was left out."
    if left_out := table.attrs.get("errors"):
        words += f" Left out because a trial ended with an error: {', '.join(left_out)}."
    if not table.attrs.get("kept", True):
        words += " No results were kept, because no file can be written here."
    if table["trials"].max() < FEWEST:
        words += f" Fewer than {FEWEST} trials cannot decide a comparison."
    return words
