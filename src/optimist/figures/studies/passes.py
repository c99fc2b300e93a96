r"""Cost of an estimate that uses the whole history, as a function of the history's length.

The estimates are timed in random order. According to Wang et al. (2025), adaptive Huber regression
(HEAVY-OFUL) takes $O(\log T)$ passes of cost $O(t)$ in round t (Section 3.2), and TOFU takes one
pass (Table 1).
"""

import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from annotated_types import MinLen

from optimist.algorithms import make_algorithm
from optimist.core.errors import ConfigError
from optimist.core.keys import Count, Keys, Texts
from optimist.core.label import Label
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem
from optimist.experiments.paper import Paper
from optimist.experiments.play_trial import build
from optimist.figures.studies.base import Cells, Study, in_turns
from optimist.numerics.huber import SOLVERS, HuberRegression
from optimist.numerics.likelihood import History, Likelihood, minimise
from optimist.numerics.seeding import stream

if TYPE_CHECKING:
    import pandas as pd

# Minimum length of a history. Every method has an estimate after this many rounds.
LEAST_ROUNDS = 10
# For each method, a function of the problem and the number n of observations. It returns the
# estimate's ridge and the radius of the ball onto which it is projected; the radius is None without
# projection (GLM-UCB and RS-GLinCB).
ESTIMATES: dict[str, Callable[[Any, int], tuple[float, float | None]]] = {
    "glm_ucb[projection=false,radius=logdet]": lambda problem, n: (
        problem.dimension * np.log(2.0 + n),
        None,
    ),
    "rs_glincb[constants=practical]": lambda problem, n: (float(problem.dimension), None),
    "ofuglb": lambda problem, n: (0.0, problem.norm_bound),
}
# Names of the methods with estimates for heavy-tailed rewards.
HEAVY_TAILED = ("heavy_oful", "tofu")


class CountedLikelihood(Likelihood):
    """A likelihood that counts the passes through its history."""

    passes = 0

    def derivatives(self, thetas: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """See `Likelihood`."""
        self.passes += 1
        return super().derivatives(thetas)


class CountedRegression:
    """A Huber regression that counts the passes through its history."""

    def __init__(self, regression: HuberRegression) -> None:
        self._regression = regression
        self._last: Any = None  # last point clipped; clipping it again costs no pass
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


class Passes(Study):
    """Cost of an estimate that uses the whole history, for histories of different lengths.

    The arms of a history are drawn uniformly from the setting's arms, and the rewards from the
    setting's distribution. Each solver starts at the origin and passes through the history as often
    as needed; the study records the time and the number of passes. Estimates use maximum
    likelihood or, for heavy-tailed rewards, adaptive Huber regression or TOFU's single pass.
    """

    name = "passes"

    class Section(Keys):
        setting: str  #: Label of the setting that provides arms and rewards.
        algorithms: Texts  #: Labels of the methods whose estimates are timed.
        lengths: Annotated[list[Count], MinLen(2)]  #: Lengths of the histories in rounds.
        turns: Count  #: Number of turns; in each, all methods are timed at all lengths.

    tables: ClassVar = {"passes": "csv"}
    timed = True

    def check(self, paper: Paper) -> None:
        """Raise ConfigError for methods whose estimates are not implemented here."""
        for cell in self.cells(paper, ()):
            is_heavy_tailed = cell.setting.environment == "heavy_tailed"
            allowed = HEAVY_TAILED if is_heavy_tailed else tuple(ESTIMATES)
            label = cell.algorithm.name if is_heavy_tailed else cell.algorithm
            if label not in allowed:
                raise ConfigError(
                    f"passes.algorithms has {cell.algorithm!r}; allowed: {', '.join(allowed)}"
                )

    @property
    def lengths(self) -> list[int]:
        """Lengths of the histories, scaled down if the longest exceeds the limit on rounds."""
        lengths, longest = self.section["lengths"], self.caps["rounds"]
        if longest is None or longest >= max(lengths):
            return list(lengths)
        return sorted({max(LEAST_ROUNDS, n * longest // max(lengths)) for n in lengths})

    def tabulate(self, cells: Cells) -> "dict[str, pd.DataFrame]":
        """Return the time and the number of passes of each estimate in each turn."""
        import pandas as pd

        lengths, turns = self.lengths, self.section["turns"]
        environment, problem = build(cells[0], 0, self.data_dir)
        labels = [cell.algorithm for cell in cells]
        measure = _measurement(environment, problem, labels, lengths)
        rows = [
            (str(cells[0].setting.label), str(label), n, turn, *measure(label, n))
            for turn, (label, n) in in_turns("passes", [*product(labels, lengths)], turns)
        ]
        columns = ["setting", "algorithm", "length", "repetition", "seconds", "passes"]
        table = pd.DataFrame(rows, columns=columns)
        return {"passes": table[table["repetition"] >= 0].reset_index(drop=True)}


def _measurement(
    environment: Any, problem: Any, labels: Sequence[Label], lengths: Sequence[int]
) -> Callable[[Label, int], tuple[float, int]]:
    """Return a function that maps a label and a length to an estimate's seconds and passes."""
    if isinstance(problem, HeavyTailedProblem):
        names = list(dict.fromkeys(label.name for label in labels))
        algorithms = stored_algorithms(environment, problem, names, lengths)
        return lambda label, n: refit_cost(label, algorithms[label.name, n])
    histories = stored_histories(environment, problem, lengths)
    return lambda label, n: estimate_cost(label, problem, histories[n])


def stored_histories(environment: Any, problem: Any, lengths: Sequence[int]) -> dict[int, History]:
    """Return histories of the given lengths, with arms drawn from the environment's arms.

    Each history consists of the first rounds of the longest one.
    """
    rng = stream("passes", "history")
    arms = np.concatenate([environment.arms(t) for t in range(environment.horizon)])
    rows = arms[rng.integers(len(arms), size=max(lengths))]
    rewards = problem.link.sample(rng, problem.link.mean(rows @ environment.theta))
    histories = {}
    for n in lengths:
        histories[n] = problem.new_history("raw")
        histories[n].extend(rows[:n], rewards[:n])
    return histories


def estimate_cost(label: str, problem: Any, history: History) -> tuple[float, int]:
    """Return the seconds and the number of passes needed to compute a method's estimate."""
    ridge, ball = ESTIMATES[label](problem, history.plays)
    likelihood = CountedLikelihood(problem.link, history, ridge)
    start = time.perf_counter()
    _, converged = minimise(likelihood, np.zeros(problem.dimension), ball)
    seconds = time.perf_counter() - start
    if not converged:
        raise RuntimeError(f"the estimate of {label} from {history.plays} rounds did not converge")
    return seconds, likelihood.passes


def stored_algorithms(
    environment: Any, problem: Any, names: Sequence[str], lengths: Sequence[int]
) -> dict[tuple[str, int], Any]:
    """Return algorithms that have learned from the first rounds of one history.

    They are keyed by name and number of rounds.
    """
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


def refit_cost(label: Label, algorithm: Any) -> tuple[float, int]:
    """Return the seconds and the number of passes needed to compute an algorithm's estimate.

    Parameters
    ----------
    label : Label
        A label of ``tofu``, or of ``heavy_oful``, whose option ``solver`` selects the solver.
    algorithm : HeavyOFUL or TOFU
        Algorithm whose history to use.
    """
    start = time.perf_counter()
    if label.name == "tofu":
        algorithm.fit()
        return time.perf_counter() - start, 1
    solver = str(dict(label.options).get("solver", "newton"))
    regression: Any = CountedRegression(algorithm.regression)
    accuracy = 1.0 / np.sqrt(algorithm.problem.horizon)
    _, converged = SOLVERS[solver](regression, np.zeros(algorithm.problem.dimension), accuracy)
    seconds = time.perf_counter() - start
    if not converged:
        raise RuntimeError(f"the estimate of {label} after {algorithm.t} rounds did not converge")
    return seconds, regression.passes
