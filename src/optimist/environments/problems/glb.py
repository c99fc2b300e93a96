"""Problem data given to algorithms for generalized linear bandits."""

from dataclasses import dataclass

from optimist.core.errors import ConfigError, positive, proportion, whole_number
from optimist.numerics.likelihood import History
from optimist.numerics.links import Link


@dataclass(frozen=True)
class GLBProblem:
    r"""A generalized linear bandit, as its algorithms see it.

    Attributes
    ----------
    link : Link
        Reward distribution.
    dimension : int
        d.
    norm_bound : float
        S with $\|\theta_*\| \le S$.
    kappa : float
        The inverse of the smallest slope of the mean, as the setting defines it.
    horizon : int
        T, the declared horizon (not a truncated one).
    delta : float
        Failure probability of the confidence sets.
    reward_bound : float
        M, a bound on rewards, for the algorithms that need one.
    factor : float
        Common factor on every confidence radius (1 is the theory).
    fixed_arms : bool
        Whether the same arms are offered in every round.

    Raises
    ------
    ConfigError
        For a value out of range.
    """

    link: Link
    dimension: int
    norm_bound: float
    kappa: float
    horizon: int
    delta: float = 0.01
    reward_bound: float = 1.0
    factor: float = 1.0
    fixed_arms: bool = False

    def __post_init__(self):
        for key in ("dimension", "horizon"):
            whole_number(key, getattr(self, key))
        for key in ("norm_bound", "kappa", "reward_bound", "factor"):
            positive(key, getattr(self, key))
        if self.norm_bound > self.link.cap:
            raise ConfigError(
                f"norm_bound is {self.norm_bound:g}; allowed for link {self.link.name!r}: "
                f"at most {self.link.cap:g}"
            )
        proportion("delta", self.delta)

    def new_history(self, mode: str) -> History:
        """Return an empty `History`.

        Parameters
        ----------
        mode : {"raw", "aggregated"}

        Raises
        ------
        ConfigError
            For any other mode, and for ``aggregated`` if arms are redrawn.
        """
        if mode == "aggregated" and not self.fixed_arms:
            raise ConfigError("history is 'aggregated'; allowed for arms redrawn each round: raw")
        return History(self.dimension, mode)
