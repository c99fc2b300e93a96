"""Tuning classifiers: what points mean, accuracies, and that no classifier is trained twice."""

import importlib
import json
import shutil
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from toy_environments import STAND_IN

from optimist.core import checksummed
from optimist.core.errors import ConfigError
from optimist.data.prepare.classification import read_table
from optimist.environments import hyperparameters, make_environment
from optimist.numerics import seeding
from optimist.numerics.forest import forest_votes
from optimist.numerics.search_space import SPACES, Real, Whole, decode

CHEAP = {  # a point whose classifier is trained in an instant
    "rf": (0.0, 5.0, 3.0, 0.0, 0.0, 0.0, 0.0),
    "mlp": (9.0, 1.0, 9.0, 0.0, 0.0, 9.0, 9.0, 5.0),
    "gb": (0.0, 3.0, 0.0, 9.0, 0.0, 0.0, 0.0, 0.1, 2.0, 0.0, 5.0),
}


@pytest.fixture
def table(tmp_path):
    """A prepared table in a folder of its own."""
    return Path(shutil.copy(STAND_IN / "australian.csv", tmp_path / "australian.csv"))


def environment(dataset, model="rf", trial=0, horizon=50, **parameters):
    return make_environment(
        "hyperparameters",
        horizon=horizon,
        trial=trial,
        stream=partial(seeding.stream, "go_ucb", "test", trial),
        dataset=dataset,
        model=model,
        **parameters,
    )


@pytest.fixture
def fits(monkeypatch):
    """A list that grows by a name whenever a classifier is trained."""
    trained = []

    def counted(name, train):
        return lambda *arguments: trained.append(name) or train(*arguments)

    for name in ("_forest", "_classifier"):
        train = getattr(hyperparameters, name)
        monkeypatch.setattr(hyperparameters, name, counted(name, train))
    return trained


# The decoder.


TRUTHS = (True, False)
# Appendix D.2 of the paper: a range, or options in their order.
PAPER = {
    "rf": {
        "n_estimators": range(20, 201),
        "criterion": ("gini", "entropy", "log_loss"),
        "max_depth": range(1, 11),
        "min_samples_split": range(2, 11),
        "min_samples_leaf": range(1, 11),
        "max_features": ("sqrt", "log2"),
        "bootstrap": TRUTHS,
    },
    "mlp": {
        "activation": ("identity", "logistic", "tanh", "relu"),
        "alpha": (1e-6, 1e-2),
        "learning_rate_init": (1e-6, 1e-2),
        "max_iter": range(100, 301),
        "shuffle": TRUTHS,
        "beta_1": (0.0, 1.0),
        "beta_2": (0.0, 1.0),
        "n_iter_no_change": range(1, 11),
    },
    "gb": {
        "loss": ("log_loss", "exponential"),
        "learning_rate": (0.0, 1.0),
        "n_estimators": range(20, 201),
        "subsample": (0.0, 1.0),
        "criterion": ("friedman_mse", "squared_error"),
        "min_samples_split": range(2, 11),
        "min_samples_leaf": range(1, 11),
        "min_weight_fraction_leaf": (0.0, 0.5),
        "max_depth": range(1, 11),
        "max_features": ("sqrt", "log2"),
        "max_leaf_nodes": range(2, 11),
    },
}


@pytest.mark.parametrize("model", PAPER)
def test_spaces_are_the_paper_s_with_equal_bins_in_its_order(model):
    assert list(SPACES[model]) == list(PAPER[model])
    for name, kind in SPACES[model].items():
        values = PAPER[model][name]
        if isinstance(kind, Real):
            assert (kind.low, kind.high) == values
            continue
        points = [10.0 * (k + 0.5) / len(values) for k in range(len(values))]
        found = [kind.decode(u) for u in [0.0, *points, np.nextafter(10.0, 0.0), 10.0]]
        assert found == [values[0], *values, values[-1], values[-1]]
        assert {type(value) for value in found} == {type(values[0])}


def test_bins_change_where_they_should():
    assert SPACES["rf"]["bootstrap"].decode(np.nextafter(5.0, 0.0)) is True
    assert SPACES["rf"]["bootstrap"].decode(5.0) is False
    depth = Whole(1, 10)
    assert [depth.decode(u) for u in (0.999, 1.0, 8.999, 9.0)] == [1, 2, 9, 10]


def test_numbers_are_linear_and_clipped_where_an_end_is_not_allowed():
    gb, mlp = SPACES["gb"], SPACES["mlp"]
    assert Real(1.0, 3.0).decode(2.5) == 1.5
    assert mlp["alpha"].decode(5.0) == pytest.approx((1e-6 + 1e-2) / 2)
    assert (mlp["alpha"].decode(0.0), mlp["alpha"].decode(10.0)) == (1e-6, 1e-2)
    assert gb["min_weight_fraction_leaf"].decode(10.0) == 0.5
    for name in ("beta_1", "beta_2"):
        assert (mlp[name].decode(0.0), mlp[name].decode(10.0)) == (1e-6, 1.0 - 1e-6)
    assert [gb["subsample"].decode(u) for u in (0.0, 0.05, 0.2, 10.0)] == [0.01, 0.01, 0.02, 1.0]
    assert [gb["learning_rate"].decode(u) for u in (0.0, 2.5, 10.0)] == [1e-6, 0.25, 1.0]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([5.0], "1 coordinates; allowed: 2"),
        ([5.0, 10.1], "coordinate b is 10.1; allowed: from 0 to 10"),
        ([-1e-9, 5.0], "coordinate a is -1e-09"),
        ([5.0, float("nan")], "coordinate b is nan"),
    ],
)
def test_points_that_are_not_in_the_box_are_refused(x, message):
    with pytest.raises(ConfigError, match=message):
        decode({"a": Whole(1, 2), "b": Real(0.0, 1.0)}, x)


def test_only_what_the_classifier_heeds_is_passed():
    gb = decode(SPACES["gb"], CHEAP["gb"])
    assert {*gb} - {*hyperparameters.passed("gb", gb)} == {"criterion"}
    rf = decode(SPACES["rf"], CHEAP["rf"])
    told = [
        hyperparameters.passed("rf", rf | {"criterion": name})["criterion"]
        for name in ("gini", "entropy", "log_loss")
    ]
    assert told == ["gini", "entropy", "entropy"]


def test_what_all_algorithms_of_a_trial_share_cannot_be_changed(table):
    place = environment(table)
    for shared in (place.low, place.high, place.problem().initial):
        with pytest.raises(ValueError, match="read-only"):
            shared[:] = 0.0


# Accuracies.


def direct(dataset, classifier, fold, standardize=False, repeat=0):
    """The accuracy as scikit-learn's own cross-validation reports it."""
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    folds = StratifiedKFold(5, shuffle=True, random_state=repeat)
    model = make_pipeline(StandardScaler(), classifier) if standardize else classifier
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cross_val_score(model, *read_table(dataset), cv=folds)[fold]


CLASSIFIERS = {
    "rf": ("ensemble.RandomForestClassifier", (0.1, 4.0, 9.9, 2.0, 1.5, 7.0, 6.0)),
    "mlp": ("neural_network.MLPClassifier", (6.0, 2.0, 8.0, 10.0, 2.0, 9.0, 10.0, 10.0)),
    "gb": (
        "ensemble.GradientBoostingClassifier",
        (9.0, 2.5, 0, 5.0, 9.0, 4.0, 1.0, 1.0, 3.0, 0, 8),
    ),
}


@pytest.mark.parametrize(
    ("model", "trial", "standardize"),
    [("rf", 0, False), ("rf", 8, False), ("mlp", 1, False), ("mlp", 1, True), ("gb", 2, False)],
)
def test_accuracy_is_scikit_learns(table, model, trial, standardize):
    path, x = CLASSIFIERS[model]
    settings = hyperparameters.passed(model, decode(SPACES[model], x))
    module, _, name = path.partition(".")
    cls = getattr(importlib.import_module(f"sklearn.{module}"), name)
    place = environment(table, model, trial, standardize=standardize)
    fold, repeat = trial % 5, trial // 5
    assert (place.fold, place.repeat) == (fold, repeat)
    assert place.instance.endswith(f"fold {fold} of 5, repeat {repeat}")
    expected = direct(table, cls(**settings, random_state=0), fold, standardize, repeat)
    assert place.value(np.array(x)) == expected


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("name", ["australian", "breast_cancer"])
def test_votes_are_those_of_scikit_learns_forest_in_every_bit(name, bootstrap):
    from sklearn.ensemble import RandomForestClassifier

    features, labels = read_table(STAND_IN / f"{name}.csv")
    rng = np.random.default_rng(0)
    for x in rng.uniform(0.0, 10.0, (6, 7)):
        settings = hyperparameters.passed("rf", decode(SPACES["rf"], x)) | {"bootstrap": bootstrap}
        votes = forest_votes(settings, features[10:], labels[10:], features[:10])
        forest = RandomForestClassifier(**settings, random_state=0)
        forest.fit(features[10:], labels[10:])
        np.testing.assert_array_equal(votes, forest.predict_proba(features[:10]))


def test_one_thread_trains_whatever_the_caller_allows(table, monkeypatch):
    import threadpoolctl
    from sklearn.neural_network import MLPClassifier

    def threads():
        return {info["num_threads"] for info in threadpoolctl.threadpool_info()}

    met = []
    fit = MLPClassifier.fit
    monkeypatch.setattr(MLPClassifier, "fit", lambda m, X, y: met.append(threads()) or fit(m, X, y))
    with threadpoolctl.threadpool_limits(2):
        if threads() == {1}:
            pytest.skip("this machine allows one thread only")
        environment(table, "mlp").value(np.array(CHEAP["mlp"]))
    assert met == [{1}]


def test_facts_say_what_guessing_scores(table):
    labels = read_table(table)[1]
    facts = environment(table, "mlp", 4).facts()
    _, test = hyperparameters.split(labels, 4, 5)
    assert labels.mean() < 0.5
    assert facts == {
        "majority_accuracy": np.mean(labels[test] == 0),
        "rows": 60.0,
        "dimension": 8.0,
    }


def test_perceptron_whose_weights_overflow_is_right_about_nothing(table, tmp_path):
    labels = read_table(table)[1]
    lines = ["label,a", *(f"{label},{1e308 if label else -1e308}" for label in labels)]
    checksummed.write_text("\n".join(lines) + "\n", tmp_path / "huge.csv")
    identity = np.array([0.0, *CHEAP["mlp"][1:]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert environment(tmp_path / "huge.csv", "mlp").value(identity) == 0.0


def test_other_errors_of_scikit_learn_are_not_hidden(table, monkeypatch):
    from sklearn.neural_network import MLPClassifier

    def refuse(*arguments):
        raise ValueError("something else")

    monkeypatch.setattr(MLPClassifier, "fit", refuse)
    with pytest.raises(ValueError, match="something else"):
        environment(table, "mlp").value(np.array(CHEAP["mlp"]))


@pytest.mark.parametrize("model", SPACES)
def test_training_is_silent(table, model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = environment(table, model).value(np.array(CHEAP[model]))
    assert type(value) is float and 0.0 <= value <= 1.0


# What algorithms meet.


def test_the_problem_of_an_algorithm(table, fits):
    place = environment(table, "mlp")
    problem = place.problem()
    assert problem.low.tolist() == [0.0] * 8 and problem.high.tolist() == [10.0] * 8
    assert (problem.horizon, problem.initial_count) == (50, 8)
    assert (problem.deviation, problem.value_bound) == (0.01, 1.0)
    assert problem.initial.shape == (8, 8)
    assert problem.initial.min() >= 0.0 and 5.0 < problem.initial.max() <= 10.0
    assert (place.maximum, place.maximum_is_known) == (1.0, False)
    own = environment(table, initial=3).problem(own_initial=True)
    assert (own.initial, own.initial_count) == (None, 3)
    assert fits == []


def test_without_noise_the_value_is_observed_and_no_noise_is_drawn(table):
    purposes = []

    def stream(purpose):
        purposes.append(purpose)
        return np.random.default_rng(0)

    arguments = {"horizon": 3, "trial": 0, "dataset": table, "model": "rf"}
    place = make_environment("hyperparameters", stream=stream, **arguments)
    x = np.array(CHEAP["rf"])
    assert [place.reward(t, x) for t in range(3)] == [place.value(x)] * 3
    assert purposes == ["initial"]


def test_noise_has_the_deviation_asked_for_and_is_that_of_the_round(table):
    place, again = (environment(table, deviation=0.1, horizon=2000) for _ in range(2))
    x, y = np.array(CHEAP["rf"]), np.full(7, 4.0)
    noise = np.array([place.reward(t, x) - place.value(x) for t in range(2000)])
    assert noise.std() == pytest.approx(0.1, rel=0.1) and abs(noise.mean()) < 0.01
    assert again.reward(7, y) - again.value(y) == pytest.approx(noise[7])
    assert type(place.reward(0, x)) is float


# What is kept.


def kept_files(folder):
    return sorted((folder / "evaluations").rglob("*.json"))


def test_no_classifier_is_trained_twice_in_one_environment(table, fits, monkeypatch):
    monkeypatch.setattr(hyperparameters, "kept", lambda function, source, folder, *a: function(*a))
    place, x = environment(table), np.array(CHEAP["rf"])
    first = place.reward(0, x)
    assert (place.value(x), place.value(x + 0.001)) == (first, first)  # one decoding
    assert len(fits) == 1
    place.value(x + np.eye(7)[0])  # more trees
    assert len(fits) == 2


def test_no_classifier_is_trained_twice_in_two_environments(table, tmp_path, fits):
    x = np.array(CHEAP["rf"])
    first = environment(table).value(x)
    copy = shutil.copy(table, tmp_path / "renamed.csv")
    assert environment(copy, initial=5, horizon=9, deviation=0.5).value(x) == first
    assert len(fits) == 1 == len(kept_files(table.parent))


def test_a_damaged_score_is_computed_again(table, fits):
    x = np.array(CHEAP["rf"])
    first = environment(table).value(x)
    (path,) = kept_files(table.parent)
    path.write_text(json.dumps({"accuracy": 0.125}))
    assert environment(table).value(x) == first
    assert len(fits) == 2


@pytest.mark.parametrize(
    "change", ["fold", "folds", "repeat", "standardize", "data", "context", "model"]
)
def test_all_that_a_score_depends_on_tells_it_apart(table, fits, change, monkeypatch):
    x = np.array(CHEAP["rf"])
    environment(table).value(x)
    parameters = {
        "fold": {"trial": 1},
        "folds": {"folds": 4},
        "repeat": {"trial": 5},
        "standardize": {"standardize": True},
        "model": {"model": "gb"},
    }.get(change, {})
    if change == "data":
        checksummed.write_text(checksummed.read_text(table).replace("22.", "23.", 1), table)
    if change == "context":
        monkeypatch.setattr(hyperparameters, "_context", lambda: {"scikit-learn": "0.1"})
    other = environment(table, **parameters)
    other.value(x if change != "model" else np.array(CHEAP["gb"]))
    assert len(fits) == 2 == len(kept_files(table.parent))


def test_kept_scores_are_read_where_they_cannot_be_written(table, fits, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    x, y = np.array(CHEAP["rf"]), np.full(7, 1.0)
    first = environment(table).value(x)
    monkeypatch.setattr(checksummed, "write_text", refuse)
    assert environment(table).value(x) == first
    assert len(fits) == 1
    environment(table).value(y)
    assert len(fits) == 2 and len(kept_files(table.parent)) == 1


SCRIPT = """
import sys
from functools import partial
import numpy as np
from optimist.numerics import seeding
from optimist.environments import make_environment
stream = partial(seeding.stream, "go_ucb", "test", 0)
place = make_environment(
    "hyperparameters", horizon=9, trial=0, stream=stream, dataset=sys.argv[1], model="rf"
)
modules = ("sklearn", "scipy.linalg", "pandas")
print([name for name in modules if name in sys.modules])
points = np.random.default_rng(0).uniform(0.0, 10.0, (6, 7))
points[:, 0] = 0.0
print([place.value(x) for x in points])
"""


def test_processes_share_a_folder_and_an_environment_is_light(table, fits):
    command = [sys.executable, "-c", SCRIPT, str(table)]
    child = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    loaded, values = child.stdout.splitlines()
    assert (child.stderr, loaded) == ("", "[]")
    points = np.random.default_rng(0).uniform(0.0, 10.0, (6, 7))
    points[:, 0] = 0.0
    place = environment(table)
    assert str([place.value(x) for x in points]) == values
    assert fits == []


# Errors.


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"model": "svm"}, "model is 'svm'.*rf, mlp, gb"),
        ({"folds": 1}, "folds is 1; allowed: a whole number, at least 2"),
        ({"folds": 28}, "folds is 28.*at most 27, the number of rows in the smaller class"),
        ({"standardize": "yes"}, "standardize is 'yes'; allowed: true, false"),
        ({"deviation": -0.1}, "deviation is -0.1; allowed: a number, at least 0"),
        ({"depth": 3}, "unknown key 'depth'"),
    ],
)
def test_impossible_environments_are_refused(table, parameters, message):
    with pytest.raises(ConfigError, match=message):
        environment(table, **{"model": "rf"} | parameters)


def test_points_outside_the_box_and_words_for_truth_are_refused(table):
    with pytest.raises(ConfigError, match="coordinate max_depth is 11"):
        environment(table).value(np.array([1.0, 1.0, 11.0, 1.0, 1.0, 1.0, 1.0]))
    with pytest.raises(ConfigError, match="own_initial is 'no'"):
        environment(table).problem(own_initial="no")
