"""Arrays that grow one item or one column at a time.

A full array is copied into one that is larger by a constant factor. The average copying time per
added entry is therefore constant.
"""

from typing import Any

import numpy as np

from optimist.numerics import compiled

INITIAL_COLUMNS = 16
INITIAL_ITEMS = 16
GROWTH = 4  # a full square array grows by 1 / GROWTH of its size


class GrowingArray:
    """An array that grows along its first axis, by items of equal shape.

    Parameters
    ----------
    *shape : int
        Shape of an item; omitted for scalars.
    dtype : type
    """

    def __init__(self, *shape: Any, dtype: Any = float) -> None:
        self._length = 0
        self._values = np.empty((INITIAL_ITEMS, *shape), dtype)

    def __len__(self) -> int:
        return self._length

    @property
    def values(self) -> np.ndarray:
        """The items so far, as a view of shape (n, ...)."""
        return self._values[: self._length]

    @property
    def nbytes(self) -> int:
        """Number of bytes in use, excluding reserved memory."""
        return self.values.nbytes

    def append(self, item: Any) -> None:
        """Add an item at the end."""
        if self._length == len(self._values):
            self._double()
        self._values[self._length] = item
        self._length += 1

    def extend(self, items: Any) -> None:
        """Add several items, given as an array of shape (m, ...), at the end."""
        end = self._length + len(items)
        while end > len(self._values):
            self._double()
        self._values[self._length : end] = items
        self._length = end

    def _double(self):
        self._values = np.concatenate([self._values, np.empty_like(self._values)])


class GrowingTable:
    """A table that grows by columns; each row of ``values`` is contiguous in memory.

    Parameters
    ----------
    height : int
        Number of rows.
    """

    def __init__(self, height: int) -> None:
        self.columns = 0
        self._values = np.empty((height, INITIAL_COLUMNS))

    @property
    def values(self) -> np.ndarray:
        """The columns so far, as a view of shape (height, columns)."""
        return self._values[:, : self.columns]

    @property
    def nbytes(self) -> int:
        """Number of bytes in use, excluding reserved memory."""
        return self.values.nbytes

    def new_column(self) -> np.ndarray:
        """Append a column and return a view of it, of shape (height,), for the caller to fill."""
        if self.columns == self._values.shape[1]:
            self._values = np.concatenate([self._values, np.empty_like(self._values)], axis=1)
        self.columns += 1
        return self._values[:, self.columns - 1]


class GrowingSquare:
    """A symmetric matrix that grows as outer products of longer vectors are added."""

    def __init__(self) -> None:
        self.size = 0
        self._values = np.zeros((INITIAL_ITEMS, INITIAL_ITEMS), order="F")

    @property
    def values(self) -> np.ndarray:
        """The matrix, as a view of shape (n, n)."""
        return self._values[: self.size, : self.size]

    @property
    def nbytes(self) -> int:
        """Number of bytes in use, excluding reserved memory."""
        return self.values.nbytes

    def column(self, place: int) -> np.ndarray:
        """Return the column with index ``place``, as a view of shape (n,)."""
        return self._values[: self.size, place]

    def fill(self, values: np.ndarray) -> None:
        """Set the matrix to ``values``, which must have the same shape (n, n)."""
        self._values[: self.size, : self.size] = values

    def add_square(self, x: np.ndarray, factor: float) -> None:
        """Add ``factor`` times the outer product of ``x`` with itself.

        ``x`` must have at least n entries; its length becomes the new n.
        """
        self.size = len(x)
        if self.size > len(self._values):
            self._reserve(self.size + self.size // GROWTH)
        padded = np.zeros(len(self._values))
        padded[: self.size] = x
        self._values = compiled.blas.dger(factor, padded, padded, a=self._values, overwrite_a=1)

    def _reserve(self, size):
        larger = np.zeros((size, size), order="F")
        larger[: len(self._values), : len(self._values)] = self._values
        self._values = larger
