"""What algorithms are told about a linear bandit with heavy-tailed noise."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from optimist.core.errors import ConfigError, one_of, positive, whole_number
from optimist.environments.problems.base import ArmsProblem

RADII = ("theory", "shrunk", "matched")


def moment_order(epsilon: float) -> float:
    r"""Return $1+\varepsilon$; raise ConfigError unless $0 < \varepsilon \le 1$."""
    if not positive("epsilon", epsilon) <= 1.0:
        raise ConfigError(f"epsilon is {epsilon!r}; allowed: above 0, at most 1")
    return 1.0 + epsilon


@dataclass(frozen=True, kw_only=True)
class HeavyTailedProblem(ArmsProblem):
    r"""A linear bandit with heavy-tailed noise.

    In addition to the attributes of `ArmsProblem`, it has the following.

    Attributes
    ----------
    epsilon : float
        $\varepsilon$, above 0 and at most 1; the noise has a finite moment of order
        $1+\varepsilon$.
    scale_bound : float
        $\nu$, an upper bound on all $\nu_t$, where $\nu_t^{1+\varepsilon}$ is the moment of order
        $1+\varepsilon$ of the noise in round t. Algorithms get $\nu_t$ together with the reward.
    norm_bound, arm_bound : float
        S and L, bounds on the norms of the true parameter and of the arms.
    delta : float or None
        Failure probability; None means $1/(8T)$.
    deviation : float
        Standard deviation of the noise; infinite if the noise has no finite variance.
    radius : {"theory", "shrunk", "matched"}
        Confidence radius. ``theory``: the radius from each algorithm's theorem; ``shrunk``: that
        radius times ``factor``; ``matched``: a radius that gives all algorithms the same width on
        the same data, times ``factor``. See `optimist.algorithms.heavy_tailed.ellipsoid`.
    factor : float
        Factor that multiplies the radius; it must be 1 if ``radius`` is ``theory``.
    relax_sigma_bounds : bool or None
        Whether HEAVY-OFUL's lower bounds on $\sigma_t$ shrink with its radius; None means only if
        ``radius`` is ``matched``.

    Raises
    ------
    ConfigError
        If a value is out of range.
    """

    positive_fields: ClassVar[tuple[str, ...]] = ("norm_bound", "arm_bound", "factor")

    epsilon: float
    scale_bound: float
    norm_bound: float = 1.0
    arm_bound: float = 1.0
    delta: Any = None  # a float after initialisation
    deviation: float = math.inf
    radius: str = "theory"
    relax_sigma_bounds: bool | None = None

    def __post_init__(self) -> None:
        if self.delta is None:
            horizon = whole_number("horizon", self.horizon)
            object.__setattr__(self, "delta", 1.0 / (8.0 * horizon))
        super().__post_init__()
        moment_order(self.epsilon)
        if self.scale_bound != 0.0:
            positive("scale_bound", self.scale_bound)
        one_of("radius", self.radius, RADII)
        if self.radius == "theory" and self.factor != 1.0:
            raise ConfigError(f"factor is {self.factor!r}; allowed if radius is 'theory': 1")
        one_of("relax_sigma_bounds", self.relax_sigma_bounds, (None, True, False))
        if self.relax_sigma_bounds is None:
            object.__setattr__(self, "relax_sigma_bounds", self.radius == "matched")

    @property
    def power(self) -> float:
        r"""$p = \frac{1-\varepsilon}{2(1+\varepsilon)}$."""
        return (1.0 - self.epsilon) / (2.0 * (1.0 + self.epsilon))

    @property
    def log_term(self) -> float:
        r"""$\Lambda = \log(2T^2/\delta)$."""
        return math.log(2.0 * self.horizon**2 / self.delta)

    @property
    def least_scale(self) -> float:
        r"""$\sigma_{\min} = 1/\sqrt T$."""
        return 1.0 / math.sqrt(self.horizon)
