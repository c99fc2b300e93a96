"""The loop that plays a trial: an environment and an algorithm interact round by round.

Only the methods `select`, `update` and `prepare` (on a box, `propose` and `observe`) are timed. A
numerical failure does not crash the run; each trial ends with a status:

``ok``            no failure
``unconverged``   an inner solver missed its tolerance or met a NaN at least once; the curve is
                  complete
``non_finite``    the algorithm's state or proposed point is not finite; its name may follow, as in
                  ``non_finite: theta``; the curve ends before that round
``failed: ...``   a linear-algebra or arithmetic error in the algorithm, or a reward that is too
                  large or not finite; the curve ends before that round
``timeout``       the time limit of `Rounds.run` expired; the curve ends there
``out_of_time``   the job's time limit expired; the curve ends before that round

Any other breach of an environment's contract raises an error that names the environment.
"""

import math
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from optimist.core.errors import BrokenEnvironmentError, ConfigError, OptimistError, OutOfTimeError
from optimist.core.user_errors import ROUND, in_one_line, to_text
from optimist.environments.base import (
    ARRAY,
    BoxEnvironment,
    Environment,
    FiniteArmEnvironment,
    check_arms,
    check_point,
    in_words,
    is_array,
)
from optimist.environments.observer import Observer

# Arms of a round (None on a box), choice, reward and regret.
Round = tuple[np.ndarray | None, Any, float, float]

CURVE_POINTS = 300
# Rewards up to this size have finite squares and sums of squares.
LARGEST_REWARD = 1e150
# Relative rounding error by which a value may exceed the maximum.
ROUNDING = 1e-9
COMPLETE = ("ok", "unconverged")
# Statuses of trials that ended early but might be complete on another machine.
EARLY = ("out_of_time",)
# Columns measured by the loop; algorithms' diagnostics must have other names.
MEASURED = frozenset(
    (
        *("round", "regret", "seconds", "select_seconds", "covered", "state_bytes"),
        *("simple_regret", "instance", "turns"),
    )
)


def checkpoints(horizon: int, rounds: int | None = None) -> list[int]:
    """Return about 300 rounds at which to record a run, sorted and numbered from 1.

    A quarter of the rounds are spaced geometrically, to show early rounds on logarithmic axes. If
    a run is truncated after ``rounds``, it is recorded at the same rounds as the full run, and also
    at its own last round.
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
    """The record of one trial.

    Attributes
    ----------
    status : str
        ``ok``, or how the trial failed.
    rows : list of dict
        One row per recorded round.
    error : dict or None
        The numerical error that ended the trial, from `optimist.core.user_errors.to_text`.
    """

    status: str = "ok"
    rows: list[dict[str, object]] = field(default_factory=list)
    error: dict[str, object] | None = None

    def record(self, **values: Any) -> None:
        """Append a row in one step, so that a time limit cannot leave it incomplete."""
        self.rows.append(values)

    def end_with(self, error: BaseException) -> bool:
        """Set the status for an error that ends the trial; return False for any other error."""
        if isinstance(error, NotFiniteError):
            self.status = f"non_finite: {error}".removesuffix(": ")
        elif isinstance(error, OutOfTimeError):
            self.status = "out_of_time"
        elif isinstance(error, RewardError) or _is_numerical(error):
            self.status = f"failed: {error}"
            self.error = None if isinstance(error, RewardError) else to_text(error)
        else:
            return False
        return True

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The values of each column, in lists of equal length."""
        return {name: [row[name] for row in self.rows] for name in (self.rows or [{}])[0]}


class Coverage(Observer):
    """Observer that records whether the confidence set contained the truth in all rounds so far.

    The column ``covered`` is None if there is no truth.

    Parameters
    ----------
    truth : callable or None
        Returns the truth before a round, of shape (d,), or None; see `FiniteArmEnvironment.truth`.
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

    def columns(self) -> dict[str, bool | None]:
        return {"covered": self._covered}


# Matches messages of math, numpy, scipy and scikit-learn about unusable numbers. The math module
# says "math domain error" up to Python 3.13, and "expected a ..." in later versions.
_ABOUT_NUMBERS = re.compile(
    r"^expected a |domain error"
    r"|\b(nans?|infs?|infinity|finite|singular|definite|different signs)\b",
    re.IGNORECASE,
)


def _is_numerical(error: BaseException) -> bool:
    if type(error) is ValueError:
        return bool(_ABOUT_NUMBERS.search(str(error)))
    return isinstance(error, np.linalg.LinAlgError | ArithmeticError | ValueError)


class NotFiniteError(Exception):
    """Raised when an algorithm's state or proposed point is not finite, with its name."""


class RewardError(Exception):
    """Raised when a reward is too large or not finite."""


def ask(environment: Environment, method: str, t: int, *arguments: Any) -> Any:
    """Call an environment's method; turn an exception into an error that names the method."""
    try:
        return getattr(environment, method)(*arguments)
    except (MemoryError, OptimistError):
        raise
    except Exception as error:
        raise BrokenEnvironmentError(
            f"{type(environment).__name__}.{method} raised {in_one_line(error)} in round {t + 1}"
        ) from error


def draw_reward(environment: Environment, t: int, choice: Any) -> float:
    """Return the reward of round ``t``, a number whose square is finite."""
    reward: float = ask(environment, "reward", t, t, choice)
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


def _fault(
    environment: Environment, method: str, t: int, seen: str, allowed: str
) -> BrokenEnvironmentError:
    """Return the error for an environment that breaks its contract in round ``t``."""
    return BrokenEnvironmentError(
        f"{type(environment).__name__}.{method} returned {seen} in round {t + 1}; allowed: "
        f"{allowed}"
    )


def _is_of_this_package(environment: Environment) -> bool:
    """Return whether the environment is from this package, whose tests replace some checks."""
    return type(environment).__module__.startswith("optimist.")


def check_index(index: Any, arms: int, t: int, algorithm: Any) -> None:
    """Raise ConfigError unless ``select`` returned the index of an arm in round ``t``."""
    is_whole = isinstance(index, int | np.integer) and not isinstance(index, bool)
    if not (is_whole and 0 <= index < arms):
        raise ConfigError(
            f"{type(algorithm).__name__}.select returned {index!r} in round {t + 1}; "
            f"allowed: the index of an arm, from 0 to {arms - 1}"
        )


class Rounds(ABC):
    """A trial being played, with its running totals; see `rounds_of`.

    Parameters
    ----------
    environment : FiniteArmEnvironment or BoxEnvironment
    algorithm : FiniteArmAlgorithm or BoxAlgorithm
    observers : sequence of Observer
        Observers of the trial. A numerical error in an observer ends the trial, like one in the
        algorithm.
    """

    def __init__(
        self, environment: Any, algorithm: Any, observers: Sequence[Observer] = ()
    ) -> None:
        self.environment = environment
        self.algorithm = algorithm
        self.observers = tuple(observers)
        self.regret = 0.0
        self.seconds = 0.0
        self.select_seconds = 0.0

    @property
    def status(self) -> str:
        """The algorithm's status; one that is not allowed raises ConfigError."""
        status: Any = self.algorithm.status
        if not (isinstance(status, str) and status in COMPLETE):
            raise ConfigError(
                f"{type(self.algorithm).__name__}.status is {status!r}; allowed: "
                f"{' or '.join(COMPLETE)}; an attribute with another meaning needs another name"
            )
        return status

    @abstractmethod
    def round(self, t: int) -> Round:
        """Play round ``t``; return the arms, the choice, the reward and the regret."""

    def run(self, marks: Sequence[int], time_limit: float | None = None) -> Trajectory:
        """Play up to the last mark; record totals at marks, and numerical errors as a status.

        Parameters
        ----------
        marks : list of int
            Rounds to record, counted from 1; the last one ends the trial.
        time_limit : float or None
            Total time in the timed methods, in seconds, after which the trial ends with the status
            ``timeout``.

        Returns
        -------
        Trajectory
            Columns round, regret, seconds, select_seconds, state_bytes, the observers' columns and
            the algorithm's diagnostics; all are cumulative. ``seconds`` is the time in select,
            update and prepare; ``select_seconds`` is the time in select alone. On a box, propose
            and observe replace select and update, and there are two more columns:
            ``simple_regret``, the regret of the best point so far, and, for a function with an
            unknown maximum, ``instance``; see `BoxEnvironment`.
        """
        trajectory, marked, invalid = Trajectory(), set(marks), set[str]()
        # If a reward makes a solver overflow, a NaN may arise outside the state that is checked.
        with np.errstate(invalid="call", call=lambda kind, flag: invalid.add(kind)):
            for t in range(marks[-1]):
                try:
                    for observer in self.observers:
                        observer.before(t)
                    arms, choice, reward, regret = self.round(t)
                    self.regret += regret
                    for observer in self.observers:
                        observer.after(t, arms, choice, reward, regret)
                    if t + 1 in marked:
                        if not self.algorithm.is_finite():
                            raise NotFiniteError(", ".join(self.algorithm.not_finite()))
                        trajectory.record(round=t + 1, **self.totals())
                except (Exception, OutOfTimeError) as error:
                    if trajectory.end_with(error):
                        break
                    if not isinstance(error, OptimistError):
                        with suppress(Exception):  # some exceptions do not allow new attributes
                            setattr(error, ROUND, f", in round {t + 1}")
                    raise
                if time_limit is not None and self.seconds > time_limit:
                    trajectory.status = "timeout"
                    break
        if trajectory.status == "ok":
            trajectory.status = self.status
        if trajectory.status == "ok" and invalid:
            trajectory.status = "unconverged"
        return trajectory

    def totals(self) -> dict[str, object]:
        totals: dict[str, object] = {"regret": self.regret, "seconds": self.seconds}
        totals |= {"select_seconds": self.select_seconds}
        totals |= {"state_bytes": self.algorithm.state_bytes()}
        for observer in self.observers:
            self._add(totals, observer, observer.columns())
        self._add(totals, self.algorithm, self.algorithm.diagnostics())
        return totals

    def _add(self, totals: dict[str, object], owner: object, columns: Mapping[str, object]) -> None:
        """Add the columns of an observer or an algorithm; raise ConfigError if a name is taken."""
        taken = {*MEASURED, *totals} - ({"covered"} if isinstance(owner, Coverage) else set())
        clash = sorted(taken.intersection(columns))
        if clash:
            raise ConfigError(
                f"{type(owner).__name__} records {', '.join(clash)}; allowed: columns with "
                f"names other than {', '.join(sorted(taken))}"
            )
        totals |= columns


class ArmRounds(Rounds):
    """A trial with finitely many arms."""

    _checked: np.ndarray | None = None

    def __init__(
        self,
        environment: FiniteArmEnvironment,
        algorithm: Any,
        observers: Sequence[Observer] = (),
    ) -> None:
        super().__init__(environment, algorithm, observers)
        self._is_trusted = _is_of_this_package(environment)

    def arms(self, t: int) -> np.ndarray:
        """Check and return the arms of a round; skip the check for arms known to be valid."""
        environment = self.environment
        arms: np.ndarray = ask(environment, "arms", t, t)
        if not (self._is_trusted and (environment.arms_are_checked or arms is self._checked)):
            try:
                check_arms(arms, environment.arm_bound)
            except ConfigError as error:
                name = type(environment).__name__
                raise BrokenEnvironmentError(f"{name}.arms in round {t + 1}: {error}") from None
            self._checked = arms
        return arms

    def regret_of(self, t: int, index: int, arms: np.ndarray) -> float:
        """Check and return the regret of an arm."""
        environment = self.environment
        if not self._is_trusted:
            means = ask(environment, "means", t, t)
            if not (is_array(means) and means.shape == (len(arms),)):
                shape = f" and shape {np.shape(means)}" if is_array(means) else ""
                allowed = f"{ARRAY} of shape ({len(arms)},)"
                raise _fault(environment, "means", t, in_words(means) + shape, allowed)
            if not np.isfinite(means).all():
                (bad, *_) = means[~np.isfinite(means)]
                raise _fault(environment, "means", t, f"{bad}", "finite numbers")
        regret: float = ask(environment, "regret", t, t, index)
        if not 0.0 <= regret < math.inf:
            allowed = "a finite number, 0 or more"
            raise _fault(environment, "regret", t, f"{regret!r}", allowed)
        return regret

    def round(self, t: int) -> Round:
        arms, algorithm = self.arms(t), self.algorithm
        start = time.perf_counter()
        index = algorithm.select(arms)
        middle = time.perf_counter()
        if type(index) is not int or not 0 <= index < len(arms):
            check_index(index, len(arms), t, algorithm)
        reward = draw_reward(self.environment, t, index)
        context = ask(self.environment, "context", t, t)
        resume = time.perf_counter()
        algorithm.update(arms, index, reward, **context)
        algorithm.prepare()
        self.select_seconds += middle - start
        self.seconds += time.perf_counter() - resume + middle - start
        return arms, index, reward, self.regret_of(t, index, arms)


class _BoxRounds(Rounds):
    """A trial on a box."""

    simple_regret = math.inf

    def __init__(
        self, environment: BoxEnvironment, algorithm: Any, observers: Sequence[Observer] = ()
    ) -> None:
        super().__init__(environment, algorithm, observers)
        _check_box(environment)

    def regret_of(self, t: int, x: np.ndarray) -> float:
        """Check and return the regret of a point."""
        environment = self.environment
        value, maximum = ask(environment, "value", t, x), environment.maximum
        is_number = isinstance(value, float | int | np.integer | np.floating)
        if not (is_number and math.isfinite(value)):
            raise _fault(environment, "value", t, repr(value)[:60], "a finite float")
        if value > maximum + ROUNDING * max(1.0, abs(maximum)):
            raise _fault(environment, "value", t, f"{value:g}", f"at most its maximum, {maximum:g}")
        regret: float = maximum - value
        return regret

    def round(self, t: int) -> Round:
        algorithm = self.algorithm
        start = time.perf_counter()
        x = algorithm.propose()
        middle = time.perf_counter()
        if not np.isfinite(x).all():
            raise NotFiniteError("proposed point")
        check_point(x, self.environment)
        reward = draw_reward(self.environment, t, x)
        resume = time.perf_counter()
        algorithm.observe(x, reward)
        self.select_seconds += middle - start
        self.seconds += time.perf_counter() - resume + middle - start
        regret = self.regret_of(t, x)
        self.simple_regret = min(self.simple_regret, regret)
        return None, x, reward, regret

    def totals(self) -> dict[str, object]:
        totals = {**super().totals(), "simple_regret": self.simple_regret}
        # If the maximum is unknown, tables measure regret from the instance's best known value.
        named = {} if self.environment.maximum_is_known else {"instance": self.environment.instance}
        return {**totals, **named}


def _check_box(environment: BoxEnvironment) -> None:
    """Raise an error unless a box has finite corners and its function has a finite maximum."""
    name, low, high = type(environment).__name__, environment.low, environment.high
    for key, corner in (("low", low), ("high", high)):
        if not (is_array(corner) and corner.ndim == 1 and np.isfinite(corner).all()):
            raise BrokenEnvironmentError(
                f"{name}.{key} is {corner!r}; allowed: {ARRAY} of shape (d,), all finite"
            )
    if low.shape != high.shape or not (low < high).all():
        raise BrokenEnvironmentError(
            f"{name}.low is {low} and high is {high}; allowed: low below high in every coordinate"
        )
    if not math.isfinite(environment.maximum):
        raise BrokenEnvironmentError(
            f"{name}.maximum is {environment.maximum!r}; allowed: a finite number"
        )


def rounds_of(
    environment: FiniteArmEnvironment | BoxEnvironment,
    algorithm: Any,
    observers: Sequence[Observer] = (),
) -> Rounds:
    """Return a trial on arms or on a box, ready to be played; see `Rounds` for the parameters."""
    if isinstance(environment, BoxEnvironment):
        return _BoxRounds(environment, algorithm, observers)
    return ArmRounds(environment, algorithm, observers)
