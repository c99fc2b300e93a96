"""Check files and tables against the SHA-256 digests in the registry of data sets."""

import hashlib
import json
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING

from optimist.core.errors import DataError
from optimist.core.files import sha256
from optimist.core.root import how_to_restore
from optimist.data.sources import Source

if TYPE_CHECKING:
    import pandas as pd


def check_file(path: Path, expected: str) -> None:
    """Raise DataError unless a file exists and has the SHA-256 ``expected``."""
    if not path.is_file():
        raise DataError(
            f"{path} is missing; its SHA-256 must be {expected}; {how_to_restore(path)}"
        )
    digest = sha256(path)
    if digest != expected:
        raise DataError(
            f"{path} is damaged: expected SHA-256 {expected}, found {digest}; "
            f"{how_to_restore(path)}"
        )


def verified(frame: "pd.DataFrame", entry: Source, place: str) -> "pd.DataFrame":
    """Return the registered columns of a table, with whole numbers in the smallest integer type.

    Error messages name ``place`` as the origin of the table.

    Raises
    ------
    DataError
        If the columns, the number of rows or the content differs from the registry.
    """
    missing = [name for name in entry.columns if name not in frame.columns]
    if missing:
        raise DataError(f"{entry.name} from {place}: no column {', '.join(missing)}")
    if len(frame) != entry.rows:
        raise DataError(f"{entry.name} from {place}: {len(frame)} rows, expected {entry.rows}")
    frame = frame[list(entry.columns)]
    digest = canonical_digest(frame)
    if digest != entry.content_sha256:
        raise DataError(
            f"{entry.name} from {place}: wrong content, "
            f"expected digest {entry.content_sha256}, found {digest}"
        )
    return _compact(frame)


def canonical_digest(frame: "pd.DataFrame") -> str:
    """Return the SHA-256 of a table's content, which is independent of dtypes and file format.

    The hashed text has one item per line: first the number of rows, then the name and the values of
    each column, in order. Names and text values are in JSON quotes, integers have all digits, other
    numbers have 15 significant digits (which any parser preserves), and missing values are empty
    lines. The index and the dtypes do not affect the digest; the order of rows and of columns does.
    """
    digest = hashlib.sha256(f"{len(frame)} rows\n".encode())
    for name, column in frame.items():
        lines = "\n".join([json.dumps(name), *_texts(column), ""])
        digest.update(lines.encode())
    return digest.hexdigest()


def _texts(column: "pd.Series") -> list[str]:
    import numpy as np
    import pandas as pd

    # Each distinct value is formatted once. Missing values have code -1, which selects the empty
    # text at the end.
    codes, values = pd.factorize(column)
    return np.array([*map(_text, values), ""], dtype=object)[codes].tolist()


def _text(value: str | float) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, Integral) or float(value).is_integer():
        return str(int(value))
    return f"{value:.15g}"


def _compact(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Store whole numbers in the smallest signed type, so that equal tables have equal dtypes."""
    import pandas as pd

    def compact(column: "pd.Series") -> "pd.Series":
        numeric = pd.api.types.is_numeric_dtype(column)
        return pd.to_numeric(column, downcast="integer") if numeric else column

    return frame.reset_index(drop=True).apply(compact)
