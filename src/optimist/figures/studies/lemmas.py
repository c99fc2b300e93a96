r"""Trials of Hvt-UCB that check its analysis of the estimate and the regret in every round.

Wang et al. (2025): Lemma 1 says $\|\hat\theta_{t+1}-\theta_*\|_{V_t} \le \beta_t$ for all t; its
proof rests on $|X_t^\top(\hat\theta_t-\theta_*)|/\sigma_t \le \tau_t/2$. The proof of Theorem 1
(Appendix C.1, before constants are dropped) bounds the regret by
$$4\beta_T\Big(\sqrt{2\kappa}\sqrt{\textstyle\sum_{t\le T}(\nu_t^2+\sigma_{\min}^2)}
    + \frac{cL\kappa}{\sqrt\lambda}\Big),\qquad
  c = \frac{\sqrt{\lambda(2+4S^2)}}{\tau_0} + 107\Lambda,$$
and Corollary 1 has $\nu$ in place of $\nu_t$. The bound is computed in every round from the sum and
the radius so far. The regret of t rounds never exceeds 2LSt.

Deviation: by the definition of $w_t$, the second term needs 4c in place of c. The code uses the
bound as printed, which is smaller.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from annotated_types import MinLen

from optimist.algorithms.heavy_tailed.hvt_ucb import ALPHA
from optimist.core.errors import ConfigError, unknown_name
from optimist.core.keys import Count, Keys, Texts
from optimist.core.label import name_of
from optimist.environments.observer import Observer
from optimist.experiments.loop import COMPLETE
from optimist.figures.base import Axes, Named, Panel, PanelKeys, Paper
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
    """Observer of the estimate and the regret of Hvt-UCB in one trial.

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
        """Store the estimate on which the choice will depend."""
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

    def _compare_regret(self, scale):
        """Compare the regret so far, and the largest possible regret, with the proof's bound."""
        problem = self._algorithm.problem
        nu = problem.scale_bound if self._algorithm.uses_bound else scale
        self._squares += nu * nu + problem.least_scale**2
        bound = regret_bound(self._algorithm, self._squares)
        self._regret_share = max(self._regret_share, self._regret / bound)
        worst = 2.0 * problem.arm_bound * problem.norm_bound * self._rounds
        self._void = min(self._void, bound / worst)

    def columns(self) -> dict[str, float]:
        """Return the quantities that the analysis bounds.

        distance: distance from the estimate to the true parameter in the norm of V, divided by the
        radius; largest: the largest distance so far; bounded: the share of rounds so far in which
        the error in the direction of the played arm was at most half of the threshold;
        regret_share: the largest ratio so far of the regret to the bound in the same round; void:
        the smallest ratio so far of the bound to the largest regret that is possible in as many
        rounds; it is above 1 if no run can violate the bound.
        """
        return {
            "distance": self._distance,
            "largest": self._largest,
            "bounded": self._bounded / self._rounds,
            "regret_share": self._regret_share,
            "void": self._void,
        }


def regret_bound(algorithm: Any, squares: float) -> float:
    r"""Return the bound from the proof of Theorem 1 after the rounds that an algorithm has seen.

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
    return 4.0 * algorithm.beta * (math.sqrt(2.0 * kappa * squares) + steep)


class Lemmas(Study):
    """Trials of Hvt-UCB that check its analysis in every round."""

    name = "lemmas"

    class Section(Keys):
        settings: Texts  #: Labels of settings.
        algorithm: str  #: Label of the algorithm, a variant of hvt_ucb.
        trials: Count  #: Trials per setting.

    tables: ClassVar = {"lemmas": "parquet", "lemma_facts": "csv"}
    facts = ("lemma_facts",)

    def check(self, paper: dict[str, Any]) -> None:
        """Refuse algorithms other than Hvt-UCB, and unknown settings."""
        label = self.section["algorithm"]
        if name_of(label) != "hvt_ucb":
            raise ConfigError(f"lemmas.algorithm is {label!r}; allowed: hvt_ucb[...]")
        super().check(paper)

    def tabulate(self, cells: Cells) -> "dict[str, pd.DataFrame]":
        """Return all trials at about sixty rounds, and facts about all recorded rounds."""
        frame = self.watch(cells, LemmaObserver, COLUMNS)
        return {"lemmas": thinned(frame), "lemma_facts": facts(frame)}


def facts(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return facts computed from a table of watched trials.

    The facts are the largest distance and the smallest share over trials, the share of trials in
    which the distance never exceeded the radius, the largest ratio of the regret to its bound, and
    the smallest ratio of the bound to the largest possible regret. A setting with an incomplete
    trial has no facts, because a fact must hold for all trials.
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
    setting: str  #: A setting of the study lemmas.


class LemmasPanel(Panel):
    """Ratio of the estimate's distance to the radius against the round, median over trials."""

    class Entry(PanelKeys):
        series: Annotated[list[Distance], MinLen(1)]  #: The compared settings.

    tables = ("lemmas",)
    axes = Axes("round", "distance / radius", "log", "log")
    words = "line: median, {band}: smallest to largest of n = {n}"

    def check(self, paper: Paper) -> None:
        """Refuse a setting that the study does not watch."""
        watched = section_of("lemmas", paper)["settings"]
        for series in self.spec["series"]:
            if series["setting"] not in watched:
                raise unknown_name("setting of lemmas", series["setting"], watched)

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield a curve for each setting."""
        lemmas = tables.frame("lemmas", ("setting", "trial", "round", "status", *COLUMNS))
        for series in self.spec["series"]:
            watched = lemmas[lemmas["setting"] == series["setting"]]
            yield from watched_notes(watched, series["label"])
            yield rows("data", series=series["label"], **over_trials(recorded(watched), "distance"))
