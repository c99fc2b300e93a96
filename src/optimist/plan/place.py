"""Checks of where Snakemake found the workflow, and of how another workflow uses it."""

from pathlib import Path
from typing import Any

from optimist.errors import ConfigError
from optimist.root import project_root, snakefile


def check_place(workflow: Any) -> None:
    """Refuse rules that are not those of this package, and paths that are changed under it.

    Parameters
    ----------
    workflow : snakemake.workflow.Workflow
        While it reads workflow/rules/common.smk.

    Raises
    ------
    ConfigError
        If the rules come from another folder, as their digests would be those of scripts that do
        not run; or if a module has a ``prefix``, which the parameters of jobs know nothing of.
    """
    folder = workflow.current_basedir.get_path_or_uri(secret_free=True)
    own = project_root() / "workflow" / "rules"
    if not (Path(folder).is_dir() and own.samefile(folder)):
        raise ConfigError(
            f"the rules are in {folder}, but the package optimist has its own in {own}; allowed: "
            f"{snakefile()} (optimist.root.snakefile()), or pip install -e of the checkout"
        )
    if workflow.modifier.path_modifier.replace_prefix("results") != "results":
        raise ConfigError(
            "the module has a prefix; allowed: none, but results and figures in its config"
        )
