r"""One-parameter exponential families in natural form.

A reward with linear predictor $z = x^\top\theta$ has density
$\exp\{(rz - m(z))/g + h(r)\}$, mean $\mu(z) = m'(z)$ and variance $g\,\mu'(z)$
(Zhang et al. 2025, Section 2).
"""

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from optimist.core.errors import known_name, positive


class Link(ABC):
    r"""Log-partition function $m$, its derivatives, and the constants used in the papers.

    Attributes
    ----------
    dispersion : float
        $g(\tau)$.
    self_concordance : float
        $R$ with $|\mu''| \le R\mu'$.
    cap : float
        Upper limit of the linear predictor; beyond it, the mean is constant.
    """

    name: str
    cap = math.inf
    dispersion = 1.0
    self_concordance = 1.0

    @abstractmethod
    def log_partition(self, z: Any) -> Any:
        """Return m(z), elementwise."""

    @abstractmethod
    def mean(self, z: Any) -> Any:
        """Return mu(z), elementwise."""

    @abstractmethod
    def slope(self, z: Any) -> Any:
        """Return mu'(z), elementwise."""

    def jet(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return m, mu and mu' at ``z``, computed together to save exponentials."""
        return self.log_partition(z), self.mean(z), self.slope(z)

    @abstractmethod
    def slope_bounds(self, bound: float) -> tuple[float, float]:
        r"""Return $(c_\mu, C_\mu)$, the extremes of $\mu'$ on $|z| \le$ ``bound``."""

    @abstractmethod
    def lipschitz(self, bound: float, observations: int, dimension: int, delta: float) -> float:
        """Return L_t, a Lipschitz constant of the log-likelihood on a ball.

        The constants are those of Lee et al. (2024), Table 1.

        Parameters
        ----------
        bound : float
            Radius of the ball.
        observations : int
            Number of rewards so far.
        dimension : int
            d, the dimension of the parameter vector.
        delta : float
            Failure probability: the constant is valid with probability 1 - delta.
        """

    @abstractmethod
    def sample(self, rng: np.random.Generator, means: np.ndarray) -> np.ndarray:
        """Draw one reward for every entry of ``means``, an array of any shape."""


class Logistic(Link):
    """Bernoulli rewards with mu(z) = 1 / (1 + exp(-z))."""

    name = "logistic"

    def log_partition(self, z: Any) -> Any:
        # log(1 + e^z) = max(z, 0) + log(1 + e^-|z|). The absolute error is that of rounding
        # 1 + e^-|z|.
        return np.maximum(z, 0.0) + np.log(1.0 + np.exp(-np.abs(z)))

    def mean(self, z: Any) -> Any:
        if isinstance(z, float):
            return 1.0 / (1.0 + math.exp(-z)) if z > -700.0 else 0.0
        e = np.exp(-np.abs(z))
        return np.where(z >= 0.0, 1.0, e) / (1.0 + e)

    def slope(self, z: Any) -> Any:
        if isinstance(z, float):
            e = math.exp(-abs(z))
            return e / ((1.0 + e) * (1.0 + e))
        e = np.exp(-np.abs(z))
        return e / np.square(1.0 + e)

    def jet(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        # This is the inner loop of the likelihood methods, so it computes in place where possible.
        # The absolute error of the mean is at most one rounding error; its relative error may be
        # larger.
        e = np.abs(z)
        np.negative(e, out=e)
        np.exp(e, out=e)
        one_plus_e = 1.0 + e
        upper = 1.0 / one_plus_e  # mu(|z|)
        np.multiply(e, upper, out=e)  # mu(-|z|)
        slope = upper * e
        upper -= 0.5
        np.copysign(upper, z, out=upper)
        upper += 0.5
        np.log(one_plus_e, out=one_plus_e)
        one_plus_e += np.maximum(z, 0.0)
        return one_plus_e, upper, slope

    def slope_bounds(self, bound: float) -> tuple[float, float]:
        return float(self.slope(float(bound))), 0.25

    def lipschitz(self, bound: float, observations: int, dimension: int, delta: float) -> float:
        return (1.0 + bound / 2.0) * observations

    def sample(self, rng: np.random.Generator, means: np.ndarray) -> np.ndarray:
        return np.asarray(rng.random(np.shape(means)) < means, dtype=float)


class Poisson(Link):
    """Poisson rewards with mu(z) = exp(z)."""

    name = "poisson"
    # The cap limits unconstrained Newton steps; exp(30) is far beyond any ball of interest.
    cap = 30.0

    def log_partition(self, z: Any) -> Any:
        if isinstance(z, float):
            return math.exp(min(z, self.cap))
        return np.exp(np.minimum(z, self.cap))

    mean = log_partition
    slope = log_partition

    def jet(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        e = self.log_partition(z)
        return e, e, e

    def slope_bounds(self, bound: float) -> tuple[float, float]:
        return float(np.exp(-bound)), float(np.exp(bound))

    def lipschitz(self, bound: float, observations: int, dimension: int, delta: float) -> float:
        return math.exp(bound) * observations + math.log(dimension / delta)

    def sample(self, rng: np.random.Generator, means: np.ndarray) -> np.ndarray:
        return np.asarray(rng.poisson(means), dtype=float)


class Gaussian(Link):
    """Gaussian rewards with mu(z) = z and a known standard deviation, ``sigma``.

    Raises
    ------
    ConfigError
        If ``sigma`` is not positive.
    """

    name = "gaussian"
    self_concordance = 0.0

    def __init__(self, sigma: float = 1.0) -> None:
        self.sigma = positive("link sigma", sigma)
        self.dispersion = self.sigma**2

    def log_partition(self, z: Any) -> Any:
        return 0.5 * z * z

    def mean(self, z: Any) -> Any:
        return z

    def slope(self, z: Any) -> Any:
        return 1.0 if isinstance(z, float) else np.ones_like(z)

    def slope_bounds(self, bound: float) -> tuple[float, float]:
        return 1.0, 1.0

    def lipschitz(self, bound: float, observations: int, dimension: int, delta: float) -> float:
        noise = self.sigma * math.sqrt(2.0 * observations * math.log(2.0 * dimension / delta))
        return (2.0 * bound * observations + noise) / self.dispersion

    def sample(self, rng: np.random.Generator, means: np.ndarray) -> np.ndarray:
        return means + self.sigma * rng.standard_normal(np.shape(means))


LINKS = {"logistic": Logistic, "poisson": Poisson, "gaussian": Gaussian}


def make_link(name: str, **parameters: Any) -> Link:
    """Return the link called ``name``.

    Parameters
    ----------
    name : {"logistic", "poisson", "gaussian"}
    **parameters
        Parameters of the link's class: ``sigma`` for ``gaussian``, none for the others.

    Raises
    ------
    ConfigError
        If the name is unknown or sigma is not positive.
    """
    known_name("link", name, LINKS)
    return LINKS[name](**parameters)
