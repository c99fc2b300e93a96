"""Small problems for tests, and environments with given arms, functions and rewards."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from optimist.algorithms import check_problem
from optimist.core.errors import ConfigError
from optimist.environments.base import BoxEnvironment, FiniteArmEnvironment
from optimist.environments.problems.box import BoxProblem
from optimist.environments.problems.glb import GLBProblem
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem
from optimist.environments.problems.kernel import KernelProblem
from optimist.numerics.kernels import Kernel, LinearKernel, make_kernel
from optimist.numerics.links import Link, make_link

HEAVY_TAILED = "heavy_tailed"
LINKS = ("logistic", "poisson", "gaussian")
KERNELS: dict[str, Kernel] = {"linear_kernel": LinearKernel()} | {
    f"{name}_kernel": make_kernel(name, 0.5)
    for name in ("gaussian", "matern12", "matern32", "matern52")
}
KINDS = (*LINKS, "gaussian_kernel", "linear_kernel", HEAVY_TAILED)
# Context passed to the algorithm with each reward, by kind of problem.
CONTEXT = {HEAVY_TAILED: {"scale": 1.0}}


def kinds_of(cls: Any) -> tuple[str, ...]:
    """Return the kinds of problems (see `make_problem`) that an algorithm class accepts."""
    kinds = []
    for kind in dict.fromkeys((*KINDS, *KERNELS)):
        with suppress(ConfigError):
            check_problem(cls.__name__, cls, make_problem(kind))
            kinds.append(kind)
    # Other kernels are used only if the algorithm accepts none of the usual kinds.
    return tuple(kind for kind in kinds if kind in KINDS) or tuple(kinds)


def make_problem(
    link: str | Link = "logistic", dimension: int = 2, norm_bound: float = 3.0, **changes: Any
) -> Any:
    """Return a toy problem of a given kind or link; ``changes`` replace its default values."""
    if link in KERNELS:
        values = {"horizon": 200, "deviation": 0.5, "ridge": 0.25} | changes
        kernel = KERNELS[str(link)]
        return KernelProblem(kernel=kernel, dimension=dimension, norm_bound=norm_bound, **values)
    if link == HEAVY_TAILED:
        values = {"horizon": 200, "epsilon": 0.9, "scale_bound": 1.0, "deviation": 2.0}
        values |= {"radius": "matched", "factor": 0.3} | changes
        return HeavyTailedProblem(dimension=dimension, norm_bound=norm_bound, **values)
    values = {"kappa": 21.0, "horizon": 200, "delta": 0.05} | changes
    link = make_link(link) if isinstance(link, str) else link
    return GLBProblem(link=link, dimension=dimension, norm_bound=norm_bound, **values)


def random_arms(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Draw arms uniformly from the unit ball, as a read-only array of shape (..., d)."""
    arms = rng.standard_normal(shape)
    arms /= np.linalg.norm(arms, axis=-1, keepdims=True)
    arms *= rng.uniform(size=(*shape[:-1], 1)) ** (1.0 / shape[-1])
    arms.flags.writeable = False
    return arms


class ScriptedEnvironment(FiniteArmEnvironment):
    """An environment with given arms and rewards.

    ``pools`` contains arrays of arms, each of shape (K, d), which the rounds use in turn.
    ``reward`` maps a round and an arm's index to the reward. ``theta`` is the parameter that a
    confidence set should contain, and ``context`` is passed to the algorithm with each reward.
    """

    def __init__(
        self,
        pools: Sequence[np.ndarray] | np.ndarray,
        reward: Callable[[int, int], float],
        theta: np.ndarray | None = None,
        context: Mapping[str, object] | None = None,
    ) -> None:
        self.pools = pools
        self.given = dict(context or {})
        self.script = reward
        self.theta = theta

    def arms(self, t: int) -> np.ndarray:
        return self.pools[t % len(self.pools)]

    def means(self, t: int) -> np.ndarray:
        return np.linspace(0.0, 1.0, len(self.arms(t)))

    def reward(self, t: int, index: int) -> float:
        return self.script(t, index)

    def context(self, t: int) -> dict[str, object]:
        return self.given

    def problem(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError


def make_box_problem(dimension: int = 2, **changes: Any) -> BoxProblem:
    """Return a toy problem on [-1, 3]^d; ``changes`` replace its default values."""
    values: dict[str, Any] = {
        "low": np.full(dimension, -1.0),
        "high": np.full(dimension, 3.0),
        "horizon": 20,
        "initial_count": 4,
        "initial": -1.0 + 4.0 * np.random.default_rng(7).random((4, dimension)),
        "deviation": 0.01,
        "value_bound": 5.0,
    }
    return BoxProblem(**(values | changes))


class ScriptedFunction(BoxEnvironment):
    """An environment with a given function on a box.

    The values of ``function`` are at most ``maximum``. ``script`` maps a round and a value to the
    reward.
    """

    instance = "scripted"

    def __init__(
        self,
        problem: BoxProblem,
        function: Callable[[np.ndarray], float],
        maximum: float = 10.0,
        script: Callable[[int, float], float] = lambda t, value: value,
    ) -> None:
        self.maximum = maximum
        self.given = problem
        self.low, self.high, self.horizon = problem.low, problem.high, problem.horizon
        self.function = function
        self.script = script

    def value(self, x: np.ndarray) -> float:
        return self.function(x)

    def reward(self, t: int, x: np.ndarray) -> float:
        return self.script(t, self.function(x))

    def problem(self, *args: Any, **options: Any) -> BoxProblem:
        return self.given


def bowl(x: np.ndarray) -> float:
    """Return 9 - |x - 1|^2 for ``x`` of shape (d,); the maximum is 9, at (1, ..., 1)."""
    return 9.0 - float(((x - 1.0) ** 2).sum())


def truth_length(problem: Any, arms: np.ndarray) -> int:
    """Return the length of the parameter: d, or K in a kernel problem with K ``arms``."""
    return len(arms) if isinstance(problem, KernelProblem) else arms.shape[1]
