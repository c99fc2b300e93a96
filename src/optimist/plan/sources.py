"""Source files behind what the workflow makes, and their digest.

Snakemake makes a file again where a parameter of its rule changed. That is how it learns of edits:
the time of a source file says nothing after a checkout, a copy or with a clock that was ahead.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from optimist.imports import closure
from optimist.root import project_root
from optimist.runs import sources

Params = Callable[[Any], str]


def module_files(*modules: str) -> list[str]:
    """Return the source files of modules of this package and of all they import, sorted."""
    return sorted(set().union(*(closure(name) for name in modules)))


def code(
    script: str,
    *modules: str,
    of: Callable[[Any], Iterable[str]] | None = None,
    more: Sequence[str] = (),
) -> Params:
    """Return a params function: the digest of a script and of the source files behind it.

    Parameters
    ----------
    script : str
        Name of a file in workflow/scripts.
    modules : str
        Modules of this package, with all that they import.
    of : callable or None
        From the wildcards of a job to more modules.
    more : sequence of str
        Paths of other files.
    """

    def digest(wildcards: Any) -> str:
        found = module_files(*modules, *(of(wildcards) if of else ()))
        own = str(project_root() / "workflow" / "scripts" / script)
        return sources.digest((own, *more, *found))

    return digest
