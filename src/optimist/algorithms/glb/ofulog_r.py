r"""OFULog-r: optimism over the relaxed, convex confidence set for logistic bandits.

Abeille, Faury and Calauzenes (2021), "Instance-Wise Minimax-Optimal Algorithms for Logistic
Bandits", Algorithm 2. For $\mathcal L^\lambda_t = \mathcal L_t + \frac{\lambda_t}2\|\theta\|^2$
with $\lambda_t = d\log(1+t)$, and its unconstrained minimiser $\hat\theta_t$,
$$X_t = \arg\max_x\max_{\|\theta\|\le S}\{x^\top\theta : \mathcal L^\lambda_t(\theta)
   - \mathcal L^\lambda_t(\hat\theta_t) \le \beta_t^2\},$$
$\beta_t = \gamma_t + \gamma_t^2/\sqrt{\lambda_t}$ with
$\gamma_t = \sqrt{\lambda_t}(S+\tfrac12) + \frac d{\sqrt{\lambda_t}}
 \log\big(\tfrac4\delta(1+\tfrac t{16d\lambda_t})\big)$.

Deviations: by default, $\lambda_t$ is from Zhang et al. (2025), Appendix F.1, and all other
constants are from the theory. Together, ``radius="data"`` and ``ball=False`` give the version in
public code: the data-dependent $\gamma = \min(\gamma_1, \gamma_2)$ with
$\ell = \log\frac1\delta + \frac12\log\det H_t - \frac d2\log\lambda_t
 + \log\frac{F_d(2\lambda_t)}{F_d(\lambda_t)}$ ($F_d$ is the distribution
function of the chi-square distribution with d degrees of freedom),
$\gamma_1 = \sqrt{\lambda_t}(S+\frac12) + \frac2{\sqrt{\lambda_t}}\ell$,
$\gamma_2 = \sqrt{\lambda_t}S + \ell$, $\beta = \gamma + \gamma^2/\lambda_t$, and no ball.
At the horizons of the experiments, the level set almost never excludes the maximiser over the ball,
so the algorithm plays the arm with the largest norm under either radius; the figures show both
versions.
"""

import math

from optimist.algorithms.glb.level_set_optimism import LevelSetOptimism
from optimist.core.errors import one_of
from optimist.environments.problems.glb import GLBProblem
from optimist.numerics.linear import log_determinant


class OFULogR(LevelSetOptimism):
    """OFULog-r, with time per round proportional to t, for logistic rewards only.

    Parameters
    ----------
    problem : GLBProblem
    radius : {"published", "data"}
        The paper's radius, or the data-dependent radius used in public code.
    ball : bool
        Whether to intersect the confidence set with the ball of radius S.
    solver : {"kkt", "slsqp"}
        Newton's method on the optimality conditions, or the generic solver used in public code.
    history : {"raw", "aggregated"}
        Whether the likelihood has one row per round or one per distinct arm played. The results
        are equivalent.
    """

    reference = "Abeille et al. (2021), Algorithm 2"
    links = ("logistic",)

    def __init__(
        self,
        problem: GLBProblem,
        *,
        radius: str = "published",
        ball: bool = True,
        solver: str = "kkt",
        history: str = "raw",
    ) -> None:
        super().__init__(problem, solver, history, prune=True)
        self.radius_form = one_of("radius", radius, ("published", "data"))
        self.ball = one_of("ball", ball, (True, False))

    @property
    def ridge(self) -> float:
        r"""The ridge $\lambda_t$."""
        return self.problem.dimension * math.log(2.0 + self.history.plays)

    @property
    def level(self) -> float:
        published = self.radius_form == "published"
        beta = self._published_radius() if published else self._data_dependent_radius()
        return (self.problem.factor * beta) ** 2

    def _published_radius(self):
        p, d, ridge = self.problem, self.problem.dimension, self.ridge
        rounds = self.history.plays + 1
        tail = math.log(4.0 / p.delta * (1.0 + rounds / (16.0 * d * ridge)))
        gamma = math.sqrt(ridge) * (p.norm_bound + 0.5) + d / math.sqrt(ridge) * tail
        return gamma + gamma**2 / math.sqrt(ridge)

    def _data_dependent_radius(self):
        from scipy.special import chdtr

        d, S, ridge = self.problem.dimension, self.problem.norm_bound, self.ridge
        _, _, hessian = self.derivatives
        tail = math.log(1.0 / self.problem.delta)
        tail += 0.5 * log_determinant(hessian) - 0.5 * d * math.log(ridge)
        tail += math.log(chdtr(d, 2.0 * ridge) / chdtr(d, ridge))
        root = math.sqrt(ridge)
        gamma = min(root * (S + 0.5) + 2.0 / root * tail, root * S + tail)
        return gamma + gamma**2 / ridge

    @property
    def estimate_radius(self) -> float | None:
        return None

    @property
    def set_radius(self) -> float | None:
        return self.problem.norm_bound if self.ball else None
