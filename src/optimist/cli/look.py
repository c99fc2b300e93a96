"""Commands for getting started: listings, new files and folders, and shell completion."""

from typing import Any

from optimist.cli import folder, listing
from optimist.cli import new as new_files
from optimist.cli.output import answer
from optimist.cli.play import call
from optimist.core import terminal
from optimist.core.registry import names_file

SECONDS = 60.0  # time limit for loading classes from a user's files


def list_(options: Any) -> int:
    """Print a list of papers, settings, algorithms or options."""
    listed, overlays = options.listed, options.configfile
    if names_file(listed or "") or overlays:  # user code may do anything, so not in this process
        asked = {"listed": listed, "overlays": overlays}
        function = "optimist.cli.listing:with_overlays"
        content = call(options, listed or "list", function, seconds=SECONDS, **asked)
    else:
        content = listing.content(listed)
    answer(options, content, listing.to_text(content, terminal.width()))
    return 0


def new(options: Any) -> int:
    """Write a file with a new algorithm or environment."""
    path, text = new_files.write(options.what, options.name, options.family, options.file)
    answer(options, {"file": path}, text)
    return 0


def init(options: Any) -> int:
    """Create a folder that runs the workflow with a user's own settings."""
    paths, text = folder.lay_out(options.folder, options.family)
    answer(options, {"files": paths}, text)
    return 0


def completion(options: Any) -> int:
    """Print the script that enables completion of commands in a shell."""
    import argcomplete

    text = argcomplete.shellcode(["optimist"], shell=options.shell)
    answer(options, {"script": text}, text)
    return 0
