"""Digests of what rules are made with: scripts, modules, and other texts.

Snakemake makes a file again where a parameter of its rule changed. That is how it learns of edits:
the time of a source file says nothing after a checkout, a copy or with a clock that was ahead.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from optimist.files import fingerprint, sha256
from optimist.root import project_root
from optimist.runs import code_digest
from optimist.source_files import digest_of

Params = Callable[[Any], str]


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
        Paths of other files, which count by their content.
    """

    def digest(wildcards: Any) -> str:
        own = str(project_root() / "workflow" / "scripts" / script)
        found = sorted({*modules, *(of(wildcards) if of else ())})
        return fingerprint(
            {
                "script": digest_of(own),
                "modules": code_digest.of_modules(*found),
                "more": list(map(sha256, more)),
            }
        )

    return digest
