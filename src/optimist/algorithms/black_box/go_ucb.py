r"""GO-UCB: joint optimism over the parameters of a network and the points of a box.

Liu and Wang (2023), "Global Optimization with Parametric Function Approximation", Algorithm 1.
For the least-squares fit $\hat w_0$ to n uniform points, and $g_i=\nabla_wf_{x_i}(\hat w_i)$,
$$\Sigma_t=\lambda I+\sum_{i<t}g_ig_i^\top,\qquad
  \hat w_t=\Sigma_t^{-1}\Big(\lambda\hat w_0
    +\sum_{i<t}g_i\,(g_i^\top\hat w_i+y_i-f_{x_i}(\hat w_i))\Big),$$
$$x_t\in\arg\max_{x\in\mathcal X}\ \max_{\|w-\hat w_t\|_{\Sigma_t}^2\le\beta_t} f_w(x) .$$
The fit, $\lambda$, $\beta_t$ and the maximiser depend on the variant: ``paper`` (see
`optimist.algorithms.black_box.go_ucb_paper`) or our extension ``tuned`` (see
`optimist.algorithms.black_box.go_ucb_tuned`).

Deviations: the paper's sums start at i = 0; here they start with the first point of Phase II. The
paper does not say how to draw weights, where Step 5 starts, how to project parameters onto the
ball, or what F is. Options control the first three, and F is the problem's ``value_bound``. Each
variant's module lists further deviations.
"""

import inspect
import math
from functools import partial
from typing import Any

import numpy as np

from optimist.algorithms.black_box.base import BoxAlgorithm
from optimist.algorithms.black_box.go_ucb_paper import PaperVariant
from optimist.algorithms.black_box.go_ucb_tuned import TunedVariant
from optimist.core.errors import ConfigError, one_of, positive
from optimist.environments.problems.box import BoxProblem
from optimist.numerics.ellipsoid import LowRankEllipsoid
from optimist.numerics.network import TwoLayerNetwork

INITIALISATIONS = ("torch", "u01")
STARTS = ("incumbent", "last", "random", "multi")
# Diagnostics computed from the ball; see Lemmas 5.5 and C.6.
WATCHED = ("displacement", "final_potential", "potential_bound", "gradient_norm", "width_bound")
MULTI = 16  # number of starting points for start=multi


class GOUCB(BoxAlgorithm):
    r"""GO-UCB, with 2000 ascent steps per round and O(d_w t) time per projection onto the ball.

    Parameters
    ----------
    problem : BoxProblem
    variant : {"paper", "tuned"}
        The published algorithm, or our extension.
    initialisation : {"torch", "u01"}
        Distribution of the initial weights: PyTorch's default, or uniform on [0, 1].
    start : {"incumbent", "last", "random", "multi"}
        Starting point of Step 5: the best observed point, the last point, or a uniform point.
        ``multi`` starts from the best observed point and from 15 uniform points, and keeps the best
        result. Only the variant ``paper`` supports this option and the next five; ``tuned`` always
        starts like ``multi``.
    projection : {"radial", "euclidean"}
        Projection of parameters onto the ball: towards its centre, or to the nearest point.
    unit_weights : bool
        Whether to keep parameters in [0, 1], as the paper assumes.
    batch : {"full", "single"}
        Points used in each step of the oracle's gradient descent: all, or one at random.
    oracle : {"descent", "exact"}
        Method that fits the network in Phase I: the gradient descent of Appendix D.1, or least
        squares to convergence.
    ball : float or None
        Factor applied to $\beta_t$ from equation (7) with $\mu = 1$. If None, $\beta_t$ is from
        Appendix D.1.
    frozen : bool
        Whether to keep $\hat w$ and $\Sigma$ constant, as a control.
    beta : float or None
        $\beta_t$ of the variant ``tuned``; None means 0.01.
    rng : Generator
    """

    reference = "Liu and Wang (2023), Algorithm 1"

    ball: LowRankEllipsoid  # set at the end of Phase I
    drawn: np.ndarray  # starting point of the fit in Phase I, of shape (d_w,)
    fitted: np.ndarray  # fitted parameters, the first centre of the ball, of shape (d_w,)

    def __init__(
        self,
        problem: BoxProblem,
        *,
        variant: str = "paper",
        initialisation: str = "torch",
        start: str = "incumbent",
        projection: str = "radial",
        unit_weights: bool = False,
        batch: str = "full",
        oracle: str = "descent",
        ball: float | None = None,
        frozen: bool = False,
        beta: float | None = None,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(problem, rng)
        self.initialisation = one_of("initialisation", initialisation, INITIALISATIONS)
        self.start = one_of("start", start, STARTS)
        self.frozen = one_of("frozen", frozen, (False, True))
        self.network = TwoLayerNetwork(problem.dimension, problem.hidden)
        self.variant: PaperVariant | TunedVariant
        options: dict[str, Any] = {
            "projection": projection,
            "unit_weights": unit_weights,
            "batch": batch,
            "oracle": oracle,
            "ball": ball,
        }
        if one_of("variant", variant, ("paper", "tuned")) == "paper":
            if beta is not None:
                raise ConfigError(f"beta is {beta!r}; allowed: None, except with variant=tuned")
            self.variant = PaperVariant(self.network, problem, **options)
        else:
            _refuse_idle(start=start, **options)
            self.start = "multi"
            beta = 0.01 if beta is None else positive("beta", beta)
            self.variant = TunedVariant(self.network, problem, beta)
        self.counts = {"ball_activations": 0, "oracle_displacement": 0.0, "potential": 0.0}
        self.regret_bound = 0.0

    @property
    def phase_two_rounds(self) -> int:
        """Number of completed rounds of Phase II; negative in Phase I."""
        return len(self.values) - self.problem.initial_count

    @property
    def beta(self) -> float:
        r"""$\beta_t$ for the next round of Phase II."""
        return self.variant.beta(max(1, self.phase_two_rounds + 1))

    # Phase I.

    def begin(self) -> None:
        weights, self._optimiser = self.rng.spawn(2)
        draw = partial(self._draw, weights)
        fit = self.variant.fit
        self.drawn, self.fitted = fit(self.points, self.values, draw, self._optimiser)
        self.counts["oracle_displacement"] = float(np.linalg.norm(self.fitted - self.drawn))
        self.ball = LowRankEllipsoid(self.fitted, self.variant.ridge)

    def _draw(self, rng):
        draw = self.network.initial(rng)
        return draw if self.initialisation == "torch" else rng.random(self.network.size)

    # Phase II.

    def suggest(self) -> np.ndarray:
        x, active = self.variant.maximise(self.ball, self.beta, self._starts())
        self.counts["ball_activations"] += active
        return x

    def _starts(self):
        """Return the starting points of Step 5 as an array of shape (K, d)."""
        if self.start == "last":
            return self.points[-1:].copy()
        if self.start == "incumbent":
            return self.incumbent[None].copy()
        drawn = self.uniform(1 if self.start == "random" else MULTI - 1, self._optimiser)
        return drawn if self.start == "random" else np.vstack([self.incumbent, drawn])

    def learn(self, x: np.ndarray, y: float) -> None:
        if self.frozen:
            return
        x, y = self.variant.inward(x), self.variant.scaled(y)
        g = self.network.gradient(self.ball.centre, x)
        error = y - self.network.value(self.ball.centre, x)
        leverage = self.ball.recentre(g, error)
        self.counts["potential"] += leverage
        self.regret_bound += 2.0 * math.sqrt(self.variant.beta(self.phase_two_rounds) * leverage)

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        if self.phase_two_rounds < 0:
            return np.ones(len(thetas), dtype=bool)
        return ~self.ball.outside(self.variant.inward_weights(thetas), self.beta)

    def diagnostics(self) -> dict[str, float]:
        counters = {**self.counts, **dict.fromkeys(WATCHED, 0.0), "regret_bound": self.regret_bound}
        if self.phase_two_rounds >= 0:
            ball, size = self.ball, self.network.size
            V = ball.vectors
            largest = float(np.einsum("td,td->t", V, V).max(initial=0.0))
            growth = math.log1p(len(V) * largest / (size * ball.ridge))
            moved = float(np.linalg.norm(ball.centre - self.fitted))
            total = float(ball.leverages().sum())
            potential = 2.0 * size * growth
            # Lemma 5.5, without its second term, and the Cauchy-Schwarz inequality give this bound.
            width = math.sqrt(8.0 * self.variant.beta(max(1, len(V))) * potential * len(V))
            values = moved, total, potential, math.sqrt(largest), width
            counters |= zip(WATCHED, values, strict=True)
        return counters


def _refuse_idle(**options):
    """Raise ConfigError unless all options ignored by ``variant=tuned`` have their defaults."""
    for key, value in options.items():
        default = inspect.signature(GOUCB).parameters[key].default
        if value != default:
            raise ConfigError(f"{key} is {value!r}; allowed with variant=tuned: {default}")
