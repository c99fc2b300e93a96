r"""Probability laws for noise, most of them heavy-tailed, and their moments.

Laws are parametrised as in `scipy.stats`. Noise is a draw minus the law's centre, which is the mean
by default. Moments are taken about the mean:
$$m_q = \mathbb E|\eta - \mathbb E\eta|^q,\qquad \nu_q = m_q^{1/q}.$$
They are finite only for q below the tail index.
"""

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from optimist.core.errors import ConfigError, known_name, positive

CENTRES = ("mean", "median")
# Step size of the quadrature for moments, and number of steps on each side of 0.
STEP, STEPS = 1.0 / 128.0, 38 * 128


class Law(ABC):
    """A probability law on the real line with a finite mean.

    Attributes
    ----------
    tail : float
        Tail index: moments of order q exist for q < tail; inf for the normal law.
    mean, median : float
    variance : float
        inf if the second moment does not exist.
    """

    name: str
    tail: float
    mean: float
    median: float
    variance: float

    @abstractmethod
    def draw(self, rng: np.random.Generator, size: Any) -> np.ndarray:
        """Return ``size`` draws, without subtracting the centre."""

    def moment(self, q: float) -> float:
        r"""Return $m_q$, the absolute moment of order q about the mean.

        Raises
        ------
        ConfigError
            If q is not between 0 and ``tail``.
        """
        if not 0.0 < positive("moment", q) < self.tail:
            raise ConfigError(
                f"moment is {q:g}; allowed for {self.name} noise: above 0 and below {self.tail:g}"
            )
        return self._moment(q)

    @abstractmethod
    def _moment(self, q):
        """Return the moment of order ``q``, which must exist."""

    def root(self, q: float) -> float:
        r"""Return $\nu_q = m_q^{1/q}$."""
        return self.moment(q) ** (1.0 / q)

    def noise(self, rng: np.random.Generator, size: Any, centre: str = "mean") -> np.ndarray:
        """Return ``size`` draws minus the law's ``centre``, "mean" or "median"."""
        return self.draw(rng, size) - getattr(self, centre)


class Normal(Law):
    """The standard normal distribution."""

    name = "normal"
    tail = math.inf
    mean = median = 0.0
    variance = 1.0

    def draw(self, rng: np.random.Generator, size: Any) -> np.ndarray:
        return rng.standard_normal(size)

    def _moment(self, q):
        return 2.0 ** (q / 2.0) * math.gamma((q + 1.0) / 2.0) / math.sqrt(math.pi)


class StudentT(Law):
    """Student's t distribution with ``df`` > 1 degrees of freedom.

    Raises
    ------
    ConfigError
        If ``df`` is not above 1.
    """

    name = "student_t"
    mean = median = 0.0

    def __init__(self, df: float) -> None:
        self.tail = self.df = _shape(df)
        self.variance = df / (df - 2.0) if df > 2.0 else math.inf

    def draw(self, rng: np.random.Generator, size: Any) -> np.ndarray:
        return rng.standard_t(self.df, size)

    def _moment(self, q):
        logs = 0.5 * q * math.log(self.df) + math.lgamma((q + 1.0) / 2.0)
        logs += math.lgamma((self.df - q) / 2.0) - math.lgamma(self.df / 2.0)
        return math.exp(logs) / math.sqrt(math.pi)


class HalfLine(Law):
    """A law on x >= ``least`` with a density that decays like x^(-``tail`` - 1).

    Moments are computed by the trapezoidal rule. Substitutions make the integrands decay
    exponentially on both sides, so the rule converges exponentially (Trefethen and Weideman, 2014).
    """

    least = 0.0

    @abstractmethod
    def _log_density(self, x):
        """Return the log-density at ``least`` + x, for an array of positive x."""

    def _moment(self, q):
        m, t = self.mean - self.least, STEP * np.arange(-STEPS, STEPS + 1)
        # Below the mean, substitute x = m / (1 + e^-t). Then m - x = m / (1 + e^t) and
        # dx = x (m - x) / m dt.
        log_x = math.log(m) - np.log1p(np.exp(-t))
        log_gap = math.log(m) - np.log1p(np.exp(t))
        below = np.exp((q + 1.0) * log_gap + log_x + self._log_density(np.exp(log_x))) / m
        # Above the mean, substitute x = m + e^t. The terms beyond the last node form a geometric
        # series.
        above = np.exp((q + 1.0) * t + self._log_density(m + np.exp(t)))
        rest = above[-1] / math.expm1((self.tail - q) * STEP)
        return STEP * float(below.sum() + above.sum() + rest)


class Lomax(HalfLine):
    """The Lomax distribution with density b (1 + x)^(-b - 1) on x >= 0, for b > 1.

    Raises
    ------
    ConfigError
        If ``b`` is not above 1.
    """

    name = "lomax"

    def __init__(self, b: float) -> None:
        self.tail = self.b = _shape(b)
        self.mean = self.least + 1.0 / (b - 1.0)
        self.median = self.least + 2.0 ** (1.0 / b) - 1.0
        self.variance = b / ((b - 1.0) ** 2 * (b - 2.0)) if b > 2.0 else math.inf

    def draw(self, rng: np.random.Generator, size: Any) -> np.ndarray:
        return self.least + rng.pareto(self.b, size)

    def _log_density(self, x):
        return math.log(self.b) - (self.b + 1.0) * np.log1p(x)


class Pareto(Lomax):
    """The Pareto distribution with density b x^(-b - 1) on x >= 1: a Lomax draw plus 1.

    Raises
    ------
    ConfigError
        If ``b`` is not above 1.
    """

    name = "pareto"
    least = 1.0


class Fisk(HalfLine):
    """The log-logistic distribution with density c x^(c - 1) / (1 + x^c)^2 on x >= 0, for c > 1.

    Raises
    ------
    ConfigError
        If ``c`` is not above 1.
    """

    name = "fisk"
    median = 1.0

    def __init__(self, c: float) -> None:
        self.tail = self.c = _shape(c)
        angle = math.pi / c
        self.mean = angle / math.sin(angle)
        second = 2.0 * angle / math.sin(2.0 * angle) if c > 2.0 else math.inf
        self.variance = second - self.mean**2

    def draw(self, rng: np.random.Generator, size: Any) -> np.ndarray:
        # Apply the quantile function, (u / (1 - u))^(1/c), to uniform draws.
        u = rng.random(size)
        return (u / (1.0 - u)) ** (1.0 / self.c)

    def _log_density(self, x):
        # x^c / (1 + x^c)^2 is the same at x and at 1 / x, so use the power that cannot overflow.
        log_power = -self.c * np.abs(np.log(x))
        return math.log(self.c) - np.log(x) + log_power - 2.0 * np.log1p(np.exp(log_power))


LAWS = {cls.name: cls for cls in (Normal, StudentT, Pareto, Lomax, Fisk)}


def make_law(name: str, shape: float | None = None) -> Law:
    """Return the law called ``name``.

    Parameters
    ----------
    name : {"normal", "student_t", "pareto", "lomax", "fisk"}
    shape : float or None
        The law's parameter df, b or c, which must exceed 1; None for the normal law.

    Raises
    ------
    ConfigError
        If the name is unknown or the shape is not allowed.
    """
    known_name("noise law", name, LAWS)
    if name == Normal.name:
        if shape is not None:
            raise ConfigError(f"shape is {shape!r}; allowed for the normal law: none")
        return Normal()
    if shape is None:
        raise ConfigError(f"law {name!r} needs a shape; allowed: a number above 1")
    law: Any = LAWS[name]
    return law(shape)


def _shape(value):
    if not positive("shape", value) > 1.0:
        raise ConfigError(f"shape is {value!r}; allowed: a number above 1, so that a mean exists")
    return float(value)
