"""Read and write prepared tables of numbers."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from optimist.core.checksummed import read_text, write_text
from optimist.core.errors import DataError


def write_numbers(names: Sequence[str], table: np.ndarray, path: str | Path) -> None:
    """Write a table of shape (rows, columns) as CSV with a header and 12 significant digits."""
    lines = [",".join(names), *(",".join(f"{x:.12g}" for x in row) for row in table)]
    write_text("\n".join(lines) + "\n", path)


def read_numbers(path: str | Path, first: str, *others: str) -> np.ndarray:
    """Read a prepared file of finite numbers as an array of shape (rows, columns).

    The header must consist of ``first`` and ``others``, or of ``first`` and at least one more name
    if ``others`` is empty. Each row must have as many columns as the header.

    Raises
    ------
    DataError
        If the file does not have this format.
    """
    try:
        lines = read_text(path).splitlines()
        table = np.array([line.split(",") for line in lines[1:]], dtype=float)
    except ValueError as error:
        raise DataError(f"{path}: not a table of numbers: {error}") from None
    names = lines[0].split(",") if lines else [""]
    if others and names != [first, *others]:
        raise DataError(f"{path}: the header must be {','.join([first, *others])}")
    if names[0] != first or len(names) < 2:
        raise DataError(f"{path}: the header must begin with {first}, and features must follow")
    if table.ndim != 2 or table.shape[1] != len(names):
        raise DataError(f"{path}: the header must be followed by rows of {len(names)} numbers each")
    if not np.isfinite(table).all():
        raise DataError(f"{path}: a number is not finite")
    return table
