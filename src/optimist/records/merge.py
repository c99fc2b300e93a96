"""Joining results that were made on several machines into one results folder."""

import shutil
from pathlib import Path

import pyarrow.parquet as pq

from optimist.errors import ResultError
from optimist.files import identity, sha256, write_atomically
from optimist.jobs import is_reusable
from optimist.runs import results
from optimist.runs.trials import LANES


def merge(sources, target):
    """Copy result files and data sets of some results folders into another.

    Nothing is copied unless everything can be: first all files are checked.

    Parameters
    ----------
    sources : list of str or Path
    target : str or Path
        It need not exist.

    Returns
    -------
    copied, known : int
        Numbers of files that were copied, and that were there already with the same content.

    Raises
    ------
    ResultError
        If a source is no results folder, a file is damaged, or two files of one path differ: in
        what made them, in their numbers, or, in the timing lane, at all.
    """
    chosen, known = _choose(sources, Path(target))
    # Nothing must look older than what it was made from, or Snakemake makes it again.
    for name in sorted(chosen, key=_stage):
        path, place = chosen[name], Path(target) / name
        write_atomically(place, lambda temporary, p=path: shutil.copyfile(p, temporary))
        if _is_result(place):
            _keep(place, Path(target))
    return len(chosen), known


def _choose(sources, target):
    """Return the files to copy by name, and how many are known; raise if two do not agree."""
    chosen, known = {}, 0
    for source in map(Path, sources):
        files = _files(source)
        if not files:
            raise ResultError(
                f"{source} holds no results; allowed: folders with {', '.join(LANES)}"
            )
        for name in files:
            there = chosen.get(name) or _existing(target / name)
            if there is None:
                _check(source / name)
                chosen[name] = source / name
            else:
                _compare(there, source / name)
                known += 1
    return chosen, known


def _keep(path, target):
    """Let a result be found by a job that makes others with it, which would make it again."""
    metadata = results.read_metadata(path)
    statuses = results.read(path, ["status"])["status"].to_pylist()
    if is_reusable(metadata["job"]["lane"], statuses):
        results.Store(target / "kept", metadata).keep(path)


def _files(folder):
    """Return what is shared of a results folder, relative to it: results, and data sets.

    Facts about data sets are not: their last digits are a machine's, and they are soon made.
    """
    patterns = [*(f"{lane}/**/*.parquet" for lane in LANES)]
    patterns += ["data/*.csv", "data/raw/*.parquet", "data/raw/*.json"]
    found = [path for pattern in patterns for path in folder.glob(pattern)]
    return sorted(p.relative_to(folder) for p in found if not p.name.endswith("_facts.csv"))


def _stage(name):
    """Return a key that sorts files by what is made from what: downloads, data sets, results."""
    return name.parts[0] != "data", name.parts[:2] != ("data", "raw"), name


def _existing(path):
    return path if path.exists() else None


def _is_result(path):
    return path.suffix == ".parquet" and path.parent.name != "raw"


def _check(path):
    if _is_result(path):
        results.read(path)


def _compare(there, other):
    """Raise ResultError unless two files of one path say the same."""
    # The record of a download tells when it was; the table beside it is compared.
    if there.suffix == ".json" or sha256(there) == sha256(other):
        return
    if not _is_result(there):
        # Parquet files name the version of what wrote them.
        if there.suffix == ".parquet" and pq.read_table(there).equals(pq.read_table(other)):
            return
        raise ResultError(
            f"{other} and {there} are two tables of one data set; allowed: folders whose results "
            "were made from one"
        )
    jobs = [results.read_metadata(path)["job"] for path in (there, other)]
    if identity(jobs[0]) != identity(jobs[1]):
        fault = "were made by two configurations or versions of the code"
    elif jobs[0]["lane"] == "timing":
        fault = "are two measurements of the same times"
    elif results.digest(results.read(there)) != results.digest(results.read(other)):
        fault = "are the same job with two outcomes, as on two kinds of machine"
    else:
        return
    raise ResultError(f"{other} and {there} {fault}; delete the one that should not count")
