"""One line for a whole run of Snakemake, with the time left: ``snakemake --logger optimist``.

On a terminal the line is written over; elsewhere one is written a minute. Failures are shown as
Snakemake shows them, with the last lines of their logs; all else is in Snakemake's own log only.
Snakemake finds this package by the first words of its name, and imports it for every job.
"""

import os
import re
import sys
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from logging import WARNING, LogRecord
from pathlib import Path
from typing import Any, TextIO

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from optimist.core.durations import in_words
from optimist.core.layout import unquoted
from optimist.core.root import project_root
from optimist.core.terminal import CLEAR, is_terminal, shown, width

# What is worth a line among the messages that are neither events nor warnings.
SHOWN = re.compile(
    "Nothing to be done|Complete log|Trying to restart|Shutting down|Unlocked|Report created"
)
# What Snakemake adds where a script ended with status 1.
OF_SCRIPT = re.compile(r"^CalledProcessError [^\0]*\.(\w+\.py)['\"]+ returned .* status 1\.$", re.M)
SAID = " ERROR the job failed: "  # in the last line of its log
PLAIN_PAUSE = 60.0  # seconds between two lines where nothing can be written over
LOG_LINES = 20
LONGEST = 500  # letters of a line of an error: a job may have a thousand inputs
UNNAMED = ("trials", "digest")  # wildcards that the line leaves out
LEAST = 1.5  # seconds of a job that does nothing: a process of its own
RED, PLAIN = "\x1b[31m", "\x1b[0m"


def called(rule: str, wildcards: Mapping[str, str]) -> str:
    """Return what a job is called: ``run glb_omd/logistic_s3/gloc``."""
    words = [unquoted(str(value)) for key, value in wildcards.items() if key not in UNNAMED]
    return f"{rule} {'/'.join(words)}".rstrip()


def is_said(text: str) -> bool:
    """Return whether a message is of a script of ours that ended with status 1: it has said why."""
    found = OF_SCRIPT.search(text)
    return found is not None and (project_root() / "workflow/scripts" / found[1]).is_file()


class Run:
    """How far a run is.

    Attributes
    ----------
    done, total : int
        Jobs.
    expected : mapping of int to float
        Seconds of jobs by id, as far as known; others are taken to last like the mean of these.
    """

    def __init__(self) -> None:
        self.done = self.total = 0
        self._failed: set[int] = set()
        self.expected: Mapping[int, float] = {}
        self._ended = 0.0
        self._running: dict[int, tuple[str, float]] = {}
        self._start = time.monotonic()

    @property
    def failed(self) -> int:
        """Jobs that failed and have not been started again."""
        return len(self._failed)

    def begin(self, job: int, name: str) -> None:
        """Take note that a job was started, maybe again after it failed."""
        self._failed.discard(job)
        self._running[job] = name, time.monotonic()

    def end(self, job: int) -> None:
        """Take note that a job has ended well."""
        if self._running.pop(job, None) is not None:
            self._ended += self._seconds(job)

    def fail(self, job: int) -> None:
        """Take note that a job failed: what it should have done is still to be done."""
        self._running.pop(job, None)
        self._failed.add(job)

    def _seconds(self, job: int) -> float:
        mean = sum(self.expected.values()) / len(self.expected) if self.expected else 0.0
        return max(self.expected.get(job, mean), LEAST)

    def seconds_left(self) -> float:
        """Return the seconds left at the pace so far, in expected seconds; nan at the start."""
        now = time.monotonic()
        under_way = sum(
            min(now - since, self._seconds(job)) for job, (_, since) in self._running.items()
        )
        known = [max(seconds, LEAST) for seconds in self.expected.values()]
        whole = sum(known) if known else self.total * LEAST
        made = self._ended + under_way
        if not self._ended:
            return float("nan")
        return max(whole - made, 0.0) * (now - self._start) / made

    def line(self, *, over: bool = False) -> str:
        """Return how far the run is, in one line; what is left only if it is not ``over``."""
        share = f" ({100 * self.done // self.total} %)" if self.total else ""
        words = [f"{self.done}/{self.total} jobs{share}"]
        words += [f"{self.failed} failed"] if self.failed else []
        words.append(in_words(time.monotonic() - self._start))
        left = self.seconds_left()
        if not over:
            words.append("time left: not known yet" if left != left else f"{in_words(left)} left")
        names = [] if over else [name for name, _ in self._running.values()]
        return ", ".join(words) + (f"; running: {', '.join(names)}" if names else "")


class LogHandler(LogHandlerBase):
    """Writes the line, and what must not be missed."""

    def __post_init__(self) -> None:
        from snakemake.logging import DefaultFormatter

        self.stream: TextIO = sys.stdout if self.common_settings.stdout else sys.stderr
        self.run = Run()
        self._is_terminal = is_terminal(self.stream)
        colourless = self.common_settings.nocolor or bool(os.environ.get("NO_COLOR"))
        self._colours = (RED, PLAIN) if self._is_terminal and not colourless else ("", "")
        self._last = float("-inf")
        self._table = ""
        self._over = threading.Event()
        self.setFormatter(DefaultFormatter(self.common_settings.quiet or []))
        if self._is_terminal and not self.common_settings.dryrun:
            threading.Thread(target=self._tick, daemon=True).start()

    def expect(self, seconds: Mapping[int, float], logs: Collection[str]) -> None:
        """Take note of what jobs are expected to last, by id, and say where the full log is."""
        self.run.expected = dict(seconds)
        with self.lock or threading.RLock():
            self._write("".join(f"full log: {os.path.relpath(log)}\n" for log in logs))

    def emit(self, record: LogRecord) -> None:
        """Write what a record of Snakemake changes."""
        try:
            if self.common_settings.dryrun:
                text = self._planned(record)
            else:
                self._follow(record)
                text = self._text(record)
            if text:
                self._write(text + "\n")
        except Exception:
            self.handleError(record)

    def _planned(self, record: LogRecord) -> str:
        """Return what a dry run says, its table of jobs shown once, without reasons."""
        text = self.format(record)
        is_known = text == self._table
        if text.startswith("Job stats:"):
            self._table = text
        return "" if is_known or text.startswith("Reasons:") else text

    def _follow(self, record: LogRecord) -> None:
        found: dict[str, Any] = record.__dict__
        event = found.get("event")
        if event == LogEvent.RUN_INFO:
            self.run.total = found.get("stats", {}).get("total", 0)
        elif event == LogEvent.JOB_INFO:
            self.run.begin(found["jobid"], called(found["rule_name"], found["wildcards"]))
        elif event == LogEvent.JOB_FINISHED:
            self.run.end(found["job_id"])
        elif event == LogEvent.JOB_ERROR:
            self.run.fail(found["jobid"])
        elif event == LogEvent.PROGRESS:
            self.run.done, self.run.total = found["done"], found["total"]
            self._show()

    def _text(self, record: LogRecord) -> str:
        event = getattr(record, "event", None)
        if record.levelno < WARNING and not (event is None and SHOWN.search(str(record.msg))):
            return ""
        text = self.format(record)
        if is_said(text):
            return ""
        lines = [*text.splitlines(), *_ends(getattr(record, "log", []))]
        lines = [f"{line[:LONGEST]} ..." if len(line) > LONGEST else line for line in lines]
        before, after = self._colours if record.levelno > WARNING else ("", "")
        return before + shown("\n".join(lines)) + after

    def _tick(self) -> None:
        while not self._over.wait(1.0):
            with self.lock or threading.RLock():
                if self.run.total and not self._over.is_set():
                    self._show()

    def _show(self) -> None:
        """Write the line, if its time has come."""
        now = time.monotonic()
        if self._is_terminal:
            # The cursor goes back: what a job writes itself then starts a line.
            self.stream.write(f"{CLEAR}{self.run.line()[: (width() or 80) - 1]}\r")
        elif now - self._last >= PLAIN_PAUSE:
            self._last = now
            self.stream.write(self.run.line() + "\n")
        self.stream.flush()

    def _write(self, text: str) -> None:
        self.stream.write((CLEAR if self._is_terminal else "") + text)
        self.stream.flush()

    def close(self) -> None:
        """Write the last line, for good."""
        if not self._over.is_set():
            self._over.set()
            if self.run.total:
                self._write(self.run.line(over=True) + "\n")
            if self.run.failed:
                self._write("what needs these was not made, or is as an earlier run left it\n")
        super().close()

    @property
    def writes_to_stream(self) -> bool:
        """Whether it stands for Snakemake's own messages on the terminal."""
        return True

    @property
    def writes_to_file(self) -> bool:
        """Whether it writes a file: Snakemake's own log has everything."""
        return False

    @property
    def has_filter(self) -> bool:
        """Whether it selects itself; a dry run shows what Snakemake would, without long lists."""
        return not self.common_settings.dryrun

    @property
    def has_formatter(self) -> bool:
        """Whether it has a formatter: Snakemake's, without the whole logs of failed jobs."""
        return True

    @property
    def needs_rulegraph(self) -> bool:
        """Whether it needs the graph of the rules."""
        return False


def _ends(logs: Collection[str]) -> Iterator[str]:
    """Yield the last lines of logs, and what files they are of."""
    for log in logs:
        try:
            lines = Path(log).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            yield f"    {log} was not written"
            continue
        yield f"    {log}" + (" ends with:" if lines else " is empty")
        last = 1 if lines and SAID in lines[-1] else LOG_LINES
        yield from (f"        {line}" for line in lines[-last:])
