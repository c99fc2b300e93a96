"""Tables for training classifiers, with a label (0 or 1) and features on their original scale.

Rows with a missing value are dropped. The label is 1 for the larger of the two values in the last
column of the raw table; text is compared alphabetically, so M is larger than B. Features are
neither scaled nor recoded.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from optimist.core.errors import DataError
from optimist.data.prepare.tables import read_numbers, write_numbers

if TYPE_CHECKING:
    import pandas as pd


def write(frame: "pd.DataFrame", path: str | Path) -> None:
    """Prepare a raw table and write it as CSV with 12 significant digits."""
    table = prepare(frame)
    write_numbers(table.columns, table.to_numpy(float), path)


def prepare(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return the rows of a raw table that have no missing value.

    The first column of the result is ``label``, 0 or 1; the features follow.
    """
    *names, label = frame.columns
    texts = list(frame[names].select_dtypes(exclude="number").columns)
    if texts:
        raise DataError(f"column {texts[0]} is not numeric; allowed: numeric features")
    complete = frame.dropna()
    values = sorted(set(complete[label]))
    if len(values) != 2:
        raise DataError(f"column {label} has {len(values)} values; allowed: two classes")
    prepared = complete[names].reset_index(drop=True)
    prepared.insert(0, "label", (complete[label] == values[1]).to_numpy(int))
    return prepared


def read_table(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Read features of shape (n, d) and labels (0 or 1) of shape (n,) from a prepared file.

    Raises
    ------
    DataError
        If `write` could not have written the file.
    """
    table = read_numbers(path, "label")
    labels = np.unique(table[:, 0]).tolist()
    if labels != [0.0, 1.0]:
        raise DataError(f"{path}: labels are {labels}; allowed: exactly 0 and 1")
    return np.ascontiguousarray(table[:, 1:]), table[:, 0].astype(int)


def facts(frame: "pd.DataFrame", path: str | Path) -> list[tuple[str, float]]:
    """Return the table's size, the number of dropped rows and the share of the larger class."""
    features, labels = read_table(path)
    return [
        ("rows", float(len(labels))),
        ("features", float(features.shape[1])),
        ("dropped_rows", float(len(frame) - len(labels))),
        ("larger_class", float(np.bincount(labels).max() / len(labels))),
    ]
