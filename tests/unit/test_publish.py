"""From result files to committed tables, and whether cells of other code are today's."""

import os
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from optimist.config import load
from optimist.core import provenance
from optimist.core.errors import ConfigError, ResultError
from optimist.core.files import locked
from optimist.experiments import cell_records, cell_trials
from optimist.experiments.job import make_race, make_result
from optimist.experiments.trial_table import TrialTable
from optimist.figures.studies import tables as study_tables
from optimist.plan import products
from optimist.plan.plan import Plan
from optimist.plan.publish import publish
from optimist.plan.remake import decide_one, draw, of_other_code, plans, shown, warn
from optimist.plan.reseal import fault_of, reseal

ONLY = {"settings": ["logistic_s3"], "algorithms": ["gloc", "glb_omd"]}
CAPS = {"rounds": 20, "trials": 2, "timing_trials": 1}
KEY = "regret", "logistic_s3", "gloc"
FACTS = pd.DataFrame({"name": ["a"], "setting": ["b"], "value": [1.0]})


def planned(**changes):
    known = {"papers": ["glb_omd"], "only": ONLY, "caps": CAPS, **changes}
    return Plan(load.merge(load.load_config(), known))


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
                make_result(asked, path, plan.layout.data_folder, provenance.collect)
    if "timing" in lanes:
        for race in plan.trials.races("glb_omd").values():
            asked = [{**t.describe(), "digest": plan.trials.digest(t)} for t in race.trials]
            folder = plan.layout.race("glb_omd", race.number, race.digest)
            make_race(asked, folder, plan.layout.data_folder, provenance.collect)


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return planned()


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
    with pytest.raises(ResultError, match=r"cells\.csv is lost, which says what made"):
        publish(planned(), "glb_omd")
    assert Path(plan.layout.trials("glb_omd")).read_bytes() == before


def test_a_cell_without_a_result_keeps_its_row_and_is_named(plan):
    play(plan, algorithms=["glb_omd"], lanes=["regret"])
    summary = publish(plan, "glb_omd")
    assert "/".join(KEY) in summary.missing
    play(plan, algorithms=["gloc"], lanes=["regret"])
    publish(plan, "glb_omd")
    path = plan.layout.cells("glb_omd")
    known = cell_records.read(path)
    cell_records.write([replace(one, digest="0" * 64) for one in known.values()], path)
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


def test_rows_that_are_not_those_of_their_record_are_missing(plan):
    play(plan, algorithms=["gloc"], lanes=["regret"])
    publish(plan, "glb_omd")
    shutil.rmtree("results")
    path = plan.layout.cells("glb_omd")
    known = cell_records.read(path)
    cell_records.write([replace(one, content="0" * 16) for one in known.values()], path)
    assert "/".join(KEY) in publish(plan, "glb_omd").missing
    assert cell_records.read(path) == {}
    assert f"glb_omd/{'/'.join(KEY)}" in of_other_code(plan, shown(plan, "fig1"))


def test_after_a_kill_no_record_is_of_rows_that_are_not_there(plan, monkeypatch):
    def killed(*_, **__):
        raise KeyboardInterrupt

    play(plan, algorithms=["gloc"], lanes=["regret"])
    publish(plan, "glb_omd")
    path = plan.layout.cells("glb_omd")
    known = cell_records.read(path)
    cell_records.write([replace(one, digest="0" * 16) for one in known.values()], path)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("optimist.experiments.trial_table.write", killed)
        publish(plan, "glb_omd")
    assert cell_records.read(path) == {}
    publish(plan, "glb_omd")
    assert cell_records.read(path) == known


def test_a_shortened_run_takes_no_trials_from_the_table(plan):
    play(plan, algorithms=["gloc"], lanes=["regret"])
    publish(plan, "glb_omd")
    shorter = planned(caps={**CAPS, "trials": 1})
    play(shorter, algorithms=["gloc"], lanes=["regret"])
    publish(shorter, "glb_omd")
    assert len(TrialTable(plan.layout.trials("glb_omd")).cell(*KEY)) == 2


def test_a_race_that_is_played_in_part_replaces_no_whole_one(plan):
    label = "gloc[inverse=pinv]"
    part, timed = planned(only={**ONLY, "algorithms": [label]}), f"timing/logistic_s3/{label}"
    play(part, lanes=["timing"])
    assert publish(part, "glb_omd").partial == []  # of the race no table has more
    play(plan, lanes=["timing"])
    assert publish(plan, "glb_omd").partial == []
    known = cell_records.read(plan.layout.cells("glb_omd"))
    summary = publish(part, "glb_omd")
    assert summary.partial == [timed] and summary.published == 0
    assert f"more cells of their race: 1: {timed}" in summary.in_words()
    assert cell_records.read(plan.layout.cells("glb_omd")) == known


def test_who_publishes_waits_for_another(plan):
    folder = Path(plan.layout.cells("glb_omd")).parent
    folder.mkdir(parents=True)
    with ThreadPoolExecutor(1) as pool:
        with locked(folder):
            waiting = pool.submit(publish, plan, "glb_omd")
            time.sleep(0.5)
            assert not waiting.done()
        assert waiting.result(60).published == 0


def test_results_of_another_machine_are_copied(plan, tmp_path):
    play(plan, lanes=["regret"])
    shutil.move("results", "other")
    summary = publish(planned(), "glb_omd", ["other"])
    assert summary.published == sum(key[0] == "regret" for key in plan.trials.keys("glb_omd"))
    (path,) = plan.trials.files(plan.trials.of_paper("glb_omd")[KEY])
    assert Path(path).is_file()


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
    assert str(error.value).startswith(f"time/glb_omd/{first.parts[3]} is in part in ")
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
        ("link", "is no result; allowed: regular files"),
        ("pipe", "is no result; allowed: regular files"),
        ("large", "is no result; allowed: regular files"),
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
    with pytest.raises(ResultError, match="empty holds no results; allowed: folders with run"):
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
    first = {path: Path(path).read_bytes() for path in paths}
    assert len(first) == 4
    record = Path(product.record).read_bytes()
    assert not again.targets.is_stale(product)
    draw([(product, again.targets.sources(product))], 1)
    assert {path: Path(path).read_bytes() for path in paths} == first
    assert Path(product.record).read_bytes() == record
    frame = decide_one(again, "glb_omd.01", False, said.append)
    assert set(frame["claim"]) == {"glb_omd.01"}
    with pytest.raises(ConfigError, match=r"claim of glb_omd 'glb_omd.99'.*allowed"):
        decide_one(again, "glb_omd.99", False, said.append)
    with pytest.raises(ConfigError, match="figure or table of glb_omd 'fig99'"):
        shown(again, "fig99")
    with pytest.raises(ConfigError, match="unknown paper 'glb_omb'"):
        next(plans(["glb_omb"], [], [], None))


def test_without_tables_and_results_a_line_says_how_to_make_them(plan):
    with pytest.raises(ResultError, match=r"trials.parquet does not exist, nor do results; make"):
        decide_one(plan, "glb_omd.01", False, print)


def test_a_kill_while_drawing_leaves_no_record_of_the_files_before(plan, monkeypatch):
    play(plan, lanes=["regret"])
    product = plan.targets.product("glb_omd", "tables", "final_regret")
    products.make(product, plan.targets.sources(product))
    assert Path(product.record).is_file()

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(products, "digest_of", killed)
    with pytest.raises(KeyboardInterrupt):
        products.make(product, plan.targets.sources(product))
    assert not Path(product.record).exists()


# Reseal.


def test_cells_that_are_published_meanwhile_are_left_and_a_failing_one_stops_no_other(
    plan, monkeypatch
):
    play(plan, lanes=["regret"])
    publish(plan, "glb_omd")
    path = plan.layout.cells("glb_omd")
    known = cell_records.read(path)
    cell_records.write([replace(record, digest="0" * 16) for record in known.values()], path)
    again = planned()
    monkeypatch.setattr("optimist.plan.reseal.ProcessPoolExecutor", lambda *_: OneProcess())

    def fault_of(trials, *_):
        if trials.key == KEY:
            raise ValueError("no")
        cell_records.write(known.values(), path)  # as of another process
        return ""

    monkeypatch.setattr("optimist.plan.reseal.fault_of", fault_of)
    summary = reseal(again, "glb_omd", 1)
    assert summary.other["/".join(KEY)].startswith("ValueError: no")
    assert summary.equal == 0
    assert cell_records.read(path) == known


class OneProcess(ThreadPoolExecutor):
    def __init__(self):
        super().__init__(1)


def test_equal_cells_of_other_code_get_the_digest_of_today(plan):
    play(plan)
    publish(plan, "glb_omd")
    path = plan.layout.cells("glb_omd")
    known = cell_records.read(path)
    old = [replace(record, digest="0" * 64, mb=float("nan")) for record in known.values()]
    cell_records.write(old, path)
    shutil.rmtree("results")
    again = planned()
    shown_cells = shown(again, "fig1")[0].keys
    assert len(of_other_code(again, shown(again, "fig1"))) == len(shown_cells) > 0
    summary = reseal(again, "glb_omd", 2)
    assert summary.equal == len(known)
    after = cell_records.read(path)
    assert {key: one.digest for key, one in after.items()} == {
        key: one.digest for key, one in known.items()
    }
    assert {one.earlier for one in after.values()} == {("0" * 64,)}
    assert reseal(planned(), "glb_omd", 2).current == len(known)


def test_a_cell_whose_observed_file_has_changed_is_named_and_not_resealed(plan):
    play(plan, algorithms=["gloc"], lanes=["regret"])
    publish(plan, "glb_omd")
    path = plan.layout.cells("glb_omd")
    one = cell_records.read(path)[KEY]
    one = replace(one, observed={"modules": {}, "files": {"own.csv": "0" * 64}})
    two = replace(one, lane=cell_records.STUDY, setting="regions", algorithm="")
    Path(plan.layout.studies("glb_omd")).touch()
    Path("own.csv").touch()
    for digest in ("0" * 64, one.digest):
        known = [replace(record, digest=digest) for record in (one, two)]
        cell_records.write(known, path)
        summary = reseal(planned(), "glb_omd", 1)
        assert (summary.equal, summary.current) == (0, 0)
        assert {summary.other["/".join(KEY)], summary.other["study/regions"]} == {"own.csv changed"}
        assert [*cell_records.read(path).values()] == known


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: {"ends": {**c.ends, "regret": c.ends["regret"] + 1e-12}}, "has regret "),
        (lambda c: {"status": ["unconverged"]}, "ended 'ok', not 'unconverged'"),
        (lambda c: {"instance": ["f/1"]}, "met None, not 'f/1'"),
        (lambda c: {"at": {"regret": [c.at["regret"][0] * 1.1]}}, "has regret .* at round 1, not"),
        (lambda c: {"ends": {**c.ends, "more": c.ends["regret"]}}, "has more nan, not"),
    ],
    ids=["end", "status", "instance", "curve", "column"],
)
def test_another_trial_is_not_resealed(plan, change, words):
    play(plan, algorithms=["gloc"], lanes=["regret"])
    publish(plan, "glb_omd")
    (one,) = [t for t in plan.trials if t.key == KEY]
    known = TrialTable(plan.layout.trials("glb_omd")).recorded(*KEY).take([1])
    assert fault_of(one.part(1, 2), known, "") == ""
    found = fault_of(one.part(1, 2), replace(known, **change(known)), "")
    assert found.startswith("trial 1 ")
    assert re.search(words, found)
