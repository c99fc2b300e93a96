"""Convert Python values to Arrow columns, and Arrow columns to numpy arrays, without pandas.

`pyarrow.array`, ``to_numpy`` and comparisons import pandas to check for pandas objects, which takes
longer than the rest of a short job. This module writes and reads the buffers of a column itself, in
the layout of Arrow's specification "Columnar Format".
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

# Doubles represent all integers up to this size; pyarrow rejects larger ones mixed with floats.
EXACT = 2**53
_BOOLS = frozenset((bool, np.bool_))
_INTEGERS = frozenset((int, np.int64))
_NUMBERS = _INTEGERS | {float, np.float64}


def array(values: Sequence[Any]) -> Any:
    """Return an Arrow array with the same type and values as ``pyarrow.array(values)``.

    None becomes a null. Strings, booleans and 64-bit numbers are converted here; pyarrow converts
    other values and mixed types, and may raise its own errors.
    """
    present = [value for value in values if value is not None]
    kinds = frozenset(map(type, present))
    try:
        if not kinds:
            return pa.nulls(len(values))
        if kinds == {str}:
            texts = [(value or "").encode() for value in values]
            ends = np.zeros(len(texts) + 1, np.int32)
            np.cumsum([*map(len, texts)], out=ends[1:])
            return _assembled(pa.string(), values, present, ends, b"".join(texts))
        if kinds <= _BOOLS:
            return _assembled(pa.bool_(), values, present, _bits(map(bool, values)))
        if kinds <= _INTEGERS:
            numbers = np.array([0 if value is None else value for value in values], np.int64)
            return _assembled(pa.int64(), values, present, numbers)
        whole = [one for one in present if type(one) in _INTEGERS]
        if kinds <= _NUMBERS and all(-EXACT <= one <= EXACT for one in whole):
            return _assembled(pa.float64(), values, present, np.array(values, np.float64))
    except (OverflowError, UnicodeEncodeError):  # pyarrow raises the error below
        pass
    return pa.array(values)


def _assembled(kind: Any, values: Sequence[Any], present: Sequence[Any], *content: Any) -> Any:
    """Assemble an Arrow array from its buffers, in which nulls occupy space too."""
    nulls = len(values) - len(present)
    mask = _bits(value is not None for value in values) if nulls else None
    buffers = [None if part is None else pa.py_buffer(part) for part in (mask, *content)]
    return pa.Array.from_buffers(kind, len(values), buffers, nulls)


def _bits(flags: Any) -> np.ndarray:
    return np.packbits(np.fromiter(flags, bool), bitorder="little")


def values(column: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of an Arrow array, chunked or not, and a mask of non-null values.

    Parameters
    ----------
    column : pyarrow.Array or pyarrow.ChunkedArray
        Column of numbers, of booleans, or only of nulls.

    Returns
    -------
    values : (n,) array
        Values of the column's own type, arbitrary at nulls.
    present : (n,) array of bool
        Whether each value is not null.

    Raises
    ------
    TypeError
        If the column has another type, such as strings; for these, ``to_pylist`` is fast.
    """
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    parts = [_of_chunk(chunk) for chunk in chunks or [pa.nulls(0, column.type)]]
    if len(parts) == 1:  # avoids a copy
        return parts[0]
    numbers, present = (np.concatenate(each) for each in zip(*parts, strict=True))
    return numbers, present


def _of_chunk(chunk: Any) -> tuple[np.ndarray, np.ndarray]:
    kind, start, stop = chunk.type, chunk.offset, chunk.offset + len(chunk)
    if pa.types.is_null(kind):
        return np.zeros(len(chunk)), np.zeros(len(chunk), bool)
    mask, *content = chunk.buffers()
    present = np.ones(len(chunk), bool) if mask is None else _flags(mask, start, stop)
    if pa.types.is_boolean(kind):
        return _flags(content[0], start, stop), present
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        letter = "f" if pa.types.is_floating(kind) else str(kind)[0]  # int64, uint8
        return np.frombuffer(content[0], f"{letter}{kind.bit_width // 8}")[start:stop], present
    raise TypeError(
        f"a column is {kind}; allowed: numbers and truth values; for other types, use to_pylist()"
    )


def _flags(bits: Any, start: int, stop: int) -> np.ndarray:
    return np.unpackbits(np.frombuffer(bits, np.uint8), count=stop, bitorder="little")[start:] > 0
