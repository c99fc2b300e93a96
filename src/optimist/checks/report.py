"""What the checks of a class found, as text or as plain data."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property

from optimist.checks.base import FAILED, HELD, HINT, NOT_RUN, Finding
from optimist.checks.battery import SECONDS, Battery, batteries
from optimist.core import blas_kernels
from optimist.core.terminal import folded

WIDTH = 100


@dataclass(frozen=True)
class Report:
    """What the checks of one class found.

    Attributes
    ----------
    battery : Battery
    findings : tuple of Finding
    """

    battery: Battery
    findings: tuple[Finding, ...]

    @cached_property
    def results(self) -> dict[str, str]:
        """The worst result of each check, by its name."""
        order = (FAILED, HINT, NOT_RUN, HELD)
        found: dict[str, set[str]] = {}
        for finding in self.findings:
            found.setdefault(finding.check, set()).add(finding.result)
        worst = {name: [one for one in order if one in seen] for name, seen in found.items()}
        return {name: results[0] for name, results in worst.items() if results}

    @property
    def failed(self) -> list[str]:
        """Names of the checks that failed somewhere."""
        return self._named(FAILED)

    def _named(self, result: str) -> list[str]:
        return [name for name, found in self.results.items() if found == result]

    @property
    def places(self) -> list[str]:
        """Settings and toys in which there is something to check."""
        return list(dict.fromkeys(case.where for case in self.battery.cases if case.where))

    def as_dict(self) -> dict[str, object]:
        """Return all findings as plain data."""
        names = [part.name for part in fields(Finding) if part.name != "error"]
        battery = self.battery
        return {
            "label": battery.label,
            "what": battery.what,
            "failed": self.failed,
            "refused": list(battery.refused),
            "findings": [{name: getattr(one, name) for name in names} for one in self.findings],
        }

    def to_text(self, debug: bool = False, columns: int = WIDTH) -> str:
        """Return what failed and what is a hint, with counts of the others, as lines of text.

        With ``debug`` a traceback follows what was raised.
        """
        lines = [f"{self.battery.label}: {self.battery.what}"]
        lines += [folded(f"in: {', '.join(self.places)}", columns)] if self.places else []
        for result in (FAILED, HINT):
            for finding, places in self._grouped(result):
                lines += _told(finding, places, debug, columns)
        lines += [f"refused: {words}" for words in self.battery.refused]
        counts = {result: len(self._named(result)) for result in (FAILED, HINT, HELD, NOT_RUN)}
        words = [f"{n} {result}" for result, n in counts.items()]
        words[-1] += ", as others failed" if counts[NOT_RUN] else ""
        return "\n".join([*lines, f"{', '.join(words)} (--json names them)"])

    def _grouped(self, result: str) -> list[tuple[Finding, list[str]]]:
        """Return the findings with some result; those that say the same, once."""
        found: dict[tuple[str, str], tuple[Finding, list[str]]] = {}
        for finding in self.findings:
            if finding.result == result:
                _, places = found.setdefault((finding.check, finding.words), (finding, []))
                places += [finding.where] if finding.where else []
        return list(found.values())


def _told(finding: Finding, places: list[str], debug: bool, columns: int) -> list[str]:
    where = f", in {'; '.join(places)}" if places else ""
    head = f"{finding.result}: {finding.check}{where}"
    lines = [folded(line, columns) for line in (head, f"  {finding.words}")]
    if debug and finding.error is not None:
        lines += [line.rstrip() for line in traceback.format_exception(finding.error)]
    return lines


def check(
    text: str,
    seconds: float | None = SECONDS,
    tell: Callable[[str], None] = lambda words: None,
) -> list[Report]:
    """Check the classes that a label names; see `batteries`.

    Parameters
    ----------
    text : str
    seconds : float or None
        Time of a check.
    tell : callable
        Called with what is under way, in words that follow ``while``.

    Returns
    -------
    list of Report
        One for each class; two where an algorithm on arms and one on a box have one name.

    Raises
    ------
    ConfigError
        As `batteries`.
    """
    return [Report(one, tuple(one.run(seconds, tell))) for one in batteries(text, tell)]


def told(
    tell: Callable[[str], None], *, label: str, debug: bool, columns: int | None
) -> list[tuple[dict[str, object], str, bool]]:
    """Check the classes that a label names, in this process; return plain data of each report.

    Parameters
    ----------
    tell : callable
        As in `check`.
    label : str
    debug : bool
        Whether the text has tracebacks.
    columns : int or None
        Width of the text; None for `WIDTH`.

    Returns
    -------
    list of tuple
        `Report.as_dict`, `Report.to_text`, and whether something failed.

    Raises
    ------
    ConfigError
        As `check`.
    """
    tell("it was loaded")
    blas_kernels.verify()
    return [
        (one.as_dict(), one.to_text(debug, columns or WIDTH), bool(one.failed))
        for one in check(label, tell=tell)
    ]
