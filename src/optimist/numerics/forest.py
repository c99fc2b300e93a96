"""Class probabilities of scikit-learn's random forest, computed with less overhead.

For every tree, `sklearn.ensemble.RandomForestClassifier` copies all parameters and dispatches a
task through joblib. With few training rows, this takes longer than growing the tree. This module
avoids the overhead by growing the trees one after another. It uses the seeds and bootstrap samples
that scikit-learn draws with ``random_state=0``.
"""

from typing import Any

import numpy as np

SEEDS = np.iinfo(np.int32).max  # exclusive upper limit of the trees' seeds


def forest_votes(
    settings: dict[str, Any], features: np.ndarray, labels: np.ndarray, points: np.ndarray
) -> np.ndarray:
    """Return the class probabilities (m, 2) of ``points``, averaged over the trees of a forest.

    Parameters
    ----------
    settings : dict
        Keyword arguments of `RandomForestClassifier`: ``n_estimators``, ``bootstrap`` and any that
        the classifier passes to its trees. ``random_state`` is always 0.
    features, labels : (n, d) and (n,) arrays
        Training rows and their classes, 0 or 1; both classes must occur.
    points : (m, d) array
        Rows to classify.
    """
    from sklearn.tree import DecisionTreeClassifier

    tree = dict(settings)
    n_trees, bootstrap = tree.pop("n_estimators"), tree.pop("bootstrap")
    rows, tested = features.astype(np.float32), points.astype(np.float32)
    targets = labels.astype(float)
    votes = np.zeros((len(points), 2))
    rng = np.random.RandomState(0)
    for seed in [rng.randint(SEEDS) for _ in range(n_trees)]:
        weights = _bootstrap(seed, len(rows)) if bootstrap else None
        grown = DecisionTreeClassifier(**tree, random_state=seed)
        grown.fit(rows, targets, sample_weight=weights, check_input=False)
        votes += grown.tree_.predict(tested)
    return votes / n_trees


def _bootstrap(seed, n):
    """Return how often a bootstrap sample draws each of ``n`` rows, as an array of shape (n,)."""
    drawn = np.random.RandomState(seed).randint(0, n, n, dtype=np.int32)
    return np.bincount(drawn, minlength=n)
