r"""Arms of the Covertype experiment: centroids of K-means clusters, and the clusters' class shares.

Each row is a forest cell. Let z be the ten numeric columns, each centred and scaled to unit
variance over all rows. The arm of cluster C_k and its mean reward are

    x_k = (mean_{i in C_k} z_i, 1) / max_j ||(mean_{i in C_j} z_i, 1)||,
    m_k = share of Cover_Type 2 (lodgepole pine) in C_k.

Source: Zhang et al. (2025), Generalized Linear Bandits: Almost Optimal Regret with One-Pass
Update, appendix F.3. The paper gives neither the K-means seed nor the scaling of the arms.

K-means, which uses floating point, determines only the partition. Column moments and centroids are
computed from exact integer sums, so neither BLAS nor the number of threads can change their last
digits.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from optimist.core.errors import ConfigError, DataError
from optimist.data.prepare.tables import read_numbers, write_numbers

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

NUMERIC = (
    "Elevation",
    "Aspect",
    "Slope",
    "Horizontal_Distance_To_Hydrology",
    "Vertical_Distance_To_Hydrology",
    "Horizontal_Distance_To_Roadways",
    "Hillshade_9am",
    "Hillshade_Noon",
    "Hillshade_3pm",
    "Horizontal_Distance_To_Fire_Points",
)
LABEL = "Cover_Type"
LODGEPOLE_PINE = 2
FEATURES = (*NUMERIC, "constant")
NORM_SLACK = 1e-9  # after rounding, the norm of an arm may exceed 1 by this much


@dataclass(frozen=True)
class CovertypeArms:
    """K arms in increasing order of mean reward.

    features : (K, 11) float, ten standardised columns and the constant; the longest arm has norm 1.
    means : (K,) float in [0, 1], mean reward of each arm.
    sizes : (K,) int, number of rows in each cluster.
    """

    features: np.ndarray
    means: np.ndarray
    sizes: np.ndarray


def write(
    frame: "pd.DataFrame", path: str | Path, clusters: int = 60, seed: int = 7, n_init: int = 1
) -> None:
    """Make arms from a raw table and write them; for the options, see `prepare`."""
    write_arms(prepare(frame, clusters, seed, n_init), path)


def facts(
    frame: "pd.DataFrame",
    path: str | Path,
    clusters: int = 60,
    seed: int = 7,
    n_init: int = 1,
    spread_seeds: Sequence[int] = (),
) -> list[tuple[str, float]]:
    """Return (name, value) pairs: the lowest and highest cluster means for the ``spread_seeds``."""
    table = extremes(frame, spread_seeds, clusters, n_init, clustered={seed: read_arms(path)})
    names = ("lowest", "highest")
    return [
        (f"cluster_mean_{name}_seed_{row.seed}", float(getattr(row, name)))
        for row in table.itertuples()
        for name in names
    ]


def prepare(
    frame: "pd.DataFrame", clusters: int = 60, seed: int = 7, n_init: int = 1
) -> CovertypeArms:
    """Cluster all rows of Covertype and return the clusters as arms.

    Parameters
    ----------
    frame : DataFrame
        Integer columns ``NUMERIC`` and ``LABEL``, one row per forest cell.
    clusters : int
        Number of arms, K.
    seed, n_init : int
        ``random_state`` and number of restarts of scikit-learn's KMeans.

    Raises
    ------
    DataError
        If a column is missing or constant, or does not consist of integers.
    ConfigError
        If a cluster is empty, or there are more clusters than rows.
    """
    values, label = _integers(frame)
    z = _standardised(values, values)
    partition = _partition(z, clusters, seed, n_init)
    means, sizes = _shares(label, partition, clusters)
    sums = np.stack([_sums(column, partition, clusters) for column in values.T], axis=1)
    centroids = _standardised(sums / sizes[:, None], values)
    # The constant feature is added after scaling, since a constant column cannot be scaled to unit
    # variance.
    arms = np.column_stack([centroids, np.ones(clusters)])
    arms /= np.linalg.norm(arms, axis=1).max()
    order = np.lexsort([*arms.T[::-1], means])
    return CovertypeArms(arms[order], means[order], sizes[order])


def extremes(
    frame: "pd.DataFrame",
    seeds: Iterable[int],
    clusters: int = 60,
    n_init: int = 1,
    clustered: Mapping[int, CovertypeArms] | None = None,
) -> "pd.DataFrame":
    """Return the lowest and highest mean reward for each K-means seed.

    The table has columns ``seed``, ``lowest`` and ``highest``. All rows are clustered once for each
    seed whose arms are not in ``clustered``.
    """
    import pandas as pd

    values, label = _integers(frame)
    z = _standardised(values, values)
    rows = []
    for seed in seeds:
        if clustered and seed in clustered:
            means = clustered[seed].means
        else:
            means, _ = _shares(label, _partition(z, clusters, seed, n_init), clusters)
        rows.append((seed, means.min(), means.max()))
        logger.info("K-means seed %d: cluster means from %.4f to %.4f", *rows[-1])
    return pd.DataFrame(rows, columns=["seed", "lowest", "highest"])


def logistic_fit_norm(arms: CovertypeArms) -> float:
    """Return the norm of theta in a logistic fit to the means, weighted by cluster size.

    The fit treats each row as if it had the features of its arm, and maximises the likelihood of
    all rows without a penalty. It has no intercept other than the constant feature. The norm shows
    whether S, the bound given to the algorithms, is plausible.
    """
    from sklearn.linear_model import LogisticRegression

    # Each share becomes a weighted pair of labels, 1 and 0.
    x = np.vstack([arms.features, arms.features])
    y = np.repeat([1, 0], len(arms.means))
    weights = np.concatenate([arms.sizes * arms.means, arms.sizes * (1 - arms.means)])
    model = LogisticRegression(C=np.inf, fit_intercept=False, solver="newton-cholesky", tol=1e-8)
    return float(np.linalg.norm(model.fit(x, y, sample_weight=weights).coef_))


def write_arms(arms: CovertypeArms, path: str | Path) -> None:
    """Write arms as CSV: ``mean``, ``size`` and the features, with 12 significant digits."""
    table = np.column_stack([arms.means, arms.sizes, arms.features])
    write_numbers(("mean", "size", *FEATURES), table, path)


def read_arms(path: str | Path) -> CovertypeArms:
    """Read arms written by `write_arms`.

    Raises
    ------
    DataError
        If the file is not a table of numbers, or if it contains impossible values.
    """
    table = read_numbers(path, "mean", "size", *FEATURES)
    _validate(table, path)
    return CovertypeArms(table[:, 2:], table[:, 0], table[:, 1].astype(np.int64))


def _validate(table: np.ndarray, path: str | Path) -> None:
    means, sizes = table[:, 0], table[:, 1]
    longest = np.linalg.norm(table[:, 2:], axis=1).max()
    faults = {
        "a mean lies outside [0, 1]": ((means < 0) | (means > 1)).any(),
        "a size is not a positive integer": ((sizes < 1) | (sizes % 1 != 0)).any(),
        f"an arm has norm {longest:.12g} > 1": longest > 1 + NORM_SLACK,
    }
    for message, present in faults.items():
        if present:
            raise DataError(f"{path}: {message}")


def _integers(frame: "pd.DataFrame") -> tuple[np.ndarray, np.ndarray]:
    """Return the numeric columns, and whether the cover type of each row is lodgepole pine.

    The result is an int64 array of shape (n, 10) and a boolean array of shape (n,).
    """
    missing = [name for name in (*NUMERIC, LABEL) if name not in frame.columns]
    if missing:
        raise DataError(f"Covertype has no column {', '.join(missing)}")
    fractional = [name for name in NUMERIC if frame[name].dtype.kind not in "iu"]
    if fractional:
        raise DataError(f"Covertype column {', '.join(fractional)}: expected integers")
    label = frame[LABEL].to_numpy() == LODGEPOLE_PINE
    return frame[list(NUMERIC)].to_numpy(np.int64), label


def _standardised(points: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Standardise ``points`` by the mean and population deviation of each column of ``values``.

    The arrays have shapes (m, 10) and (n, 10).
    """
    n = len(values)
    totals, squares = values.sum(axis=0), (values * values).sum(axis=0)
    # n sum x^2 - (sum x)^2 exceeds 64 bits, so it is computed with Python integers.
    spread = [n * int(q) - int(t) ** 2 for t, q in zip(totals, squares, strict=True)]
    if 0 in spread:
        raise DataError(f"Covertype column {NUMERIC[spread.index(0)]} is constant")
    deviations = np.sqrt([s / n**2 for s in spread])
    return (points - totals / n) / deviations


def _partition(z: np.ndarray, clusters: int, seed: int, n_init: int) -> np.ndarray:
    """Return the cluster of each row of ``z``, of shape (n,); raise ConfigError if one is empty."""
    from sklearn.cluster import KMeans

    if not 1 <= clusters <= len(z):
        raise ConfigError(
            f"clusters is {clusters}; allowed: from 1 to {len(z)}, the number of rows"
        )
    partition = KMeans(clusters, n_init=n_init, random_state=seed).fit(z).labels_
    filled = len(np.unique(partition))
    if filled < clusters:
        raise ConfigError(
            f"clusters is {clusters}, but the number of clusters with rows is {filled}"
        )
    return partition


def _sums(column: np.ndarray, partition: np.ndarray, clusters: int) -> np.ndarray:
    # Floats represent integers below 2^53 exactly; the largest sum here is about 10^9.
    return np.bincount(partition, weights=column, minlength=clusters)


def _shares(
    label: np.ndarray, partition: np.ndarray, clusters: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return each cluster's share of true labels and its size.

    Both arrays have shape (K,).
    """
    sizes = np.bincount(partition, minlength=clusters)
    return _sums(label, partition, clusters) / sizes, sizes
