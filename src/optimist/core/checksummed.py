"""Read and write files that contain a SHA-256 digest of their own content.

The footer of a Parquet file contains the digest under the key `KEY`; the digest is computed with
zeros in its place. A text file contains the digest in its last line. Readers check the digest and
parse exactly the bytes that they checked.

Pyarrow's own page checksums do not cover the footer; with them alone, 24 of 1,500 bit flips changed
a table undetected.
"""

import hashlib
import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.core.errors import ResultError, UnreadableError
from optimist.core.files import unified, write_atomically
from optimist.core.root import how_to_restore

# Text files do not need pyarrow, so functions import it only where they use it.
if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

KEY = "optimist.sha256"
REMEDY = "delete it and run the same command again"
_LENGTH = 64
_BLANK = b"0" * _LENGTH
# Bytes before the digest in a footer, in Thrift's compact protocol: the key, then the header of
# field 2, a string of `_LENGTH` bytes.
_MARK = KEY.encode() + b"\x18" + bytes([_LENGTH])
_LINE = "# SHA-256 of the lines above: "


def write_table(
    table: "pa.Table | list[pa.Table]",
    path: str | Path,
    metadata: Mapping[str, str] | None = None,
    **options: Any,
) -> None:
    """Write an Arrow table as Parquet.

    Parameters
    ----------
    table : Table or list of Table
        Table to write. Tables in a list must have the same schema; each becomes a row group.
    path : str or Path
    metadata : mapping of str to str
        Additional entries for the file's metadata.
    **options
        Options of `pyarrow.parquet.ParquetWriter`.
    """
    groups = table if isinstance(table, list) else [table]
    entries = {**(metadata or {}), KEY: _BLANK.decode()}
    write_atomically(path, lambda temporary: _write_parquet(groups, temporary, entries, options))


def _write_parquet(
    groups: "list[pa.Table]", path: Path, metadata: dict[str, str], options: dict[str, object]
) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(path, groups[0].schema, **options) as writer:
        for table in groups:
            writer.write_table(table)
        writer.add_key_value_metadata(metadata)
    content = path.read_bytes()
    with path.open("r+b") as file:
        file.seek(_place(content))
        file.write(hashlib.sha256(content).hexdigest().encode())


def write_text(text: str, path: str | Path) -> None:
    """Write a text in UTF-8 and append a line with its digest.

    The text must end with a newline.
    """
    content = text.encode()
    write_atomically(path, lambda temporary: temporary.write_bytes(content + _seal(content)))


def write_frame(frame: "pd.DataFrame", path: str | Path) -> None:
    """Write a DataFrame as CSV or Parquet, according to the extension of ``path``."""
    if str(path).endswith(".csv"):
        write_text(frame.to_csv(index=False, lineterminator="\n"), path)
    else:
        import pyarrow as pa

        write_table(pa.Table.from_pandas(frame, preserve_index=False), path)


def open_parquet(path: str | Path, remedy: str = REMEDY) -> "pq.ParquetFile":
    """Check the content of a Parquet file and open it.

    Raises
    ------
    ResultError
        If the file is missing or damaged; the message gives a remedy if one is known.
    UnreadableError
        If the file exists but cannot be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = bytearray(_content(path))
    place = _place(content)
    stated = content[place : place + _LENGTH] if place else b""
    content[place : place + len(stated)] = _BLANK[: len(stated)]
    if hashlib.sha256(content).hexdigest().encode() != stated:
        raise ResultError(
            f"{path} is damaged or was not written by this version; {how_to_restore(path, remedy)}"
        )
    return pq.ParquetFile(pa.BufferReader(pa.py_buffer(content)))


def read_text(path: str | Path) -> str:
    """Check a text file and return its text without the last line, which contains the digest.

    Line endings changed by a checkout are accepted. The errors are those of `open_parquet`.
    """
    content = _content(path)
    for whole in (content, unified(content)):
        text = whole[: -len(_seal(b""))]
        if whole == text + _seal(text):
            return text.decode()
    raise ResultError(
        f"{path} is damaged or was not written by this version; {how_to_restore(path, REMEDY)}"
    )


def _seal(text: bytes) -> bytes:
    """Return the line with the digest of ``text``, to be written after it."""
    return f"{_LINE}{hashlib.sha256(text).hexdigest()}\n".encode()


def read_frame(path: str | Path) -> "pd.DataFrame":
    """Read a DataFrame from CSV or Parquet; raise the same errors as `open_parquet`."""
    if str(path).endswith(".csv"):
        import pandas as pd

        return pd.read_csv(io.StringIO(read_text(path)))
    return open_parquet(path).read().to_pandas()


def _content(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        remedy = how_to_restore(path, "")
        raise ResultError(f"{path} does not exist{remedy and f'; {remedy}'}") from None
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read: {error.strerror or error}") from None


def _place(content: bytes | bytearray) -> int:
    """Return the position of the digest in a Parquet file, or 0 if there is no digest."""
    mark = content.rfind(_MARK)
    return mark + len(_MARK) if mark >= 0 else 0
