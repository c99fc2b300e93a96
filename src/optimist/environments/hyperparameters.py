r"""Tuning of a classifier: the function on the box is its accuracy on held-out rows.

A point of $[0,10]^d$ represents the settings of scikit-learn's random forest (d = 7), multi-layer
perceptron (d = 8) or gradient boosting (d = 11); see `optimist.numerics.search_space`. Each split
divides the rows into F stratified folds and serves F trials: trial k trains the classifier on
split k // F without fold k mod F and tests it on that fold. Classifiers get ``random_state=0``, so
the function is deterministic. It takes few distinct values, so many points tie. Its maximum is
unknown, so regret is measured from the best value found.

Source: Liu and Wang (2023), Global Optimization with Parametric Function Approximation, section 6.
The models, ranges and data sets come from the paper; the splits, seeds and unscaled features are
our choices.

Scores are stored in memory and in a folder next to the table, under a key that covers all inputs,
so no classifier is trained twice. A perceptron's score may depend on how sums are rounded, so
training always uses one thread, and scores from other library versions or kinds of processor are
stored separately. Retraining would therefore reproduce the stored score.
"""

import functools
import hashlib
import importlib
import inspect
import json
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from optimist.core import checksummed
from optimist.core.errors import ConfigError, OptimistError, not_negative, one_of, whole_number
from optimist.core.layout import evaluations_in
from optimist.core.source_files import tree_digest
from optimist.data.prepare.classification import read_table
from optimist.environments.base import BoxEnvironment
from optimist.environments.problems.box import BoxProblem
from optimist.numerics.forest import forest_votes
from optimist.numerics.search_space import SIDE, SPACES, decode

RECIPE = 2  # increase when `accuracy` gives other results although its source is the same
TOLD_DEVIATION = 0.01  # the paper's sigma
# Random forests are not listed, since `optimist.numerics.forest` grows them.
CLASSIFIERS = {
    "mlp": "sklearn.neural_network:MLPClassifier",
    "gb": "sklearn.ensemble:GradientBoostingClassifier",
}
# scikit-learn ignores the deprecated criterion of gradient boosting, so the fifth of the eleven
# coordinates has no effect.
NOT_PASSED = {"gb": ("criterion",)}
# The two names mean the same criterion, so they share stored scores.
SAME = {"rf": {"criterion": {"log_loss": "entropy"}}}


class HyperparameterEnvironment(BoxEnvironment):
    """Environment whose function is a classifier's accuracy on one fold of a prepared table.

    Parameters
    ----------
    horizon : int
        Number of rounds, including the initial ones.
    trial : int
        Index of the trial, counted from 0.
    stream : callable
        Maps a purpose (str) to the numpy Generator for this setting and trial.
    dataset : str or Path
        Path of the prepared table; see `optimist.data.prepare.classification`.
    model : {"rf", "mlp", "gb"}
        Random forest, multi-layer perceptron, gradient boosting.
    initial : int
        n, the number of initial points, which are drawn uniformly and are the same for all
        algorithms.
    folds : int
        F, the number of folds; trial k tests the classifier on fold k mod F of split k // F.
    standardize : bool
        Whether to scale features to mean 0 and variance 1 over the training rows.
    deviation : float
        Standard deviation of normal noise on observations; 0 means no noise. Algorithms always
        assume 0.01.

    Raises
    ------
    ConfigError
        If a parameter is out of range.
    DataError
        If the prepared file is missing or damaged.
    """

    maximum_is_known = False
    maximum = 1.0

    def __init__(
        self,
        *,
        horizon: int,
        trial: int,
        stream: Callable[[str], np.random.Generator],
        dataset: str | Path,
        model: str,
        initial: int = 8,
        folds: int = 5,
        standardize: bool = False,
        deviation: float = 0.0,
    ) -> None:
        self.horizon = horizon
        self.model = one_of("model", model, SPACES)
        self.folds = whole_number("folds", folds, 2)
        self.repeat, self.fold = divmod(trial, folds)
        self.standardize = one_of("standardize", standardize, (True, False))
        self.low, self.high = (_read_only(np.full(len(SPACES[model]), s)) for s in (0.0, SIDE))
        shape = (whole_number("initial", initial), len(self.low))
        self._initial = _read_only(stream("initial").uniform(0.0, SIDE, shape))
        deviation = not_negative("deviation", deviation)
        self._noise = deviation * stream("noise").standard_normal(horizon) if deviation else None
        self._table = read_table(dataset)
        smaller = int(np.bincount(self._table[1]).min())
        if folds > smaller:
            raise ConfigError(
                f"folds is {folds}; allowed: at most {smaller}, "
                "the number of rows in the smaller class"
            )
        self._digest = hashlib.sha256(Path(dataset).read_bytes()).hexdigest()
        how = "standardised" if standardize else "raw"
        fold = f"fold {self.fold} of {folds}, repeat {self.repeat}"
        self.instance = f"{Path(dataset).stem}, {model}, {how}, {fold}"
        self._accuracy = functools.partial(
            kept, accuracy, SOURCE, evaluations_in(Path(dataset).parent)
        )
        self._scores: dict[Any, float] = {}

    def value(self, x: np.ndarray) -> float:
        """Return the stored accuracy at ``x``, of shape (d,), or train a classifier for it."""
        settings = passed(self.model, decode(SPACES[self.model], x))
        key = tuple(settings.items())
        if key not in self._scores:
            where = self.fold, self.folds, self.repeat, self.standardize, self._digest
            score = self._accuracy(self.model, settings, *where, _context(), self._table)
            self._scores[key] = score
        return self._scores[key]

    def reward(self, t: int, x: np.ndarray) -> float:
        """Return the accuracy at ``x``, of shape (d,), plus the noise of round ``t``."""
        return self.value(x) + (0.0 if self._noise is None else float(self._noise[t]))

    def problem(self, *, own_initial: bool = False) -> BoxProblem:
        """Return the `BoxProblem`.

        Parameters
        ----------
        own_initial : bool
            Whether each algorithm draws its own initial points instead of sharing them.

        Raises
        ------
        ConfigError
            If an option is out of range.
        """
        one_of("own_initial", own_initial, (True, False))
        return BoxProblem(
            low=self.low,
            high=self.high,
            horizon=self.horizon,
            initial_count=len(self._initial),
            initial=None if own_initial else self._initial,
            deviation=TOLD_DEVIATION,
            value_bound=1.0,
        )

    def facts(self) -> dict[str, float]:
        """Return the size of the problem and the accuracy of always predicting the larger class."""
        labels = self._table[1]
        train, test = split(labels, self.fold, self.folds, self.repeat)
        larger = np.bincount(labels[train]).argmax()
        return {
            "majority_accuracy": float(np.mean(labels[test] == larger)),
            "rows": float(len(labels)),
            "dimension": float(len(self.low)),
        }


def passed(model: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings to pass to the classifier, with synonymous values unified.

    Parameters
    ----------
    model : {"rf", "mlp", "gb"}
    settings : dict
        Decoded settings, by name; see `optimist.numerics.search_space.decode`.
    """
    names = SAME.get(model, {})
    return {
        name: names.get(name, {}).get(value, value)
        for name, value in settings.items()
        if name not in NOT_PASSED.get(model, ())
    }


def split(
    labels: np.ndarray, fold: int, folds: int, repeat: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the training rows and of the rows in the held-out fold.

    Parameters
    ----------
    labels : (n,) array of int
        Class of each row; the folds are stratified by class.
    fold : int
        Index of the fold, counted from 0.
    folds : int
        Number of folds.
    repeat : int
        Index of the split, counted from 0; also the seed for shuffling the rows.
    """
    from sklearn.model_selection import StratifiedKFold

    splits = StratifiedKFold(folds, shuffle=True, random_state=repeat).split(labels, labels)
    return list(splits)[fold]


def accuracy(
    model: str,
    settings: dict[str, Any],
    fold: int,
    folds: int,
    repeat: int,
    standardize: bool,
    digest: str,
    context: Any,
    table: Any,
) -> float:
    """Train a classifier on all folds but one and return its accuracy on the remaining fold.

    A perceptron whose weights overflow has accuracy 0.

    Parameters
    ----------
    model, standardize
        As in `HyperparameterEnvironment`.
    fold, folds, repeat
        As in `split`.
    settings : dict
        Keyword arguments of the classifier.
    digest, context
        SHA-256 of the table, and the result of `_context`; unused here, but part of the key under
        which `kept` stores the accuracy.
    table : tuple of two arrays
        Features, of shape (n, d), and labels, of shape (n,). It must come last, since `kept` omits
        the last argument from the key.
    """
    from sklearn import config_context
    from sklearn.preprocessing import StandardScaler
    from threadpoolctl import threadpool_limits

    features, labels = table
    train, test = split(labels, fold, folds, repeat)
    if standardize:
        features = StandardScaler().fit(features[train]).transform(features)
    # scikit-learn need not check its input: tables are complete, and settings come from lists of
    # valid values.
    unchecked = config_context(assume_finite=True, skip_parameter_validation=True)
    predict = _forest if model == "rf" else _classifier
    with threadpool_limits(1), unchecked, np.errstate(all="ignore"):
        found = predict(model, settings, features[train], labels[train], features[test])
    return 0.0 if found is None else float(np.mean(found == labels[test]))


def _forest(model, settings, features, labels, points):
    """Return a forest's predictions, of shape (m,), at ``points``, of shape (m, d)."""
    return forest_votes(settings, features, labels, points).argmax(axis=1)


def _classifier(model, settings, features, labels, points):
    """Return a classifier's predictions, as in `_forest`, or None if its weights overflow."""
    from sklearn.exceptions import ConvergenceWarning

    module, _, name = CLASSIFIERS[model].partition(":")
    classifier = getattr(importlib.import_module(module), name)(**settings, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return classifier.fit(features, labels).predict(points)
        except ValueError as error:
            if "non-finite parameter weights" not in str(error):
                raise
            return None


@functools.cache
def _context():
    """Return the library versions and BLAS kernels that may affect a score."""
    import scipy.linalg  # loads scipy's BLAS, so that threadpool_info lists it
    import sklearn
    from threadpoolctl import threadpool_info

    blas = [info for info in threadpool_info() if info["user_api"] == "blas"]
    kinds = {str(info.get("architecture", info["internal_api"])) for info in blas}
    libraries = {"scikit-learn": sklearn, "numpy": np, "scipy": scipy}
    versions = {name: library.__version__ for name, library in libraries.items()}
    return {"recipe": RECIPE, "blas": sorted(kinds), **versions}


# Computed at import, since the file may change while a job runs.
SOURCE = tree_digest(inspect.getsource(accuracy).encode())


def kept(function: Callable[..., float], source: str, folder: str | Path, *arguments: Any) -> float:
    """Read a function's result from a folder, or compute it and store it there.

    A result's key consists of ``source`` and all arguments except the last. Each file holds a key
    and its result as JSON with a checksum, and is named by a hash of the key. Damaged files and
    files with another key are ignored. Processes may share the folder. If it is not writable,
    stored results are read, but new ones are not stored.

    Parameters
    ----------
    function : callable
    source : str
        Digest of the syntax tree that the function had when it was loaded.
    folder : str or Path
    *arguments
        Arguments of the function; all except the last must be plain data.
    """
    question = {"source": source, "arguments": arguments[:-1]}
    text = json.dumps(question, sort_keys=True)
    name = hashlib.sha256(text.encode()).hexdigest()
    path = Path(folder, name[:2], f"{name}.json")
    with suppress(OptimistError, ValueError, TypeError, KeyError):
        answer = json.loads(checksummed.read_text(path))
        if answer["question"] == text and 0.0 <= answer["accuracy"] <= 1.0:
            return answer["accuracy"]
    score = function(*arguments)
    written = json.dumps({"question": text, "accuracy": score})
    with suppress(OSError):
        checksummed.write_text(f"{written}\n", path)
    return score


def _read_only(array):
    array.flags.writeable = False
    return array
