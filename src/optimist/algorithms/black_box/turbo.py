r"""TuRBO-1: Thompson sampling in a growing and shrinking box around the incumbent.

Eriksson, Pearce, Gardner, Turner and Poloczek (2019), "Scalable Global Optimization via Local
Bayesian Optimization", Section 2 and Algorithm 1. The box is scaled to the unit cube. Let c be the
best point since the last restart, and w the vector of fitted lengthscales $\ell$ divided by their
geometric mean. Then
$$\mathrm{TR}_t = \prod_j\,[c_j\pm w_jL_t/2]\cap[0,1],\qquad
  x_{t+1} = \arg\max_{x\in C_t} f(x),\quad f\sim\mathcal{GP}_t ,$$
where $C_t$ is a set of candidates in $\mathrm{TR}_t$. L doubles after $\tau_{succ}$ successes in a
row and halves after $\tau_{fail} = \max(4,d)$ failures in a row. When L falls below $2^{-7}$, the
method restarts with n new points.

Deviations: the method proposes one point per round, and it shares its initial points with all other
methods. As in the public code, 50 steps of Adam fit the process in every round, always from the
same starting point. With ``fit=lbfgs``, L-BFGS-B fits it to convergence instead.
``configuration=botorch`` selects the settings of BoTorch's tutorial, including ``fit=lbfgs``.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from optimist.algorithms.black_box.base import BoxAlgorithm, standardise
from optimist.core.errors import one_of
from optimist.environments.problems.box import BoxProblem
from optimist.numerics import gp_regression
from optimist.numerics.designs import latin_hypercube, sobol
from optimist.numerics.gp_regression import Flat, Hyper, Scheme
from optimist.numerics.kernels import Matern52

FLAT = Flat()
FIRST, SHORTEST, LONGEST = 0.8, 0.5**7, 1.6
IMPROVEMENT = 1e-3  # smallest relative gain over the best value that counts as a success
MOST = 5000  # maximum number of candidates
PERTURBED = 20  # expected number of perturbed coordinates per candidate, capped at d
DENSE = 1e-6  # values with a smaller standard deviation are not divided by it


@dataclass(frozen=True)
class Configuration:
    """Settings of a public implementation.

    Attributes
    ----------
    successes : int
        Number of successes in a row after which the box grows.
    fewest, per_coordinate : int
        Number of candidates: ``per_coordinate`` times the dimension, but at least ``fewest``.
    scheme : Scheme
        Kernel of the process, and priors of its parameters.
    fit : {"adam", "lbfgs"}
        Optimiser that fits the process.
    centre : callable
        Function that computes the offset to subtract from the values.
    ddof : int
        Delta degrees of freedom of the variance used to scale the values.
    noise : bool
        Whether Thompson sampling draws noisy observations instead of values of the function.
    """

    successes: int
    fewest: int
    per_coordinate: int
    scheme: Scheme
    fit: str
    centre: Callable[[np.ndarray], float]
    ddof: int
    noise: bool

    def candidates(self, dimension: int) -> int:
        """Return the number of candidates in ``dimension`` dimensions."""
        return min(MOST, max(self.fewest, self.per_coordinate * dimension))


def _scheme(lengthscale, noise):
    amplitude = Hyper(0.05, 20.0, 1.0, FLAT)
    return Scheme(Matern52(1.0), lengthscale=lengthscale, noise=noise, amplitude=amplitude)


CONFIGURATIONS = {
    "release": Configuration(
        successes=3,
        fewest=1,
        per_coordinate=100,
        scheme=_scheme(Hyper(0.005, 2.0, 0.5, FLAT), Hyper(5e-4, 0.2, 0.005, FLAT)),
        fit="adam",
        centre=np.median,
        ddof=0,
        noise=True,
    ),
    "botorch": Configuration(
        successes=10,
        fewest=2000,
        per_coordinate=200,
        scheme=_scheme(Hyper(0.005, 4.0, 0.5, FLAT), Hyper(1e-8, 1e-3, 1e-4, FLAT)),
        fit="lbfgs",
        centre=np.mean,
        ddof=1,
        noise=False,
    ),
}


class TuRBO(BoxAlgorithm):
    """TuRBO-1, with O(n^3) time for each evaluation of the likelihood of n points.

    Every round also computes a Cholesky factor of the candidates' covariance matrix.

    Parameters
    ----------
    problem : BoxProblem
    configuration : {"release", "botorch"}
        Settings of the authors' code, or of BoTorch's tutorial.
    fit : {"default", "adam", "lbfgs"}
        50 steps of Adam, or L-BFGS-B to convergence. ``default`` follows the configuration.
    rng : Generator
    """

    reference = "Eriksson et al. (2019), Algorithm 1"

    def __init__(
        self,
        problem: BoxProblem,
        *,
        configuration: str = "release",
        fit: str = "default",
        rng: np.random.Generator,
    ) -> None:
        super().__init__(problem, rng)
        one_of("configuration", configuration, CONFIGURATIONS)
        self.configuration = CONFIGURATIONS[configuration]
        one_of("fit", fit, ("default", "adam", "lbfgs"))
        self.fit = self.configuration.fit if fit == "default" else fit
        self.patience = max(4, problem.dimension)
        self.counts = {"restarts": 0, "failed_fits": 0}
        self._design = np.empty((0, problem.dimension))  # points of a restart still to be proposed
        self._restart(0)

    def _restart(self, first):
        """Restart with a new trust region; ignore all points before index ``first``."""
        self.first, self.length = first, FIRST
        self.streak = {"successes": 0, "failures": 0}

    def suggest(self) -> np.ndarray:
        if len(self._design):
            return self.problem.outward(self._design[0])
        X, y = self.problem.inward(self.points[self.first :]), self._standardised()
        process = self._fitted(X, y)
        candidates = self._candidates(X[int(np.argmax(y))], process.lengthscales)
        draw = process.draw(candidates, self.rng, noise=self.configuration.noise)
        return self.problem.outward(candidates[int(np.argmax(draw))])

    def _fitted(self, X, y):
        if self.fit == "adam":
            return gp_regression.fit_by_adam(self.configuration.scheme, X, y)
        process, failed = gp_regression.fit(self.configuration.scheme, X, y)
        self.counts["failed_fits"] += failed
        return process

    def _standardised(self):
        y, how = self.values[self.first :], self.configuration
        offset, unit = standardise(y, centre=how.centre, ddof=how.ddof, least=DENSE)
        return (y - offset) / unit

    def _candidates(self, centre, lengthscales):
        """Draw candidates (m, d) from the trust region around the point ``centre`` (d,)."""
        d = len(centre)
        weights = lengthscales / lengthscales.mean()
        weights = weights / math.exp(np.log(weights).mean())
        half = 0.5 * weights * self.length
        low, high = np.clip(centre - half, 0.0, 1.0), np.clip(centre + half, 0.0, 1.0)
        points = sobol(self.rng, self.configuration.candidates(d), d)
        moved = self.rng.random(points.shape) <= min(1.0, PERTURBED / d)
        still = np.flatnonzero(~moved.any(axis=1))
        moved[still, self.rng.integers(d, size=len(still))] = True
        return np.where(moved, low + (high - low) * points, centre)

    def learn(self, x: np.ndarray, y: float) -> None:
        if len(self._design):
            self._design = self._design[1:]
            return
        best = float(self.values[self.first : -1].max())
        self._count(y > best + IMPROVEMENT * abs(best))
        if self.length < SHORTEST:
            self.counts["restarts"] += 1
            self._restart(len(self.values))
            shape = self.problem.initial_count, self.problem.dimension
            self._design = latin_hypercube(self.rng, *shape)

    def _count(self, success):
        """Update the streak; change the side length after enough successes or failures in a row."""
        kind, other = ("successes", "failures") if success else ("failures", "successes")
        self.streak = {kind: self.streak[kind] + 1, other: 0}
        if self.streak["successes"] == self.configuration.successes:
            self.length = min(2.0 * self.length, LONGEST)
            self.streak["successes"] = 0
        elif self.streak["failures"] == self.patience:
            self.length /= 2.0
            self.streak["failures"] = 0

    def diagnostics(self) -> dict[str, float]:
        return {**self.counts, "length": self.length}
