r"""Functions in the RKHS of a kernel, on finitely many arms, with Gaussian or Rademacher noise.

The functions have norm 1,
$$f(x) = \sum_jw_jk(c_j,x),\qquad w^\top K_cw = 1,$$
and an observation is $y = f(x) + \xi\eta$. The noise $\eta$ of a round is the same for all arms and
algorithms. The instances are

``cube``     arms and 30 centres uniform in $[0,1]^d$; Gaussian weights
``sphere``   arms uniform on the unit sphere; a linear function, given by a random unit vector
``corner``   arms in $[0,1/2]^d$, except that one in fifty is within 0.05 of the corner
             $(0.95,\dots,0.95)$; 30 centres in $[0,1/2]^d$, with total squared norm 0.36, and one
             centre in the corner, with squared norm 0.64
``hidden``   arms on the unit sphere of the first d - 1 coordinates, plus the last unit vector; a
             linear function with a quarter of its squared norm in the first d - 1 coordinates
``strings``  random strings of 12 letters from an alphabet of 4; 30 of them are centres; the kernel
             counts the triples of letters that two strings share

The paper (Calandriello et al. 2019) has no such experiments; we added them.
"""

import math
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np

from optimist.core.errors import ConfigError, one_of, positive
from optimist.environments.base import check_sizes
from optimist.environments.kernel_pool import KernelPool
from optimist.environments.pool import check_subset
from optimist.numerics.kernels import GramKernel, Kernel, make_kernel
from optimist.numerics.linear import norms

CENTRES = 30
LETTERS, LENGTH, WORD = 4, 12, 3


class KernelEnvironment(KernelPool):
    r"""Environment that draws arms and a function in the RKHS of a kernel for every trial.

    Parameters
    ----------
    horizon : int
        T, the number of rounds, known to the algorithms.
    trial : int
        Index of the trial, counted from 0.
    stream : callable
        Maps a purpose (str) to the numpy Generator for this setting and trial.
    kernel : {"gaussian", "matern12", "matern32", "matern52", "linear", "strings"}
        Kernel whose RKHS contains the function; algorithms know it.
    lengthscale : float or None
        Lengthscale of a stationary kernel; None for other kernels.
    instance : {"cube", "sphere", "corner", "hidden", "strings"}
        How arms and the function are drawn; see the module's docstring.
    dimension : int
        d, the number of coordinates of an arm; ignored for strings.
    arms : int
        A, the total number of arms.
    deviation : float
        $\xi$, the standard deviation of the noise.
    noise : {"normal", "rademacher"}
        Law of the noise.
    subset : int or None
        Number of randomly drawn arms that each round offers; None means all arms.

    Raises
    ------
    ConfigError
        If a parameter is out of range.
    """

    def __init__(
        self,
        *,
        horizon: int,
        trial: int,
        stream: Callable[[str], np.random.Generator],
        kernel: str,
        lengthscale: float | None = None,
        instance: str = "cube",
        dimension: int = 2,
        arms: int = 1000,
        deviation: float = 0.1,
        noise: str = "normal",
        subset: int | None = None,
    ) -> None:
        self.horizon = horizon
        one_of("instance", instance, INSTANCES)
        one_of("noise", noise, NOISES)
        check_sizes(dimension, arms, 2 if instance == "hidden" else 1, 2)
        check_subset(subset, arms)
        self.deviation = positive("deviation", deviation)
        self._check_fit(kernel, instance)
        if instance == "strings" and lengthscale is not None:
            raise ConfigError(f"lengthscale is {lengthscale!r}; allowed for kernel 'strings': null")
        if instance != "strings":  # the kernel for strings depends on the strings drawn
            self.kernel: Kernel = make_kernel(kernel, lengthscale)
        points, function = self._draw(stream("instance"), instance, arms, dimension)
        offered = None
        if subset is not None:
            rng = stream("subsets")
            offered = np.array([rng.choice(arms, subset, replace=False) for _ in range(horizon)])
        added = self.deviation * NOISES[noise](stream("noise"), horizon)
        self.fill(points, function, added, offered)

    # mypy treats a cached property as read-only.
    @cached_property
    def theta(self) -> np.ndarray | None:  # type: ignore[override]
        return self._means if self._offered is None else None

    @staticmethod
    def _check_fit(kernel: Any, instance: Any) -> None:
        needed = {"sphere": "linear", "hidden": "linear", "strings": "strings"}
        if instance in needed and kernel != needed[instance]:
            raise ConfigError(
                f"kernel is {kernel!r}; allowed for instance {instance!r}: {needed[instance]}"
            )
        if kernel in ("linear", "strings") and instance not in needed:
            names = [name for name, k in needed.items() if k == kernel]
            raise ConfigError(
                f"instance is {instance!r}; allowed for kernel {kernel!r}: {', '.join(names)}"
            )

    def _draw(self, rng, instance, arms, dimension):
        """Return arms of shape (A, d) and values of shape (A,), or a callable for the values."""
        if instance != "strings":
            return INSTANCES[instance](rng, self.kernel, arms, dimension)
        self.kernel, points = _strings(rng, arms)
        centres = rng.choice(arms, min(CENTRES, arms), replace=False)
        return points, _unit_function(rng, self.kernel, points[centres], points)

    def truth(self, t: int) -> np.ndarray | None:
        # If the arms change, an algorithm has bounds only for those of the previous round.
        if self._offered is None:
            return self.theta
        return self.means(t - 1) if t else None

    def facts(self) -> dict[str, float]:
        f = self._means
        return {"function_largest": float(f.max()), "function_mean": float(f.mean())}


def _unit_function(rng, kernel, centres, points):
    """Draw a weighted sum, of norm 1, of kernels at ``centres``.

    Return a callable that evaluates it at ``points``.
    """
    return partial(_combined, rng.standard_normal(len(centres)), kernel, centres, points)


def _combined(w, kernel, centres, points):
    return (w / math.sqrt(w @ kernel(centres, centres) @ w)) @ kernel(centres, points)


def _cube(rng, kernel, arms, dimension):
    points = rng.random((arms, dimension))
    return points, _unit_function(rng, kernel, rng.random((CENTRES, dimension)), points)


def _sphere(rng, kernel, arms, dimension):
    points, theta = rng.standard_normal((arms, dimension)), rng.standard_normal(dimension)
    points /= norms(points)[:, None]
    return points, points @ (theta / math.sqrt(theta @ theta))


def _corner(rng, kernel, arms, dimension):
    points = 0.5 * rng.random((arms, dimension))
    few = rng.choice(arms, max(1, arms // 50), replace=False)
    points[few] = 0.95 + 0.05 * rng.uniform(-1.0, 1.0, (len(few), dimension))
    corner = np.full((1, dimension), 0.95)
    centres = 0.5 * rng.random((CENTRES, dimension))
    of_the_bulk = _unit_function(rng, kernel, centres, np.vstack([points, corner]))
    return points, partial(_with_a_peak, of_the_bulk, kernel, corner, points)


def _with_a_peak(of_the_bulk, kernel, corner, points):
    """Evaluate the sum of 0.6 f and 0.8 k(corner, .), divided by its norm.

    ``of_the_bulk`` returns the values of f at ``points`` and then at the corner.
    """
    *bulk, there = of_the_bulk()
    # The squared norm of the sum is 0.6^2 + 0.8^2 + 2 * 0.6 * 0.8 * f(corner).
    norm = math.sqrt(1.0 + 2.0 * 0.6 * 0.8 * there)
    return (0.6 * np.array(bulk) + 0.8 * kernel(corner, points)[0]) / norm


def _hidden(rng, kernel, arms, dimension):
    points, theta = np.zeros((arms, dimension)), np.zeros(dimension)
    points[:, :-1] = rng.standard_normal((arms, dimension - 1))
    points /= norms(points)[:, None]
    points[rng.integers(arms)] = np.eye(dimension)[-1]
    theta[:-1] = rng.standard_normal(dimension - 1)
    theta *= 0.5 / math.sqrt(theta @ theta)
    theta[-1] = math.sqrt(0.75)
    return points, points @ theta


def _strings(rng, arms):
    """Draw strings; return their kernel, and their indices as arms of shape (A, 1)."""
    letters = rng.integers(LETTERS, size=(arms, LENGTH))
    words = sum(
        LETTERS**i * letters[:, i : LENGTH - WORD + 1 + i] for i in range(WORD)
    )  # index of the word at each position
    counts = np.array([np.bincount(row, minlength=LETTERS**WORD) for row in words], dtype=float)
    counts /= norms(counts)[:, None]
    gram = counts @ counts.T
    return GramKernel(0.5 * (gram + gram.T)), np.arange(arms, dtype=float)[:, None]


INSTANCES: dict[str, Callable] = {
    "cube": _cube,
    "sphere": _sphere,
    "corner": _corner,
    "hidden": _hidden,
    "strings": _strings,
}
NOISES = {
    "normal": lambda rng, size: rng.standard_normal(size),
    "rademacher": lambda rng, size: rng.choice([-1.0, 1.0], size),
}
