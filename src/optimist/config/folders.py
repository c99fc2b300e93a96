"""The folders of results and figures: two folders without sources."""

import os
from pathlib import Path

from optimist.core.errors import ConfigError, brief
from optimist.core.layout import MOST_BYTES
from optimist.core.root import project_root, workspace

# Folders of a checkout, and of a folder that uses it, in which nothing that is made belongs.
SOURCES = (
    *("src", "config", "data", "workflow", "docs", "tests", "profiles", "examples"),
    *("benchmarks", "website", ".git", ".github", ".ci", ".venv", ".snakemake"),
)


def check(results: str, figures: str) -> None:
    """Raise ConfigError unless two folders may be written to."""
    places = {"results": results, "figures": figures}
    for key, name in places.items():
        _check_name(key, name)
        _check_place(f"{key} is {name!r}", Path(os.path.realpath(workspace() / name)))
    if os.path.realpath(workspace() / results) == os.path.realpath(workspace() / figures):
        raise ConfigError(f"results and figures are both {figures!r}; allowed: two folders")


def _check_name(key: str, name: str) -> None:
    if not name.strip() or name.startswith("~"):
        raise ConfigError(f"{key} is {name!r}; allowed: a folder, with its name in full")
    if any(len(os.fsencode(part)) > MOST_BYTES for part in Path(name).parts):
        raise ConfigError(f"{key} is {brief(name)}; allowed: names of at most {MOST_BYTES} bytes")
    if not name.isprintable() or set("{}") & set(name):
        raise ConfigError(f"{key} is {name!r}; allowed: printable letters without {{ and }}")


def _check_place(what: str, folder: Path) -> None:
    allowed = "allowed: a folder of its own, such as results or figures"
    roots = [Path(os.path.realpath(root)) for root in (project_root(), workspace())]
    for root in roots:
        if folder == root or folder in root.parents:
            raise ConfigError(f"{what}, which holds the sources; {allowed}")
    own = [roots[0] / name for name in SOURCES]
    if folder in [roots[1] / name for name in SOURCES] or {*own} & {folder, *folder.parents}:
        raise ConfigError(f"{what}, a folder of sources; {allowed}")
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir():
        raise ConfigError(f"{what}, but {there} is a file; {allowed}")
