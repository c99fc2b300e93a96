"""Folders in which a run cannot write, and options that the Slurm plugin refuses."""

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from optimist.core.errors import ConfigError, UnwritableError, unwritable_named
from optimist.plan.workflow_location import check_outputs, check_records, check_words


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


def workflow(words):
    """Return as much of a workflow as `check_words` reads: the default of slurm_extra."""
    default = {} if words is None else {"slurm_extra": SimpleNamespace(raw=words)}
    return SimpleNamespace(resource_settings=SimpleNamespace(default_resources=default))


@pytest.mark.parametrize(
    ("words", "option", "instead"),
    [
        ("'--qos=long'", "--qos", "the resource qos"),
        ("'--nice=5 -t 10'", "-t", "the resource runtime"),
        ("--mem-per-cpu=1000", "--mem-per-cpu", "the resource mem_mb_per_cpu"),
        ("'-J name'", "-J", "none: the plugin sets it"),
        ("'--cpus-per-gpu=2'", "--cpus-per-gpu", "none: the plugin sets it"),
    ],
)
def test_an_option_that_the_slurm_plugin_refuses_is_named(words, option, instead):
    with pytest.raises(ConfigError, match=f"^slurm_extra has '{option}'; allowed: {instead}"):
        check_words(workflow(words))


@pytest.mark.parametrize("words", [None, "'--nice=5'", "'--licenses=a-t --mail-user=me'"])
def test_other_options_reach_slurm(words):
    check_words(workflow(words))
