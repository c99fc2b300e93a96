r"""GO-UCB: optimism over the parameters of a network and the points of a box at once.

Liu and Wang (2023), "Global Optimization with Parametric Function Approximation", Algorithm 1.
After n uniform points, whose least-squares fit is $\hat w_0$, with $g_i=\nabla_wf_{x_i}(\hat w_i)$,
$$\Sigma_t=\lambda I+\sum_{i<t}g_ig_i^\top,\qquad
  \hat w_t=\Sigma_t^{-1}\Big(\lambda\hat w_0
    +\sum_{i<t}g_i\,(g_i^\top\hat w_i+y_i-f_{x_i}(\hat w_i))\Big),$$
$$x_t\in\arg\max_{x\in\mathcal X}\ \max_{\|w-\hat w_t\|_{\Sigma_t}^2\le\beta_t} f_w(x),\qquad
  \lambda=\sqrt T\ln^2T,\quad \beta_t=d_w^3F^4\,t/T .$$

Deviations: the oracle's gradient descent takes all points in every step, not one at random
(``batch``), and parameters are not kept in [0, 1] (``unit_weights``). The paper leaves open how
weights are drawn, where Step 5 starts, how parameters are put back into the ball, and F; these are
the other options, and the bound of the problem. Its sums start at i = 0, here with the first point
of Phase II.
``variant=tuned`` is an extension of ours: scaled data, a fit that fits, $\lambda=1$, a constant
``beta`` (see `optimist.algorithms.black_box.ascent`).
"""

import math

import numpy as np

from optimist.algorithms.black_box import ascent
from optimist.algorithms.black_box.base import BoxAlgorithm, standardise
from optimist.errors import ConfigError, one_of, positive
from optimist.numerics.ellipsoid import LowRankEllipsoid
from optimist.numerics.network import TwoLayerNetwork

VARIANTS = ("paper", "tuned")
INITIALISATIONS = ("torch", "u01")
STARTS = ("incumbent", "last", "random", "multi")
PROJECTIONS = ("radial", "euclidean")
BATCHES = ("full", "single")
# What `diagnostics` derives from the ball, see Lemmas 5.5 and C.6.
WATCHED = ("displacement", "final_potential", "potential_bound", "gradient_norm")
TUNED_BETA = 0.01
# Options that the extension does not heed.
IDLE = {"start": "incumbent", "projection": "radial", "unit_weights": False, "batch": "full"}
MULTI = 16  # starting points of start=multi, and of the extension


class GOUCB(BoxAlgorithm):
    r"""O(d_w t) per evaluation of the ball and 2000 steps of gradient ascent per round.

    Parameters
    ----------
    problem : BoxProblem
    variant : {"paper", "tuned"}
    initialisation : {"torch", "u01"}
        Weights as PyTorch draws them, or uniform in [0, 1].
    start : {"incumbent", "last", "random", "multi"}
        Where Step 5 starts: the best point observed, the last one, a uniform one, or the first and
        15 uniform ones, of which the best end counts.
    projection : {"radial", "euclidean"}
        How parameters are put back into the ball: towards its centre, or to the nearest point.
    unit_weights : bool
        Keep parameters in [0, 1], as the paper's assumption reads.
    batch : {"full", "single"}
        Points per step of the oracle's gradient descent.
    frozen : bool
        Never change $\hat w$ and $\Sigma$: a control.
    beta : float or None
        $\beta_t$ of the extension; None: 0.01.
    rng : Generator
    """

    reference = "Liu and Wang (2023), Algorithm 1"

    def __init__(
        self,
        problem,
        *,
        variant="paper",
        initialisation="torch",
        start="incumbent",
        projection="radial",
        unit_weights=False,
        batch="full",
        frozen=False,
        beta=None,
        rng=None,
    ):
        super().__init__(problem, rng)
        self.tuned = one_of("variant", variant, VARIANTS) == "tuned"
        self.initialisation = one_of("initialisation", initialisation, INITIALISATIONS)
        self.start = one_of("start", start, STARTS)
        self.projection = one_of("projection", projection, PROJECTIONS)
        self.unit_weights = one_of("unit_weights", unit_weights, (False, True))
        self.batch = one_of("batch", batch, BATCHES)
        self.frozen = one_of("frozen", frozen, (False, True))
        self.constant_beta = TUNED_BETA if beta is None else positive("beta", beta)
        self._refuse_idle_options(beta)
        self.network = TwoLayerNetwork(problem.dimension)
        self.T = max(2, problem.rounds)  # ln 1 = 0 would leave Sigma singular
        self.ridge = 1.0 if self.tuned else math.sqrt(self.T) * math.log(self.T) ** 2
        self.ball = None
        self.counts = {"ball_activations": 0, "oracle_displacement": 0.0, "potential": 0.0}
        self.regret_bound = 0.0

    def _refuse_idle_options(self, beta):
        """Raise ConfigError for an option that the variant does not heed."""
        if not self.tuned:
            if beta is not None:
                raise ConfigError(f"beta is {beta!r}; allowed: only with variant=tuned")
            return
        for key, default in IDLE.items():
            value = getattr(self, key)
            if value != default:
                raise ConfigError(f"{key} is {value!r}; allowed with variant=tuned: {default}")

    # Constants.

    @property
    def beta(self):
        r"""$\beta_t$ of the coming round of Phase II."""
        return self._beta(max(1, len(self.values) - self.problem.initial_count + 1))

    def _beta(self, t):
        if self.tuned:
            return self.constant_beta
        return self.network.size**3 * self.problem.value_bound**4 * t / self.T

    # Phase I.

    def begin(self):
        weights, self._optimiser = self.rng.spawn(2)
        X, y = self.points, self.values
        self._offset, self._unit = standardise(y) if self.tuned else (0.0, 1.0)
        first = self._draw(weights)
        if self.tuned:
            starts = [first, *(self._draw(weights) for _ in range(ascent.FIT_STARTS - 1))]
            fitted = ascent.fit(self.network, starts, self._inward(X), self._scaled(y))
        else:
            rng = None if self.batch == "full" else self._optimiser
            fitted = ascent.descend(self.network, first, X, y, rng)
        self.counts["oracle_displacement"] = float(np.linalg.norm(fitted - first))
        self.fitted = fitted
        self.ball = LowRankEllipsoid(fitted, self.ridge)

    def _draw(self, rng):
        draw = self.network.initial(rng)
        return draw if self.initialisation == "torch" else rng.random(self.network.size)

    def _scaled(self, y):
        return (y - self._offset) / self._unit

    def _inward(self, X):
        """Return points of the box as points of [-1, 1]^d in the extension."""
        return 2.0 * self.inward(X) - 1.0 if self.tuned else X

    # Phase II.

    def suggest(self):
        if self.tuned:
            starts = self._inward(self._starts("multi"))
            x = ascent.maximise_linear_bound(self.network, self.ball, self.beta, starts)
            return self.outward((x + 1.0) / 2.0)
        x, active = self._ascent().maximise(self.ball, self.beta, self._starts(self.start))
        self.counts["ball_activations"] += active
        return x

    def _ascent(self):
        return ascent.JointAscent(
            self.network,
            self.problem.low,
            self.problem.high,
            euclidean=self.projection == "euclidean",
            unit=self.unit_weights,
        )

    def _starts(self, start):
        """Return the points where Step 5 starts, (K, d)."""
        if start == "last":
            return self.points[-1:].copy()
        if start == "incumbent":
            return self.incumbent[None].copy()
        drawn = self.uniform(1 if start == "random" else MULTI - 1, self._optimiser)
        return drawn if start == "random" else np.vstack([self.incumbent, drawn])

    def learn(self, x, y):
        if self.frozen:
            return
        x, y = self._inward(x), self._scaled(y)
        g = self.network.gradient(self.ball.centre, x)
        error = y - self.network.value(self.ball.centre, x)
        leverage = self.ball.recentre(g, error)
        self.counts["potential"] += leverage
        t = len(self.values) - self.problem.initial_count
        self.regret_bound += 2.0 * math.sqrt(self._beta(t) * leverage)

    def contains(self, thetas):
        if self.ball is None:
            return np.ones(len(thetas), dtype=bool)
        return ~self.ball.outside(self._inward_weights(thetas), self.beta)

    def _inward_weights(self, thetas):
        """Return parameters of the plain model as those of the extension's scaled data."""
        if not self.tuned:
            return thetas
        problem, inward = self.problem, thetas.astype(float)
        plain, scaled = self.network.layers(thetas), self.network.layers(inward)
        middle, half = (problem.high + problem.low) / 2.0, (problem.high - problem.low) / 2.0
        scaled.b1[:] = plain.b1 + plain.W1 @ middle
        scaled.W1[:] = plain.W1 * half
        scaled.w2[:] = plain.w2 / self._unit
        scaled.b2[:] = (plain.b2 - self._offset) / self._unit
        return inward

    def diagnostics(self):
        found = {**self.counts, **dict.fromkeys(WATCHED, 0.0), "regret_bound": self.regret_bound}
        if self.ball is not None:
            ball, size = self.ball, self.network.size
            V = ball.vectors
            largest = float(np.einsum("td,td->t", V, V).max(initial=0.0))
            growth = math.log1p(len(V) * largest / (size * self.ridge))
            moved = float(np.linalg.norm(ball.centre - self.fitted))
            total = float(ball.leverages().sum())
            values = moved, total, 2.0 * size * growth, math.sqrt(largest)
            found |= zip(WATCHED, values, strict=True)
        return found
