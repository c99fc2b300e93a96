"""Playing what is missing: trials that were kept are taken, others are played by processes."""

import base64
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist import arithmetic
from optimist.algorithms import REGISTRIES
from optimist.apart import end
from optimist.blame import in_one_line, status_in_words
from optimist.comparison.committed import Committed
from optimist.comparison.select import OWN, Setting, cells, once, settings
from optimist.data.alone import prepared
from optimist.environments import environment_class
from optimist.errors import (
    ConfigError,
    ResultError,
    UnreadableError,
    UnwritableError,
    check_writable,
    one_of,
)
from optimist.label import name_of
from optimist.layout import Layout, Result, digest_in_name, parse_result
from optimist.observation import first_change
from optimist.plan.config import load_config, overlays_in_use
from optimist.plan.costs import Costs, read
from optimist.plan.data import digest_of as digest_of_data
from optimist.records import provenance
from optimist.records.cells import digest_of
from optimist.registry import names_file
from optimist.root import made_before, project_root, workspace
from optimist.runs import results
from optimist.runs.cell import Cell
from optimist.runs.loop import EARLY
from optimist.runs.setting import option_defaults
from optimist.runs.trials import Trials

if TYPE_CHECKING:
    import pandas as pd


# Columns that every frame has, without numbers where nobody measured them.
ALWAYS = ("round", "regret", "seconds", "covered", "state_bytes")


class TrialError(ResultError):
    """A trial ended with an error of its algorithm, or of its process."""


@dataclass
class Progress:
    """How far playing is; given to a function whenever something has ended.

    Attributes
    ----------
    done, total : int
        Trials.
    seconds_left : float
        Expected, on all processes together; nan as long as nothing is known of some cell.
    """

    done: int
    total: int
    seconds_left: float


Report = Callable[[Progress], None]


def play(
    where: str | Setting | Iterable[str | Setting],
    algorithms: Sequence[Any],
    *,
    trials: int = 10,
    first: int = 0,
    rounds: int | None = None,
    cores: int = 1,
    fresh: bool = False,
    committed: bool = False,
    report: Report | None = None,
    errors: str = "raise",
) -> "pd.DataFrame":
    """Play algorithms in settings, under common random numbers; return what they did.

    In trial i all algorithms meet the same instance and noise, those of the workflow. A trial that
    was played before, by this function, by ``optimist compare`` or by the workflow, is taken from
    the results folder if code, configuration, data and versions are the same; and one of the last
    full run from the table beside its figures if code, configuration and data are the same. Trials
    of that table have no times, and some sixty rounds.

    A user's class plays the first rounds of a trial twice before that, in each process: it is
    refused if they differ, since it then draws from another generator than its own.

    All trials are played by processes with the shared kernels (`optimist.arithmetic`), whatever
    numpy does in the calling process, such as a notebook. Each trial of a user's class has a
    copy of such a process.

    Parameters
    ----------
    where : str, Setting, or several
        See `optimist.comparison.select.settings`.
    algorithms : list of str or class
        Labels, ``name[option=value]`` or ``file.py:Class``, or classes of this process. Such a
        class is sent to another process by cloudpickle: what it prints and changes stays there,
        and its trials are not kept.
    trials, first : int
        Trials first, ..., first + trials - 1.
    rounds : int or None
        Stop each trial after so many; the algorithms are told the whole horizon.
    cores : int
        Processes.
    fresh : bool
        Whether to play all of it now, so that times are of one run, and take nothing from before.
    committed : bool
        Whether to take trials of the last full run of other code too, instead of playing them.
    report : callable or None
        Called with a `Progress` after each trial.
    errors : {"raise", "skip"}
        Whether the first trial that ends with an error ends all, or its algorithm is left out of
        the setting where that happened while the others go on.

    Returns
    -------
    DataFrame
        A row per recorded round: paper, setting, algorithm, trial, round, regret, seconds, status,
        covered, state_bytes and what the algorithms record. Where the largest value of a function
        is not known, regret is counted from the best value that one of these trials found. Its
        ``attrs["committed"]`` says how many trials are from tables, by commit of their code,
        ``attrs["other_code"]`` which ``cells`` of the tables are of other code than today's, ``of``
        how many, and whether they were ``taken`` or played again,
        ``attrs["reused"]`` how many were played before, with the times of then,
        ``attrs["processes"]`` how many processes played the others at once, and
        ``attrs["kept"]`` whether results can be kept here, ``attrs["errors"]`` why algorithms were
        left out, by ``paper/setting/algorithm``, ``attrs["one_instance"]`` the settings,
        ``paper/setting``, of which all trials have one instance and differ in the noise alone,
        ``attrs["own_radii"]`` those in which each method has the radius of its theorem, and
        ``attrs["horizons"]`` the horizons, by ``paper/setting``.

    Raises
    ------
    ConfigError
        For an unknown name or option, before anything is played.
    ResultError
        If a trial ended with an error, or, where these are skipped, nothing else was played; where
        files cannot be read or written it is never skipped.
    """
    one_of("errors", errors, ("raise", "skip"))
    _tell_of_kernels()
    for key, value, least in (("trials", trials, 1), ("first", first, 0), ("cores", cores, 1)):
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ConfigError(f"{key} is {value!r}; allowed: a whole number, at least {least}")
    if rounds is not None and (not isinstance(rounds, int) or rounds < 1):
        raise ConfigError(f"rounds is {rounds!r}; allowed: a whole number, at least 1, or none")
    found_cells = cells(_settings(where), algorithms)
    for cell in found_cells if rounds is not None else ():
        if rounds > (most := cell.spec["horizon"]):
            raise ConfigError(
                f"rounds is {rounds}; allowed in {cell.paper}/{cell.setting}: at most its horizon, "
                f"{most}, which the option horizon changes"
            )
    asked = [
        Trials("regret", cell, trial, trial + 1, rounds=rounds)
        for cell in found_cells
        for trial in range(first, first + trials)
    ]
    with tempfile.TemporaryDirectory(prefix="optimist-") as folder:
        playing = _Playing(asked, Path(folder), cores, report, fresh, committed, errors == "skip")
        frames = playing.frames()
        if not frames:
            raise ResultError("\n".join(dict.fromkeys(playing.errors.values())))
        found = _joined(asked, frames)
    found.attrs |= {
        "committed": playing.taken,
        "other_code": playing.other_code,
        "reused": playing.reused,
        "processes": playing.processes,
        "kept": playing.is_keeping,
        "errors": playing.errors,
        "one_instance": sorted({_place(t.cell) for t in asked if _is_of_one_instance(t.cell)}),
        "own_radii": sorted({_place(t.cell) for t in asked if _has_own_radii(t.cell)}),
        "horizons": {_place(t.cell): t.cell.spec["horizon"] for t in asked},
    }
    return found


def _tell_of_kernels() -> None:
    """Warn a notebook that computes with other kernels than the processes that play."""
    if "numpy" in sys.modules and not arithmetic.is_shared():
        warnings.warn(
            "numpy computes here with this machine's kernels or threads; other processes play the "
            "trials, with the shared kernels, and give the numbers of the workflow",
            stacklevel=3,
        )


def _place(cell: Cell) -> str:
    return f"{cell.paper}/{cell.setting}"


def _is_of_one_instance(cell: Cell) -> bool:
    return option_defaults(cell.spec).get("instance") == "shared"


def _has_own_radii(cell: Cell) -> bool:
    options = option_defaults(cell.spec)
    return options.get("radius", "theory") == "theory" and options.get("factor") == 1.0


def _settings(where: str | Setting | Iterable[str | Setting]) -> list[Setting]:
    if isinstance(where, type):
        raise ConfigError(
            f"setting is {where!r}; allowed: texts, such as world.py:World for a class"
        )
    listed = [where] if isinstance(where, str | Setting) else list(where)
    found = [
        one
        for entry in listed
        for one in ([entry] if isinstance(entry, Setting) else settings(entry))
    ]
    if not found:
        raise ConfigError("settings is empty; allowed: PAPER/SETTING")
    return once(found)


def figures_folder(paper: str) -> Path:
    """Return the folder of all figures in which those of a paper's last full run are."""
    table = Layout("", load_config()["figures"]).trials(paper)
    return made_before(table).parents[1]


class _Playing:
    """Trials that are asked for, each of which is taken or played.

    Parameters
    ----------
    asked : list of Trials
        Of one trial each.
    folder : Path
        Of files that nobody needs later.
    cores : int
    report : callable or None
    fresh : bool
        Whether nothing that there is already is taken.
    takes_all : bool
        Whether trials of other code are taken from tables.
    is_skipping : bool
        Whether cells with an error are left out, see ``errors`` of `play`.

    Attributes
    ----------
    taken : dict
        Trials that are from tables of a full run, by commit.
    reused : int
        Trials that were kept.
    processes : int
        How many played at once.
    is_keeping : bool
        Whether what is played is kept; nothing is where nothing can be written.
    errors : dict
        What is wrong with cells that were left out, by their names.
    """

    def __init__(
        self,
        asked: Sequence[Trials],
        folder: Path,
        cores: int,
        report: Report | None,
        fresh: bool,
        takes_all: bool,
        is_skipping: bool,
    ) -> None:
        self._asked = asked
        self._is_fresh = fresh
        self._folder = folder
        self._cores = cores
        self._report = report or (lambda progress: None)
        layout = Layout(str(workspace() / load_config()["results"]), "")
        self._shelf, self._kept = _Shelf(layout), Path(layout.kept)
        self.is_keeping = _takes_files(layout.kept)
        names = {t.cell.spec["dataset"] for t in asked if "dataset" in t.cell.spec}
        self._data = {name: str(prepared(name)) for name in names}
        self._clock = _Clock()
        papers = set() if fresh else {t.cell.paper for t in asked} - {OWN}
        self._tables = {
            paper: Committed(figures_folder(paper), paper, takes_all=takes_all) for paper in papers
        }
        self._takes_all = takes_all
        self.taken: dict[str, int] = {}
        self.reused = 0
        self.processes = 0
        self._is_reused: set[int] = set()
        self._commits: dict[int, str] = {}
        self._is_skipping = is_skipping
        self.errors: dict[str, str] = {}

    def frames(self) -> "list[pd.DataFrame]":
        """Return the rows of each trial of cells without an error, in the order of the asking."""
        found = {} if self._is_fresh else self._made_before()
        missing = {i: t for i, t in enumerate(self._asked) if i not in found}
        self._clock.begin(missing.values())
        asked = Counter(t.cell.name for t in self._asked)
        ended = Counter(self._asked[i].cell.name for i in found)
        for i, rows in self._played(missing):
            if rows is not None:
                found[i] = rows
                ended[self._asked[i].cell.name] += 1
            done, total = (
                sum(number for name, number in counts.items() if name not in self.errors)
                for counts in (ended, asked)
            )
            self._report(Progress(done, total, self._clock.left / self._cores))
        kept = [i for i in sorted(found) if not self._is_left_out(i)]
        for commits in (self._commits[i] for i in kept if i in self._commits):
            self.taken[commits] = self.taken.get(commits, 0) + 1
        self.reused = len(self._is_reused.intersection(kept))
        return [found[i] for i in kept]

    def _made_before(self) -> "dict[int, pd.DataFrame]":
        """Return the rows of the trials that were kept, or that a full run played."""
        found = {}
        for i, trials in enumerate(self._asked):
            rows = self._shelf.rows(trials)
            if rows is not None:
                found[i] = rows
                self._is_reused.add(i)
            elif trials.cell.paper in self._tables:
                known = self._tables[trials.cell.paper].rows(trials, self._shelf.digest(trials))
                if known is not None:
                    found[i], self._commits[i] = known
        return found

    @property
    def other_code(self) -> dict[str, Any]:
        """Which cells of the tables are of other code, see `play`."""
        tables = self._tables.values()
        return {
            "cells": sorted(set().union(*(table.other for table in tables))),
            "of": sum(len(table.cells) for table in tables),
            "taken": self._takes_all,
        }

    def _played(self, missing: Mapping[int, Trials]) -> "Iterator[tuple[int, pd.DataFrame | None]]":
        """Play trials; yield the number and the rows of each, None if its cell is left out."""
        with ExitStack() as stack:
            self.processes = max(1, min(self._cores, len(missing)))
            workers = _Workers(stack, self.processes, self._request)
            waiting = {workers.submit(t, self._output(i)): i for i, t in missing.items()}
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    i = waiting.pop(future)
                    try:
                        seconds = future.result()
                    except TrialError as error:
                        if not self._is_skipping:
                            raise
                        self._leave_out(self._asked[i].cell, str(error))
                        unwanted = [f for f, j in waiting.items() if self._is_left_out(j)]
                        for other in filter(Future.cancel, unwanted):
                            del waiting[other]
                        yield i, None
                        continue
                    if not self._is_left_out(i):
                        self._clock.stop(self._asked[i], seconds)
                        yield i, _read(self._output(i))

    def _is_left_out(self, number: int) -> bool:
        return self._asked[number].cell.name in self.errors

    def _leave_out(self, cell: Cell, error: str) -> None:
        self.errors.setdefault(cell.name, error)
        self._clock.drop(cell)

    def _output(self, number: int) -> Path:
        """Return the result file of a trial, which is kept unless its class has no file."""
        trials = self._asked[number]
        if self.is_keeping and not trials.cell.is_of_this_process:
            return self._kept / self._shelf.place(trials).path
        return self._folder / f"{number}.parquet"

    def _request(self, trials: Trials, output: Path) -> dict[str, Any]:
        return {
            "trials": trials.describe(),
            "output": str(output),
            "data": self._data.get(trials.cell.spec.get("dataset", ""), ""),
            **_added(trials.cell),
        }


def _takes_files(folder: str) -> bool:
    """Return whether a folder takes files; it is made for that."""
    try:
        check_writable(folder)
    except UnwritableError:
        return False
    return True


def _added(cell: Cell) -> dict[str, Any]:
    """Return what another process needs to know the class of a cell, nothing if it has a file."""
    if not cell.is_of_this_process:
        return {}
    import cloudpickle

    added = REGISTRIES[cell.domain].added[name_of(cell.algorithm)]
    try:
        pickled = cloudpickle.dumps(added)
    except Exception as error:
        raise ConfigError(
            f"{cell.algorithm} cannot be sent to another process ({in_one_line(error)}); allowed: "
            "a class that refers to nothing that pickle refuses, or a class in a file"
        ) from None
    content = base64.b64encode(pickled).decode()
    paths = [os.fspath(path) for path in sys.path]
    name = name_of(cell.algorithm)
    return {"added": {"domain": cell.domain, "name": name, "class": content, "paths": paths}}


def _read(path: Path) -> "pd.DataFrame":
    return results.read(path).to_pandas()


class _Shelf:
    """Trials in the results folder: those of the workflow, and those of comparisons.

    Parameters
    ----------
    layout : Layout
    """

    def __init__(self, layout: Layout) -> None:
        self._folders = (layout.results, layout.kept)
        self._options = load_config()["datasets"]
        self._packages = provenance.packages()
        self._digests: dict[str, str] = {}
        self._known: dict[Path, pd.DataFrame | None] = {}

    def digest(self, trials: Trials) -> str:
        """Return the digest of what decides some trials."""
        name = trials.cell.name
        if name not in self._digests:
            self._digests[name] = digest_of(
                trials, lambda data: digest_of_data(data, self._options)
            )
        return self._digests[name]

    def place(self, trials: Trials) -> Result:
        """Return where a result of some trials is, below one of the folders."""
        return trials.place(digest_in_name(self.digest(trials), self._packages))

    def rows(self, trials: Trials) -> "pd.DataFrame | None":
        """Return the rows of a trial, None if there are none of today's code."""
        if trials.cell.is_of_this_process:
            return None
        place = self.place(trials)
        for folder in self._folders:
            for path in Path(folder, place.path).parent.glob(f"*.{place.digest}.parquet"):
                part = parse_result(path)
                if part is not None and part.first <= trials.first < part.stop:
                    found = self._file(path, is_foreign=trials.is_foreign)
                    if found is not None and trials.first in found["trial"].values:
                        return found[found["trial"] == trials.first]
        return None

    def _file(self, path: Path, *, is_foreign: bool) -> "pd.DataFrame | None":
        """Return the rows of a result file, None if it is not whole, or read what has changed."""
        if path not in self._known:
            self._known[path] = None
            with suppress(ResultError, UnreadableError):
                observed = results.read_metadata(path)["observed"] if is_foreign else None
                if observed is None or first_change(observed) is None:
                    found = _read(path)
                    self._known[path] = found[~found["status"].isin(EARLY)]
        return self._known[path]


class _Clock:
    """What is left of the expected seconds of trials, mended by those that have ended."""

    def __init__(self) -> None:
        self._costs = Costs(read(project_root() / "config" / "costs.csv"))
        self._left: dict[str, int] = {}
        self._measured: dict[str, list[float]] = {}
        self._expected: dict[str, float] = {}

    def begin(self, trials: Iterable[Trials]) -> None:
        """Expect these trials."""
        for one in trials:
            name = one.cell.name
            self._left[name] = self._left.get(name, 0) + 1
            cell = one.cell
            known = self._costs.seconds_of_cell(cell.paper, "regret", cell.setting, cell.algorithm)
            self._expected[name] = known if known != known else self._costs.seconds(one)

    def stop(self, trials: Trials, seconds: float) -> None:
        """Take note that a trial ended, after so many seconds."""
        self._left[trials.cell.name] -= 1
        self._measured.setdefault(trials.cell.name, []).append(seconds)

    def drop(self, cell: Cell) -> None:
        """Expect no more trials of a cell."""
        self._left[cell.name] = 0

    @property
    def left(self) -> float:
        """Seconds that are left, on one core."""
        return sum(number * self._of(name) for name, number in self._left.items() if number)

    def _of(self, name: str) -> float:
        """Return the seconds of a trial of a cell; as of others where nothing is known of it."""
        measured = self._measured.get(name)
        if measured:
            return sum(measured) / len(measured)
        expected = self._expected[name]
        others = [seconds for known in self._measured.values() for seconds in known]
        return sum(others) / len(others) if expected != expected and others else expected


class _Workers:
    """Processes that play, each for one thread of a pool.

    Parameters
    ----------
    stack : ExitStack
        Ends them.
    number : int
    request : callable
        From trials and an output to what a worker is asked.
    """

    def __init__(
        self, stack: ExitStack, number: int, request: Callable[[Trials, Path], dict[str, Any]]
    ) -> None:
        self._request = request
        self._own = threading.local()
        self._started: list[subprocess.Popen[str]] = []
        self._pool = ThreadPoolExecutor(max(1, number))
        stack.callback(self._end)

    def submit(self, trials: Trials, output: Path) -> "Future[float]":
        """Let a worker play trials; the answer is what they took, in seconds."""
        return self._pool.submit(self._ask, trials, self._request(trials, output))

    def _ask(self, trials: Trials, request: Mapping[str, Any]) -> float:
        worker = self._worker(trials.cell)
        assert worker.stdin is not None and worker.stdout is not None
        try:
            worker.stdin.write(json.dumps(request) + "\n")
            worker.stdin.flush()
            line = worker.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            del self._own.worker, self._own.cell
            raise TrialError(
                f"{trials.cell.name}, trial {trials.first}: the process that played it ended with "
                f"{status_in_words(worker.wait())}"
            )
        answer = json.loads(line)
        if "error" in answer:
            kind = ResultError if answer["kind"] == "system" else TrialError
            raise kind(answer["error"] + _hint(trials, answer["kind"]))
        return float(answer["seconds"])

    def _worker(self, cell: Cell) -> "subprocess.Popen[str]":
        """Return the process of this thread, another one if foreign code could meet other cells."""
        last: Cell = getattr(self._own, "cell", cell)
        if last.name != cell.name and (last.is_foreign or cell.is_foreign):
            end(self._own.worker)
            del self._own.worker
        self._own.cell = cell
        if not hasattr(self._own, "worker"):
            command = [sys.executable, "-P", "-m", "optimist.comparison.worker"]
            pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            env = arithmetic.environment()
            self._own.worker = subprocess.Popen(command, text=True, env=env, **pipes)
            self._started.append(self._own.worker)
        found: subprocess.Popen[str] = self._own.worker
        return found

    def _end(self) -> None:
        """Ask for nothing more; a worker in the middle of a trial is ended if something failed."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for worker in self._started:
            end(worker)


def _hint(trials: Trials, kind: str) -> str:
    """Return what says more about an error: a command, as far as it is one of this cell."""
    cell, name = trials.cell, name_of(trials.cell.algorithm)
    if cell.is_of_this_process:
        return ""
    if kind == "environment":
        name = trials.cell.environment
    if kind in ("contract", "environment") and names_file(name):
        return f"; optimist check {shlex.quote(name)} may say why"
    if kind != "other":
        return ""
    place = f"{cell.paper}/{cell.setting}"
    if cell.paper == OWN:  # of a file, which the name of the setting does not tell
        place = cell.spec["environment"] + cell.setting.removeprefix(name_of(cell.setting))
    words = ["optimist", "--debug", "run", f"{place}/{cell.algorithm}"]
    words += ["--trials", f"{trials.first}:{trials.stop}"]
    words += [] if trials.rounds is None else ["--rounds", str(trials.rounds)]
    overlays = ["--configfile", *overlays_in_use()] if overlays_in_use() else []
    return f"; {shlex.join([*words, *overlays])} shows how it came to that"


def _joined(asked: Sequence[Trials], frames: "Sequence[pd.DataFrame]") -> "pd.DataFrame":
    """Return all rows in one frame, with regret from the best known value where it must be."""
    import pandas as pd

    joined = pd.concat([rows.dropna(axis=1, how="all") for rows in frames], ignore_index=True)
    # Where all trials are from tables nobody has these.
    joined = joined.reindex(columns=[*dict.fromkeys([*joined, *ALWAYS])])
    unknown = {
        (t.cell.paper, t.cell.setting)
        for t in asked
        if not environment_class(t.cell.spec["environment"]).maximum_is_known
    }
    pieces = [
        _counted(rows) if place in unknown and "instance" in rows else rows
        for place, rows in joined.groupby(["paper", "setting"], sort=False)
    ]
    return pd.concat(pieces, ignore_index=True)


def _counted(rows: "pd.DataFrame") -> "pd.DataFrame":
    """Return the rows of a setting with regret counted from the best value of each instance."""
    least = rows.groupby("instance")["simple_regret"].transform("min").fillna(0.0)
    return rows.assign(
        regret=rows["regret"] - least * rows["round"], simple_regret=rows["simple_regret"] - least
    )
