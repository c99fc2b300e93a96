"""The loop: what is recorded, what is timed, and how a trial ends."""

import math
import time

import numpy as np
import pandas as pd
import pytest
from toy_environments import ScriptedEnvironment

from optimist.algorithms import make_algorithm
from optimist.algorithms.base import FiniteArmAlgorithm
from optimist.checks.toys import ScriptedFunction, bowl, make_box_problem
from optimist.core.errors import BrokenEnvironmentError, ConfigError
from optimist.environments.base import check_arms
from optimist.environments.observer import Observer
from optimist.experiments.loop import CURVE_POINTS, Coverage, checkpoints, rounds_of
from optimist.experiments.play_trial import Choices, History, replay

ARMS = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])


def play(environment, algorithm, marks, observers=(), time_limit=None):
    return rounds_of(environment, algorithm, observers).run(marks, time_limit)


class Cycling(FiniteArmAlgorithm):
    """Plays arm 0, 1, 2, 0, ...; hooks run before each select and update."""

    reference = "nobody (1900)"

    def __init__(self, before_select=lambda t: None, before_update=lambda t: None):
        super().__init__(None)
        self.t = 0
        self.theta = np.zeros(2)
        self.hooks = [before_select, before_update]
        self.learned = []

    def select(self, arms):
        self.hooks[0](self.t)
        return self.t % len(arms)

    def update(self, arms, index, reward):
        self.hooks[1](self.t)
        self.learned.append((index, reward))
        self.t += 1

    def contains(self, thetas):
        return np.full(len(thetas), self.t < 5)

    def diagnostics(self):
        return {"updates": self.t}


def environment(reward=lambda t, index: 1.0, theta=None):
    return ScriptedEnvironment([ARMS], reward, theta)


def cycled(rounds=20, status="ok"):
    """Return the history of a leader that cycles."""
    return History([t % 3 for t in range(rounds)], status)


def raising(error, at):
    def hook(t):
        if t == at:
            raise error

    return hook


def test_checkpoints_span_the_run_with_about_three_hundred_points():
    marks = checkpoints(3000)
    assert (marks[0], marks[-1]) == (1, 3000)
    assert marks == sorted(set(marks))
    assert 0.8 * CURVE_POINTS <= len(marks) <= CURVE_POINTS
    assert checkpoints(20) == list(range(1, 21))
    with pytest.raises(ConfigError, match="horizon is 0; allowed: at least 1"):
        checkpoints(0)


@pytest.mark.parametrize("rounds", [1, 7, 150, 2999, 3000, 5000])
def test_a_truncated_run_keeps_the_rounds_of_the_full_one(rounds):
    full, marks = checkpoints(3000), checkpoints(3000, rounds)
    stop = min(rounds, 3000)
    assert marks == sorted({*(m for m in full if m <= stop), stop})


def test_totals_are_cumulative_and_recorded_at_the_marks():
    trajectory = play(environment(), Cycling(), [1, 2, 3, 6])
    # Means of the three arms are 0, 1/2 and 1: regrets 1, 1/2, 0, 1, ...
    assert trajectory.columns["regret"] == [1.0, 1.5, 1.5, 3.0]
    assert trajectory.columns["round"] == [1, 2, 3, 6]
    assert trajectory.columns["updates"] == [1, 2, 3, 6]
    assert trajectory.status == "ok"
    assert {len(column) for column in trajectory.columns.values()} == {4}


def test_the_algorithm_gets_the_reward_of_its_own_round_and_arm():
    algorithm = Cycling()
    play(environment(lambda t, index: 10.0 * t + index), algorithm, [4])
    assert algorithm.learned == [(0, 0.0), (1, 11.0), (2, 22.0), (0, 30.0)]


def test_coverage_is_lost_for_good_and_only_asked_for_where_it_is_defined():
    theta = np.zeros(2)
    assert covered_of(theta, [4, 5, 6, 9]) == [True, True, False, False]
    assert covered_of(None, [6]) == [None]


def covered_of(theta, marks):
    algorithm = Cycling()
    coverage = Coverage(lambda t: theta, algorithm)
    return play(environment(theta=theta), algorithm, marks, observers=[coverage]).columns["covered"]


class Noting(Observer):
    """Notes what it is shown; hooks run at each call."""

    def __init__(self, before=lambda t: None, after=lambda t: None, columns=lambda t: None):
        self.hooks = before, after, columns
        self.seen = []

    def before(self, t):
        self.seen.append(t)
        self.hooks[0](t)

    def after(self, t, arms, choice, reward, regret):
        self.seen.append((t, arms is ARMS, choice, reward, regret))
        self.hooks[1](t)

    def columns(self):
        self.hooks[2](len(self.seen) // 2 - 1)
        return {"noted": len(self.seen)}


def test_an_observer_looks_before_and_after_every_round_and_adds_its_columns():
    observer = Noting()
    trajectory = play(environment(), Cycling(), [1, 3], observers=[observer])
    rounds = [(0, True, 0, 1.0, 1.0), (1, True, 1, 1.0, 0.5), (2, True, 2, 1.0, 0.0)]
    assert observer.seen == [0, rounds[0], 1, rounds[1], 2, rounds[2]]
    assert trajectory.columns["noted"] == [2, 6]


@pytest.mark.parametrize("place", ["before", "after", "columns"])
def test_a_numerical_error_of_an_observer_is_a_status(place):
    observer = Noting(**{place: raising(np.linalg.LinAlgError("Singular matrix"), 7)})
    trajectory = play(environment(), Cycling(), [1, 5, 7, 8, 20], observers=[observer])
    assert trajectory.status == "failed: Singular matrix"
    assert trajectory.columns["round"] == [1, 5, 7]


def test_state_that_is_not_finite_ends_the_curve_before_it():
    algorithm = Cycling()

    def poison(t):
        if t == 6:
            algorithm.theta[1] = math.nan

    algorithm.hooks[1] = poison
    trajectory = play(environment(), algorithm, [1, 6, 7, 8])
    assert trajectory.status == "non_finite: theta"
    assert trajectory.columns["round"] == [1, 6]


def test_an_algorithm_broken_by_a_bad_reward_is_reported_as_that():
    # The algorithm only fails because of the reward: the status names the cause.
    algorithm = Cycling(before_select=raising(np.linalg.LinAlgError("Eigenvalues"), 6))
    trajectory = play(
        environment(lambda t, index: math.nan if t == 4 else 1.0), algorithm, [1, 4, 20]
    )
    assert trajectory.status.startswith("failed: ScriptedEnvironment.reward returned ")
    assert trajectory.columns["round"] == [1, 4]


@pytest.mark.parametrize("hook", ["before_select", "before_update"])
@pytest.mark.parametrize(
    "error",
    [
        np.linalg.LinAlgError("Singular matrix"),
        ZeroDivisionError("float division by zero"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_numerical_error_of_the_algorithm_is_a_status(hook, error):
    algorithm = Cycling(**{hook: raising(error, 7)})
    trajectory = play(environment(), algorithm, [1, 5, 7, 8, 20])
    assert trajectory.status == f"failed: {error}"
    assert trajectory.columns["round"] == [1, 5, 7]


@pytest.mark.parametrize("function", [math.sqrt, math.log])
def test_an_impossible_argument_of_a_function_of_math_is_a_status(function):
    # The words of these errors depend on the version of Python.
    def impossible(t):
        if t == 2:
            function(-1.0)

    trajectory = play(environment(), Cycling(before_select=impossible), [1, 5])
    assert trajectory.status.startswith("failed: ")


def of_a_library(name):
    """Return what a library says of a matrix or a function that is not finite."""
    import scipy.linalg
    import scipy.optimize
    from sklearn.cluster import KMeans

    bad = np.full((2, 2), np.nan)
    with pytest.raises(ValueError) as error:
        {
            "triangular": lambda: scipy.linalg.solve_triangular(bad, bad),
            "cholesky": lambda: scipy.linalg.cho_factor(bad),
            "root": lambda: scipy.optimize.brentq(lambda x: np.nan, 0.0, 1.0),
            "signs": lambda: scipy.optimize.brentq(lambda x: 1.0, 0.0, 1.0),
            "integer": lambda: int(np.nan),
            "clusters": lambda: KMeans(1).fit(bad),
        }[name]()
    return str(error.value)


@pytest.mark.parametrize("name", ["triangular", "cholesky", "root", "signs", "integer", "clusters"])
def test_what_libraries_say_of_numbers_is_a_status(name):
    words = of_a_library(name)
    algorithm = Cycling(before_select=raising(ValueError(words), 2))
    assert play(environment(), algorithm, [5]).status == f"failed: {words}"


def test_a_number_that_is_none_inside_an_algorithm_is_not_ok():
    def compute(t):
        if t == 2:
            np.array([np.inf]) - np.inf

    trajectory = play(environment(), Cycling(before_select=compute), [1, 5])
    assert trajectory.status == "unconverged"
    assert trajectory.columns["round"] == [1, 5]
    # Infinity alone may be meant, as before a line search steps back.
    fine = Cycling(before_select=lambda t: np.exp(np.array([1000.0])))
    assert play(environment(), fine, [1, 5]).status == "ok"


@pytest.mark.parametrize(
    "words", ["expected a positive input", "The function value at x=0.0 is NaN"]
)
def test_errors_about_numbers_are_statuses_by_their_words(words):
    algorithm = Cycling(before_select=raising(ValueError(words), 2))
    assert play(environment(), algorithm, [5]).status == f"failed: {words}"


@pytest.mark.parametrize("error", [KeyError("x"), ValueError("operands could not be broadcast")])
def test_a_programming_error_is_not_hidden(error):
    with pytest.raises(type(error)):
        play(environment(), Cycling(before_select=raising(error, 2)), [5])


def test_diagnostics_and_observers_replace_no_column(monkeypatch):
    with monkeypatch.context() as patch, pytest.raises(ConfigError, match="Cycling records regret"):
        patch.setattr(Cycling, "diagnostics", lambda self: {"regret": 0.0})
        play(environment(), Cycling(), [5])
    with pytest.raises(ConfigError, match=r"Noting records noted; allowed"):
        play(environment(), Cycling(), [5], observers=[Noting(), Noting()])
    monkeypatch.setattr(Noting, "columns", lambda self: {"seconds": 0.0})
    with pytest.raises(ConfigError, match=r"Noting records seconds; allowed"):
        play(environment(), Cycling(), [5], observers=[Noting()])
    monkeypatch.setattr(Noting, "columns", lambda self: {"noted": 1})
    monkeypatch.setattr(Cycling, "diagnostics", lambda self: {"noted": 2})
    with pytest.raises(ConfigError, match=r"Cycling records noted; allowed"):
        play(environment(), Cycling(), [5], observers=[Noting()])


def test_the_time_limit_ends_the_trial():
    algorithm = Cycling(before_select=lambda t: time.sleep(0.01))
    trajectory = play(environment(), algorithm, list(range(1, 101)), time_limit=0.05)
    assert trajectory.status == "timeout"
    assert 1 <= trajectory.columns["round"][-1] <= 6


def test_an_algorithm_may_report_its_own_status():
    algorithm = Cycling()
    algorithm.status = "unconverged"
    assert play(environment(), algorithm, [3]).status == "unconverged"


@pytest.mark.parametrize(
    ("arms", "message"),
    [
        (np.array([[1.0, 0.0], [0.8, 0.7]]), r"arm 1 has norm 1\.06"),
        (np.empty((0, 2)), r"shape \(0, 2\)"),
        (np.ones(3) / 3.0, r"shape \(3,\)"),
        (np.array([[0.1, math.inf]]), "not finite"),
    ],
)
def test_impossible_arms_are_refused_in_any_round(arms, message):
    with pytest.raises(ConfigError, match=message):
        play(ScriptedEnvironment([ARMS, arms], lambda t, index: 1.0), Cycling(), [5])


def test_arms_that_were_checked_before_are_not_checked_again(monkeypatch):
    checked = []
    monkeypatch.setattr("optimist.experiments.loop.check_arms", lambda *args: checked.append(args))
    scripted = ScriptedEnvironment([ARMS, ARMS.copy()], lambda t, index: 1.0)
    play(scripted, Cycling(), [4])
    assert len(checked) == 4
    scripted.arms_are_checked = True
    play(scripted, Cycling(), [4])
    assert len(checked) == 4


def test_arms_on_the_unit_sphere_pass():
    check_arms(np.array([[0.6, 0.8], [1.0, 0.0], [1.0 + 1e-12, 0.0]]))


@pytest.fixture
def sleep(monkeypatch):
    """Return a function that lets time pass on a clock that only it moves."""
    now = [0.0]

    def pass_time(seconds):
        now[0] += seconds

    monkeypatch.setattr("optimist.experiments.loop.time.perf_counter", lambda: now[0])
    return pass_time


def test_time_is_split_into_selecting_and_the_rest(monkeypatch, sleep):
    monkeypatch.setattr(Cycling, "prepare", lambda self: sleep(0.004))
    slow = Cycling(before_select=lambda t: sleep(0.002), before_update=lambda t: sleep(0.001))
    observer = Noting(*[lambda t: sleep(1.0)] * 3)
    paying = environment(lambda t, index: sleep(1.0) or 1.0)
    columns = play(paying, slow, [10], observers=[observer]).columns
    assert columns["select_seconds"][-1] == pytest.approx(0.02)
    assert columns["seconds"][-1] == pytest.approx(0.07)
    # In a replay, preparing stands for as many rounds as selecting.
    slow = Cycling(before_select=lambda t: sleep(0.002))
    columns = replay(environment(), cycled(), slow, [10], every=5).columns
    assert columns["selections"] == [2]
    assert columns["select_seconds"][-1] == pytest.approx(0.02)
    assert columns["seconds"][-1] == pytest.approx(0.06)


def test_replay_spreads_its_estimate_over_the_rounds(sleep):
    slow = Cycling(before_select=lambda t: sleep(0.01))
    columns = replay(environment(), cycled(), slow, list(range(1, 21)), every=10).columns
    assert columns["selections"][-1] == 2
    steps = np.diff(columns["seconds"])
    assert columns["seconds"][4] == 0.0  # nothing was timed yet
    assert steps[4] == pytest.approx(0.06)  # the first time stands for the rounds before
    np.testing.assert_allclose(steps[5:], 0.01)


def test_replay_learns_from_the_leader_and_is_asked_now_and_then(sleep):
    leader, choices = Cycling(), Choices()
    follower = Cycling(before_select=lambda t: sleep(0.005))
    played = play(environment(), leader, [20], observers=[choices])
    trajectory = replay(
        environment(), History(choices.played, played.status), follower, [10, 20], every=5
    )
    assert follower.learned == leader.learned
    assert trajectory.columns["round"] == [10, 20]
    assert trajectory.columns["selections"] == [2, 4]
    assert trajectory.columns["agreements"] == [2, 4]
    # Four selections of 5 ms represent twenty.
    assert trajectory.columns["seconds"][-1] == pytest.approx(0.1)


@pytest.mark.parametrize(("rounds", "recorded"), [(7, [2, 5]), (1, [])])
def test_where_the_leader_ended_its_follower_ends(rounds, recorded):
    doubted = replay(environment(), cycled(status="unconverged"), Cycling(), [5], every=2)
    assert doubted.status == "unconverged"
    history = cycled(rounds, "timeout")
    follower = Cycling()
    follower.status = "unconverged"
    trajectory = replay(environment(), history, follower, [2, 5, 10], every=2)
    assert trajectory.status == "timeout"
    assert trajectory.columns.get("round", []) == recorded


def test_a_follower_that_chooses_no_arm_is_refused():
    follower = Cycling()
    follower.select = lambda arms: -1
    history = History([0] * 8, "ok")
    with pytest.raises(ConfigError, match=r"^Cycling.select returned -1 in round 3; "):
        replay(environment(), history, follower, [8], every=4)


@pytest.mark.parametrize("index", [-1, 3, True, 1.0, None])
def test_what_is_no_index_of_an_arm_is_refused(index):
    """Arrays take -1 for their last element, so nothing else would say so."""
    algorithm = Cycling()
    algorithm.select = lambda arms: index if algorithm.t == 2 else np.int64(0)
    with pytest.raises(ConfigError, match=r"^Cycling.select returned .* in round 3; .* 0 to 2$"):
        play(environment(), algorithm, [5])


# Environments are held to their contract in play.


@pytest.mark.parametrize(
    ("name", "result", "seen"),
    [
        (
            "arms",
            lambda arms, t: pd.DataFrame(arms),
            "arms in round 1: arm set is a DataFrame",
        ),
        ("arms", lambda arms, t: arms.tolist(), "arms in round 1: arm set is a list"),
        ("arms", lambda arms, t: arms.astype(np.float16), "arm set is an array of float16"),
        ("arms", lambda arms, t: np.ma.masked_array(arms), "arm set is a MaskedArray"),
        ("arms", lambda arms, t: 9.0 * arms if t == 6 else arms, "arms in round 7: arm . has norm"),
        ("means", lambda means, t: means * np.nan, "means returned nan in round 1"),
        ("means", lambda means, t: np.append(means, 5.0), r"and shape \(4,\) in round 1"),
        ("means", lambda means, t: means + 1j, "means returned an array of complex128 in round 1"),
        ("means", lambda means, t: list(means), "means returned a list in round 1"),
        ("reward", lambda reward, t: "1", "reward returned '1' in round 1; allowed: a float"),
        ("reward", lambda reward, t: np.array([1.0]), r"reward returned array\(\[1.\]\) in round"),
        ("regret", lambda regret, t: -0.5 if t == 2 else regret, "regret returned -0.5 in round 3"),
        ("regret", lambda regret, t: math.nan, "regret returned nan in round 1"),
    ],
)
def test_an_environment_that_breaks_its_contract_is_blamed_by_name(name, result, seen):
    class World(ScriptedEnvironment):
        pass

    inherited = getattr(ScriptedEnvironment, name)
    broken = lambda self, t, *more: result(inherited(self, t, *more), t)  # noqa: E731
    if name == "arms":  # its means are of other arms
        World.means = lambda self, t: np.linspace(0.0, 1.0, 3)
    setattr(World, name, broken)
    with pytest.raises(BrokenEnvironmentError, match=f"^World.*{seen}"):
        play(World([ARMS], lambda t, index: 1.0), Cycling(), [20])


@pytest.mark.parametrize("paid", [1e200, -1.7e308, -math.inf, math.nan])
def test_a_reward_that_overflows_when_it_is_squared_fails_the_trial(paid):
    trajectory = play(environment(lambda t, k: paid if t == 4 else 1.0), Cycling(), [1, 20])
    assert trajectory.status.startswith("failed: ScriptedEnvironment.reward returned ")
    assert "in round 5; allowed: finite numbers, at most 1e+150" in trajectory.status


@pytest.mark.parametrize(
    ("changes", "seen"),
    [
        ({"maximum": 0.5}, "value returned .* in round .; allowed: at most its maximum, 0.5"),
        ({"maximum": math.nan}, "maximum is nan; allowed: a finite number"),
        ({"high": np.array([1.0, np.inf])}, "high is array"),
        ({"low": [0.0, 0.0]}, r"low is \[0.0, 0.0\]; allowed: a numpy array"),
        ({"low": np.full(2, 99.0)}, "allowed: low below high in every"),
        ({"low": np.zeros(3)}, "allowed: low below high in every"),
        ({"value": lambda x: math.nan}, "value returned nan in round 1"),
        ({"value": lambda x: 1j}, "value returned 1j in round 1; allowed: a finite float"),
    ],
)
def test_a_function_that_breaks_its_contract_is_blamed_by_name(changes, seen):
    function = ScriptedFunction(make_box_problem(), bowl)
    algorithm = make_algorithm("uniform", function.problem(), np.random.default_rng(0))
    vars(function).update(changes)
    with pytest.raises(BrokenEnvironmentError, match=f"^ScriptedFunction.*{seen}"):
        play(function, algorithm, [5])


def test_rounding_above_the_maximum_is_no_fault():
    function = ScriptedFunction(make_box_problem(), lambda x: 2.0 + 1e-12, maximum=2.0)
    algorithm = make_algorithm("uniform", function.problem(), np.random.default_rng(0))
    assert play(function, algorithm, [5]).status == "ok"


@pytest.mark.parametrize("is_known", [True, False])
def test_trials_name_their_instance_where_the_maximum_is_unknown(is_known):
    function = ScriptedFunction(make_box_problem(), bowl)
    algorithm = make_algorithm("uniform", function.problem(), np.random.default_rng(0))
    function.maximum_is_known, function.instance = is_known, "bowl"
    assert play(function, algorithm, [5]).columns.get("instance") == (
        None if is_known else ["bowl"]
    )


@pytest.mark.parametrize("status", [None, "non_finite", ["ok"]])
def test_a_status_that_is_none_is_named(status):
    algorithm = Cycling()
    algorithm.status = status
    with pytest.raises(ConfigError, match=r"Cycling.status is .*; allowed: ok or unconverged; an"):
        play(environment(), algorithm, [3])


@pytest.mark.parametrize("method", ["arms", "means", "reward", "regret", "context"])
def test_an_environment_that_raises_is_blamed_by_name(method):
    class World(ScriptedEnvironment):
        pass

    setattr(World, method, lambda self, t, *more: 1.0 / 0)
    said = rf"^World.{method} raised ZeroDivisionError: .*\(test_loop.py, line .*\) in round 1$"
    with pytest.raises(BrokenEnvironmentError, match=said):
        play(World([ARMS], lambda t, index: 1.0), Cycling(), [5])


@pytest.mark.parametrize("paid", [math.nan, math.inf])
def test_a_reward_of_a_users_environment_that_is_not_finite_is_its_fault(paid):
    class World(ScriptedEnvironment):
        pass

    with pytest.raises(BrokenEnvironmentError, match=r"^World.reward returned .* a finite number"):
        play(World([ARMS], lambda t, index: paid), Cycling(), [5])


def test_a_users_environment_cannot_switch_the_look_at_its_arms_off():
    class World(ScriptedEnvironment):
        arms_are_checked = True

        def arms(self, t):
            self.pools[0][0] *= 1.5
            view = self.pools[0][:]
            view.flags.writeable = False
            return view

    with pytest.raises(BrokenEnvironmentError, match=r"^World.arms in round 2"):
        play(World([0.5 * ARMS], lambda t, index: 1.0), Cycling(), [20])
