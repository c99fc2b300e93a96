"""Manifests: which inputs, code and machine each committed figure or table came from."""

import hashlib
import json
from pathlib import Path

from optimist import provenance, results
from optimist.files import write_atomically


def sha256(path):
    """Return the SHA-256 of a file as hexadecimal text."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def build(sources):
    """Describe figures, tables and claims.

    Parameters
    ----------
    sources : dict
        For each item ``{"files": [...], "inputs": [...]}``; inputs are result files, tables beside
        them, prepared data sets and the records of where those came from.

    Returns
    -------
    dict with the provenance of this manifest and, for each item, the SHA-256 of its files; of
    every input the SHA-256 and, if it is a result file, its commit and whether the work tree was
    changed.
    """
    seen = {}
    items = {}
    for name, item in sources.items():
        for path in item["inputs"]:
            if path not in seen:
                seen[path] = _describe_input(path)
        items[name] = {
            "files": {path: sha256(path) for path in item["files"]},
            "inputs": sorted(item["inputs"]),
        }
    return {"written": provenance.collect(), "items": items, "inputs": seen}


def _describe_input(path):
    beside = "/studies/" in path or "/tables/" in path
    if beside or not path.endswith(".parquet"):
        return {"sha256": sha256(path)}
    made = results.read_metadata(path)["provenance"]
    return {"sha256": sha256(path), "commit": made["commit"], "dirty": made["dirty"]}


def write(manifest, path):
    """Write a manifest as JSON."""
    text = json.dumps(manifest, indent=1, sort_keys=True) + "\n"
    write_atomically(path, lambda temporary: temporary.write_text(text))
