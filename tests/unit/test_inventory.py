"""What a results folder holds: which results are damaged, early or of other code, and costs."""

import errno
import json
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from result_files import RACE, make, path_of, toy_trials

from optimist.algorithms.glb.gloc import GLOC
from optimist.cli import main
from optimist.core.errors import ConfigError, ResultError, UnreadableError
from optimist.core.layout import Layout, digest_in_name
from optimist.experiments import results
from optimist.experiments.cell_records import STUDY, CellRecord
from optimist.figures.studies import tables as study_tables
from optimist.plan import inventory
from optimist.plan.costs import Row, read, write
from optimist.plan.publish import gather
from optimist.plan.trials import PlannedTrials

CELLS = ("sound", "absent", "damaged", "early")


class ToyPlan:
    """As much of a plan as the inventory asks for: cells of a paper, and a study of facts."""

    def __init__(self, root, *asked):
        self.root, self.papers, self.reuses = root, ["toy", "other"], False
        self.config = {"caps": {"rounds": None}, "only": {"settings": []}}
        self.layout = Layout(str(root), str(root / "figures"))
        self.data = SimpleNamespace(digest=str)
        self.costs = SimpleNamespace(seconds=lambda trials: 0.0)
        self.records = {}
        self.trials = PlannedTrials.__new__(PlannedTrials)
        of_paper = {"toy": {trials.key: trials for trials in asked}, "other": {}}
        self.trials.__dict__ |= {
            "_plan": self,
            "_digests": {},
            "_of_paper": of_paper,
            "misfits": lambda paper: (),
        }
        for race in self.trials.races("toy").values():
            object.__setattr__(race, "digest", RACE)
        self.studies = SimpleNamespace(
            names=lambda paper: ["facts"] if paper == "toy" else [],
            file=lambda paper, name: self.layout.study(paper, name, "0" * 12),
            is_committed=lambda paper, name: (STUDY, name, "") in self.records,
        )

    def committed(self, paper):
        return self.records

    def is_cut(self, *sections):
        return any(value for section in sections for value in self.config[section].values())

    def record(self, *key, **changes):
        """Put the record of a cell or study of today's code into the committed tables."""
        trials = self.trials.of_paper("toy").get(key)
        digest = self.trials.digest(trials) if trials else ""
        rest = {"observed": {}, "seconds": 12.5, "mb": 180.0, "commit": "", "made": ""} | changes
        record = CellRecord(key[0], "paper", *key[1:], 2, (2,), digest, "", **rest)
        self.records[record.key] = record

    def in_name(self, decisive):
        return digest_in_name(decisive, {})

    def make_study(self):
        about = {"use": {"cpu_seconds": 12.5, "peak_mb": 180.0}, "provenance": {}}
        facts = pd.DataFrame({"name": ["kappa"], "setting": ["here"], "value": [2.0]})
        study_tables.write({"facts": facts}, self.studies.file("toy", "facts"), about)


def states(plan):
    return [entry.state for entry in inventory.take(plan) if entry.key[0] != STUDY]


@pytest.fixture
def folder(tmp_path):
    """A plan with a sound, an absent, a damaged and an early file, without its study."""
    jobs = {name: toy_trials(setting=name) for name in CELLS}
    jobs["early"] = toy_trials(setting="early", horizon=4000, stop=3)
    for name, job in jobs.items():
        if name != "absent":
            make(tmp_path, job, limits=[0.01 if name == "early" else None])
    (tmp_path / path_of(jobs["damaged"])).write_bytes(b"")
    return ToyPlan(tmp_path, *jobs.values())


def test_the_inventory_names_every_state(folder):
    entries = inventory.take(folder)
    assert [e.state for e in entries] == ["present", "absent", "damaged", "early", "absent"]
    text = inventory.to_text(entries, {})
    assert "5 results planned: 2 present, 2 absent (0 of these in the committed" in text
    assert "1 damaged; 1 with trials" in text and "out_of_time 3 of 3 trials" in text
    assert "is damaged" in text and "other code" not in text
    assert "optimist results --delete damaged" in text and "--delete early" in text


def test_what_the_committed_tables_have_is_said(folder):
    folder.record("regret", "absent", "gloc")
    folder.record("regret", "sound", "gloc")
    text = inventory.to_text(inventory.take(folder), {})
    assert "2 absent (1 of these in the committed tables)" in text


def test_the_command_deletes_what_it_is_told_and_nothing_else(folder, monkeypatch, capsys):
    monkeypatch.setattr("optimist.cli.read.Plan", lambda config: folder)
    before = set(folder.root.rglob("*.parquet"))
    assert main.main(["results", "--delete", "damaged"]) == 0
    assert "deleted 1 results" in capsys.readouterr().out
    assert states(folder) == ["present", "absent", "absent", "early"]
    assert main.main(["results", "--delete", "damaged"]) == 0
    assert len(before) - len(set(folder.root.rglob("*.parquet"))) == 1
    capsys.readouterr()
    assert main.main(["results", "--delete", "early", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (early,) = told["deleted"]
    assert {row["path"]: row["state"] for row in told["files"]}[early] == "early"
    assert states(folder).count("absent") == 3
    assert not (folder.root / "run/toy/early").exists()


def test_results_of_other_code_are_found_and_deleted(folder, monkeypatch, capsys):
    monkeypatch.setattr("optimist.cli.read.Plan", lambda config: folder)
    others = make(
        folder.root,
        toy_trials(setting="sound", horizon=13),
        toy_trials(setting="elsewhere"),
    )
    others += make(folder.root, toy_trials("timing"))
    study = folder.root / "study/toy/facts.0123456789ab.parquet"
    study.parent.mkdir(parents=True)
    study.write_bytes(b"1")
    # More trials of a planned digest, another paper, and what a job is writing.
    make(folder.root, toy_trials(setting="sound", first=2, stop=4))
    for name in ("run/unknown/x.parquet", "run/toy/sound/gloc/.000-001.parquet.12ab.tmp"):
        (folder.root / name).parent.mkdir(parents=True, exist_ok=True)
        (folder.root / name).write_bytes(b"1")
    found = inventory.others(folder)
    assert {*found} == {str(path) for path in (*others, study)} and found[str(study)] == 1
    assert main.main(["results"]) == 0
    assert "4 files, 0.0 MB, come from other code or another" in capsys.readouterr().out
    assert main.main(["results", "--delete", "other"]) == 0
    assert inventory.others(folder) == {} and not (folder.root / "time/toy").exists()
    assert states(folder) == ["present", "absent", "damaged", "early"]
    folder.config["only"]["settings"] = ["sound"]
    with pytest.raises(ConfigError, match="would be listed as other"):
        inventory.others(folder)
    assert main.main(["results"]) == 0


def test_a_race_with_a_damaged_file_is_deleted_as_a_whole(tmp_path, monkeypatch):
    job = toy_trials("timing")
    (path,) = make(tmp_path, job)
    plan = ToyPlan(tmp_path, job)
    assert states(plan) == ["present"] and inventory.others(plan) == {}
    path.write_bytes(b"")
    monkeypatch.setattr("optimist.cli.read.Plan", lambda config: plan)
    assert main.main(["results", "--delete", "damaged"]) == 0
    assert not (tmp_path / "time/toy").exists()


def test_costs_of_published_results_are_put_into_the_table(folder, monkeypatch, tmp_path):
    monkeypatch.setattr("optimist.cli.read.Plan", lambda config: folder)
    folder.make_study()
    folder.record(STUDY, "facts", "")
    for name in CELLS:
        folder.record("regret", name, "gloc")
    table = tmp_path / "costs.csv"
    known = Row("regret", "toy", "elsewhere", "gloc", 12, 5.0, 300)
    write([known], table)
    assert main.main(["results", "--costs", str(table)]) == 0
    sound = Row("regret", "toy", "sound", "gloc", 12, 12.5, 180)
    assert read(table) == [Row("facts", "toy", "", "", 1, 12.5, 180), known, sound]
    entries = inventory.take(folder)
    for section, cut in (("caps", {"rounds": 150}), ("only", {"settings": ["sound"]})):
        with monkeypatch.context() as patch:
            patch.setitem(folder.config, section, cut)
            assert [row.setting for row in inventory.measured(entries, folder)] == ["sound"]


def test_a_cell_has_no_cost_if_a_trial_failed_or_its_seconds_are_unknown(tmp_path, monkeypatch):
    jobs = [toy_trials(), toy_trials(setting="there")]
    make(tmp_path, jobs[1])
    monkeypatch.setattr(GLOC, "is_finite", lambda self: False)
    make(tmp_path, jobs[0])
    plan = ToyPlan(tmp_path, *jobs)
    plan.record("regret", "here", "gloc")
    plan.record("regret", "there", "gloc", seconds=float("nan"))
    entries = inventory.take(plan)
    assert states(plan) == ["present"] * 2 and inventory.measured(entries, plan) == []


def test_a_damaged_study_is_named(tmp_path):
    plan = ToyPlan(tmp_path)
    plan.make_study()
    Path(plan.studies.file("toy", "facts")).write_bytes(b"")
    (entry,) = inventory.take(plan)
    assert entry.state == "damaged" and "facts" in entry.remark


def test_what_to_type_names_the_configuration(folder, monkeypatch, capsys):
    monkeypatch.setattr("optimist.cli.read.Plan", lambda config: folder)
    arguments = ["results", "--configfile", "config/quick.yaml", "--config", "memory_factor=3"]
    assert main.main(arguments) == 0
    said = capsys.readouterr().out
    assert "results --configfile config/quick.yaml --config memory_factor=3 --delete" in said
    assert "time_factor=2" in said


def test_what_cannot_be_read_is_not_damaged(tmp_path, monkeypatch):
    job = toy_trials()
    (path,) = make(tmp_path, job)

    def fail(*arguments, **options):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Path, "read_bytes", fail)
    with pytest.raises(UnreadableError, match=r"here/gloc/000-001.* cannot be read: Input"):
        inventory.take(ToyPlan(tmp_path, job))
    assert path.exists()


# Results of several machines.


def test_results_of_two_machines_come_together(tmp_path):
    jobs = toy_trials(), toy_trials("timing"), toy_trials(setting="there")
    a = [*make(tmp_path / "a", jobs[0]), *make(tmp_path / "a", jobs[1])]
    b = make(tmp_path / "b", jobs[2])
    make(tmp_path / "a", toy_trials(setting="elsewhere"))  # is not planned
    plan = ToyPlan(tmp_path / "all", *jobs)
    assert gather(plan, "toy", [tmp_path / "a", tmp_path / "b"]) == 3
    for path, job in zip((*a, *b), jobs, strict=True):
        assert (tmp_path / "all" / path_of(job)).read_bytes() == path.read_bytes()
    assert len([*(tmp_path / "all").rglob("*.parquet")]) == 3
    assert gather(plan, "toy", [tmp_path / "b"]) == 0


def test_two_outcomes_of_the_same_trials_are_a_conflict(tmp_path):
    jobs = toy_trials(), toy_trials(setting="there")
    make(tmp_path / "a", *jobs)
    (path,) = make(tmp_path / "b", jobs[0])
    table, metadata = results.read(path), results.read_metadata(path)
    place, numbers = table.column_names.index("regret"), table["regret"].to_pylist()
    changed = table.set_column(place, "regret", [[x + 1e-13 for x in numbers]])
    results.write(changed, path, metadata)
    plan = ToyPlan(tmp_path / "all", *jobs)
    with pytest.raises(ResultError, match="different outcomes of the same trials"):
        gather(plan, "toy", [tmp_path / "a", tmp_path / "b"])
    assert not (tmp_path / "all").exists()
