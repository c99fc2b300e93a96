r"""GLM-UCB: optimism around the maximum-likelihood estimate, on the scale of the mean reward.

Filippi, Cappe, Garivier and Szepesvari (2010), "Parametric Bandits: The Generalized Linear Case",
Algorithm 1, with a ridge as in later literature. For the ridge maximum-likelihood estimate
$\hat\theta_t$, the gradient $g_t$ of its criterion, $k_\mu = \sup\mu'$ and
$V_t = \lambda_tI + \sum_{s<t}X_sX_s^\top$,
$$\tilde\theta_t = \arg\min_{\|\theta\|\le S}\|g_t(\theta)-g_t(\hat\theta_t)\|_{V_t^{-1}},\qquad
X_t = \arg\max_x\; \mu(x^\top\tilde\theta_t) + \rho_t\|x\|_{V_t^{-1}},$$
$$\rho_t = 2k_\mu\kappa M\sqrt{3 + 2\log(1+2/\lambda_t)}\,\sqrt{2d\log(2dT/\delta)} .$$

Deviations: the default is $\lambda_t = d\log(1+t)$ with all other constants from the theory, as in
Zhang et al. (2025), Appendix F.1. The ridge replaces the initial plays of d independent arms, and
$\lambda_t$ replaces the smallest eigenvalue after these plays. $\rho_t$ lacks the factor
$\sqrt{\log t}$, as in the public code, which uses $\lambda = d$.
``radius="logdet"`` selects the radius of later literature,
$$\rho_t = k_\mu\kappa M\sqrt{2\log\tfrac1\delta + \log\det V_t - d\log\lambda_t}
   + \sqrt{\lambda_t}\,S .$$
All experiments use ``projection=False``, because the projection is not convex and public code
omits it.
``inverse="pinv"`` inverts V with numpy's pseudo-inverse, as Zhang et al. (2025), Appendix F.1, did.
"""

import math

import numpy as np

from optimist.algorithms.glb.base import GLBAlgorithm
from optimist.algorithms.glb.inverses import chosen_matrix_inverse
from optimist.core.errors import one_of
from optimist.environments.problems.glb import GLBProblem
from optimist.numerics.ball import minimise_quadratic
from optimist.numerics.likelihood import Likelihood, minimise
from optimist.numerics.linear import inverse_norms, log_determinant, quadratic_norms

MAX_GAUSS_NEWTON_STEPS = 20


class GLMUCB(GLBAlgorithm):
    r"""GLM-UCB, with time per round proportional to t and a radius linear in kappa.

    Parameters
    ----------
    problem : GLBProblem
    radius : {"filippi", "logdet"}
        The first or the second formula for $\rho_t$ above.
    projection : bool
        Whether to project each estimate onto the ball by Gauss-Newton steps.
    history : {"raw", "aggregated"}
        Whether the likelihood has one row per round or one per distinct arm played. The results
        are equivalent.
    inverse : {"inv", "pinv"}
        Method that inverts V; see `optimist.algorithms.glb.inverses`.
    """

    reference = "Filippi et al. (2010), Algorithm 1; Zhang et al. (2025), Appendix F.1"

    def __init__(
        self,
        problem: GLBProblem,
        *,
        radius: str = "filippi",
        projection: bool = True,
        history: str = "raw",
        inverse: str = "inv",
    ) -> None:
        super().__init__(problem)
        self._invert = chosen_matrix_inverse(inverse)
        self.radius_form = one_of("radius", radius, ("filippi", "logdet"))
        self.projection = one_of("projection", projection, (True, False))
        self.history = problem.new_history(history)
        self.t = 1
        self.gram = np.zeros((problem.dimension, problem.dimension))
        self.estimate = np.zeros(problem.dimension)

    @property
    def ridge(self) -> float:
        r"""The ridge $\lambda_t$."""
        return self.problem.dimension * math.log(1.0 + self.t)

    @property
    def V(self) -> np.ndarray:
        """The design matrix (d, d), including the current round's ridge."""
        return self.ridge * np.eye(self.problem.dimension) + self.gram

    @property
    def radius(self) -> float:
        r"""The confidence radius $\rho_t$ on the scale of the mean, times the problem's factor."""
        p, d, ridge = self.problem, self.problem.dimension, self.ridge
        slope = p.link.slope_bounds(p.norm_bound)[1]
        if self.radius_form == "filippi":
            spread = math.sqrt(3.0 + 2.0 * math.log(1.0 + 2.0 / ridge))
            tail = math.sqrt(2.0 * d * math.log(2.0 * d * p.horizon / p.delta))
            return p.factor * 2.0 * slope * p.reward_bound * p.kappa * spread * tail
        growth = log_determinant(self.V) - d * math.log(ridge)
        noise = math.sqrt(2.0 * math.log(1.0 / p.delta) + growth)
        rho = slope * p.kappa * p.reward_bound * noise + math.sqrt(ridge) * p.norm_bound
        return p.factor * rho

    def select(self, arms: np.ndarray) -> int:
        bonus = self.radius * inverse_norms(arms, self._invert(self.V))
        return int(np.argmax(self.problem.link.mean(arms @ self.estimate) + bonus))

    def update(self, arms: np.ndarray, index: int, reward: float) -> None:
        x = arms[index]
        self.history.append(index, x, reward)
        self.gram += np.multiply.outer(x, x)
        self.t += 1
        likelihood = Likelihood(self.problem.link, self.history, self.ridge)
        self.estimate, converged = minimise(likelihood, self.estimate)
        if not converged:
            self.status = "unconverged"
        if self.projection and np.linalg.norm(self.estimate) > self.problem.norm_bound:
            self.estimate = self._project(likelihood, self.estimate)

    def _project(self, likelihood, estimate):
        r"""Minimise $\|\nabla L(\theta)-\nabla L(\hat\theta)\|_{V^{-1}}$ over the ball."""
        S = self.problem.norm_bound
        target = likelihood.at(estimate)[1]
        theta, converged = minimise(likelihood, estimate, S)
        for _ in range(MAX_GAUSS_NEWTON_STEPS):
            _, gradient, hessian = likelihood.at(theta)
            weighted = np.linalg.solve(self.V, hessian)
            normal = hessian @ weighted
            right = normal @ theta - weighted.T @ (gradient - target)
            new, _ = minimise_quadratic(normal, right, S)
            if converged and np.linalg.norm(new - theta) <= 1e-10 * S:
                return new
            theta = new
        self.status = "unconverged"
        return theta

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        slope = self.problem.link.slope_bounds(self.problem.norm_bound)[1]
        return quadratic_norms(thetas, self.estimate, self.V) <= self.radius / slope
