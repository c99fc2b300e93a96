r"""Arms from a regression data set: standardised features, and the target scaled to [0, 1].

The sex of an abalone is coded as one feature, 0, 1 or 2 for M, F or I, or as one-hot features. For
California housing, the numbers of rooms, bedrooms and people are totals per block or averages per
household. Constant features are not allowed.

The likely lengthscale maximises the marginal likelihood of a Gaussian process with a Gaussian
kernel and noise of standard deviation ``deviation``, given ``rows`` random rows,
$$\log p(y) = -\tfrac12y^\top(K+\xi^2I)^{-1}y-\tfrac12\log\det(K+\xi^2I)-\tfrac n2\log2\pi ;$$
`facts` reports this lengthscale, and the settings of a paper repeat its value.
"""

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from optimist.core.checksummed import write_frame
from optimist.core.errors import DataError
from optimist.data.prepare.tables import read_numbers

if TYPE_CHECKING:
    import pandas as pd

SEXES = ("M", "F", "I")
TOTALS = ("totalRooms", "totalBedrooms", "population")
LENGTHSCALES = (0.05, 50.0)


def write(
    frame: "pd.DataFrame", path: str | Path, one_hot: bool = False, averages: bool = False
) -> None:
    """Make arms from a raw table and write them; see `prepare`."""
    write_frame(prepare(frame, one_hot, averages), path)


def prepare(frame: "pd.DataFrame", one_hot: bool = False, averages: bool = False) -> "pd.DataFrame":
    """Return the arms made from a raw table.

    The first column is ``target``, the last column of the raw table scaled to [0, 1]; the
    standardised features follow.
    """
    *names, target = frame.columns
    features = _numeric(frame[names], one_hot).astype(float)
    if averages:
        features[list(TOTALS)] = features[list(TOTALS)].div(features["households"], axis=0)
    spread = features.std(ddof=0)
    if (spread == 0.0).any():
        raise DataError(f"column {spread.idxmin()} is constant; an arm's coordinate must vary")
    y = frame[target].astype(float)
    scaled = (features - features.mean()) / spread
    scaled.insert(0, "target", (y - y.min()) / (y.max() - y.min()))
    # Rounding to 12 digits removes the last bits, which differ between machines.
    return scaled.map(lambda value: float(f"{value:.12g}"))


def _numeric(features, one_hot):
    import pandas as pd

    texts = features.select_dtypes(exclude="number").columns
    for name in texts:
        if not set(features[name]) <= set(SEXES):
            raise DataError(f"column {name} has values other than {', '.join(SEXES)}")
    if one_hot:
        return pd.get_dummies(features, columns=list(texts), dtype=float)
    return features.assign(**{name: features[name].map(SEXES.index) for name in texts})


def read_arms(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Read features of shape (A, d) and targets of shape (A,) from a prepared file.

    Raises
    ------
    DataError
        If `write` could not have written the file.
    """
    table = read_numbers(path, "target")
    if table[:, 0].min() < 0.0 or table[:, 0].max() > 1.0:
        raise DataError(f"{path}: a target lies outside [0, 1]")
    return np.ascontiguousarray(table[:, 1:]), np.ascontiguousarray(table[:, 0])


def facts(
    frame: "pd.DataFrame", path: str | Path, deviation: float = 0.1, rows: int = 1000, seed: int = 0
) -> list[tuple[str, float]]:
    """Return the likely lengthscale and the number of arms that repeat another arm."""
    X, y = read_arms(path)
    chosen = np.random.default_rng(seed).choice(len(y), min(rows, len(y)), replace=False)
    return [
        ("likely_lengthscale", likely_lengthscale(X[chosen], y[chosen], deviation)),
        ("repeated_arms", float(len(X) - len(np.unique(X, axis=0)))),
    ]


def likely_lengthscale(X: np.ndarray, y: np.ndarray, deviation: float) -> float:
    """Return the lengthscale at which a Gaussian kernel has the largest marginal likelihood."""
    from scipy.optimize import minimize_scalar

    bounds = tuple(map(math.log, LENGTHSCALES))
    best = minimize_scalar(
        lambda log: -log_likelihood(X, y, math.exp(log), deviation), bounds=bounds
    )
    return math.exp(best.x)


def log_likelihood(X: np.ndarray, y: np.ndarray, lengthscale: float, deviation: float) -> float:
    """Return the marginal log-likelihood of ``y``, of shape (n,), at ``X``, of shape (n, d)."""
    from scipy.linalg import cho_solve
    from scipy.spatial.distance import cdist

    K = np.exp(cdist(X, X, "sqeuclidean") * (-0.5 / lengthscale**2))
    K += deviation**2 * np.eye(len(y))
    L = np.linalg.cholesky(K)
    fit = y @ cho_solve((L, True), y)
    return -0.5 * fit - np.log(np.diag(L)).sum() - 0.5 * len(y) * math.log(2.0 * math.pi)
