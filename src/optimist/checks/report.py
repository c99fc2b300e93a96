"""Findings of the tests of a class, and their words."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field

from optimist.checks import algorithms, classes, edge_cases, environments
from optimist.checks.cases import (
    FAILED,
    HELD,
    HINT,
    NOT_RUN,
    PASSED_OVER,
    REFUSED,
    Case,
    Method,
    Toy,
    World,
    takes,
)
from optimist.core.terminal import folded

# Tests on which others depend are run first.
TESTS: list[Callable[..., None]] = sorted(
    (
        test
        for module in (classes, algorithms, edge_cases, environments)
        for name, test in vars(module).items()
        if name.startswith("test_")
    ),
    key=lambda test: "is_basic" not in vars(test),
)
Run = Callable[[Callable[..., None], Case], tuple[str, ...]]


@dataclass(frozen=True)
class Finding:
    """The result of a test on a case."""

    check: str  # name of the test
    rule: str
    where: str  # setting or toy
    result: str
    seen: str  # the observation, or the reason why the test was not run
    allowed: str = ""
    trace: str = field(default="", repr=False)  # of an error of the class
    seed: int = 0  # the trial of settings, and the seed on toys

    @property
    def words(self) -> str:
        """The observation and the rule for it."""
        return f"{self.seen}; allowed: {self.allowed}" if self.allowed else self.seen


class Report:
    """The findings of the tests of one class, by its label and its cases, the class first."""

    def __init__(self, label: str, cases: list[Case]) -> None:
        first = cases[0]
        self.label = first.label if isinstance(first, Method) else label
        kind = "environment" if isinstance(first, World) else "algorithm"
        self.what = f"{kind} on {'arms' if first.domain == 'arms' else 'a box'}"
        self.cases = cases
        self.findings: list[Finding] = []
        # Why tests of a kind of problem, or of a place, or that compare plays, are not run.
        self._blocked: dict[str, tuple[str, str]] = {}

    def add(self, test: Callable[..., None], run: Run) -> None:
        """Run a test on all cases that it takes, unless the failure of another forbids it."""
        marks, name = vars(test), test.__name__.removeprefix("test_")
        rule = " ".join((test.__doc__ or "").split())
        for case in (case for case in self.cases if takes(test, case)):
            plays = f"plays of {case.kind}"
            keys = ["", case.kind, case.where, *[plays] * ("compares_plays" in marks)]
            blocks = [self._blocked[key] for key in keys if key in self._blocked]
            result, seen, allowed, trace = (*blocks[0], "", "") if blocks else run(test, case)
            if result == REFUSED:
                key = case.kind if isinstance(case, Toy) else case.where
                self._blocked[key] = PASSED_OVER, "the class refuses the problem"
            elif result == FAILED and "is_basic" in marks:
                self._blocked[case.kind] = NOT_RUN, f"{name} failed"
            elif result == FAILED and "tells_plays" in marks and not trace:
                self._blocked[plays] = NOT_RUN, f"{name} failed"
            elif result == FAILED and "is_hint" in marks:
                result = HINT
            self.findings.append(Finding(name, rule, case.where, result, seen, allowed, trace))

    @property
    def results(self) -> dict[str, str]:
        """The worst result of each test, by its name."""
        order = (HELD, NOT_RUN, HINT, FAILED)
        worst: dict[str, str] = {}
        for one in self.findings:
            if one.result in order:
                worst[one.check] = max(worst.get(one.check, HELD), one.result, key=order.index)
        return worst

    @property
    def failed(self) -> list[str]:
        """Names of the tests that failed somewhere."""
        return [name for name, result in self.results.items() if result == FAILED]

    @property
    def refused(self) -> list[str]:
        """Problems that the class refuses, with its words."""
        return [f"{one.where}: {one.seen}" for one in self.findings if one.result == REFUSED]

    def as_dict(self) -> dict[str, object]:
        """Return all findings as plain data."""
        findings = [asdict(finding) for finding in self.findings]
        for finding in findings:
            del finding["trace"]
        about = {name: getattr(self, name) for name in ("label", "what", "failed", "refused")}
        return about | {"findings": findings}

    def to_text(self, debug: bool = False, columns: int | None = None) -> str:
        """Return failures and hints, one in a line, with counts of the other results.

        With ``debug`` a traceback follows each error of the class.
        """
        places = dict.fromkeys(case.where for case in self.cases if case.where)
        lines = [f"{self.label}: {self.what}"]
        lines += [f"in: {', '.join(places)}"] if places else []
        lines += [*self._lines(FAILED, debug), *self._lines(HINT, debug)]
        lines += [f"refused: {words}" for words in self.refused]
        results = [*self.results.values()]
        counts = [f"{results.count(one)} {one}" for one in (FAILED, HINT, HELD, NOT_RUN)]
        counts[-1] += ", as others failed" if NOT_RUN in results else ""
        lines += [f"{', '.join(counts)} (--json names them)"]
        return "\n".join(folded(line, columns) for line in lines)

    def _lines(self, result: str, debug: bool) -> Iterator[str]:
        """Yield the findings with some result; equal ones once, with all their places."""
        groups: dict[tuple[str, str], list[Finding]] = {}
        for finding in self.findings:
            if finding.result == result:
                groups.setdefault((finding.check, finding.words), []).append(finding)
        for (check, words), group in groups.items():
            places = "; ".join(finding.where for finding in group if finding.where)
            where = f", in {places}" if places else ""
            yield f"{result}: {self.label}, {check}{where}, seed {group[0].seed}: {words}"
            if debug:
                yield from group[0].trace.splitlines()
