"""What algorithms are told about a function on a box."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from optimist.core.errors import ConfigError, positive, whole_number
from optimist.numerics.network import HIDDEN


@dataclass(frozen=True)
class BoxProblem:
    r"""Problem of maximising a function on a box from noisy values.

    Attributes
    ----------
    low, high : (d,) arrays
        Corners of the box.
    horizon : int
        Number of rounds, including the initial ones.
    initial_count : int
        n, the number of initial points.
    initial : (n, d) array or None
        The initial points; None means that each algorithm draws its own.
    deviation : float
        $\sigma$, the standard deviation of the noise, as assumed by algorithms.
    value_bound : float
        F, a bound on the absolute value of the function.
    hidden : int
        Number of hidden units, for algorithms that model the function by a network.

    Raises
    ------
    ConfigError
        If a value is out of range.
    """

    domain: ClassVar[str] = "box"

    low: np.ndarray
    high: np.ndarray
    horizon: int
    initial_count: int
    initial: np.ndarray | None
    deviation: float
    value_bound: float
    hidden: int = HIDDEN

    def __post_init__(self) -> None:
        for key in ("horizon", "initial_count", "hidden"):
            whole_number(key, getattr(self, key))
        for key in ("deviation", "value_bound"):
            positive(key, getattr(self, key))
        if not (self.low < self.high).all():
            raise ConfigError("the box is empty; allowed: low below high in every coordinate")
        points = self.low if self.initial is None else self.initial
        if not ((points >= self.low) & (points <= self.high)).all():
            raise ConfigError(
                f"an initial point lies outside the box; allowed: {self.low} to {self.high}"
            )

    @property
    def dimension(self) -> int:
        """d, the number of coordinates."""
        return len(self.low)

    @property
    def rounds(self) -> int:
        """T, the number of rounds after the initial ones."""
        return max(1, self.horizon - self.initial_count)

    def inward(self, X: np.ndarray) -> np.ndarray:
        """Map points of the box, of shape (..., d), to the unit cube."""
        return (X - self.low) / (self.high - self.low)

    def outward(self, U: np.ndarray) -> np.ndarray:
        """Map points of the unit cube, of shape (..., d), to the box."""
        return np.clip(self.low + (self.high - self.low) * U, self.low, self.high)
