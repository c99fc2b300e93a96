"""Commands for a start: lists, new files, folders, completion."""

import json
from typing import Any

from optimist.cli import folder, listing
from optimist.cli import new as new_files
from optimist.cli.completion import script
from optimist.cli.output import say
from optimist.core import terminal
from optimist.core.registry import names_file

WIDTH = 120  # of tables if the output is not a terminal


def list_(options: Any) -> int:
    """Print papers, settings, algorithms and options."""
    listed = options.listed
    paper, _, setting = (listed or "").partition("/")
    if listed is None:
        content = listing.everything()
    elif not setting or names_file(listed):
        content = listing.of_name(listed.removesuffix("/"))
    elif set("*?").intersection(setting):
        content = listing.of_settings(paper, setting)
    else:
        content = listing.of_setting(paper, setting)
    if options.json:
        print(json.dumps(content, indent=1))
    else:
        say(listing.to_text(content, terminal.width() or WIDTH))
    return 0


def new(options: Any) -> int:
    """Write the file of a new algorithm or environment."""
    path, text = new_files.write(options.what, options.name, options.family, options.file)
    say(json.dumps({"file": path}) if options.json else text)
    return 0


def init(options: Any) -> int:
    """Lay out a folder that runs the workflow with a user's settings."""
    paths, text = folder.lay_out(options.folder, options.family)
    say(json.dumps({"files": paths}) if options.json else text)
    return 0


def completion(options: Any) -> int:
    """Print the script that makes a shell complete commands."""
    text = script(options.shell)
    print(json.dumps({"script": text}) if options.json else text)
    return 0
