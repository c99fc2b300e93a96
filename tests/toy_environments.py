"""Small environments and problems that several test modules play in."""

from pathlib import Path

import numpy as np

from optimist.environments import environment_domain
from optimist.environments.base import BoxEnvironment, FiniteArmEnvironment
from optimist.numerics.kernels import GaussianKernel, LinearKernel
from optimist.numerics.links import make_link
from optimist.plan.config import load_paper, paper_names
from optimist.problems.box import BoxProblem
from optimist.problems.glb import GLBProblem
from optimist.problems.heavy_tailed import HeavyTailedProblem
from optimist.problems.kernel import KernelProblem

ROOT = Path(__file__).resolve().parents[1]
STAND_IN = ROOT / "data" / "stand_in"
HEAVY_TAILED = "heavy_tailed"
LINKS = ("logistic", "poisson", "gaussian")
KERNELS = {"gaussian_kernel": GaussianKernel(0.5), "linear_kernel": LinearKernel()}
# What environments tell algorithms along with a reward, by kind of problem.
CONTEXT = {HEAVY_TAILED: {"scale": 1.0}}


def kinds_of(algorithm):
    """Return the kinds of problem, see `make_problem`, that an algorithm class is made for."""
    if algorithm.problem_type is object:  # any
        return (*LINKS, *KERNELS, HEAVY_TAILED)
    if algorithm.problem_type is GLBProblem:
        return algorithm.links
    if algorithm.problem_type is KernelProblem:
        made_for = getattr(algorithm, "kernels", None)
        return tuple(k for k, v in KERNELS.items() if made_for is None or v.name in made_for)
    return (HEAVY_TAILED,)


def make_problem(link="logistic", dimension=2, norm_bound=3.0, **changes):
    """Return a problem with plain values for everything that is not given.

    It is a `GLBProblem` for a link or its name, a `HeavyTailedProblem` for HEAVY_TAILED, a
    `KernelProblem` for one of KERNELS.
    """
    if link in KERNELS:
        values = {"horizon": 200, "deviation": 0.5, "ridge": 0.25} | changes
        return KernelProblem(KERNELS[link], dimension, norm_bound=norm_bound, **values)
    if link == HEAVY_TAILED:
        values = {"horizon": 200, "epsilon": 0.9, "scale_bound": 1.0, "deviation": 2.0}
        values |= {"radius": "matched", "factor": 0.3} | changes
        return HeavyTailedProblem(dimension=dimension, norm_bound=norm_bound, **values)
    values = {"kappa": 21.0, "horizon": 200, "delta": 0.05} | changes
    link = make_link(link) if isinstance(link, str) else link
    return GLBProblem(link=link, dimension=dimension, norm_bound=norm_bound, **values)


def random_arms(rng, *shape):
    """Return arms (..., d) uniform in the unit ball, read-only."""
    arms = rng.standard_normal(shape)
    arms /= np.linalg.norm(arms, axis=-1, keepdims=True)
    arms *= rng.uniform(size=(*shape[:-1], 1)) ** (1.0 / shape[-1])
    arms.flags.writeable = False
    return arms


class ScriptedEnvironment(FiniteArmEnvironment):
    """An environment whose arms and rewards are written down: ``pools`` of arms are met in turn."""

    def __init__(self, pools, reward, theta=None, context=None):
        self.pools = pools
        self.given = context or {}
        self.script = reward  # maps (round, index) to a reward
        self.theta = theta
        self.asked = []

    def arms(self, t):
        return self.pools[t % len(self.pools)]

    def means(self, t):
        return np.linspace(0.0, 1.0, len(self.arms(t)))

    def reward(self, t, index):
        self.asked.append((t, index))
        return self.script(t, index)

    def context(self, t):
        return self.given

    def problem(self, **options):
        raise NotImplementedError


def make_box_problem(dimension=2, **changes):
    """Return a problem on [-1, 3]^d with plain values for everything that is not given."""
    values = {
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
    """A function on a box whose values are written down; its noise is zero."""

    maximum = 10.0
    instance = "scripted"

    def __init__(self, problem, function):
        self.known = problem
        self.low, self.high, self.horizon = problem.low, problem.high, problem.horizon
        self.function = function

    def value(self, x):
        return self.function(x)

    def reward(self, t, x):
        return self.function(x)

    def problem(self, **options):
        return self.known


def truth_length(problem, arms):
    """Return how many numbers ``theta`` of an environment has: d, or one per arm of (K, d)."""
    return len(arms) if isinstance(problem, KernelProblem) else arms.shape[1]


def choices(algorithm, environment, rounds):
    """Play and return the list of chosen arms."""
    chosen = []
    for t in range(rounds):
        arms = environment.arms(t)
        chosen.append(algorithm.select(arms))
        learn(algorithm, environment, t, arms, chosen[-1])
    return chosen


def learn(algorithm, environment, t, arms, index):
    """Tell an algorithm what playing row ``index`` of ``arms`` in round ``t`` brought."""
    reward = environment.reward(t, index)
    algorithm.update(arms, index, reward, **environment.context(t))


def papers():
    """Return the configurations of all papers."""
    return [load_paper(name) for name in paper_names()]


def configured(key="runs", domain="arms"):
    """Return every (paper, setting, algorithm label) of a domain that ``runs`` ask for."""
    return [
        (paper, setting, label)
        for paper in papers()
        for block in paper[key]
        for setting in block["settings"]
        for label in block["algorithms"]
        if environment_domain(paper["settings"][setting]["environment"]) == domain
    ]
