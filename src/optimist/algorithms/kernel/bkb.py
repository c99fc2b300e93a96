r"""BKB: GP-UCB on inducing points that are drawn anew in every round.

Calandriello, Carratino, Lazaric, Valko and Rosasco (2019), "Gaussian Process Optimization with
Adaptive Sketching: Scalable and No Regret", Algorithm 1. With the DTC posterior $\tilde\mu_t,
\tilde\sigma_t$ on inducing points $S_t$ (`optimist.numerics.nystrom`),
$$x_{t+1} = \arg\max_x\tilde\mu_t(x)+\tilde\beta_t\tilde\sigma_t(x),\qquad
  P(a\in S_{t+1}) = 1-(1-p_a)^{n_a},\quad p_a = \min\{1,\bar q\,\tilde\sigma_t^2(a)\},$$
for the arms a that were played $n_a$ times up to round t + 1. With
$D_t = \sum_an_a\tilde\sigma_t^2(a)$, $\alpha = \frac{1+\varepsilon}{1-\varepsilon}$ and
$B = (1+\frac1{\sqrt{1-\varepsilon}})\sqrt\lambda F$, the radius is

| radius | $\tilde\beta_t$ |
| --- | --- |
| paper (Theorem 4.1) | $2\xi\sqrt{\alpha\log(1+\kappa^2t)D_t+\log(1/\delta)} + B$ |
| corrected | $\xi\sqrt{2(\alpha(1+\log(1+\kappa^2t/\lambda))D_t+\log(1/\delta))} + B$ |
| practical | $\xi\sqrt{D_t\log t+\log(1/\delta)} + \sqrt\lambda F$ |
| matched | that of exact GP-UCB on this history |

Deviations: the paper prints $\log(\kappa^2t)$, which is 0 in the first round; its proof drops a
$1/\lambda$, which ``corrected`` restores; ``practical`` is that of the authors' library, whose
inclusion probability $\min\{1,n_a\bar q\tilde\sigma^2\}$ is the option ``linear``. A draw without
any arm, which the paper does not exclude, takes the arm with the largest $n_ap_a$.
"""

import math

import numpy as np

from optimist.algorithms.kernel.optimism import sub_gaussian_radius
from optimist.algorithms.kernel.sketch import SketchedUCB
from optimist.errors import one_of, only_word, positive, proportion
from optimist.numerics.gaussian_process import GrowingCholesky

RADII = ("paper", "corrected", "practical", "matched")


class BKB(SketchedUCB):
    r"""Time per round proportional to $Ar^2 + m^2r$, r the rank of the kernel of m inducing points.

    Parameters
    ----------
    problem : KernelProblem
    q_bar : float or "theory"
        $\bar q$; in theory $6\alpha\log(4T/\delta)/\varepsilon^2$.
    radius : {"paper", "corrected", "practical", "matched"}
    epsilon : float
        $\varepsilon$ in (0, 1), the accuracy of the theory.
    inclusion : {"union", "linear"}
    cache : bool
        Keep kernel rows of all arms played, 8Au bytes, or compute those of S in every round.
    rng : Generator
        Draws the first arm and the inducing points.
    """

    reference = "Calandriello et al. (2019), Algorithm 1 and Theorem 4.1"

    def __init__(
        self,
        problem,
        *,
        q_bar=5.0,
        radius="practical",
        epsilon=0.5,
        inclusion="union",
        cache=True,
        rng=None,
    ):
        self.radius = one_of("radius", radius, RADII)
        self.inclusion = one_of("inclusion", inclusion, ("union", "linear"))
        proportion("epsilon", epsilon)
        self.alpha = (1.0 + epsilon) / (1.0 - epsilon)
        self.spread = 1.0 + 1.0 / math.sqrt(1.0 - epsilon)
        if isinstance(q_bar, str):
            only_word("q_bar", q_bar, "theory", "a positive number")
            log_term = math.log(4.0 * problem.horizon / problem.delta)
            q_bar = 6.0 * self.alpha * log_term / epsilon**2
        self.q_bar = positive("q_bar", q_bar)
        super().__init__(problem, cache=cache, rng=rng)
        self.exact = None
        if radius == "matched":
            self.exact = GrowingCholesky(problem.kernel, problem.ridge)

    def learn(self, arms, index, reward):
        super().learn(arms, index, reward)
        if self.exact is not None:
            self.exact.observe(arms[index], reward)

    def draw(self, arms):
        p = np.minimum(1.0, self.q_bar * self.played.leverages)
        n = self.played.counts
        chance = 1.0 - (1.0 - p) ** n if self.inclusion == "union" else np.minimum(1.0, n * p)
        drawn = np.flatnonzero(self.rng.random(len(chance)) < chance)
        self.drawn = drawn if len(drawn) else np.array([np.argmax(n * p)])

    def sketch_radius(self):
        problem, spent = self.problem, self.information
        tail, bias = -math.log(problem.delta), math.sqrt(problem.ridge) * problem.norm_bound
        growth = self.prior_bound * self.t
        if self.radius == "matched":
            return sub_gaussian_radius(problem, self.exact.log_det)
        if self.radius == "practical":
            return problem.deviation * math.sqrt(spent * math.log(max(self.t, 1)) + tail) + bias
        if self.radius == "paper":
            width = 2.0 * math.sqrt(self.alpha * math.log1p(growth) * spent + tail)
        else:
            volume = 1.0 + math.log1p(growth / problem.ridge)
            width = math.sqrt(2.0 * (self.alpha * volume * spent + tail))
        return problem.deviation * width + self.spread * bias
