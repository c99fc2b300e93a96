"""Observers of a trial."""

from typing import Any

import numpy as np


class Observer:
    """Watches a trial: it is called before and after every round and adds columns at the marks."""

    def before(self, t: int) -> None:
        """Look at the algorithm before it chooses in round ``t``, counted from 0."""

    def after(
        self, t: int, arms: np.ndarray | None, choice: Any, reward: float, regret: float
    ) -> None:
        """Look at the algorithm after it has learned from round ``t``.

        Parameters
        ----------
        t : int
        arms : (K, d) array or None
            The arms of the round; None on a box.
        choice : int or (d,) array
            The index of the played arm, or the proposed point.
        reward, regret : float
            Reward and regret of this round.
        """

    def columns(self) -> dict[str, Any]:
        """Return the values to record after a round, by column."""
        return {}
