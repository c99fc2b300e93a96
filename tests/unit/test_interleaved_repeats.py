"""Times in turns: who plays when, what is measured, and what the cells of a race share."""

from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import replace
from itertools import permutations

import pytest
from result_files import make, toy_trials

from optimist.algorithms.glb.gloc import GLOC
from optimist.algorithms.glb.ofuglb import OFUGLB
from optimist.core.label import Label
from optimist.experiments import interleaved_repeats, play_trial, results, trials
from optimist.experiments.cell import Probe
from optimist.experiments.trials import Player

PROBE = Probe(Label("ofuglb"), 3)


def race(*asked, number="0"):
    """Return trials of the timing lane as one race."""
    return [replace(one, lane="timing", race=number) for one in asked]


THREE = race(
    toy_trials(stop=400), toy_trials(setting="there", stop=400), toy_trials(algorithm="glb_omd")
)
FOLLOWED = race(
    toy_trials(algorithm="ofuglb", stop=600),
    replace(toy_trials(algorithm="ofuglb[solver=slsqp]", stop=600), probe=PROBE),
    toy_trials(stop=600),
)


@pytest.fixture
def played(monkeypatch):
    """Record setting, algorithm, trial, rounds and whether it is measured of all that is played."""
    seen, play_trial = [], trials.play_trial

    def recorded(of, trial, *more, **how):
        is_measured = how.get("histories") is not None
        seen.append((*of.labels, trial, how["rounds"], is_measured))
        return play_trial(of, trial, *more, **how)

    monkeypatch.setattr(trials, "play_trial", recorded)
    return seen


def names(playing):
    return [one.cell.labels for one in playing]


# Order.


def test_each_cell_that_takes_part_plays_once_a_turn():
    for turn, number in ((0, 3), (1, 3), (2, 2), (399, 2), (400, 0)):
        found = interleaved_repeats.order(THREE, turn)
        assert len(found) == number
        assert set(names(found)) == {
            n for n, t in zip(names(THREE), THREE, strict=True) if turn < t.stop
        }


def test_the_order_is_random_and_of_the_seed():
    orders = [names(interleaved_repeats.order(THREE, turn)) for turn in range(400)]
    assert orders == [names(interleaved_repeats.order(THREE[::-1], turn)) for turn in range(400)]
    first = Counter(order[0] for order in orders)
    # Each of two is first in half of the turns: 400 tosses of a coin, five deviations.
    assert all(abs(count - 200) < 50 for name, count in first.items() if count > 2)
    other = [
        names(interleaved_repeats.order(race(*THREE, number="1"), turn)) for turn in range(400)
    ]
    assert orders != other


def test_a_leader_comes_before_its_follower_and_all_else_is_random():
    leader, follower, third = names(FOLLOWED)
    found = Counter(tuple(names(interleaved_repeats.order(FOLLOWED, turn))) for turn in range(600))
    allowed = {o for o in permutations(names(FOLLOWED)) if o.index(leader) < o.index(follower)}
    assert set(found) == allowed
    assert all(abs(count - 200) < 60 for count in found.values())
    assert third in {order[0] for order in found}


# What is measured.


def test_a_short_turn_that_is_not_measured_comes_first(tmp_path, played):
    make(tmp_path, *race(toy_trials(horizon=800), toy_trials(setting="there")))
    assert played[:2] == [("here", "gloc", 0, 100, False), ("there", "gloc", 0, 3, False)]
    asked = race(toy_trials(stop=3), toy_trials(setting="there", stop=2))
    played.clear()
    make(tmp_path / "turns", *asked)
    assert [one[:3] for one in played if one[-1]] == [
        (*n, turn) for turn in range(3) for n in names(interleaved_repeats.order(asked, turn))
    ]


def test_results_are_those_of_the_cells_alone(tmp_path):
    asked = race(toy_trials(), toy_trials(algorithm="glb_omd"))
    for path, one in zip(make(tmp_path, *asked), asked, strict=True):
        alone = results.to_table(one.cell, trials.run(one), "some turns")
        assert results.digest(results.read(path)) == results.digest(alone)


def test_a_leader_plays_once_for_those_who_follow_it(tmp_path, monkeypatch):
    """And where it is not in the race, or has other rounds there, it plays for them alone."""
    played = Counter()
    rounds_of = play_trial.rounds_of

    def counted(environment, algorithm, observers):
        rounds = rounds_of(environment, algorithm, observers)

        def run(marks):
            played[type(algorithm).__name__, marks[-1]] += 1
            return type(rounds).run(rounds, marks)

        rounds.run = run
        return rounds

    monkeypatch.setattr(play_trial, "rounds_of", counted)
    leader, follower, _ = (replace(one, stop=2) for one in FOLLOWED)
    paths = make(tmp_path / "together", leader, follower)
    # Twelve rounds in two turns, and three in those that are not measured.
    assert played == {("OFUGLB", 12): 2, ("OFUGLB", 3): 2}
    played.clear()
    (alone,) = make(tmp_path / "alone", follower)
    assert played == {("OFUGLB", 12): 2, ("OFUGLB", 3): 1}
    assert results.digest(results.read(alone)) == results.digest(results.read(paths[1]))
    played.clear()
    make(tmp_path / "shorter", replace(leader, rounds=8), follower)
    assert played == {("OFUGLB", 12): 2, ("OFUGLB", 8): 2, ("OFUGLB", 2): 1, ("OFUGLB", 3): 1}


# What the cells of a race share.


def marks(paths):
    """Return the values of the column `turns`, by file."""
    found = [set(results.read(path)["turns"].to_pylist()) for path in paths]
    return [value for (value,) in found]


def test_cells_of_one_process_share_a_mark_that_no_others_have(tmp_path):
    asked = race(toy_trials(), toy_trials(setting="there"))
    first, second = (marks(make(tmp_path / name, *asked)) for name in "ab")
    assert len(set(first)) == len(set(second)) == 1
    assert first[0] and first != second
    (regret,) = make(tmp_path, toy_trials())
    assert "turns" not in results.read(regret).column_names


def test_a_race_costs_what_each_of_its_cells_does(tmp_path, monkeypatch):
    slow = OFUGLB.select

    def slower(self, arms):
        sum(range(200_000))
        return slow(self, arms)

    monkeypatch.setattr(OFUGLB, "select", slower)
    paths = make(tmp_path, *race(toy_trials(), toy_trials(algorithm="ofuglb")))
    cheap, dear = (results.read_metadata(path)["use"] for path in paths)
    assert dear["cpu_seconds"] > 2 * cheap["cpu_seconds"] > 0.0
    assert cheap["peak_mb"] > 20.0


# What goes wrong.


def statuses(path):
    rows = results.read(path).to_pylist()
    return {row["trial"]: row["status"] for row in rows}


def failing(monkeypatch, error, after=0):
    """Let GLOC fail from some round on."""
    select, calls = GLOC.select, defaultdict(int)

    def fail(self, arms):
        calls[id(self)] += 1
        if calls[id(self)] > after:
            raise error
        return select(self, arms)

    monkeypatch.setattr(GLOC, "select", fail)


def test_a_cell_that_fails_numerically_says_so_and_the_others_go_on(tmp_path, monkeypatch):
    failing(monkeypatch, ZeroDivisionError("by nought"), after=5)
    paths = make(tmp_path, *race(toy_trials(), toy_trials(algorithm="glb_omd")))
    assert set(statuses(paths[0]).values()) == {"failed: by nought"}
    assert set(statuses(paths[1]).values()) == {"ok"}
    assert len(set(marks(paths))) == 1


def test_an_error_names_its_cell_and_no_file_of_the_race_is_written(tmp_path, monkeypatch):
    failing(monkeypatch, TypeError("a bug of gloc"))
    asked = race(toy_trials(algorithm="glb_omd"), toy_trials())
    with pytest.raises(TypeError, match="a bug of gloc") as caught:
        make(tmp_path, *asked)
    assert caught.value.__notes__ == ["in toy/here/gloc, warming up"]
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_cell_out_of_time_leaves_the_others_theirs(tmp_path, monkeypatch):
    """Each has a limit of its own, which the turns of others do not use up."""
    paths = make(
        tmp_path,
        *race(toy_trials(horizon=2000, stop=3), toy_trials(algorithm="glb_omd", stop=3)),
        limits=[1e-3, 30.0],
    )
    assert set(statuses(paths[0]).values()) == {"out_of_time"}
    assert set(statuses(paths[1]).values()) == {"ok"}


def test_time_is_shared_by_the_turns_that_are_left(monkeypatch):
    now, shares = [0.0], []
    monkeypatch.setattr(trials.time, "monotonic", lambda: now[0])

    @contextmanager
    def limited(seconds):
        shares.append(seconds)
        yield

    def spend(*arguments, **options):
        now[0] += shares[-1] / 2

    monkeypatch.setattr(trials, "limited", limited)
    monkeypatch.setattr(trials, "play_trial", spend)
    player = Player(toy_trials(stop=3), seconds=8.0)
    player.warm_up()
    now[0] += 100.0  # others play
    for trial in range(3):
        player.play(trial)
    # 2 / (n + 1) of what is left, half of which is used.
    assert shares == pytest.approx([4.0, 3.0, 3.0, 3.0])
