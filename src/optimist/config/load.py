"""Loading and checking configuration, with messages that say what to type instead."""

import fnmatch
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

from optimist.algorithms import (
    REGISTRIES,
    algorithm_class,
    is_algorithm,
    make_algorithm,
    option_names,
)
from optimist.claims import check_claims, first
from optimist.config import folders
from optimist.config.documents import check_plain, merge, read_value, read_yaml
from optimist.config.expand import expand_claims, expand_paper, names_of, with_additions
from optimist.config.labels import Names
from optimist.core.errors import LONGEST, ConfigError, OptimistError, unknown_name
from optimist.core.label import Label, name_of, same
from optimist.core.root import project_root
from optimist.core.schemas import check_document
from optimist.experiments import cell as trials
from optimist.experiments.trials import expand
from optimist.figures import check_shown
from optimist.figures.studies import check_studies

_NAME = re.compile("[a-z][a-z0-9_.]*")
# Files of a paper that say what runs and what is shown.
ROOMS = ("settings", "runs", "figures")


def schema_path(name: str) -> Path:
    """Return the path of the JSON schema called ``name`` (config, settings, runs, ...)."""
    return project_root() / "workflow" / "schemas" / f"{name}.schema.json"


def validate(document: Any, schema: str | Path, source: str) -> None:
    """Check ``document`` against the JSON schema at path ``schema``, see `check_document`."""
    path = Path(schema)
    check_document(document, json.loads(path.read_text(encoding="utf-8")), source, path.parent)


def load_config(*overlays: str | Path, values: Iterable[str] = ()) -> dict[str, Any]:
    """Return config/config.yaml with the YAML files ``overlays`` merged over it, checked.

    Last come ``values``, texts ``key=value`` as Snakemake's ``--config`` takes them.
    """
    config: dict[str, Any] = {}
    for overlay in overlays:
        changes = read_yaml(overlay) or {}
        if not isinstance(changes, dict):
            raise ConfigError(f"{overlay} holds {changes!r}; allowed: keys with values")
        config = merge(config, changes)
    for text in values:
        key, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"{text!r} sets nothing; allowed: key=value")
        config = merge(config, {key: read_value(value, text if len(text) <= LONGEST else key)})
    return check_config(with_defaults(config))


def with_defaults(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``config`` merged over config/config.yaml, not checked.

    Snakemake has done so itself, except where the workflow is a module and ``config`` an overlay.
    """
    return merge(read_yaml(project_root() / "config" / "config.yaml"), config)


def check_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``config`` if it is valid; raise ConfigError otherwise."""
    check_plain(config, "config")
    found: dict[str, Any] = _as_schema_says(config)
    validate(found, schema_path("config"), "config")
    folders.check(found["results"], found["figures"])
    for paper in (*found["papers"], *found["changes"]["settings"], *found["additions"]):
        if paper not in paper_names():
            raise unknown_name("paper", paper, paper_names())
    for name in found["algorithm_files"]:
        if is_algorithm(name):
            raise ConfigError(
                f"algorithm_files.{name} has the name of a known algorithm; allowed: another name"
            )
    return found


def check_read_alike(path: str | Path, found: Any) -> None:
    """Raise ConfigError where Snakemake has read another value in an overlay than `read_yaml`.

    Parameters
    ----------
    path : str or Path
        Of the overlay.
    found : plain data
        What Snakemake read there; its YAML is version 1.1, see `optimist.config.scalars`.
    """
    own = read_yaml(path)
    for key, value, other in _unlike("", _as_schema_says(own), _as_schema_says(found)):
        raise ConfigError(
            f"file {path}: {key} is {value!r}, which Snakemake reads as {other!r}; allowed: a "
            "number without zeros before it, true or false, or text in quotes"
        )


def _unlike(place: str, own: Any, found: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield where two documents differ, with both values."""
    if isinstance(own, Mapping) and isinstance(found, Mapping) and own.keys() == found.keys():
        for key, value in own.items():
            yield from _unlike(f"{place}.{key}".lstrip("."), value, found[key])
    elif isinstance(own, list) and isinstance(found, list) and len(own) == len(found):
        for i, pair in enumerate(zip(own, found, strict=True)):
            yield from _unlike(f"{place}.{i}", *pair)
    elif not same(own, found):
        yield place or "the document", own, found


def _as_schema_says(config: Any) -> Any:
    """Return a configuration with what its texts stand for, see `_typed`."""
    schema = json.loads(schema_path("config").read_text(encoding="utf-8"))
    return _typed(config, schema, "config")


def _typed(value: Any, schema: Mapping[str, Any], place: str) -> Any:
    """Return a value with what it stands for in place of texts that its schema does not allow.

    Snakemake's ``--config`` hands over ``caps={trials: 2}`` with the text 2.
    """
    if isinstance(value, Mapping):
        known, other = schema.get("properties", {}), schema.get("additionalProperties") or {}
        return {k: _typed(v, known.get(k, other), f"{place}.{k}") for k, v in value.items()}
    if isinstance(value, list):
        return [_typed(item, schema.get("items", {}), place) for item in value]
    if not isinstance(value, str) or "enum" in schema or "string" in schema.get("type", ()):
        return value
    if "type" in schema:
        return read_value(value, place)
    # Where a schema says nothing, "Regret: a start" is a caption, and no key with a value.
    try:
        found = read_value(value, place)
    except ConfigError:
        return value
    return found if found is None or isinstance(found, bool | int | float) else value


def paper_names() -> list[str]:
    """Return the ids of all papers in config/papers."""
    papers = project_root() / "config" / "papers"
    return sorted(path.parent.name for path in papers.glob("*/settings.yaml"))


def claims_path(name: str) -> Path:
    return project_root() / "config" / "papers" / name / "claims.yaml"


def _read_claims(path: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the claims in a file as they stand there, and written out for its paper."""
    document = read_yaml(path)
    validate(document, schema_path("claims"), str(path))
    folder = Path(path).parent
    has_paper = (folder / "settings.yaml").is_file()
    names = names_of(folder.name, *_rooms(folder)) if has_paper else Names(folder.name, {})
    try:
        return document, expand_claims(document, names, load_words())
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


@lru_cache
def load_words() -> dict[str, Any]:
    """Return what vague words of the papers mean in claims: relation and bound by word."""
    path = project_root() / "config" / "words.yaml"
    words: dict[str, Any] = read_yaml(path)
    validate(words, schema_path("words"), "config/words.yaml")
    return words


@lru_cache
def load_looks() -> dict[str, Any]:
    """Return what methods look like in figures: a palette, and colour and marker by method."""
    looks: dict[str, Any] = read_yaml(project_root() / "config" / "looks.yaml")
    validate(looks, schema_path("looks"), "config/looks.yaml")
    return looks


def load_claims(path: str | Path) -> dict[str, Any]:
    """Return the claims of a YAML file, checked by schema and metrics, with readings for choices.

    Raises
    ------
    ConfigError
        Naming file, claim, key, value and what is allowed.
    """
    document, claims = _read_claims(path)
    check_claims(document, path)
    paper = document["paper"]
    rows = first.read(project_root() / "config" / "first.csv")
    return {**claims, "first": [row for row in rows if row[0].split(".")[0] == paper]}


# What papers are changed by where nothing else is said, see `using`.
_in_use: dict[str, Any] = {}
_overlays: list[str] = []


@contextmanager
def using(*overlays: str | Path) -> Iterator[None]:
    """Let papers that are loaded meanwhile have the settings of some overlays, and no others.

    Raises
    ------
    ConfigError
        For an overlay that cannot be read, or a wrong key or value in it.
    """
    before = dict(_in_use), [*_overlays]
    _in_use.clear()
    try:
        _in_use.update(changes_of(load_config(*overlays)) if overlays else {})
        _overlays[:] = map(str, overlays)
        yield
    finally:
        _in_use.clear()
        _in_use.update(before[0])
        _overlays[:] = before[1]


def overlays_in_use() -> list[str]:
    """Return the files of `using`, as they were given."""
    return [*_overlays]


def changes_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a configuration changes in papers, as `load_paper` takes it."""
    own = {key: config[key] for key in ("algorithm_files", "additions")}
    return {**config["changes"], **own}


def with_file(label: str) -> str:
    """Return the label of an algorithm with its file in place of its name in an overlay in use."""
    name = name_of(label)
    files = _in_use.get("algorithm_files", {})
    return files[name] + label[len(name) :] if name in files else label


def load_paper(name: str, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the configuration of a paper, checked by schema and by building its every cell.

    Parameters
    ----------
    name : str
    changes : mapping or None
        The section ``changes`` of the configuration; it may have ``algorithm_files`` and
        ``additions`` too. None for those of `using`.

    Returns
    -------
    dict
        The keys of settings.yaml, runs.yaml and figures.yaml, with canonical labels in place of
        lists and sweeps. ``settings`` holds the full specification of every base setting, and of
        every label of a setting that the files use; ``looks`` what its methods look like.
    """
    if name not in paper_names():
        raise unknown_name("paper", name, paper_names())
    changes = _in_use if changes is None else changes
    source = f"config/papers/{name}"
    folder = project_root() / source
    try:
        paper = _expanded(folder, changes or {})
    except ConfigError as error:
        raise ConfigError(_placed(str(error), folder, changes or {})) from None
    if paper["paper"] != name:
        raise ConfigError(f"{source}/settings.yaml: paper is {paper['paper']!r}; allowed: {name!r}")
    if changes and "settings" in changes:
        paper = changed(paper, changes)
        if name in changes["settings"]:
            source += f" with changes.settings.{name}"
            _validate_entries(paper, "settings", "setting", source)
    try:
        check_cells(paper)
        check_studies(paper)
    except ConfigError as error:
        raise ConfigError(_placed(f"{source}: {error}", folder, changes or {})) from None
    looks = load_looks()
    methods = {name: look for name, look in looks["methods"].items() if name in paper["names"]}
    return {**paper, "looks": {"palette": looks["palette"], "methods": methods}}


def _placed(message: str, folder: Path, changes: Mapping[str, Any]) -> str:
    """Return a message on a paper in which additions stand where their author wrote them."""
    if folder.name in changes.get("additions", {}):
        own = len(read_yaml(folder / "runs.yaml")["runs"])

        def place(found: re.Match[str]) -> str:
            added = int(found[1]) - own
            return f"additions.{folder.name}.runs.{added}" if added >= 0 else found[0]

        message = re.sub(r"\bruns\.(\d+)", place, message)
    if changes.get("algorithm_files") and "unknown algorithm" in message:
        message += f"; or one of algorithm_files, {', '.join(sorted(changes['algorithm_files']))}"
    return message


def _rooms(
    folder: Path, changes: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the documents in the folder of a paper, and their paths for messages."""
    sources = {room: f"config/papers/{folder.name}/{room}.yaml" for room in ROOMS}
    rooms = {room: read_yaml(folder / f"{room}.yaml") for room in ROOMS}
    additions = (changes or {}).get("additions", {}).get(folder.name, {})
    files = (changes or {}).get("algorithm_files", {})
    if additions or files:
        rooms = with_additions(rooms, additions, files)
        sources = {room: f"{path} with additions" for room, path in sources.items()}
    for room, document in rooms.items():
        validate(document, schema_path(room), sources[room])
    return rooms, sources


def _expanded(folder: Path, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the paper of a folder with everything written out."""
    rooms, sources = _rooms(folder, changes)
    names = names_of(folder.name, rooms, sources, changes.get("algorithm_files"))
    paper = expand_paper(rooms, sources, names)
    _validate_entries(paper, "figures", "figure", sources["figures"])
    check_shown(paper, sources["figures"])
    return paper


def _validate_entries(paper: Mapping[str, Any], part: str, entry: str, source: str) -> None:
    """Check the settings or figures of a paper that is written out."""
    schema = {"properties": {part: {"additionalProperties": {"$ref": f"{entry}.schema.json"}}}}
    check_document({part: paper.get(part, {})}, schema, source, schema_path("config").parent)


def changed(paper: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a paper with more trials and with other settings."""
    found = deepcopy(dict(paper))
    for block in found["runs"]:
        block["trials"] = max(block["trials"], changes["trials"] or 0)
    for pattern, keys in changes["settings"].get(paper["paper"], {}).items():
        for label in _matched(paper, pattern):
            found["settings"][label] = merge(found["settings"][label], _besides(label, keys))
    return found


def _besides(label: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return changes of a setting without those of what its label itself says."""
    own = {key for key, _ in Label.parse(label, "setting").options}
    return {
        part: {k: v for k, v in value.items() if k not in own}
        if isinstance(value, Mapping)
        else value
        for part, value in keys.items()
        if part not in own
    }


def _matched(paper: Mapping[str, Any], pattern: str) -> list[str]:
    found = [label for label in paper["settings"] if matches(label, pattern)]
    if not found:
        raise ConfigError(
            f"changes.settings.{paper['paper']} has {pattern!r}; allowed: patterns that match "
            f"some of {', '.join(label for label in paper['settings'] if '[' not in label)}"
        )
    return found


def matches(label: str, pattern: str) -> bool:
    """Return whether a pattern selects the label of a setting.

    A pattern with ``[`` is compared with the whole label, and one without with its name alone, so
    that it selects the setting with any options. ``*`` stands for any text, ``?`` for one letter.
    """
    literal = re.sub(r"\[", "[[]", pattern)
    return fnmatch.fnmatchcase(label if "[" in pattern else name_of(label), literal)


def stand_in() -> Path:
    """Return the folder of the small data sets on which configuration is checked."""
    return project_root() / "data" / "stand_in"


def check_cells(paper: dict[str, Any]) -> None:
    """Build the environment of every setting, two rounds long, and its algorithms."""
    problems: dict[str, Any] = {}
    for key in ("names", "options"):
        for name in paper.get(key, {}):
            if not is_algorithm(name):
                known = set().union(*REGISTRIES.values())
                raise unknown_name(f"algorithm in {key}", name, known)
    for name, texts in paper.get("options", {}).items():
        known = {
            option
            for domain, registry in REGISTRIES.items()
            if name in registry
            for option in option_names(algorithm_class(name, domain))
        }
        for option in (text.partition("=")[0] for text in texts):
            if option not in known:
                raise unknown_name(f"option in options.{name}", option, known)
    for setting, spec in paper["settings"].items():
        if not _NAME.fullmatch(name_of(setting)):
            raise ConfigError(f"setting {setting!r} is no name; allowed: {_NAME.pattern}")
        cell = trials.Cell(paper["paper"], setting, "", {**spec, "horizon": 2})
        try:
            problems[setting] = trials.build(cell, 0, stand_in())[1]
        except OptimistError as error:
            raise ConfigError(f"setting {setting!r}: {error}") from None
    for job in expand(paper, caps={"trials": 1, "timing_trials": 1}):
        cell = job.cell
        make_algorithm(cell.algorithm, problems[cell.setting])
        if job.probe:
            make_algorithm(job.probe["leader"], problems[cell.setting])
