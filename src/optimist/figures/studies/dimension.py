r"""Dependence of BKB's sketch size and regret on the effective dimension of the arms.

Calandriello et al. (2019) define the effective dimension as
$d_{\rm eff} = \sum_{s\le t}\sigma_t^2(x_s)$, with the variances of the exact posterior given the
arms played by the sketched method. The number of inducing points should be proportional to it, and
the regret bound of Theorem 4.1 depends on it.
"""

import math
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from annotated_types import MinLen

from optimist.core.errors import ConfigError
from optimist.core.keys import Keys
from optimist.environments.observer import Observer
from optimist.experiments.loop import COMPLETE
from optimist.experiments.paper import Paper
from optimist.figures.rows import Tables
from optimist.figures.studies.accuracy import regret_bound
from optimist.figures.studies.base import TRIAL_COLUMNS, CellKeys, Cells, Study, thinned
from optimist.figures.tables.base import Table
from optimist.numerics.gaussian_process import DistinctPosterior

if TYPE_CHECKING:
    import pandas as pd

WATCHED = ("bkb", "dtc_ucb")
# Columns recorded in every trial with inducing points, then those added by the observer.
COLUMNS = ("regret", "inducing", "distinct", "dimension", "regret_share", "uniform_share")


class DimensionObserver(Observer):
    """Observer that updates the exact posterior whenever the algorithm learns.

    A round costs O(Au) after u of the A arms have been played.

    Parameters
    ----------
    environment : KernelPool or another environment with a fixed set of arms
    algorithm : InducingPointUCB
    """

    def __init__(self, environment: Any, algorithm: Any) -> None:
        problem, arms, means = algorithm.problem, environment.arms(0), environment.means(0)
        self.problem = problem
        self.alpha = getattr(algorithm, "alpha", math.nan)  # from BKB's theory; DTC-UCB has none
        self.exact = DistinctPosterior(problem.kernel, arms, problem.ridge)
        self.prior_bound = float(problem.kernel.diagonal(arms).max())
        self.mean_gap = float(means.max() - means.mean())
        self.regret = 0.0
        self.worst = {"regret_share": 0.0, "uniform_share": 0.0}

    def after(
        self, t: int, arms: np.ndarray | None, choice: Any, reward: float, regret: float
    ) -> None:
        """Update the exact posterior with the reward, and compare the regret with its bound."""
        self.exact.observe(choice, reward)
        self.regret += regret
        volume = self.exact.effective_dimension * math.log1p(self.prior_bound * (t + 1))
        bound = regret_bound(self.problem, self.alpha, t + 1, volume)
        shares = {"regret_share": self.regret, "uniform_share": (t + 1) * self.mean_gap}
        for name, value in shares.items():
            self.worst[name] = float(np.maximum(self.worst[name], value / bound))

    def columns(self) -> dict[str, float]:
        r"""Return $d_{\rm eff}$, and the largest ratios so far of two regrets to a bound.

        The regrets are the algorithm's (``regret_share``) and the expected regret of uniform play
        (``uniform_share``). The bound is that of Theorem 4.1 for the arms played by the algorithm;
        uniform play would have a larger effective dimension, and therefore a larger bound.
        """
        return {"dimension": self.exact.effective_dimension, **self.worst}


class Dimension(Study):
    """Trials that compute the effective dimension for BKB and, for comparison, DTC-UCB.

    See `DimensionObserver`.
    """

    name = "dimension"

    class Section(Keys):
        #: Blocks of cells; each combines all of its settings with all of its algorithms.
        blocks: Annotated[list[CellKeys], MinLen(1)]

    tables: ClassVar = {"dimension": "parquet"}

    def check(self, paper: Paper) -> None:
        """Raise ConfigError for duplicate cells, algorithms not in `WATCHED` or changing arms."""
        cells = self.cells(paper, ())
        for cell in cells:
            if cells.count(cell) > 1:
                raise ConfigError(f"dimension.blocks has {cell.name!r} twice; allowed: once")
            if cell.algorithm.name not in WATCHED:
                allowed = ", ".join(WATCHED)
                raise ConfigError(f"dimension.blocks has {cell.algorithm!r}; allowed: {allowed}")
            if "subset" in cell.setting.parameters:
                raise ConfigError(
                    f"dimension.blocks has {cell.setting.label!r}; allowed: settings with fixed "
                    "arms"
                )

    @property
    def parts(self) -> list[Study]:
        """For each block, a study that plays its trials."""
        return [Study(block, self.caps, self.data_dir) for block in self.section["blocks"]]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every combination of a setting and an algorithm from the same block."""
        return [pair for part in self.parts for pair in part.pairs]

    def about(self) -> set[str]:
        """Return the names of the table's columns, because claims refer to them."""
        return {*COLUMNS}

    def tabulate(self, cells: Cells) -> "dict[str, pd.DataFrame]":
        """Return the observed values at about sixty rounds of each trial."""
        import pandas as pd

        rest, frames = iter(cells), []
        for part in self.parts:
            of_part = list(islice(rest, len(part.pairs)))
            frames.append(part.watch(of_part, DimensionObserver, COLUMNS))
        return {"dimension": thinned(pd.concat(frames, ignore_index=True))}


class DimensionTable(Table):
    """Observed values at the end of complete trials, as means over trials."""

    tables = ("dimension",)
    meanings: ClassVar = {
        "round": "the last round",
        "regret": "regret",
        "inducing": "inducing points",
        "distinct": "distinct arms played",
        "dimension": "effective dimension of the exact posterior on the arms played",
        "regret_share": "largest share of the bound of Theorem 4.1 that regret had in any round",
        "uniform_share": "the same of the expected regret of uniform play",
    }

    def tabulate(self, tables: Tables) -> Iterator[dict[str, Any]]:
        """Yield one row for each cell."""
        frame = tables.frame("dimension", (*TRIAL_COLUMNS, *COLUMNS))
        complete = frame[frame["status"].isin(COMPLETE)]
        for (setting, algorithm), group in complete.groupby(["setting", "algorithm"], sort=False):
            last = group.sort_values("round").groupby("trial").last()
            about = {"setting": setting, "algorithm": algorithm, "trials": len(last)}
            yield {**about, **last[["round", *COLUMNS]].mean().to_dict()}
