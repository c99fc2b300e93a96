"""Provenance of figures, tables, claims and result files, as data and as text."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from string import ascii_lowercase
from tempfile import TemporaryDirectory
from typing import Any

from optimist.config.load import load_config
from optimist.core import provenance
from optimist.core.errors import ResultError
from optimist.core.files import sha256
from optimist.core.label import Label
from optimist.core.layout import TABLE_ENDINGS, Layout, parse_result
from optimist.core.root import how_to_restore
from optimist.data.prepare import preparation
from optimist.data.sources import load_sources
from optimist.experiments import cell_records, results
from optimist.experiments.cell_records import STUDY
from optimist.experiments.trial_table import AGAIN
from optimist.figures import PANELS, TABLES
from optimist.plan import products
from optimist.plan.plan import Plan
from optimist.plan.publish import from_results
from optimist.plan.remake import as_recorded

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
        Raised when the file does not exist, has no record, or does not match its record.
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
    return _of_product(path, config)


def _of_result(path: Path) -> dict[str, Any]:
    metadata = results.read_whole(path)[1]  # read the whole file to detect any damage
    asked, dataset = metadata["trials"], metadata["resolved"]["dataset"]
    cell, horizon = asked["cell"], asked["cell"]["spec"]["horizon"]
    trials = list(range(asked["first"], asked["stop"]))
    return {
        "file": str(path),
        "lane": asked["lane"],
        "algorithm": cell["algorithm"],
        "rounds": min(asked["rounds"] or horizon, horizon),
        "made": metadata["provenance"],
        "settings": {f"{cell['paper']}/{cell['setting']}": cell["spec"]},
        "resolved": metadata["resolved"],
        "streams": {f"{cell['paper']}/{Label.parse(cell['setting']).name}": trials},
        "data": {cell["spec"]["dataset"]: dataset} if dataset else {},
    }


def _of_joined(path: Path, config: dict[str, Any] | None) -> dict[str, Any]:
    folder = path.parent
    order = (config or load_config())["papers"]
    papers = [one for one in order if (folder / one / "records" / "claims.json").is_file()]
    if not papers:
        raise ResultError(f"no paper below the folder of {path} has a record of its claims")
    for part in (f"{folder / one}/claims.{ending}" for one in papers for ending in TABLE_ENDINGS):
        if not Path(part).is_file():
            raise ResultError(f"{part} does not exist; {_again(path)}")
    below = [_of_product(folder / paper / path.name, config) for paper in papers]
    origin: dict[str, Any] = {"file": str(path), "panels": {}}
    for key in ("records", "cells", "missing"):
        origin[key] = [one for each in below for one in each[key]]
    for key in ("settings", "streams", "data"):
        origin[key] = {name: one for each in below for name, one in each[key].items()}
    with TemporaryDirectory() as place:
        products.join_claims(Layout("", str(folder)), papers, Layout("", place))
        is_joined = sha256(Path(place, path.name)) == sha256(path)
    origin["is_current"] = is_joined and all(each["is_current"] for each in below)
    return {**origin, "configured": ", ".join(each["configured"] for each in below)}


def _of_product(path: Path, config: dict[str, Any] | None) -> dict[str, Any]:
    place = _record(path)
    paper, name = place.parents[1].name, place.stem
    of_paper = {"papers": [paper], "figures": str(place.parents[2])}
    plan = Plan({**config, **of_paper} if config else as_recorded({**load_config(), **of_paper}))
    kinds = [kind for kind in REGISTRIES if name in getattr(plan.papers[paper], kind)]
    kind = "claims" if name == "claims" else kinds[0] if kinds else "figures"
    product = plan.targets.product(paper, kind, name)
    sources = plan.targets.sources(product)
    digest = products.digest_of(product, sources, sources.trials(product))
    planned, declared = plan.trials.of_paper(paper), plan.targets.declared(paper)
    made = (from_results(plan, planned[key], declared) for key in product.keys)
    fresh = {result[1].key: result[1] for result in made if result is not None}
    odd = cell_records.misfits(plan.committed(paper), plan.layout.trials(paper))
    records = {key: one for key, one in plan.committed(paper).items() if key not in odd} | fresh
    behind = {
        key: key in fresh or (key not in odd and plan.trials.is_committed(planned[key]))
        for key in product.keys
    }
    behind |= {(STUDY, n, ""): plan.studies.is_committed(paper, n) for n in product.studies}
    settings = {key: planned[key].cell.setting for key in product.keys}
    streams: dict[str, int] = {}
    for key in (key for key in product.keys if key in records):
        stream = f"{paper}/{settings[key].label.name}"
        streams[stream] = max(streams.get(stream, 0), records[key].trials)
    datasets = {setting.dataset for setting in settings.values()} - {""}
    panels = product.spec.get("panels", [product.spec]) if kind != "claims" else []
    classes = [REGISTRIES[kind][panel["kind"]] for panel in panels]
    file = "claims.yaml" if kind == "claims" else f"figures.yaml, {kind}.{name}"
    return {
        "file": str(path),
        "records": [os.path.relpath(place)],
        "is_current": json.loads(place.read_text(encoding="utf-8")).get("digest") == digest,
        "configured": f"config/papers/{paper}/{file}",
        "panels": dict(zip(ascii_lowercase, classes, strict=False)),
        "cells": [
            {**asdict(records[key]), "paper": paper, "other_code": not is_today}
            for key, is_today in behind.items()
            if key in records
        ],
        "missing": [
            f"{paper}/{'/'.join(filter(None, key))}" for key in behind if key not in records
        ],
        "settings": {str(setting): setting.describe() for setting in settings.values()},
        "streams": {stream: list(range(number)) for stream, number in streams.items()},
        "data": {
            name: load_sources()[preparation(name).raw].content_sha256 for name in sorted(datasets)
        },
    }


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
    lines = [origin["file"]]
    if "algorithm" in origin:
        lines.append(
            f"{origin['lane']} lane, {origin['algorithm']}, {origin['rounds']} rounds a trial"
        )
        lines += ["made by:", *_making(origin["made"])]
    else:
        if "records" in origin:
            lines += _about(origin)
        lines += _playing(origin["cells"], is_short="records" not in origin)
    if "settings" in origin:
        lines.append("settings:")
        lines += [f"  {name}: {spec}" for name, spec in origin["settings"].items()]
        lines.append("random streams, from SHA-256 of their names, and trials:")
        lines += [f"  {name}: {t[0]} to {t[-1]}" for name, t in origin["streams"].items()]
        lines.append("data (SHA-256):" if origin["data"] else "data: none")
        lines += [f"  {name}: {digest}" for name, digest in origin["data"].items()]
    return "\n".join(lines)


def _about(origin: Mapping[str, Any]) -> Iterable[str]:
    """Yield lines that describe how a figure, a table or a set of claims was made."""
    other = [one for one in origin["cells"] if one["other_code"]]
    if other:
        yield f"{len(other)} of {len(origin['cells'])} cells are of other code"
    if origin["missing"]:
        yield f"cells without a record: {len(origin['missing'])}: {', '.join(origin['missing'])}"
    if not origin["is_current"]:
        yield "the current code and tables would make a different file"
    yield f"records: {', '.join(origin['records'])}"
    yield f"configured in {origin['configured']}"
    for letter, place in origin["panels"].items():
        yield f"  panel {letter}: {place.replace(':', ', class ')}"


def _playing(cells: Iterable[Mapping[str, Any]], *, is_short: bool) -> Iterable[str]:
    """Yield lines that describe cells, grouped by the code and machine that played them."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for one in cells:
        groups.setdefault((one["commit"], one["made"]), []).append(one)
    for (commit, made), group in groups.items():
        trials = sum(one["trials"] for one in group)
        yield f"{len(group)} cells with {trials} trials by commit {commit or 'unknown'}:"
        yield f"  {made}"
        for one in [] if is_short else group:
            names = (one["paper"], one["lane"], one["setting"], one["algorithm"])
            about = f"{one['trials']} trials, {one['digest']}"
            other = ", of other code" * one["other_code"]
            yield f"  {'/'.join(filter(None, names))}: {about}{other}"


def _making(made: Mapping[str, Any]) -> list[str]:
    packages = ", ".join(f"{name} {version}" for name, version in made["packages"].items())
    machine = made["machine"]
    chosen = machine.get("kernels", {}).items()
    kernels = ", ".join(f"{name} {' and '.join(words)}" for name, words in chosen if words)
    return [
        f"  {provenance.code_of(made)}, {made['written']}",
        f"  Python {made['python']}, {packages}",
        f"  {machine['cpu']}, {machine['cores']} cores, {machine['system']}, BLAS threads "
        f"{made['blas_threads']}{kernels and f', kernels: {kernels}'}",
    ]
