"""The command line: its commands and options, and the handling of their errors."""

import argparse
import contextlib
import importlib
import io
import os
import re
import signal
import sys
from collections.abc import Sequence

from optimist.cli import completion
from optimist.cli.output import say
from optimist.core import blas_kernels, terminal
from optimist.core.errors import OptimistError, nearest, unwritable_named
from optimist.core.version import VERSION

# Commands that play trials, and therefore stop immediately when they receive a signal.
PLAYING = ("run", "check", "compare")
# Commands whose overlays may add settings and algorithms.
NAMING = ("list", "run", "compare")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    arguments : list of str or None
        Words of the command line; None for the arguments of this process, which then also fixes its
        BLAS kernels and, if the command plays trials, exits on signals.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # print characters outside the encoding as escapes
            stream.reconfigure(errors="backslashreplace")
    parser = _parser()
    completion.answer(parser)
    options = parser.parse_args(arguments)
    terminal.show_log()
    try:
        if arguments is None:
            blas_kernels.fix()
            if options.name_of_command in PLAYING:
                _exit_when_asked()
        overlays: contextlib.AbstractContextManager = contextlib.nullcontext()
        if options.name_of_command in NAMING:
            from optimist.config.load import using

            overlays = using(*options.configfile)
        with unwritable_named(), overlays:
            module, _, function = options.command.partition(":")
            command = getattr(importlib.import_module(f"optimist.cli.{module}"), function)
            return int(command(options))
    except BrokenPipeError:  # the reader, for instance `head`, has closed the pipe
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        return 0
    except KeyboardInterrupt:
        if options.debug:
            raise
        kept = "; trials that had ended are kept" if options.name_of_command == "compare" else ""
        print(f"\ninterrupted{kept}", file=sys.stderr)
        return 130
    except (OptimistError, OSError) as error:
        from optimist.core.user_errors import traceback_of, words_of_system

        words = words_of_system(error) if isinstance(error, OSError) else str(error)
        say(f"error: {words}", sys.stderr)
        if options.debug:
            say(traceback_of(error), sys.stderr)
        return 1


def _exit_when_asked():
    """Raise SystemExit on SIGTERM and SIGHUP, unless the process ignores the signal."""

    def leave(number, frame):
        if number == signal.SIGHUP:  # the terminal is closed
            for stream in (sys.stdout, sys.stderr):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, leave)


class _Parser(argparse.ArgumentParser):
    """An argument parser that suggests the nearest name for a misspelt option."""

    def parse_args(self, *arguments, **keywords):
        options, unknown = self.parse_known_args(*arguments, **keywords)
        if unknown:
            commands = next(a for a in self._actions if isinstance(a, argparse._SubParsersAction))
            chosen = commands.choices[options.name_of_command]
            actions = [*self._actions, *chosen._actions]
            names = [name for action in actions for name in action.option_strings]
            misspelt = [word for word in unknown if word.startswith("-")]
            hint = nearest(misspelt[0], names) if misspelt else ""
            chosen.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return options

    def error(self, message):
        """End the process with a one-line error message, without the usage."""
        words = f"error: {message}; `{self.prog} --help` shows the usage"
        self.exit(2, f"{terminal.shown(words)}\n")


def _whole(text):
    """Parse a whole number whose magnitude is below a billion."""
    if not re.fullmatch("-?[0-9]{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: a whole number below a billion")
    return int(text)


def _arg(*names, **keywords):
    return names, keywords


def _files(text):
    return _arg("--configfile", nargs="+", default=[], metavar="YAML", help=text)


OVERLAYS = _files("overlays, as for snakemake, that add settings and algorithms; must come last")
CONFIGURATION = (
    _files("overlays, as for snakemake"),
    _arg("--config", nargs="+", default=[], metavar="KEY=VALUE", help="values, as for snakemake"),
)
REMAKING = (
    *CONFIGURATION,
    _arg("--figures", metavar="DIR", help="folder of the tables; default: figures"),
    _arg("--strict", action="store_true", help="refuse cells made by other code"),
)
CORES = _arg("--cores", default="all", metavar="N", help="default: all")
ROUNDS = _arg("--rounds", type=_whole, metavar="N", help="stop after N rounds")
# The module, function and help text of each command.
COMMANDS = {
    "list": ("look:list_", "print papers, settings, algorithms, and their options"),
    "run": ("play:run", "run one cell outside the workflow"),
    "compare": ("compare:compare", "play algorithms in settings on the same trials, and rank them"),
    "check": ("check:check", "check an algorithm or an environment, such as mine.py:Mine"),
    "new": ("look:new", "write a file with a new algorithm or environment"),
    "init": ("look:init", "create a folder that runs the workflow with its own settings"),
    "claims": ("read:claims", "print the verdicts of the last full run"),
    "decide": ("remake:decide", "decide claims again, from the committed tables"),
    "draw": ("remake:draw", "draw figures and tables again, from the committed tables"),
    "publish": ("remake:publish", "put results into the committed tables"),
    "reseal": ("remake:reseal", "replay a trial of each cell made by other code, and compare"),
    "page": ("read:page", "make the page of results from the committed tables"),
    "provenance": ("read:provenance", "print where a figure, table or result comes from"),
    "results": ("read:results", "check the result files of a configuration"),
    "completion": ("look:completion", "print the script that enables completion in a shell"),
}
# The arguments of each command.
ARGUMENTS = {
    "list": [OVERLAYS, _arg("listed", nargs="?", metavar="PAPER[/SETTING]|ALGORITHM")],
    "run": [
        OVERLAYS,
        _arg("cell", metavar="PAPER/SETTING/ALGORITHM"),
        _arg(
            "--trials",
            default="0:1",
            metavar="FIRST:STOP",
            help="range of trials, or their number; default: 0:1",
        ),
        ROUNDS,
    ],
    "compare": [
        OVERLAYS,
        _arg(
            "settings",
            nargs="+",
            metavar="SETTING",
            help="PAPER/SETTING, in which * and ? are wildcards, or world.py:World[options]",
        ),
        _arg(
            "-a",
            "--algorithm",
            nargs="+",
            action="extend",
            required=True,
            metavar="LABEL",
            help="name[option=value,...], or file.py:Class[option=value,...]",
        ),
        _arg("--trials", type=_whole, default=10, metavar="N", help="default: 10"),
        ROUNDS,
        _arg("--horizon", type=_whole, metavar="T", help="set the horizon to T rounds"),
        _arg("--cores", type=_whole, default=1, metavar="N", help="default: 1"),
        _arg(
            "--fresh",
            action="store_true",
            help="play everything now, so that times are from one run",
        ),
        _arg("--committed", action="store_true", help="also use committed trials of other code"),
        _arg(
            "--reference",
            metavar="LABEL",
            help="algorithm to compare the others with; default: the first in each setting",
        ),
        _arg("--csv", metavar="FILE", help="write the table to FILE"),
        _arg(
            "--plot",
            metavar="FILE",
            help="draw regret by round, by time and by trial (pdf, png, svg)",
        ),
    ],
    "check": [_arg("label", metavar="LABEL", help="file.py:Class[option=value], or a name")],
    "new": [
        _arg("what", metavar="WHAT", help="algorithm or environment"),
        _arg("name", metavar="NAME", help="in lower case, such as epsilon_greedy"),
        _arg(
            "--family",
            help="for an algorithm: glb, heavy_tailed, kernel or box; "
            "for an environment: arms, heavy_tailed, kernel or box",
        ),
        _arg("--file", metavar="PATH", help="default: NAME.py"),
    ],
    "init": [
        _arg("folder", metavar="DIR"),
        _arg("--family", default="glb", help="glb (default), heavy_tailed, kernel or box"),
    ],
    "claims": [
        _arg("paper", nargs="?", metavar="PAPER"),
        _arg("--figures", metavar="DIR", help="folder of claims.csv; default: figures"),
        _arg("--details", action="store_true", help="also print the checks of each claim"),
        _arg(
            "--open",
            action="store_true",
            help="print why claims are open and what would decide them, cheapest first",
        ),
        _arg(
            "--readme",
            action="store_true",
            help="write the verdicts into README.md and docs/findings",
        ),
    ],
    "decide": [_arg("what", nargs="?", default="", metavar="PAPER|CLAIM"), *REMAKING],
    "draw": [_arg("what", nargs="?", default="", metavar="PAPER|PAPER/FIGURE"), CORES, *REMAKING],
    "publish": [
        _arg("folders", nargs="*", metavar="RESULTS", help="more results folders"),
        *CONFIGURATION,
    ],
    "reseal": [_arg("paper", nargs="?", metavar="PAPER"), CORES, *REMAKING],
    "page": [*CONFIGURATION],
    "provenance": [_arg("file", metavar="FILE"), *CONFIGURATION],
    "results": [
        *CONFIGURATION,
        _arg(
            "--delete",
            choices=["damaged", "early", "other"],
            help="delete results that are damaged, that have trials which ran out of time (early), "
            "or that come from other code or another configuration (other)",
        ),
        _arg(
            "--costs",
            metavar="CSV",
            help="write the costs of cells into a table, such as config/costs.csv",
        ),
    ],
    "completion": [_arg("shell", choices=completion.SHELLS)],
}


def _parser():
    parser = _Parser(
        prog="optimist",
        allow_abbrev=False,
        description="Re-run experiments on optimistic bandits and check claims.",
    )
    parser.add_argument("--version", action="version", version=f"optimist {VERSION}")
    parser.add_argument("--debug", action="store_true", help="show tracebacks")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, (place, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, allow_abbrev=False)
        command.add_argument("--json", action="store_true", help="print JSON")
        command.set_defaults(command=place, name_of_command=name)
        for names, keywords in ARGUMENTS[name]:
            action = command.add_argument(*names, **keywords)
            action.completer = completion.completer(action.dest)  # type: ignore[attr-defined]
    return parser
