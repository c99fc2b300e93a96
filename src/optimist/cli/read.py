"""Commands that show verdicts, provenance and the state of results, or make the page."""

import shlex
import sys
from pathlib import Path
from typing import Any

from optimist.claims import pages, table
from optimist.cli.output import answer, as_json, say
from optimist.config.load import load_config, paper_names
from optimist.core import outputs, terminal
from optimist.core.errors import ConfigError, ResultError, known_name
from optimist.core.files import read_text, write_text
from optimist.core.layout import Layout
from optimist.core.root import how_to_make, made_before, project_root, workspace
from optimist.page import build, index
from optimist.plan import costs, inventory, trace
from optimist.plan.plan import Plan


def claims(options: Any) -> int:
    """Print the verdicts of the last full run."""
    if options.readme and options.paper:
        raise ConfigError(
            f"--readme writes the verdicts of all papers; leave out {options.paper!r}"
        )
    frame = table.read_frame(_claims_path(options))
    if options.readme:
        _write_readme(frame)
    if options.json:
        shown = pages.open_claims(frame) if options.open else frame
        print(shown.to_json(orient="records", indent=1))
    elif options.readme:
        print(pages.tally(frame))
    elif options.open:
        say(pages.open_text(frame, terminal.width()))
    else:
        say(pages.to_text(frame, details=options.details, columns=terminal.width()))
    return 0


def _claims_path(options):
    if options.paper is not None:
        known_name("paper", options.paper, paper_names())
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
    if (frame["verdict"] == "shortened").any():
        raise ResultError("the claims come from a shortened run; allowed: claims from a full run")
    texts = {}
    for name, shown in index.documents(frame).items():
        path = project_root() / name
        if not path.is_file():
            raise ConfigError(f"{path} does not exist, but --readme writes to it")
        texts[path] = pages.with_summary(read_text(path), shown, name)
    for path, text in texts.items():
        write_text(text, path)


def page(options: Any) -> int:
    """Make the page of results."""
    plan = Plan(load_config(*options.configfile, values=options.config))
    sizes = build.write(plan, workspace())
    lines = [f"{path}: {size / 1e6:.2f} MB" for path, size in sizes.items()]
    answer(options, sizes, "\n".join(lines))
    return 0


def provenance(options: Any) -> int:
    """Print the provenance of a figure, table or result."""
    origin = trace.trace(options.file, options.configfile, options.config)
    say(as_json(origin) if options.json else trace.to_text(origin))
    return 0


def results(options: Any) -> int:
    """Report the state of the result files of a configuration, and delete files on request."""
    if options.costs:
        outputs.check_table("--costs", options.costs, costs.COLUMNS)
    with terminal.Busy("checking result files", sys.stderr):
        plan = Plan(load_config(*options.configfile, values=options.config))
        entries = inventory.take(plan)
        is_restricted = any(plan.config["only"].values()) and options.delete != "other"
        other = {} if is_restricted else inventory.others(plan)
    files = [{"path": e.path, "state": e.state, "remark": e.remark} for e in entries]
    report: dict[str, object] = {"files": files, "other": other}
    named = (("--configfile", options.configfile), ("--config", options.config))
    typed = "".join(f"{name} {shlex.join(words)} " for name, words in named if words)
    lines = [inventory.to_text(entries, other, typed)]
    if options.costs:
        rows = costs.read(options.costs)
        updated = costs.update(rows, inventory.measured(entries, plan))
        costs.write(updated, options.costs)
        report["new_costs"] = len({*updated} - {*rows})
        lines.append(f"{options.costs}: {report['new_costs']} of {len(updated)} rows are new")
    if options.delete:
        doomed = sorted({e.made for e in entries if e.state == options.delete})
        doomed = [*other] if options.delete == "other" else doomed
        inventory.delete(doomed)
        report["deleted"] = doomed
        lines.append(f"deleted {len(doomed)} results")
    answer(options, report, "\n".join(lines))
    return 0
