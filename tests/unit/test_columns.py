"""Columns are those of pyarrow's own conversions, type, nulls and all, whatever they hold."""

import random

import numpy as np
import pyarrow as pa
import pytest

from optimist.experiments.columns import EXACT, array, values

HOSTILE = (
    *(None, True, False, np.bool_(True), "", "a", "b\0\u00fc", "\U0001f600", "\ud800", b"x"),
    *(0, 1, -5, EXACT, EXACT + 1, -EXACT, -EXACT - 1, 2**63 - 1, -(2**63), 2**63, 2**64),
    *(1.5, -0.0, float("nan"), float("inf"), np.float64(2), np.float64("nan"), np.float32(0.1)),
    *(np.int64(3), np.int64(2**60), np.int32(1), np.uint8(7), np.str_("n"), [1], {"a": 1}),
)
READ = (
    *(pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64()),
    *(pa.uint64(), pa.float32(), pa.float64(), pa.bool_(), pa.null()),
)


def outcome(convert, content):
    """Return an array, or the type and the words of an error."""
    try:
        return convert(content)
    except Exception as error:
        return type(error), str(error)


def check(content):
    """Compare an array, or an error, with what pyarrow makes of a list."""
    found, expected = outcome(array, content), outcome(pa.array, content)
    if isinstance(expected, tuple):
        assert found == expected
        return
    found.validate(full=True)
    assert (found.type, found.null_count) == (expected.type, expected.null_count)
    assert repr(found.to_pylist()) == repr(expected.to_pylist())  # NaN and -0.0 too


def read(column):
    """Return what `values` finds as a list with None for nulls."""
    found, present = values(column)
    assert found.shape == present.shape == (len(column),)
    return [one if there else None for one, there in zip(found.tolist(), present, strict=True)]


@pytest.mark.parametrize(
    "content", [[], *([one] for one in HOSTILE), *([None, a] for a in HOSTILE)]
)
def test_an_array_of_one_kind_is_that_of_pyarrow(content):
    check(content)


def test_an_array_of_any_mixture_is_that_of_pyarrow():
    rng = random.Random(0)
    for _ in range(5000):
        kinds = rng.sample(HOSTILE, rng.randint(1, 4))
        check([rng.choice(kinds) for _ in range(rng.randint(2, 20))])


@pytest.mark.parametrize("kind", READ, ids=str)
@pytest.mark.parametrize("nulls", [False, True])
def test_values_are_those_of_pyarrow_in_slices_and_chunks(kind, nulls):
    content = [1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0]
    if pa.types.is_boolean(kind):
        content = [one == 1 for one in content]
    if pa.types.is_floating(kind):
        content[4:6] = [float("nan"), float("-inf")]
    if nulls or pa.types.is_null(kind):
        content = [
            None if pa.types.is_null(kind) or i % 3 else one for i, one in enumerate(content)
        ]
    whole = pa.array(content, kind)
    joined = pa.chunked_array([whole.slice(3), whole.slice(2, 0), whole.slice(1, 9)])
    empty = pa.chunked_array([], kind)
    for column in (whole, whole.slice(5), whole.slice(9, 2), whole.slice(0, 0), joined, empty):
        assert repr(read(column)) == repr(column.to_pylist())
    if not (pa.types.is_null(kind) or nulls):
        assert values(whole)[0].dtype == whole.to_numpy(zero_copy_only=False).dtype


def test_a_column_of_texts_has_no_such_values():
    with pytest.raises(TypeError, match="a column is string; allowed: numbers and truth values"):
        values(pa.array(["a"]))
