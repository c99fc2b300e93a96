r"""Tuning a classifier: the function on the box is its accuracy on held-out rows.

A point of $[0,10]^d$ represents settings of a random forest (d = 7), a multi-layer perceptron
(d = 8) or gradient boosting (d = 11) of scikit-learn, see `optimist.numerics.search_space`. Every F
trials split the rows again into F stratified folds: trial k is tested on fold k mod F of repeat
k // F, after training on the other folds. Classifiers get ``random_state=0``, so that the function
is fixed, with few values and many ties. The best value is unknown: regret counts from the best
value found.

Source: Liu and Wang (2023), Global Optimization with Parametric Function Approximation, section 6.
The paper gives models, ranges and data sets; splits, seeds and unscaled features are our choice.

Scores are kept in memory and in a folder next to the table, by all their inputs, so that no
classifier is trained twice. The last bits of sums can decide the score of a perceptron: training
uses one thread whatever the caller's number, and scores of other library versions, or of another
kind of processor, are kept separately. So a score from the folder equals the score from training.
"""

import functools
import hashlib
import importlib
import inspect
import json
import math
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from optimist.core import checksummed
from optimist.core.errors import ConfigError, OptimistError, one_of, whole_number
from optimist.core.layout import evaluations_in
from optimist.data.prepare.classification import read_table
from optimist.environments.base import BoxEnvironment
from optimist.environments.problems.box import BoxProblem
from optimist.numerics.forest import forest_votes
from optimist.numerics.search_space import SIDE, SPACES, decode

RECIPE = 2  # raise it when the result of `accuracy` changes but its source text does not
TOLD_DEVIATION = 0.01  # the paper's sigma
# `optimist.numerics.forest` grows the forest.
CLASSIFIERS = {
    "mlp": "sklearn.neural_network:MLPClassifier",
    "gb": "sklearn.ensemble:GradientBoostingClassifier",
}
# scikit-learn deprecates and ignores the criterion of gradient boosting: the fifth coordinate is
# inert, and ten of the eleven count.
NOT_PASSED = {"gb": ("criterion",)}
# Two names of one criterion share kept scores.
SAME = {"rf": {"criterion": {"log_loss": "entropy"}}}


class HyperparameterEnvironment(BoxEnvironment):
    """Accuracy of a classifier on one fold of a prepared table.

    Parameters
    ----------
    horizon : int
        Number of rounds, the initial ones included.
    trial : int
        Number of the trial, from 0.
    stream : callable
        Maps a purpose (str) to the numpy Generator of this setting and trial.
    dataset : str or Path
        The prepared table, see `optimist.data.prepare.classification`.
    model : {"rf", "mlp", "gb"}
        Random forest, multi-layer perceptron, gradient boosting.
    initial : int
        n, number of uniform initial points, the same for all algorithms.
    folds : int
        F, number of folds; trial k is tested on fold k modulo F, in the split numbered by k divided
        by F, rounded down.
    standardize : bool
        Scale features to mean 0 and variance 1 over the training rows; otherwise leave them raw.
    deviation : float
        Standard deviation of normal noise on observations; 0: none. Algorithms always assume 0.01.

    Raises
    ------
    ConfigError
        For a parameter out of range.
    DataError
        For a prepared file that is missing or damaged.
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
        deviation = _deviation(deviation)
        self._noise = deviation * stream("noise").standard_normal(horizon) if deviation else None
        self._table = read_table(dataset)
        smaller = int(np.bincount(self._table[1]).min())
        if folds > smaller:
            raise ConfigError(f"folds is {folds}; allowed: at most {smaller}, rows of a class")
        self._digest = hashlib.sha256(Path(dataset).read_bytes()).hexdigest()
        how = "standardised" if standardize else "raw"
        fold = f"fold {self.fold} of {folds}, repeat {self.repeat}"
        self.instance = f"{Path(dataset).stem}, {model}, {how}, {fold}"
        self._accuracy = functools.partial(
            kept, accuracy, SOURCE, evaluations_in(Path(dataset).parent)
        )
        self._scores: dict[Any, float] = {}

    def value(self, x: np.ndarray) -> float:
        """Return the accuracy at ``x`` (d,), a float; it may train a classifier."""
        settings = passed(self.model, decode(SPACES[self.model], x))
        key = tuple(settings.items())
        if key not in self._scores:
            where = self.fold, self.folds, self.repeat, self.standardize, self._digest
            score = self._accuracy(self.model, settings, *where, _context(), self._table)
            self._scores[key] = score
        return self._scores[key]

    def reward(self, t: int, x: np.ndarray) -> float:
        """Return the accuracy at ``x`` (d,) and the noise of round ``t``, a float."""
        return self.value(x) + (0.0 if self._noise is None else float(self._noise[t]))

    def problem(self, *, own_initial: bool = False) -> BoxProblem:
        """Return the `BoxProblem`.

        Parameters
        ----------
        own_initial : bool
            Whether each algorithm draws its own initial points, rather than sharing them.

        Raises
        ------
        ConfigError
            For an option out of range.
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
        """Return the size of the problem, and the score of always guessing the larger class."""
        labels = self._table[1]
        train, test = split(labels, self.fold, self.folds, self.repeat)
        larger = np.bincount(labels[train]).argmax()
        return {
            "majority_accuracy": float(np.mean(labels[test] == larger)),
            "rows": float(len(labels)),
            "dimension": float(len(self.low)),
        }


def passed(model: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the decoded settings that reach the classifier, in its form.

    Parameters
    ----------
    model : {"rf", "mlp", "gb"}
    settings : dict
        By name, as `optimist.numerics.search_space.decode` returns them.
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
    """Return the rows to train on and the rows of one fold, as arrays of indices.

    Parameters
    ----------
    labels : (n,) array of int
        Classes, with equal shares in all folds.
    fold : int
        Number of the fold, from 0.
    folds : int
        Number of folds.
    repeat : int
        Seed of the shuffle of the rows, one per repeat.
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
    """Train a classifier on all folds but one and return its accuracy on that one.

    A perceptron whose weights overflow classifies no row correctly: 0.

    Parameters
    ----------
    model, fold, folds, repeat, standardize
        As in `HyperparameterEnvironment`.
    settings : dict
        Keywords of the classifier.
    digest, context
        SHA-256 of the table, and `_context()`. Not used, but part of the result's key.
    table : (features (n, d), labels (n,))
        The last argument, not part of the key.
    """
    from sklearn import config_context
    from sklearn.preprocessing import StandardScaler
    from threadpoolctl import threadpool_limits

    features, labels = table
    train, test = split(labels, fold, folds, repeat)
    if standardize:
        features = StandardScaler().fit(features[train]).transform(features)
    # Our input needs no checks: complete tables, and settings from lists of valid values.
    unchecked = config_context(assume_finite=True, skip_parameter_validation=True)
    predict = _forest if model == "rf" else _classifier
    with threadpool_limits(1), unchecked, np.errstate(all="ignore"):
        found = predict(model, settings, features[train], labels[train], features[test])
    return 0.0 if found is None else float(np.mean(found == labels[test]))


def _forest(model, settings, features, labels, points):
    """Return the labels (m,) that a forest predicts at ``points`` (m, d)."""
    return forest_votes(settings, features, labels, points).argmax(axis=1)


def _classifier(model, settings, features, labels, points):
    """Return the labels (m,) that a classifier predicts at ``points`` (m, d), or None."""
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
    """Return the other inputs of a computation's last bits besides its arguments, as a dict."""
    import scipy.linalg  # loads its BLAS, for the list
    import sklearn
    from threadpoolctl import threadpool_info

    blas = [info for info in threadpool_info() if info["user_api"] == "blas"]
    kinds = {str(info.get("architecture", info["internal_api"])) for info in blas}
    libraries = {"scikit-learn": sklearn, "numpy": np, "scipy": scipy}
    versions = {name: library.__version__ for name, library in libraries.items()}
    return {"recipe": RECIPE, "blas": sorted(kinds), **versions}


# Read at once, as the file may change while a job runs.
SOURCE = inspect.getsource(accuracy)


def kept(function: Callable[..., float], source: str, folder: str | Path, *arguments: Any) -> float:
    """Return the result of a function, from a folder if it is there, and else keep it there.

    A file there is sealed JSON, named after the question that it contains. A damaged file, or one
    with the answer to another question, is ignored. Processes may share the folder. If it is not
    writable, new results are not kept; old ones are still read.

    Parameters
    ----------
    function : callable
    source : str
        Its source, as it was when the function was loaded; it belongs to the question.
    folder : str or Path
    *arguments
        Plain data, which belong to the question, and a last argument, which does not.
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


def _deviation(value):
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ConfigError(f"deviation is {value!r}; allowed: a number, at least 0")
    return float(value)
