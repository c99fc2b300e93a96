"""Joining results that were made on several machines into one results folder."""

import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from optimist import sealed
from optimist.data.tables import read_raw
from optimist.errors import ResultError
from optimist.files import fingerprint, sha256, write_atomically
from optimist.layout import LANES, Layout, parse_result, shared_names
from optimist.runs import results
from optimist.runs.job import is_reusable


def merge(sources: Sequence[str | Path], target: str | Path) -> tuple[int, int]:
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
        If a source is no results folder, the target is a file, a file is damaged, or two files of
        one path differ: in what made them, in their numbers, or, in the timing lane, at all.
    DataError
        If a fetched table is not the registered one.
    """
    if Path(target).exists() and not Path(target).is_dir():
        raise ResultError(f"{target} is no folder; allowed: a results folder, old or new")
    chosen, known = _choose(sources, Path(target))
    # Nothing must look older than what it was made from, or Snakemake makes it again.
    for name in sorted(chosen, key=_stage):
        path, place = chosen[name], Path(target) / name
        write_atomically(place, partial(shutil.copyfile, path))
        if parse_result(name):
            _keep(place, Path(target))
    return len(chosen), known


def _choose(sources: Sequence[str | Path], target: Path) -> tuple[dict[Path, Path], int]:
    """Return the files to copy by name, and how many are known; raise if two do not agree."""
    chosen: dict[Path, Path] = {}
    known = 0
    for source in map(Path, sources):
        files = shared_names(source)
        if not files:
            raise ResultError(
                f"{source} holds no results; allowed: folders with {', '.join(LANES)}"
            )
        for name in files:
            _check(source / name)
            there = chosen.get(name) or _existing(target / name)
            if there is None:
                chosen[name] = source / name
            else:
                _compare(there, source / name)
                known += 1
    return chosen, known


def _keep(path: Path, target: Path) -> None:
    """Let a result be found by a job that makes others with it, which would make it again."""
    metadata = results.read_metadata(path)
    statuses = results.read(path, ["status"])["status"].to_pylist()
    if is_reusable(metadata["trials"]["lane"], statuses):
        results.Store(Layout(str(target), "").kept, metadata).keep(path)


def _stage(name: Path) -> tuple[bool, bool, Path]:
    """Return a key that sorts files by what is made from what: downloads, data sets, results."""
    return name.parts[0] != "data", name.parts[:2] != ("data", "raw"), name


def _existing(path: Path) -> Path | None:
    return path if path.exists() else None


def _check(path: Path) -> None:
    """Raise ResultError for a damaged file, and DataError for a table that is not registered."""
    if parse_result(path):
        results.read(path)
    elif path.suffix == ".parquet":
        read_raw(path)
    elif path.suffix == ".csv":
        sealed.read_text(path)


def _compare(there: Path, other: Path) -> None:
    """Raise ResultError unless two files of one path say the same."""
    # The record of a download tells when it was; the table beside it is compared.
    if there.suffix == ".json" or sha256(there) == sha256(other):
        return
    if not parse_result(there):
        # Parquet files name the version of what wrote them.
        raw = there.suffix == ".parquet"
        if raw and sealed.read_table(there).equals(sealed.read_table(other)):
            return
        raise ResultError(
            f"{other} and {there} are two tables of one data set; allowed: folders whose results "
            "were made from one"
        )
    asked = [results.read_metadata(path)["trials"] for path in (there, other)]
    if fingerprint(asked[0]) != fingerprint(asked[1]):
        fault = "were made by two configurations or versions of the code"
    elif asked[0]["lane"] == "timing":
        fault = "are two measurements of the same times"
    elif results.digest(results.read(there)) != results.digest(results.read(other)):
        fault = "are the same trials with two outcomes, as on two kinds of machine"
    else:
        return
    raise ResultError(f"{other} and {there} {fault}; delete the one that should not count")
