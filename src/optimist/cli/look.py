"""Commands for getting started: listings, new files and folders, and shell completion."""

from typing import Any

from optimist.cli import folder, listing
from optimist.cli import new as new_files
from optimist.cli.completion import script
from optimist.cli.output import as_json, say
from optimist.cli.play import call
from optimist.core import terminal
from optimist.core.registry import names_file

WIDTH = 120  # width of a table in characters if the output is not a terminal
SECONDS = 60.0  # time limit for loading classes from a user's files


def list_(options: Any) -> int:
    """Print a list of papers, settings, algorithms or options."""
    listed, overlays = options.listed, options.configfile
    if (
        names_file(listed or "") or overlays
    ):  # user code may do anything, so run it in another process
        asked = {"listed": listed, "overlays": overlays}
        content = call(
            options,
            listed or "list",
            "optimist.cli.listing:with_overlays",
            seconds=SECONDS,
            **asked,
        )
    else:
        content = listing.content(listed)
    if options.json:
        print(as_json(content))
    else:
        say(listing.to_text(content, terminal.width() or WIDTH))
    return 0


def new(options: Any) -> int:
    """Write a file with a new algorithm or environment."""
    path, text = new_files.write(options.what, options.name, options.family, options.file)
    say(as_json({"file": path}) if options.json else text)
    return 0


def init(options: Any) -> int:
    """Create a folder that runs the workflow with a user's own settings."""
    paths, text = folder.lay_out(options.folder, options.family)
    say(as_json({"files": paths}) if options.json else text)
    return 0


def completion(options: Any) -> int:
    """Print the script that enables completion of commands in a shell."""
    text = script(options.shell)
    print(as_json({"script": text}) if options.json else text)
    return 0
