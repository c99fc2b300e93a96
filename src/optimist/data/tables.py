"""Read and write tables of raw data.

pandas is imported only when needed, because the workflow loads this module.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.core import checksummed
from optimist.core.errors import DataError, known_name
from optimist.core.files import write_text
from optimist.core.observation import observe
from optimist.data.sources import load_sources
from optimist.data.verify import verified

if TYPE_CHECKING:
    import pandas as pd


def read(path: str | Path) -> "pd.DataFrame":
    """Read an unverified table from CSV or Parquet; raise DataError if that fails."""
    import pandas as pd

    path = Path(path)
    observe(path)  # needed because pyarrow does not use Python's ``open``
    try:
        if path.suffix == ".csv":
            return pd.read_csv(path)
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read {path}: {' '.join(str(error).split())}") from None


def read_raw(path: str | Path) -> "pd.DataFrame":
    """Read a fetched table from a file named after its data set, and verify it again.

    Raises
    ------
    ResultError
        If the file is missing or damaged.
    DataError
        If the table differs from the registered table.
    """
    path = Path(path)
    sources = load_sources()
    entry = sources[known_name("data set", path.stem, sources)]
    try:
        return verified(checksummed.read_frame(path), entry, str(path))
    except DataError as error:
        raise DataError(f"{error}; {checksummed.REMEDY}") from None


def save(
    frame: "pd.DataFrame", record: dict[str, Any], parquet_path: str | Path, json_path: str | Path
) -> None:
    """Write a table as Parquet and its record as JSON; neither file is ever written in part."""
    text = json.dumps(record, indent=2) + "\n"
    checksummed.write_frame(frame, parquet_path)
    write_text(text, json_path)
