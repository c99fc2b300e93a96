"""Paths of the project's own files: configuration, workflow rules, data and profiles.

These files are in a checkout or in a copy inside an installed package. An installed package never
writes to its copy; its outputs go to the current folder.
"""

import shlex
import subprocess
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from optimist.core.errors import ConfigError

PACKAGE = Path(__file__).parents[1]
# This folder exists only in a package installed from a wheel (see pyproject.toml).
PACKAGED = PACKAGE / "project"


@lru_cache
def project_root() -> Path:
    """Return the folder that holds ``config``, ``data``, ``workflow`` and the Snakefile.

    In an editable installation, it is the checkout; otherwise, the copy installed with the package.

    Raises
    ------
    ConfigError
        If the package was installed without a copy.
    """
    # Try the copy first: for an installed package, the folder two levels up may belong to another
    # project.
    for folder in (PACKAGED, PACKAGE.parents[1]):
        if (folder / "config" / "config.yaml").is_file():
            return folder
    raise ConfigError(
        f"{PACKAGE} has no project/config/config.yaml; install optimist from a wheel, or "
        "install a checkout with `pip install -e`"
    )


def workspace() -> Path:
    """Return the folder that contains the output folders: a checkout, or the current folder."""
    root = project_root()
    return Path.cwd() if root == PACKAGED else root


def snakefile() -> str:
    """Return the path of the workflow's Snakefile, for Snakemake's ``module`` statement."""
    return str(project_root() / "Snakefile")


def project_file(name: str) -> str:
    """Return the path of a project file, for use in workflow rules.

    The path is relative if the current folder is the checkout, so that the checkout can be moved,
    and absolute otherwise.
    """
    root = project_root()
    return name if Path.cwd().samefile(root) else str(root / name)


def made_before(name: str) -> Path:
    """Return the path of an output of the last full run, given its path in the project.

    The path is in the `workspace`, unless the output exists only in the installed package.
    """
    current, packaged = workspace() / name, project_root() / name
    return packaged if packaged.exists() and not current.exists() else current


def how_to_restore(path: str | Path, otherwise: str = "") -> str:
    """Describe how to restore a project file; return ``otherwise`` if that is impossible."""
    whole, root = Path(path).resolve(), project_root().resolve()
    if not whole.is_relative_to(root):
        return otherwise
    if root == PACKAGED.resolve():
        return "install optimist again"
    command = ["git", "-C", str(root), "ls-files", "--error-unmatch", "--", str(whole)]
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(command, capture_output=True, timeout=20, check=True)
        return f"restore it: git checkout -- {shlex.quote(str(path))}"
    if whole.is_relative_to(root / "data"):
        return "restore it from the source of this copy of the project"
    return otherwise


def how_to_make(command: str) -> str:
    """Describe how to make a missing file with ``command``.

    Outside a folder with a workflow, also say that the command needs one.
    """
    has_workflow = (workspace() / "Snakefile").is_file()
    place = "" if has_workflow else ", in a folder that `optimist init DIR` made,"
    return f"make it{place} with: {command}"
