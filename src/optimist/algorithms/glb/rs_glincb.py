r"""RS-GLinCB: optimism with rarely updated estimates.

Sawarni, Das, Barman and Sinha (2024), "Generalized Linear Bandits with Limited Adaptivity",
Algorithm 2. Let V be the design matrix of the warm-up, H the weighted design matrix of the other
rounds, and $L = d\log(T/\delta)$:

1. if some arm has $\|x\|^2_{V^{-1}} \ge$ threshold, play the arm with the largest norm, add it
   to V and refit $\hat\theta_o$ (ridge maximum likelihood) to the warm-up data;
2. otherwise, if $\det H > f\det H_{sw}$, set $H_{sw} \leftarrow H$ and refit $\hat\theta_{sw}$;
3. drop the arms whose upper bound $x^\top\hat\theta_o + \gamma\sqrt\kappa\|x\|_{V^{-1}}$ is below
   the best lower bound, and among the rest, play
$$X_t = \arg\max_x\; x^\top\hat\theta_{sw} + \beta\|x\|_{H_{sw}^{-1}},\qquad
  H \leftarrow H + \tfrac1e\mu'(X_t^\top\hat\theta_o)X_tX_t^\top .$$

The constants are $\gamma = 25MS\sqrt L$, $\beta = 150\sqrt L$, the threshold
$1/(\kappa M^2\gamma^2)$ and $f = 2$.

Deviations: the default is $\lambda = d$ with all other constants from the theory, as in Zhang et
al. (2025), Appendix F.1. Maximising the likelihood within the ball replaces the non-convex
projection. ``constants="practical"`` follows the authors' public code. The published comparisons
make sense only with this option, because the theory's threshold requires millions of warm-up
rounds. The option changes $\gamma$, $\beta$, the threshold and f, includes warm-up data in the
second estimate, averages the two estimates in the index, and omits both the projection and the
factor $1/e$ in H. ``alias=True`` mimics the public code, in which $H_{sw}$ becomes an alias of H at
the first switch, so no other switch follows. The problem's factor multiplies $\gamma$ and $\beta$
in the index and the elimination, but not the warm-up threshold. ``inverse="pinv"`` inverts V and
$H_{sw}$ with numpy's pseudo-inverse, as Zhang et al. (2025), Appendix F.1, did.
"""

import math

import numpy as np

from optimist.algorithms.glb.base import GLBAlgorithm
from optimist.algorithms.glb.inverses import chosen_matrix_inverse
from optimist.core.errors import one_of
from optimist.environments.problems.glb import GLBProblem
from optimist.numerics.likelihood import Likelihood, minimise
from optimist.numerics.linear import inverse_norms, log_determinant, quadratic_norms


class RSGLinCB(GLBAlgorithm):
    """RS-GLinCB, which refits only in warm-up rounds and at rare switches.

    Parameters
    ----------
    problem : GLBProblem
    constants : {"theory", "practical"}
        Constants from the theorem, or from the public code.
    history : {"raw", "aggregated"}
        Whether the likelihood has one row per round or one per distinct arm played. The results
        are equivalent.
    alias : bool
        Whether $H_{sw}$ is H itself after a switch, as in the public code.
    inverse : {"inv", "pinv"}
        Method of inversion; see `optimist.algorithms.glb.inverses`.
    """

    reference = "Sawarni et al. (2024), Algorithm 2"

    def __init__(
        self,
        problem: GLBProblem,
        *,
        constants: str = "theory",
        history: str = "raw",
        alias: bool = False,
        inverse: str = "inv",
    ) -> None:
        super().__init__(problem)
        self._invert = chosen_matrix_inverse(inverse)
        self.practical = one_of("constants", constants, ("theory", "practical")) == "practical"
        self.alias = one_of("alias", alias, (False, True))
        d = problem.dimension
        self.ridge = float(d)
        self._set_constants()
        self.V: np.ndarray = self.ridge * np.eye(d)
        self.V_inv = np.eye(d) / self.ridge
        self.H: np.ndarray = self.ridge * np.eye(d)
        self.H_switch = self.H.copy()
        self.warm_up_history = problem.new_history(history)
        self.main_history = problem.new_history(history)
        self.warm_up_estimate = np.zeros(d)  # theta_o
        self.switch_estimate = np.zeros(d)  # theta_sw
        self.switches = 0
        self._warming = False

    def _set_constants(self):
        p = self.problem
        S, M, kappa, d = p.norm_bound, p.reward_bound, p.kappa, p.dimension
        root = math.sqrt(d * math.log(p.horizon / p.delta))
        if self.practical:
            self.gamma, self.beta = M * S * root, 4.0 * root
            self.threshold = 100.0 / (kappa * M**4 * S**2 * d)
            self.determinant_factor, self.curvature_factor = 1.5, 1.0
        else:
            self.gamma, self.beta = 25.0 * M * S * root, 150.0 * root
            self.threshold = 1.0 / (self.gamma**2 * kappa * M**2)
            self.determinant_factor, self.curvature_factor = 2.0, 1.0 / math.e
        self.gamma *= p.factor
        self.beta *= p.factor

    def select(self, arms: np.ndarray) -> int:
        norms = inverse_norms(arms, self.V_inv)
        self._warming = bool((norms**2).max() >= self.threshold)
        if self._warming:
            return int(np.argmax(norms))
        self._switch_if_due()
        centre = arms @ self.warm_up_estimate
        width = self.gamma * math.sqrt(self.problem.kappa) * norms
        survivors = centre + width >= (centre - width).max()
        index = arms @ self.index_estimate
        index += self.beta * inverse_norms(arms, self._invert(self.H_switch))
        return int(np.argmax(np.where(survivors, index, -np.inf)))

    @property
    def index_estimate(self) -> np.ndarray:
        """The estimate on which the index is centred, an array of shape (d,)."""
        if self.practical:
            return 0.5 * (self.warm_up_estimate + self.switch_estimate)
        return self.switch_estimate

    def _switch_if_due(self):
        # Always fit in the first round after the warm-up.
        growth = log_determinant(self.H) - log_determinant(self.H_switch)
        if self.switches and growth <= math.log(self.determinant_factor):
            return
        self.switches += 1
        self.H_switch = self.H if self.alias else self.H.copy()
        self.switch_estimate = self._fit(
            self.main_history,
            self.switch_estimate,
            None if self.practical else self.problem.norm_bound,
        )

    def _fit(self, history, start, radius=None):
        likelihood = Likelihood(self.problem.link, history, self.ridge)
        estimate, converged = minimise(likelihood, start, radius)
        if not converged:
            self.status = "unconverged"
        return estimate

    def update(self, arms: np.ndarray, index: int, reward: float) -> None:
        x = arms[index]
        if self._warming:
            self._update_warm_up(index, x, reward)
        else:
            slope = self.problem.link.slope(float(x @ self.warm_up_estimate))
            slope *= self.curvature_factor / self.problem.link.dispersion
            self.H += slope * np.multiply.outer(x, x)
        if self.practical or not self._warming:
            self.main_history.append(index, x, reward)

    def _update_warm_up(self, index, x, reward):
        self.V += np.multiply.outer(x, x)
        self.V_inv = self._invert(self.V)
        self.warm_up_history.append(index, x, reward)
        self.warm_up_estimate = self._fit(self.warm_up_history, self.warm_up_estimate)

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        warm = quadratic_norms(thetas, self.warm_up_estimate, self.V)
        main = quadratic_norms(thetas, self.index_estimate, self.H_switch)
        inside = warm <= self.gamma * math.sqrt(self.problem.kappa)
        return inside & (main <= self.beta) if self.switches else inside

    def diagnostics(self) -> dict[str, float]:
        warm_up_rounds = self.warm_up_history.plays
        return {
            "warm_up_rounds": warm_up_rounds,
            "switches": self.switches,
            "updates": warm_up_rounds + self.switches,  # number of fits
        }
