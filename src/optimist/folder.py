"""A folder that runs the packaged workflow with settings and algorithms of its own."""

import os
import shlex
from importlib.resources import files
from pathlib import Path

from optimist.errors import ConfigError
from optimist.files import read_text
from optimist.new import template
from optimist.root import project_root

# Files that are those of the package, so that overlays and profiles are at hand to be changed.
COPIED = (
    "config/quick.yaml",
    "config/cluster.yaml",
    "profiles/default/config.yaml",
    "profiles/slurm/config.yaml",
    "profiles/lsf/config.yaml",
)
# Files of the folder alone, by their templates.
WRITTEN = {"Snakefile": "Snakefile", "config/lab.yaml": "lab.yaml", ".gitignore": "gitignore"}
ALGORITHM = "mine"


def lay_out(folder: str) -> tuple[list[str], str]:
    """Write a workflow folder: Snakefile, overlays, profiles and an algorithm to start from.

    Parameters
    ----------
    folder : str
        Made unless it is there. What is in it stays as it is.

    Returns
    -------
    paths, text : list of str, str
        The files that were written; what was done, and the commands that come next.

    Raises
    ------
    ConfigError
        If one of the files is there, or something that is no folder stands where one is needed;
        nothing is written then.
    """
    texts = {os.path.join(folder, name): text for name, text in _texts().items()}
    for path in texts:
        _check(path)
    for path, text in texts.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    return list(texts), _next(folder, list(texts))


def _texts() -> dict[str, str]:
    """Return the text of each file, by its path below the folder."""
    own = files("optimist") / "templates" / "folder"
    found = {name: (own / of).read_text(encoding="utf-8") for name, of in WRITTEN.items()}
    found |= {name: read_text(project_root() / name) for name in COPIED}
    return {**found, f"{ALGORITHM}.py": template("algorithm", "glb", ALGORITHM)}


def _check(path: str) -> None:
    """Raise ConfigError if a file could not be written without loss."""
    if os.path.lexists(path):
        raise ConfigError(f"{path} exists; allowed: a folder without it, as nothing is overwritten")
    for folder in Path(path).parents:
        if os.path.lexists(folder) and not folder.is_dir():
            raise ConfigError(f"{folder} is no folder; allowed: a folder, or a name that is free")


def _next(folder: str, paths: list[str]) -> str:
    """Return what was written, and what to do now."""
    lines = [f"wrote {path}" for path in paths]
    lines += ["next:", f"  cd {shlex.quote(folder)}", "  snakemake --cores 2 -n --quiet rules"]
    figure = f"glb_omd_with_{ALGORITHM}"
    lines.append(f"  snakemake --cores 2 --configfile config/quick.yaml -- {figure}")
    return "\n".join(lines)
