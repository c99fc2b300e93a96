"""Folders that belong to another user, in which a run cannot write."""

import errno
import os
from pathlib import Path

import pytest

from optimist.core.errors import UnwritableError, unwritable_named
from optimist.plan.workflow_location import check_outputs, check_records


@pytest.fixture
def closed(tmp_path, monkeypatch):
    """Return a function that closes folders below the current one, for all users."""
    names = set()
    # Nothing is closed for the superuser, who may run the tests.
    monkeypatch.setattr(
        os, "access", lambda path, mode: os.path.relpath(path, tmp_path) not in names
    )
    monkeypatch.chdir(tmp_path)

    def close(*found):
        names.clear()
        names.update(found)

    return close


def test_a_folder_that_takes_no_records_is_one_line_before_anything_runs(closed, tmp_path):
    check_records()
    closed(".")
    with pytest.raises(UnwritableError, match=f"^{tmp_path} cannot be written to, but Snakemake"):
        check_records(is_dry_run=True)
    Path(".snakemake/metadata").mkdir(parents=True)
    check_records()
    closed(".snakemake")
    with pytest.raises(UnwritableError, match=r"/\.snakemake cannot.* --directory DIR`$"):
        check_records(is_dry_run=True)


def test_a_dry_run_needs_none_of_the_records_of_another_user(closed):
    Path(".snakemake/metadata").mkdir(parents=True)
    closed(".snakemake/metadata")
    check_records(is_dry_run=True)
    with pytest.raises(UnwritableError, match=r"/\.snakemake/metadata cannot be written to"):
        check_records()


def test_a_folder_of_results_of_another_user_is_named(closed):
    Path("results/run/paper").mkdir(parents=True)
    paths = ["results/run/own/a.parquet", "results/run/paper/setting/b.parquet"]
    check_outputs(paths)
    closed("results/run/paper")
    check_outputs(paths[:1])
    with pytest.raises(UnwritableError, match=r"^results/run/paper cannot.*`optimist init DIR`"):
        check_outputs(paths)
    closed(".")
    with pytest.raises(UnwritableError, match=r"^\. cannot be written to"):
        check_outputs(["elsewhere/a.parquet"])


def test_where_to_work_is_said_of_folders_that_are_closed():
    for number, is_closed in ((errno.EACCES, True), (errno.ENOSPC, False)):
        with pytest.raises(UnwritableError) as caught, unwritable_named():
            raise OSError(number, "x", "a")
        assert ("optimist init DIR" in str(caught.value)) == is_closed
