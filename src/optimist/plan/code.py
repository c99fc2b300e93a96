"""Source files, as Snakemake should see them."""

from functools import lru_cache
from pathlib import Path

from optimist.plan.config import project_root
from optimist.runs import trials as experiment


@lru_cache
def relative(path):
    """Return a source file's path below the project root."""
    return str(Path(path).relative_to(project_root()))


def sources(*modules):
    """Return the source files of modules of this package and of all they import."""
    files = set().union(*(experiment.module_closure(name) for name in modules))
    return sorted(relative(f) for f in files)
