"""Result files that are not what is asked for are refused, found, deleted, and never merged."""

import errno
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from result_files import make, rewrite, toy_trials

from optimist import cli, sealed
from optimist.algorithms.glb.gloc import GLOC
from optimist.data.fetch import fetch
from optimist.errors import DataError, ResultError, UnreadableError
from optimist.files import fingerprint, sha256
from optimist.layout import Layout
from optimist.panels.studies import study_class
from optimist.plan.costs import Costs, Row, read, write
from optimist.records import inventory
from optimist.records.merge import merge
from optimist.runs import results


class ToyPlan:
    """As much of a plan as the inventory asks for."""

    def __init__(self, root, *asked):
        self.layout = Layout(str(root), str(root))
        by_path = {self.layout.result(trials.path): trials for trials in asked}
        self.trials = SimpleNamespace(by_path=by_path, fingerprints=self._fingerprints)
        self.papers = ["toy", "other"]
        self.figure = Path(root, "figure.png")
        self.targets = SimpleNamespace(made_with=self._made_with)
        self.studies = SimpleNamespace(asked=[study_class("facts")], use=self._use)
        caps = {"rounds": None, "trials": None, "timing_trials": None}
        self.config = {"caps": caps, "only": {"settings": [], "algorithms": []}}

    def _made_with(self, paths):
        yield [str(self.figure), "absent"], list(self.trials.by_path)

    def _use(self, study, paper):
        return self.layout.use(study.name, paper)

    def _fingerprints(self, paths):
        return {path: self.trials.by_path[path].fingerprint for path in paths}


def expected(path, job):
    return {str(path): fingerprint(job.describe())}


def with_data(root, content="a,b\n1,2\n", version="1"):
    (root / "data" / "raw").mkdir(parents=True, exist_ok=True)
    sealed.write_text(content, root / "data" / "diabetes.csv")
    (root / "data" / "raw" / "diabetes.json").write_text("{}")
    table = pa.Table.from_pandas(fetch("diabetes", source="mirror")[0], preserve_index=False)
    table = table.replace_schema_metadata({"version": version})
    sealed.write_table(table, root / "data" / "raw" / "diabetes.parquet")


def test_what_is_asked_for_passes(tmp_path):
    job = toy_trials()
    (path,) = make(tmp_path, job)
    results.verify(expected(path, job), tmp_path / "data")


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["trials"].update(code="0" * 64),
        lambda m: m["trials"].update(time_limit=7.0),
        lambda m: m["trials"]["cell"]["spec"]["problem"].update(delta=0.01),
    ],
)
def test_another_configuration_or_code_is_refused_with_its_commit(tmp_path, change):
    job = toy_trials()
    (path,) = make(tmp_path, job)

    def altered(metadata):
        change(metadata)
        metadata["provenance"]["commit"] = "abcdef0123456789"

    rewrite(path, altered)
    with pytest.raises(
        ResultError, match="another configuration or code, of commit abcdef0123"
    ) as e:
        results.verify(expected(path, job), tmp_path / "data")
    assert str(path) in str(e.value)
    assert "optimist results --delete refused" in str(e.value)


def test_a_result_of_a_file_that_changed_since_is_refused(tmp_path):
    job = toy_trials()
    (path,) = make(tmp_path, job)
    rewrite(path, lambda metadata: metadata["observed"]["files"].update({"no/such.csv": "0" * 64}))
    with pytest.raises(ResultError, match=r"no longer what .* make: no/such.csv is gone") as error:
        results.verify(expected(path, job), tmp_path / "data")
    assert "optimist results --delete refused" in str(error.value)


def test_all_refused_files_are_counted_and_the_first_is_named(tmp_path):
    two = [toy_trials(), toy_trials(setting="there")]
    paths = make(tmp_path, *two)
    asked = {str(path): "0" * 16 for path in paths}
    with pytest.raises(ResultError, match=r"here/gloc/000-001.*\(and 1 more files\)"):
        results.verify(asked, tmp_path / "data")


def test_another_table_of_the_data_is_refused(tmp_path):
    (path,) = make(tmp_path, toy_trials())
    with_data(tmp_path)
    for digest in (sha256(tmp_path / "data" / "diabetes.csv"), "0" * 64):

        def made_from_it(metadata, digest=digest):
            metadata["trials"]["cell"]["spec"]["dataset"] = "diabetes"
            metadata["resolved"]["dataset"] = digest

        rewrite(path, made_from_it)
        asked = {str(path): fingerprint(results.read_metadata(path)["trials"])}
        if digest == "0" * 64:
            with pytest.raises(ResultError, match=r"another table than .*diabetes\.csv"):
                results.verify(asked, tmp_path / "data")
        else:
            results.verify(asked, tmp_path / "data")


def test_one_changed_byte_of_a_number_is_damage(tmp_path):
    (path,) = make(tmp_path, toy_trials(horizon=300))
    whole = path.read_bytes()
    hit = 0
    for place in range(200, len(whole) // 2, 97):
        changed = bytearray(whole)
        changed[place] ^= 0x10
        path.write_bytes(bytes(changed))
        try:
            table = results.read(path)
        except ResultError:
            hit += 1
        else:  # between two pages, where no number stands
            path.write_bytes(whole)
            assert results.digest(table) == results.digest(results.read(path))
    assert hit > 0


# The inventory.


@pytest.fixture
def folder(tmp_path):
    """A plan with a sound, an absent, a refused, a damaged and an early file."""
    names = ["sound", "absent", "refused", "damaged"]
    jobs = {name: toy_trials(setting=name) for name in names}
    jobs["early"] = toy_trials(setting="early", horizon=4000, stop=3)
    for name, job in jobs.items():
        if name != "absent":
            make(tmp_path, job, limits=[{"seconds": 0.01} if name == "early" else {}])
    rewrite(tmp_path / jobs["refused"].path, lambda m: m["trials"].update(code="0" * 64))
    damaged = tmp_path / jobs["damaged"].path
    damaged.unlink()
    damaged.write_bytes(b"")
    return ToyPlan(tmp_path, *jobs.values())


def test_the_inventory_names_every_state(folder):
    entries = inventory.take(folder)
    assert [e.state for e in entries] == ["present", "absent", "refused", "refused", "early"]
    text = inventory.to_text(entries)
    assert "5 result files planned: 2 present, 1 absent, 2 refused; 1 with trials" in text
    assert "out_of_time 3 of 3 trials" in text
    assert "damaged/gloc/000-001.parquet is damaged" in text
    assert "optimist results --delete refused" in text and "--delete early" in text


def test_the_command_deletes_what_it_is_told_and_nothing_else(folder, monkeypatch, capsys):
    monkeypatch.setattr("optimist.plan.plan.Plan", lambda config: folder)
    folder.figure.write_bytes(b"drawn")
    assert cli.main(["results", "--delete", "refused"]) == 0
    assert "deleted 2 result files, and 1 files that were made from" in capsys.readouterr().out
    assert not folder.figure.exists()
    (early,) = (e.path for e in inventory.take(folder) if e.state == "early")
    assert [e.state for e in inventory.take(folder)] == [
        *("present", "absent", "absent", "absent", "early")
    ]
    assert cli.main(["results", "--delete", "early", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["deleted"], told["deleted_made_from_them"]) == (1, 0)
    assert {row["path"]: row["state"] for row in told["files"]}[early] == "early"
    assert [e.state for e in inventory.take(folder)].count("absent") == 4


def test_the_command_puts_costs_of_what_is_sound_into_the_table(folder, monkeypatch, tmp_path):
    monkeypatch.setattr("optimist.plan.plan.Plan", lambda config: folder)
    (tmp_path / "benchmarks/facts").mkdir(parents=True)
    used = '{"cpu_seconds": 12.5, "peak_mb": 180.0}'
    (tmp_path / "benchmarks/facts/toy.json").write_text(used)
    table = tmp_path / "costs.csv"
    known = Row("regret", "toy", "elsewhere", "gloc", 12, 5.0, 300)
    write([known], table)
    assert cli.main(["results", "--costs", str(table), "--delete", "refused"]) == 0
    assert [row.setting for row in read(table)] == ["", "elsewhere", "sound"]
    costs = Costs(read(table))
    assert costs.seconds(toy_trials(setting="sound")) < 60.0
    assert costs.seconds(toy_trials(setting="elsewhere", stop=1)) == 5.0
    assert costs.study("facts", "toy") == (12.5, 180.0)


def test_studies_of_a_short_run_tell_nothing_of_costs(tmp_path):
    plan = ToyPlan(tmp_path)
    (tmp_path / "benchmarks/facts").mkdir(parents=True)
    used = '{"cpu_seconds": 12.5, "peak_mb": 180.0}'
    (tmp_path / "benchmarks/facts/toy.json").write_text(used)
    assert len(list(inventory.studies(plan))) == 1
    plan.config["caps"]["rounds"] = 150
    assert list(inventory.studies(plan)) == []
    plan.config["caps"]["rounds"] = None
    plan.config["only"]["settings"] = ["here"]
    assert list(inventory.studies(plan)) == []


def test_trials_that_failed_tell_nothing_of_costs(tmp_path, monkeypatch):
    job = toy_trials()
    monkeypatch.setattr(GLOC, "is_finite", lambda self: False)
    make(tmp_path, job)
    (entry,) = entries = inventory.take(ToyPlan(tmp_path, job))
    assert entry.state == "present" and list(inventory.uses(entries)) == []


def test_all_refused_files_are_counted_whatever_is_wrong(folder):
    expected = folder.trials.fingerprints(folder.trials.by_path)
    expected = {path: asked for path, asked in expected.items() if "absent" not in path}
    with pytest.raises(ResultError, match=r"refused/gloc.*\(and 1 more files\).*--delete refused"):
        results.verify(expected, folder.layout.data_folder)


def test_a_flipped_byte_in_any_column_is_refused(tmp_path):
    job = toy_trials(horizon=4000)
    (path,) = make(tmp_path, job)
    file = pq.ParquetFile(path)
    group = file.metadata.row_group(0)
    column = next(
        c for c in map(group.column, range(group.num_columns)) if c.path_in_schema == "regret"
    )
    content = bytearray(path.read_bytes())
    content[column.data_page_offset + column.total_compressed_size // 2] ^= 0x10
    path.unlink()
    path.write_bytes(content)
    assert [entry.state for entry in inventory.take(ToyPlan(tmp_path, job))] == ["refused"]


def test_time_limits_of_the_configuration_are_not_early(tmp_path):
    job = replace(toy_trials(horizon=4000, stop=3), time_limit=0.01)
    make(tmp_path, job)
    assert "timeout" in results.read(tmp_path / job.path)["status"].to_pylist()
    assert [entry.state for entry in inventory.take(ToyPlan(tmp_path, job))] == ["present"]


def test_what_to_type_names_the_configuration(folder, monkeypatch, capsys):
    monkeypatch.setattr("optimist.plan.plan.Plan", lambda config: folder)
    arguments = ["results", "--configfile", "config/large.yaml", "--config", "job_files=3"]
    assert cli.main(arguments) == 0
    said = capsys.readouterr().out
    assert "optimist results --configfile config/large.yaml --config job_files=3 --delete" in said
    assert "memory_factor=2" in said


def test_what_cannot_be_read_is_not_refused(tmp_path, monkeypatch):
    job = toy_trials()
    (path,) = make(tmp_path, job)

    def fail(*arguments, **options):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Path, "read_bytes", fail)
    with pytest.raises(UnreadableError, match=r"here/gloc/000-001.* cannot be read: Input"):
        inventory.take(ToyPlan(tmp_path, job))
    assert path.exists()


def test_results_without_their_data_set_are_not_refused(tmp_path):
    (path,) = make(tmp_path, toy_trials())
    rewrite(path, lambda m: m["trials"]["cell"]["spec"].update(dataset="covertype"))
    asked = {str(path): fingerprint(results.read_metadata(path)["trials"])}
    with pytest.raises(DataError, match=r"covertype\.csv does not exist.*snakemake --cores 1"):
        results.verify(asked, tmp_path / "data")


# Merging.


def copy_of(tmp_path, name, *jobs):
    root = tmp_path / name
    make(root, *jobs)
    shutil.rmtree(root / "kept", ignore_errors=True)
    return root


def test_results_of_two_machines_come_together(tmp_path):
    a = copy_of(tmp_path, "a", toy_trials(), toy_trials("timing"))
    b = copy_of(tmp_path, "b", toy_trials(setting="there"), toy_trials(first=2, stop=4))
    with_data(a)
    assert cli.main(["merge", str(a), str(b), "--into", str(tmp_path / "all")]) == 0
    for source in (a, b):
        for path in source.rglob("*.*"):
            assert (tmp_path / "all" / path.relative_to(source)).read_bytes() == path.read_bytes()
    names = ("data/raw/diabetes.parquet", "data/diabetes.csv", toy_trials().path)
    times = [(tmp_path / "all" / name).stat().st_mtime_ns for name in names]
    assert times == sorted(times)


def test_what_was_joined_is_told_as_json(tmp_path, capsys):
    a, b = copy_of(tmp_path, "a", toy_trials()), copy_of(tmp_path, "b", toy_trials())
    assert cli.main(["merge", str(a), "--into", str(b), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"copied": 0, "known": 1}


def test_the_same_results_twice_are_known(tmp_path):
    a, b = copy_of(tmp_path, "a", toy_trials()), copy_of(tmp_path, "b", toy_trials())
    assert merge([a], b) == (0, 1)
    assert merge([a, b], tmp_path / "all") == (1, 1)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda m: m["trials"].update(code="0" * 64), "two configurations or versions of the code"),
        (None, "same trials with two outcomes"),
    ],
)
def test_a_conflict_is_refused_and_nothing_is_copied(tmp_path, spoil, words):
    a = copy_of(tmp_path, "a", toy_trials(), toy_trials(setting="another"))
    b = copy_of(tmp_path, "b", toy_trials())
    path = b / toy_trials().path
    if spoil:
        rewrite(path, spoil)
    else:
        table = results.read(path)
        numbers = pd.Series(table["regret"].to_pylist()) + 1e-13
        place = table.column_names.index("regret")
        changed = table.set_column(place, "regret", [numbers.to_list()])
        metadata = results.read_metadata(path)
        metadata.pop("rows")
        results.write(changed, path, metadata)
    with pytest.raises(ResultError, match=words):
        merge([a], b)
    assert not (b / toy_trials(setting="another").path).exists()


def test_two_measurements_of_one_time_are_a_conflict(tmp_path):
    a, b = (copy_of(tmp_path, name, toy_trials("timing")) for name in "ab")
    with pytest.raises(ResultError, match="two measurements"):
        merge([a, b], tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_two_tables_of_one_data_set_are_a_conflict(tmp_path):
    a, b = copy_of(tmp_path, "a", toy_trials()), copy_of(tmp_path, "b", toy_trials())
    with_data(a)
    with_data(b, "a,b\n3,4\n")
    with pytest.raises(ResultError, match="two tables of one data set"):
        merge([a], b)


def test_one_table_written_by_two_versions_is_one_table(tmp_path):
    a, b = copy_of(tmp_path, "a", toy_trials()), copy_of(tmp_path, "b", toy_trials())
    with_data(a)
    with_data(b, version="2")
    raw = "data/raw/diabetes.parquet"
    assert (a / raw).read_bytes() != (b / raw).read_bytes()
    assert merge([a], b) == (0, 4)


def test_a_job_that_makes_more_than_was_merged_takes_the_rest_as_it_is(tmp_path):
    jobs = toy_trials(), toy_trials("timing"), toy_trials(setting="there")
    a, everything = copy_of(tmp_path, "a", *jobs[:2]), tmp_path / "all"
    merge([a], everything)
    regret, times = (everything / job.path for job in jobs[:2])
    before = regret.read_bytes(), times.read_bytes()
    for path in (regret, times):  # as Snakemake does before a batch is run
        path.unlink()
    make(everything, jobs[0], jobs[2])
    make(everything, jobs[1])
    # A result that is made again has other times in it.
    assert regret.read_bytes() == before[0]
    assert times.read_bytes() != before[1]


def test_facts_of_two_machines_are_no_conflict_and_left_behind(tmp_path):
    a, b = copy_of(tmp_path, "a", toy_trials()), copy_of(tmp_path, "b", toy_trials())
    for folder, digits in ((a, "0.30000000000000004"), (b, "0.3")):
        with_data(folder)
        (folder / "data" / "diabetes_facts.csv").write_text(f"name,value\nx,{digits}\n")
    merge([a, b], tmp_path / "all")
    assert (tmp_path / "all/data/diabetes.csv").exists()
    assert not (tmp_path / "all/data/diabetes_facts.csv").exists()


def test_a_damaged_file_or_a_wrong_folder_is_refused(tmp_path):
    a = copy_of(tmp_path, "a", toy_trials())
    (a / toy_trials().path).write_bytes(b"")
    with pytest.raises(ResultError, match="damaged"):
        merge([a], tmp_path / "all")
    with pytest.raises(ResultError, match=r"nowhere holds no results"):
        merge([tmp_path / "nowhere"], tmp_path / "all")


def test_a_figure_that_came_with_a_checkout_is_not_deleted_with_results(folder):
    folder.figure.write_bytes(b"drawn elsewhere")
    os.utime(folder.figure, (1.0, 1.0))
    assert inventory.delete([e for e in inventory.take(folder) if e.state == "early"], folder) == 0
    assert folder.figure.exists()
