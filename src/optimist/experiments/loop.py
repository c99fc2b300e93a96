"""The one loop: environment and algorithm meet, round by round.

Only `select` and `update`, or `propose` and `observe`, are timed. A trial never crashes the run
for a numerical reason; it ends with a status:

``ok``            all went well
``unconverged``   an inner solver missed its tolerance, or met a number that is none, at least once;
                  the curve is complete
``non_finite``    the algorithm's state or its point is not finite; the curve ends before it
``failed: ...``   a linear-algebra or arithmetic error in the algorithm, or a reward that is not
                  finite or too large; the curve ends before it
``timeout``       the trial's own time limit passed; the curve ends there
``out_of_time``   the job's time limit was met; the curve ends before it
``out_of_memory`` the machine refused an array; the curve ends before it

An environment that breaks its contract in another way is an error that names the environment.
"""

import math
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from optimist.core.errors import BrokenEnvironmentError, ConfigError, OptimistError, OutOfTimeError
from optimist.core.user_errors import in_one_line
from optimist.environments.base import (
    ARRAY,
    BoxEnvironment,
    FiniteArmEnvironment,
    check_arms,
    check_point,
    in_words,
    is_array,
)

CURVE_POINTS = 300
# Rewards up to this size have squares and sums of squares that are finite.
LARGEST_REWARD = 1e150
# By which a value may exceed the maximum, as a share of it: rounding.
ROUNDING = 1e-9
COMPLETE = ("ok", "unconverged")
# How a trial ends for lack of time or memory, which another machine may have.
EARLY = ("out_of_time", "out_of_memory")
# Columns that are measured here; an algorithm's diagnostics have other names.
MEASURED = frozenset(
    (
        *("round", "regret", "seconds", "select_seconds", "covered", "state_bytes"),
        *("simple_regret", "instance", "turns"),
    )
)


def checkpoints(horizon: int, rounds: int | None = None) -> list[int]:
    """Return about 300 recorded rounds (counted from 1) of a run, as a sorted list of ints.

    A quarter of them is spaced geometrically, so that early rounds are seen on log axes. A run
    truncated after ``rounds`` keeps the rounds of the full one and adds its last.
    """
    rounds = horizon if rounds is None else min(rounds, horizon)
    if rounds < 1:
        raise ConfigError(f"horizon is {rounds}; allowed: at least 1")
    even = np.linspace(1, horizon, min(horizon, 3 * CURVE_POINTS // 4))
    early = np.geomspace(1, horizon, CURVE_POINTS // 4)
    marks = np.rint(np.concatenate([even, early])).astype(int)
    return sorted({*marks[marks <= rounds].tolist(), rounds})


@dataclass
class Trajectory:
    """What one trial recorded: its status, and a row for each recorded round, all of one form."""

    status: str = "ok"
    rows: list[dict[str, Any]] = field(default_factory=list)

    def record(self, **values: Any) -> None:
        """Append one recorded round: wholly, or not at all where a limit of time ends it here."""
        self.rows.append(values)

    @property
    def columns(self) -> dict[str, list[Any]]:
        """A list of values per column, all of the same length."""
        return {name: [row[name] for row in self.rows] for name in (self.rows or [{}])[0]}


class Observer:
    """Watches a trial: it is called before and after every round and adds columns at the marks."""

    def before(self, t: int) -> None:
        """Look at the algorithm before it chooses in round ``t``, counted from 0."""

    def after(
        self, t: int, arms: np.ndarray | None, choice: Any, reward: float, regret: float
    ) -> None:
        """Look at the algorithm after it has learned from round ``t``.

        Parameters
        ----------
        t : int
        arms : (K, d) array or None
            The arms of the round; None on a box.
        choice : int or (d,) array
            The index of the arm that was played, or the point that was asked for.
        reward, regret : float
            Of this round.
        """

    def columns(self) -> dict[str, Any]:
        """Return what is recorded after a round, by column."""
        return {}


class Coverage(Observer):
    """Whether the confidence set held the truth before every round so far; None without a truth.

    Parameters
    ----------
    truth : callable or None
        From a round to what the set should hold before it, (d,), or None; see
        `FiniteArmEnvironment.truth`.
    algorithm : FiniteArmAlgorithm or BoxAlgorithm
    """

    def __init__(self, truth: Callable[[int], np.ndarray | None] | None, algorithm: Any) -> None:
        self._truth = truth
        self._algorithm = algorithm
        self._covered: bool | None = None

    def before(self, t: int) -> None:
        theta = None if self._truth is None or self._covered is False else self._truth(t)
        if theta is not None:
            self._covered = bool(self._algorithm.contains(theta[None])[0])

    def columns(self) -> dict[str, Any]:
        return {"covered": self._covered}


class Choices(Observer):
    """What the algorithm played, round by round."""

    def __init__(self) -> None:
        self._played: list[Any] = []

    def after(
        self, t: int, arms: np.ndarray | None, choice: Any, reward: float, regret: float
    ) -> None:
        self._played.append(choice)

    def history(self, trajectory: Trajectory) -> "History":
        """Return the history of the trial that was watched."""
        return History(self._played, trajectory.status)


@dataclass(frozen=True)
class History:
    """What a leader did in a trial, for those who are timed on it.

    Attributes
    ----------
    played : sequence of int
        Index of the arm of each round.
    status : str
        How the trial ended.
    """

    played: Sequence[int]
    status: str


def play(
    environment: FiniteArmEnvironment | BoxEnvironment,
    algorithm: Any,
    marks: Sequence[int],
    *,
    observers: Sequence[Observer] = (),
    time_limit: float | None = None,
) -> Trajectory:
    """Play one trial.

    Parameters
    ----------
    environment : FiniteArmEnvironment or BoxEnvironment
    algorithm : FiniteArmAlgorithm or BoxAlgorithm
    marks : list of int
        Rounds to record, counted from 1; the last one ends the trial.
    observers : sequence of Observer
        A numerical error of theirs ends the trial as one of the algorithm does.
    time_limit : float or None
        Seconds of select and update after which the trial ends with status ``timeout``.

    Returns
    -------
    Trajectory
        Columns round, regret, seconds, select_seconds, those of the observers, state_bytes and the
        algorithm's diagnostics; all are cumulative, ``seconds`` is the time in select, update and
        prepare, of which ``select_seconds`` is that in select. On a box select and update are
        propose and observe, and there are two columns more: ``simple_regret``, the regret of the
        best point so far, and ``instance`` of a function whose maximum is unknown, see
        `BoxEnvironment`.
    """
    if isinstance(environment, BoxEnvironment):
        return _run(_BoxRounds(environment, algorithm, observers), marks, time_limit)
    return _run(_ArmRounds(environment, algorithm, observers), marks, time_limit)


def _run(rounds: "_Rounds", marks: Sequence[int], time_limit: float | None) -> Trajectory:
    """Play up to the last mark, recording totals at the marks; never raise for numbers."""
    trajectory = Trajectory()
    invalid: set[str] = set()
    # A reward that overflows a solver leaves NaN there, and maybe not where one looks for it.
    with np.errstate(invalid="call", call=lambda kind, flag: invalid.add(kind)):
        _play_rounds(rounds, trajectory, marks, time_limit)
    if trajectory.status == "ok":
        trajectory.status = rounds.status
    if trajectory.status == "ok" and invalid:
        trajectory.status = "unconverged"
    return trajectory


def _play_rounds(rounds, trajectory, marks, time_limit):
    """Play, and leave in the trajectory what was recorded, and how it ended if not well."""
    marked = set(marks)
    for t in range(marks[-1]):
        try:
            rounds.play(t)
            if t + 1 in marked:
                if not rounds.algorithm.is_finite():
                    raise NotFiniteError
                trajectory.record(round=t + 1, **rounds.totals())
        except NotFiniteError:
            trajectory.status = "non_finite"
            break
        except RewardError as error:
            trajectory.status = f"failed: {error}"
            break
        except MemoryError:
            trajectory.status = "out_of_memory"
            break
        except OutOfTimeError:
            trajectory.status = "out_of_time"
            break
        except (np.linalg.LinAlgError, ArithmeticError, ValueError) as error:
            if type(error) is ValueError and not _ABOUT_NUMBERS.search(str(error)):
                raise
            trajectory.status = f"failed: {error}"
            break
        if time_limit is not None and rounds.seconds > time_limit:
            trajectory.status = "timeout"
            break


# What functions of math, numpy, scipy and scikit-learn say of numbers that they cannot use. Those
# of math say "math domain error" up to Python 3.13, and from then on "expected a ...".
_ABOUT_NUMBERS = re.compile(
    r"^expected a |domain error"
    r"|\b(nans?|infs?|infinity|finite|singular|definite|different signs)\b",
    re.IGNORECASE,
)


class NotFiniteError(Exception):
    """A point to ask for, or the state of an algorithm, is not finite."""


class RewardError(Exception):
    """A reward is no number that an algorithm can learn from."""


def _asked(environment, method, t, *arguments):
    """Call a method of an environment; an exception becomes an error that names it."""
    try:
        return getattr(environment, method)(*arguments)
    except (MemoryError, OptimistError):
        raise
    except Exception as error:
        raise BrokenEnvironmentError(
            f"{type(environment).__name__}.{method} raised {in_one_line(error)} in round {t + 1}"
        ) from error


def _reward(environment, t, choice):
    """Return the reward of round ``t``, a number whose square is finite."""
    reward = _asked(environment, "reward", t, t, choice)
    is_number = isinstance(reward, float | int | np.integer | np.floating)
    if not is_number:
        raise _fault(environment, "reward", t, repr(reward)[:60], "a float")
    if not abs(reward) <= LARGEST_REWARD:
        if not (math.isfinite(reward) or _is_of_this_package(environment)):
            raise _fault(environment, "reward", t, repr(reward), "a finite number")
        raise RewardError(
            f"{type(environment).__name__}.reward returned {reward!r} in round {t + 1}; allowed: "
            f"finite numbers, at most {LARGEST_REWARD:g} in size"
        )
    return reward


def _fault(environment, method, t, seen, allowed):
    """Return the error for an environment that breaks its contract in round ``t``."""
    return BrokenEnvironmentError(
        f"{type(environment).__name__}.{method} returned {seen} in round {t + 1}; allowed: "
        f"{allowed}"
    )


def _is_of_this_package(environment):
    """Return whether the contract battery has checked a class, so that the loop need not."""
    return type(environment).__module__.startswith("optimist.")


def _check_index(index, arms, t, algorithm):
    """Raise ConfigError unless what ``select`` returned in round ``t`` is one of so many arms."""
    is_whole = isinstance(index, int | np.integer) and not isinstance(index, bool)
    if not (is_whole and 0 <= index < arms):
        raise ConfigError(
            f"{type(algorithm).__name__}.select returned {index!r} in round {t + 1}; "
            f"allowed: the index of an arm, from 0 to {arms - 1}"
        )


class _Rounds(ABC):
    """Running totals of one trial."""

    def __init__(self, environment, algorithm, observers=()):
        self.environment = environment
        self.algorithm = algorithm
        self.observers = tuple(observers)
        self.regret = 0.0
        self.seconds = 0.0
        self.select_seconds = 0.0

    @property
    def status(self):
        """How the algorithm did."""
        status = self.algorithm.status
        if not (isinstance(status, str) and status in COMPLETE):
            raise ConfigError(
                f"{type(self.algorithm).__name__}.status is {status!r}; allowed: "
                f"{' or '.join(COMPLETE)}, or another name for an attribute of another kind"
            )
        return status

    @abstractmethod
    def round(self, t):
        """Play round ``t``; return what was offered, what was chosen, the reward, the regret."""

    def play(self, t):
        """Play round ``t``, between the observers' looks at the algorithm."""
        for observer in self.observers:
            observer.before(t)
        arms, choice, reward, regret = self.round(t)
        self.regret += regret
        for observer in self.observers:
            observer.after(t, arms, choice, reward, regret)

    def totals(self):
        totals = {
            "regret": self.regret,
            "seconds": self.seconds,
            "select_seconds": self.select_seconds,
        }
        totals["state_bytes"] = self.algorithm.state_bytes()
        for observer in self.observers:
            self._add(totals, observer, observer.columns())
        self._add(totals, self.algorithm, self.algorithm.diagnostics())
        return totals

    def _add(self, totals, owner, columns):
        """Add the columns of an observer or an algorithm, which nobody else may have."""
        taken = {*MEASURED, *totals} - ({"covered"} if isinstance(owner, Coverage) else set())
        clash = sorted(taken.intersection(columns))
        if clash:
            raise ConfigError(
                f"{type(owner).__name__} records {', '.join(clash)}; allowed: columns of other "
                f"names than {', '.join(sorted(taken))}"
            )
        totals |= columns


class _ArmRounds(_Rounds):
    """A trial with finitely many arms."""

    _checked = None

    def __init__(self, environment, algorithm, observers=()):
        super().__init__(environment, algorithm, observers)
        self._is_trusted = _is_of_this_package(environment)

    def arms(self, t):
        """Return the arms of a round, checked; once if a class of this package keeps them."""
        environment = self.environment
        arms = _asked(environment, "arms", t, t)
        if not (self._is_trusted and (environment.arms_are_checked or arms is self._checked)):
            try:
                check_arms(arms, environment.arm_bound)
            except ConfigError as error:
                name = type(environment).__name__
                raise BrokenEnvironmentError(f"{name}.arms in round {t + 1}: {error}") from None
            self._checked = arms
        return arms

    def regret_of(self, t, index, arms):
        """Return the regret of an arm, checked."""
        environment = self.environment
        if not self._is_trusted:
            means = _asked(environment, "means", t, t)
            if not (is_array(means) and means.shape == (len(arms),)):
                shape = f" and shape {np.shape(means)}" if is_array(means) else ""
                allowed = f"{ARRAY} of shape ({len(arms)},)"
                raise _fault(environment, "means", t, in_words(means) + shape, allowed)
            if not np.isfinite(means).all():
                (bad, *_) = means[~np.isfinite(means)]
                raise _fault(environment, "means", t, f"{bad}", "finite numbers")
        regret = _asked(environment, "regret", t, t, index)
        if not 0.0 <= regret < math.inf:
            allowed = "a finite number, 0 or more"
            raise _fault(environment, "regret", t, f"{regret!r}", allowed)
        return regret

    def round(self, t):
        arms, algorithm = self.arms(t), self.algorithm
        start = time.perf_counter()
        index = algorithm.select(arms)
        middle = time.perf_counter()
        if type(index) is not int or not 0 <= index < len(arms):
            _check_index(index, len(arms), t, algorithm)
        reward, told = (
            _reward(self.environment, t, index),
            _asked(self.environment, "context", t, t),
        )
        resume = time.perf_counter()
        algorithm.update(arms, index, reward, **told)
        algorithm.prepare()
        self.select_seconds += middle - start
        self.seconds += time.perf_counter() - resume + middle - start
        return arms, index, reward, self.regret_of(t, index, arms)


class _BoxRounds(_Rounds):
    """A trial on a box."""

    simple_regret = math.inf

    def __init__(self, environment, algorithm, observers=()):
        super().__init__(environment, algorithm, observers)
        _check_box(environment)

    def regret_of(self, t, x):
        """Return the regret of a point, checked."""
        environment = self.environment
        value, maximum = _asked(environment, "value", t, x), environment.maximum
        is_number = isinstance(value, float | int | np.integer | np.floating)
        if not (is_number and math.isfinite(value)):
            raise _fault(environment, "value", t, repr(value)[:60], "a finite float")
        if value > maximum + ROUNDING * max(1.0, abs(maximum)):
            raise _fault(environment, "value", t, f"{value:g}", f"at most its maximum, {maximum:g}")
        return maximum - value

    def round(self, t):
        algorithm = self.algorithm
        start = time.perf_counter()
        x = algorithm.propose()
        middle = time.perf_counter()
        if not np.isfinite(x).all():
            raise NotFiniteError
        check_point(x, self.environment)
        reward = _reward(self.environment, t, x)
        resume = time.perf_counter()
        algorithm.observe(x, reward)
        self.select_seconds += middle - start
        self.seconds += time.perf_counter() - resume + middle - start
        regret = self.regret_of(t, x)
        self.simple_regret = min(self.simple_regret, regret)
        return None, x, reward, regret

    def totals(self):
        found = {**super().totals(), "simple_regret": self.simple_regret}
        # Regret of these is counted from the best value that any algorithm found.
        named = {} if self.environment.maximum_is_known else {"instance": self.environment.instance}
        return {**found, **named}


def _check_box(environment):
    """Raise an error unless a box has two finite corners and its function a finite maximum."""
    name, low, high = type(environment).__name__, environment.low, environment.high
    for key, corner in (("low", low), ("high", high)):
        if not (is_array(corner) and corner.ndim == 1 and np.isfinite(corner).all()):
            raise BrokenEnvironmentError(
                f"{name}.{key} is {corner!r}; allowed: {ARRAY}, (d,), all finite"
            )
    if low.shape != high.shape or not (low < high).all():
        raise BrokenEnvironmentError(
            f"{name}.low is {low} and high is {high}; allowed: low below high in each coordinate"
        )
    if not math.isfinite(environment.maximum):
        raise BrokenEnvironmentError(
            f"{name}.maximum is {environment.maximum!r}; allowed: a finite number"
        )


class _ReplayRounds(_ArmRounds):
    """Running totals of a follower on the history of a leader; see `replay`."""

    def __init__(self, environment, history, follower, every):
        super().__init__(environment, follower, [Coverage(None, follower)])
        self.history = history
        self.every = every
        # Seconds that preparing and selecting took when last timed; none before the first time.
        self.rates: tuple[float, float] | None = None  # seconds to prepare and to select
        self.selections = 0
        self.agreements = 0

    @property
    def status(self):
        """How the leader ended, if it did early; else how the follower did, or the leader."""
        if self.history.status not in COMPLETE:
            return self.history.status
        return self.history.status if super().status == "ok" else super().status

    def round(self, t):
        arms, follower = self.arms(t), self.algorithm
        index = self.history.played[t]
        if t % self.every == self.every // 2:
            start = time.perf_counter()
            follower.prepare()
            middle = time.perf_counter()
            choice = follower.select(arms)
            end = time.perf_counter()
            _check_index(choice, len(arms), t, follower)
            rounds = t if self.rates is None else 0  # that they stand for besides those to come
            self.rates = middle - start, end - middle
            self._charge(rounds, *self.rates)
            self.selections += 1
            self.agreements += choice == index
        reward, told = (
            _reward(self.environment, t, index),
            _asked(self.environment, "context", t, t),
        )
        start = time.perf_counter()
        follower.update(arms, index, reward, **told)
        self.seconds += time.perf_counter() - start
        if self.rates:
            self._charge(1, *self.rates)
        return arms, index, reward, self.regret_of(t, index, arms)

    def _charge(self, rounds, preparing, selecting):
        """Add what preparing and selecting take in some rounds."""
        self.seconds += rounds * (preparing + selecting)
        self.select_seconds += rounds * selecting

    def totals(self):
        return {**super().totals(), "selections": self.selections, "agreements": self.agreements}


def replay(
    environment: FiniteArmEnvironment,
    history: History,
    follower: Any,
    marks: Sequence[int],
    *,
    every: int,
    time_limit: float | None = None,
) -> Trajectory:
    """Time a slow solver on the history of a fast one.

    The ``follower`` learns from the arms that the leader played and their rewards, and is asked to
    select in every ``every``-th round only. What that takes stands for the rounds up to the next
    time, so ``seconds`` estimates what its own full trial on this history would take. Where the
    leader's trial ended early, so does this one.

    Returns
    -------
    Trajectory
        As of `play`, with the leader's regret, the follower's seconds, selections and
        agreements: in how many of them both chose the same arm.
    """
    known = [mark for mark in marks if mark <= len(history.played)]
    if not known:
        return Trajectory(history.status)
    return _run(_ReplayRounds(environment, history, follower, every), known, time_limit)
