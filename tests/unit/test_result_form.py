"""A sealed file whose rows are not what it says is refused by everything that reads results."""

import shutil

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from result_files import make, path_of, toy_trials

from optimist.core.errors import ResultError
from optimist.experiments import results
from optimist.experiments.cell_trials import read_results
from optimist.plan import trace


def column(name, values):
    """Return a change of a table: another column of that name."""

    def changed(table):
        found = values(table[name].to_pylist()) if callable(values) else [values] * len(table)
        return table.set_column(table.column_names.index(name), name, pa.array(found))

    return changed


def at(place, value):
    return lambda old: [*old[:place], value, *old[place + 1 :]]


# What is done to the rows, and what is said of them.
ROWS = {
    "NaN": (column("regret", float("nan")), "trial 0 has a regret that is not finite"),
    "one infinite number": (column("regret", at(3, float("inf"))), "a regret that is not finite"),
    "a missing number": (column("regret", at(3, None)), "a regret that is not finite"),
    "negative regret": (column("regret", -5.0), "a regret that decreases or is negative"),
    "regret that decreases": (column("regret", lambda old: old[::-1]), "decreases or is negative"),
    "rows twice": (lambda table: pa.concat_tables([table, table]), "its trials are 0, 1, 0"),
    "rows backwards": (lambda table: table.take([*range(len(table))][::-1]), "trials are 1, 0"),
    "no rows": (lambda table: table.slice(0, 0), "it has no rows"),
    "one trial of two": (lambda table: table.filter(pc.equal(table["trial"], 0)), "trials are 0; "),
    "half of a trial": (
        lambda table: table.slice(0, len(table) - 6),
        "has 6 rounds up to 6, not 12",
    ),
    "every second round": (lambda table: table.take(np.arange(1, 24, 2)), "has 6 rounds up to 12"),
    "another method": (
        column("algorithm", "glb_omd"),
        r"rows have algorithm \['glb_omd'\], not 'gloc'",
    ),
    "two settings": (column("setting", at(0, "there")), "rows have setting"),
    "an unknown status": (column("status", "ok\x1bc"), "trial 0 has status"),
    "texts for numbers": (
        column("regret", lambda old: ["odd", *map(str, old[1:])]),
        "its column regret has the type string; allowed: numbers",
    ),
    "a text for a trial": (column("trial", "0"), "its column trial has the type string"),
    "truth values for rounds": (column("round", True), "its column round has the type bool"),
    "no status": (column("status", at(0, None)), "trial 0 has status"),
    "two statuses": (column("status", at(0, "non_finite")), "trial 0 has status"),
}


@pytest.fixture
def path(tmp_path):
    """Return the path of a file that is right."""
    return make(tmp_path, toy_trials())[0]


def refused_everywhere(path, words):
    """Check that each reader names the file and what is wrong with it."""
    readers = (
        lambda: results.read(path),
        lambda: read_results({str(path): "paper"}, {}),
        lambda: trace.trace(path),
    )
    for reader in readers:
        with pytest.raises(ResultError, match=f"000-001.[0-9a-f]+.parquet is .*{words}"):
            reader()


@pytest.mark.parametrize("name", ROWS)
def test_rows_that_do_not_fit_are_refused_everywhere(path, name):
    change, words = ROWS[name]
    table, metadata = results.read(path), results.read_metadata(path)
    results.write(change(table), path, metadata)
    refused_everywhere(path, words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.clear(), "its metadata have no trials.lane"),
        (lambda m: m["trials"].pop("code"), "its metadata have no trials.code"),
        (lambda m: m["trials"].update(stop=0), "its metadata describe no trials"),
        (lambda m: m["trials"].update(first="0"), "its metadata describe no trials"),
        (lambda m: m["trials"]["cell"]["spec"].update(horizon=1.5), "describe no trials"),
        (lambda m: m["trials"].update(lane="other"), "its metadata describe no trials"),
        (lambda m: m["trials"].update(stop=6), "the result of run/toy/here/gloc/000-005"),
        (lambda m: m["trials"]["cell"].update(paper="bkb"), "the result of run/bkb/here/gloc"),
        (lambda m: m.update(resolved=None), "its metadata have no resolved.dataset"),
        (lambda m: m["observed"].pop("files"), "its metadata have no observed.files"),
    ],
)
def test_metadata_that_do_not_fit_are_refused_everywhere(path, change, words):
    table, metadata = results.read(path), results.read_metadata(path)
    change(metadata)
    results.write(table, path, metadata)
    refused_everywhere(path, words)


@pytest.mark.parametrize(
    ("content", "words"), [(b"[1, 2]", "have no trials"), (b"{", "are not JSON")]
)
def test_metadata_of_another_kind_are_refused(path, content, words):
    table = results.read(path).replace_schema_metadata({results.KEY: content})
    results.checksummed.write_table(table, path)
    refused_everywhere(path, f"its metadata {words}")


def test_a_file_in_the_place_of_another_is_refused(path, tmp_path):
    for other in (toy_trials(algorithm="uniform"), toy_trials(horizon=13), toy_trials("timing")):
        place = tmp_path / path_of(other)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
        with pytest.raises(ResultError, match="it is the result of run/toy/here/gloc/000-001"):
            results.read(place)


@pytest.mark.parametrize("status", ["out_of_time", "failed: a\nb", "non_finite", "non_finite: a"])
def test_a_trial_that_ended_early_may_have_fewer_rounds(tmp_path, status):
    (path,) = make(tmp_path, toy_trials())
    table, metadata = results.read(path), results.read_metadata(path)
    short = column("status", status)(table.filter(pc.less(table["round"], 5)))
    results.write(short, tmp_path / "short.parquet", metadata)
    assert len(results.read(tmp_path / "short.parquet")) == 8
