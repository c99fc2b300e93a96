"""Creation of a folder that runs the workflow with a user's own settings and algorithms."""

import os
import shlex
from importlib.resources import files
from pathlib import Path

from optimist.cli.new import STARTS, filled, template
from optimist.core.errors import ConfigError, one_of
from optimist.core.files import read_text
from optimist.core.root import project_root

# Overlays and profiles copied from the package for users to change.
COPIED = (
    "config/quick.yaml",
    "config/cluster.yaml",
    "profiles/default/config.yaml",
    "profiles/slurm/config.yaml",
    "profiles/lsf/config.yaml",
)
# Files made from templates, with the templates' names.
WRITTEN = {"Snakefile": "Snakefile", "config/lab.yaml": "lab.yaml", ".gitignore": "gitignore"}
ALGORITHM = "mine"


def lay_out(folder: str, family: str = "glb") -> tuple[list[str], str]:
    """Create a workflow folder with a Snakefile, overlays, profiles and a sample algorithm.

    Parameters
    ----------
    folder : str
        Path of the folder, created if necessary. Existing files are not changed.
    family : {"glb", "heavy_tailed", "kernel", "box"}
        The algorithm's interface, which also determines the paper to try it in.

    Returns
    -------
    paths, text : list of str, str
        The paths of the written files, and a report that suggests the next commands.

    Raises
    ------
    ConfigError
        Raised when the family is unknown, when one of the files already exists, or when a folder
        cannot be created because a file has its name. In these cases, nothing is written.
    """
    one_of("--family", family, STARTS)
    texts = {os.path.join(folder, name): text for name, text in _texts(family).items()}
    for path in texts:
        _check(path)
    for path, text in texts.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    return list(texts), _next(folder, list(texts), family)


def _texts(family: str) -> dict[str, str]:
    """Return the text of each file, by path relative to the folder."""
    templates = files("optimist.cli") / "templates" / "folder"
    texts = {name: (templates / of).read_text(encoding="utf-8") for name, of in WRITTEN.items()}
    texts |= {name: read_text(project_root() / name) for name in COPIED}
    texts = {name: filled(text, _words(family)) for name, text in texts.items()}
    return {**texts, f"{ALGORITHM}.py": template("algorithm", family, ALGORITHM)}


def _words(family: str) -> dict[str, str]:
    """Return the values of the templates' placeholders."""
    start = STARTS[family]
    return {
        "@PAPER@": start.paper,
        "@SETTING@": start.setting.removeprefix(f"{start.paper}/"),
        "@TITLE@": start.title,
        "@RIVALS@": ", ".join(start.rivals),
        "@TRIALS@": str(start.trials),
    }


def _check(path: str) -> None:
    """Raise ConfigError if writing to ``path`` would fail or overwrite an existing file."""
    if os.path.lexists(path):
        raise ConfigError(f"{path} already exists; allowed: a folder without this file")
    for folder in Path(path).parents:
        if os.path.lexists(folder) and not folder.is_dir():
            raise ConfigError(f"{folder} is not a folder; allowed: a folder, or a new name")


def _next(folder: str, paths: list[str], family: str) -> str:
    figure = f"{_words(family)['@PAPER@']}_with_{ALGORITHM}"
    run = f"--configfile config/quick.yaml -- {figure}"
    lines = [f"wrote {path}" for path in paths]
    lines += ["next:", f"  cd {shlex.quote(folder)}"]
    lines += [f"  optimist check {ALGORITHM}.py:{ALGORITHM.capitalize()}"]
    lines += [
        f"  snakemake --cores 2 -n --quiet rules {run}",
        f"  snakemake --cores 2 --logger optimist {run}",
    ]
    return "\n".join(lines)
