"""The command line: its options, and one exit for all errors."""

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
from optimist.core.errors import (
    OptimistError,
    nearest,
    unwritable_named,
)
from optimist.core.version import VERSION

# Commands that play trials: they stop at once on a signal.
PLAYING = ("run", "check", "compare")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status.

    Parameters
    ----------
    arguments : list of str or None
        None for the arguments of this process. The process then fixes its arithmetic, and exits on
        signals that end it.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # print missing letters as escapes
            stream.reconfigure(errors="backslashreplace")
    parser = _parser()
    if completion.is_asked():
        completion.answer(parser)
    options = parser.parse_args(arguments)
    terminal.show_log()
    try:
        if arguments is None:
            blas_kernels.fix()
            if options.plays:
                _exit_when_asked()
        with unwritable_named(), _overlays(options):
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
    except OptimistError as error:
        if options.debug:
            raise
        say(f"error: {error}", sys.stderr)
        return 1
    except OSError as error:
        if options.debug:
            raise
        from optimist.core.user_errors import words_of_system

        say(f"error: {words_of_system(error)}", sys.stderr)
        return 1


def _exit_when_asked():
    """Turn signals that end a process into an exit, except ignored ones (nohup)."""

    def leave(number, frame):
        if number == signal.SIGHUP:  # the terminal is closed
            for stream in (sys.stdout, sys.stderr):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, leave)


def _overlays(options):
    """Return a context that adds settings and algorithms of overlays while a command runs."""
    if not getattr(options, "for_names", False):
        return contextlib.nullcontext()
    from optimist.config.load import using

    return using(*options.configfile)


class _Parser(argparse.ArgumentParser):
    """A parser that suggests the nearest name for a misspelt option."""

    def parse_args(self, *arguments, **keywords):
        found, unknown = self.parse_known_args(*arguments, **keywords)
        if unknown:
            own = next(a for a in self._actions if isinstance(a, argparse._SubParsersAction))
            chosen = own.choices[found.name_of_command]
            actions = [*self._actions, *chosen._actions]
            known = [name for action in actions for name in action.option_strings]
            misspelt = [word for word in unknown if word.startswith("-")]
            hint = nearest(misspelt[0], known) if misspelt else ""
            chosen.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return found

    def error(self, message):
        """End the process with one line of error, without the usage."""
        words = f"error: {message}; `{self.prog} --help` shows what there is"
        self.exit(2, f"{terminal.shown(words)}\n")


def _parser():
    parser = _Parser(
        prog="optimist",
        allow_abbrev=False,
        description="Re-run experiments on optimistic bandits and check claims.",
    )
    parser.add_argument("--version", action="version", version=f"optimist {VERSION}")
    parser.add_argument("--debug", action="store_true", help="show tracebacks")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name, command, text):
        added = commands.add_parser(name, help=text, allow_abbrev=False)
        added.add_argument("--json", action="store_true", help="print JSON")
        added.set_defaults(command=command, name_of_command=name, plays=name in PLAYING)
        return added

    lister = add("list", "look:list_", "print papers, settings, algorithms, and their options")
    _add_overlays(lister)
    lister.add_argument("listed", nargs="?", metavar="PAPER[/SETTING]|ALGORITHM")

    _add_run_options(add("run", "play:run", "run one cell outside the workflow"))

    _add_compare_options(
        add(
            "compare",
            "compare:compare",
            "play algorithms in settings on the same trials, and rank them",
        )
    )

    checker = add(
        "check", "check:check", "check an algorithm or an environment, such as mine.py:Mine"
    )
    checker.add_argument("label", metavar="LABEL", help="file.py:Class[option=value], or a name")

    _add_new_options(add("new", "look:new", "write the file of a new algorithm or environment"))

    _add_init_options(
        add("init", "look:init", "lay out a folder that runs the workflow with settings of its own")
    )

    _add_claims_options(add("claims", "read:claims", "print the verdicts of the last full run"))

    decider = add("decide", "remake:decide", "decide claims again, from the committed tables")
    decider.add_argument("what", nargs="?", default="", metavar="PAPER|CLAIM")
    _add_remaking(decider)

    drawer = add("draw", "remake:draw", "draw figures and tables again, from the committed tables")
    drawer.add_argument("what", nargs="?", default="", metavar="PAPER|PAPER/FIGURE")
    drawer.add_argument("--cores", default="all", metavar="N", help="default: all")
    _add_remaking(drawer)

    publisher = add("publish", "remake:publish", "put results into the tables that are committed")
    publisher.add_argument("folders", nargs="*", metavar="RESULTS", help="more results folders")
    _add_configuration(publisher)

    sealer = add("reseal", "remake:reseal", "play a trial of each cell of other code, and compare")
    sealer.add_argument("paper", nargs="?", metavar="PAPER")
    sealer.add_argument("--cores", default="all", metavar="N", help="default: all")
    _add_remaking(sealer)

    _add_configuration(
        add("page", "read:page", "make the page of results from the committed tables")
    )

    tracer = add("provenance", "read:provenance", "print where a figure, table or result is from")
    tracer.add_argument("file", metavar="FILE")
    _add_configuration(tracer)

    _add_results_options(
        add("results", "read:results", "check the result files of a configuration")
    )

    completer = add("completion", "look:completion", "print what makes a shell complete optimist")
    completer.add_argument("shell", choices=completion.SHELLS)
    return parser


def _add_overlays(parser):
    parser.add_argument(
        "--configfile",
        nargs="+",
        default=[],
        metavar="YAML",
        help="overlays, as for snakemake, whose settings and algorithms are known; comes last",
    )
    parser.set_defaults(for_names=True)


def _add_run_options(parser):
    _add_overlays(parser)
    parser.add_argument("cell", metavar="PAPER/SETTING/ALGORITHM")
    parser.add_argument(
        "--trials", default="0:1", metavar="FIRST:STOP", help="or how many; default: 0:1"
    )
    parser.add_argument("--rounds", type=_whole, metavar="N", help="stop after N rounds")


def _add_new_options(parser):
    parser.add_argument("what", metavar="WHAT", help="algorithm or environment")
    parser.add_argument("name", metavar="NAME", help="in lower case, as epsilon_greedy")
    parser.add_argument(
        "--family",
        help="of an algorithm: glb, heavy_tailed, kernel or box; "
        "of an environment: arms, heavy_tailed, kernel or box",
    )
    parser.add_argument("--file", metavar="PATH", help="default: NAME.py")


def _add_init_options(parser):
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument(
        "--family", default="glb", help="glb (default), heavy_tailed, kernel or box"
    )


def _add_remaking(parser):
    _add_configuration(parser)
    parser.add_argument("--figures", metavar="DIR", help="folder of the tables; default: figures")
    parser.add_argument("--strict", action="store_true", help="refuse cells of other code")


def _add_claims_options(parser):
    parser.add_argument("paper", nargs="?", metavar="PAPER")
    parser.add_argument("--figures", metavar="DIR", help="where claims.csv is; default: figures")
    parser.add_argument("--details", action="store_true", help="print the checks of each claim too")
    parser.add_argument(
        "--open",
        action="store_true",
        help="print why claims are open and what would decide them, cheapest first",
    )
    parser.add_argument(
        "--readme", action="store_true", help="write the verdicts into README.md and docs/findings"
    )


def _add_compare_options(parser):
    _add_overlays(parser)
    parser.add_argument(
        "settings",
        nargs="+",
        metavar="SETTING",
        help="PAPER/SETTING, in which * and ? may stand for letters, or world.py:World[options]",
    )
    parser.add_argument(
        "-a",
        "--algorithm",
        nargs="+",
        action="extend",
        required=True,
        metavar="LABEL",
        help="name[option=value,...], or file.py:Class[option=value,...]",
    )
    parser.add_argument("--trials", type=_whole, default=10, metavar="N", help="default: 10")
    parser.add_argument("--rounds", type=_whole, metavar="N", help="stop after N rounds")
    parser.add_argument("--horizon", type=_whole, metavar="T", help="play T rounds, and say so")
    parser.add_argument("--cores", type=_whole, default=1, metavar="N", help="default: 1")
    parser.add_argument(
        "--fresh", action="store_true", help="play all of it now, so that times are of one run"
    )
    parser.add_argument(
        "--committed", action="store_true", help="take committed trials of other code too"
    )
    parser.add_argument(
        "--reference",
        metavar="LABEL",
        help="the algorithm that differences are taken to; default: the first of each setting",
    )
    parser.add_argument("--csv", metavar="FILE", help="write the table into FILE")
    parser.add_argument(
        "--plot", metavar="FILE", help="draw regret by round, by time and by trial (pdf, png, svg)"
    )


def _add_configuration(parser):
    parser.add_argument(
        "--configfile", nargs="+", default=[], metavar="YAML", help="overlays, as for snakemake"
    )
    parser.add_argument(
        "--config", nargs="+", default=[], metavar="KEY=VALUE", help="values, as for snakemake"
    )


def _add_results_options(parser):
    _add_configuration(parser)
    parser.add_argument(
        "--delete",
        choices=["damaged", "early", "other"],
        help="delete results that are damaged, with trials that ended for lack of time or memory "
        "(early), or of other code or another configuration (other)",
    )
    parser.add_argument(
        "--costs", metavar="CSV", help="write what cells cost into the table CSV, config/costs.csv"
    )


def _whole(text):
    """Return a text as a number below a billion."""
    if not re.fullmatch("-?[0-9]{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: how many, below a billion")
    return int(text)
