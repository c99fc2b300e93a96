"""Command line: look at what there is, run one cell, read the verdicts."""

import argparse
import contextlib
import importlib.util
import io
import json
import math
import os
import re
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from optimist import __version__
from optimist.cli import completion
from optimist.core import blas_kernels, terminal
from optimist.core.errors import (
    ConfigError,
    EndedError,
    OptimistError,
    ResultError,
    nearest,
    unwritable_named,
)

WIDTH = 120  # of tables where nobody looks at a terminal


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status.

    Parameters
    ----------
    arguments : list of str or None
        None for the arguments of this process, which then fixes its arithmetic and takes signals
        that end it for an exit.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # letters that a terminal lacks show as escapes
            stream.reconfigure(errors="backslashreplace")
    parser = _parser()
    if completion.is_asked():
        completion.answer(parser)
    options = parser.parse_args(arguments)
    terminal.show_log()
    try:
        if arguments is None:
            blas_kernels.fix()
            if options.command in (_run, _check, _compare):
                _exit_when_asked()
        with unwritable_named(), _overlays(options):
            return options.command(options)
    except BrokenPipeError:  # the reader, say `head`, has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        return 0
    except KeyboardInterrupt:
        if options.debug:
            raise
        kept = "; trials that had ended are kept" if options.command is _compare else ""
        print(f"\ninterrupted{kept}", file=sys.stderr)
        return 130
    except OptimistError as error:
        if options.debug:
            raise
        _say(f"error: {error}", sys.stderr)
        return 1
    except OSError as error:
        if options.debug:
            raise
        from optimist.core.user_errors import words_of_system

        _say(f"error: {words_of_system(error)}", sys.stderr)
        return 1


def _exit_when_asked():
    """Turn the signals that end a process into an exit, but for one that is ignored (nohup)."""

    def leave(number, frame):
        if number == signal.SIGHUP:  # no terminal takes words any more
            for stream in (sys.stdout, sys.stderr):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, leave)


def _say(text, stream=None):
    """Print a text in which others may have had a word."""
    print(terminal.shown(text), file=stream, flush=True)


def _overlays(options):
    """Return what lets settings and algorithms of overlays be known while a command runs."""
    if not getattr(options, "for_names", False):
        return contextlib.nullcontext()
    from optimist.config.load import using

    return using(*options.configfile)


class _Parser(argparse.ArgumentParser):
    """A parser that says which option a misspelt one may be."""

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
        """End the process with one line; the usage is a command away."""
        words = f"error: {message}; `{self.prog} --help` shows what there is"
        self.exit(2, f"{terminal.shown(words)}\n")


def _parser():
    parser = _Parser(
        prog="optimist",
        allow_abbrev=False,
        description="Re-run experiments on optimistic bandits and check claims.",
    )
    parser.add_argument("--version", action="version", version=f"optimist {__version__}")
    parser.add_argument("--debug", action="store_true", help="show tracebacks")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name, command, text):
        added = commands.add_parser(name, help=text, allow_abbrev=False)
        added.add_argument("--json", action="store_true", help="print JSON")
        added.set_defaults(command=command, name_of_command=name)
        return added

    lister = add("list", _list, "print papers, settings, algorithms, and their options")
    _add_overlays(lister)
    lister.add_argument("listed", nargs="?", metavar="PAPER[/SETTING]|ALGORITHM")

    _add_run_options(add("run", _run, "run one cell outside the workflow"))

    _add_compare_options(
        add("compare", _compare, "play algorithms in settings on the same trials, and rank them")
    )

    checker = add("check", _check, "check an algorithm or an environment, such as mine.py:Mine")
    checker.add_argument("label", metavar="LABEL", help="file.py:Class[option=value], or a name")

    _add_new_options(add("new", _new, "write the file of a new algorithm or environment"))

    _add_init_options(
        add("init", _init, "lay out a folder that runs the workflow with settings of its own")
    )

    _add_claims_options(add("claims", _claims, "print the verdicts of the last full run"))

    decider = add("decide", _decide, "decide claims again, from the committed tables")
    decider.add_argument("what", nargs="?", default="", metavar="PAPER|CLAIM")
    _add_remaking(decider)

    drawer = add("draw", _draw, "draw figures and tables again, from the committed tables")
    drawer.add_argument("what", nargs="?", default="", metavar="PAPER|PAPER/FIGURE")
    drawer.add_argument("--cores", default="all", metavar="N", help="default: all")
    _add_remaking(drawer)

    publisher = add("publish", _publish, "put results into the tables that are committed")
    publisher.add_argument("folders", nargs="*", metavar="RESULTS", help="more results folders")
    _add_configuration(publisher)

    sealer = add("reseal", _reseal, "play a trial of each cell of other code, and compare")
    sealer.add_argument("paper", nargs="?", metavar="PAPER")
    sealer.add_argument("--cores", default="all", metavar="N", help="default: all")
    _add_remaking(sealer)

    _add_configuration(add("page", _page, "make the page of results from the committed tables"))

    tracer = add("provenance", _provenance, "print where a figure, table or result is from")
    tracer.add_argument("file", metavar="FILE")
    _add_configuration(tracer)

    _add_results_options(add("results", _results, "check the result files of a configuration"))

    completer = add("completion", _completion, "print what makes a shell complete optimist")
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


def _list(options):
    from optimist.cli import listing
    from optimist.core.registry import names_file

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
        _say(listing.to_text(content, terminal.width() or WIDTH))
    return 0


def _run(options):
    first, stop = _parse_trials(options.trials)
    if options.rounds is not None and options.rounds < 1:
        raise ConfigError(f"--rounds is {options.rounds}; allowed: at least 1")
    asked = {"cell": options.cell, "first": first, "stop": stop, "rounds": options.rounds}
    ended = []
    with terminal.Busy(f"playing trials {options.trials}", sys.stderr) as busy:

        def show(trial):
            ended.append(trial)
            if not options.json:
                with busy.hidden():
                    _print_trial(**trial)

        asked |= {"overlays": options.configfile, "debug": options.debug}
        try:
            _call(options, options.cell, "optimist.comparison.single:play", show, **asked)
        except EndedError as error:
            raise ResultError(f"{options.cell}: {error}") from error
    if options.json:
        print(json.dumps(ended, indent=1))
    return 0


def _call(options, name, function, tell, **arguments):
    """Call a function in another process, or in this one for a traceback; return its result."""
    from optimist.core import executor, worker

    if options.debug:
        return worker.called(function, tell, arguments)
    with _in_one_line(options, name):
        return executor.call(function, tell, **arguments)


@contextlib.contextmanager
def _in_one_line(options, name):
    """Word an error of another process in one line, unless tracebacks are asked for."""
    from optimist.core.user_errors import in_one_line

    try:
        yield
    except (OptimistError, OSError):
        raise
    except Exception as error:
        if options.debug:
            raise
        more = "the same command after `optimist --debug` shows how it came to that"
        raise ResultError(f"{name}: {in_one_line(error)}; {more}") from None


def _compare(options):
    from optimist.comparison import show

    table = show.compared(options)
    if options.json:
        if words := show.other_code(table):
            _say(words, sys.stderr)
        print(table.to_json(orient="records", indent=1))
    else:
        show.write(table, sys.stdout)
        for path in filter(None, (options.csv, options.plot)):
            _say(f"wrote {path}")
    for text in dict.fromkeys(table.attrs["errors"].values()):
        _say(f"error: {text}", sys.stderr)
    return 1 if table.attrs["errors"] else 0


def _whole(text):
    """Return how many are asked for."""
    if not re.fullmatch("-?[0-9]{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: how many, below a billion")
    return int(text)


def _parse_trials(text):
    first, _, stop = text.partition(":") if ":" in text else ("0", "", text)
    whole = all(re.fullmatch("[0-9]{1,9}", number) for number in (first, stop))
    if not (whole and int(first) < int(stop)):
        raise ConfigError(
            f"--trials is {text!r}; allowed: how many, or FIRST:STOP with FIRST < STOP, as in 0:3"
        )
    return int(first), int(stop)


def _print_trial(trial, status, regret=math.nan, round=0, seconds=math.nan, **others):
    _say(
        f"trial {trial}: regret {regret:.4f} after {round} rounds, {seconds:.3f} s, status {status}"
    )


def _check(options):
    if importlib.util.find_spec("pytest") is None:
        raise ConfigError(
            "optimist check needs pytest; allowed: an installation of optimist[check]"
        )
    from optimist.checks import command

    steps = ["its process started"]
    try:
        with (
            _in_one_line(options, options.label),
            terminal.Busy(f"checking {options.label}", sys.stderr),
        ):
            reports = command.check(options.label, steps.append, is_quiet=not options.debug)
    except EndedError as error:
        raise ConfigError(
            f"{options.label} ended the process that checked it, while {steps[-1]}: {error}; "
            "allowed: to raise an exception"
        ) from error
    if options.json:
        print(json.dumps([one.as_dict() for one in reports], indent=1))
    else:
        _say("\n\n".join(one.to_text(options.debug, terminal.width()) for one in reports))
    return int(any(one.failed for one in reports))


def _new(options):
    from optimist.cli import new

    path, text = new.write(options.what, options.name, options.family, options.file)
    _say(json.dumps({"file": path}) if options.json else text)
    return 0


def _decide(options):
    from optimist import claims
    from optimist.plan import remake
    from optimist.plan.products import join_claims

    paper, dot, _ = options.what.partition(".")
    found = remake.plans([paper] if paper else [], *_where(options))
    if dot:
        frame = remake.decide_one(next(found), options.what, options.strict, _warn)
        if options.json:
            print(frame.to_json(orient="records", indent=1))
        else:
            _say(claims.to_text(frame, details=True, columns=terminal.width()))
            _say(f"written nowhere; `optimist decide {paper}` writes the verdicts of the paper")
        return 0
    written, papers = [], _config(options)["papers"]
    for plan in found:
        layout = plan.layout
        written += remake.decide(plan, options.strict, _warn)
    if all(Path(layout.claims(name)["csv"]).is_file() for name in papers):
        join_claims(layout, papers)
        written += layout.claims().values()
    _say_written(written, options)
    return 0


def _draw(options):
    from optimist.plan import remake

    paper, _, name = options.what.partition("/")
    asked = []
    for plan in remake.plans([paper] if paper else [], *_where(options)):
        own = remake.shown(plan, name)
        remake.warn(plan, own, options.strict, _warn)
        asked += [(product, plan.targets.sources(product)) for product in own]
    _say_written(remake.draw(asked, remake.cores_of(options.cores)), options)
    return 0


def _publish(options):
    from optimist.plan.plan import Plan
    from optimist.plan.publish import publish

    plan = Plan(_config(options))
    found = [publish(plan, paper, options.folders) for paper in plan.papers]
    if options.json:
        print(json.dumps([vars(summary) for summary in found]))
    else:
        _say("\n".join(summary.in_words() for summary in found))
    return 1 if any(summary.missing for summary in found) else 0


def _reseal(options):
    from optimist.plan import remake
    from optimist.plan.reseal import reseal

    def report(done, number):
        print(f"\r{done} of {number}", end="", file=sys.stderr, flush=True)

    papers, found = [options.paper] if options.paper else [], []
    for plan in remake.plans(papers, *_where(options)):
        for paper in plan.papers:
            found.append(reseal(plan, paper, remake.cores_of(options.cores), report))
            print(file=sys.stderr)
    if options.json:
        print(json.dumps([vars(summary) for summary in found]))
    else:
        _say("\n".join(summary.in_words() for summary in found))
    return 1 if any(summary.other for summary in found) else 0


def _config(options):
    from optimist.config.load import load_config

    return load_config(*options.configfile, values=options.config)


def _where(options):
    return options.configfile, options.config, options.figures


def _warn(words):
    print(terminal.shown(words), file=sys.stderr)


def _say_written(paths, options):
    _say(json.dumps(paths) if options.json else f"wrote {len(paths)} files: {paths[-1]}")


def _page(options):
    from optimist.config.load import load_config
    from optimist.core.root import workspace
    from optimist.page import build
    from optimist.plan.plan import Plan

    plan = Plan(load_config(*options.configfile, values=options.config))
    sizes = build.write(plan, workspace())
    lines = [f"{path}: {size / 1e6:.2f} MB" for path, size in sizes.items()]
    _say(json.dumps(sizes) if options.json else "\n".join(lines))
    return 0


def _init(options):
    from optimist.cli import folder

    paths, text = folder.lay_out(options.folder, options.family)
    _say(json.dumps({"files": paths}) if options.json else text)
    return 0


def _completion(options):
    text = completion.script(options.shell)
    print(json.dumps({"script": text}) if options.json else text)
    return 0


def _provenance(options):
    from optimist.plan import trace

    found = trace.trace(options.file, options.configfile, options.config)
    _say(json.dumps(found, indent=1) if options.json else trace.to_text(found))
    return 0


def _results(options):
    from optimist.config.load import load_config
    from optimist.core import outputs
    from optimist.plan import costs, inventory
    from optimist.plan.plan import Plan

    if options.costs:
        outputs.check_table("--costs", options.costs, costs.COLUMNS)
    with terminal.Busy("checking result files", sys.stderr):
        plan = Plan(load_config(*options.configfile, values=options.config))
        entries = inventory.take(plan)
        is_restricted = any(plan.config["only"].values()) and options.delete != "other"
        other = {} if is_restricted else inventory.others(plan)
    files = [{"path": e.path, "state": e.state, "remark": e.remark} for e in entries]
    found: dict[str, Any] = {"files": files, "other": other}
    lines = [inventory.to_text(entries, other, _configuration(options))]
    if options.costs:
        measured = [*costs.collect(inventory.uses(entries)), *inventory.studies(entries, plan)]
        known = costs.read(options.costs)
        updated = costs.update(known, measured)
        costs.write(updated, options.costs)
        found["new_costs"] = len({*updated} - {*known})
        lines.append(f"{options.costs}: {found['new_costs']} of {len(updated)} rows are new")
    if options.delete:
        doomed = sorted({e.made for e in entries if e.state == options.delete})
        doomed = [*other] if options.delete == "other" else doomed
        inventory.delete(doomed)
        found["deleted"] = doomed
        lines.append(f"deleted {len(doomed)} results")
    _say(json.dumps(found, indent=1) if options.json else "\n".join(lines))
    return 0


def _configuration(options):
    """Return the options that named a configuration, as they were typed."""
    named = (("--configfile", options.configfile), ("--config", options.config))
    return "".join(f"{name} {shlex.join(words)} " for name, words in named if words)


def _claims(options):
    from optimist import claims

    if options.readme and options.paper:
        raise ConfigError(f"--readme shows all papers; leave out {options.paper!r}")
    frame = claims.read_frame(_claims_path(options))
    if options.readme:
        _write_readme(frame)
    if options.json:
        shown = claims.open_claims(frame) if options.open else frame
        print(shown.to_json(orient="records", indent=1))
    elif options.readme:
        print(claims.tally(frame))
    elif options.open:
        _say(claims.open_text(frame, terminal.width()))
    else:
        _say(claims.to_text(frame, details=options.details, columns=terminal.width()))
    return 0


def _claims_path(options):
    from optimist.config.load import load_config, paper_names
    from optimist.core.errors import ResultError, unknown_name
    from optimist.core.layout import Layout
    from optimist.core.root import how_to_make, made_before, project_root, workspace

    if options.paper is not None and options.paper not in paper_names():
        raise unknown_name("paper", options.paper, paper_names())
    figures = options.figures or load_config()["figures"]
    path = Path(Layout("", figures).claims(options.paper or "")["csv"])
    path = path if options.figures else made_before(str(path))
    if not path.is_file():
        of_checkout = workspace() == project_root() and not options.paper
        command = "make reproduce" if of_checkout else f"snakemake --cores 2 {options.paper or ''}"
        raise ResultError(
            f"{path} does not exist; {how_to_make(command.strip())} "
            "(a quick run writes to results/quick/figures instead)"
        )
    return path


def _write_readme(frame):
    from optimist import claims
    from optimist.core.errors import ResultError
    from optimist.core.files import read_text, write_text
    from optimist.core.root import project_root
    from optimist.page import index

    if (frame["verdict"] == "shortened").any():
        raise ResultError("the claims are of a shortened run; allowed: those of a full one")
    texts = {}
    for name, shown in index.documents(frame).items():
        path = project_root() / name
        if not path.is_file():
            raise ConfigError(f"{path} does not exist; --readme writes into it")
        texts[path] = claims.with_summary(read_text(path), shown, name)
    for path, text in texts.items():
        write_text(text, path)
