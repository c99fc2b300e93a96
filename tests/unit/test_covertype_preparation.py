"""Covertype arms: properties on small synthetic rows."""

import numpy as np
import pandas as pd
import pytest

from optimist.core import checksummed
from optimist.core.errors import ConfigError, DataError
from optimist.data.prepare import covertype
from optimist.data.prepare.covertype import CovertypeArms


def synthetic_rows(n=2000, seed=3):
    """Small stand-in for Covertype: integer rows around 8 distant centres; NOT the real data."""
    rng = np.random.default_rng(seed)
    centres = rng.integers(-3000, 3000, size=(8, 10))
    blob = np.arange(n) % 8
    values = centres[blob] + rng.integers(-20, 21, size=(n, 10))
    frame = pd.DataFrame(values, columns=covertype.NUMERIC)
    # In blob b, the first b of every 10 rows are lodgepole pine.
    return frame.assign(Cover_Type=np.where((np.arange(n) // 8) % 10 < blob, 2, 5))


@pytest.fixture
def arms():
    features = np.zeros((3, 11))
    features[:, 0], features[:, -1] = [0.6, -0.3, 0.1], 0.8
    return CovertypeArms(features, np.array([0.1, 0.5, 1.0]), np.array([10, 20, 30]))


def test_distant_blobs_become_the_arms():
    arms = covertype.prepare(synthetic_rows(), clusters=8, seed=1, n_init=5)
    assert arms.means == pytest.approx(np.arange(8) / 10)
    assert list(arms.sizes) == [250] * 8


def test_scaling_by_hand():
    # Two clusters of one row each: every column standardises to -1 and 1, the constant is 1.
    frame = pd.DataFrame([[k] * 10 for k in (0, 4)], columns=covertype.NUMERIC)
    arms = covertype.prepare(frame.assign(Cover_Type=[2, 3]), clusters=2, seed=0)
    scale = 1 / np.sqrt(11)
    assert arms.features == pytest.approx(scale * np.array([[1] * 11, [-1] * 10 + [1]]))
    assert list(arms.means) == [0, 1]


def test_arms_do_not_depend_on_the_cluster_numbers():
    one, other = (covertype.prepare(synthetic_rows(), 8, seed=seed, n_init=5) for seed in (1, 2))
    assert one.features.tobytes() == other.features.tobytes()
    assert np.all(np.diff(one.means) >= 0)


def test_integer_types_do_not_overflow():
    frame = synthetic_rows()
    small = covertype.prepare(frame.astype("int16"), 8, seed=1)
    wide = covertype.prepare(frame.astype("int64"), 8, seed=1)
    assert small.features.tobytes() == wide.features.tobytes()


@pytest.mark.parametrize(
    ("change", "clusters", "error", "message"),
    [
        (lambda f: f.drop(columns="Slope"), 8, DataError, "no column Slope"),
        (lambda f: f.drop(columns="Cover_Type"), 8, DataError, "no column Cover_Type"),
        (lambda f: f.assign(Aspect=7), 8, DataError, "Aspect is constant"),
        (lambda f: f.assign(Aspect=np.nan), 8, DataError, "Aspect: expected integers"),
        (lambda f: f, 0, ConfigError, "clusters is 0"),
        (lambda f: f[:5], 8, ConfigError, "from 1 to 5"),
        (lambda f: f.iloc[[0, 1] * 10], 8, ConfigError, "with rows is 2"),
    ],
)
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_rows_that_cannot_be_clustered(change, clusters, error, message):
    with pytest.raises(error, match=message):
        covertype.prepare(change(synthetic_rows()), clusters=clusters)


def test_extremes_of_known_arms_cluster_nothing(monkeypatch):
    rows = synthetic_rows()
    arms = covertype.prepare(rows, clusters=8, seed=4, n_init=1)
    expected = covertype.extremes(rows, [4], clusters=8)
    monkeypatch.delattr(covertype, "_partition")
    pd.testing.assert_frame_equal(
        covertype.extremes(rows, [4], clusters=8, clustered={4: arms}), expected
    )


def test_extremes_agree_with_the_arms():
    table = covertype.extremes(synthetic_rows(), [1, 4], clusters=8, n_init=5)
    assert table.to_numpy() == pytest.approx(np.array([[1, 0, 0.7], [4, 0, 0.7]]))


@pytest.mark.parametrize("norm", [0.5, 6.0])
def test_logistic_fit_recovers_a_well_specified_model(norm):
    rng = np.random.default_rng(5)
    theta = rng.normal(size=11)
    theta *= norm / np.linalg.norm(theta)
    features = rng.normal(size=(60, 11)) / 5
    means = 1 / (1 + np.exp(-features @ theta))
    arms = CovertypeArms(features, means, rng.integers(1, 10_000, size=60))
    assert covertype.logistic_fit_norm(arms) == pytest.approx(norm, rel=1e-4)


# --- the file of arms --------------------------------------------------------------------------


def test_file_has_twelve_digits_and_reads_back(arms, tmp_path):
    arms.features[0, 0] = 0.123456789012345
    covertype.write_arms(arms, tmp_path / "arms.csv")
    header, first, *_ = checksummed.read_text(tmp_path / "arms.csv").splitlines()
    assert header.startswith("mean,size,Elevation,") and header.endswith(",constant")
    assert first == "0.1,10,0.123456789012,0,0,0,0,0,0,0,0,0,0.8"
    back = covertype.read_arms(tmp_path / "arms.csv")
    assert back.features == pytest.approx(arms.features, abs=1e-12)
    assert list(back.means) == [0.1, 0.5, 1.0]
    assert list(back.sizes) == [10, 20, 30] and back.sizes.dtype.kind == "i"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.6", "0.6001", "norm 1.0000600"),
        ("0.5,", "1.5,", r"mean lies outside \[0, 1\]"),
        (",20,", ",0,", "size is not a positive integer"),
        ("Slope", "slope", "the header must be"),
    ],
)
def test_damaged_file(arms, tmp_path, old, new, message):
    path = tmp_path / "arms.csv"
    covertype.write_arms(arms, path)
    text = checksummed.read_text(path)
    assert old in text
    checksummed.write_text(text.replace(old, new, 1), path)
    with pytest.raises(DataError, match=rf"arms\.csv: .*{message}"):
        covertype.read_arms(path)
