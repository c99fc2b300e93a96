"""Arrays that grow by an item or a column at a time, in amortised constant time."""

from typing import Any

import numpy as np

INITIAL_COLUMNS = 16
INITIAL_ITEMS = 16


class GrowingArray:
    """Items of one shape, joined along the first axis.

    Parameters
    ----------
    *shape : int
        Of an item; none for numbers.
    dtype : type
    """

    def __init__(self, *shape: Any, dtype: Any = float) -> None:
        self._length = 0
        self._values = np.empty((INITIAL_ITEMS, *shape), dtype)

    def __len__(self):
        return self._length

    @property
    def values(self) -> np.ndarray:
        """The items so far, a view (n, ...)."""
        return self._values[: self._length]

    @property
    def nbytes(self) -> int:
        """Bytes in use (items held, not items reserved)."""
        return self.values.nbytes

    def append(self, item: Any) -> None:
        """Add an item at the end."""
        self.extend(np.asarray(item)[None])

    def extend(self, items: Any) -> None:
        """Add several items at the end, joined along the first axis."""
        end = self._length + len(items)
        while end > len(self._values):
            self._values = np.concatenate([self._values, np.empty_like(self._values)])
        self._values[self._length : end] = items
        self._length = end


class GrowingTable:
    """Columns of equal height; the rows of ``values`` are contiguous.

    Parameters
    ----------
    height : int
    """

    def __init__(self, height: int) -> None:
        self.columns = 0
        self._values = np.empty((height, INITIAL_COLUMNS))

    @property
    def values(self) -> np.ndarray:
        """The columns so far, a view (height, columns)."""
        return self._values[:, : self.columns]

    @property
    def nbytes(self) -> int:
        """Bytes in use (columns held, not columns reserved)."""
        return self.values.nbytes

    def new_column(self) -> np.ndarray:
        """Append a column; return it (height,) to be filled."""
        if self.columns == self._values.shape[1]:
            self._values = np.concatenate([self._values, np.empty_like(self._values)], axis=1)
        self.columns += 1
        return self._values[:, self.columns - 1]
