"""Checks of Snakemake's folders and options, and of how it loads the workflow."""

import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any

from optimist.core.errors import ConfigError, UnwritableError, not_writable
from optimist.core.root import project_root, snakefile
from optimist.plan import snakemake_adapter

# Folder in the working directory where Snakemake keeps its own records.
RECORDS = ".snakemake"
# Resource to use instead of each option of sbatch that the Slurm plugin refuses in slurm_extra. The
# plugin itself sets the options under the empty name.
OPTIONS = {
    "qos": "--qos",
    "constraint": "--constraint -C",
    "slurm_partition": "--partition -p",
    "slurm_account": "--account -A",
    "clusters": "--clusters",
    "gres": "--gres",
    "gpu": "--gpus",
    "nodes": "--nodes -N",
    "mem_mb": "--mem",
    "mem_mb_per_cpu": "--mem-per-cpu",
    "runtime": "--time -t",
    "tasks": "--ntasks -n",
    "cpus_per_task": "--cpus-per-task -c",
    "": "--job-name -J --output -o --error -e --parsable --export --comment --workdir -D "
    "--ntasks-per-gpu --cpus-per-gpu",
}
INSTEAD = {option: name for name, options in OPTIONS.items() for option in options.split()}


def check_records(*, is_dry_run: bool = False) -> None:
    """Raise an error if Snakemake cannot keep its records in the working directory.

    Without this check, Snakemake would end with a traceback after reading the rules.

    Parameters
    ----------
    is_dry_run : bool
        Whether this is a dry run, which writes to the folder but not to its subfolders.

    Raises
    ------
    UnwritableError
        If the records cannot be written, for example in another user's checkout.
    """
    place = Path(RECORDS)
    written = [place] if place.is_dir() else [Path()]
    if not is_dry_run and place.is_dir():
        written += filter(Path.is_dir, place.iterdir())
    for folder in written:
        if not os.access(folder, os.W_OK | os.X_OK):
            raise UnwritableError(
                f"{folder.absolute()} cannot be written to, but Snakemake keeps its records there; "
                "use a copy of the checkout, a folder made by `optimist init DIR`, or "
                "`snakemake --directory DIR`"
            )


def check_outputs(paths: Iterable[str]) -> None:
    """Raise an error if a folder for a run's outputs is not writable.

    Raises
    ------
    UnwritableError
        If a folder is not writable. The message names the first such folder.
    """
    for folder in {PurePath(path).parent: None for path in paths}:
        nearest = next(place for place in (folder, *folder.parents) if os.path.exists(place))
        if not os.access(nearest, os.W_OK | os.X_OK):
            raise not_writable(str(nearest))


def check_words(workflow: Any) -> None:
    """Raise an error for sbatch options that the Slurm plugin refuses.

    Without this check, a group of jobs with such an option would wait forever.

    Raises
    ------
    ConfigError
        If there is such an option. The message names the resource to use instead.
    """
    words = snakemake_adapter.default_resource_text(workflow, "slurm_extra")
    for option in re.findall(r"(?:^|[\s'\"])(--?[a-zA-Z][\w-]*)", words):
        if option in INSTEAD:
            resource = INSTEAD[option]
            instead = f"the resource {resource}" if resource else "none: the plugin sets it"
            raise ConfigError(
                f"slurm_extra has {option!r}; allowed: {instead} (resources belong in "
                "default-resources); slurm_extra may have --nice, --licenses, --mail-user, ..."
            )


def check_place(workflow: Any) -> None:
    """Raise an error for rules from outside this package and for modules with a ``prefix``.

    Parameters
    ----------
    workflow : snakemake.workflow.Workflow
        The workflow that is reading workflow/rules/common.smk.

    Raises
    ------
    ConfigError
        If the rules come from another folder, because digests would then cover scripts
        that do not run; or if a module has a ``prefix``, because paths in job parameters would
        not include it.
    """
    folder = snakemake_adapter.folder_of_rules(workflow)
    rules = project_root() / "workflow" / "rules"
    if not (folder.is_dir() and rules.samefile(folder)):
        raise ConfigError(
            f"the rules are in {folder}, but the package optimist has its own in {rules}; use "
            f"{snakefile()} (optimist.core.root.snakefile()), or install the checkout with "
            "`pip install -e`"
        )
    if snakemake_adapter.prefixed(workflow, "results") != "results":
        raise ConfigError(
            "the module has a prefix; allowed: no prefix (set results and figures in its config)"
        )
