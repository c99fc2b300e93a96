"""The table of trials: what is written is read, and a reader of one cell reads little."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from optimist.core import checksummed
from optimist.core.errors import ResultError
from optimist.experiments import trial_table
from optimist.experiments.cell_trials import (
    CellTrials,
    following,
    join,
    kept_rounds,
    of_result,
)
from optimist.experiments.trial_table import TrialTable

HORIZON = 3000


def trials(setting="low", algorithm="gloc", number=3, lane="regret", rounds=None, **changes):
    """Trials of a cell whose regret is a power of the round; the last one ended early."""
    rng = np.random.default_rng(len(setting) + len(algorithm))
    rounds = np.arange(10, HORIZON + 1, 10) if rounds is None else rounds
    at = [(i + 1 + rng.random()) * rounds**0.5 for i in range(number)]
    ends = {"seconds": np.arange(number) + 0.5}
    if lane == "regret":
        ends |= {"regret": np.array([one[-1] for one in at]), "covered": np.ones(number)}
        ends["distance"] = np.array([np.nan, *np.arange(number - 1) / 7])
    known = CellTrials(
        *(lane, "paper", setting, algorithm),
        np.arange(number),
        ["ok"] * number,
        [None] * number,
        ends,
        [rounds] * number,
        {"regret" if lane == "regret" else "seconds": at},
    )
    return replace(known, **changes)


def write(tmp_path, *cells, declared=None):
    path = tmp_path / "trials.parquet"
    trial_table.write(cells, path, declared=declared or {}, configuration={"caps": {"trials": 2}})
    return path


def equal(one, other):
    assert (one.key, one.group, one.status, one.instance) == (
        *(other.key, other.group),
        *(other.status, other.instance),
    )
    assert one.ends.keys() == other.ends.keys()
    for name, values in one.ends.items():
        np.testing.assert_array_equal(values, other.ends[name])
    for mine, yours in zip(one.rounds, other.rounds, strict=True):
        np.testing.assert_array_equal(mine, yours)
    assert one.at.keys() == other.at.keys()
    for name, lists in one.at.items():
        for mine, yours in zip(lists, other.at[name], strict=True):
            np.testing.assert_array_equal(mine, yours)


def test_a_table_gives_back_what_was_stored(tmp_path):
    early = trials("low", "oful", status=["ok", "unconverged", "failed: no, really"])
    early = replace(early, rounds=[*early.rounds[:2], np.empty(0, int)])
    early = replace(early, at={"regret": [*early.at["regret"][:2], np.empty(0)]})
    timed = trials("low", lane="timing", rounds=np.array([1, 7, 300]))
    timed = replace(timed, at={**timed.at, "state_bytes": [np.array([8.0, 8, 8])] * 3})
    cells = [one.stored() for one in (trials(), early, trials("high[x=1,y=2]"), timed)]
    table = TrialTable(write(tmp_path, *cells))
    assert table.keys == sorted(one.key for one in cells)
    for one in cells:
        equal(table.cell(*one.key), one)
        assert table.cell(*one.key).content == one.content
    assert table.cell("timing", "low", "nobody") is None
    assert table.metadata["configuration"] == {"caps": {"trials": 2}}


def test_the_same_cells_give_the_same_bytes_in_any_order(tmp_path):
    cells = [trials(s, a).stored() for s in ("a", "b") for a in ("x", "y")]
    first = write(tmp_path, *cells).read_bytes()
    assert write(tmp_path, *cells[::-1]).read_bytes() == first


def test_a_changed_cell_changes_the_row_group_of_its_setting_alone(tmp_path):
    cells = [trials(f"s{i}", a).stored() for i in range(9) for a in ("x", "y")]
    before = write(tmp_path, *cells).read_bytes()
    moved = replace(cells[0], ends={**cells[0].ends, "regret": cells[0].ends["regret"] + 1})
    after = write(tmp_path, moved, *cells[1:]).read_bytes()
    start = len(before) // 6  # the group of s0 and the footer differ
    same = sum(a == b for a, b in zip(before[start:], after[start:], strict=False))
    assert same > 0.7 * (len(before) - start)


def test_content_is_of_all_that_is_stored_and_of_nothing_else():
    known = trials().stored()
    others = [
        replace(known, status=["ok", "ok", "unconverged"]),
        replace(known, ends={**known.ends, "covered": np.zeros(3)}),
        replace(known, ends={k: v for k, v in known.ends.items() if k != "distance"}),
        replace(known, rounds=[*known.rounds[:2], known.rounds[2][:-1]]),
        replace(known, at={"regret": [known.at["regret"][0] + 1e-3, *known.at["regret"][1:]]}),
        known.take(np.arange(2)),
        trials("low", "other").stored(),
    ]
    assert len({known.content, *(one.content for one in others)}) == len(others) + 1
    assert replace(known, group="variants").content == known.content
    assert replace(known, ends={**known.ends, "covered": np.ones(3)}).content == known.content


# Rounds.


def test_some_sixty_rounds_are_kept_and_the_declared_ones():
    recorded = np.arange(10, HORIZON + 1, 10)
    kept = kept_rounds(recorded, [995, 5, 4000])
    assert set(kept_rounds(recorded)) <= set(kept)
    assert 990 in kept
    assert {10, 370, 750, 1500, HORIZON} <= set(kept)
    assert 50 < len(kept) < 70
    few = np.arange(1, 81)
    np.testing.assert_array_equal(kept_rounds(few), few)


def test_curves_have_32_bits_and_short_ones_and_counters_all():
    timed = trials(lane="timing")
    counts = [np.full(len(rounds), 2.0**24 + 1.0) for rounds in timed.rounds]
    timed = replace(timed, at={**timed.at, "state_bytes": counts}).stored()
    assert {*np.concatenate(timed.at["state_bytes"])} == {2.0**24 + 1.0}
    assert [len(one) for one in timed.at["seconds"]] == [300] * 3  # all recorded rounds
    assert all(np.array_equal(v, v.astype(np.float32)) for v in timed.at["seconds"])
    long, short = trials().stored(), trials(rounds=np.arange(1, 41)).stored()
    assert all(np.array_equal(v, v.astype(np.float32)) for v in long.at["regret"])
    assert not all(np.array_equal(v, v.astype(np.float32)) for v in short.at["regret"])


def test_a_round_that_the_table_thins_away_is_refused(tmp_path):
    cell = trials().stored([995])
    path = write(tmp_path, cell, declared={"regret/low": [995]})
    table = TrialTable(path)
    for t in (995, HORIZON, 5000, int(cell.rounds[0][7])):
        table.check_round(*cell.key, t)
    with pytest.raises(ResultError, match=r"trials.parquet has no round 994 of low/gloc; play"):
        table.check_round(*cell.key, 994)
    TrialTable(path, [trials()]).check_round(*cell.key, 994)  # a fresh result has it


# Damage.


@pytest.mark.parametrize("places", [[0, 2], [1, 2], [0, 0, 1], [2, 1, 0]])
def test_a_missing_or_repeated_trial_is_refused(tmp_path, places):
    cell = trials().stored().take(np.array(places))
    table = TrialTable(write(tmp_path, cell))
    with pytest.raises(
        ResultError,
        match="does not have every trial of low/gloc exactly once; delete it and make it again",
    ):
        table.cell(*cell.key)


def test_a_table_of_another_version_or_of_something_else_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "trials.parquet"
    checksummed.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(
        ResultError, match=r"of version None; allowed: 1; delete it and make it again"
    ):
        TrialTable(path)
    monkeypatch.setattr(trial_table, "VERSION", 2)
    write(tmp_path, trials().stored())
    monkeypatch.undo()
    with pytest.raises(ResultError, match=r"of version 2; allowed: 1"):
        TrialTable(path)


# Fresh results, plans, best known values.


def test_fresh_cells_stand_before_the_table_and_a_plan_cuts_it(tmp_path):
    old, new = trials().stored(), trials(number=5).stored()
    path = write(tmp_path, old, trials("high").stored())
    table = TrialTable(path, [new], planned={old.key: 4})
    assert table.keys == [old.key]
    equal(table.cell(*old.key), new.take(np.arange(4)))
    assert table.cell("regret", "high", "gloc") is None


def test_parts_of_a_cell_are_joined_in_order():
    whole = trials(number=5)
    parts = [whole.take(np.arange(3, 5)), whole.take(np.arange(3))]
    parts[0] = replace(parts[0], ends={k: v for k, v in parts[0].ends.items() if k != "distance"})
    joined = join(parts)
    assert joined.trial.tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(joined.ends["regret"], whole.ends["regret"])
    assert np.isnan(joined.ends["distance"][3:]).all()


def on_instances(algorithm, **least):
    """Return a trial for each instance, with the smallest regret of a round there."""
    found = trials(algorithm=algorithm, number=len(least), instance=[*least])
    values = np.array([*least.values()])
    return replace(found, ends={**found.ends, "simple_regret": values}).stored()


def test_trials_that_follow_are_behind_those_of_the_table(tmp_path):
    whole = trials(number=5)
    stored, later = whole.take(np.arange(3)), whole.take(np.arange(3, 5))
    equal(following(stored, later), whole)
    assert following(stored, later).content == whole.content
    # Where they begin earlier, they replace what is stored.
    moved = replace(later, ends={**later.ends, "covered": np.zeros(2)})
    found = following(whole, moved)
    assert found.trial.tolist() == [0, 1, 2, 3, 4]
    assert found.ends["covered"].tolist() == [1.0, 1.0, 1.0, 0.0, 0.0]
    for one, other in ((stored, later.stored()), (stored.stored(), later)):
        assert following(one, other).is_thinned
    assert not following(stored, later).is_thinned
    # A column of one of them is not known of the other.
    wider = replace(later, ends={**later.ends, "size": np.array([7.0, 8.0])})
    np.testing.assert_array_equal(following(stored, wider).ends["size"], [*[np.nan] * 3, 7.0, 8.0])
    with pytest.raises(ResultError, match="low/gloc from 2 to 2 are missing"):
        following(whole.take(np.arange(2)), later)


def test_curves_that_follow_keep_the_rounds_of_both_and_their_ends():
    whole = trials(number=5)
    stored, later = whole.take(np.arange(3)), whole.take(np.arange(3, 5))
    found = following(stored.stored(), later.stored())
    equal(found, whole.stored())
    assert found.content == whole.stored().content
    # One has a round that the other thinned away, and one of its trials ended early.
    early = [later.rounds[0], later.rounds[1][:99]]
    short = [later.at["regret"][0], later.at["regret"][1][:99]]
    later = replace(later, rounds=early, at={"regret": short})
    found = following(stored.stored([1230]), later.stored([1240]))
    kept = {*found.rounds[0].tolist()}
    assert kept == {*stored.stored().rounds[0].tolist()} - {1230, 1240}
    assert [rounds[-1] for rounds in found.rounds] == [HORIZON] * 4 + [990]
    assert all({*rounds.tolist()} <= kept | {990} for rounds in found.rounds)
    for rounds, values in zip(found.rounds, found.at["regret"], strict=True):
        assert len(rounds) == len(values)


def test_a_table_has_its_trials_and_the_fresh_ones_that_follow(tmp_path):
    whole, other = trials(number=5).stored(), trials("low", "oful").stored()
    path = write(tmp_path, whole.take(np.arange(3)), other)
    later = whole.take(np.arange(3, 5))
    table = TrialTable(path, [later])
    equal(table.cell(*whole.key), whole)
    assert table.cell(*whole.key).content == whole.content
    assert table.keys == sorted([whole.key, other.key])
    for number in (2, 4):
        cut = TrialTable(path, [later], {whole.key: number})
        equal(cut.cell(*whole.key), whole.take(np.arange(number)))
    # Rounds that the table thinned away are refused for all of them.
    with pytest.raises(ResultError, match="no round 994 of low/gloc"):
        table.check_round(*whole.key, 994)
    TrialTable(path, [trials(number=5)]).check_round(*whole.key, 994)
    # Trials of a cell that the table lacks follow nothing.
    alone = replace(later, algorithm="nobody")
    with pytest.raises(ResultError, match="low/nobody from 0 to 2 are missing; publish a run of"):
        TrialTable(path, [alone]).cell(*alone.key)


def test_best_known_values_are_those_of_the_table_and_of_what_follows(tmp_path):
    def found(*values):
        known = trials(number=len(values), instance=["f"] * len(values))
        return replace(known, ends={**known.ends, "simple_regret": np.array(values)})

    whole = found(0.3, 0.1, 0.2, 0.05)
    path = write(tmp_path, whole.take(np.arange(3)).stored())
    later = [whole.take(np.arange(3, 4))], [found(0.4, 0.02, 0.3, 0.1).take(np.arange(2, 4))]
    best = [TrialTable(path, cells).best_known_of([whole.key]) for cells in ([], *later)]
    assert best == [{"f": 0.1}, {"f": 0.05}, {"f": 0.1}]
    # Those of the table are gone if all its trials are replaced.
    replaced = TrialTable(path, [found(0.4, 0.3)])
    assert replaced.best_known_of([whole.key]) == {"f": 0.3}


def test_regret_is_counted_from_the_best_value_that_any_method_found_on_the_instance(tmp_path):
    names = ["f/0", "f/1", "f/0"]
    rounds = np.arange(1, 41)
    found = trials(rounds=rounds, instance=names)
    ends = {**found.ends, "regret_half": np.array([one[19] for one in found.at["regret"]])}
    ends["simple_regret"] = np.array([0.3, 0.7, 0.1])
    found = replace(found, ends=ends).stored()
    path = write(tmp_path, found, on_instances("oful", **{"f/0": 0.05, "g, 0": 0.0}))
    table = TrialTable(path, planned={found.key: 3})
    shift = np.array([0.05, 0.7, 0.05])
    own = table.cell(*found.key)
    np.testing.assert_allclose(own.ends["regret"], found.ends["regret"] - 40 * shift)
    np.testing.assert_allclose(own.ends["regret_half"], ends["regret_half"] - 20 * shift)
    np.testing.assert_allclose(own.at["regret"][1], found.at["regret"][1] - 0.7 * rounds)
    assert table.best_known_of([found.key]) == {"f/0": 0.05, "f/1": 0.7}


def test_best_known_values_are_the_same_before_and_after_results_are_published(tmp_path):
    own, old = on_instances("gloc", **{"f/0": 0.3}), on_instances("oful", **{"f/0": 0.25})
    for value in (0.2, 0.4):  # the new result of another method
        new = on_instances("oful", **{"f/0": value})
        before = TrialTable(write(tmp_path, own, old), [new], planned={own.key: 1})
        after = TrialTable(write(tmp_path, own, new), planned={own.key: 1})
        assert before.best_known_of([own.key]) == after.best_known_of([own.key])
        assert after.best_known_of([own.key]) == {"f/0": min(0.3, value)}
    slow = replace(new, lane="timing", ends={**new.ends, "simple_regret": np.zeros(1)})
    assert TrialTable(None, [own, slow]).best_known_of([own.key]) == {"f/0": 0.3}


def without_rounds(cell, *places):
    """Let some trials end before their first recorded round."""
    rounds, curves = [*cell.rounds], [*cell.at["regret"]]
    ends = {name: values.copy() for name, values in cell.ends.items()}
    status, instance = [*cell.status], [*cell.instance]
    for i in places:
        rounds[i], curves[i] = np.empty(0, int), np.empty(0)
        status[i], instance[i] = "failed: at once", None
        for values in ends.values():
            values[i] = np.nan
    changes = {"rounds": rounds, "at": {"regret": curves}, "ends": ends}
    return replace(cell, status=status, instance=instance, **changes)


def test_a_trial_that_failed_at_once_leaves_the_regret_of_the_others():
    cell = without_rounds(trials(rounds=np.arange(1, 41), instance=["f"] * 3), 1)
    counted = cell.counted_from({"f": 0.5})
    np.testing.assert_allclose(counted.ends["regret"], cell.ends["regret"] - 20.0)
    assert [len(one) for one in counted.at["regret"]] == [40, 0, 40]


def test_a_cell_that_failed_at_once_is_the_same_before_and_behind_the_table(tmp_path):
    cell = replace(without_rounds(trials(), 0, 1, 2).stored(), is_thinned=True)
    table = TrialTable(write(tmp_path, cell, trials(algorithm="oful").stored()))
    assert table.cell(*cell.key).content == cell.content
    assert table.cell(*cell.key).by_round.empty
    table.check_round(*cell.key, 994)  # it has no round at all


# Result files.


def result(rows):
    names = ("trial", "round", "regret", "status", "covered", "note")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    number = len(rows)
    same = {"paper": ["toy"] * number, "setting": ["s"] * number, "algorithm": ["a"] * number}
    return pa.table({**same, **columns, "seconds": [0.1] * number})


def test_a_result_file_is_read_by_trial():
    rows = [
        (4, 10, 1.0, "ok", True, "x"),
        (4, 20, 3.0, "ok", True, "x"),
        (4, 40, 4.0, "ok", False, "x"),
        (5, 0, None, "failed: at once", None, None),
    ]
    cell = of_result(result(rows), "regret", "variants")
    assert (cell.group, cell.trial.tolist(), cell.status) == (
        *("variants", [4, 5]),
        ["ok", "failed: at once"],
    )
    assert cell.ends["regret"][0] == 4.0
    assert cell.ends["regret_half"][0] == 3.0
    assert cell.ends["covered"][0] == 0.0
    assert np.isnan(cell.ends["regret"][1])
    assert [len(rounds) for rounds in cell.rounds] == [3, 0]
    assert "seconds" not in cell.ends  # jobs of the regret lane share the machine
    assert "note" not in cell.ends


def test_frames_have_a_row_a_trial_and_a_row_a_round():
    cell = replace(trials(), ends={**trials().ends, "regret": np.array([1.0, 2.0, 3.0])}).stored()
    finals, rounds = cell.finals, cell.by_round
    assert finals["regret"].tolist() == [1.0, 2.0, 3.0]
    assert finals["round"].tolist() == [HORIZON] * 3
    assert len(rounds) == sum(map(len, cell.rounds))
    ends = rounds.groupby("trial")["regret"].last()
    assert ends.tolist() == [1.0, 2.0, 3.0]  # with all digits
    curve = cell.curves(0.95, "t")
    assert curve["round"].tolist() == cell.rounds[0].tolist()
    np.testing.assert_allclose(curve["mean"].iloc[-1], 2.0)
    assert cell.curves(0.95, "t", 2)["trials"].iloc[0] == 2


def test_cells_of_one_race_share_a_number_and_cells_of_two_do_not():
    rows = [(4, 10, 1.0, "ok", True, "x"), (4, 20, 3.0, "ok", True, "x")]
    one, same, other = (
        of_result(result(rows).append_column("turns", [[mark] * 2]), "timing", "paper")
        for mark in ("first", "first", "second")
    )
    numbers = [cell.stored().by_round["turns"].unique().tolist() for cell in (one, same, other)]
    assert numbers[0] == numbers[1] != numbers[2]


def test_a_timed_trial_names_its_race_at_every_round():
    known = trials(lane="timing")
    cell = replace(known, ends={**known.ends, "turns": np.array([7.0, 7.0, 8.0])}).stored()
    marks = cell.by_round.groupby("trial")["turns"]
    assert marks.unique().map(list).tolist() == [[7.0], [7.0], [8.0]]
    failed = replace(cell, status=["failed: x"] * 3)
    assert failed.curves(0.95, "t").empty


def test_reading_a_cell_loads_no_pandas(tmp_path):
    path = write(tmp_path, trials().stored(), trials("high").stored())
    code = (
        "import sys\n"
        "from optimist.experiments.trial_table import TrialTable\n"
        f"table = TrialTable({str(path)!r})\n"
        "print(len(table.cell('regret', 'high', 'gloc')), table.keys[0][1])\n"
        "print('pandas' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["3", "high", "False"]
