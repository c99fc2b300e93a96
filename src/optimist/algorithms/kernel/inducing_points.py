"""Base class of methods that use inducing points, and a record of the arms played."""

import numpy as np

from optimist.algorithms.kernel.kernel_ucb import KernelUCB
from optimist.core.errors import one_of
from optimist.environments.problems.kernel import KernelProblem
from optimist.numerics.growing import GrowingArray
from optimist.numerics.kernels import Kernel
from optimist.numerics.nystrom import NystromPosterior


class Played:
    """Record of the distinct arms played so far, in the order of their first plays.

    Parameters
    ----------
    kernel : Kernel
    arms : (A, d) array or None
        Fixed arms, whose kernel matrix with the arms played is stored; None to store no kernel
        matrix.

    Attributes
    ----------
    counts, sums, leverages : (u,) arrays
        Number of plays, sum of rewards, and last computed leverage of each arm.
    points : (u, d) array
    indices : (u,) array of int
        Index of each played arm among all arms; meaningful only if the arms are fixed.
    """

    def __init__(self, kernel: Kernel, arms: np.ndarray | None = None) -> None:
        self.kernel = kernel
        self._arms = arms
        self._places: dict[bytes, int] = {}  # position of each arm, keyed by its bytes
        self._counts, self._sums, self._leverages = GrowingArray(), GrowingArray(), GrowingArray()
        self._indices = GrowingArray(dtype=int)
        self._points: GrowingArray | None = None
        self._rows = None if arms is None else GrowingArray(len(arms))

    def __len__(self) -> int:
        return len(self._places)

    @property
    def counts(self) -> np.ndarray:
        return self._counts.values

    @property
    def sums(self) -> np.ndarray:
        return self._sums.values

    @property
    def leverages(self) -> np.ndarray:
        return self._leverages.values

    @property
    def indices(self) -> np.ndarray:
        return self._indices.values

    @property
    def points(self) -> np.ndarray:
        return np.empty((0, 0)) if self._points is None else self._points.values

    @property
    def nbytes(self) -> int:
        """Number of bytes in use."""
        parts = (self._counts, self._sums, self._leverages, self._indices, self._points, self._rows)
        return sum(part.nbytes for part in parts if part is not None)

    def kernel_with_played(self, places: np.ndarray) -> np.ndarray:
        """Return the (m, u) kernel matrix between the arms at ``places`` and all played arms."""
        if self._rows is None:
            return self.kernel(self.points[places], self.points)
        return self._rows.values[places[:, None], self.indices]

    def kernel_with(self, places: np.ndarray, arms: np.ndarray) -> np.ndarray:
        """Return a new kernel matrix between the played arms at ``places`` (m,) and ``arms``."""
        if self._rows is None:
            return self.kernel(self.points[places], arms)
        return self._rows.values[places]

    def add(self, x: np.ndarray, index: int, reward: float, leverage: float = 0.0) -> None:
        """Record a play of arm ``x`` (d,) and its reward; store ``leverage`` if the arm is new."""
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


class InducingPointUCB(KernelUCB):
    r"""Base class of algorithms that approximate the posterior with inducing points.

    Parameters
    ----------
    problem : KernelProblem
    cache : bool
        Whether to keep the kernel rows of all arms played, if the arms are fixed.
    rng : Generator
        Random stream that draws the first arm and the inducing points.

    Attributes
    ----------
    played : Played
    drawn : (m,) array of int
        Positions in ``played`` of the inducing points drawn from it.
    inducing : int
        Number of inducing points.
    information : float
        $D_t = \sum_an_a\tilde\sigma_t^2(a)$, an estimate of the effective dimension.
    """

    def __init__(self, problem: KernelProblem, *, cache: bool, rng: np.random.Generator) -> None:
        super().__init__(problem)
        self.cache = one_of("cache", cache, (True, False))
        self.rng = rng
        self.played = Played(problem.kernel)
        self.drawn = np.empty(0, dtype=int)
        self.posterior: NystromPosterior | None = None
        self.inducing = 0
        self.information = 0.0

    def begin(self, arms: np.ndarray) -> None:
        if self.cache:
            self.played = Played(self.problem.kernel, arms)

    def diagnostics(self) -> dict[str, float]:
        return {
            "inducing": self.inducing,
            "rank": 0 if self.posterior is None else len(self.posterior.basis),
            "distinct": len(self.played),
            "information": self.information,
        }
