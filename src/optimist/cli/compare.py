"""The command that compares algorithms on the same trials."""

import sys
from typing import Any

from optimist.cli.output import say
from optimist.comparison import show


def compare(options: Any) -> int:
    """Play algorithms in settings on the same trials, and print their ranking."""
    table = show.compared(options)
    if options.json:
        if words := show.other_code(table):
            say(words, sys.stderr)
        print(table.to_json(orient="records", indent=1))
    else:
        show.write(table, sys.stdout)
        for path in filter(None, (options.csv, options.plot)):
            say(f"wrote {path}")
    for text in dict.fromkeys(table.attrs["errors"].values()):
        say(f"error: {text}", sys.stderr)
    return 1 if table.attrs["errors"] else 0
