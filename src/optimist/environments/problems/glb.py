"""What algorithms are told about a generalized linear bandit."""

from dataclasses import dataclass
from typing import ClassVar

from optimist.core.errors import ConfigError
from optimist.environments.problems.base import ArmsProblem
from optimist.numerics.likelihood import History
from optimist.numerics.links import Link


@dataclass(frozen=True, kw_only=True)
class GLBProblem(ArmsProblem):
    r"""A generalized linear bandit.

    In addition to the attributes of `ArmsProblem`, it has the following.

    Attributes
    ----------
    link : Link
        Reward distribution.
    norm_bound : float
        S, a bound on $\|\theta_*\|$.
    kappa : float
        The inverse of the smallest slope of the mean function over a domain chosen by the setting.
    reward_bound : float
        M, a bound on rewards, for the algorithms that need one.

    Raises
    ------
    ConfigError
        If a value is out of range.
    """

    positive_fields: ClassVar[tuple[str, ...]] = ("norm_bound", "kappa", "reward_bound", "factor")

    link: Link
    norm_bound: float
    kappa: float
    delta: float = 0.01
    reward_bound: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.norm_bound > self.link.cap:
            raise ConfigError(
                f"norm_bound is {self.norm_bound:g}; allowed for link {self.link.name!r}: "
                f"at most {self.link.cap:g}"
            )

    def new_history(self, mode: str) -> History:
        """Return an empty `History`.

        Parameters
        ----------
        mode : {"raw", "aggregated"}

        Raises
        ------
        ConfigError
            If ``mode`` is not one of these values, or if it is ``aggregated`` and arms are redrawn.
        """
        if mode == "aggregated" and not self.fixed_arms:
            raise ConfigError(
                "history is 'aggregated'; allowed when arms are redrawn in each round: raw"
            )
        return History(self.dimension, mode)
