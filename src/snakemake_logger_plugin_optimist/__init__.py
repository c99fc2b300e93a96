"""Progress of a Snakemake run in one line, with the time left: ``snakemake --logger optimist``.

On a terminal, the line is overwritten; elsewhere, a new line is written every minute. Failures are
shown in Snakemake's format, with the last lines of their logs. All other messages go only to
Snakemake's own log. Snakemake finds this package by the prefix of its name and imports it in every
job.
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
from optimist.plan import snakemake_adapter

# Messages to show, among those that are neither events nor warnings.
SHOWN = re.compile(
    "Nothing to be done|Complete log|Trying to restart|Shutting down|Unlocked|Report created"
)
# Message that Snakemake adds if a script exits with status 1.
OF_SCRIPT = re.compile(r"^CalledProcessError [^\0]*\.(\w+\.py)['\"]+ returned .* status 1\.$", re.M)
SAID = " ERROR the job failed: "  # part of the last line of the log of a job that names its error
PLAIN_PAUSE = 60.0  # seconds between two lines if the output is not a terminal
LOG_LINES = 20
LONGEST = 500  # characters of an error's line, since a job may list a thousand inputs
UNNAMED = ("trials", "digest")  # wildcards that the line omits
LEAST = 1.5  # seconds that the process of an empty job takes
RED, PLAIN = "\x1b[31m", "\x1b[0m"


def called(rule: str, wildcards: Mapping[str, str]) -> str:
    """Return the displayed name of a job, such as ``run glb_omd/logistic_s3/gloc``."""
    words = [unquoted(str(value)) for key, value in wildcards.items() if key not in UNNAMED]
    return f"{rule} {'/'.join(words)}".rstrip()


def is_said(text: str) -> bool:
    """Return whether a message is about a script in this project, which logs its own error."""
    match = OF_SCRIPT.search(text)
    return match is not None and (project_root() / "workflow/scripts" / match[1]).is_file()


class Run:
    """Progress of a run.

    Attributes
    ----------
    done, total : int
        Numbers of jobs.
    expected : mapping of int to float
        Expected durations of jobs in seconds, by job id. Each job that is not listed is expected to
        take the mean of these.
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
        """Number of jobs that failed and have not been restarted."""
        return len(self._failed)

    def begin(self, job: int, name: str) -> None:
        """Record that a job started, possibly again after a failure."""
        self._failed.discard(job)
        self._running[job] = name, time.monotonic()

    def end(self, job: int) -> None:
        """Record that a job succeeded."""
        if self._running.pop(job, None) is not None:
            self._ended += self._seconds(job)

    def fail(self, job: int) -> None:
        """Record that a job failed; its work counts as not done."""
        self._running.pop(job, None)
        self._failed.add(job)

    def _seconds(self, job: int) -> float:
        mean = sum(self.expected.values()) / len(self.expected) if self.expected else 0.0
        return max(self.expected.get(job, mean), LEAST)

    def seconds_left(self) -> float:
        """Return the seconds left at the pace of the run so far; nan until a job has ended."""
        now = time.monotonic()
        under_way = sum(
            min(now - since, self._seconds(job)) for job, (_, since) in self._running.items()
        )
        expected = [max(seconds, LEAST) for seconds in self.expected.values()]
        whole = sum(expected) if expected else self.total * LEAST
        made = self._ended + under_way
        if not self._ended:
            return float("nan")
        return max(whole - made, 0.0) * (now - self._start) / made

    def line(self, *, over: bool = False) -> str:
        """Return the progress in one line, without the time left and the jobs if ``over``."""
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
    """Handler that writes the progress line, failures and warnings."""

    def __post_init__(self) -> None:
        self.stream: TextIO = sys.stdout if self.common_settings.stdout else sys.stderr
        self.run = Run()
        self._is_terminal = is_terminal(self.stream)
        colourless = self.common_settings.nocolor or bool(os.environ.get("NO_COLOR"))
        self._colours = (RED, PLAIN) if self._is_terminal and not colourless else ("", "")
        self._last = float("-inf")
        self._table = ""
        self._over = threading.Event()
        self.setFormatter(snakemake_adapter.formatter(self.common_settings.quiet or []))
        if self._is_terminal and not self.common_settings.dryrun:
            threading.Thread(target=self._tick, daemon=True).start()

    def expect(self, seconds: Mapping[int, float], logs: Collection[str]) -> None:
        """Store the expected seconds of jobs, by id, and write the paths of the full logs."""
        self.run.expected = dict(seconds)
        with self.lock or threading.RLock():
            self._write("".join(f"full log: {os.path.relpath(log)}\n" for log in logs))

    def emit(self, record: LogRecord) -> None:
        """Update the progress from a log record, and write its message if it must be shown."""
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
        """Return a dry run's message, or "" for a repeated table of jobs or a list of reasons."""
        text = self.format(record)
        is_repeated = text == self._table
        if text.startswith("Job stats:"):
            self._table = text
        return "" if is_repeated or text.startswith("Reasons:") else text

    def _follow(self, record: LogRecord) -> None:
        fields: dict[str, Any] = record.__dict__
        event = fields.get("event")
        if event == LogEvent.RUN_INFO:
            self.run.total = fields.get("stats", {}).get("total", 0)
        elif event == LogEvent.JOB_INFO:
            self.run.begin(fields["jobid"], called(fields["rule_name"], fields["wildcards"]))
        elif event == LogEvent.JOB_FINISHED:
            self.run.end(fields["job_id"])
        elif event == LogEvent.JOB_ERROR:
            self.run.fail(fields["jobid"])
        elif event == LogEvent.PROGRESS:
            self.run.done, self.run.total = fields["done"], fields["total"]
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
        """Write the progress line, or do nothing if one was written less than a minute ago."""
        now = time.monotonic()
        if self._is_terminal:
            # The cursor returns, so that the output of a job starts at the beginning of a line.
            self.stream.write(f"{CLEAR}{self.run.line()[: (width() or 80) - 1]}\r")
        elif now - self._last >= PLAIN_PAUSE:
            self._last = now
            self.stream.write(self.run.line() + "\n")
        self.stream.flush()

    def _write(self, text: str) -> None:
        self.stream.write((CLEAR if self._is_terminal else "") + text)
        self.stream.flush()

    def close(self) -> None:
        """Write the last line, which is not overwritten."""
        if not self._over.is_set():
            self._over.set()
            if self.run.total:
                self._write(self.run.line(over=True) + "\n")
            if self.run.failed:
                self._write(
                    "outputs that need failed jobs were not made, or come from an earlier run\n"
                )
        super().close()

    @property
    def writes_to_stream(self) -> bool:
        """Whether this handler replaces Snakemake's own messages on the terminal."""
        return True

    @property
    def writes_to_file(self) -> bool:
        """Whether this handler writes a file; Snakemake's own log is enough."""
        return False

    @property
    def has_filter(self) -> bool:
        """Whether this handler selects messages; in a dry run, Snakemake selects them first."""
        return not self.common_settings.dryrun

    @property
    def has_formatter(self) -> bool:
        """Whether this handler has a formatter, which omits the complete logs of failed jobs."""
        return True

    @property
    def needs_rulegraph(self) -> bool:
        """Whether this handler needs the graph of rules."""
        return False


def _ends(logs: Collection[str]) -> Iterator[str]:
    """Yield the path of each log, followed by its last lines."""
    for log in logs:
        try:
            lines = Path(log).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            yield f"    {log} was not written"
            continue
        yield f"    {log}" + (" ends with:" if lines else " is empty")
        last = 1 if lines and SAID in lines[-1] else LOG_LINES
        yield from (f"        {line}" for line in lines[-last:])
