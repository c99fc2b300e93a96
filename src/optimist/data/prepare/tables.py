"""Reading prepared tables of numbers."""

from pathlib import Path

import numpy as np

from optimist.core.checksummed import read_text
from optimist.core.errors import DataError


def read_numbers(path: str | Path, first: str) -> np.ndarray:
    """Return the numbers of a prepared file, (rows, columns), all of them finite.

    The file has a header that begins with the name ``first``, at least one more column, and rows
    with the same number of columns.

    Raises
    ------
    DataError
        For any other file.
    """
    try:
        lines = read_text(path).splitlines()
        table = np.array([line.split(",") for line in lines[1:]], dtype=float)
    except ValueError as error:
        raise DataError(f"{path}: not a table of numbers: {error}") from None
    names = lines[0].split(",") if lines else [""]
    if names[0] != first or len(names) < 2:
        raise DataError(f"{path}: the header must begin with {first}, and features must follow")
    if table.ndim != 2 or table.shape[1] != len(names):
        raise DataError(f"{path}: there must be rows, of {len(names)} numbers each")
    if not np.isfinite(table).all():
        raise DataError(f"{path}: a number is not finite")
    return table
