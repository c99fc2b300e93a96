"""Tables for classifiers: complete rows, a label of 0 or 1 first, features as they are."""

import numpy as np
import pandas as pd
import pytest

from optimist.core import checksummed
from optimist.core.errors import DataError
from optimist.data.fetch import fetch
from optimist.data.prepare import PREPARATIONS, classification, preparation

NAMES = [n for n, how in PREPARATIONS.items() if how.module == classification.__name__]


@pytest.fixture(params=NAMES)
def prepared(request, tmp_path):
    """Name, raw table and prepared file of one data set."""
    how, path = preparation(request.param), tmp_path / "table.csv"
    frame, _ = fetch(how.raw, source="mirror")
    how.function("write")(frame, path, **how.select_options("write", {"seed": 7}))
    return request.param, frame, path


def test_shapes_and_classes_are_those_of_the_paper(prepared):
    name, _, path = prepared
    features, labels = classification.read_table(path)
    shapes = {
        "breast_cancer": (683, 9),
        "breast_cancer_wdbc": (569, 30),
        "australian": (690, 14),
        "diabetes": (768, 8),
    }
    positive = {
        "breast_cancer": 239,
        "breast_cancer_wdbc": 212,
        "australian": 307,
        "diabetes": 268,
    }
    assert features.shape == shapes[name]
    assert labels.sum() == positive[name]
    assert set(labels.tolist()) == {0, 1}
    assert (features.dtype, labels.dtype.kind) == (float, "i")


def test_features_are_the_raw_ones_in_their_order(prepared):
    _, frame, path = prepared
    complete = frame.dropna()
    features, labels = classification.read_table(path)
    np.testing.assert_array_equal(features, complete.iloc[:, :-1].to_numpy(float))
    header, first = checksummed.read_text(path).splitlines()[:2]
    assert header.split(",") == ["label", *frame.columns[:-1]]
    assert first.startswith(f"{labels[0]},")
    assert labels.tolist() == (complete.iloc[:, -1] == frame.iloc[:, -1].max()).tolist()


def test_facts(prepared):
    name, frame, path = prepared
    how = preparation(name)
    facts = dict(how.function("facts")(frame, path, **how.select_options("facts", {})))
    features, labels = classification.read_table(path)
    share = max(np.mean(labels), 1.0 - np.mean(labels))
    assert facts.pop("larger_class") == pytest.approx(share)
    dropped = 16.0 if name == "breast_cancer" else 0.0
    assert facts == {
        "rows": float(len(labels)),
        "features": float(features.shape[1]),
        "dropped_rows": dropped,
    }


def test_labels_of_any_kind_and_twelve_digits(tmp_path):
    path = tmp_path / "table.csv"
    a = [1 / 3, 2e-7, None, 5.0]
    classification.write(pd.DataFrame({"a": a, "kind": list("MBMM")}), path)
    assert checksummed.read_text(path) == "label,a\n1,0.333333333333\n0,2e-07\n1,5\n"
    classification.write(pd.DataFrame({"a": a, "kind": [-3.0, -4.0, 0.0, -4.0]}), path)
    assert classification.read_table(path)[1].tolist() == [1, 0, 0]
    classification.write(pd.DataFrame({"a": [1, 2, 3], "kind": ["x", None, "y"]}), path)
    assert checksummed.read_text(path) == "label,a\n0,1\n1,3\n"


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"a": [1, 2, 3], "y": [0, 1, 2]}), "column y has 3 values; allowed: two"),
        (pd.DataFrame({"a": [1, None], "y": [0, 1]}), "column y has 1 values"),
        (pd.DataFrame({"a": [None, None], "y": [0, 1]}, dtype=float), "column y has 0 values"),
        (pd.DataFrame({"a": ["low", "high"], "y": [0, 1]}), "column a is not numeric"),
    ],
)
def test_tables_that_classify_nothing_are_refused(tmp_path, frame, message):
    with pytest.raises(DataError, match=message):
        classification.write(frame, tmp_path / "table.csv")
    assert not (tmp_path / "table.csv").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must begin with label"),
        ("label\n0\n1\n", "features must follow"),
        ("label,a\n", "the header must be followed by rows of 2 numbers each"),
        ("label,a,b\n0,1\n1,2\n", "of 3 numbers each"),
        ("label,a\n0,x\n1,2\n", "not a table of numbers"),
        ("label,a\n0,nan\n1,2\n", "a number is not finite"),
        ("label,a\n0,1\n2,2\n", r"labels are \[0.0, 2.0\]; allowed: exactly 0 and 1"),
        ("label,a\n1,1\n1,2\n", r"labels are \[1.0\]; allowed: exactly 0 and 1"),
    ],
)
def test_files_that_are_no_table_are_refused(tmp_path, text, message):
    path = tmp_path / "table.csv"
    checksummed.write_text(text, path)
    with pytest.raises(DataError, match=message):
        classification.read_table(path)
