"""The one loop: environment and algorithm meet, round by round.

Only `select` and `update` are timed. A trial never crashes the run for a numerical reason; it ends
with a status:

``ok``            all went well
``unconverged``   an inner solver missed its tolerance at least once; the curve is complete
``non_finite``    a reward or the learner's state stopped being finite; the curve ends before it
``failed: ...``   a linear-algebra or arithmetic error in the learner; the curve ends before it
``timeout``       the trial's time limit passed; the curve ends there
"""

import math
import time
from dataclasses import dataclass, field

import numpy as np

from optimist.environments.base import check_arms
from optimist.errors import ConfigError

CURVE_POINTS = 300
COMPLETE = ("ok", "unconverged")


def checkpoints(horizon, rounds=None):
    """Return about 300 recorded rounds (counted from 1) of a run, as a sorted list of ints.

    A quarter of them is spaced geometrically, so that early rounds are seen on log axes. A run
    truncated after ``rounds`` keeps the rounds of the full one and adds its last.
    """
    rounds = horizon if rounds is None else min(rounds, horizon)
    if rounds < 1:
        raise ConfigError(f"horizon is {rounds}; allowed: at least 1")
    even = np.linspace(1, horizon, min(horizon, 3 * CURVE_POINTS // 4))
    early = np.geomspace(1, horizon, CURVE_POINTS // 4)
    marks = np.unique(np.rint(np.concatenate([even, early])).astype(int))
    return sorted({*marks[marks <= rounds].tolist(), rounds})


@dataclass
class Trajectory:
    """What one trial recorded, a list of values per column, all of the same length."""

    status: str = "ok"
    columns: dict = field(default_factory=dict)

    def record(self, **values):
        """Append one recorded round; a column that appears late is an error of the caller."""
        for name, value in values.items():
            self.columns.setdefault(name, []).append(value)


def simulate(environment, algorithm, marks, *, coverage=True, time_limit=None):
    """Play one trial.

    Parameters
    ----------
    environment : FiniteArmEnvironment
    algorithm : FiniteArmAlgorithm
    marks : list of int
        Rounds to record, counted from 1; the last one ends the trial.
    coverage : bool
        Check in every round whether the confidence set holds the true parameter.
    time_limit : float or None
        Seconds of select and update after which the trial ends with status ``timeout``.

    Returns
    -------
    Trajectory
        Columns round, regret, seconds, covered, state_bytes and the algorithm's diagnostics; all
        are cumulative, ``seconds`` is the time in select and update.
    """
    play = _Play(environment, algorithm, coverage)
    trajectory = Trajectory()
    marked = set(marks)
    for t in range(marks[-1]):
        try:
            play.round(t)
        except (np.linalg.LinAlgError, ArithmeticError) as error:
            trajectory.status = f"failed: {error}"
            break
        if t + 1 in marked:
            if not (play.finite and _is_finite(algorithm)):
                trajectory.status = "non_finite"
                break
            trajectory.record(round=t + 1, **play.totals())
        if time_limit is not None and play.seconds > time_limit:
            trajectory.status = "timeout"
            break
    if trajectory.status == "ok":
        trajectory.status = algorithm.status
    return trajectory


class _Play:
    """Running totals of one trial."""

    def __init__(self, environment, algorithm, coverage):
        self.environment = environment
        self.algorithm = algorithm
        self.theta = environment.theta[None] if coverage and environment.theta is not None else None
        self.covered = None if self.theta is None else True
        self.regret = 0.0
        self.seconds = 0.0
        self.finite = True
        self._checked = None

    def round(self, t):
        environment, algorithm = self.environment, self.algorithm
        arms = environment.arms(t)
        if arms is not self._checked:
            check_arms(arms)
            self._checked = arms
        if self.covered:
            self.covered = bool(algorithm.contains(self.theta)[0])
        start = time.perf_counter()
        index = algorithm.select(arms)
        middle = time.perf_counter()
        reward = environment.reward(t, index)
        self.finite &= math.isfinite(reward)
        resume = time.perf_counter()
        algorithm.update(arms, index, reward)
        self.seconds += time.perf_counter() - resume + middle - start
        self.regret += environment.regret(t, index)

    def totals(self):
        return {
            "regret": self.regret,
            "seconds": self.seconds,
            "covered": self.covered,
            "state_bytes": self.algorithm.state_bytes(),
            **self.algorithm.diagnostics(),
        }


def _is_finite(algorithm):
    """Return whether every float and array among the learner's attributes is finite."""
    numbers = (v for v in vars(algorithm).values() if isinstance(v, float | np.ndarray))
    return all(np.isfinite(value).all() for value in numbers)


def replay(environment, leader, follower, marks, *, every):
    """Time a slow solver on the history of a fast one.

    The ``leader`` plays; the ``follower`` learns from the same arms and rewards, and is asked to
    select in every ``every``-th round only. Its selection time is scaled up accordingly, so
    ``seconds`` estimates what its own full trial on this history would take.

    Returns
    -------
    Trajectory
        Columns round, regret (of the leader), seconds (of the follower), selections and
        agreements (in how many of them both chose the same arm), state_bytes.
    """
    trajectory = Trajectory()
    marked = set(marks)
    select = update = regret = 0.0
    selections = agreements = 0
    for t in range(marks[-1]):
        arms = environment.arms(t)
        index = leader.select(arms)
        if t % every == every // 2:
            start = time.perf_counter()
            choice = follower.select(arms)
            select += time.perf_counter() - start
            selections += 1
            agreements += choice == index
        reward = environment.reward(t, index)
        leader.update(arms, index, reward)
        start = time.perf_counter()
        follower.update(arms, index, reward)
        update += time.perf_counter() - start
        regret += environment.regret(t, index)
        if t + 1 in marked:
            trajectory.record(
                round=t + 1,
                regret=regret,
                seconds=update + every * select,
                covered=None,
                state_bytes=follower.state_bytes(),
                selections=selections,
                agreements=agreements,
            )
    trajectory.status = follower.status
    return trajectory
