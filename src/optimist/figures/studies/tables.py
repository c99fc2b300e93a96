"""Files that store the tables of studies: one per study, and one for all studies of a paper.

A file has the columns of all its tables, and a column ``table`` that names each row's table. Its
metadata contain the types of each table's columns, so that `read` returns the tables as they were
written.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.core import checksummed
from optimist.core.errors import ResultError

if TYPE_CHECKING:
    import pandas as pd

KEY = "optimist.studies"
# Columns of every table of facts; ``trials`` may follow.
FACTS = ["name", "setting", "value"]


def write(
    tables: "Mapping[str, pd.DataFrame]", path: str | Path, about: Mapping[str, Any] | None = None
) -> None:
    """Write named tables to a file, with a record of how they were made.

    Tables without rows keep their columns.
    """
    import pandas as pd
    import pyarrow as pa

    kinds = [
        (name, [(column, str(kind)) for column, kind in table.dtypes.items()])
        for name, table in tables.items()
    ]
    joined = pd.concat(
        [table.astype(_plain(table)).assign(table=name) for name, table in tables.items()],
        ignore_index=True,
    )
    joined = joined[["table", *(name for name in joined if name != "table")]]
    packed = pa.Table.from_pandas(joined, preserve_index=False).replace_schema_metadata()
    real = [f.name for f in packed.schema if pa.types.is_floating(f.type)]
    checksummed.write_table(
        packed,
        path,
        {KEY: json.dumps({"kinds": kinds, "about": dict(about or {})}, sort_keys=True)},
        compression="zstd",
        compression_level=19,
        use_dictionary=[name for name in packed.column_names if name not in real],
        use_byte_stream_split=real,
        store_schema=False,
    )


def _plain(table: "pd.DataFrame") -> dict[str, str]:
    """Return the type in which to write each column: float64 for numbers and booleans, else str."""
    return {
        column: "float64" if kind.kind in "biuf" else "str" for column, kind in table.dtypes.items()
    }


def read(path: str | Path) -> "tuple[dict[str, pd.DataFrame], dict[str, Any]]":
    """Return a file's tables, keyed by name, and the record of how they were made.

    Raises
    ------
    ResultError
        If the file is missing or damaged, or does not contain the tables of studies.
    """
    file = checksummed.open_parquet(path)
    record = (file.metadata.metadata or {}).get(KEY.encode())
    if record is None:
        raise ResultError(f"{path} does not contain the tables of studies; {checksummed.REMEDY}")
    about = json.loads(record)
    joined = file.read().to_pandas()
    tables = {}
    for name, kinds in about["kinds"]:
        table = joined.loc[joined["table"] == name, [c for c, _ in kinds]].reset_index(drop=True)
        tables[name] = table.astype({c: kind for c, kind in kinds if kind != "str"})
    return tables, about["about"]


def content(tables: "Mapping[str, pd.DataFrame]") -> str:
    """Return a digest of the tables' names and contents."""
    sink = hashlib.sha256()
    for name, table in sorted(tables.items()):
        sink.update(name.encode())
        sink.update(table.to_csv(index=False, lineterminator="\n").encode())
    return sink.hexdigest()[:16]


def with_facts(tables: "Mapping[str, pd.DataFrame]") -> "dict[str, pd.DataFrame]":
    """Return the tables, with all fact tables joined into one, ``facts``."""
    import pandas as pd

    facts = [name for name, table in tables.items() if [*table.columns][:3] == FACTS]
    rest = {name: table for name, table in tables.items() if name not in facts}
    if facts:
        rest["facts"] = pd.concat([tables[name] for name in facts], ignore_index=True)
    return rest
