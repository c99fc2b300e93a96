r"""Comparison of BKB with the exact posterior on BKB's own history.

Calandriello et al. (2019), with $\alpha = \frac{1+\varepsilon}{1-\varepsilon}$. Theorem 3.1:
$\sigma^2/\alpha\le\tilde\sigma^2\le\alpha\sigma^2$ for all arms and rounds and
$|S_t|\le 3(1+\kappa^2/\lambda)\alpha\bar q\,d_{\rm eff}$. Corollary 4.2:
$A_t/\alpha\preceq\tilde A_t\preceq\alpha A_t$ for $A_t = \Phi_t^\top\Phi_t+\lambda I$ and its
sketch. Proposition B.3 orders the effective dimension, the variances spent and the log-determinant.
"""

import math
from itertools import pairwise
from typing import Any

import numpy as np

from optimist.environments.observer import Observer
from optimist.environments.problems.kernel import KernelProblem
from optimist.numerics.gaussian_process import ExactPosterior, dense_posterior
from optimist.numerics.nystrom import pivoted_root

# Rounds at which to compute eigenvalues, O(u^3), and to check the exact posterior.
SPECTRA = (20, 35, 50, 70, 100, 140, 200, 350, 500, 700, 1000, 1400, 2000)
# First round at which to compare radii, which hardly depend on the sketch before.
SETTLED = 20
# Extremes so far. A fact is the worst of them at the end of a trial.
WORST = {
    "ratio_low": np.min,
    "ratio_high": np.max,
    "within": np.min,
    "size_share": np.max,
    "size_per_dimension": np.max,
    "eigenvalue_low": np.min,
    "eigenvalue_high": np.max,
    "radius_share": np.max,
    "regret_share": np.max,
    "chain": np.min,
    "step_error": np.max,
    "drift": np.max,
}
COLUMNS = (
    # BKB's own diagnostics, such as information, its estimate of the dimension.
    *("inducing", "rank", "distinct", "information"),
    *("dimension", "share", "spent", "log_det"),
    *WORST,
)


class SketchObserver(Observer):
    """Compares BKB with the exact posterior in every round, and keeps the worst values.

    Parameters
    ----------
    environment : KernelPool or another environment with a fixed set of arms
    bkb : BKB
    """

    def __init__(self, environment: Any, bkb: Any) -> None:
        problem = bkb.problem
        self.bkb = bkb
        self.exact = ExactPosterior(problem.kernel, environment.arms(0), problem.ridge)
        self.worst: dict[str, float] = {}
        self.inside = 0
        self.spent = self.regret = 0.0
        self.history: list[tuple[int, float]] = []  # of arms and rewards

    @property
    def t(self) -> int:
        """Rounds so far."""
        return len(self.history)

    def note(self, **values: float) -> None:
        """Keep the worse of earlier and new values; NaN stays NaN."""
        for name, value in values.items():
            worse = WORST[name]([self.worst[name], value]) if name in self.worst else value
            self.worst[name] = float(worse)

    def after(
        self, t: int, arms: np.ndarray | None, choice: Any, reward: float, regret: float
    ) -> None:
        """Update the exact posterior like BKB, and compare."""
        before = self.exact.leverages
        self.exact.observe(choice, reward)
        self.history.append((choice, reward))
        self.regret += regret
        self.spent += float(self.exact.leverages[choice])
        self._compare_steps(before, choice)
        self._compare_variances()
        self._compare_sums()
        if self.t in SPECTRA:
            self._compare_matrices()
            self._check_the_exact()

    def columns(self) -> dict[str, float]:
        r"""Return the sizes of the sketch and the worst of every comparison.

        dimension: $d_{\rm eff}$; share: $|S_t|$ over $d_{\rm eff}$; spent: sum of variances at the
        arms played; log_det.

        Extremes so far, NaN where nothing was measured yet. ratio_low, ratio_high: over arms and
        rounds of $\tilde\sigma^2/\sigma^2$; within: share of rounds in which all arms were within
        $[1/\alpha,\alpha]$; size_share: $|S_t|$ over its bound; size_per_dimension:
        $|S_t|/d_{\rm eff}$; chain: the least slack in Proposition B.3, relative; step_error: the
        largest relative violation of Proposition B.1, $\sigma_{t-1}^2/(1+\kappa^2/\lambda)\le
        \sigma_{t-1}^2/(1+\sigma_{t-1}^2) = \sigma_t^2$ at the arm played, and no other grows;
        radius_share: stochastic part of the paper's radius, squared, over that of the exact radius
        and $\alpha^2\log(1+\kappa^2t)$, from round `SETTLED` on; regret_share: regret over the
        bound of Theorem 4.1, see `regret_bound`.

        As of the last round in `SPECTRA`, eigenvalue_low, eigenvalue_high: extremes so far of those
        of Corollary 4.2; drift: largest error of the exact posterior against a fresh factorisation,
        relative of its variances and log-determinant, absolute of its means.
        """
        bkb, exact = self.bkb, self.exact
        d = exact.effective_dimension
        return {
            "dimension": d,
            "share": bkb.inducing / d,
            "spent": self.spent,
            "log_det": exact.log_det,
            **dict.fromkeys(WORST, math.nan),
            **self.worst,
            "within": self.inside / self.t,
        }

    def _compare_steps(self, before, index):
        after, s = self.exact.leverages, before[index]
        least = s / (1.0 + self.bkb.prior_bound / self.exact.ridge)
        errors = [
            0.0,
            float((after / before).max()) - 1.0,
            abs(after[index] * (1.0 + s) / s - 1.0),
            least / after[index] - 1.0,
        ]
        self.note(step_error=np.max(errors))

    def _compare_variances(self):
        ratio, alpha = self.bkb.leverages / self.exact.leverages, self.bkb.alpha
        low, high = float(ratio.min()), float(ratio.max())
        self.note(ratio_low=low, ratio_high=high)
        self.inside += low >= 1.0 / alpha and high <= alpha

    def _compare_sums(self):
        bkb, exact, alpha = self.bkb, self.exact, self.bkb.alpha
        d, prior, tail = exact.effective_dimension, bkb.prior_bound, -math.log(bkb.problem.delta)
        log_t = math.log1p(prior * self.t)
        bound = 3.0 * (1.0 + prior / exact.ridge) * alpha * bkb.q_bar * d
        sums = [d, self.spent, exact.log_det]
        self.note(
            size_share=bkb.inducing / bound,
            size_per_dimension=bkb.inducing / d,
            regret_share=self.regret / regret_bound(bkb.problem, alpha, self.t, d * log_t),
            chain=np.min([b / a - 1.0 for a, b in pairwise(sums)]),
        )
        if self.t >= SETTLED:
            sketched = 2.0 * (alpha * log_t * bkb.information + tail) / (exact.log_det + tail)
            self.note(radius_share=sketched / (alpha**2 * log_t))

    def _compare_matrices(self):
        exact, played = self.exact, self.bkb.played
        K = exact.kernel(played.points, played.points)
        root = np.sqrt(played.counts)
        largest = float(np.linalg.eigvalsh(root[:, None] * K * root)[-1])  # of K_t
        bound = exact.effective_dimension * (1.0 + math.log1p(largest / exact.ridge))
        low, high = spectrum(self.bkb)
        self.note(chain=bound / exact.log_det - 1.0, eigenvalue_low=low, eigenvalue_high=high)

    def _check_the_exact(self):
        exact = self.exact
        indices, rewards = map(np.array, zip(*self.history, strict=True))
        mean, leverages, log_det = dense_posterior(
            exact.kernel, exact.points[indices], rewards, exact.points, exact.ridge
        )
        errors = [
            np.abs(exact.mean - mean).max(),
            np.abs(exact.leverages / leverages - 1.0).max(),
            abs(exact.log_det / log_det - 1.0),
        ]
        self.note(drift=np.max(errors))


def regret_bound(problem: KernelProblem, alpha: float, t: int, volume: float) -> float:
    r"""Return the bound of Theorem 4.1 on the regret of t rounds.

    ``volume`` is $v = d_{\rm eff}\log(1+\kappa^2t)$, with which the bound is
    $2(2\alpha)^{3/2}\sqrt t(\xi v+\sqrt{\lambda F^2v}+\xi\log(1/\delta))$.
    """
    bias = problem.norm_bound * math.sqrt(problem.ridge * volume)
    width = problem.deviation * (volume - math.log(problem.delta)) + bias
    return 2.0 * (2.0 * alpha) ** 1.5 * math.sqrt(t) * width


def spectrum(bkb: Any) -> tuple[float, float]:
    r"""Return the extreme generalised eigenvalues of $(\tilde A_t, A_t)$ on the arms played."""
    played, kernel, ridge = bkb.played, bkb.problem.kernel, bkb.problem.ridge
    points = played.points
    K = kernel(points, points)
    basis, root = pivoted_root(K)
    features = K[:, basis] @ root.T  # of all points, in an orthonormal basis of their span
    span = np.linalg.qr(features[bkb.drawn[bkb.posterior.basis]].T)[0]
    projected = features @ span @ span.T
    eye = ridge * np.eye(features.shape[1])
    A = (features.T * played.counts) @ features + eye
    sketched = (projected.T * played.counts) @ projected + eye
    L = np.linalg.cholesky(A)
    inverse = np.linalg.inv(L)
    values = np.linalg.eigvalsh(inverse @ sketched @ inverse.T)
    return float(values[0]), float(values[-1])
