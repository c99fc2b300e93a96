"""Where a file comes from, in words: a figure, table or page of claims, or a result file."""

from pathlib import Path
from string import ascii_lowercase
from typing import Any, cast

from optimist.errors import ConfigError, ResultError
from optimist.files import sha256
from optimist.label import name_of
from optimist.layout import Result, parse_result
from optimist.panels import PANELS, TABLES
from optimist.plan.config import load_paper
from optimist.records import manifest, provenance
from optimist.runs import results


def trace(path: str | Path) -> dict[str, Any]:
    """Return where a file comes from, as plain data.

    Returns
    -------
    dict with ``file``, ``made`` (a list of commit, dirty, python, packages, machine, blas_threads),
    ``settings`` (specification by paper/setting), ``streams`` (trials by name of the random
    streams) and ``data`` (SHA-256 by data set); of result files also ``lane``, ``algorithm`` and
    ``rounds``; of figures and tables ``manifest``, ``item``, ``drawn`` (as one of ``made``) and
    ``inputs`` (SHA-256 by path), ``not_here`` and ``changed`` (those of them, and of what claims
    are joined from, that are not there, or others now), ``cut`` (rounds by result, of those that
    are there and were cut short), and, if the configuration still has it, where that is
    (``configured``) and the classes of its ``panels`` by letter.

    Raises
    ------
    ResultError
        If there is no such file, nothing is known of it, or it is not what its manifest says.
    """
    if not Path(path).is_file():
        raise ResultError(f"{path} is not a file; allowed: a figure, table or result file")
    return _of_result(path) if parse_result(Path(path).resolve()) else _of_item(path)


def _of_result(path):
    results.read(path)  # all of it, or damage would pass
    metadata = results.read_metadata(path)
    asked, dataset = metadata["trials"], metadata["resolved"]["dataset"]
    cell = asked["cell"]
    horizon = _horizon(asked)
    return {
        "file": str(path),
        "lane": asked["lane"],
        "algorithm": cell["algorithm"],
        "rounds": min(asked["rounds"] or horizon, horizon),
        "made": [metadata["provenance"]],
        "settings": {f"{cell['paper']}/{cell['setting']}": cell["spec"]},
        "resolved": metadata["resolved"],
        "streams": {
            _stream(cell["paper"], cell["setting"]): list(range(asked["first"], asked["stop"]))
        },
        "data": {cell["spec"]["dataset"]: dataset} if dataset else {},
    }


def _of_item(path):
    place, name, content = manifest.find(path)
    inputs = {p: content["inputs"][p] for p in manifest.inputs_of(content, name)}
    found = _of_runs(content, inputs)
    for claims in (p for p in inputs if Path(p).name == "claims.csv"):
        own = Path(path).parent / Path(claims).parent.name / "claims.csv"
        below = _of_claims(own, inputs[claims])
        found["made"] += [made for made in below["made"] if made not in found["made"]]
        for key in ("settings", "streams", "data", "cut"):
            found[key] |= below[key]
        for key in ("not_here", "changed"):
            found[key] += below[key]
    base = _base(path, content["items"][name]["files"])
    for key, value in _now(base, inputs).items():
        found[key] = value + found[key] if isinstance(value, list) else value | found[key]
    return {
        "file": str(path),
        "manifest": place,
        "item": name,
        **_drawing(Path(place).parent.name, name),
        "drawn": content["written"],
        **found,
        "inputs": {p: entry["sha256"] for p, entry in inputs.items()},
    }


def _base(path, files):
    """Return the folder that the paths of a manifest are below, of which one leads to ``path``.

    For a copy elsewhere, which none leads to, it is the current folder.
    """
    whole = Path(path).resolve()
    depths = (len(Path(name).parts) for name in files if str(whole).endswith(f"/{name}"))
    depth = next(depths, None)
    return Path() if depth is None else whole.parents[depth - 1]


def _now(base, inputs):
    """Return what has become of inputs, and how long those are that were cut short."""
    there = {p: entry for p, entry in inputs.items() if (base / p).is_file()}
    changed = [p for p, entry in there.items() if sha256(base / p) != entry["sha256"]]
    cut = {}
    for path in (p for p, entry in there.items() if "made" in entry and p not in changed):
        asked = results.read_metadata(base / path)["trials"]
        if asked["rounds"] and asked["rounds"] < _horizon(asked):
            cut[path] = asked["rounds"]
    return {"not_here": [p for p in inputs if p not in there], "changed": changed, "cut": cut}


def _horizon(asked):
    return asked["cell"]["spec"]["horizon"]


def _of_claims(path, entry):
    """Return where a paper's claims come from, if they are those that were joined."""
    if not path.is_file() or sha256(path) != entry["sha256"]:
        raise ResultError(
            f"{path} is not what the joined claims were made from; make them again: "
            f"snakemake --cores 2 {path.parents[1] / 'claims.csv'}"
        )
    return _of_item(path)


def _of_runs(content, inputs):
    """Return what a manifest says of those of its inputs that are results and data sets."""
    runs = {p: entry for p, entry in inputs.items() if "made" in entry}
    settings: dict[str, Any] = {}
    streams: dict[str, set[int]] = {}
    for run in runs:
        place = cast(Result, parse_result(run))  # a result's path, as the manifest was checked
        name = f"{place.paper}/{place.setting}"
        settings[name] = content["settings"][name]
        stream = _stream(place.paper, place.setting)
        streams.setdefault(stream, set()).update(range(place.first, place.stop))
    tables = {p: entry["sha256"] for p, entry in inputs.items() if Path(p).suffix == ".csv"}
    return {
        "made": [content["made"][i] for i in sorted({entry["made"] for entry in runs.values()})],
        "settings": settings,
        "streams": {stream: sorted(trials) for stream, trials in streams.items()},
        "data": {p: digest for p, digest in tables.items() if Path(p).parent.name == "data"},
        "not_here": [],
        "changed": [],
        "cut": {},
    }


def _stream(paper, setting):
    """Return the name of the random streams of a setting; the trial and a purpose follow it."""
    return f"{paper}/{name_of(setting)}"


def _drawing(paper, name):
    """Return where a figure or table of a paper is configured, and the class of each panel.

    As of now: an older picture may have been drawn by others. Empty where it is no longer there.
    """
    try:
        loaded = load_paper(paper)
    except ConfigError:
        return {}
    for part, registry in (("figures", PANELS), ("tables", TABLES)):
        if name in loaded.get(part, {}):
            spec = loaded[part][name]
            kinds = [entry["kind"] for entry in spec.get("panels", [spec])]
            classes = dict(zip(ascii_lowercase, (registry[kind] for kind in kinds), strict=False))
            file = f"config/papers/{paper}/figures.yaml"
            return {"configured": f"{file}, {part}.{name}", "panels": classes}
    return {}


def to_text(found: dict[str, Any]) -> str:
    """Return what `trace` found as lines of text."""
    lines = [found["file"]]
    if "algorithm" in found:
        lines.append(
            f"{found['lane']} lane, {found['algorithm']}, {found['rounds']} rounds a trial"
        )
    if "manifest" in found:
        lines.append(f"manifest: {found['manifest']}, item {found['item']}")
        lines += [f"configured in {found['configured']}"] if "configured" in found else []
        panels = found.get("panels", {}).items()
        lines += [f"  panel {letter}: {place.replace(':', ', class ')}" for letter, place in panels]
        lines += ["drawn by:", *_making(found["drawn"])]
    lines.append("results made by:" if "manifest" in found else "made by:")
    for made in found["made"]:
        lines += _making(made)
    lines.append("settings:")
    lines += [f"  {name}: {spec}" for name, spec in found["settings"].items()]
    lines.append("random streams, from SHA-256 of their names, and trials:")
    for name, trials in found["streams"].items():
        gaps = [i for i in range(1, len(trials)) if trials[i] > trials[i - 1] + 1]
        ends = zip([0, *gaps], [*gaps, len(trials)], strict=True)
        ranges = ", ".join(f"{trials[a]} to {trials[b - 1]}" for a, b in ends)
        lines.append(f"  {name}: {ranges}")
    lines.append("data (SHA-256):" if found["data"] else "data: none")
    lines += [f"  {name}: {digest}" for name, digest in found["data"].items()]
    if "inputs" in found:
        lost, changed = (len(found[key]) for key in ("not_here", "changed"))
        if found["cut"]:
            rounds = {min(found["cut"].values()), max(found["cut"].values())}
            words = " to ".join(map(str, sorted(rounds)))
            lines.append(f"results that were cut short: {len(found['cut'])}, after {words} rounds")
        lines.append(f"not here, as in a fresh clone or after a failed run: {lost}")
        lines.append(f"others now: {changed}")
        lines.append("inputs (SHA-256):")
        lines += [f"  {path}: {digest}" for path, digest in found["inputs"].items()]
    return "\n".join(lines)


def _kernels(kernels):
    found = [f"{name} {' and '.join(chosen)}" for name, chosen in kernels.items() if chosen]
    return f", kernels: {', '.join(found)}" if found else ""


def _making(made):
    packages = ", ".join(f"{name} {version}" for name, version in made["packages"].items())
    machine = made["machine"]
    code = provenance.code_of(made)
    when = f", {made['written']}" if "written" in made else ""
    return [
        f"  {code}{when}",
        f"  Python {made['python']}, {packages}",
        f"  {machine['cpu']}, {machine['cores']} cores, {machine['system']}, "
        f"BLAS threads {made['blas_threads']}{_kernels(machine.get('kernels', {}))}",
    ]
