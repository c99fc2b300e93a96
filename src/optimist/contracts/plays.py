"""An algorithm in a trial, round by round: one way to ask and tell it, on arms and on a box."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from optimist.contracts import toys
from optimist.contracts.base import require
from optimist.contracts.cases import BOX, Played, Toy
from optimist.contracts.toys import ScriptedEnvironment, bowl, learn, random_arms, truth_length
from optimist.environments.base import FiniteArmEnvironment
from optimist.numerics.network import TwoLayerNetwork
from optimist.problems.box import BoxProblem
from optimist.runs.loop import Trajectory, play

# From the round, and the reward that is usual there, to the reward.
Script = Callable[[int, float], float]


class Play(Protocol):
    """An algorithm in a trial."""

    algorithm: Any

    @property
    def truth_length(self) -> int:
        """Numbers that a row of the argument of ``contains`` has."""

    def choose(self, t: int) -> Any:
        """Return the choice of the algorithm in round ``t``, if it is one."""

    def learn(self, t: int, choice: Any) -> None:
        """Tell the algorithm the reward of a choice in round ``t``."""

    def words(self, choice: Any) -> str:
        """Return a choice in words that follow ``it``."""


class OnArms:
    """An algorithm on arms, in an environment."""

    def __init__(self, algorithm: Any, environment: FiniteArmEnvironment) -> None:
        self.algorithm = algorithm
        self.environment = environment

    @property
    def truth_length(self) -> int:
        return truth_length(self.algorithm.problem, self.environment.arms(0))

    def choose(self, t: int) -> int:
        return choose(self.algorithm, self.environment.arms(t), t)

    def learn(self, t: int, choice: int) -> None:
        learn(self.algorithm, self.environment, t, self.environment.arms(t), choice)

    def words(self, choice: int) -> str:
        return f"chose arm {choice}"


class OnBox:
    """An algorithm on a box, with the rewards of the bowl."""

    def __init__(self, algorithm: Any) -> None:
        self.algorithm = algorithm

    @property
    def truth_length(self) -> int:
        problem = self.algorithm.problem
        return TwoLayerNetwork(problem.dimension, problem.hidden).size

    def choose(self, t: int) -> np.ndarray:
        return propose(self.algorithm, t)

    def learn(self, t: int, choice: np.ndarray) -> None:
        self.algorithm.observe(choice.copy(), bowl(choice))

    def words(self, choice: np.ndarray) -> str:
        return f"asked for {brief(choice)}"


def started(played: Played) -> Play:
    """Return an algorithm at the beginning of the first trial of its setting."""
    environment, algorithm = played.build()
    return OnBox(algorithm) if played.domain == BOX else OnArms(algorithm, environment)


def choices(one: Play, rounds: int, first: int = 0) -> list[Any]:
    """Play so many rounds from ``first`` on; return the choices."""
    chosen = []
    for t in range(first, first + rounds):
        chosen.append(one.choose(t))
        one.learn(t, chosen[-1])
    return chosen


def require_equal(one: Play, t: int, seen: Any, expected: Any, how: str, allowed: str) -> None:
    """Raise BrokenError unless two choices of round ``t`` are equal; ``how`` the first was made."""
    words = f"{how}, it {one.words(seen)} in round {t + 1}, not {one.words(expected)}"
    require(np.array_equal(seen, expected), words, allowed)


def choose(algorithm: Any, arms: np.ndarray, t: int) -> int:
    """Return the choice of ``select`` among ``arms`` (K, d) in round ``t``, if it is an index."""
    index = algorithm.select(arms)
    allowed = f"an int from 0 to {len(arms) - 1}"
    seen = f"in round {t + 1} select returned {index!r}"
    is_int = isinstance(index, int | np.integer) and not isinstance(index, bool)
    require(is_int, f"{seen}, of type {type(index).__name__}", f"{allowed}, as int(...) makes it")
    require(0 <= index < len(arms), seen, allowed)
    return int(index)


def propose(algorithm: Any, t: int) -> np.ndarray:
    """Return the point (d,) that an algorithm asks for in round ``t``, if it is in its box."""
    x, problem = algorithm.propose(), algorithm.problem
    seen = f"in round {t + 1} propose returned {x!r}"
    is_point = isinstance(x, np.ndarray) and x.shape == problem.low.shape
    require(is_point, seen, f"an array of shape {problem.low.shape}")
    is_inside = ((x >= problem.low) & (x <= problem.high)).all()
    seen = f"in round {t + 1} it asked for {brief(x)}"
    require(is_inside, seen, f"{brief(problem.low)} to {brief(problem.high)}")
    return x


def brief(x: np.ndarray) -> str:
    """Return a point (d,) as a short text."""
    return np.array2string(x, precision=4, threshold=6, edgeitems=2)


class _Bowl(toys.ScriptedFunction):
    """The bowl, with other rewards."""

    def __init__(self, problem: BoxProblem, script: Script) -> None:
        super().__init__(problem, bowl)
        self.script = script

    def reward(self, t: int, x: np.ndarray) -> float:
        return self.script(t, bowl(x))


def scripted(
    toy: Toy,
    script: Script,
    marks: list[int],
    dimension: int = 2,
    arms: int = 5,
    time_limit: float = 60.0,
    **changes: Any,
) -> Trajectory:
    """Play with written rewards.

    Parameters
    ----------
    toy : Toy
    script : callable
        From the round, and the reward that is usual there (1 on arms), to the reward.
    marks : list of int
        Rounds that are recorded.
    dimension, arms : int
        Coordinates, and number of arms.
    time_limit : float
        Seconds of the trial.
    **changes
        Values of the problem.
    """
    if toy.domain == BOX:
        problem = toy.problem(dimension=dimension, **changes)
        return play(_Bowl(problem, script), toy.build(problem), marks, time_limit=time_limit)
    dimension = min(dimension, getattr(toy.cls, "max_dimension", dimension))
    offered = random_arms(np.random.default_rng(1), arms, dimension)
    problem = toy.problem(dimension=dimension, **changes)
    environment = ScriptedEnvironment(
        [offered],
        lambda t, k: script(t, 1.0),
        theta=np.full(truth_length(problem, offered), 0.1),
        context=toys.CONTEXT.get(toy.kind),
    )
    return play(environment, toy.build(problem), marks, time_limit=time_limit)
