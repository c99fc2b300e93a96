r"""Trials of Hvt-UCB that check its analysis of the estimate and the regret in every round.

Lemma 1 of Wang et al. (2025) says that $\|\hat\theta_{t+1}-\theta_*\|_{V_t} \le \beta_t$ for all
t; its proof uses $|X_t^\top(\hat\theta_t-\theta_*)|/\sigma_t \le \tau_t/2$. The proof of Theorem 1
(Appendix C.1, before constants are dropped) bounds the regret by
$$4\beta_T\Big(\sqrt{2\kappa}\sqrt{\textstyle\sum_{t\le T}(\nu_t^2+\sigma_{\min}^2)}
    + \frac{cL\kappa}{\sqrt\lambda}\Big),\qquad
  c = \frac{\sqrt{\lambda(2+4S^2)}}{\tau_0} + 107\Lambda,$$
and Corollary 1 replaces $\nu_t$ by $\nu$. The bound after each round is computed from the sum up to
this round and the current radius. The regret of t rounds never exceeds 2LSt.

Deviation: by the definition of $w_t$, the second term needs 4c instead of c. The code uses the
printed bound, which is smaller.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from annotated_types import MinLen

from optimist.algorithms.heavy_tailed.hvt_ucb import ALPHA
from optimist.core.errors import ConfigError, known_name
from optimist.core.keys import Count, Keys, Texts
from optimist.environments.observer import Observer
from optimist.experiments.loop import COMPLETE
from optimist.experiments.paper import Paper
from optimist.figures.base import Axes, Named, Panel
from optimist.figures.rows import Tables, over_trials, rows
from optimist.figures.studies.base import (
    Cells,
    Study,
    fact_table,
    recorded,
    section_of,
    thinned,
    watched_notes,
)
from optimist.numerics.linear import quadratic_norms
from optimist.numerics.robust import log_volume

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("distance", "largest", "bounded", "regret_share", "void")


class LemmaObserver(Observer):
    """Observer that compares the estimate and the regret of Hvt-UCB with their bounds.

    Parameters
    ----------
    environment : HeavyTailed
    algorithm : HvtUCB
    """

    def __init__(self, environment: Any, algorithm: Any) -> None:
        self._theta = environment.theta
        self._algorithm = algorithm
        self._environment = environment
        self._estimate = algorithm.estimate
        self._rounds = self._bounded = 0
        self._distance = self._largest = 0.0
        self._squares = self._regret = self._regret_share = 0.0
        self._void = math.inf

    def before(self, t: int) -> None:
        """Store the estimate that the algorithm will use to choose an arm."""
        self._estimate = self._algorithm.estimate

    def after(
        self, t: int, arms: np.ndarray | None, choice: Any, reward: float, regret: float
    ) -> None:
        """Compare the estimates before and after the update with the true parameter."""
        assert arms is not None
        algorithm = self._algorithm
        error = abs(float(arms[choice] @ (self._estimate - self._theta)))
        self._bounded += error / algorithm.sigma <= 0.5 * algorithm.tau
        move = quadratic_norms(self._theta, algorithm.estimate, algorithm.V)[0]
        self._distance = float(move) / algorithm.beta
        self._largest = max(self._largest, self._distance)
        self._rounds = t + 1
        self._regret += regret
        self._compare_regret(self._environment.context(t)["scale"])

    def _compare_regret(self, scale: float) -> None:
        """Compare the regret so far and the largest possible regret with the bound of the proof."""
        problem = self._algorithm.problem
        nu = problem.scale_bound if self._algorithm.uses_bound else scale
        self._squares += nu * nu + problem.least_scale**2
        bound = regret_bound(self._algorithm, self._squares)
        self._regret_share = max(self._regret_share, self._regret / bound)
        worst = 2.0 * problem.arm_bound * problem.norm_bound * self._rounds
        self._void = min(self._void, bound / worst)

    def columns(self) -> dict[str, float]:
        """Return the quantities that the analysis bounds.

        ``distance``
            Distance from the estimate to the true parameter in the norm of V, divided by the
            radius.
        ``largest``
            Largest ``distance`` so far.
        ``bounded``
            Share of the rounds so far in which the error in the direction of the arm played was at
            most half the threshold.
        ``regret_share``
            Largest ratio so far of the regret to its bound in the same round.
        ``void``
            Smallest ratio so far of the bound to the largest possible regret in the same number of
            rounds. If it is above 1, no run can violate the bound.
        """
        return {
            "distance": self._distance,
            "largest": self._largest,
            "bounded": self._bounded / self._rounds,
            "regret_share": self._regret_share,
            "void": self._void,
        }


def regret_bound(algorithm: Any, squares: float) -> float:
    r"""Return the bound on the regret so far, as in the proof of Theorem 1.

    Parameters
    ----------
    algorithm : HvtUCB
    squares : float
        $\sum_t(\nu_t^2+\sigma_{\min}^2)$.
    """
    problem, ridge = algorithm.problem, algorithm.ridge
    kappa = log_volume(problem, ridge, ALPHA)
    start = math.sqrt(ridge * (2.0 + 4.0 * problem.norm_bound**2))
    c = start / algorithm.tau_0 + 107.0 * problem.log_term
    steep = c * problem.arm_bound * kappa / math.sqrt(ridge)
    return float(4.0 * algorithm.beta * (math.sqrt(2.0 * kappa * squares) + steep))


class Lemmas(Study):
    """Trials of Hvt-UCB that check its analysis in every round."""

    name = "lemmas"

    class Section(Keys):
        settings: Texts  #: Labels of settings.
        algorithm: str  #: Label of the algorithm: hvt_ucb, with or without options.
        trials: Count  #: Trials per setting.

    tables: ClassVar = {"lemmas": "parquet", "lemma_facts": "csv"}
    facts = ("lemma_facts",)

    def check(self, paper: Paper) -> None:
        """Raise ConfigError for an algorithm other than Hvt-UCB or an unknown setting."""
        for cell in self.cells(paper, ()):
            if cell.algorithm.name != "hvt_ucb":
                raise ConfigError(
                    f"lemmas.algorithm is {cell.algorithm!r}; allowed: hvt_ucb, with or without "
                    "options"
                )

    def tabulate(self, cells: Cells) -> "dict[str, pd.DataFrame]":
        """Return the values at about sixty rounds of each trial, and facts about all rounds."""
        frame = self.watch(cells, LemmaObserver, COLUMNS)
        return {"lemmas": thinned(frame), "lemma_facts": facts(frame)}


def facts(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return facts about each setting, computed from a table of watched trials.

    A setting with an incomplete trial has no facts, because a fact must hold for all trials. The
    facts summarise the columns of `LemmaObserver.columns`:

    ``lemma_largest_distance``      largest value of ``largest``
    ``lemma_least_bounded_share``   smallest value of ``bounded``
    ``lemma_trials_within_radius``  share of trials in which ``distance`` never exceeded 1
    ``theorem_regret_over_bound``   largest value of ``regret_share``
    ``theorem_bound_over_worst``    smallest value of ``void``
    """
    last = frame.sort_values("round").groupby(["setting", "trial"]).tail(1)
    rows = []
    for setting, trials in last.groupby("setting"):
        if trials["status"].isin(COMPLETE).all():
            rows += [
                ("lemma_largest_distance", setting, float(trials["largest"].max())),
                ("lemma_least_bounded_share", setting, float(trials["bounded"].min())),
                ("lemma_trials_within_radius", setting, float((trials["largest"] <= 1.0).mean())),
                ("theorem_regret_over_bound", setting, float(trials["regret_share"].max())),
                ("theorem_bound_over_worst", setting, float(trials["void"].min())),
            ]
    return fact_table([row for row in rows if math.isfinite(row[2])])


class Distance(Named):
    setting: str  #: Label of a setting of the study lemmas.


class LemmasPanel(Panel):
    """Median distance between estimate and truth, divided by the radius, against the round."""

    series: Annotated[list[Distance], MinLen(1)]  #: Settings to compare.

    tables = ("lemmas",)
    axes = Axes("round", "distance / radius", "log", "log")
    words = "line: median, {band}: smallest to largest of n = {n}"

    def check(self, paper: Paper) -> None:
        """Raise ConfigError for a setting that the study does not have."""
        watched = section_of("lemmas", paper)["settings"]
        for series in self.series:
            known_name("setting of lemmas", series["setting"], watched)

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield a curve for each setting."""
        lemmas = tables.frame("lemmas", ("setting", "trial", "round", "status", *COLUMNS))
        for series in self.series:
            watched = lemmas[lemmas["setting"] == series["setting"]]
            yield from watched_notes(watched, series["label"])
            yield rows("data", series=series["label"], **over_trials(recorded(watched), "distance"))
