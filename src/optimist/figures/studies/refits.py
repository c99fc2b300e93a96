r"""Cost of heavy-tailed estimates from all data, on stored histories.

Wang et al. (2025), Section 3.2: adaptive Huber regression (HEAVY-OFUL) takes $O(\log T)$ passes of
cost $O(t)$ in round t; Table 1: TOFU takes one pass. A history has n rounds, with arms drawn
uniformly from the setting's arms. Solvers start from the origin.
"""

import time
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from optimist.algorithms import make_algorithm
from optimist.core.label import Label, name_of
from optimist.numerics.huber import SOLVERS, HuberRegression
from optimist.numerics.seeding import stream

METHODS = ("heavy_oful", "tofu")


class CountedRegression:
    """A Huber regression that counts the passes through its history."""

    def __init__(self, regression: HuberRegression) -> None:
        self._regression = regression
        self._last: Any = None  # last clipped point; clipping it again costs no pass
        self.passes = 0

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._regression, name)
        if name not in ("value", "gradient", "reweighted"):
            return member

        def counted(theta: np.ndarray) -> Any:
            self.passes += 1
            return member(theta)

        return counted

    def clipped(self, theta: np.ndarray) -> Any:
        """See `HuberRegression`."""
        self.passes += theta is not self._last
        self._last = theta
        return self._regression.clipped(theta)


def stored(
    environment: Any, problem: Any, names: Sequence[str], lengths: Sequence[int]
) -> dict[tuple[str, int], Any]:
    """Return algorithms after the first rounds of one history, by name and number of rounds."""
    algorithms = {}
    chosen = stream("refits", "arms").integers(len(environment.arms(0)), size=max(lengths))
    for name in names:
        algorithm = make_algorithm(name, problem)
        for t, index in enumerate(chosen.tolist()):
            reward, side = environment.reward(t, index), environment.context(t)
            algorithm.update(environment.arms(t), index, reward, **side)
            if t + 1 in lengths:
                algorithms[name, t + 1] = deepcopy(algorithm)
    return algorithms


def refit_cost(label: str, algorithm: Any) -> tuple[float, int]:
    """Return the seconds and passes that an estimate from an algorithm's history takes.

    Parameters
    ----------
    label : str
        A label of ``tofu``, or of ``heavy_oful``, whose option ``solver`` chooses the solver.
    algorithm : HeavyOFUL or TOFU
    """
    start = time.perf_counter()
    if name_of(label) == "tofu":
        algorithm.fit()
        return time.perf_counter() - start, 1
    solver = str(dict(Label.parse(label).options).get("solver", "newton"))
    regression: Any = CountedRegression(algorithm.regression)
    accuracy = 1.0 / np.sqrt(algorithm.problem.horizon)
    _, converged = SOLVERS[solver](regression, np.zeros(algorithm.problem.dimension), accuracy)
    seconds = time.perf_counter() - start
    if not converged:
        raise RuntimeError(f"the estimate of {label} after {algorithm.t} rounds did not converge")
    return seconds, regression.passes
