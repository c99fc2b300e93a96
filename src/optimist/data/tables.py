"""Tables of raw data in files. pandas is imported where it is used: the workflow parses this."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.errors import DataError
from optimist.files import write_atomically, write_text

if TYPE_CHECKING:
    import pandas as pd


def read(path: str | Path) -> "pd.DataFrame":
    """Read a table from ``.csv`` or Parquet; raise DataError if it is missing or unreadable."""
    import pandas as pd

    path = Path(path)
    try:
        if path.suffix == ".csv":
            return pd.read_csv(path)
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read {path}: {' '.join(str(error).split())}") from None


def save(
    frame: "pd.DataFrame", record: dict[str, Any], parquet_path: str | Path, json_path: str | Path
) -> None:
    """Write a table as Parquet and its record as JSON, each complete or not at all."""
    text = json.dumps(record, indent=2) + "\n"
    write_atomically(parquet_path, lambda path: frame.to_parquet(path, index=False))
    write_text(text, json_path)
