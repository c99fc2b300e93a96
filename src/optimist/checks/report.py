"""The tests in the order in which they run, and the report of their findings on a class."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field

from optimist.checks import algorithms, classes, edge_cases, environments
from optimist.checks.cases import FAILED, HELD, PASSED_OVER, REFUSED, Case, Method, Toy, World
from optimist.core.terminal import folded

HINT, NOT_RUN = "hint", "not run"
SEED = 0  # index of the trial in a setting, or random seed on a toy problem
Run = Callable[[Callable[..., None], Case], tuple[str, ...]]
# Basic tests come first, because others are not run if they fail.
TESTS: list[Callable[..., None]] = sorted(
    (
        function
        for module in (classes, algorithms, edge_cases, environments)
        for name, function in module.__dict__.items()
        if name.startswith("test_")
    ),
    key=lambda test: "is_basic" not in test.__dict__,
)


@dataclass(frozen=True)
class Finding:
    """Result of a test on a case."""

    check: str  # name of the test
    rule: str
    where: str  # name of the setting or the toy problem
    result: str
    seen: str  # the observation, or the reason why the test was not run
    allowed: str = ""
    trace: str = field(default="", repr=False)  # traceback of an error in the class
    seed: int = SEED

    @property
    def words(self) -> str:
        """The observation and what is allowed instead."""
        return f"{self.seen}; allowed: {self.allowed}" if self.allowed else self.seen


class Report:
    """Findings of all tests on one class.

    The class is given by its label and its cases. For an algorithm, the first case is the class
    itself.
    """

    def __init__(self, label: str, cases: list[Case]) -> None:
        first = cases[0]
        self.label = first.label if isinstance(first, Method) else label
        kind = "environment" if isinstance(first, World) else "algorithm"
        self.what = f"{kind} on {'arms' if first.domain == 'arms' else 'a box'}"
        self.cases = cases
        self.findings: list[Finding] = []
        # Result and reason to report instead of running a test, by kind of problem or setting. A
        # key with True applies only to tests that compare plays.
        self._blocked: dict[tuple[str, bool], tuple[str, str]] = {}

    def add(self, test: Callable[..., None], case: Case, run: Run) -> None:
        """Run a test, unless an earlier result makes it pointless, and add its finding."""
        marks, name = test.__dict__, test.__name__.removeprefix("test_")
        head = name, " ".join((test.__doc__ or "").split()), case.where
        keys = [("", False), (case.kind, False), (case.where, False)]
        keys += [(case.kind, True)] if "compares_plays" in marks else []
        blocked = next((self._blocked[key] for key in keys if key in self._blocked), None)
        result, seen, allowed, trace = (*blocked, "", "") if blocked else run(test, case)
        if result == REFUSED:
            key = case.kind if isinstance(case, Toy) else case.where
            self._blocked[key, False] = PASSED_OVER, "the class refuses the problem"
        elif result == FAILED and ("is_basic" in marks or ("tells_plays" in marks and not trace)):
            self._blocked[case.kind, "is_basic" not in marks] = NOT_RUN, f"{name} failed"
        elif result == FAILED and "is_hint" in marks:
            result = HINT
        self.findings.append(Finding(*head, result, seen, allowed, trace))

    @property
    def results(self) -> dict[str, str]:
        """The worst result of each test, by test name."""
        order = (HELD, NOT_RUN, HINT, FAILED)
        worst: dict[str, str] = {}
        for one in self.findings:
            if one.result in order:
                worst[one.check] = max(worst.get(one.check, HELD), one.result, key=order.index)
        return worst

    @property
    def failed(self) -> list[str]:
        """Names of the tests that failed in at least one case."""
        return [name for name, result in self.results.items() if result == FAILED]

    @property
    def refused(self) -> list[str]:
        """Problems that the class refuses, each with its message."""
        return [f"{one.where}: {one.seen}" for one in self.findings if one.result == REFUSED]

    def as_dict(self) -> dict[str, object]:
        """Return all findings as plain data."""
        findings = [asdict(finding) for finding in self.findings]
        for finding in findings:
            del finding["trace"]
        summary = {name: getattr(self, name) for name in ("label", "what", "failed", "refused")}
        return summary | {"findings": findings}

    def to_text(self, debug: bool = False, columns: int | None = None) -> str:
        """Return a line for each failure and hint, and a line with counts of all results.

        If ``debug`` is true, each error in the class is followed by its traceback.
        """
        places = dict.fromkeys(case.where for case in self.cases if case.where)
        lines = [f"{self.label}: {self.what}"]
        lines += [f"in: {', '.join(places)}"] if places else []
        lines += [*self._lines(FAILED, debug), *self._lines(HINT, debug)]
        lines += [f"refused: {words}" for words in self.refused]
        results = [*self.results.values()]
        counts = [f"{results.count(one)} {one}" for one in (FAILED, HINT, HELD, NOT_RUN)]
        counts[-1] += " because others failed" if NOT_RUN in results else ""
        lines += [f"{', '.join(counts)} (--json lists them)"]
        return "\n".join(folded(line, columns) for line in lines)

    def _lines(self, result: str, debug: bool) -> Iterator[str]:
        """Yield a line for each finding with the given result; equal findings share one."""
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
