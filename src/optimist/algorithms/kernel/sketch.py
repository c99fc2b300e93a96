"""What the methods with inducing points share: what was played, and the posterior from it."""

from abc import abstractmethod

import numpy as np

from optimist.algorithms.kernel.optimism import KernelUCB
from optimist.errors import one_of
from optimist.numerics.nystrom import NystromPosterior

INITIAL_ROWS = 16


class Played:
    """The distinct arms played so far, in the order of their first play.

    Parameters
    ----------
    kernel : Kernel
    arms : (A, d) array or None
        Fixed arms whose kernel rows are kept; None to keep none.

    Attributes
    ----------
    counts, sums, leverages : (u,) arrays
        Plays, sums of rewards, and the leverages last computed, of each arm.
    points : (u, d) array
    indices : list of int
        Where they stand among the arms; meaningful where those are fixed.
    """

    def __init__(self, kernel, arms=None):
        self.kernel = kernel
        self._arms = arms
        self._places = {}  # of an arm's bytes
        self.indices = []
        self._points = None
        self._numbers = np.zeros((3, INITIAL_ROWS))
        self._rows = None if arms is None else np.empty((INITIAL_ROWS, len(arms)))

    def __len__(self):
        return len(self._places)

    @property
    def counts(self):
        return self._numbers[0, : len(self)]

    @property
    def sums(self):
        return self._numbers[1, : len(self)]

    @property
    def leverages(self):
        return self._numbers[2, : len(self)]

    @property
    def points(self):
        return self._points[: len(self)]

    @property
    def rows(self):
        """The kept kernel rows, (u, A)."""
        return self._rows[: len(self)]

    @property
    def nbytes(self):
        """Bytes in use."""
        if not len(self):
            return 0
        rows = 0 if self._rows is None else self.rows.nbytes
        return 32 * len(self) + self.points.nbytes + rows

    def add(self, x, index, reward, leverage):
        """Record a play of ``x`` (d,), arm ``index``, whose leverage was ``leverage`` before it."""
        key = x.tobytes()
        if key not in self._places:
            self._append(x, leverage)
            self._places[key] = len(self._places)
            self.indices.append(index)
        place = self._places[key]
        self._numbers[:2, place] += 1.0, reward

    def _append(self, x, leverage):
        if self._points is None:
            self._points = np.empty((INITIAL_ROWS, len(x)))
        u = len(self)
        if u == len(self._points):
            self._points = np.concatenate([self._points, np.empty_like(self._points)])
            self._numbers = np.concatenate([self._numbers, np.zeros_like(self._numbers)], axis=1)
            if self._rows is not None:
                self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._points[u] = x
        self._numbers[2, u] = leverage
        if self._rows is not None:
            self._rows[u] = self.kernel(x[None], self._arms)[0]


class SketchedUCB(KernelUCB):
    r"""Base of the learners with the posterior of inducing points.

    Parameters
    ----------
    problem : KernelProblem
    cache : bool
        Keep the kernel rows of all arms played, where the arms are fixed.
    rng : Generator
        Draws the first arm, and what the subclass draws.
    """

    def __init__(self, problem, *, cache, rng):
        self.cache = one_of("cache", cache, (True, False))
        self.rng = rng
        super().__init__(problem)
        self.played = Played(problem.kernel)
        self.drawn = np.empty(0, dtype=int)  # inducing points, as places among the arms played
        self.posterior = None
        self.inducing = 0  # number of inducing points
        self.information = 0.0  # D_t, an estimate of the effective dimension
        self.prior_bound = 0.0  # largest k(x, x) seen

    @abstractmethod
    def sketch(self, arms):
        """Return the kernel of the inducing points with each other, ``arms`` and what was played.

        Shapes (m, m), (m, A) and (m, u). Drawn anew, if at all, when ``is_stale``.
        """

    def of_played(self, places, arms):
        """Return what `sketch` does for inducing points at ``places`` among the arms played."""
        kernel, played = self.problem.kernel, self.played
        if not self.problem.fixed_arms:
            S = played.points[places]
            return kernel(S, S), kernel(S, arms), kernel(S, played.points)
        B = played.rows[places] if self.cache else kernel(played.points[places], arms)
        observed = B[:, played.indices]
        return observed[:, places], B, observed

    @abstractmethod
    def sketch_radius(self):
        r"""Return $\tilde\beta_t$, before the common factor."""

    def approximate_leverages(self, B, diagonal):
        """Return the leverages at points of kernel ``B`` (m, n) with the inducing points, (n,)."""
        return self.posterior.leverages(B, diagonal)

    def begin(self):
        if self.cache:
            self.played = Played(self.problem.kernel, self.arms)

    def choose(self):
        return int(self.rng.integers(len(self.mean))) if self.t == 0 else super().choose()

    def learn(self, arms, index, reward):
        if len(self.leverages) == 0:
            self.predict(arms)
        self.played.add(arms[index], index, reward, float(self.leverages[index]))

    def predict(self, arms):
        diagonal = self.problem.kernel.diagonal(arms)
        self.prior_bound = max(self.prior_bound, float(diagonal.max()))
        played = self.played
        if self.t == 0:
            self.mean, self.leverages = np.zeros(len(arms)), diagonal / self.problem.ridge
        else:
            K_S, B, observed = self.sketch(arms)
            self.inducing = len(K_S)
            self.posterior = NystromPosterior(
                K_S, observed, played.counts, played.sums, self.problem.ridge
            )
            self.mean = self.posterior.mean(B)
            self.leverages = self.approximate_leverages(B, diagonal)
            played.leverages[:] = self._played_leverages(observed)
            self.information = float(played.counts @ played.leverages)
        self.beta = self.problem.radius_scale * self.sketch_radius()

    def _played_leverages(self, observed):
        if self.problem.fixed_arms:
            return self.leverages[self.played.indices]
        return self.approximate_leverages(
            observed, self.problem.kernel.diagonal(self.played.points)
        )

    def diagnostics(self):
        rank = 0 if self.posterior is None else self.posterior.rank
        return {
            "inducing": self.inducing,
            "rank": rank,
            "distinct": len(self.played),
            "information": self.information,
        }
