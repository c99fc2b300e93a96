"""From result files to committed tables, and whether cells of other code are today's."""

import os
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pandas as pd
import pytest
from result_files import toy_trials

from optimist.algorithms.glb.gloc import GLOC
from optimist.config import load as config
from optimist.core import provenance
from optimist.core.errors import ConfigError, ResultError
from optimist.core.files import locked, sha256, write_text
from optimist.experiments import cell_records, cell_trials, results
from optimist.experiments.cell_trials import of_result
from optimist.experiments.job import make_race, make_result
from optimist.experiments.trial_table import TrialTable
from optimist.experiments.trial_table import write as write_table
from optimist.experiments.trials import run
from optimist.figures.studies import study_class
from optimist.figures.studies import tables as study_tables
from optimist.plan import products
from optimist.plan.plan import Plan
from optimist.plan.publish import publish
from optimist.plan.remake import decide_one, draw, of_other_code, plans, shown, warn
from optimist.plan.reseal import fault_of, fault_of_study, reseal
from optimist.plan.targets import TO_BE_MADE

ONLY = {"settings": ["logistic_s3"], "algorithms": ["gloc", "glb_omd"]}
CAPS = {"rounds": 20, "trials": 2, "timing_trials": 1}
KEY = "regret", "logistic_s3", "gloc"
FACTS = pd.DataFrame({"name": ["a"], "setting": ["b"], "value": [1.0]})


def planned(**changes):
    known = {"papers": ["glb_omd"], "only": ONLY, "caps": CAPS, **changes}
    return Plan(config.merge(config.load_config(), known))


def play(plan, algorithms=None, lanes=("regret", "timing")):
    """Play cells of a plan as its jobs would."""
    for trials in plan.trials if "regret" in lanes else ():
        if trials.lane == "regret" and trials.cell.algorithm in (
            algorithms or [trials.cell.algorithm]
        ):
            for part, path in zip(
                plan.trials.parts(trials), plan.trials.files(trials), strict=True
            ):
                asked = {**part.describe(), "digest": plan.trials.digest(part)}
                make_result(asked, path, plan.layout.data_folder)
    if "timing" in lanes:
        for race in plan.trials.races("glb_omd").values():
            asked = [{**t.describe(), "digest": plan.trials.digest(t)} for t in race.trials]
            folder = plan.layout.race("glb_omd", race.number, race.digest)
            make_race(asked, folder, plan.layout.data_folder)


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return planned()


@pytest.fixture
def published(plan):
    """Return a plan with the trials of GLOC in the table."""
    play(plan, algorithms=["gloc"], lanes=["regret"])
    publish(plan, "glb_omd")
    return plan


def records_of(plan, **changes):
    """Return the records of the cells by key, after changes of all of them in their file."""
    path = plan.layout.cells("glb_omd")
    records = cell_records.read(path)
    if changes:
        cell_records.write([replace(one, **changes) for one in records.values()], path)
    return records


def test_results_are_put_into_the_tables_and_taken_from_them_later(plan):
    play(plan)
    summary = publish(plan, "glb_omd")
    number = len(plan.trials.keys("glb_omd"))
    assert (summary.published, summary.kept, summary.stale) == (number, 0, [])
    assert set(summary.missing) == {f"study/{n}" for n in plan.studies.names("glb_omd")}
    table = TrialTable(plan.layout.trials("glb_omd"))
    assert set(table.keys) == set(plan.trials.keys("glb_omd"))
    assert table.metadata["configuration"]["caps"] == CAPS
    known = cell_records.read(plan.layout.cells("glb_omd"))
    assert known[KEY].content == table.cell(*KEY).content
    assert known[KEY].trials == 2
    assert plan.trials.is_committed(plan.trials.of_paper("glb_omd")[KEY])
    shutil.rmtree("results")
    before = Path(plan.layout.trials("glb_omd")).read_bytes()
    again = publish(planned(), "glb_omd")
    assert (again.published, again.kept) == (0, number)
    assert Path(plan.layout.trials("glb_omd")).read_bytes() == before


def test_what_leaves_the_table_is_named_and_a_run_that_takes_nothing_writes_nothing(plan):
    play(plan, lanes=["regret"])
    publish(plan, "glb_omd")
    path = Path(plan.layout.cells("glb_omd"))
    kept = path.with_name("trials.parquet"), path
    before = [file.stat() for file in kept]
    publish(planned(results="elsewhere"), "glb_omd")
    assert [file.stat().st_mtime_ns for file in kept] == [one.st_mtime_ns for one in before]
    shutil.rmtree("results")
    without = planned()
    del without.trials.asked["glb_omd"][KEY], without.trials._of_paper["glb_omd"][KEY]
    summary = publish(without, "glb_omd")
    assert summary.dropped == ["/".join(KEY)]
    assert "removed, because the configuration does not request them" in summary.in_words()
    assert KEY not in TrialTable(kept[0]).keys


@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_restricted_run_keeps_rows_that_do_not_fit_their_record(published, is_recorded):
    plan = published
    wrong = [replace(records_of(plan)[KEY], content="0" * 16)] if is_recorded else []
    cell_records.write(wrong, plan.layout.cells("glb_omd"))
    part = planned(only={**ONLY, "algorithms": ["glb_omd"]})
    before = Path(plan.layout.trials("glb_omd")).read_bytes()
    with pytest.raises(ResultError, match=rf"^{'/'.join(KEY)} in .* does not match its record"):
        publish(part, "glb_omd")
    assert Path(plan.layout.trials("glb_omd")).read_bytes() == before


def test_a_mark_of_a_restricted_run_says_nothing_of_a_study_that_it_left_out(plan):
    path = plan.layout.published("glb_omd", "paper")
    whole = planned(only={"settings": [], "algorithms": [], "figures": []}, caps={})
    part = planned(
        only={"settings": [], "algorithms": [], "figures": ["glb_omd/update_cost"]}, caps={}
    )
    name, file = next(
        (name, Path(whole.studies.file("glb_omd", name)))
        for name in part.studies.names("glb_omd")
        if whole.studies.file("glb_omd", name) == part.studies.file("glb_omd", name)
    )
    file.parent.mkdir(parents=True)
    file.touch()
    about = {"trials": 0, "parts": (), "digest": "old", "content": "old", "observed": {}}
    about |= {"seconds": 1.0, "mb": 1.0, "commit": "", "made": ""}
    record = cell_records.CellRecord(cell_records.STUDY, "paper", name, "", **about)
    for one in (whole, part):
        one._records["glb_omd"] = {record.key: record}
    write_text(part.targets.publication("glb_omd", "paper"), path)
    assert part.targets.is_published("glb_omd", "paper")
    assert not whole.targets.is_published("glb_omd", "paper")


def test_a_restricted_run_takes_no_evidence_from_the_tables(plan):
    whole = {"settings": [], "algorithms": [], "figures": []}
    full = planned(only=whole)
    known, table = {"facts": FACTS, "regions": FACTS}, full.layout.studies("glb_omd")
    play(plan, lanes=["regret"])
    publish(full, "glb_omd")
    study_tables.write(known, table)
    records = cell_records.read(full.layout.cells("glb_omd"))
    made = [
        replace(records[KEY], lane=cell_records.STUDY, group="paper", setting=name, algorithm="")
        for name in ("facts", "regions")
    ]
    cell_records.write([*records.values(), *made], full.layout.cells("glb_omd"))

    part = planned(
        only={**whole, "figures": ["glb_omd/fig1"]}, caps={**CAPS, "rounds": 10, "trials": 1}
    )
    play(part, lanes=["regret"], algorithms=["gloc"])
    assert "/".join(KEY) in publish(part, "glb_omd").stale
    assert set(study_tables.read(table)[0]) == {*known}
    after = cell_records.read(full.layout.cells("glb_omd"))
    assert after.keys() >= {*records, *(one.key for one in made)}
    assert after[KEY] == records[KEY]
    found = TrialTable(full.layout.trials("glb_omd")).metadata["configuration"]
    assert found["caps"] == CAPS and "only" not in found


def test_a_table_without_its_records_is_not_replaced(plan):
    play(plan, lanes=["regret"], algorithms=["gloc"])
    publish(plan, "glb_omd")
    before = Path(plan.layout.trials("glb_omd")).read_bytes()
    Path(plan.layout.cells("glb_omd")).unlink()
    with pytest.raises(ResultError, match=r"cells\.csv, the record of how .* was made, is missing"):
        publish(planned(), "glb_omd")
    assert Path(plan.layout.trials("glb_omd")).read_bytes() == before


def test_a_cell_without_a_result_keeps_its_row_and_is_named(plan):
    play(plan, algorithms=["glb_omd"], lanes=["regret"])
    summary = publish(plan, "glb_omd")
    assert "/".join(KEY) in summary.missing
    play(plan, algorithms=["gloc"], lanes=["regret"])
    publish(plan, "glb_omd")
    records_of(plan, digest="0" * 64)
    shutil.rmtree("results")
    again = publish(planned(), "glb_omd")
    assert "/".join(KEY) in again.stale
    assert again.kept == 0
    assert "of other code: " in again.in_words()
    assert TrialTable(plan.layout.trials("glb_omd")).cell(*KEY) is not None


def test_a_cell_counts_from_its_results_only_if_all_are_there(plan, monkeypatch):
    monkeypatch.setattr("optimist.plan.trials.LONGEST_JOB", 1e-9)
    play(plan, algorithms=["gloc"], lanes=["regret"])
    one, _ = plan.trials.files(plan.trials.of_paper("glb_omd")[KEY])
    publish(plan, "glb_omd")
    Path(one).unlink()
    assert plan.trials.fresh_files("glb_omd", [KEY]) == {}
    product = plan.targets.product("glb_omd", "figures", "fig1")
    assert plan.targets.sources(product).trials(product).cell(*KEY).trial.tolist() == [0, 1]
    assert publish(plan, "glb_omd").published < len(plan.trials.keys("glb_omd"))
    assert cell_records.read(plan.layout.cells("glb_omd"))[KEY].parts == (1, 2)


def test_other_costs_cut_no_cell_anew_that_was_played_or_published(plan, monkeypatch):
    play(plan, algorithms=["gloc"], lanes=["regret"])
    made = plan.trials.files(plan.trials.of_paper("glb_omd")[KEY])
    monkeypatch.setattr("optimist.plan.trials.LONGEST_JOB", 1e-9)
    assert plan.trials.files(plan.trials.of_paper("glb_omd")[KEY]) == made
    publish(plan, "glb_omd")
    shutil.rmtree("results")
    assert plan.trials.files(plan.trials.of_paper("glb_omd")[KEY]) == made


def test_a_round_that_older_rows_lack_is_not_declared(plan, monkeypatch):
    play(plan, algorithms=["gloc"], lanes=["regret"])
    for name in ("EVEN", "GEOMETRIC", "FEW"):
        monkeypatch.setattr(cell_trials, name, 3)
    publish(plan, "glb_omd")
    shutil.rmtree("results")
    monkeypatch.setattr(plan.targets, "declared", lambda paper: {"regret/logistic_s3": {13}})
    assert publish(plan, "glb_omd").kept > 0
    assert TrialTable(plan.layout.trials("glb_omd")).metadata["declared"] == {}


def mark(plan):
    """Publish as the rule does."""
    publish(plan, "glb_omd")
    path = plan.layout.published("glb_omd", "paper")
    write_text(plan.targets.publication("glb_omd", "paper"), path)


def test_a_round_declared_later_is_read_from_results_until_the_table_has_it(plan, monkeypatch):
    def full(declared):
        found = planned(only={"settings": [], "algorithms": [], "figures": []})
        monkeypatch.setattr(found.targets, "declared", lambda paper: declared)
        product = found.targets.product("glb_omd", "tables", "final_regret")
        return found, replace(product, cells=[[*KEY, 2]])

    play(plan, algorithms=["gloc"], lanes=["regret"])
    for name in ("EVEN", "GEOMETRIC", "FEW"):
        monkeypatch.setattr(cell_trials, name, 3)
    for declared in ({}, {"regret/logistic_s3": {17}}):
        first, product = full(declared)
        assert not first.targets.is_published("glb_omd", "paper")
        products.make(product, first.targets.sources(product))
        assert not first.targets.is_stale(product)
        mark(first)
        later, product = full(declared)
        assert later.targets.is_published("glb_omd", "paper")
        with monkeypatch.context() as patch:
            patch.setattr("optimist.plan.targets.Sources", pytest.fail)  # reading takes long
            assert not later.targets.is_stale(product)
    assert 17 in TrialTable(plan.layout.trials("glb_omd")).recorded(*KEY).rounds[0]


# Trials that follow the table's trials.


def more(number=5, committed="use", **changes):
    return planned(caps={**CAPS, "trials": number}, committed=committed, **changes)


def names(paths):
    """Return the ranges of trials in names of result files."""
    return [Path(path).name[:7] for path in paths]


def new_files(plan):
    return names(plan.trials.new_files(plan.trials.of_paper("glb_omd")[KEY]))


def play_new(plan):
    """Play those trials of GLOC whose files are needed and absent."""
    trials = plan.trials.of_paper("glb_omd")[KEY]
    needed = plan.trials.needed("glb_omd", [KEY])
    for part, path in zip(plan.trials.parts(trials), plan.trials.files(trials), strict=True):
        if path in needed and not Path(path).exists():
            asked = {**part.describe(), "digest": plan.trials.digest(part)}
            make_result(asked, path, plan.layout.data_folder)


@pytest.fixture
def emptied(published):
    """Return nothing, where the table has two trials of GLOC and no result is on disk."""
    shutil.rmtree("results")


def test_only_the_trials_that_the_table_lacks_are_played(emptied):
    later = more()
    assert (
        new_files(later) == names(later.trials.needed("glb_omd", [KEY])) == ["002-003", "004-004"]
    )
    assert names(later.trials.outputs(later.trials.of_paper("glb_omd")[KEY])) == new_files(later)
    play_new(later)
    assert names(sorted(Path("results").rglob("*.parquet"))) == ["002-003", "004-004"]
    assert names(later.trials.fresh_files("glb_omd", [KEY])) == ["002-003", "004-004"]


def test_all_trials_are_played_unless_the_table_is_used_and_of_todays_code(emptied):
    whole = ["000-001", "002-003", "004-004"]
    assert new_files(more(committed="ignore")) == whole
    records = records_of(more(), digest="0" * 64)
    assert new_files(more()) == whole
    # Other versions of packages may give other trials.
    made = re.sub(r"numpy [0-9.]+", "numpy 1.0.1", records[KEY].made)
    assert made != records[KEY].made
    records_of(more(), digest=records[KEY].digest, made=made)
    assert new_files(more()) == whole
    records_of(more(), made=records[KEY].made)
    assert new_files(more()) == whole[1:]
    # Rows that do not match their record are not used either, nor are its parts.
    records_of(more(), digest=records[KEY].digest, content="0" * 16)
    assert new_files(more()) == ["000-004"]


def test_as_many_trials_as_the_table_has_need_no_file(emptied):
    for number in (1, 2):
        assert more(number).trials.needed("glb_omd", [KEY]) == []
    # In the timing lane a race is measured again as a whole.
    later = more(2)
    timed = next(t for t in later.trials if t.lane == "timing")
    assert later.trials.new_files(timed) == later.trials.files(timed)


def test_trials_that_were_all_played_again_replace_those_of_the_table(emptied):
    again = more(committed="ignore")
    play(again, algorithms=["gloc"], lanes=["regret"])
    assert new_files(more()) == ["000-001", "002-003", "004-004"]
    Path(again.trials.files(again.trials.of_paper("glb_omd")[KEY])[0]).unlink()
    assert new_files(more()) == ["002-003", "004-004"]
    # A file that begins before the end of the table does not follow it.
    shutil.rmtree("results")
    trials = again.trials.of_paper("glb_omd")[KEY]
    part, path = trials.part(1, 5), again.trials.file(trials.part(1, 5))
    make_result(
        {**part.describe(), "digest": again.trials.digest(part)}, path, again.layout.data_folder
    )
    assert new_files(more())[0] == "000-000"


def test_trials_that_follow_are_added_to_those_of_the_table(emptied):
    before = TrialTable(more().layout.trials("glb_omd")).recorded(*KEY)
    later = more()
    old = records_of(later)[KEY]
    play_new(later)
    assert publish(later, "glb_omd").published == 1
    found, record = (
        TrialTable(later.layout.trials("glb_omd")).recorded(*KEY),
        records_of(later)[KEY],
    )
    assert found.trial.tolist() == [0, 1, 2, 3, 4]
    assert found.take(np.arange(2)).content == before.content == old.content
    assert (record.trials, record.parts, record.content) == (5, (2, 4, 5), found.content)
    assert record.is_of(later.trials.digest(later.trials.of_paper("glb_omd")[KEY]))
    # The processor time is the mean over trials.
    new = [results.read_metadata(path) for path in sorted(Path("results").rglob("*.parquet"))]
    spent = 2 * old.seconds + sum(one["use"]["cpu_seconds"] for one in new)
    assert record.seconds == pytest.approx(spent / 5, rel=1e-3)
    # Then there is nothing left to play or to publish.
    shutil.rmtree("results")
    after = more()
    assert after.trials.needed("glb_omd", [KEY]) == []
    assert publish(after, "glb_omd").published == 0
    assert records_of(after)[KEY] == record


def test_they_give_what_one_run_of_all_trials_gives(emptied, tmp_path, monkeypatch):
    later = more()
    play_new(later)
    publish(later, "glb_omd")
    appended = TrialTable(later.layout.trials("glb_omd")).recorded(*KEY)
    (tmp_path / "whole").mkdir()
    monkeypatch.chdir(tmp_path / "whole")
    whole = more(committed="ignore")
    play(whole, algorithms=["gloc"], lanes=["regret"])
    publish(whole, "glb_omd")
    found = TrialTable(whole.layout.trials("glb_omd")).recorded(*KEY)
    assert found.content == appended.content and len(found) == 5


def test_products_read_the_table_and_what_follows_before_it_is_published(emptied):
    later = more()
    product = later.targets.product("glb_omd", "tables", "final_regret")
    assert later.targets._content(product, KEY) == TO_BE_MADE
    play_new(later)
    later = more()
    rows = later.targets.sources(product).trials(product).recorded(*KEY)
    assert rows.trial.tolist() == [0, 1, 2, 3, 4]
    seen = later.targets._content(product, KEY)
    publish(later, "glb_omd")
    assert seen == rows.content == records_of(later)[KEY].content


def test_a_gap_between_the_table_and_what_follows_is_named(emptied):
    later = more()
    play_new(later)
    record = records_of(later)[KEY]
    path = later.layout.trials("glb_omd")
    short = TrialTable(path).recorded(*KEY).take(np.arange(1))
    write_table([short], path, declared={}, configuration={"caps": CAPS})
    records_of(later, trials=2, content=short.content)
    words = r"the trials of logistic_s3/gloc from 1 to 1 are missing; publish a run of the whole"
    with pytest.raises(ResultError, match=words):
        publish(more(), "glb_omd")
    assert record.trials == 2


def test_observed_modules_and_files_are_those_of_all_its_parts(emptied):
    later = more()
    Path("a.csv").write_text("1, 2")
    old = {"modules": {}, "files": {str(Path("a.csv").resolve()): sha256("a.csv")}}
    records_of(later, observed=old)
    play_new(later)
    publish(more(), "glb_omd")
    assert records_of(later)[KEY].observed == old


def test_a_mark_is_of_these_results_and_of_these_records(plan):
    play(plan, algorithms=["gloc"], lanes=["regret"])
    mark(plan)
    records = records_of(plan)
    for change in ({"digest": "0" * 16}, {"content": "0" * 16}):
        records_of(plan, **change)
        assert not planned().targets.is_published("glb_omd", "paper")
        cell_records.write(records.values(), plan.layout.cells("glb_omd"))
    assert planned().targets.is_published("glb_omd", "paper")
    study = Path(plan.studies.file("glb_omd", "facts"))
    study_tables.write({"facts": FACTS}, study)
    assert not planned().targets.is_published("glb_omd", "paper")
    shutil.rmtree("results")
    assert planned().targets.is_published("glb_omd", "paper")  # nothing is lacking


def test_rows_that_are_not_those_of_their_record_are_missing(published):
    plan = published
    shutil.rmtree("results")
    assert not planned(committed="use").trials.needed("glb_omd", [KEY])
    records_of(plan, content="0" * 16)
    (seen,) = plans(["glb_omd"], [], [], None)
    name = f"glb_omd/{'/'.join(KEY)} (its rows do not match its record)"
    assert name in of_other_code(seen, shown(seen, "fig1"))
    with pytest.raises(ResultError, match=re.escape(name)):
        decide_one(seen, "glb_omd.01", True, print)
    assert planned(committed="use").trials.needed("glb_omd", [KEY])
    assert "/".join(KEY) in publish(plan, "glb_omd").missing
    assert records_of(plan) == {}
    assert f"glb_omd/{'/'.join(KEY)}" in of_other_code(plan, shown(plan, "fig1"))


def test_after_a_kill_no_record_is_of_rows_that_are_not_there(published, monkeypatch):
    def killed(*_, **__):
        raise KeyboardInterrupt

    records = records_of(published, digest="0" * 16)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("optimist.experiments.trial_table.write", killed)
        publish(published, "glb_omd")
    assert records_of(published) == {}
    publish(published, "glb_omd")
    assert records_of(published) == records


def test_a_shortened_run_takes_no_trials_from_the_table(published):
    shorter = planned(caps={**CAPS, "trials": 1})
    play(shorter, algorithms=["gloc"], lanes=["regret"])
    publish(shorter, "glb_omd")
    assert len(TrialTable(shorter.layout.trials("glb_omd")).cell(*KEY)) == 2


def test_a_race_that_is_played_in_part_replaces_no_whole_one(plan):
    label = "gloc[inverse=pinv]"
    part, timed = planned(only={**ONLY, "algorithms": [label]}), f"timing/logistic_s3/{label}"
    play(part, lanes=["timing"])
    assert publish(part, "glb_omd").partial == []  # of the race no table has more
    play(plan, lanes=["timing"])
    assert publish(plan, "glb_omd").partial == []
    records = records_of(plan)
    summary = publish(part, "glb_omd")
    assert summary.partial == [timed] and summary.published == 0
    assert f"more cells of their race: 1: {timed}" in summary.in_words()
    assert records_of(plan) == records


def test_who_publishes_waits_for_another(plan):
    folder = Path(plan.layout.cells("glb_omd")).parent
    folder.mkdir(parents=True)
    with ThreadPoolExecutor(1) as pool:
        with locked(folder):
            waiting = pool.submit(publish, plan, "glb_omd")
            time.sleep(0.5)
            assert not waiting.done()
        assert waiting.result(60).published == 0


def test_results_in_other_parts_are_copied_and_those_that_no_job_has_are_named(plan, monkeypatch):
    trials = plan.trials.of_paper("glb_omd")[KEY]
    whole = plan.trials.file(trials)
    first, second = (plan.trials.file(trials.part(i, i + 1)) for i in range(2))
    with monkeypatch.context() as patch:
        patch.setattr("optimist.plan.trials.LONGEST_JOB", 1e-9)
        play(plan, lanes=["regret"], algorithms=["gloc"])
    shutil.move("results", "other")
    summary = publish(planned(), "glb_omd", ["other"])
    assert "/".join(KEY) not in summary.missing and summary.unused == []
    assert Path(first).is_file() and Path(second).is_file() and not Path(whole).exists()
    one = planned(caps={**CAPS, "trials": 1})
    Path(first).unlink()
    summary = publish(one, "glb_omd")
    assert summary.unused == [second]
    assert f"not used, because no job has their range of trials: 1: {second}" in (
        summary.in_words()
    )


@pytest.mark.parametrize("folders", [["other", "third"], ["other"]])
def test_a_race_of_two_folders_is_refused_and_nothing_is_copied(plan, folders):
    play(plan, lanes=["timing"])
    first, *others = sorted(Path("results/time").rglob("*.parquet"))
    second = folders[1] if folders[1:] else "results"
    shutil.copytree("results", "other")
    Path("other", *first.parts[1:]).unlink()
    if second == "third":
        shutil.move("results", second)
    for path in others:
        Path(second, *path.parts[1:]).unlink()
    files = sorted(Path().rglob("*.parquet"))
    with pytest.raises(ResultError) as error:
        publish(planned(), "glb_omd", folders)
    assert str(error.value).startswith(f"time/glb_omd/{first.parts[3]} is partly in ")
    assert all(f"in {name}" in str(error.value) for name in ("other", second))
    assert sorted(Path().rglob("*.parquet")) == files


def hurt(path, how):
    if how == "link":
        path.rename("elsewhere")
        path.symlink_to(Path("elsewhere").absolute())
    elif how == "pipe":
        path.unlink()
        os.mkfifo(path)
    elif how == "large":
        os.truncate(path, 2**30 + 1)
    elif how == "damaged":
        path.write_bytes(path.read_bytes()[:-9])
    else:
        (other,) = path.parents[1].glob("glb_omd/*.parquet")
        shutil.copy(other, path)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("link", "is not a result; allowed: regular files"),
        ("pipe", "is not a result; allowed: regular files"),
        ("large", "is not a result; allowed: regular files"),
        ("damaged", "damaged"),
        ("another cell", "it is the result of run/glb_omd/logistic_s3/glb_omd"),
    ],
)
def test_a_bad_file_of_another_machine_is_refused_and_nothing_is_copied(plan, how, words):
    play(plan, lanes=["regret"])
    shutil.move("results", "other")
    (path,) = plan.trials.files(plan.trials.of_paper("glb_omd")[KEY])
    hurt(Path(path.replace("results", "other", 1)), how)
    with pytest.raises(ResultError, match=words):
        publish(planned(), "glb_omd", ["other"])
    assert not Path("results").exists()


def test_a_folder_without_results_is_refused(plan):
    Path("empty").mkdir()
    with pytest.raises(
        ResultError, match="empty holds no results; allowed: folders that contain run"
    ):
        publish(plan, "glb_omd", ["empty"])


# Products from tables alone.


def test_figures_are_drawn_and_claims_decided_from_tables_alone(plan):
    play(plan)
    publish(plan, "glb_omd")
    shutil.rmtree("results")
    (again,) = plans(["glb_omd"], [], [], None)
    assert again.shortened  # the configuration of the run
    (product,) = shown(again, "fig1")
    said = []
    warn(again, [product], True, said.append)
    assert said == of_other_code(again, [product]) == []
    paths = draw([(product, again.targets.sources(product))], 1)
    assert len(paths) == 4 and all(map(os.path.getsize, paths))
    assert not again.targets.is_stale(product)
    frame = decide_one(again, "glb_omd.01", False, said.append)
    assert set(frame["claim"]) == {"glb_omd.01"}
    with pytest.raises(ConfigError, match=r"claim of glb_omd 'glb_omd.99'.*allowed"):
        decide_one(again, "glb_omd.99", False, said.append)
    with pytest.raises(ConfigError, match="figure or table of glb_omd 'claims'") as error:
        shown(again, "claims")
    allowed = str(error.value).partition("allowed: ")[2].split(", ")
    assert "fig1" in allowed and "claims" not in allowed
    with pytest.raises(ConfigError, match="unknown paper 'glb_omb'"):
        next(plans(["glb_omb"], [], [], None))


def test_without_tables_and_results_a_line_says_how_to_make_them(plan):
    with pytest.raises(
        ResultError, match=r"trials.parquet does not exist, and there are no results; make"
    ):
        decide_one(plan, "glb_omd.01", False, print)


def test_a_kill_while_drawing_leaves_no_record_of_the_files_before(plan, monkeypatch):
    play(plan, lanes=["regret"])
    product = plan.targets.product("glb_omd", "tables", "final_regret")
    sources = plan.targets.sources(product)
    products.make(product, sources)

    def killed(*_):
        raise KeyboardInterrupt

    for place, is_kept in (("optimist.plan.products.digest_of", True), ("shutil.copyfile", False)):
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(place, killed)
            products.make(product, sources)
        assert Path(product.record).exists() is is_kept  # no file was changed yet


def test_two_who_make_a_product_at_once_leave_the_files_of_one(plan, monkeypatch):
    play(plan, lanes=["regret"])
    product = plan.targets.product("glb_omd", "tables", "final_regret")
    other = replace(product, cells=product.cells[:1])
    sources, first_is_there, is_done, rename = (
        plan.targets.sources(product),
        Event(),
        Event(),
        os.replace,
    )

    def replaced(temporary, path):
        rename(temporary, path)
        if str(path) == product.files["csv"] and not first_is_there.is_set():
            first_is_there.set()
            is_done.wait(1.0)

    def written():
        places = (*product.files.values(), product.record)
        return [Path(path).read_bytes() for path in places]

    sets = []
    for one in (product, other):
        products.make(one, sources)
        sets.append(written())
    assert not set(sets[0]) & set(sets[1])
    monkeypatch.setattr(os, "replace", replaced)
    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(products.make, product, sources)
        assert first_is_there.wait(60)
        pool.submit(products.make, other, sources).add_done_callback(lambda _: is_done.set())
        slow.result(60)
    assert written() in sets


# Reseal.


def test_cells_that_are_published_meanwhile_are_left_and_a_failing_one_stops_no_other(
    plan, monkeypatch
):
    play(plan, lanes=["regret"])
    publish(plan, "glb_omd")
    records = records_of(plan, digest="0" * 16)

    def fault_of(trials, *_):
        if trials.key == KEY:
            raise ValueError("no")
        cell_records.write(records.values(), plan.layout.cells("glb_omd"))  # as another process
        return ""

    monkeypatch.setattr("optimist.plan.reseal.ProcessPoolExecutor", lambda *_: OneProcess())
    monkeypatch.setattr("optimist.plan.reseal.fault_of", fault_of)
    summary = reseal(planned(), "glb_omd", 1)
    assert summary.other["/".join(KEY)].startswith("ValueError: no") and summary.equal == 0
    others = {"/".join(key) for key in records} - {"/".join(KEY)}
    assert {summary.other[name] for name in others} == {"published meanwhile, and not compared"}
    assert records_of(plan) == records


class OneProcess(ThreadPoolExecutor):
    def __init__(self):
        super().__init__(1)


def test_equal_cells_of_other_code_get_the_digest_of_today(plan):
    play(plan)
    publish(plan, "glb_omd")
    records = records_of(plan, digest="0" * 64, mb=float("nan"))
    shutil.rmtree("results")
    again = planned()
    shown_cells = shown(again, "fig1")[0].keys
    assert len(of_other_code(again, shown(again, "fig1"))) == len(shown_cells) > 0
    assert reseal(again, "glb_omd", 2).equal == len(records)
    after = records_of(plan)
    assert {key: one.digest for key, one in after.items()} == {
        key: one.digest for key, one in records.items()
    }
    assert {one.earlier for one in after.values()} == {("0" * 64,)}
    assert reseal(planned(), "glb_omd", 2).current == len(records)


def test_cells_of_uncommitted_changes_get_the_commit_that_replays_them(published, monkeypatch):
    before = records_of(published, commit=f"{'a' * 40}+")
    made = {"commit": "b" * 40, "dirty": True}
    monkeypatch.setattr(provenance, "collect", lambda: made)
    assert reseal(planned(), "glb_omd", 1).current == len(before)
    made["dirty"] = False
    assert reseal(planned(), "glb_omd", 1).equal == len(before)
    after = records_of(published)
    assert after == {key: replace(one, commit="b" * 40) for key, one in before.items()}


@pytest.mark.parametrize("lane", ["regret", "timing", "study"])
@pytest.mark.parametrize(
    ("before", "fresh", "after"),
    [("b", "c", "b"), ("b", "c+", "b"), ("b+", "c+", "b+"), ("b+", "c", "c")],
)
def test_equal_results_keep_a_record_unless_only_they_have_a_clean_commit(
    plan, monkeypatch, lane, before, fresh, after
):
    if lane == cell_records.STUDY:
        # A run that is not restricted uses the results of studies.
        plan = planned(only={"settings": [], "algorithms": [], "figures": []}, caps={})
        about = {"provenance": provenance.collect(), "use": {"cpu_seconds": 1, "peak_mb": 1}}
        study_tables.write({"facts": FACTS}, plan.studies.file("glb_omd", "facts"), about)
    else:
        play(plan, algorithms=["gloc"], lanes=[lane])
    publish(plan, "glb_omd")
    records_of(plan, commit=before)
    records = records_of(plan)
    monkeypatch.setattr(cell_records, "commit_of", lambda _: fresh)
    plan.forget("glb_omd")
    summary = publish(plan, "glb_omd")
    replaced = len(records) * (before != after)
    assert (summary.published, summary.kept) == (replaced, len(records) - replaced)
    assert records_of(plan) == {key: replace(one, commit=after) for key, one in records.items()}


def test_a_cell_whose_observed_file_has_changed_is_named_and_not_resealed(published):
    one = records_of(published)[KEY]
    one = replace(one, observed={"modules": {}, "files": {"own.csv": "0" * 64}})
    two = replace(one, lane=cell_records.STUDY, setting="regions", algorithm="")
    Path(published.layout.studies("glb_omd")).touch()
    Path("own.csv").touch()
    for digest in ("0" * 64, one.digest):
        known = [replace(record, digest=digest) for record in (one, two)]
        cell_records.write(known, published.layout.cells("glb_omd"))
        summary = reseal(planned(), "glb_omd", 1)
        assert (summary.equal, summary.current) == (0, 0)
        assert {summary.other["/".join(KEY)], summary.other["study/regions"]} == {"own.csv changed"}
        assert [*records_of(published).values()] == known


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: {"ends": {**c.ends, "regret": c.ends["regret"] + 1e-12}}, "has regret "),
        (lambda c: {"status": ["unconverged"] * 2}, "ended 'ok', not 'unconverged'"),
        (lambda c: {"instance": ["f/1"] * 2}, "met None, not 'f/1'"),
        (lambda c: {"at": {"regret": [v * 1.1 for v in c.at["regret"]]}}, "regret .* at round 1, "),
        (lambda c: {"ends": {**c.ends, "more": c.ends["regret"]}}, "has more nan, not"),
        (lambda c: {"rounds": [v + 1 for v in c.rounds]}, "has different rounds from the table"),
        (lambda c: {"rounds": [np.r_[0, v[1:]] for v in c.rounds]}, "has different rounds from"),
    ],
    ids=["end", "status", "instance", "curve", "column", "later end", "other rounds"],
)
def test_another_trial_is_not_resealed(published, change, words):
    one = published.trials.of_paper("glb_omd")[KEY]
    known = TrialTable(published.layout.trials("glb_omd")).recorded(*KEY)
    assert fault_of(one.part(1, 2), known, "") == ""
    found = fault_of(one.part(1, 2), replace(known, **change(known)), "")
    assert found.startswith("trial 1 ")
    assert re.search(words, found)


def test_a_short_trial_of_a_thinned_cell_has_the_digits_that_the_table_keeps(monkeypatch):
    job = toy_trials(horizon=200)

    def end_after(number):
        calls = iter(range(number))
        monkeypatch.setattr(GLOC, "is_finite", lambda self: next(calls, None) is not None)

    end_after(200 + 30)  # in trial 1
    known = of_result(results.to_table(job.cell, run(job)), "regret", "paper").stored()
    assert known.is_thinned and known.status == ["ok", "non_finite"]
    end_after(30)
    assert fault_of(job.part(1, 2), known, "") == ""


def test_rows_that_are_not_those_of_their_record_are_not_resealed(published):
    records_of(published, content="0" * 16, digest="0" * 64)
    records = records_of(published)
    summary = reseal(planned(), "glb_omd", 1)
    said = "its rows in the table do not match its record"
    assert (summary.equal, summary.other["/".join(KEY)]) == (0, said)
    assert records_of(published) == records
    Path(published.layout.cells("glb_omd")).unlink()
    assert reseal(planned(), "glb_omd", 1).equal == 0
    assert not Path(published.layout.cells("glb_omd")).exists()


def test_a_timed_study_is_compared_without_its_seconds(tmp_path):
    section = {"dimensions": [2, 3], "turns": 2}
    spec = {"section": section, "cells": [], "caps": {"trials": None, "rounds": None}}
    path = tmp_path / "studies.parquet"
    study_tables.write(study_class("scaling")(section).tabulate([]), path)
    known = study_tables.content(study_tables.read(path)[0])
    assert fault_of_study("scaling", spec, known, path, "") == ""
    said = "its tables do not match its record"
    assert fault_of_study("scaling", spec, "0" * 16, path, "") == said
    spec["section"] = {**section, "dimensions": [2, 4]}
    assert fault_of_study("scaling", spec, known, path, "") == "its numbers differ"
