"""Base class of SoR-UCB and DTC-UCB, which use a fixed number of uniformly drawn points."""

from typing import Any

import numpy as np

from optimist.algorithms.kernel.inducing_points import InducingPointUCB
from optimist.algorithms.kernel.kernel_ucb import sub_gaussian_radius
from optimist.core.errors import one_of, whole_number
from optimist.environments.problems.kernel import KernelProblem
from optimist.numerics.nystrom import NystromPosterior


class FixedSketchUCB(InducingPointUCB):
    r"""Base class of algorithms that use a fixed number of inducing points.

    Parameters
    ----------
    problem : KernelProblem
    size : int
        m, the number of inducing points.
    source : {"arms", "history"}
        ``arms`` draws the inducing points once, from the arms on offer after the first reward;
        ``history`` draws them in every round, from the plays so far.
    rng : Generator
    """

    def __init__(
        self,
        problem: KernelProblem,
        *,
        size: int = 20,
        source: str = "arms",
        rng: np.random.Generator,
    ) -> None:
        super().__init__(problem, cache=source == "history", rng=rng)
        self.size = whole_number("size", size)
        self.source = one_of("source", source, ("arms", "history"))
        self.points: Any = None  # inducing points (m, d) if source is "arms"
        self.gram: Any = None  # kernel matrix (m, m) of these points
        self.kept: Any = None  # kernel matrix (m, A) between these points and fixed arms

    def approximate_leverages(
        self, posterior: NystromPosterior, B: np.ndarray, prior: np.ndarray
    ) -> np.ndarray:
        """Return the leverages of n points as an array of shape (n,).

        Parameters
        ----------
        posterior : NystromPosterior
        B : (r, n) array
            Kernel matrix between the posterior's basis and the points; it may be overwritten.
        prior : (n,) array
            Prior variances at the points.
        """
        return posterior.leverages(B, prior)

    def choose(self) -> int:
        return int(self.rng.integers(len(self.mean))) if self.t == 0 else super().choose()

    def learn(self, arms: np.ndarray, index: int, reward: float) -> None:
        self.played.add(arms[index], index, reward)

    def predict(self, arms: np.ndarray) -> None:
        prior, log_det = self.problem.kernel.diagonal(arms), 0.0
        if self.t == 0:
            self.mean, self.leverages = np.zeros(len(arms)), prior / self.problem.ridge
        else:
            if self.is_stale:
                self._draw(arms)
            self.posterior = self._fit(arms, prior)
            log_det = self.posterior.log_det
        self.beta = self.problem.factor * sub_gaussian_radius(self.problem, log_det)

    def _draw(self, arms):
        """Draw inducing points from the plays so far, or once from ``arms`` (A, d)."""
        if self.source == "history":
            u, n = len(self.played), self.played.counts
            self.drawn = self.rng.choice(u, min(self.size, u), replace=False, p=n / n.sum())
        elif self.points is None:
            drawn = self.rng.choice(len(arms), min(self.size, len(arms)), replace=False)
            self.points = arms[drawn]
            self.gram = self.problem.kernel(self.points, self.points)
            if self.problem.fixed_arms:
                self.kept = self.problem.kernel(self.points, arms)

    def _fit(self, arms, prior):
        """Set the mean at ``arms`` (A, d) and the leverages there and at the arms played.

        Return the posterior. ``prior`` (A,) holds the prior variances at ``arms``.
        """
        played = self.played
        K_S, observed = self._inducing_kernel()
        posterior = NystromPosterior(K_S, observed, played.counts, played.sums, self.problem.ridge)
        B = self._rows(posterior.basis, arms)
        self.mean = posterior.mean(B)
        self.leverages = self.approximate_leverages(posterior, B, prior)
        if self.problem.fixed_arms:
            played.leverages[:] = self.leverages[played.indices]
        else:
            prior = self.problem.kernel.diagonal(played.points)
            rows = observed[posterior.basis]
            played.leverages[:] = self.approximate_leverages(posterior, rows, prior)
        self.inducing = len(K_S)
        self.information = float(played.counts @ played.leverages)
        return posterior

    def _inducing_kernel(self):
        """Return K(S, S) and K(S, P) for the inducing points S and the distinct arms P played."""
        if self.source == "history":
            observed = self.played.kernel_with_played(self.drawn)
            return observed[:, self.drawn], observed
        if self.kept is None:
            return self.gram, self.problem.kernel(self.points, self.played.points)
        return self.gram, self.kept[:, self.played.indices]

    def _rows(self, basis, arms):
        """Return a new (r, A) kernel matrix between inducing points ``basis`` and ``arms``."""
        if self.source == "history":
            return self.played.kernel_with(self.drawn[basis], arms)
        if self.kept is None:
            return self.problem.kernel(self.points[basis], arms)
        return self.kept[basis]
