r"""Error of the estimate from GO-UCB's Phase I.

By Lemma 5.1 and Theorem 5.2 of Liu and Wang (2023), the least-squares estimate from n uniformly
drawn points satisfies
$$\mathbb E_{x\sim\mathcal U}\big(f_x(\hat w_0)-f_x(w^*)\big)^2 = \tilde O(1/n),\qquad
  \|\hat w_0-w^*\|_2^2 = \tilde O(1/n) .$$
The second bound requires an identifiable parameter. Because permuting the units of a network does
not change its function, the distance is the smallest over all orders of the units. It is computed
only for small networks.
"""

import itertools
import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from optimist.algorithms import make_algorithm
from optimist.core.errors import ConfigError
from optimist.experiments.cell import Cell
from optimist.experiments.paper import Paper
from optimist.experiments.play_trial import build, isolated_if_foreign
from optimist.figures.studies.base import TRIAL_COLUMNS, CellKeys, Cells, Study, fact_table
from optimist.numerics.network import TwoLayerNetwork

if TYPE_CHECKING:
    import pandas as pd

POINTS = 2000  # number of points used to estimate an expectation
MOST_UNITS = 6  # maximum number of units for which to try all orders
COLUMNS = ("initial", "drawn_error", "error", "share", "distance")


def distance(network: TwoLayerNetwork, w: np.ndarray, theta: np.ndarray) -> float:
    """Return the smallest squared distance from w to theta over all orders of the units.

    Both parameters have shape (d_w,). If the network has more than `MOST_UNITS` units, the distance
    is NaN.
    """
    if network.hidden > MOST_UNITS:
        return math.nan
    (W1, b1, w2, b2), truth = ([part[0] for part in network.layers(v[None])] for v in (w, theta))
    units, true = (np.column_stack(parts[:3]) for parts in ((W1, b1, w2), truth))
    orders = itertools.permutations(range(network.hidden))
    least = min(float(((units[list(order)] - true) ** 2).sum()) for order in orders)
    return least + float((b2 - truth[3]) ** 2)


def measure(cell: Cell, trial: int, data_dir: str | Path | None) -> dict[str, Any]:
    """Play Phase I of one trial, and return the columns of the study.

    ``initial``      number of initial points
    ``drawn_error``  expected squared error of the parameters from which the fit starts
    ``error``        expected squared error of the fitted parameters
    ``share``        ``error`` divided by ``drawn_error``
    ``distance``     see `distance`
    """
    environment, problem = build(cell, trial, data_dir)
    algorithm: Any = make_algorithm(cell.algorithm, problem, cell.algorithm_stream(trial))
    for t in range(problem.initial_count):
        x = algorithm.propose()
        algorithm.observe(x, environment.reward(t, x))
    X = problem.outward(cell.stream(trial, "oracle").random((POINTS, problem.dimension)))
    truth = np.array([environment.value(x) for x in X])
    errors = []
    for w in (algorithm.drawn, algorithm.fitted):
        rows = np.broadcast_to(w, (POINTS, len(w)))
        errors.append(float(np.mean((algorithm.network.values(rows, X) - truth) ** 2)))
    return {
        "initial": problem.initial_count,
        "drawn_error": errors[0],
        "error": errors[1],
        "share": errors[1] / errors[0],
        "distance": distance(algorithm.network, algorithm.fitted, environment.theta),
    }


class Oracle(Study):
    """Trials of GO-UCB up to the end of Phase I, and the error of the resulting estimate."""

    name = "oracle"
    Section = CellKeys
    tables: ClassVar = {"oracle": "parquet", "oracle_facts": "csv"}
    facts = ("oracle_facts",)

    def check(self, paper: Paper) -> None:
        """Raise ConfigError for algorithms other than GO-UCB or functions that are not networks."""
        for cell in self.cells(paper, ()):
            setting, algorithm = cell.labels
            if algorithm.name != "go_ucb" or ("variant", "tuned") in algorithm.options:
                raise ConfigError(
                    f"oracle.algorithms has {algorithm!r}; allowed: go_ucb without variant=tuned"
                )
            if cell.setting.parameters.get("function") not in ("network", "drawn_network"):
                raise ConfigError(
                    f"oracle.settings has {setting!r}; allowed: settings whose function is a "
                    "network"
                )

    def tabulate(self, cells: Cells) -> "dict[str, pd.DataFrame]":
        """Return the measurements of all trials, and their means as facts.

        The limit on rounds does not shorten Phase I, because the estimate comes only at its end.
        """
        import pandas as pd

        rows = []
        for cell in cells:
            for trial in self.trials:
                measured = isolated_if_foreign(
                    cell, partial(measure, cell, trial, self.data_dir), trial
                )
                values = (*map(str, cell.labels), trial, measured["initial"], "ok")
                rows.append(dict(zip(TRIAL_COLUMNS, values, strict=True)) | measured)
        frame = pd.DataFrame(rows, columns=[*TRIAL_COLUMNS, *COLUMNS])
        return {"oracle": frame, "oracle_facts": facts(frame)}


def facts(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return the means of ``share`` and ``distance`` over trials as facts.

    Their subject is ``setting/algorithm``. Another fact, about each setting, is the power of T in
    the second term under the square root of Theorem 4.1.
    """
    rows = [
        (f"oracle_{column}", f"{setting}/{algorithm}", float(group[column].mean()))
        for (setting, algorithm), group in frame.groupby(["setting", "algorithm"], sort=False)
        for column in ("share", "distance")
        if group[column].notna().all()
    ]
    power = second_term_power()
    rows += [("oracle_second_term_power", setting, power) for setting in frame["setting"].unique()]
    return fact_table(rows, int(frame["trial"].nunique()))


def second_term_power() -> float:
    r"""Return the power of T in the second term under the square root of Theorem 4.1.

    For fixed lambda and $r_t\le c$ in each of T rounds (Lemma 5.4 without its first term), the
    proof bounds the regret by the square root of $T\sum_tr_t^2$.
    """
    terms = [T * sum(1.0 for _ in range(T)) for T in (64, 128)]
    return math.log2(terms[1] / terms[0])
