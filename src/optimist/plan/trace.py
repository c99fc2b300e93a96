"""Where a file comes from, in words: a figure, a table, the claims, or a result file."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from optimist.config.load import load_config
from optimist.core import provenance
from optimist.core.errors import ResultError
from optimist.core.files import sha256
from optimist.core.label import name_of
from optimist.core.layout import parse_result
from optimist.core.root import how_to_restore
from optimist.data.prepare import preparation
from optimist.data.sources import load_sources
from optimist.experiments import cell_records, results
from optimist.experiments.cell_records import STUDY
from optimist.experiments.trial_table import TrialTable
from optimist.figures import PANELS, TABLES
from optimist.plan import products
from optimist.plan.plan import Plan
from optimist.plan.publish import from_results

# Tables of a paper that figures, tables and claims are made from.
SOURCES = ("trials.parquet", "cells.csv", "studies.parquet")
REGISTRIES = {"figures": PANELS, "tables": TABLES}


def trace(
    path: str | Path, overlays: Sequence[str] = (), values: Sequence[str] = ()
) -> dict[str, Any]:
    """Return where a file comes from, as plain data.

    Parameters
    ----------
    path : path
    overlays, values : sequence of str
        As ``--configfile`` and ``--config`` of Snakemake. Without any, the configuration is that of
        the table of trials beside the file.

    Returns
    -------
    dict with ``file``; of all but the tables of a paper also ``settings`` (specification by
    paper/setting), ``streams`` (trials by name of the random streams) and ``data`` (SHA-256 by data
    set). Of a result file also ``lane``, ``algorithm``, ``rounds``, ``resolved`` and ``made`` (as
    `optimist.core.provenance.collect` returns it). Of all others ``cells``, a list of
    `optimist.experiments.cell_records.CellRecord` as mappings; of figures, tables and claims each
    with ``other_code``, and ``records`` (their paths), ``missing`` (cells without a record),
    ``is_current`` (whether they would be the same if they were made now), ``configured`` (where)
    and the classes of ``panels`` by letter.

    Raises
    ------
    ResultError
        If there is no such file, nothing is known of it, or it does not fit its record.
    """
    path = Path(path)
    if not path.is_file():
        raise ResultError(f"{path} is not a file; allowed: a figure, table or result file")
    if parse_result(path.resolve()):
        return _of_result(path)
    if path.name in SOURCES:
        if path.name == "trials.parquet":
            TrialTable(path)  # or damage would pass
        known = cell_records.read(path.with_name("cells.csv"))
        return {"file": str(path), "cells": [asdict(record) for record in known.values()]}
    config = load_config(*overlays, values=values) if overlays or values else None
    if path.stem == "claims" and not (path.parent / "records").is_dir():
        return _of_joined(path, config)
    return _of_product(path, config)


def _of_result(path: Path) -> dict[str, Any]:
    metadata = results.read_whole(path)[1]  # all of it, or damage would pass
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
        "streams": {f"{cell['paper']}/{name_of(cell['setting'])}": trials},
        "data": {cell["spec"]["dataset"]: dataset} if dataset else {},
    }


def _of_joined(path: Path, config: dict[str, Any] | None) -> dict[str, Any]:
    """Return where the claims of all papers come from."""
    papers = sorted(record.parents[1] for record in path.parent.glob("*/records/claims.json"))
    if not papers:
        raise ResultError(f"no record beside {path} names it")
    below = [_of_product(folder / path.name, config) for folder in papers]
    found: dict[str, Any] = {"file": str(path), "panels": {}}
    for key in ("records", "cells", "missing"):
        found[key] = [one for each in below for one in each[key]]
    for key in ("settings", "streams", "data"):
        found[key] = {name: one for each in below for name, one in each[key].items()}
    found["is_current"] = all(each["is_current"] for each in below)
    return {**found, "configured": ", ".join(each["configured"] for each in below)}


def _of_product(path: Path, config: dict[str, Any] | None) -> dict[str, Any]:
    place = _record(path)
    paper, name = place.parents[1].name, place.stem
    plan = _plan(place.parents[1], config)
    kinds = [kind for kind in REGISTRIES if name in plan.papers[paper].get(kind, {})]
    kind = "claims" if name == "claims" else kinds[0] if kinds else "figures"
    product = plan.targets.product(paper, kind, name)
    sources = plan.targets.sources(product)
    digest = products.digest_of(product, sources, sources.trials(product))
    planned, declared = plan.trials.of_paper(paper), plan.targets.declared(paper)
    made = (from_results(plan, planned[key], declared) for key in product.keys)
    fresh = {found[1].key: found[1] for found in made if found is not None}
    known = {**plan.committed(paper), **fresh}
    behind = {key: key in fresh or plan.trials.is_committed(planned[key]) for key in product.keys}
    behind |= {(STUDY, n, ""): plan.studies.is_committed(paper, n) for n in product.studies}
    specs = {key: planned[key].cell.spec for key in product.keys}
    streams: dict[str, int] = {}
    for key in (key for key in product.keys if key in known):
        stream = f"{paper}/{name_of(key[1])}"
        streams[stream] = max(streams.get(stream, 0), known[key].trials)
    datasets = {spec["dataset"] for spec in specs.values() if "dataset" in spec}
    panels = product.spec.get("panels", [product.spec]) if kind != "claims" else []
    classes = [REGISTRIES[kind][panel["kind"]] for panel in panels]
    file = "claims.yaml" if kind == "claims" else f"figures.yaml, {kind}.{name}"
    return {
        "file": str(path),
        "records": [os.path.relpath(place)],
        "is_current": not products.is_stale(product, digest),
        "configured": f"config/papers/{paper}/{file}",
        "panels": dict(zip(ascii_lowercase, classes, strict=False)),
        "cells": [
            {**asdict(known[key]), "paper": paper, "other_code": not is_today}
            for key, is_today in behind.items()
            if key in known
        ],
        "missing": [f"{paper}/{'/'.join(filter(None, key))}" for key in behind if key not in known],
        "settings": {f"{paper}/{key[1]}": spec for key, spec in specs.items()},
        "streams": {stream: list(range(number)) for stream, number in streams.items()},
        "data": {
            name: load_sources()[preparation(name).raw].content_sha256 for name in sorted(datasets)
        },
    }


def _record(path: Path) -> Path:
    """Return the path of the record that names a file and that the file fits."""
    whole, other = path.resolve(), None
    for folder in whole.parents[:2]:
        for place in sorted(folder.glob("records/*.json")):
            try:
                files = json.loads(place.read_text(encoding="utf-8"))["files"]
                digest = files.get(whole.relative_to(folder).as_posix())
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise ResultError(
                    f"{place} is no record ({error}); {how_to_restore(place, _again(path))}"
                ) from None
            if digest == sha256(path):
                return place
            other = other or (digest and place)
    if other is None:
        raise ResultError(f"no record beside or above {path} names it")
    raise ResultError(
        f"{path} is not the file that {os.path.relpath(other)} describes: it was changed, or is of "
        f"another run; {how_to_restore(path, _again(path))}"
    )


def _again(path: Path) -> str:
    return f"make it again: optimist {'decide' if path.stem == 'claims' else 'draw'}"


def _plan(folder: Path, config: dict[str, Any] | None) -> Plan:
    """Return the plan of the run that made the folder of a paper's figures."""
    table = folder / "trials.parquet"
    if config is None:
        known = TrialTable(table).metadata["configuration"] if table.is_file() else {}
        config = {**load_config(), **known}
    return Plan({**config, "papers": [folder.name], "figures": str(folder.parent)})


def to_text(found: Mapping[str, Any]) -> str:
    """Return what `trace` found as lines of text."""
    lines = [found["file"]]
    if "algorithm" in found:
        lines.append(
            f"{found['lane']} lane, {found['algorithm']}, {found['rounds']} rounds a trial"
        )
        lines += ["made by:", *_making(found["made"])]
    else:
        if "records" in found:
            lines += _about(found)
        lines += _playing(found["cells"], is_short="records" not in found)
    if "settings" in found:
        lines.append("settings:")
        lines += [f"  {name}: {spec}" for name, spec in found["settings"].items()]
        lines.append("random streams, from SHA-256 of their names, and trials:")
        lines += [f"  {name}: {t[0]} to {t[-1]}" for name, t in found["streams"].items()]
        lines.append("data (SHA-256):" if found["data"] else "data: none")
        lines += [f"  {name}: {digest}" for name, digest in found["data"].items()]
    return "\n".join(lines)


def _about(found: Mapping[str, Any]) -> Iterable[str]:
    """Yield lines on how a figure, a table or claims were made."""
    other = [one for one in found["cells"] if one["other_code"]]
    if other:
        yield f"{len(other)} of {len(found['cells'])} cells are of other code"
    if found["missing"]:
        yield f"cells without a record: {len(found['missing'])}: {', '.join(found['missing'])}"
    if not found["is_current"]:
        yield "today's code and tables would make another file"
    yield f"records: {', '.join(found['records'])}"
    yield f"configured in {found['configured']}"
    for letter, place in found["panels"].items():
        yield f"  panel {letter}: {place.replace(':', ', class ')}"


def _playing(found: Iterable[Mapping[str, Any]], *, is_short: bool) -> Iterable[str]:
    """Yield lines on cells by the code and the machine that played them."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for one in found:
        groups.setdefault((one["commit"], one["made"]), []).append(one)
    for (commit, made), own in groups.items():
        trials = sum(one["trials"] for one in own)
        yield f"{len(own)} cells with {trials} trials by commit {commit or 'unknown'}:"
        yield f"  {made}"
        for one in [] if is_short else own:
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
