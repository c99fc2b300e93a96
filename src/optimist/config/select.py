"""Selection of settings and cells by labels, patterns, and classes in files."""

import shlex
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from optimist.algorithms import REGISTRIES, checked
from optimist.config.checks import stand_in
from optimist.config.load import load_paper, matches, paper_names, with_file
from optimist.core.errors import BrokenPackageError, ConfigError, EndedError, OptimistError
from optimist.core.executor import call
from optimist.core.label import Label, Value
from optimist.core.layout import check_length
from optimist.core.registry import canonical_name, file_meant, names_file
from optimist.environments import ENVIRONMENTS
from optimist.experiments.cell import OWN, Cell, Setting
from optimist.experiments.isolation import isolated
from optimist.experiments.play_trial import build

# The default horizon of a user's own setting.
HORIZON = 1000
SHOWN = 8  # maximum number of names in an error message about a pattern


def settings(*texts: str, **options: Value) -> list[Setting]:
    """Return the settings that match the texts, without duplicates.

    Parameters
    ----------
    texts : str
        Either ``paper/label``, where ``*`` and ``?`` in the label are wildcards, or the label of an
        environment in a file or an installed package, such as ``world.py:World[dimension=3]``.
        Wildcards in the label's name match the paper's settings, and any options after the name
        apply to all of them. Wildcards inside brackets match only settings that the paper runs.
    options : value
        Options for all these settings, such as ``horizon=2000``.

    Raises
    ------
    ConfigError
        If a name, a pattern or an option is unknown.
    """
    found = [one for text in texts for one in _settings(text)]
    return once([_titled(one.having(**options)) if options else one for one in found])


def once(chosen: Iterable[Setting]) -> list[Setting]:
    """Return settings without duplicates.

    Raises
    ------
    ConfigError
        If environments in different files have the same name.
    """
    by_name: dict[str, Setting] = {}
    for one in chosen:
        other = by_name.setdefault(str(one), one)
        if other.environment != one.environment:
            raise ConfigError(
                f"{other.environment} and {one.environment} have the same name, {one}; allowed: "
                "classes with different names"
            )
    return list(by_name.values())


def setting(text: str, **options: Value) -> Setting:
    """Return the single setting that a text matches; see `settings`."""
    matching = settings(text, **options)
    if len(matching) != 1:
        raise ConfigError(f"setting {text!r} matches {len(matching)} settings; allowed: one")
    return matching[0]


def _settings(text: str) -> list[Setting]:
    if not isinstance(text, str):
        raise ConfigError(f"setting is {text!r}; allowed: text of the form PAPER/SETTING")
    paper_name, slash, label = text.partition("/")
    whole = Label.name_of(text)
    if names_file(whole) or (not slash and whole in ENVIRONMENTS):
        return [_own(Label.parse(text, "setting"))]
    if not (slash and label):
        meant = [f"{paper}/{text}" for paper in paper_names() if whole in load_paper(paper).bases]
        hint = f" (did you mean {meant[0]!r}?)" if meant else file_meant(whole)
        raise ConfigError(
            f"setting {text!r} is malformed{hint}; allowed: PAPER/SETTING with "
            f"{', '.join(paper_names())} as PAPER, or an environment in a file, path.py:Class"
        )
    paper = load_paper(paper_name)
    if not set("*?").intersection(label):
        return [_titled(paper.setting(label))]
    name, bracket, options = label.partition("[")
    runs = " that the paper runs" if set("*?").intersection(options) else ""
    if runs:
        played = {one.label: one for block in paper.runs for one in block.settings}
        labels: list[str] = [*played]
        matching: list[str] = [one for one in played if matches(one, label)]
    else:
        labels = [*paper.bases]
        bases = (one.label for one in paper.bases.values())
        matching = [one + bracket + options for one in bases if matches(one, name)]
    if not matching:
        names = ", ".join(labels[:SHOWN])
        more = f" and {len(labels) - SHOWN} more" if len(labels) > SHOWN else ""
        raise ConfigError(
            f"setting {text!r} matches nothing{runs}; allowed: patterns (* and ? are wildcards) "
            f"that match some of {names}{more}; to print all, run optimist list "
            f"{shlex.quote(paper.id + '/*') if runs else paper.id}"
        )
    return [_titled(paper.setting(one)) for one in matching]


def _titled(setting: Setting) -> Setting:
    """Return a setting with a title that includes its options; the default is the label."""
    base, label = setting.base or setting, setting.label
    if base.title in ("", base.label):
        return replace(setting, title=label)
    return replace(setting, title=f"{base.title} {label[len(label.name) :]}".strip())


def _own(asked: Label) -> Setting:
    """Return a setting for a user's environment, named after its class."""
    name = Label(asked.name.rpartition(":")[2])
    base = Setting(OWN, name, canonical_name(asked.name), HORIZON)
    return _titled(base.with_options(Label(name, asked.options)))


def algorithm(entry: Any) -> Label:
    """Return an algorithm's label; if the algorithm is given as a class, register it."""
    if isinstance(entry, str):
        return Label.parse(with_file(entry))
    if isinstance(entry, type):
        return Label(register(entry))
    raise ConfigError(f"algorithm is {entry!r}; allowed: a label, or a class")


def register(cls: type) -> str:
    """Register a class in this process under its own name, and return that name.

    The name can be used in labels such as ``Mine[gamma=0.1]``. Trials of the class are played in
    other processes and are not kept, because changes to the class cannot be detected. Classes in
    files need no registration.

    Raises
    ------
    ConfigError
        If the class is not an algorithm, or has the name of a known algorithm.
    """
    for registry in REGISTRIES.values():
        if registry.accepts(cls):
            return registry.add(cls)
    raise REGISTRIES["arms"].refusal(cls.__name__)


def cells(where: Iterable[Setting], algorithms: Any) -> list[Cell]:
    """Return a cell for each combination of the given settings and algorithms.

    As a check, each published algorithm is built for a problem of its setting. The constructors of
    users' classes are not called here; they run only in the processes that play the trials.

    Raises
    ------
    ConfigError
        If an algorithm is named twice, an algorithm does not fit a setting, or an option is
        invalid.
    """
    entries = [algorithms] if isinstance(algorithms, str | type) else algorithms
    labels = [algorithm(entry) for entry in entries]
    if not labels:
        raise ConfigError("algorithms is empty; allowed: labels, such as uniform")
    where = list(where)
    registries = REGISTRIES.values()
    apart = [
        label
        for label in labels
        if all(registry.is_foreign(label.name) for registry in registries)
        and not any(label.name in registry.added for registry in registries)
    ]
    made = {label: _tried(where, label) for label in labels if label not in apart}
    made |= _made_apart(where, apart)
    chosen: dict[str, Cell] = {}
    for i in range(len(where)):
        asked: dict[str, str] = {}
        for label in labels:
            cell = made[label][i]
            if cell.algorithm in asked:
                raise ConfigError(
                    f"algorithms {asked[cell.algorithm]!r} and {label!r} are the same, "
                    f"{cell.algorithm!r}; allowed: each algorithm once"
                )
            asked[cell.algorithm] = label
            chosen[cell.name] = cell
    return list(chosen.values())


def _made_apart(where: Sequence[Setting], labels: Sequence[Label]) -> dict[Label, list[Cell]]:
    """Return the cells of algorithms that are classes in files or packages, by label.

    The classes are loaded in another process. If a class ends that process, it is not checked here;
    the processes that play its trials will end in the same way and report the error.
    """
    made: dict[Label, list[Cell]] = {}
    if labels:
        with suppress(EndedError):
            call(f"{__name__}:load", lambda pair: made.update([pair]), where=where, labels=labels)
    for label in (label for label in labels if label not in made):
        canonical = Label(canonical_name(label.name), label.options)
        made[label] = [Cell(one, canonical) for one in where]
    return made


def load(
    tell: Callable[[tuple[Label, list[Cell]]], None],
    *,
    where: Sequence[Setting],
    labels: Sequence[Label],
) -> None:
    """Load each class in a copy of this process, and pass its label and its cells to ``tell``.

    Classes that end the copy, or that raise an error other than OptimistError, are skipped.

    Raises
    ------
    OptimistError
        If a file cannot be loaded, a class does not fit a setting, or an option is invalid.
    """
    for label in labels:
        try:
            tell((label, isolated(partial(_tried, where, label), 0)))
        except (BrokenPackageError, EndedError):
            continue
        except OptimistError:
            raise
        except Exception:
            continue


def _tried(where: Iterable[Setting], label: Label) -> list[Cell]:
    """Return the cells of an algorithm after building it for two rounds of each setting."""
    cells_of_label = [Cell.of(one, label) for one in where]
    for cell in cells_of_label:
        check_length(cell.paper, *cell.labels)
        if cell.setting.is_foreign:
            continue
        try:
            make = checked(cell.algorithm, build(cell.lasting(2), 0, stand_in())[1])
            if not cell.is_foreign:
                make()
        except OptimistError as error:
            raise ConfigError(f"{cell.name}: {error}") from None
    return cells_of_label
