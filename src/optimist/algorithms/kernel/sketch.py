"""What the methods with inducing points share: what was played, and the posterior from it."""

from abc import abstractmethod

import numpy as np

from optimist.algorithms.kernel.optimism import KernelUCB
from optimist.errors import one_of
from optimist.numerics.growing import GrowingArray
from optimist.numerics.nystrom import NystromPosterior


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
    indices : (u,) array of int
        Where they stand among the arms; meaningful where those are fixed.
    """

    def __init__(self, kernel, arms=None):
        self.kernel = kernel
        self._arms = arms
        self._places = {}  # of an arm's bytes
        self._counts, self._sums, self._leverages = GrowingArray(), GrowingArray(), GrowingArray()
        self._indices = GrowingArray(dtype=int)
        self._points = None
        self._rows = None if arms is None else GrowingArray(len(arms))

    def __len__(self):
        return len(self._places)

    @property
    def counts(self):
        return self._counts.values

    @property
    def sums(self):
        return self._sums.values

    @property
    def leverages(self):
        return self._leverages.values

    @property
    def indices(self):
        return self._indices.values

    @property
    def points(self):
        return self._points.values

    @property
    def rows(self):
        """The kept kernel rows, (u, A)."""
        return self._rows.values

    @property
    def nbytes(self):
        """Bytes in use."""
        parts = (self._counts, self._sums, self._leverages, self._indices, self._points, self._rows)
        return sum(part.nbytes for part in parts if part is not None)

    def add(self, x, index, reward, leverage):
        """Record a play of ``x`` (d,), arm ``index``, whose leverage was ``leverage`` before it."""
        place = self._places.setdefault(x.tobytes(), len(self._places))
        if place == len(self._counts):
            self._append(x, index, leverage)
        self.counts[place] += 1.0
        self.sums[place] += reward

    def _append(self, x, index, leverage):
        if self._points is None:
            self._points = GrowingArray(len(x))
        self._points.append(x)
        self._indices.append(index)
        self._leverages.append(leverage)
        self._counts.append(0.0)
        self._sums.append(0.0)
        if self._rows is not None:
            self._rows.append(self.kernel(x[None], self._arms)[0])


class SketchedUCB(KernelUCB):
    r"""Base of the algorithms with the posterior of inducing points.

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
        self.keeps_rows = cache and problem.fixed_arms
        self.drawn = np.empty(0, dtype=int)  # inducing points, as places among the arms played
        self.posterior = None
        self.inducing = 0  # number of inducing points
        self.information = 0.0  # D_t, an estimate of the effective dimension
        self.prior_bound = 0.0  # largest k(x, x) seen

    @abstractmethod
    def draw(self, arms):
        """Draw inducing points, once after each reward; ``arms`` (A, d) are those on offer."""

    @abstractmethod
    def sketch_radius(self):
        r"""Return $\tilde\beta_t$, before the common factor."""

    def inducing_kernel(self):
        """Return the kernel of inducing points with each other and what was played.

        Shapes (m, m) and (m, u). Here and below, inducing points are those `drawn` from the plays.
        """
        played, places = self.played, self.drawn
        if self.keeps_rows:
            observed = played.rows[places[:, None], played.indices]
        else:
            observed = self.problem.kernel(played.points[places], played.points)
        return observed[:, places], observed

    def rows(self, basis, arms):
        """Return the kernel of the inducing points in ``basis`` (r,) with ``arms``, (r, A)."""
        places = self.drawn[basis]
        if self.keeps_rows:
            return self.played.rows[places]
        return self.problem.kernel(self.played.points[places], arms)

    def approximate_leverages(self, B, diagonal):
        """Return leverages (n,) given the kernel ``B`` (r, n) with the basis, overwritten."""
        return self.posterior.leverages(B, diagonal)

    def begin(self):
        if self.keeps_rows:
            self.played = Played(self.problem.kernel, self.arms)

    def choose(self):
        return int(self.rng.integers(len(self.mean))) if self.t == 0 else super().choose()

    def learn(self, arms, index, reward):
        self.played.add(arms[index], index, reward, self._leverage(arms, index))

    def _leverage(self, arms, index):
        """Return the leverage of an arm about to be recorded, by the last posterior."""
        if self.problem.fixed_arms and len(self.leverages):
            return float(self.leverages[index])
        # The arms may not be those that were last predicted.
        x = arms[index : index + 1]
        diagonal = self.problem.kernel.diagonal(x)
        if self.posterior is None:
            return float(diagonal[0]) / self.problem.ridge
        B = self.rows(self.posterior.basis, x)
        return float(self.approximate_leverages(B, diagonal)[0])

    def predict(self, arms):
        diagonal = self.problem.kernel.diagonal(arms)
        self.prior_bound = max(self.prior_bound, float(diagonal.max()))
        if self.t == 0:
            self.mean, self.leverages = np.zeros(len(arms)), diagonal / self.problem.ridge
        else:
            if self.is_stale:
                self.draw(arms)
            self._predict_from_sketch(arms, diagonal)
        self.beta = self.problem.factor * self.sketch_radius()

    def _predict_from_sketch(self, arms, diagonal):
        played = self.played
        K_S, observed = self.inducing_kernel()
        self.inducing = len(K_S)
        self.posterior = NystromPosterior(
            K_S, observed, played.counts, played.sums, self.problem.ridge
        )
        basis = self.posterior.basis
        B = self.rows(basis, arms)
        self.mean = self.posterior.mean(B)
        self.leverages = self.approximate_leverages(B, diagonal)
        if self.problem.fixed_arms:
            played.leverages[:] = self.leverages[played.indices]
        else:
            prior = self.problem.kernel.diagonal(played.points)
            played.leverages[:] = self.approximate_leverages(observed[basis], prior)
        self.information = float(played.counts @ played.leverages)

    def diagnostics(self):
        rank = 0 if self.posterior is None else len(self.posterior.basis)
        return {
            "inducing": self.inducing,
            "rank": rank,
            "distinct": len(self.played),
            "information": self.information,
        }
