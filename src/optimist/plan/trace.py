"""Provenance of figures, tables, claims and result files, as data and as text."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from string import ascii_lowercase
from tempfile import TemporaryDirectory
from typing import Any

from optimist.config.load import load_config
from optimist.config.models import Config
from optimist.core.errors import ResultError
from optimist.core.files import sha256
from optimist.core.layout import TABLE_ENDINGS, Layout, parse_result
from optimist.core.root import how_to_restore
from optimist.data.prepare import preparation
from optimist.data.sources import load_sources
from optimist.experiments import cell_records, results
from optimist.experiments.cell import Cell
from optimist.experiments.cell_records import STUDY, CellRecord
from optimist.experiments.trial_table import AGAIN
from optimist.experiments.trials import CellKey, Trials
from optimist.figures import PANELS, TABLES
from optimist.plan import products
from optimist.plan.plan import Plan, as_recorded
from optimist.plan.publish import from_results

# Committed tables of a paper, from which figures, tables and claims are made.
SOURCES = ("trials.parquet", "cells.csv", "studies.parquet")
REGISTRIES = {"figures": PANELS, "tables": TABLES}


def trace(
    path: str | Path, overlays: Sequence[str] = (), values: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the provenance of a file as plain data.

    Parameters
    ----------
    path : path
    overlays, values : sequence of str
        Same as ``--configfile`` and ``--config`` in Snakemake. By default, the configuration comes
        from the table of trials next to the file.

    Returns
    -------
    dict
        The keys depend on the kind of file:

        - any file: ``file`` (its path);
        - any file except a committed table: ``settings`` (specification of each paper/setting),
          ``streams`` (trials of each named random stream) and ``data`` (SHA-256 of each data set);
        - result file: ``lane``, ``algorithm``, ``rounds``, ``resolved`` and ``made`` (see
          `optimist.core.provenance.collect`);
        - any file except a result file: ``cells``, a list of
          `optimist.experiments.cell_records.CellRecord` as mappings;
        - figure, table or claims: ``records`` (paths of the records), ``missing`` (cells whose rows
          have no record), ``is_current`` (whether the file would be the same if it were made now),
          ``configured`` (where it is configured) and ``panels`` (class of each lettered panel).
          Each cell also has ``other_code``.

    Raises
    ------
    ResultError
        If the file does not exist, has no record, or does not match its record.
    """
    path = Path(path)
    if not path.is_file():
        raise ResultError(f"{path} is not a file; allowed: a figure, table or result file")
    if parse_result(path.resolve()):
        return _of_result(path)
    if path.name in SOURCES:
        records = cell_records.read(path.with_name("cells.csv"))
        table = path.with_name("trials.parquet")
        if table.is_file() and (odd := cell_records.misfits(records, table)):
            raise ResultError(
                f"{table} does not match the records in cells.csv next to it: "
                f"{', '.join(sorted(map('/'.join, odd)))}; {how_to_restore(table, AGAIN)}"
            )
        return {"file": str(path), "cells": [asdict(record) for record in records.values()]}
    config = load_config(*overlays, values=values) if overlays or values else None
    if path.stem == "claims" and not (path.parent / "records").is_dir():
        return _of_joined(path, config)
    return _of_products(path, [_record(path)], config)


def _of_result(path: Path) -> dict[str, Any]:
    metadata = results.read_whole(path)[1]  # read the whole file to detect any damage
    asked, dataset = metadata["trials"], metadata["resolved"]["dataset"]
    cell = Cell.restore(asked["cell"])
    setting, horizon = cell.setting, cell.setting.horizon
    return {
        "file": str(path),
        "lane": asked["lane"],
        "algorithm": str(cell.algorithm),
        "rounds": min(asked["rounds"] or horizon, horizon),
        "made": metadata["provenance"],
        "settings": {f"{cell.paper}/{setting.label}": setting.describe()},
        "resolved": metadata["resolved"],
        "streams": {
            f"{cell.paper}/{setting.label.name}": list(range(asked["first"], asked["stop"]))
        },
        "data": {setting.dataset: dataset} if dataset else {},
    }


def _of_joined(path: Path, config: Config | None) -> dict[str, Any]:
    folder = path.parent
    order = (config or load_config())["papers"]
    papers = [one for one in order if (folder / one / "records" / "claims.json").is_file()]
    if not papers:
        raise ResultError(f"no paper below the folder of {path} has a record of its claims")
    for part in (f"{folder / one}/claims.{ending}" for one in papers for ending in TABLE_ENDINGS):
        if not Path(part).is_file():
            raise ResultError(f"{part} does not exist; {_again(path)}")
    origin = _of_products(path, [_record(folder / one / path.name) for one in papers], config)
    with TemporaryDirectory() as place:
        products.join_claims(Layout("", str(folder)), papers, Layout("", place))
        origin["is_current"] &= sha256(Path(place, path.name)) == sha256(path)
    return origin


def _of_products(path: Path, places: Iterable[Path], config: Config | None) -> dict[str, Any]:
    """Return the provenance of a file that was made from the products with these records."""
    origin: dict[str, Any] = {"file": str(path), "is_current": True}
    configured = []
    origin |= {key: [] for key in ("records", "cells", "missing")}
    origin |= {key: {} for key in ("panels", "settings", "streams", "data")}
    for place in places:
        paper, name, shown = place.parents[1].name, place.stem, str(place.parents[2])
        of_paper: Config = {**(config or load_config()), "papers": [paper], "figures": shown}
        plan = Plan(of_paper if config else as_recorded(of_paper))
        kinds = [kind for kind in REGISTRIES if name in getattr(plan.papers[paper], kind)]
        kind = "claims" if name == "claims" else [*kinds, "figures"][0]
        product = plan.targets.product(paper, kind, name)
        sources = plan.targets.sources(product)
        digest = products.digest_of(product, sources, sources.trials(product))
        recorded = json.loads(place.read_text(encoding="utf-8")).get("digest")
        file = "claims.yaml" if kind == "claims" else f"figures.yaml, {kind}.{name}"
        origin["records"].append(os.path.relpath(place))
        origin["is_current"] &= recorded == digest
        configured.append(f"config/papers/{paper}/{file}")
        if kind != "claims":
            panels = product.spec.get("panels", [product.spec])
            classes = (REGISTRIES[kind][panel["kind"]] for panel in panels)
            origin["panels"] = dict(zip(ascii_lowercase, classes, strict=False))
        for key in (*product.keys, *((STUDY, name, "") for name in product.studies)):
            _add(origin, plan, paper, key)
    return {**origin, "configured": ", ".join(configured)}


def _add(origin: dict[str, Any], plan: Plan, paper: str, key: CellKey) -> None:
    """Add a cell or a study to the provenance of a file that shows it."""
    if key[0] == STUDY:
        record, is_today = plan.committed(paper).get(key), plan.studies.is_committed(paper, key[1])
    else:
        trials = plan.trials.of_paper(paper)[key]
        record, is_today = _record_of(plan, trials)
        setting = trials.cell.setting
        stream = f"{paper}/{setting.label.name}"
        origin["settings"][str(setting)] = setting.describe()
        if record:
            played = origin["streams"].get(stream, [])
            origin["streams"][stream] = max(played, [*range(record.trials)], key=len)
        if setting.dataset:
            source = load_sources()[preparation(setting.dataset).raw]
            origin["data"][setting.dataset] = source.content_sha256
    if record is None:
        origin["missing"].append("/".join(filter(None, (paper, *key))))
    else:
        about = {"paper": paper, "other_code": not is_today}
        origin["cells"].append({**asdict(record), **about})


def _record_of(plan: Plan, trials: Trials) -> tuple[CellRecord | None, bool]:
    """Return the record of a cell's rows, if any, and whether today's code played them."""
    paper = trials.cell.paper
    if fresh := from_results(plan, trials, plan.targets.declared(paper)):
        return fresh[1], True
    if trials.key in plan.trials.misfits(paper):
        return None, False
    return plan.committed(paper).get(trials.key), plan.trials.is_committed(trials)


def _record(path: Path) -> Path:
    """Return the path of the record that contains a file's current digest."""
    whole, other = path.resolve(), None
    for folder in whole.parents[:2]:
        for place in sorted(folder.glob("records/*.json")):
            try:
                files = json.loads(place.read_text(encoding="utf-8"))["files"]
                digest = files.get(whole.relative_to(folder).as_posix())
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise ResultError(
                    f"{place} is not a record ({error}); {how_to_restore(place, _again(path))}"
                ) from None
            if digest == sha256(path):
                return place
            other = other or (digest and place)
    if other is None:
        raise ResultError(f"no record in the folder of {path}, or in the folder above it, lists it")
    raise ResultError(
        f"{path} is not the file that {os.path.relpath(other)} describes: it was changed or comes "
        f"from another run; {how_to_restore(path, _again(path))}"
    )


def _again(path: Path) -> str:
    return f"make it again: optimist {'decide' if path.stem == 'claims' else 'draw'}"


def to_text(origin: Mapping[str, Any]) -> str:
    """Return the result of `trace` as lines of text."""
    lines = [origin["file"], *_about(origin), *_played(origin)]
    streams = {name: f"{t[0]} to {t[-1]}" for name, t in origin.get("streams", {}).items()}
    titles = {
        "made by": origin.get("made"),
        "settings": origin.get("settings"),
        "random streams, from SHA-256 of their names, and trials": streams,
        "data (SHA-256)": origin.get("data"),
    }
    for title, entries in titles.items():
        if entries:
            lines += [f"{title}:", *(f"  {name}: {entry}" for name, entry in entries.items())]
    return "\n".join(lines)


def _about(origin: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines on a result, or on how a figure, a table or a set of claims was made."""
    if "algorithm" in origin:
        yield f"{origin['lane']} lane, {origin['algorithm']}, {origin['rounds']} rounds a trial"
    if "records" in origin:
        cells, missing = origin["cells"], origin["missing"]
        if other := sum(one["other_code"] for one in cells):
            yield f"{other} of {len(cells)} cells are of other code"
        if missing:
            yield f"cells without a record: {len(missing)}: {', '.join(missing)}"
        if not origin["is_current"]:
            yield "the current code and tables would make a different file"
        yield f"records: {', '.join(origin['records'])}"
        yield f"configured in {origin['configured']}"
        for letter, place in origin["panels"].items():
            yield f"  panel {letter}: {place.replace(':', ', class ')}"


def _played(origin: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines on cells, grouped by the code and machine that played them.

    For the tables of a paper, which hold hundreds of cells, only the groups are described.
    """
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for one in origin.get("cells", ()):
        groups.setdefault((one["commit"] or "unknown", one["made"]), []).append(one)
    for (commit, made), group in groups.items():
        trials = sum(one["trials"] for one in group)
        yield f"{len(group)} cells with {trials} trials by commit {commit}:\n  {made}"
        for one in group if "records" in origin else ():
            names = (one["paper"], one["lane"], one["setting"], one["algorithm"])
            about = (
                f"{one['trials']} trials, {one['digest']}" + ", of other code" * one["other_code"]
            )
            yield f"  {'/'.join(filter(None, names))}: {about}"
