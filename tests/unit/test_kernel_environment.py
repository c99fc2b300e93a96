"""Environments of functions in a kernel's space, and rows of data as arms."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest

from optimist.config.load import load_paper
from optimist.core import checksummed
from optimist.core.errors import ConfigError, DataError
from optimist.data.fetch import fetch
from optimist.data.prepare import preparation, regression
from optimist.environments import make_environment
from optimist.numerics import seeding


def environment(trial=0, horizon=50, **parameters):
    values = {"kernel": "gaussian", "lengthscale": 0.3, "arms": 80} | parameters
    stream = partial(seeding.stream, "bkb", "test", trial)
    return make_environment("kernel", horizon=horizon, trial=trial, stream=stream, **values)


def test_functions_on_the_cube_have_norm_one_or_less_on_the_arms():
    # The norm of the interpolant of f at the arms is at most that of f.
    for kernel in ("gaussian", "matern52"):
        place = environment(kernel=kernel, dimension=2)
        X, f, k = place.arms(0), place.means(0), place.problem().kernel
        assert X.min() >= 0.0 and X.max() <= 1.0 and X.shape == (80, 2)
        norm2 = f @ np.linalg.solve(k(X, X) + 1e-9 * np.eye(80), f)
        assert 0.3 < norm2 <= 1.0 + 1e-6


def test_linear_functions_on_the_sphere_have_norm_one():
    place = environment(kernel="linear", lengthscale=None, instance="sphere", dimension=5)
    X, f = place.arms(0), place.means(0)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0)
    theta = np.linalg.lstsq(X, f, rcond=None)[0]
    assert np.linalg.norm(theta) == pytest.approx(1.0)
    np.testing.assert_allclose(X @ theta, f)


def test_the_best_arm_of_the_hidden_instance_is_the_one_in_a_direction_of_its_own():
    place = environment(kernel="linear", lengthscale=None, instance="hidden", dimension=6)
    X, f = place.arms(0), place.means(0)
    best = int(np.argmax(f))
    assert X[best].tolist() == [0.0] * 5 + [1.0]
    assert f[best] == pytest.approx(math.sqrt(0.75))
    assert np.count_nonzero(X[:, -1]) == 1
    assert np.abs(np.delete(f, best)).max() <= 0.5


def test_the_optimum_of_the_corner_instance_lies_away_from_most_arms():
    place = environment(instance="corner", lengthscale=0.1, arms=500)
    X, f = place.arms(0), place.means(0)
    far = (X > 0.8).all(axis=1)
    assert far.sum() == 10
    assert (X[~far] <= 0.5).all()
    assert far[np.argmax(f)]
    assert f.max() > 0.5


def test_strings_have_a_gram_matrix_and_their_numbers_as_arms():
    place = environment(kernel="strings", lengthscale=None, instance="strings", arms=60)
    X, kernel = place.arms(0), place.problem().kernel
    assert X[:, 0].tolist() == list(range(60))
    gram = kernel(X, X)
    np.testing.assert_allclose(np.diag(gram), 1.0)
    assert np.linalg.eigvalsh(gram)[0] > -1e-10
    assert 0.0 <= gram.min() < 0.2


@pytest.mark.parametrize(("noise", "values"), [("normal", None), ("rademacher", {-0.1, 0.1})])
def test_noise_is_shared_by_the_arms_of_a_round(noise, values):
    place = environment(noise=noise)
    residuals = np.array(
        [[place.reward(t, k) - place.means(t)[k] for k in (0, 7)] for t in range(50)]
    )
    np.testing.assert_allclose(residuals[:, 0], residuals[:, 1], atol=1e-12)
    assert 0.05 < residuals[:, 0].std() < 0.15
    if values:
        assert set(np.round(residuals[:, 0], 9)) == values


def test_subsets_are_drawn_anew_and_regret_is_against_their_best():
    place = environment(subset=20)
    assert place.theta is None and not place.problem().fixed_arms
    first, second = (set(map(tuple, place.arms(t))) for t in (0, 1))
    assert len(first) == 20 and first != second
    means = place.means(3)
    assert place.regret(3, int(np.argmax(means))) == 0.0
    assert place.regret(3, 0) == pytest.approx(means.max() - means[0])


def test_settings_with_one_noise_share_points_and_centres_whatever_the_kernel():
    a, b = environment(kernel="gaussian"), environment(kernel="matern52")
    np.testing.assert_array_equal(a.arms(0), b.arms(0))
    assert a.reward(4, 2) - a.means(4)[2] == pytest.approx(b.reward(4, 2) - b.means(4)[2])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "gausian"}, "did you mean 'gaussian'"),
        ({"instance": "cub"}, "did you mean 'cube'"),
        ({"instance": "sphere"}, "kernel is 'gaussian'; allowed for instance 'sphere': linear"),
        ({"kernel": "linear", "lengthscale": None}, "instance is 'cube'.*sphere, hidden"),
        ({"arms": 1}, "arms is 1"),
        ({"subset": 81}, "subset is 81; allowed: at most the number of arms, 80"),
    ],
)
def test_impossible_environments_are_refused(parameters, message):
    with pytest.raises(ConfigError, match=message):
        environment(**parameters)


# Data.


def test_abalone_becomes_standardised_features_and_a_target_in_the_unit_interval(tmp_path):
    frame, _ = fetch("abalone", source="mirror")
    regression.write(frame, tmp_path / "abalone.csv")
    X, y = regression.read_arms(tmp_path / "abalone.csv")
    assert X.shape == (4177, 8) and (y.min(), y.max()) == (0.0, 1.0)
    np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-10)
    np.testing.assert_allclose(X.std(axis=0), 1.0, atol=1e-10)
    rings = frame["Rings"].to_numpy(float)
    np.testing.assert_allclose(y, (rings - 1.0) / 28.0, atol=1e-11)
    assert [len(np.unique(X[frame["Sex"] == sex, 0])) for sex in "MFI"] == [1, 1, 1]
    assert regression.prepare(frame, one_hot=True).shape == (4177, 1 + 7 + 3)


def test_prepared_data_sets_of_one_table_differ_by_their_options(tmp_path):
    made = {}
    for name in ("california_housing", "california_housing_averages", "abalone_one_hot"):
        how = preparation(name)
        frame, _ = fetch(how.raw, source="mirror")
        path = tmp_path / f"{name}.csv"
        how.function("write")(frame, path, **how.select_options("write", {"seed": 7}))
        made[name] = regression.read_arms(path)[0]
    assert made["abalone_one_hot"].shape == (4177, 7 + 3)
    totals, averages = made["california_housing"], made["california_housing_averages"]
    rest = [0, 1, 2, 6, 7]  # all but rooms, bedrooms and people
    np.testing.assert_array_equal(totals[:, rest], averages[:, rest])
    housing, _ = fetch("california_housing", source="mirror")
    rooms = (housing["totalRooms"] / housing["households"]).to_numpy()
    np.testing.assert_allclose(averages[:, 3], (rooms - rooms.mean()) / rooms.std(), atol=1e-10)
    with pytest.raises(ConfigError, match=r"abalone_onehot.*did you mean 'abalone_one_hot'"):
        preparation("abalone_onehot")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"a": [1.0, 1.0], "y": [0.0, 1.0]}), "column a is constant"),
        (pd.DataFrame({"a": ["M", "X"], "y": [0.0, 1.0]}), "column a has values other than M"),
    ],
)
def test_tables_that_make_no_arms_are_refused(frame, message):
    with pytest.raises(DataError, match=message):
        regression.prepare(frame)


def test_a_target_outside_the_unit_interval_is_refused(tmp_path):
    path = tmp_path / "arms.csv"
    checksummed.write_text("target,a\n1.5,1\n", path)
    with pytest.raises(DataError, match="outside"):
        regression.read_arms(path)


@pytest.mark.parametrize(
    "name", ["abalone", "abalone_one_hot", "california_housing", "california_housing_averages"]
)
def test_algorithms_are_told_the_likely_lengthscale_of_each_data_set(name, tmp_path):
    how, path = preparation(name), tmp_path / "arms.csv"
    frame, _ = fetch(how.raw, source="mirror")
    how.function("write")(frame, path, **how.select_options("write", {}))
    likely = dict(how.function("facts")(frame, path))["likely_lengthscale"]
    settings = load_paper("bkb").settings.values()
    told = {one.parameters["lengthscale"] for one in settings if one.dataset == name}
    assert len(told) == 1 and told.pop() == pytest.approx(likely, rel=0.01)


def test_the_likely_lengthscale_is_that_of_the_data():
    rng = np.random.default_rng(0)
    X = rng.random((300, 2))
    from optimist.numerics.kernels import GaussianKernel

    K = GaussianKernel(0.3)(X, X)
    y = np.linalg.cholesky(K + 1e-9 * np.eye(300)) @ rng.standard_normal(300)
    y += 0.1 * rng.standard_normal(300)
    C = K + 0.01 * np.eye(300)
    expected = -0.5 * (
        y @ np.linalg.solve(C, y) + np.linalg.slogdet(C)[1] + 300 * math.log(2 * math.pi)
    )
    assert regression.log_likelihood(X, y, 0.3, 0.1) == pytest.approx(expected)


@pytest.mark.parametrize("lengthscale", [0.1, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("trial", range(5))
def test_the_norm_of_the_corner_instance_is_one(lengthscale, trial):
    place = environment(instance="corner", lengthscale=lengthscale, arms=800, trial=trial)
    X, f = place.arms(0), place.means(0)
    # The smoothest function through all points is no rougher, and with many points hardly smoother.
    squared = f @ np.linalg.solve(place.kernel(X, X) + 1e-9 * np.eye(len(X)), f)
    assert 0.98 < squared <= 1.0 + 1e-6


def test_noise_that_a_double_cannot_carry_is_refused():
    assert environment(deviation=1e-6).problem().ridge > 0.0
    with pytest.raises(ConfigError, match="ridge is 1e-14; allowed: at least 1e-12"):
        environment(deviation=1e-7).problem()
