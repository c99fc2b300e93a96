"""All checks of a class, given by a label, as one run: `optimist check mine.py:Mine`."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from optimist.algorithms import REGISTRIES, canonical
from optimist.checks.arms import ARMS
from optimist.checks.base import FAILED, NOT_RUN, Case, Check, Contract, Finding, outcome, quiet
from optimist.checks.box import BOX_ALGORITHMS
from optimist.checks.box_environments import BOX_ENVIRONMENTS
from optimist.checks.cases import BOX, Method, Played, Toy, World, played
from optimist.checks.environments import ENVIRONMENTS
from optimist.checks.unkind import UNKIND
from optimist.comparison.select import setting
from optimist.config.load import load_paper, paper_names
from optimist.core.errors import ConfigError, unknown_name
from optimist.core.label import Label, name_of
from optimist.core.registry import Registry, file_meant, names_file
from optimist.environments import ENVIRONMENTS as KNOWN
from optimist.experiments.cell import Cell, make_cell

ALGORITHMS = {"arms": Contract(ARMS, UNKIND), BOX: BOX_ALGORITHMS}
WORLDS = {"arms": ENVIRONMENTS, BOX: BOX_ENVIRONMENTS}
# Rounds of an environment, by domain.
HORIZONS = {"arms": 30, BOX: 12}
ON = {"arms": "arms", BOX: "a box"}
REPEATABLE = "plays_the_same_twice"  # a check of algorithms
SECONDS = 60.0  # of a check

_ALL = {**REGISTRIES, "environment": KNOWN}
_IN_FILES = Registry(
    "algorithm or environment", {}, "", tuple(base for one in _ALL.values() for base in one.bases)
)


@dataclass(frozen=True)
class Battery:
    """A contract, and the cases of one class.

    Attributes
    ----------
    label : str
    what : str
        What the class is: ``algorithm on arms``.
    contract : Contract
    cases : tuple of Case
        Those of the class itself first.
    refused : tuple of str
        Problems that the class refuses, with its words.
    """

    label: str
    what: str
    contract: Contract
    cases: tuple[Case, ...]
    refused: tuple[str, ...] = ()

    def run(
        self, seconds: float | None = SECONDS, tell: Callable[[str], None] = lambda words: None
    ) -> Iterator[Finding]:
        """Yield what each check finds in each case; ``tell`` is told which is next.

        Where a basic check of the class fails nothing else is run, and where one fails in a
        setting nothing else of its kind of problem. Checks that compare plays are not run of a
        class that does not play the same twice.
        """
        blocked: dict[str, str] = {}
        erratic = set()  # kinds of problem in which plays differed
        for check, case in self._pairs():
            fault = blocked.get("") or blocked.get(case.kind)
            if check.compares_plays and case.kind in erratic:
                fault = fault or REPEATABLE
            if fault:
                yield Finding(check.name, check.rule, case.where, NOT_RUN, f"{fault} failed")
                continue
            tell(f"{check.name} was checked{f' in {case.where}' if case.where else ''}")
            found = outcome(check, case, seconds)
            if check.is_basic and found.result == FAILED:
                blocked[case.kind] = check.name
            if check.name == REPEATABLE and found.result == FAILED and found.error is None:
                erratic.add(case.kind)
            yield found

    def _pairs(self) -> list[tuple[Check, Case]]:
        """Return checks with their cases, the basic ones first."""
        found = [(check, case) for case in self.cases for check in self.contract.of(type(case))]
        return sorted(found, key=lambda pair: not pair[0].is_basic)


def batteries(text: str, tell: Callable[[str], None] = lambda words: None) -> list[Battery]:
    """Return what there is to check of the classes that a label names.

    Parameters
    ----------
    text : str
        ``name[option=value,...]`` of an algorithm or an environment: ``mine.py:Mine``, a
        registered name, or one that an installed package offers. Two algorithms may have one name,
        on arms and on a box. Options of an environment are those of a setting.
    tell : callable
        Called with what is under way once the class is loaded.

    Raises
    ------
    ConfigError
        For an unknown name or option, or a class that refuses every problem.
    """
    found = _registries(Label.parse(text, "class").name)
    tell("it was built")
    return [
        _of_algorithm(text, one) if one in ALGORITHMS else _of_environment(text) for one in found
    ]


def _registries(name: str) -> list[str]:
    """Return the registries, by their key, that a class is one of."""
    if names_file(name):
        cls = _IN_FILES.load(name)
        return [kind for kind, registry in _ALL.items() if registry.accepts(cls)]
    found, errors = [], []
    for kind, registry in _ALL.items():
        if name in registry:
            try:
                registry.load(name)
                found.append(kind)
            except ConfigError as error:  # a package offers it for another domain
                errors.append(error)
    if not found:
        raise errors[0] if errors else _unknown(name)
    return found


def _unknown(name: str) -> ConfigError:
    meant = file_meant(name)
    known = set().union(*_ALL.values())
    if not meant:
        return unknown_name("algorithm or environment", name, known)
    return ConfigError(
        f"unknown algorithm or environment {name!r}{meant}; allowed: a class in a file, "
        "path.py:Class, or a name that optimist list prints"
    )


def _of_algorithm(text: str, domain: str) -> Battery:
    method = Method(canonical(text, domain), domain)
    # Without these nothing can be built, and a basic check says so.
    has_problem = isinstance(getattr(method.cls, "problem_type", None), type)
    has_defaults = all(v is not inspect.Parameter.empty for v in method.options.values())
    kinds = method.kinds if has_problem and has_defaults else ()
    refused: dict[str, ConfigError] = {}
    toys = [toy for toy in (Toy(method, kind) for kind in kinds) if _accepts(toy, refused)]
    if kinds and not toys:
        raise next(iter(refused.values()))
    settings = played(method, tuple(toy.kind for toy in toys))
    accepted = [case for case in settings if _accepts(case, refused)]
    words = tuple(f"{where}: {error}" for where, error in refused.items())
    cases: tuple[Case, ...] = (method, *accepted, *toys)
    return Battery(method.label, f"algorithm on {ON[domain]}", ALGORITHMS[domain], cases, words)


def _accepts(case: Toy | Played, refused: dict[str, ConfigError]) -> bool:
    """Return whether the class does not refuse a problem; keep its words if it does."""
    try:
        _try(lambda: case.build(case.problem()) if isinstance(case, Toy) else case.build())
    except ConfigError as error:
        refused[case.where] = error
        return False
    return True


def _try(build: Callable[[], object]) -> None:
    """Build something; let a refusal through, and nothing else: that is for the checks to tell."""
    try:
        with quiet():
            build()
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException:
        return


def _of_environment(text: str) -> Battery:
    cells = list(_settings(text))
    domain = cells[0].domain
    worlds = tuple(World(_as_long(cell, text)) for cell in cells)
    for world in worlds:
        _try(world.told)
    return Battery(text, f"environment on {ON[domain]}", WORLDS[domain], worlds)


def _settings(text: str) -> Iterable[Cell]:
    """Return the cells of an environment's own setting, or of the papers' that have it."""
    name = name_of(text)
    if text not in KNOWN.table:
        return [setting(text).cell("uniform")]
    papers = [load_paper(paper) for paper in paper_names()]
    found = [
        make_cell(paper, label, "uniform")
        for paper in papers
        for label, spec in paper["settings"].items()
        if spec["environment"] == name and "dataset" not in spec and "[" not in label
    ]
    if not found:
        raise ConfigError(f"environment {name!r} needs a data set; allowed: one that needs none")
    return found


def _as_long(cell: Cell, text: str) -> Cell:
    """Return a cell as long as checks need it, unless its label says how long."""
    asked = dict(Label.parse(text).options)
    horizon = cell.spec["horizon"] if "horizon" in asked else HORIZONS[cell.domain]
    return Cell(cell.paper, cell.setting, cell.algorithm, {**cell.spec, "horizon": horizon})
