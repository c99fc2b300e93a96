"""`optimist check`: pytest collects the tests of a class, and another process runs each of them.

Foreign code is loaded in that process alone. A class that ends it fails one test.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from optimist.contracts.battery import Battery
from optimist.contracts.cases import Case, parametrize
from optimist.contracts.outcome import FAILED, HELD, HINT, NOT_RUN, Finding, found
from optimist.core import executor
from optimist.core.executor import Call
from optimist.errors import ResultError
from optimist.terminal import folded

SECONDS = 60.0  # of a test
WIDTH = 100
REPEATABLE = "plays_the_same_twice"  # a test of algorithms
_HERE = Path(__file__).parent
_FILES = [
    *("classes", "algorithms", "arms", "box", "edge_cases"),
    *("arm_environments", "box_environments", "environments"),
]
_OPTIONS = [
    *("--collect-only", "--import-mode=append", "--disable-plugin-autoload"),
    *("-p", "no:terminal", "-p", "no:cacheprovider", "-c", os.devnull),
]


@dataclass(frozen=True)
class Report:
    """The findings of the tests of one class.

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
        results: dict[str, set[str]] = {}
        for finding in self.findings:
            results.setdefault(finding.check, set()).add(finding.result)
        worst = {name: [one for one in order if one in seen] for name, seen in results.items()}
        return {name: ranked[0] for name, ranked in worst.items() if ranked}

    @property
    def failed(self) -> list[str]:
        """Names of the checks that failed somewhere."""
        return self._named(FAILED)

    def _named(self, result: str) -> list[str]:
        return [name for name, worst in self.results.items() if worst == result]

    def as_dict(self) -> dict[str, object]:
        """Return all findings as plain data."""
        battery = self.battery
        findings = [asdict(finding) for finding in self.findings]
        for finding in findings:
            del finding["trace"]
        return {
            "label": battery.label,
            "what": battery.what,
            "failed": self.failed,
            "refused": list(battery.refused),
            "findings": findings,
        }

    def to_text(self, debug: bool = False, columns: int = WIDTH) -> str:
        """Return failures and hints, with counts of the other results, as lines of text.

        With ``debug`` a traceback follows each error of the class.
        """
        battery = self.battery
        places = dict.fromkeys(case.where for case in battery.cases if case.where)
        lines = [f"{battery.label}: {battery.what}"]
        lines += [folded(f"in: {', '.join(places)}", columns)] if places else []
        for result in (FAILED, HINT):
            lines += self._lines(result, debug, columns)
        lines += [f"refused: {words}" for words in battery.refused]
        counts = {result: len(self._named(result)) for result in (FAILED, HINT, HELD, NOT_RUN)}
        words = [f"{n} {result}" for result, n in counts.items()]
        words[-1] += ", as others failed" if counts[NOT_RUN] else ""
        return "\n".join([*lines, f"{', '.join(words)} (--json names them)"])

    def _lines(self, result: str, debug: bool, columns: int) -> Iterator[str]:
        """Yield the findings with some result; equal ones once, with all their places."""
        groups: dict[tuple[str, str], list[Finding]] = {}
        for finding in self.findings:
            if finding.result == result:
                groups.setdefault((finding.check, finding.words), []).append(finding)
        for (check, words), group in groups.items():
            places = "; ".join(finding.where for finding in group if finding.where)
            yield folded(f"{result}: {check}{', in ' if places else ''}{places}", columns)
            yield folded(f"  {words}", columns)
            if debug:
                yield from group[0].trace.splitlines()


def check(
    label: str,
    tell: Callable[[str], None] = lambda words: None,
    seconds: float | None = SECONDS,
) -> list[Report]:
    """Check the classes that a label names; see `optimist.contracts.battery.batteries`.

    Parameters
    ----------
    label : str
    tell : callable
        Called with each step until the cases are known, in words that follow ``while``.
    seconds : float or None
        Time of a test.

    Returns
    -------
    list of Report
        One for each class; two where an algorithm on arms and one on a box have one name.

    Raises
    ------
    ConfigError
        As `batteries`.
    EndedError
        If the class ends the process before its cases are known.
    """
    waiting: dict[Any, Call] = {"": Call("optimist.contracts.battery:batteries", {"text": label})}
    with closing(executor.calls(waiting)) as messages:
        for _, word, value in messages:
            if word == "error":
                raise value
            if word == "done":
                break
            tell(value)
        return [Report(one, tuple(_findings(one, waiting, messages, seconds))) for one in value]


def _findings(
    battery: Battery,
    waiting: dict[Any, Call],
    messages: Iterator[tuple[Any, str, Any]],
    seconds: float | None,
) -> Iterator[Finding]:
    """Yield the findings of all tests of a class, the basic ones first.

    Where a basic test of the class fails nothing else is run, and where one fails in a setting
    nothing else of its kind of problem. Tests that compare plays are not run of a class that does
    not play the same twice.
    """
    tests = collected(battery.cases)
    for item, case in tests:
        test = f"{item.function.__module__}:{item.function.__name__}"
        asked = {"test": test, "case": case, "seconds": seconds}
        waiting[item.nodeid] = Call("optimist.contracts.outcome:checked", asked)
    blocked: dict[str, str] = {}
    erratic = set()  # kinds of problem in which plays differed
    for item, case in tests:
        marks = {mark.name for mark in item.iter_markers()}
        fault = blocked.get("") or blocked.get(case.kind)
        if "compares_plays" in marks and case.kind in erratic:
            fault = fault or REPEATABLE
        if fault:
            del waiting[item.nodeid]
            yield found(item.function, case, NOT_RUN, f"{fault} failed")
            continue
        _, word, finding = next(messages)
        if word == "error":
            finding = found(item.function, case, FAILED, str(finding), "to raise an exception")
        if finding.result == FAILED:
            if "basic" in marks:
                blocked[case.kind] = finding.check
            if finding.check == REPEATABLE and not finding.trace:
                erratic.add(case.kind)
            if "hint" in marks:
                finding = replace(finding, result=HINT)
        yield finding


def collected(cases: tuple[Case, ...]) -> list[tuple[pytest.Function, Case]]:
    """Return the tests of cases, the basic ones first, each with its case."""
    collection = _Collection(cases)
    files = [str(_HERE / f"{name}.py") for name in _FILES]
    status = pytest.main([*files, *_OPTIONS, "--rootdir", str(_HERE)], plugins=[collection])
    if status != pytest.ExitCode.OK:
        raise ResultError(
            f"pytest collects no tests, exit status {int(status)}; allowed: a PYTEST_ADDOPTS that "
            "pytest knows"
        )
    return sorted(collection.tests, key=lambda test: not test[0].get_closest_marker("basic"))


class _Collection:
    """A plugin of pytest that keeps the tests of cases."""

    def __init__(self, cases: tuple[Case, ...]) -> None:
        self.cases = {str(number): case for number, case in enumerate(cases)}
        self.tests: list[tuple[pytest.Function, Case]] = []

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        parametrize(metafunc, self.cases)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            if isinstance(item, pytest.Function):
                (case,) = item.callspec.params.values()
                if isinstance(case, Case):  # no case of a kind is a test without one
                    self.tests.append((item, case))
