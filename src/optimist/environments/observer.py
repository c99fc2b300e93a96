"""Base class of observers of a trial."""

from collections.abc import Mapping
from typing import Any

import numpy as np


class Observer:
    """Base class of observers of a trial.

    An observer is called before and after each round and may record additional columns.
    """

    def before(self, t: int) -> None:
        """Observe the algorithm before it chooses in round ``t`` (numbered from 0)."""

    def after(
        self, t: int, arms: np.ndarray | None, choice: Any, reward: float, regret: float
    ) -> None:
        """Observe the algorithm after it has learned from round ``t``.

        Parameters
        ----------
        t : int
        arms : (K, d) array or None
            The arms of the round; None on a box.
        choice : int or (d,) array
            The index of the arm played, or the point proposed.
        reward, regret : float
            Reward and regret of this round.
        """

    def columns(self) -> Mapping[str, object]:
        """Return the values to record after a round, by column name."""
        return {}
