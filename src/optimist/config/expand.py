"""Expansion of a paper's files into a `Paper`, without abbreviations.

A paper has a folder with ``settings.yaml``, ``runs.yaml``, ``figures.yaml`` and ``claims.yaml``.
Canonical labels replace lists and sweeps. `optimist.config.claims` reads the claims.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from optimist.config.documents import Document, Source, merge
from optimist.config.labels import Names, combinations
from optimist.config.models import Additions, Sources
from optimist.config.panels import expand_figure, expand_shown
from optimist.core.errors import ConfigError, known_name
from optimist.core.registry import canonical_name
from optimist.environments import environment_class
from optimist.experiments import models
from optimist.experiments.cell import Probe, Setting
from optimist.experiments.paper import Block, Paper
from optimist.figures.models import Figures


class Documents(NamedTuple):
    """The documents that define a paper's settings, runs and figures."""

    settings: models.Settings
    runs: models.Runs
    figures: Figures


def with_additions(documents: Documents, more: Additions, files: Mapping[str, str]) -> Documents:
    """Add settings, runs, figures and algorithms to a paper's documents.

    Parameters
    ----------
    documents : Documents
    more : Additions
        Entries to add. Each is written as in the document of the same name.
    files : mapping
        Classes of users' algorithms, as ``path.py:Class``, by the algorithms' names in the
        documents.

    Raises
    ------
    ConfigError
        If the name of an added setting or figure is already in use.
    """
    about, runs, shown = documents
    settings = _added("settings", about.get("settings", {}), more.get("settings", {}))
    figures = _added("figures", shown.get("figures", {}), more.get("figures", {}))
    names = about["names"] | {canonical_name(place): name for name, place in files.items()}
    return Documents(
        {**about, "settings": settings, "names": names},
        {**runs, "runs": [*runs["runs"], *more.get("runs", ())]},
        {**shown, "figures": figures},
    )


def _added(key: str, entries: Document, more: Document) -> Document:
    for name in entries.keys() & more.keys():
        raise ConfigError(
            f"additions.{key} has {name!r}, which already exists; allowed: a new name"
        )
    return entries | more


def names_of(
    paper: str, documents: Documents, sources: Sources, files: Mapping[str, str] | None = None
) -> Names:
    """Return a paper's settings and lists.

    Parameters
    ----------
    paper : str
        Id of the paper.
    documents : Documents
    sources : Sources
    files : mapping or None
        See `with_additions`.

    Raises
    ------
    ConfigError
        If a document is invalid. The message gives the file, the key, its value and what is
        allowed.
    """
    with sources.settings.named():
        names = Names(paper, base_settings(paper, documents.settings), files)
    for document, source in zip(documents[1:], sources[1:], strict=True):
        with source.named():
            names.add_lists(document.get("lists", {}))
    return names


def expand_paper(documents: Documents, sources: Sources, names: Names) -> Paper:
    """Return the configuration of a paper, without its style.

    The argument ``names`` is the result of `names_of` for the same documents.

    Raises
    ------
    ConfigError
        If a document is invalid. The message gives the file, the key, its value and what is
        allowed.
    """
    with sources.runs.named():
        runs = _runs(documents.runs, names)
    with sources.figures.named():
        shown = _shown(documents.figures, names)
    return Paper(**_about(documents.settings), **runs, **shown, settings=names.settings)


def base_settings(paper: str, document: models.Settings) -> dict[str, Setting]:
    """Return the settings in settings.yaml, each merged over the defaults of its environment."""
    settings: dict[str, Setting] = {}
    entries, defaults = document["settings"], document.get("defaults", {})
    used = {entry["environment"] for entry in entries.values()}
    for environment in defaults:
        known_name("environment in defaults", environment, used)
    for written, entry in entries.items():
        for name, keys in _each_setting(written, entry):
            if name in settings:
                raise ConfigError(f"setting {name!r} is defined twice; allowed: once")
            whole = merge(defaults.get(keys["environment"], {}), keys)
            with Source(f"setting {name!r}").named():
                environment_class(keys["environment"])
            if "horizon" not in whole:
                raise ConfigError(f"setting {name!r}: key 'horizon' is missing")
            setting = Setting.restore(paper, name, whole)
            settings[setting.label] = setting
    return settings


def _each_setting(name: str, entry: models.Setting) -> Iterator[tuple[str, models.Setting]]:
    """Yield the name and the keys of each setting that an entry defines."""
    parameters = entry.get("parameters", {})
    for chosen in combinations(f"settings.{name}", entry, parameters):
        label, written = name, entry.copy()
        each = written.pop("each", {})
        for key, value in chosen.items():
            word = str(each[key][value] if isinstance(each[key], Mapping) else value)
            for text in ("title", "about"):
                written[text] = written[text].replace(f"{{{key}}}", word)
            label = label.replace(f"{{{key}}}", str(value))
        if chosen:
            written["parameters"] = {**parameters, **chosen}
        yield label, written


def _about(document: models.Settings) -> Document:
    others = ("paper", "defaults", "settings")
    return {"id": document["paper"], **{k: v for k, v in document.items() if k not in others}}


def _runs(document: models.Runs, names: Names) -> Document:
    shared, studies = document.get("defaults", {}), document.get("studies", {}).items()
    runs, races = enumerate(document["runs"]), enumerate(document["timings"])
    return {
        "runs": [_block(f"runs.{i}", {**shared, **block}, names) for i, block in runs],
        "timings": [block for i, race in races for block in _race(i, race, names)],
        "studies": {name: _study(f"studies.{name}", one, names) for name, one in studies},
        "parts": {
            name: names.labels(f"parts.{name}", settings)
            for name, settings in document.get("parts", {}).items()
        },
    }


def _race(number: int, race: models.Race, names: Names) -> Iterator[Block]:
    """Yield each part of a race as a block of runs, with one trial per turn of the part."""
    for i, part in enumerate(race["cells"]):
        place, turns = f"timings.{number}.cells.{i}", part.get("turns", race["turns"])
        if turns > race["turns"]:
            raise ConfigError(
                f"{place}.turns is {turns}; allowed: at most {race['turns']}, "
                "the number of turns of the race"
            )
        yield _block(place, {**race, **part, "trials": turns, "race": number}, names)


def _study(place: str, section: Document, names: Names) -> Document:
    written = expand_shown(place, section, names)
    if "blocks" in section:
        blocks = enumerate(section["blocks"])
        written["blocks"] = [expand_shown(f"{place}.blocks.{i}", b, names) for i, b in blocks]
    if "algorithm" in section:
        written["algorithm"] = names.label(f"{place}.algorithm", section["algorithm"])
    return written


def _block(place: str, block: Document, names: Names) -> Block:
    where = f"{place}.settings"
    settings = [names.setting(where, one) for one in names.labels(where, block["settings"])]
    domains = {one.domain for one in settings}
    if len(domains) > 1:
        raise ConfigError(
            f"{where} has settings on {' and '.join(sorted(domains))}; allowed: settings of one "
            "kind in each block"
        )
    algorithms = names.labels(f"{place}.algorithms", block["algorithms"])
    written: Document = {k: block[k] for k in ("trials", "group", "rounds", "race") if k in block}
    if probe := block.get("probe"):
        leader = names.algorithm(f"{place}.probe.leader", probe["leader"])
        written["probe"] = Probe(leader, probe["every"])
    return Block(
        settings,
        [names.algorithm(f"{place}.algorithms", label) for label in algorithms],
        **written,
    )


def _shown(document: Figures, names: Names) -> Document:
    figures, used = {}, set[str]()
    for name, figure in document.get("figures", {}).items():
        figures[name], titles = expand_figure(f"figures.{name}", figure, document, names)
        used |= titles
    for key in document.get("titles", {}):
        if names.label("titles", str(key)) not in used:
            raise ConfigError(f"titles has {key!r}, which no panel title uses")
    written = document.get("tables", {}).items()
    tables = {name: expand_shown(f"tables.{name}", table, names) for name, table in written}
    return {"figures": figures, "tables": tables}
