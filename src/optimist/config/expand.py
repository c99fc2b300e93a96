"""Expansion of a paper's files into a `Paper`, without abbreviations.

A paper has a folder with ``settings.yaml``, ``runs.yaml``, ``figures.yaml`` and ``claims.yaml``.
Canonical labels replace lists and sweeps. `optimist.config.claims` reads the claims.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from optimist.config.documents import Source, merge
from optimist.config.labels import Names
from optimist.config.panels import expand_figure, expand_shown
from optimist.core.errors import ConfigError, unknown_name
from optimist.core.registry import canonical_name
from optimist.environments import environment_class
from optimist.experiments.cell import Probe, Setting
from optimist.experiments.paper import Block, Paper


def with_additions(
    rooms: Mapping[str, Mapping[str, Any]], additions: Mapping[str, Any], files: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """Add settings, runs, figures and algorithms to a paper's documents.

    Parameters
    ----------
    rooms : mapping
        The documents ``settings``, ``runs`` and ``figures``.
    additions : mapping
        Entries to add, under the keys ``settings``, ``runs`` and ``figures``. Each is written as in
        the document of the same name.
    files : mapping
        Classes of users' algorithms, as ``path.py:Class``, by the algorithms' names in the
        documents.

    Raises
    ------
    ConfigError
        If the name of an added setting or figure is already in use.
    """
    documents = {room: dict(document) for room, document in rooms.items()}
    for key in ("settings", "figures"):
        entries, more = documents[key].get(key, {}), additions.get(key, {})
        for name in entries.keys() & more.keys():
            raise ConfigError(
                f"additions.{key} has {name!r}, which already exists; allowed: a new name"
            )
        documents[key][key] = {**entries, **more}
    documents["runs"]["runs"] = [*documents["runs"]["runs"], *additions.get("runs", ())]
    shown = {canonical_name(place): name for name, place in files.items()}
    documents["settings"]["names"] = {**documents["settings"]["names"], **shown}
    return documents


def names_of(
    paper: str,
    rooms: Mapping[str, Mapping[str, Any]],
    sources: Mapping[str, Source],
    files: Mapping[str, str] | None = None,
) -> Names:
    """Return a paper's settings and lists.

    Parameters
    ----------
    paper : str
        Id of the paper.
    rooms : mapping
        The documents ``settings``, ``runs`` and ``figures``.
    sources : mapping
        The files that contain the documents.
    files : mapping or None
        See `with_additions`.

    Raises
    ------
    ConfigError
        If a document is invalid. The message gives the file, the key, its value and what is
        allowed.
    """
    with sources["settings"].named():
        names = Names(paper, base_settings(paper, rooms["settings"]), files)
    for room in ("runs", "figures"):
        with sources[room].named():
            names.add_lists(rooms[room].get("lists", {}))
    return names


def expand_paper(
    rooms: Mapping[str, Mapping[str, Any]], sources: Mapping[str, Source], names: Names
) -> Paper:
    """Return the configuration of a paper, without its style.

    The arguments ``rooms`` and ``sources`` are those of `names_of`, and ``names`` is its result.

    Raises
    ------
    ConfigError
        If a document is invalid. The message gives the file, the key, its value and what is
        allowed.
    """
    kept: dict[str, Any] = {}
    for room, expand in (("settings", _about), ("runs", _runs), ("figures", _shown)):
        with sources[room].named():
            kept |= expand(rooms[room], names)
    return Paper(**kept, settings=names.settings)


def base_settings(paper: str, room: Mapping[str, Any]) -> dict[str, Setting]:
    """Return the settings in settings.yaml, each merged over the defaults of its environment."""
    settings: dict[str, Setting] = {}
    used = {entry["environment"] for entry in room["settings"].values()}
    for environment in room.get("defaults", {}):
        if environment not in used:
            raise unknown_name("environment in defaults", environment, used)
    for written, entry in room["settings"].items():
        for name, document in _each_setting(written, entry):
            if name in settings:
                raise ConfigError(f"setting {name!r} is defined twice; allowed: once")
            whole = merge(room.get("defaults", {}).get(document["environment"], {}), document)
            with Source(f"setting {name!r}").named():
                environment_class(document["environment"])
            if "horizon" not in whole:
                raise ConfigError(f"setting {name!r}: key 'horizon' is missing")
            setting = Setting.restore(paper, name, whole)
            settings[setting.label] = setting
    return settings


def _each_setting(name: str, entry: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield a name and setting for each value under ``each``; without it, yield the entry."""
    if "each" not in entry:
        yield name, entry
        return
    ((key, values),) = entry["each"].items()
    shared = {k: value for k, value in entry.items() if k != "each"}
    for value in values:
        word = values[value] if isinstance(values, Mapping) else value
        texts = {k: shared[k].replace(f"{{{key}}}", str(word)) for k in ("title", "about")}
        parameters = {**shared.get("parameters", {}), key: value}
        yield name.replace(f"{{{key}}}", str(value)), {**shared, **texts, "parameters": parameters}


def _about(room: Mapping[str, Any], names: Names) -> dict[str, Any]:
    keys = ("title", "reference", "method", "band", "interval", "names", "options")
    return {"id": room["paper"], **{key: room[key] for key in keys if key in room}}


def _runs(room: Mapping[str, Any], names: Names) -> dict[str, Any]:
    shared, studies = room.get("defaults", {}), room.get("studies", {}).items()
    return {
        "runs": [
            _block(f"runs.{i}", {**shared, **block}, names) for i, block in enumerate(room["runs"])
        ],
        "timings": [
            block for i, race in enumerate(room["timings"]) for block in _race(i, race, names)
        ],
        "studies": {name: _study(f"studies.{name}", one, names) for name, one in studies},
        "parts": {
            name: names.labels(f"parts.{name}", settings)
            for name, settings in room.get("parts", {}).items()
        },
    }


def _race(number: int, race: Mapping[str, Any], names: Names) -> Iterator[Block]:
    """Yield each part of a race as a block of runs, with one trial per turn of the part."""
    shared = {key: value for key, value in race.items() if key not in ("cells", "turns")}
    for i, part in enumerate(race["cells"]):
        place = f"timings.{number}.cells.{i}"
        keys = dict(part)
        turns = keys.pop("turns", race["turns"])
        if turns > race["turns"]:
            raise ConfigError(
                f"{place}.turns is {turns}; allowed: at most {race['turns']}, "
                "the number of turns of the race"
            )
        yield _block(place, {**shared, **keys, "trials": turns, "race": number}, names)


def _study(place: str, section: Mapping[str, Any], names: Names) -> dict[str, Any]:
    written = expand_shown(place, section, names)
    if "blocks" in section:
        blocks = enumerate(section["blocks"])
        written["blocks"] = [expand_shown(f"{place}.blocks.{i}", b, names) for i, b in blocks]
    if "algorithm" in section:
        written["algorithm"] = names.label(f"{place}.algorithm", section["algorithm"])
    return written


def _block(place: str, block: Mapping[str, Any], names: Names) -> Block:
    where = f"{place}.settings"
    settings = [names.setting(where, one) for one in names.labels(where, block["settings"])]
    domains = {one.domain for one in settings}
    if len(domains) > 1:
        raise ConfigError(
            f"{where} has settings on {' and '.join(sorted(domains))}; allowed: settings of one "
            "kind in each block"
        )
    algorithms = names.labels(f"{place}.algorithms", block["algorithms"])
    written = {key: block[key] for key in ("trials", "group", "rounds", "race") if key in block}
    if probe := block.get("probe"):
        leader = names.algorithm(f"{place}.probe.leader", probe["leader"])
        written["probe"] = Probe(leader, probe["every"])
    return Block(
        settings,
        [names.algorithm(f"{place}.algorithms", label) for label in algorithms],
        **written,
    )


def _shown(room: Mapping[str, Any], names: Names) -> dict[str, Any]:
    figures, used = {}, set[str]()
    for name, figure in room.get("figures", {}).items():
        figures[name], titles = expand_figure(f"figures.{name}", figure, room, names)
        used |= titles
    for key in room.get("titles", {}):
        if names.label("titles", str(key)) not in used:
            raise ConfigError(f"titles has {key!r}, which no panel title uses")
    written = room.get("tables", {}).items()
    tables = {name: expand_shown(f"tables.{name}", table, names) for name, table in written}
    return {"figures": figures, "tables": tables}
