"""A table that grows by a column at a time, in amortised constant time."""

import numpy as np

INITIAL_COLUMNS = 16


class GrowingTable:
    """Columns of equal height; the rows of ``values`` are contiguous.

    Parameters
    ----------
    height : int
    """

    def __init__(self, height):
        self.columns = 0
        self._values = np.empty((height, INITIAL_COLUMNS))

    @property
    def values(self):
        """The columns so far, a view (height, columns)."""
        return self._values[:, : self.columns]

    @property
    def nbytes(self):
        """Bytes in use (columns held, not columns reserved)."""
        return self.values.nbytes

    def new_column(self):
        """Append a column; return it (height,) to be filled."""
        if self.columns == self._values.shape[1]:
            self._values = np.concatenate([self._values, np.empty_like(self._values)], axis=1)
        self.columns += 1
        return self._values[:, self.columns - 1]
