"""Check that an output file may be written; it may replace only an earlier output of its kind."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from optimist.core.errors import ConfigError, brief

# Bytes that identify a picture made by this package, by file extension.
MARKS = {
    "pdf": b"/Creator (optimist)",
    "png": b"Software\x00optimist",
    "svg": b"<dc:title>optimist</dc:title>",
}
_MOST_BYTES = 100_000_000


def metadata(ending: str) -> dict[str, str]:
    """Return the metadata with which matplotlib marks a picture; see `MARKS`."""
    return {"Software": "optimist"} if ending == "png" else {"Creator": "optimist"}


def check_table(option: str, path: str, columns: Iterable[str]) -> None:
    """Raise ConfigError unless a table with ``columns`` may be written to ``path``."""
    _check(option, path, {"csv": ",".join(columns).encode()})


def check_picture(option: str, path: str) -> None:
    """Raise ConfigError unless a picture may be written to ``path``."""
    _check(option, path, MARKS)


def _check(option: str, name: str, marks: Mapping[str, bytes]) -> None:
    path, what = Path(name), f"{option} is {brief(name)}"
    if path.is_dir() or not path.name:
        raise ConfigError(f"{what}, a folder; allowed: a file")
    ending = path.suffix.lstrip(".")
    if ending not in marks:
        raise ConfigError(f"{what}; allowed: a file with extension {', '.join(marks)}")
    there = next(place for place in (path, *path.absolute().parents) if os.path.lexists(place))
    if not os.access(there, os.W_OK):
        raise ConfigError(f"{what}, but {there} is write-protected")
    if there == path and not _is_own(path, marks[ending]):
        raise ConfigError(f"{what}, a file that {option} did not write; allowed: a new name")
    if there != path and not there.is_dir():
        raise ConfigError(f"{what}, but {there} is not a folder")


def _is_own(path: Path, mark: bytes) -> bool:
    """Return whether a file is empty or contains ``mark`` (for a CSV file, in its first line).

    Return False for a file too large to be an output.
    """
    if not path.is_file() or path.stat().st_size > _MOST_BYTES:
        return False
    content = path.read_bytes()
    if path.suffix == ".csv":
        return not content or content.splitlines()[0] == mark
    return not content or mark in content
