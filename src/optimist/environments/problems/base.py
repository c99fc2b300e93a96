"""What algorithms are told about a problem with finitely many arms."""

from dataclasses import dataclass
from typing import ClassVar

from optimist.core.errors import positive, proportion, whole_number


@dataclass(frozen=True, kw_only=True)
class ArmsProblem:
    """A bandit problem with finitely many arms, as algorithms see it.

    Attributes
    ----------
    dimension : int
        d, the number of coordinates of an arm.
    horizon : int
        T, the declared horizon, even if the trial is truncated.
    delta : float
        Failure probability of the confidence sets.
    factor : float
        Factor that multiplies every confidence radius; 1 gives the theoretical radius.
    fixed_arms : bool
        Whether the same arms are offered in every round.

    Raises
    ------
    ConfigError
        If a value is out of range.
    """

    positive_fields: ClassVar[tuple[str, ...]] = ("factor",)

    dimension: int
    horizon: int
    delta: float
    factor: float = 1.0
    fixed_arms: bool = False

    def __post_init__(self) -> None:
        for key in ("dimension", "horizon"):
            whole_number(key, getattr(self, key))
        for key in self.positive_fields:
            positive(key, getattr(self, key))
        proportion("delta", self.delta)
