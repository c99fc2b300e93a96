"""Check that the folders for results and figures are distinct and hold no sources."""

import os
from pathlib import Path

from optimist.core.errors import ConfigError, brief
from optimist.core.layout import MOST_BYTES
from optimist.core.root import project_root, workspace

# Folders in a checkout, or in a user's workflow folder, that must not hold generated files.
SOURCES = (
    *("src", "config", "data", "workflow", "docs", "tests", "profiles", "examples"),
    *("benchmarks", "website", ".git", ".github", ".ci", ".venv", ".snakemake"),
)


def check(results: str, figures: str) -> None:
    """Raise ConfigError unless the two folders are distinct and may hold generated files."""
    roots = [Path(os.path.realpath(root)) for root in (project_root(), workspace())]
    allowed = "allowed: a folder of its own, such as results or figures"
    folders = []
    for key, name in {"results": results, "figures": figures}.items():
        if not name.strip() or name.startswith("~") or set("{}\n\t") & set(name):
            raise ConfigError(
                f"{key} is {name!r}; allowed: a path with no leading ~ and no {{ or }}"
            )
        if any(len(os.fsencode(part)) > MOST_BYTES for part in Path(name).parts):
            fault = f"{key} is {brief(name)}"
            raise ConfigError(f"{fault}; allowed: names of at most {MOST_BYTES} bytes")
        folder = Path(os.path.realpath(workspace() / name))
        around = (folder, *folder.parents)
        closed = [place for root in roots for place in (root, *root.parents)]
        closed += [roots[1] / source for source in SOURCES]
        if folder in closed or {roots[0] / source for source in SOURCES} & {*around}:
            raise ConfigError(f"{key} is {name!r}, which holds sources; {allowed}")
        there = next(place for place in around if place.exists())
        if not there.is_dir():
            raise ConfigError(f"{key} is {name!r}, but {there} is a file; {allowed}")
        folders.append(folder)
    if folders[0] == folders[1]:
        raise ConfigError(
            f"results and figures are both {figures!r}; allowed: two different folders"
        )
