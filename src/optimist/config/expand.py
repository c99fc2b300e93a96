"""From the files of a paper to one configuration with everything written out.

A paper has a folder with ``settings.yaml``, ``runs.yaml``, ``figures.yaml`` and ``claims.yaml``.
The rest of the package knows one dict: the keys of the first three files, with canonical labels in
place of lists and sweeps, and under ``settings`` the full specification of every label.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from optimist.config.claims import Writer
from optimist.config.documents import merge
from optimist.config.labels import Names
from optimist.config.panels import expand_figure, expand_shown
from optimist.core.errors import ConfigError, unknown_name
from optimist.core.registry import canonical_name
from optimist.environments import environment_class

# Keys of these files that only serve to write the rest.
_WRITING = frozenset(("defaults", "lists", "titles", "panel_defaults"))


def with_additions(
    rooms: Mapping[str, Mapping[str, Any]], additions: Mapping[str, Any], files: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """Return the documents of a paper with more settings, runs and figures, and more algorithms.

    Parameters
    ----------
    rooms : mapping
        The documents ``settings``, ``runs`` and ``figures``.
    additions : mapping
        ``settings``, ``runs`` and ``figures``, as they stand in the documents.
    files : mapping
        Classes in files by the names that algorithms have in the documents.

    Raises
    ------
    ConfigError
        If a setting or a figure has the name of one that is there.
    """
    found = {room: dict(document) for room, document in rooms.items()}
    for room, key in (("settings", "settings"), ("figures", "figures")):
        known, more = found[room].get(key, {}), additions.get(key, {})
        for name in known.keys() & more.keys():
            raise ConfigError(f"additions.{key} has {name!r}, which is known; allowed: a new name")
        found[room][key] = {**known, **more}
    found["runs"]["runs"] = [*found["runs"]["runs"], *additions.get("runs", ())]
    shown = {canonical_name(place): name for name, place in files.items()}
    found["settings"]["names"] = {**found["settings"]["names"], **shown}
    return found


def names_of(
    paper: str,
    rooms: Mapping[str, Mapping[str, Any]],
    sources: Mapping[str, str],
    files: Mapping[str, str] | None = None,
) -> Names:
    """Return the settings and lists of a paper.

    Parameters
    ----------
    paper : str
        Its id.
    rooms : mapping
        The documents ``settings``, ``runs`` and ``figures``.
    sources : mapping
        Their paths, for messages.
    files : mapping or None
        See `with_additions`.

    Raises
    ------
    ConfigError
        Naming file, key, value and what is allowed.
    """
    with _named(sources["settings"]):
        names = Names(paper, base_settings(rooms["settings"]), files)
    for room in ("runs", "figures"):
        with _named(sources[room]):
            names.add_lists(rooms[room].get("lists", {}))
    return names


def expand_paper(
    rooms: Mapping[str, Mapping[str, Any]], sources: Mapping[str, str], names: Names
) -> dict[str, Any]:
    """Return the configuration of a paper; the arguments are those, and the result, of `names_of`.

    Raises
    ------
    ConfigError
        Naming file, key, value and what is allowed.
    """
    paper: dict[str, Any] = {}
    for room, expand in (("settings", _kept), ("runs", _runs), ("figures", _shown)):
        with _named(sources[room]):
            paper |= expand(rooms[room], names)
    return {**paper, "settings": names.settings}


def base_settings(room: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the settings of ``settings.yaml`` with the defaults of their environments."""
    found: dict[str, dict[str, Any]] = {}
    used = {entry["environment"] for entry in room["settings"].values()}
    for environment in room.get("defaults", {}):
        if environment not in used:
            raise unknown_name("environment of defaults", environment, used)
    for written, entry in room["settings"].items():
        for name, setting in _each_setting(written, entry):
            if name in found:
                raise ConfigError(f"setting {name!r} stands there twice; allowed: once")
            shared = room.get("defaults", {}).get(setting["environment"], {})
            found[name] = merge(shared, setting)
            with _named(f"setting {name!r}"):
                environment_class(setting["environment"])
            if "horizon" not in found[name]:
                raise ConfigError(f"setting {name!r}: key 'horizon' is missing")
    return found


def _each_setting(name: str, entry: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield name and setting for each value of the parameter under ``each``."""
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


def expand_claims(
    document: Mapping[str, Any], names: Names, words: Mapping[str, Any]
) -> dict[str, Any]:
    """Return claims with readings in place of choices, and canonical labels.

    ``names`` are those of the paper, see `names_of`; ``words`` the table of vague words.
    """
    names.add_lists(document.get("lists", {}))
    writer = Writer(document, names, words)
    own = {k: v for k, v in document.items() if k not in _WRITING and k != "choices"}
    return {**own, "claims": [writer.claim(claim) for claim in document["claims"]]}


@contextmanager
def _named(source: str) -> Iterator[None]:
    """Put ``source`` before the message of a `ConfigError`."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None


def _kept(room: Mapping[str, Any], names: Names) -> dict[str, Any]:
    return {key: value for key, value in room.items() if key not in _WRITING}


def _runs(room: Mapping[str, Any], names: Names) -> dict[str, Any]:
    found = _kept(room, names)
    shared, blocks = room.get("defaults", {}), enumerate(room["runs"])
    found["runs"] = [_block(f"runs.{i}", {**shared, **block}, names) for i, block in blocks]
    races = enumerate(room["timings"])
    found["timings"] = [block for i, race in races for block in _race(i, race, names)]
    studies = room.get("studies", {}).items()
    found["studies"] = {n: _study(f"studies.{n}", section, names) for n, section in studies}
    parts = room.get("parts", {}).items()
    return {**found, "parts": {n: names.labels(f"parts.{n}", settings) for n, settings in parts}}


def _race(number: int, race: Mapping[str, Any], names: Names) -> Iterator[dict[str, Any]]:
    """Yield the parts of a race as blocks, whose trials are turns."""
    shared = {key: value for key, value in race.items() if key not in ("cells", "turns")}
    for i, part in enumerate(race["cells"]):
        place = f"timings.{number}.cells.{i}"
        own = dict(part)
        turns = own.pop("turns", race["turns"])
        if turns > race["turns"]:
            raise ConfigError(
                f"{place}.turns is {turns}; allowed: at most the {race['turns']} of its race"
            )
        yield _block(place, {**shared, **own, "trials": turns, "race": number}, names)


def _study(place: str, section: Mapping[str, Any], names: Names) -> dict[str, Any]:
    found = expand_shown(place, section, names)
    if "blocks" in section:
        blocks = enumerate(section["blocks"])
        found["blocks"] = [expand_shown(f"{place}.blocks.{i}", b, names) for i, b in blocks]
    if "algorithm" in section:
        found["algorithm"] = names.label(f"{place}.algorithm", section["algorithm"])
    return found


def _block(place: str, block: Mapping[str, Any], names: Names) -> dict[str, Any]:
    found = expand_shown(place, block, names)
    found["settings"] = [names.setting(f"{place}.settings", s) for s in found["settings"]]
    if "probe" in block:
        leader = names.label(f"{place}.probe.leader", block["probe"]["leader"])
        found["probe"] = {**block["probe"], "leader": leader}
    return found


def _shown(room: Mapping[str, Any], names: Names) -> dict[str, Any]:
    found, used = _kept(room, names), set[str]()
    figures = {}
    for name, figure in room.get("figures", {}).items():
        figures[name], titles = expand_figure(f"figures.{name}", figure, room, names)
        used |= titles
    for key in room.get("titles", {}):
        if names.label("titles", str(key)) not in used:
            raise ConfigError(f"titles has {key!r}, which no title of a panel asks for")
    written = room.get("tables", {}).items()
    tables = {name: expand_shown(f"tables.{name}", table, names) for name, table in written}
    return {**found, "figures": figures, "tables": tables}
