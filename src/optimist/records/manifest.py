"""Manifests: which inputs, code and machine each committed figure or table came from.

Among the inputs of an item, a name that ends in a slash is a folder and stands for all inputs of
the manifest below it.
"""

import json
import os
import shlex
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from optimist.errors import OptimistError, ResultError
from optimist.files import read_text, sha256, write_text
from optimist.layout import parse_result
from optimist.records import provenance
from optimist.runs import results
from optimist.schemas import check_document

_DIGEST = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_INPUT = {
    "type": "object",
    "required": ["sha256"],
    "properties": {"sha256": _DIGEST, "made": {"type": "integer", "minimum": 0}},
}
_ITEM = {
    "type": "object",
    "required": ["files", "inputs"],
    "properties": {
        "files": {"type": "object", "additionalProperties": _DIGEST},
        "inputs": {"type": "array", "items": {"type": "string"}},
    },
}
_MAKING = {
    "type": "object",
    "required": ["commit", "dirty", "python", "packages", "machine", "blas_threads"],
    "properties": {
        "packages": {"type": "object"},
        "machine": {"type": "object", "required": ["cpu", "cores", "system"]},
    },
}
# What the file of a manifest holds, as a JSON schema.
FORM = {
    "type": "object",
    "required": ["items", "inputs"],
    "properties": {
        "items": {"type": "object", "additionalProperties": _ITEM},
        "inputs": {"type": "object", "additionalProperties": _INPUT},
        "made": {"type": "array", "items": _MAKING},
        "settings": {"type": "object", "additionalProperties": {"type": "object"}},
        "written": _MAKING,
    },
}


def build(sources: Mapping[str, Mapping[str, list[str]]]) -> dict[str, Any]:
    """Describe figures, tables and claims.

    Parameters
    ----------
    sources : dict
        For each item ``{"files": [...], "inputs": [...]}``; inputs are result files, tables beside
        them, prepared data sets and the records of where those came from.

    Returns
    -------
    dict with the provenance of this manifest as ``written`` and, for each of ``items``, the SHA-256
    of its files and the names of its inputs, see `inputs_of`. ``inputs`` has the SHA-256 of every
    input and, of
    result files, the number of their making in ``made`` (commit, packages, machine; each once), and
    ``settings`` what their settings are.
    """
    inputs: dict[str, dict[str, Any]] = {}
    items, made, settings = {}, [], {}
    for path in dict.fromkeys(path for item in sources.values() for path in item["inputs"]):
        inputs[path] = {"sha256": sha256(path)}
        if parse_result(path):
            metadata = results.read_metadata(path)
            record = {k: v for k, v in metadata["provenance"].items() if k != "written"}
            if record not in made:
                made.append(record)
            inputs[path]["made"] = made.index(record)
            cell = metadata["trials"]["cell"]
            settings[f"{cell['paper']}/{cell['setting']}"] = cell["spec"]
    for name, item in sources.items():
        items[name] = {
            "files": {path: sha256(path) for path in item["files"]},
            "inputs": _in_folders(item["inputs"], inputs),
        }
    written = provenance.collect()
    return {
        "written": written,
        "items": items,
        "inputs": inputs,
        "made": made,
        "settings": settings,
    }


def inputs_of(manifest: Mapping[str, Any], item: str) -> list[str]:
    """Return the paths of the inputs of an item; names of which there is no input stay."""
    known = manifest["inputs"]
    found = []
    for name in manifest["items"][item]["inputs"]:
        below = [path for path in known if path.startswith(name)] if name.endswith("/") else []
        found += below or [name]
    return found


def _in_folders(paths: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return paths with the widest folders in place of those whose known files are all there."""
    own, others = set(paths), set(known)
    divided = {str(parent) for path in others - own for parent in PurePosixPath(path).parents}
    divided |= {".", "/"}
    found = set()
    for path in own:
        whole = [str(p) for p in PurePosixPath(path).parents if str(p) not in divided]
        found.add(f"{whole[-1]}/" if whole else path)
    return sorted(found)


def find(path: str | Path) -> tuple[str, str, dict[str, Any]]:
    """Return the item of a manifest beside or above a file that the file belongs to.

    Parameters
    ----------
    path : str or Path
        A figure, table or page of claims.

    Returns
    -------
    (str, str, dict) : path of the manifest, name of the item, the manifest

    Raises
    ------
    ResultError
        If no manifest names the file, or the file is not what its manifests say.
    """
    path = Path(path).resolve()
    other = None
    for folder in path.parents[:2]:
        below = path.relative_to(folder).parts
        for place in sorted(folder.glob("manifest*.json")):
            manifest = read(place)
            for name, item in manifest["items"].items():
                for file, digest in item["files"].items():
                    if Path(file).parts[-len(below) :] != below:
                        continue
                    if sha256(path) == digest:
                        check_form(manifest, place)
                        return os.path.relpath(place), name, manifest
                    other = place, digest
    if other is None:
        raise ResultError(f"no manifest beside or above {path} names it")
    raise _altered(path, *other)


class Described:
    """The files of a folder of figures, as the manifests in that folder describe them.

    Parameters
    ----------
    folder : Path

    Raises
    ------
    ResultError
        If a manifest is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._digests: dict[str, list[tuple[Path, str]]] = {}
        for place in sorted(folder.glob("manifest*.json")):
            for item in read(place)["items"].values():
                for file, digest in item["files"].items():
                    for parts in (PurePosixPath(file).parts[-n:] for n in (1, 2)):
                        known = self._digests.setdefault("/".join(parts), [])
                        known.append((place, digest))

    def check(self, path: Path) -> None:
        """Raise ResultError unless a file in the folder, or in one below, is as described."""
        known = self._digests.get(path.relative_to(self._folder).as_posix(), [])
        if not known:
            raise ResultError(f"no manifest in {self._folder} names {path}; {remedy(path)}")
        digest = sha256(path)
        if all(digest != other for _, other in known):
            raise _altered(path, *known[0])


def _altered(path: Path, place: Path, digest: str) -> ResultError:
    return ResultError(
        f"{path} is not the file that {place} describes (SHA-256 {sha256(path)[:16]}..., not "
        f"{digest[:16]}...): it was changed, or is of another run; {remedy(path)}"
    )


def remedy(path: Path, otherwise: str = "restore it, or delete it and run its target again") -> str:
    """Return how a file comes back: from git, which may have it, or as is said otherwise."""
    if _is_tracked(path):
        return f"restore it with git: git checkout -- {shlex.quote(os.path.relpath(path))}"
    return otherwise


def _is_tracked(path: Path) -> bool:
    command = ["git", "-C", str(path.parent), "ls-files", "--error-unmatch", path.name]
    try:
        return not subprocess.run(command, capture_output=True, timeout=20).returncode
    except (OSError, subprocess.SubprocessError):
        return False


def read(place: Path) -> dict[str, Any]:
    """Return a manifest from its file; raise ResultError if it is none."""
    again = f"make it again: snakemake --cores 2 --force {os.path.relpath(place)}"
    try:
        manifest = json.loads(read_text(place))
        check_document(manifest, FORM, str(place))
    except (OptimistError, ValueError, RecursionError) as error:
        if _is_tracked(place):
            again = f"{remedy(place)}; or {again}"
        raise ResultError(f"{place} is no manifest ({error}); {again}") from None
    _check_references(manifest, place, again)
    return manifest


def _check_references(manifest, place, again):
    """Raise ResultError where a manifest names something that it says nothing of."""
    named = {i for item in manifest["items"] for i in inputs_of(manifest, item)}
    runs = {path: entry for path, entry in manifest["inputs"].items() if "made" in entry}
    cells = {path: parse_result(path) for path in runs}
    unknown = sorted(named - set(manifest["inputs"])) or [
        path
        for path, entry in runs.items()
        if "made" in manifest
        and (
            entry["made"] >= len(manifest["made"])
            or (cell := cells[path]) is None
            or f"{cell.paper}/{cell.setting}" not in manifest.get("settings", {})
        )
    ]
    if unknown:
        raise ResultError(f"{place} does not say what made {unknown[0]}; {again}")


def check_form(manifest: Mapping[str, Any], place: Path) -> None:
    """Raise ResultError if a manifest does not say what its files were made by."""
    if not {"made", "settings", "written"} <= set(manifest):
        raise ResultError(
            f"{place} was written by a version that kept neither settings nor machines; make it "
            f"again: snakemake --cores 2 --force {os.path.relpath(place)}"
        )


def write(manifest: Mapping[str, Any], path: str | Path) -> None:
    """Write a manifest as JSON, each of what it lists in a line."""
    write_text(f"{_lines(manifest, 2)}\n", path)


def _lines(value: Any, depth: int) -> str:
    """Return JSON in which mappings down to some depth have a line for each key."""
    if depth == 0 or not isinstance(value, Mapping):
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    entries = [f"{json.dumps(key)}:{_lines(value[key], depth - 1)}" for key in sorted(value)]
    return "{\n" + ",\n".join(entries) + "\n}"
