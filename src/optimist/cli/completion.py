"""Shell completion of papers, settings, algorithms and their options on the command line.

The shell starts ``optimist`` each time the completion key is pressed. Therefore, only the modules
and files needed for the word under the cursor are loaded, and no configuration is checked.
"""

import argparse
import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from optimist.experiments.setting import Setting

SHELLS = ("bash", "zsh", "fish")

Texts = Mapping[str, tuple[str, str]]


def answer(parser: argparse.ArgumentParser) -> None:
    """If a shell requests completions, print them and end the process."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(parser, always_complete_options=False)


def completer(destination: str) -> Callable[..., list[str]] | None:
    """Return the argcomplete completer of an argument, or None if there is none.

    The completer calls the function in `COMPLETERS` with the word typed so far and the settings
    typed before it. It returns no completions if that function raises an error.
    """
    if (find := COMPLETERS.get(destination)) is None:
        return None

    def words(prefix: str, parsed_args: argparse.Namespace, **_: Any) -> list[str]:
        with contextlib.suppress(Exception):
            return list(find(prefix, getattr(parsed_args, "settings", None) or ()))
        return []

    return words


def cells(prefix: str, _: Iterable[str] = ()) -> Iterator[str]:
    """Yield completions of PAPER/SETTING/ALGORITHM."""
    paper, *rest = prefix.split("/", 2)
    if len(rest) < 2:
        yield from settings(prefix, end="/")
        return
    domains = _domains(f"{paper}/{rest[0]}")
    yield from (f"{paper}/{rest[0]}/{label}" for label in algorithms(rest[1], domains))


def settings(prefix: str, _: Iterable[str] = (), end: str = "") -> Iterator[str]:
    """Yield completions of PAPER/SETTING, each followed by ``end``."""
    from optimist.config.load import paper_names

    paper, slash, label = prefix.partition("/")
    if not slash:
        yield from (f"{name}/" for name in paper_names())
        return
    bases = _settings(paper)
    name = label.partition("[")[0]
    if name == label:
        yield from (f"{paper}/{name}{end}" for name in bases)
        return
    from optimist.cli.listing import described

    offered = _with_options(label, bases[name].places, described(bases[name].environment), end)
    yield from (f"{paper}/{text}" for text in offered)


def papers_and_settings(prefix: str, _: Iterable[str] = ()) -> Iterator[str]:
    """Yield completions of PAPER[/SETTING]|ALGORITHM."""
    if "/" in prefix:
        yield from settings(prefix)
    else:
        yield from papers(prefix)
        if prefix:
            yield from algorithms(prefix)


def papers(*_: object) -> list[str]:
    from optimist.config.load import paper_names

    return paper_names()


def algorithms(prefix: str, domains: Iterable[str] = ("arms", "box")) -> Iterator[str]:
    """Yield completions of an algorithm label, excluding file names."""
    from optimist.algorithms import REGISTRIES, algorithm_class, option_names
    from optimist.core.docstrings import parameters_of
    from optimist.core.registry import names_file

    name = prefix.partition("[")[0]
    if name != prefix and names_file(name):
        yield from _with_options(prefix, *_written_options(name))
        return
    for domain in domains:
        if name == prefix:
            yield from REGISTRIES[domain].table
        elif name in REGISTRIES[domain]:
            cls: Any = algorithm_class(name, domain)
            yield from _with_options(prefix, option_names(cls), parameters_of(cls.__doc__ or ""))


def _written_options(name: str) -> tuple[list[str], Texts]:
    """Return the options of a class in a file, and the descriptions in its docstring.

    The file is only parsed, because pressing the completion key must not execute it.
    """
    import ast
    from pathlib import Path

    from optimist.core.docstrings import parameters_of

    path, _, wanted = name.rpartition(":")
    for node in ast.walk(ast.parse(Path(path).read_bytes())):
        if isinstance(node, ast.ClassDef) and node.name == wanted:
            makers = (f for f in node.body if getattr(f, "name", "") == "__init__")
            names = [a.arg for maker in makers for a in maker.args.kwonlyargs]  # type: ignore[attr-defined]
            texts = parameters_of(ast.get_docstring(node) or "")
            return [name for name in names if name != "rng"], texts
    return [], {}


def algorithms_and_files(prefix: str, typed: Iterable[str] = ()) -> Iterator[str]:
    """Yield completions of an algorithm label, including Python files and folders.

    If settings of papers have been typed, only algorithms for their domains are offered.
    """
    from argcomplete.completers import FilesCompleter

    domains = sorted({domain for text in typed for domain in _domains(text)})
    yield from algorithms(prefix, domains or ("arms", "box"))
    if "[" not in prefix and ":" not in prefix:
        yield from FilesCompleter(["py"])(prefix)


def kinds(*_: object) -> list[str]:
    """Return the kinds of files that `optimist new` can write."""
    from optimist.cli.new import FAMILIES

    return [*FAMILIES]


def families(*_: object) -> list[str]:
    """Return the names of all families of algorithms and environments."""
    from optimist.cli.new import FAMILIES

    return [family for names in FAMILIES.values() for family in names]


def _settings(paper: str) -> "Mapping[str, Setting]":
    """Return the base settings of a paper by name, as written in its settings file."""
    from optimist.config.documents import read_yaml
    from optimist.config.expand import base_settings
    from optimist.config.load import claims_path

    return base_settings(paper, read_yaml(claims_path(paper).with_name("settings.yaml")))


def _domains(text: str) -> set[str]:
    """Return the domains of settings that match PAPER/SETTING, which may contain wildcards."""
    from optimist.config.load import paper_names

    paper, _, label = text.partition("/")
    if paper not in paper_names():
        return set()
    pattern = label.partition("[")[0]
    return {one.domain for name, one in _settings(paper).items() if fnmatchcase(name, pattern)}


def _with_options(label: str, options: Iterable[str], texts: Texts, end: str = "") -> Iterator[str]:
    """Yield completions of a label whose last option is unfinished.

    Parameters
    ----------
    label : str
        ``name[`` followed by options; the last option may be unfinished.
    options : iterable of str
        Names of all options.
    texts : mapping
        Types of options, as written in a docstring, such as ``bool`` or ``{"a", "b"}``, and their
        meanings; see `optimist.core.docstrings.parameters_of`.
    end : str
        Text to append to a complete label.
    """
    if label.endswith("]"):
        yield label + end
        return
    before, mark, last = re.fullmatch(r"(.*)([\[,])([^\[,]*)", label).groups()  # type: ignore[union-attr]
    key, equals, _ = last.partition("=")
    if equals:
        kind, _ = texts.get(key, ("", ""))
        values = ["true", "false"] if kind == "bool" else re.findall(r'"([^"]+)"', kind)
        tails = (f"]{end}", ",")
        yield from (f"{before}{mark}{key}={value}{tail}" for value in values for tail in tails)
        return
    used = re.findall(r"[\[,]([^=,]+)=", before + mark)
    yield from (f"{before}{mark}{name}=" for name in sorted({*options} - {*used}))


COMPLETERS: Mapping[str, Callable[..., Iterable[str]]] = {
    "cell": cells,
    "settings": settings,
    "listed": papers_and_settings,
    "algorithm": algorithms_and_files,
    "label": algorithms_and_files,
    "paper": papers,
    "what": kinds,
    "family": families,
}
