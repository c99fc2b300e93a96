r"""BKB: GP-UCB on inducing points that are redrawn in every round.

Calandriello, Carratino, Lazaric, Valko and Rosasco (2019), "Gaussian Process Optimization with
Adaptive Sketching: Scalable and No Regret", Algorithm 1. For the DTC posterior $\tilde\mu_t,
\tilde\sigma_t$ on inducing points $S_t$ (`optimist.numerics.nystrom`),
$$x_{t+1} = \arg\max_x\tilde\mu_t(x)+\tilde\beta_t\tilde\sigma_t(x),\qquad
  P(a\in S_{t+1}) = 1-(1-p_a)^{n_a},\quad p_a = \min\{1,\bar q\,\tilde\sigma_t^2(a)\},$$
for every arm a played so far, where $n_a$ counts its plays up to round t + 1. For
$D_t = \sum_an_a\tilde\sigma_t^2(a)$, $\alpha = \frac{1+\varepsilon}{1-\varepsilon}$ and
$B = (1+\frac1{\sqrt{1-\varepsilon}})\sqrt\lambda F$, the radius is

| radius | $\tilde\beta_t$ |
| --- | --- |
| paper (Theorem 4.1, the default) | $2\xi\sqrt{\alpha\log(1+\kappa^2t)D_t+\log(1/\delta)} + B$ |
| corrected | $\xi\sqrt{2(\alpha(1+\log(1+\kappa^2t/\lambda))D_t+\log(1/\delta))} + B$ |
| practical | $\xi\sqrt{D_t\log t+\log(1/\delta)} + \sqrt\lambda F$ |
| matched | radius of exact GP-UCB on the same history |

Deviations: in place of $\log(1+\kappa^2t)$, the paper prints $\log(\kappa^2t)$, which is 0 in the
first round. The paper's proof drops a factor $1/\lambda$, which ``corrected`` restores.
``practical`` is the radius in the authors' library, and ``inclusion=linear`` is the library's
inclusion probability, $\min\{1,n_a\bar q\tilde\sigma^2\}$. If a draw includes no arm, which the
paper does not rule out, the arm with the largest $n_ap_a$ becomes the only inducing point.

Defaults: $\bar q$ is from Theorem 3.1 and the radius from Theorem 4.1, as in the paper. With this
$\bar q$, nearly every arm played remains an inducing point for 2000 rounds, so most experiments use
$\bar q$ = 2, 5 or 10 and the library's radius, as in ``bkb[q_bar=5,radius=practical]``.
"""

import math

import numpy as np

from optimist.algorithms.kernel.inducing_points import InducingPointUCB
from optimist.algorithms.kernel.kernel_ucb import sub_gaussian_radius
from optimist.core.errors import one_of, only_word, positive, proportion
from optimist.environments.problems.kernel import KernelProblem
from optimist.numerics.gaussian_process import GrowingCholesky
from optimist.numerics.nystrom import NystromPosterior

RADII = ("paper", "corrected", "practical", "matched")


class BKB(InducingPointUCB):
    r"""BKB, with time per round proportional to $Ar^2 + m^2r$.

    Here A is the number of arms, and r is the rank of the m inducing points' kernel matrix.

    Parameters
    ----------
    problem : KernelProblem
    q_bar : float or "theory"
        $\bar q$; ``theory`` is its value in Theorem 3.1, $6\alpha\log(4T/\delta)/\varepsilon^2$.
    radius : {"paper", "corrected", "practical", "matched"}
        Radius from the table above.
    epsilon : float
        $\varepsilon$ in (0, 1), the accuracy parameter of the theory.
    inclusion : {"union", "linear"}
        $P(a\in S_{t+1})$ as above, or as in the authors' library.
    cache : bool
        Whether to keep the kernel rows of all u arms played, which takes 8Au bytes. Otherwise,
        every round recomputes the rows of the inducing points, which takes 8Ar bytes, as in the
        theory.
    rng : Generator
        Random stream that draws the first arm and the inducing points.
    """

    reference = "Calandriello et al. (2019), Algorithm 1 and Theorem 4.1"

    def __init__(
        self,
        problem: KernelProblem,
        *,
        q_bar: float | str = "theory",
        radius: str = "paper",
        epsilon: float = 0.5,
        inclusion: str = "union",
        cache: bool = True,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(problem, cache=cache, rng=rng)
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
        self.prior_bound = 0.0  # kappa^2, the largest k(x, x) so far
        # Kernel rows of the basis, (r, A), kept so that `state_bytes` counts them; None if rows are
        # cached.
        self.held: np.ndarray | None = None
        self.exact: GrowingCholesky | None = None
        if radius == "matched":
            self.exact = GrowingCholesky(problem.kernel, problem.ridge)

    # The steps of a round, in order; `KernelUCB` describes when each is called.

    def choose(self) -> int:
        if self.t == 0:
            return int(self.rng.integers(len(self.mean)))
        return int(np.argmax(self.mean + self.beta * np.sqrt(self.leverages)))

    def learn(self, arms: np.ndarray, index: int, reward: float) -> None:
        self.played.add(arms[index], index, reward, self._leverage(arms, index))
        if self.exact is not None:
            self.exact.observe(arms[index], reward)

    def _leverage(self, arms, index):
        """Return the played arm's leverage under the posterior before this play."""
        if self.problem.fixed_arms and len(self.leverages):
            return float(self.leverages[index])
        # The arms may have changed since the last prediction, so compute the leverage again.
        x = arms[index : index + 1]
        prior = self.problem.kernel.diagonal(x)
        if self.posterior is None:
            return float(prior[0]) / self.problem.ridge
        B = self.played.kernel_with(self.drawn[self.posterior.basis], x)
        return float(self.posterior.leverages(B, prior)[0])

    def predict(self, arms: np.ndarray) -> None:
        prior = self.problem.kernel.diagonal(arms)
        self.prior_bound = max(self.prior_bound, float(prior.max()))
        if self.t == 0:
            self.mean, self.leverages = np.zeros(len(arms)), prior / self.problem.ridge
        else:
            if self.is_stale:
                self.resample()
            self._fit(arms, prior)
        self.beta = self.problem.factor * self.confidence_radius()

    def resample(self) -> None:
        """Redraw the inducing points, using the leverages under the last posterior."""
        p = np.minimum(1.0, self.q_bar * self.played.leverages)
        n = self.played.counts
        chance = 1.0 - (1.0 - p) ** n if self.inclusion == "union" else np.minimum(1.0, n * p)
        drawn = np.flatnonzero(self.rng.random(len(chance)) < chance)
        self.drawn = drawn if len(drawn) else np.array([np.argmax(n * p)])

    def _fit(self, arms, prior):
        """Set the mean at ``arms`` (A, d) and the leverages there and at the arms played.

        ``prior`` (A,) holds the prior variances at ``arms``. Computing leverages overwrites the
        kernel rows of the basis.
        """
        played, ridge = self.played, self.problem.ridge
        observed = played.kernel_with_played(self.drawn)  # (m, u)
        K_S = observed[:, self.drawn]
        posterior = NystromPosterior(K_S, observed, played.counts, played.sums, ridge)
        B = played.kernel_with(self.drawn[posterior.basis], arms)
        self.held = None if self.cache else B
        self.mean = posterior.mean(B)
        self.leverages = posterior.leverages(B, prior)
        if self.problem.fixed_arms:
            played.leverages[:] = self.leverages[played.indices]
        else:
            prior = self.problem.kernel.diagonal(played.points)
            played.leverages[:] = posterior.leverages(observed[posterior.basis], prior)
        self.posterior, self.inducing = posterior, len(self.drawn)
        self.information = float(played.counts @ played.leverages)

    def confidence_radius(self) -> float:
        r"""Return $\tilde\beta_t$ without the problem's factor."""
        problem, spent = self.problem, self.information
        tail, bias = -math.log(problem.delta), math.sqrt(problem.ridge) * problem.norm_bound
        growth = self.prior_bound * self.t
        if self.exact is not None:
            return sub_gaussian_radius(problem, self.exact.log_det)
        if self.radius == "practical":
            return problem.deviation * math.sqrt(spent * math.log(max(self.t, 1)) + tail) + bias
        if self.radius == "paper":
            width = 2.0 * math.sqrt(self.alpha * math.log1p(growth) * spent + tail)
        else:
            volume = 1.0 + math.log1p(growth / problem.ridge)
            width = math.sqrt(2.0 * (self.alpha * volume * spent + tail))
        return problem.deviation * width + self.spread * bias
