r"""OFUGLB: optimism over a likelihood-ratio confidence set.

Lee, Yun and Jun (2024), "A Unified Confidence Sequence for Generalized Linear Models, with
Applications to Bandits", Algorithm 1 and Theorem 3.1; restated by Zhang et al. (2025), eq. (44).
For $\hat\theta_t = \arg\min_{\|\theta\|\le S}\mathcal L_t(\theta)$,
$$X_t = \arg\max_x\max_{\theta\in\mathcal C_t}x^\top\theta,\qquad
  \mathcal C_t = \{\|\theta\|\le S : \mathcal L_t(\theta)-\mathcal L_t(\hat\theta_t)
     \le \beta_t^2\},$$
$$\beta_t^2 = \log\tfrac1\delta + d\log\max\{e,\ 2eSL_t/d\},$$
where $L_t$ is a Lipschitz constant of $\mathcal L_t$ on the ball.

Deviations: none in the method. Published timings are for a generic solver, which is available here
as ``solver="slsqp"``.
"""

import math

from optimist.algorithms.glb.level_set_optimism import LevelSetOptimism
from optimist.environments.problems.glb import GLBProblem


class OFUGLB(LevelSetOptimism):
    """OFUGLB, with time per round proportional to t and no regularisation.

    Parameters
    ----------
    problem : GLBProblem
    solver : {"kkt", "slsqp"}
        Newton's method on the optimality conditions, or the generic solver used in public code.
    history : {"raw", "aggregated"}
        Whether the likelihood has one row per round or one per distinct arm played. The results
        are equivalent.
    prune : bool
        Whether to skip arms whose bounds show that they cannot be the best (only with ``kkt``).
    """

    reference = "Lee et al. (2024), Algorithm 1 and Theorem 3.1"
    ridge = 0.0

    def __init__(
        self, problem: GLBProblem, *, solver: str = "kkt", history: str = "raw", prune: bool = True
    ) -> None:
        super().__init__(problem, solver, history, prune)

    @property
    def level(self) -> float:
        p, d = self.problem, self.problem.dimension
        L = p.link.lipschitz(p.norm_bound, self.history.plays, d, p.delta)
        growth = d * math.log(max(math.e, 2.0 * math.e * p.norm_bound * L / d))
        return p.factor**2 * (math.log(1.0 / p.delta) + growth)

    @property
    def estimate_radius(self) -> float | None:
        return self.problem.norm_bound

    @property
    def set_radius(self) -> float | None:
        return self.problem.norm_bound
