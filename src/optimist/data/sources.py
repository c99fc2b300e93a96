"""The registry of public data sets, ``data/sources.csv``, with one line per data set."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from optimist.core.errors import DataError, UnreadableError
from optimist.core.files import read_text
from optimist.core.root import project_root


@dataclass(frozen=True)
class Source:
    """One line of ``data/sources.csv``; ``data/README.md`` explains the columns."""

    name: str
    uci_id: int | None
    version: str
    rows: int
    columns: tuple[str, ...]
    mirror: str
    mirror_sha256: str
    content_sha256: str
    licence: str
    doi: str
    note: str


def default_data_dir() -> Path:
    """Return the folder with ``sources.csv`` and ``mirror``, in the checkout or in the package."""
    return project_root() / "data"


def load_sources(path: str | Path | None = None) -> dict[str, Source]:
    """Read the registry of data sets; return a dict that maps each name to its line.

    Raises
    ------
    DataError
        If the file or a column is missing, a number is malformed, or a name is repeated.
    """
    path = Path(path) if path is not None else default_data_dir() / "sources.csv"
    try:
        entries = [_parse(row, path) for row in csv.DictReader(io.StringIO(read_text(path)))]
    except (UnreadableError, csv.Error) as error:
        raise DataError(f"no registry of data sets: {error}") from None
    sources = {entry.name: entry for entry in entries}
    if len(sources) < len(entries):
        raise DataError(f"{path}: a data set is listed twice")
    return sources


def _parse(row: dict[str, str | None], path: Path) -> Source:
    given = {name: row.get(name) for name in Source.__dataclass_fields__}
    fields = {name: value for name, value in given.items() if value is not None}
    absent = [name for name in given if name not in fields]
    if absent:
        raise DataError(f"{path}: {row.get('name')!r} has no {', '.join(absent)}")
    number, rows, columns = (fields.pop(name) for name in ("uci_id", "rows", "columns"))
    try:
        return Source(
            uci_id=int(number) if number else None,
            rows=int(rows),
            columns=tuple(columns.split(";")),
            **fields,
        )
    except ValueError as error:
        raise DataError(f"{path}: {fields['name']!r}: {error}") from None
