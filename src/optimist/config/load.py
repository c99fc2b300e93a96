"""Loading and checking the configuration, with messages that say what to write instead."""

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_origin

from optimist.algorithms import is_algorithm
from optimist.claims import first
from optimist.claims.claim import PaperClaims
from optimist.claims.models import Claims, Vocabulary, Word, check_comparison
from optimist.config import folders
from optimist.config.checks import check_cells, check_shown, check_studies
from optimist.config.claims import read_claims
from optimist.config.documents import Document, Source, check_plain, merge, read_value, read_yaml
from optimist.config.expand import Documents, expand_paper, names_of, with_additions
from optimist.config.labels import Names
from optimist.config.models import Config, PaperChanges, Sources
from optimist.config.validation import bare, check, entry_of, inside, members
from optimist.core.errors import LONGEST, ConfigError, known_name, one_of
from optimist.core.label import Label
from optimist.core.root import project_root
from optimist.experiments.cell import Setting
from optimist.experiments.models import Runs, Settings
from optimist.experiments.models import Setting as SettingKeys
from optimist.experiments.paper import Paper
from optimist.figures.models import Figure, Figures, Style

NO_CHANGES = PaperChanges()


def load_config(*overlays: str | Path, values: Iterable[str] = ()) -> Config:
    """Merge the YAML files ``overlays`` over config/config.yaml; check and return the result.

    The ``values`` have the form ``key=value``, as in Snakemake's option ``--config``, and are
    merged last.
    """
    config: Document = {}
    for overlay in overlays:
        config = merge(config, read_overlay(overlay))
    for text in values:
        key, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"{text!r} has no equals sign; allowed: key=value")
        place = f"--config {text if len(text) <= LONGEST else key}"
        config = merge(config, _part({key: read_value(value, place)}, Source(place)))
    return check_config(with_defaults(config))


def read_overlay(path: str | Path) -> Document:
    """Return the content of an overlay; raise ConfigError for an unknown key or a wrong value."""
    overlay = read_yaml(path) or {}
    if not isinstance(overlay, dict):
        raise ConfigError(f"{path} holds {overlay!r}; allowed: keys with values")
    return _part(overlay, Source(f"file {path}", Path(path)))


def _part(overlay: Document, source: Source) -> Document:
    """Check an overlay, in which keys may be missing, and return it with typed values."""
    typed: Document = _typed(overlay, Config)
    check(typed, Config, source, is_part=True)
    return typed


def with_defaults(config: Mapping[str, object]) -> Document:
    """Return ``config`` merged over config/config.yaml, without checking it.

    Snakemake merges the two itself, unless the workflow is used as a module. In that
    case, ``config`` is only an overlay.
    """
    return merge(read_yaml(project_root() / "config" / "config.yaml"), config)


def check_config(config: Mapping[str, object]) -> Config:
    """Return ``config`` with typed values if it is valid; raise ConfigError otherwise."""
    check_plain(config, "config")
    typed: Config = _typed(config, Config)
    check(typed, Config, Source("config"))
    folders.check(typed["results"], typed["figures"])
    for paper in (*typed["papers"], *typed["changes"]["settings"], *typed["additions"]):
        known_name("paper", paper, paper_names())
    for name in typed["algorithm_files"]:
        if is_algorithm(name):
            raise ConfigError(
                f"algorithm_files.{name} has the name of a known algorithm; allowed: another name"
            )
    return typed


def _typed(value: Any, hint: Any) -> Any:
    """Parse texts in a value as YAML wherever the type does not allow text.

    For ``caps={trials: 2}``, Snakemake's option ``--config`` passes the number as text.
    """
    if isinstance(value, Mapping):
        return {key: _typed(inner, inside(hint, str(key))) for key, inner in value.items()}
    if isinstance(value, list):
        return [_typed(item, inside(hint, i)) for i, item in enumerate(value)]
    allowed = [bare(member)[0] for member in members(hint)]
    if not isinstance(value, str) or str in allowed or get_origin(allowed[0]) is Literal:
        return value
    try:
        meaning = read_value(value, "value")
    except ConfigError:
        return value
    # If the model allows any value, a text such as "Regret: a start" is a caption, not a mapping.
    is_scalar = meaning is None or isinstance(meaning, bool | int | float)
    return meaning if is_scalar or Any not in allowed else value


def paper_names() -> list[str]:
    """Return the ids of all papers in config/papers."""
    papers = project_root() / "config" / "papers"
    return sorted(path.parent.name for path in papers.glob("*/settings.yaml"))


def claims_path(name: str) -> Path:
    return project_root() / "config" / "papers" / name / "claims.yaml"


@lru_cache
def load_words() -> dict[str, Word]:
    """Return the meanings of the papers' vague words, each a relation and a bound."""
    words: dict[str, Word] = read("config/words.yaml", Vocabulary)
    with _source("config/words.yaml").named():
        for word, entry in words.items():
            check_comparison(word, entry)
    return words


@lru_cache
def load_style() -> Style:
    """Return the style of figures: a palette, and the colour and marker of each method."""
    style: Style = read("config/style.yaml", Style)
    return style


def read(name: str, model: Any) -> Any:
    """Read a file of the project, check it against a model, and return the document."""
    document = read_yaml(project_root() / name)
    check(document, model, _source(name))
    return document


def load_claims(path: str | Path) -> PaperClaims:
    """Load the claims in a YAML file, check them, and return them with all readings.

    Raises
    ------
    ConfigError
        If the file is invalid. The message gives the file, the claim, the key, its value and what
        is allowed.
    """
    document, source, folder = read_yaml(path), Source(str(path), Path(path)), Path(path).parent
    check(document, Claims, source)
    has_paper = (folder / "settings.yaml").is_file()
    names = names_of(folder.name, *_documents(folder)) if has_paper else Names(folder.name, {})
    with source.named("claims."):
        claims = read_claims(document, folder.name, names, load_words())
    rows, papers = first.read(project_root() / "config" / "first.csv"), paper_names()
    for claim, *_ in rows:
        one_of(f"config/first.csv, claim {claim!r}: paper", claim.partition(".")[0], papers)
    return replace(claims, first=[row for row in rows if row[0].split(".")[0] == claims.paper])


# The changes that apply to papers by default; see `using`.
_in_use: list[PaperChanges] = [NO_CHANGES]
_overlays: list[str] = []


@contextmanager
def using(*overlays: str | Path) -> Iterator[None]:
    """Apply the changes in these overlays, and no others, to papers loaded within the context.

    Raises
    ------
    ConfigError
        If an overlay cannot be read, or has a wrong key or value.
    """
    before = [*_in_use], [*_overlays]
    try:
        _in_use[:] = [changes_of(load_config(*overlays)) if overlays else NO_CHANGES]
        _overlays[:] = map(str, overlays)
        yield
    finally:
        _in_use[:], _overlays[:] = before


def overlays_in_use() -> list[str]:
    """Return the paths of the overlays given to `using`."""
    return [*_overlays]


def changes_of(config: Config) -> PaperChanges:
    """Return the changes that a configuration makes to papers, as an argument for `load_paper`."""
    changes, files = config["changes"], config["algorithm_files"]
    return PaperChanges(changes["trials"] or 0, changes["settings"], files, config["additions"])


def with_file(label: str) -> str:
    """Replace the name in an algorithm's label by its class, if an overlay in use defines one."""
    name = Label.name_of(label)
    files = _in_use[0].algorithm_files
    return files[name] + label[len(name) :] if name in files else label


def load_paper(name: str, changes: PaperChanges | None = None) -> Paper:
    """Load the configuration of a paper, check it against the models, and try to build each cell.

    Parameters
    ----------
    name : str
    changes : PaperChanges or None
        The result of `changes_of`. If None, the changes made by `using` apply.

    Raises
    ------
    ConfigError
        If there is no such paper, or a file or a change is invalid.
    """
    known_name("paper", name, paper_names())
    changes = changes or _in_use[0]
    folder = project_root() / "config" / "papers" / name
    try:
        paper = _checked(folder, changes)
    except ConfigError as error:
        raise ConfigError(_placed(str(error), folder, changes)) from None
    style = load_style()
    methods = {name: one for name, one in style["methods"].items() if name in paper.names}
    return replace(paper, style={"palette": style["palette"], "methods": methods})


def _checked(folder: Path, changes: PaperChanges) -> Paper:
    """Expand the configuration of the paper in a folder, apply the changes, and check it."""
    documents, sources = _documents(folder, changes)
    names = names_of(folder.name, documents, sources, changes.algorithm_files)
    paper = expand_paper(documents, sources, names)
    if paper.id != folder.name:
        where = sources.settings.at("paper")
        raise ConfigError(f"{where}: paper is {paper.id!r}; allowed: {folder.name!r}")
    check_shown(paper, sources.figures)
    if folder.name in changes.settings:
        name = f"config/papers/{folder.name} with changes.settings.{folder.name}"
        sources = sources._replace(settings=Source(name))
    paper = _changed(paper, changes, sources.settings)
    check_cells(paper, sources)
    check_studies(paper, sources.runs)
    return paper


def _placed(message: str, folder: Path, changes: PaperChanges) -> str:
    """Rewrite a message about a paper so that it names additions by their keys in the overlay."""
    if folder.name in changes.additions:
        number = len(read_yaml(folder / "runs.yaml")["runs"])

        def place(place_in_file: re.Match[str]) -> str:
            added = int(place_in_file[1]) - number
            return f"additions.{folder.name}.runs.{added}" if added >= 0 else place_in_file[0]

        message = re.sub(r"\bruns\.(\d+)", place, message)
    if changes.algorithm_files and "unknown algorithm" in message:
        message += f"; or one of algorithm_files, {', '.join(sorted(changes.algorithm_files))}"
    return message


def _documents(folder: Path, changes: PaperChanges = NO_CHANGES) -> tuple[Documents, Sources]:
    """Return a paper's documents, with the additions, and each document's source for messages."""
    names = [f"{name}.yaml" for name in Documents._fields]
    sources = Sources(*(_source(f"config/papers/{folder.name}/{name}") for name in names))
    documents = Documents(*(read_yaml(folder / name) for name in names))
    additions = changes.additions.get(folder.name, {})
    if additions or changes.algorithm_files:
        documents = with_additions(documents, additions, changes.algorithm_files)
        sources = Sources(*(Source(f"{one.name} with additions", one.path) for one in sources))
    for document, model, source in zip(documents, (Settings, Runs, Figures), sources, strict=True):
        check(document, model, source)
    for name, figure in documents.figures.get("figures", {}).items():
        check(figure, entry_of(Figure), sources.figures, f"figures.{name}")
    return documents, sources


def _source(name: str) -> Source:
    return Source(name, project_root() / name)


def _changed(paper: Paper, changes: PaperChanges, source: Source) -> Paper:
    """Return a paper with the changes to its numbers of trials and to its settings."""
    runs = [replace(block, trials=max(block.trials, changes.trials)) for block in paper.runs]
    paper = replace(paper, runs=runs)
    documents: dict[str, Document] = {}
    for pattern, keys in changes.settings.get(paper.id, {}).items():
        for setting in _matched(paper, pattern):
            document = documents.get(setting.label, setting.document())
            documents[setting.label] = merge(document, _besides(setting, keys))
    check(documents, dict[str, SettingKeys], source, "settings")
    return paper.with_settings(
        replace(Setting.restore(paper.id, label, document), base=paper.settings[label].base)
        for label, document in documents.items()
    )


def _besides(setting: Setting, keys: Mapping[str, object]) -> dict[str, object]:
    """Return the changes to a setting, except those to options that its label sets."""
    in_label = dict(setting.label.options)
    return {
        part: {k: v for k, v in value.items() if k not in in_label}
        if isinstance(value, Mapping)
        else value
        for part, value in keys.items()
        if part not in in_label
    }


def _matched(paper: Paper, pattern: str) -> list[Setting]:
    found = [one for one in paper.settings.values() if matches(one.label, pattern)]
    if not found:
        raise ConfigError(
            f"changes.settings.{paper.id} has {pattern!r}; allowed: patterns that match "
            f"some of {', '.join(paper.bases)}"
        )
    return found


def matches(label: Label, pattern: str) -> bool:
    """Return whether a pattern selects a setting's label.

    A pattern with ``[`` is compared with the whole label. Any other pattern is compared with the
    name alone, so that it selects the setting with any options. ``*`` matches any text, and ``?``
    matches a single character.
    """
    literal = re.sub(r"\[", "[[]", pattern)
    return fnmatch.fnmatchcase(label if "[" in pattern else label.name, literal)
