"""Round-by-round play of an algorithm in a trial, with one interface for arms and boxes."""

import inspect
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from optimist.checks import toys
from optimist.checks.cases import BOX, BrokenError, Played, Toy, require
from optimist.checks.toys import ScriptedEnvironment, ScriptedFunction, bowl, truth_length
from optimist.experiments.loop import Trajectory, rounds_of
from optimist.numerics.links import Gaussian
from optimist.numerics.network import TwoLayerNetwork

# Maps a round and its usual reward to the reward that is paid.
Script = Callable[[int, float], float]


class Player:
    """An algorithm that plays in an environment with arms or, if none is given, on a box.

    On a box, the rewards are values of the function `bowl`. If ``reuses`` is true, arrays are not
    copied: the arms of every round are written to the same array, and ``observe`` receives a point
    on a box in the array that ``propose`` returned. The attribute ``array`` is this array.
    """

    def __init__(self, algorithm: Any, environment: Any = None, reuses: bool = False) -> None:
        self.algorithm = algorithm
        self.environment = environment
        self.reuses = reuses
        self.array = np.empty_like(environment.arms(0)) if environment and reuses else np.empty(0)

    @property
    def truth_length(self) -> int:
        """Length of a row in the argument of ``contains``."""
        problem = self.algorithm.problem
        if self.environment is None:
            return TwoLayerNetwork(problem.dimension, problem.hidden).size
        return truth_length(problem, self.environment.arms(0))

    def choose(self, t: int) -> Any:
        """Return the choice in round ``t``; raise BrokenError if the choice is invalid."""
        if self.environment is not None:
            arms = self._arms(t)
            index = self.algorithm.select(arms)
            is_int = isinstance(index, int | np.integer) and not isinstance(index, bool)
            seen = f"in round {t + 1}, select returned {index!r}, of type {type(index).__name__}"
            allowed = f"an int from 0 to {len(arms) - 1}, such as int(...) returns"
            require(is_int and 0 <= index < len(arms), seen, allowed)
            return int(index)
        x, problem = self.algorithm.propose(), self.algorithm.problem
        is_point = isinstance(x, np.ndarray) and x.shape == problem.low.shape
        is_inside = is_point and ((x >= problem.low) & (x <= problem.high)).all()
        allowed = f"an array between {_brief(problem.low)} and {_brief(problem.high)}"
        require(is_inside, f"in round {t + 1}, propose returned {x!r}", allowed)
        self.array = x
        return x

    def learn(self, t: int, choice: Any) -> None:
        """Give the algorithm the reward of its choice in round ``t``."""
        if self.environment is None:
            self.algorithm.observe(choice if self.reuses else choice.copy(), bowl(choice))
            return
        context, reward = self.environment.context(t), self.environment.reward(t, choice)
        update, arguments = self.algorithm.update, (self._arms(t), choice, reward)
        try:
            update(*arguments, **context)
        except TypeError:
            try:
                inspect.signature(update).bind(*arguments, **context)
            except TypeError as error:
                call = ", ".join(["self", "arms", "index", "reward", *context])
                raise BrokenError(f"update does not accept its arguments: {error}", call) from error
            raise

    def _arms(self, t: int) -> np.ndarray:
        """Return the arms of round ``t`` as an array of shape (K, d)."""
        arms: np.ndarray = self.environment.arms(t)
        if not self.reuses:
            return arms
        self.array[:] = arms
        return self.array


def _brief(x: np.ndarray) -> str:
    """Format a point of shape (d,) as a short string."""
    return np.array2string(x, precision=4, threshold=6, edgeitems=2)


def started(case: Played | Toy, reuses: bool = False) -> Player:
    """Return a player at the start of a trial, in a setting or on a toy problem."""
    if isinstance(case, Toy):
        return Player(case.build(case.problem()), reuses=reuses)
    environment, algorithm = case.build()
    return Player(algorithm, None if case.domain == BOX else environment, reuses)


def choices(one: Player, rounds: int) -> list[Any]:
    """Play the given number of rounds, and return copies of the choices."""
    chosen = []
    for t in range(rounds):
        choice = one.choose(t)
        chosen.append(copy(choice))
        one.learn(t, choice)
    return chosen


def require_equal(t: int, seen: Any, expected: Any, how: str, allowed: str) -> None:
    """Raise BrokenError unless two choices in round ``t`` are equal.

    ``how`` says how the choice ``seen`` was made.
    """
    did, wanted = (
        _brief(choice) if np.ndim(choice) else f"arm {choice}" for choice in (seen, expected)
    )
    words = f"{how}, it chose {did} in round {t + 1}, not {wanted}"
    require(np.array_equal(seen, expected), words, allowed)


def require_equal_plays(
    one: Player,
    twin: Player,
    rounds: range,
    how: str,
    allowed: str,
    *,
    before: Callable[[], object] = lambda: None,
    after: Callable[[], object] = lambda: None,
) -> None:
    """Raise BrokenError unless two plays make equal choices in the given rounds.

    ``how`` says how the first play differs. In it, ``before`` is called before each choice, and
    ``after`` after each reward.
    """
    for t in rounds:
        before()
        choice, expected = one.choose(t), twin.choose(t)
        require_equal(t, choice, expected, how, allowed)
        twin.learn(t, expected)
        one.learn(t, choice)
        after()


def sampled(toy: Toy, problem: Any, K: int, theta: list[float]) -> ScriptedEnvironment:
    """Return an environment with K fixed arms, and random rewards for 120 rounds."""
    rng = np.random.default_rng(6)
    arms = toys.random_arms(rng, K, len(theta))
    link = getattr(problem, "link", Gaussian(1.0))
    rewards = link.sample(rng, np.broadcast_to(link.mean(arms @ np.array(theta)), (120, K)))
    context = toys.CONTEXT.get(toy.kind)
    return ScriptedEnvironment([arms], lambda t, k: float(rewards[t, k]), context=context)


def scripted(
    toy: Toy,
    script: Script,
    marks: list[int],
    *,
    dimension: int = 2,
    arms: int = 5,
    seconds: float = 60.0,
    **changes: Any,
) -> Trajectory:
    """Play for scripted rewards, with arms or on a box with `bowl`; return the trajectory.

    ``marks`` are the rounds to record, and ``changes`` replace values of the toy problem.
    """
    if toy.domain == BOX:
        problem = toy.problem(dimension=dimension, **changes)
        function = ScriptedFunction(problem, bowl, script=script)
        return rounds_of(function, toy.build(problem)).run(marks, seconds)
    dimension = min(dimension, getattr(toy.method.cls, "max_dimension", dimension))
    offered = toys.random_arms(np.random.default_rng(1), arms, dimension)
    problem = toy.problem(dimension=dimension, **changes)
    environment = ScriptedEnvironment(
        [offered],
        lambda t, k: script(t, 1.0),
        theta=np.full(truth_length(problem, offered), 0.1),
        context=toys.CONTEXT.get(toy.kind),
    )
    return rounds_of(environment, toy.build(problem)).run(marks, seconds)
