r"""Accuracy of BKB's sketch, compared with the exact posterior on BKB's own history.

The study checks statements of Calandriello et al. (2019), where
$\alpha = \frac{1+\varepsilon}{1-\varepsilon}$. Theorem 3.1 says that
$\sigma^2/\alpha\le\tilde\sigma^2\le\alpha\sigma^2$ for all arms and rounds, and that
$|S_t|\le 3(1+\kappa^2/\lambda)\alpha\bar q\,d_{\rm eff}$. Corollary 4.2 says that
$A_t/\alpha\preceq\tilde A_t\preceq\alpha A_t$ for $A_t = \Phi_t^\top\Phi_t+\lambda I$ and its
sketch $\tilde A_t$. Proposition B.3 bounds the effective dimension by the sum of the variances at
the arms played, this sum by the log-determinant, and the log-determinant by
$d_{\rm eff}(1+\log(1+\|K_t\|/\lambda))$.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from optimist.core.errors import ConfigError
from optimist.environments.observer import Observer
from optimist.environments.problems.kernel import KernelProblem
from optimist.experiments.loop import COMPLETE
from optimist.experiments.paper import Paper
from optimist.figures.base import Axes, OneSetting
from optimist.figures.rows import Tables, over_trials, rows
from optimist.figures.studies.base import (
    CellKeys,
    Cells,
    Study,
    StudyFacts,
    fact_table,
    recorded,
    section_of,
    thinned,
    watched_notes,
)
from optimist.numerics.gaussian_process import ExactPosterior, dense_posterior
from optimist.numerics.nystrom import pivoted_root

if TYPE_CHECKING:
    import pandas as pd

# Number of recorded rounds over which to take the median at the middle or end of a trial.
WINDOW = 11
GROWING = ("inducing", "dimension", "distinct")
# The paper's example of an accuracy, and the subject of facts about its cost.
EPSILON, PRICE = 0.5, "epsilon/0.5"
# Rounds at which to compute eigenvalues and check the exact posterior. The eigenvalues cost O(u^3)
# for u distinct arms played.
SPECTRA = (20, 35, 50, 70, 100, 140, 200, 350, 500, 700, 1000, 1400, 2000)
# First round at which to compare radii. Before it, they hardly depend on the sketch.
SETTLED = 20
# Functions that choose the worst value of each column, over rounds and over trials.
WORST = {
    "ratio_low": np.min,
    "ratio_high": np.max,
    "within": np.min,
    "size_share": np.max,
    "size_per_dimension": np.max,
    "eigenvalue_low": np.min,
    "eigenvalue_high": np.max,
    "radius_share": np.max,
    "regret_share": np.max,
    "chain": np.min,
    "step_error": np.max,
    "drift": np.max,
}
COLUMNS = (
    # Diagnostics recorded by BKB itself; ``information`` is its estimate of the dimension.
    *("inducing", "rank", "distinct", "information"),
    *("dimension", "share", "spent", "log_det"),
    *WORST,
)


class SketchObserver(Observer):
    """Observer that compares BKB with the exact posterior and keeps the worst values.

    Parameters
    ----------
    environment : KernelPool or another environment with a fixed set of arms
    bkb : BKB
    """

    def __init__(self, environment: Any, bkb: Any) -> None:
        problem = bkb.problem
        self.bkb = bkb
        self.exact = ExactPosterior(problem.kernel, environment.arms(0), problem.ridge)
        self.worst: dict[str, float] = {}
        self.inside = 0
        self.spent = self.regret = 0.0
        self.history: list[tuple[int, float]] = []  # arms played and their rewards

    @property
    def t(self) -> int:
        """Number of rounds so far."""
        return len(self.history)

    def note(self, **values: float) -> None:
        """Update the worst values; NaN stays NaN."""
        for name, value in values.items():
            worse = WORST[name]([self.worst[name], value]) if name in self.worst else value
            self.worst[name] = float(worse)

    def after(
        self, t: int, arms: np.ndarray | None, choice: Any, reward: float, regret: float
    ) -> None:
        """Update the exact posterior as BKB does, and compare the two."""
        before = self.exact.leverages
        self.exact.observe(choice, reward)
        self.history.append((choice, reward))
        self.regret += regret
        self.spent += float(self.exact.leverages[choice])
        self._compare_steps(before, choice)
        self._compare_variances()
        self._compare_sums()
        if self.t in SPECTRA:
            self._compare_matrices()
            self._check_the_exact()

    def columns(self) -> dict[str, float]:
        r"""Return the values to record after this round, by column.

        These columns describe the current round:

        ``dimension``  the effective dimension, $d_{\rm eff}$
        ``share``      $|S_t|/d_{\rm eff}$
        ``spent``      sum of the variances at the arms played
        ``log_det``    log-determinant of the exact posterior

        The other columns summarise all rounds so far, and are NaN until they are first measured.

        ``ratio_low``, ``ratio_high``
            Smallest and largest ratio $\tilde\sigma^2/\sigma^2$ of any arm.
        ``within``
            Share of rounds in which this ratio was within $[1/\alpha,\alpha]$ for all arms.
        ``size_share``, ``size_per_dimension``
            Largest ratio of $|S_t|$ to its bound, and to $d_{\rm eff}$.
        ``chain``
            Least relative slack in Proposition B.3.
        ``step_error``
            Largest relative violation of Proposition B.1, which says that
            $\sigma_{t-1}^2/(1+\kappa^2/\lambda)\le\sigma_{t-1}^2/(1+\sigma_{t-1}^2) = \sigma_t^2$
            at the arm played, and that no other variance grows.
        ``radius_share``
            Largest square of the stochastic part of the paper's radius, divided by that of the
            exact radius and by $\alpha^2\log(1+\kappa^2t)$, from round `SETTLED` on.
        ``regret_share``
            Largest ratio of the regret to the bound of Theorem 4.1; see `regret_bound`.
        ``eigenvalue_low``, ``eigenvalue_high``
            Smallest and largest eigenvalue of Corollary 4.2, in the rounds `SPECTRA`.
        ``drift``
            Largest difference between the exact posterior and a fresh factorisation, in the rounds
            `SPECTRA`: relative for variances and the log-determinant, absolute for means.
        """
        bkb, exact = self.bkb, self.exact
        d = exact.effective_dimension
        return {
            "dimension": d,
            "share": bkb.inducing / d,
            "spent": self.spent,
            "log_det": exact.log_det,
            **dict.fromkeys(WORST, math.nan),
            **self.worst,
            "within": self.inside / self.t,
        }

    def _compare_steps(self, before: np.ndarray, index: int) -> None:
        after, s = self.exact.leverages, before[index]
        least = s / (1.0 + self.bkb.prior_bound / self.exact.ridge)
        errors = [
            0.0,
            float((after / before).max()) - 1.0,
            abs(after[index] * (1.0 + s) / s - 1.0),
            least / after[index] - 1.0,
        ]
        self.note(step_error=np.max(errors))

    def _compare_variances(self) -> None:
        ratio, alpha = self.bkb.leverages / self.exact.leverages, self.bkb.alpha
        low, high = float(ratio.min()), float(ratio.max())
        self.note(ratio_low=low, ratio_high=high)
        self.inside += low >= 1.0 / alpha and high <= alpha

    def _compare_sums(self) -> None:
        bkb, exact, alpha = self.bkb, self.exact, self.bkb.alpha
        d, prior, tail = exact.effective_dimension, bkb.prior_bound, -math.log(bkb.problem.delta)
        log_t = math.log1p(prior * self.t)
        bound = 3.0 * (1.0 + prior / exact.ridge) * alpha * bkb.q_bar * d
        sums = [d, self.spent, exact.log_det]
        self.note(
            size_share=bkb.inducing / bound,
            size_per_dimension=bkb.inducing / d,
            regret_share=self.regret / regret_bound(bkb.problem, alpha, self.t, d * log_t),
            chain=np.min([b / a - 1.0 for a, b in pairwise(sums)]),
        )
        if self.t >= SETTLED:
            sketched = 2.0 * (alpha * log_t * bkb.information + tail) / (exact.log_det + tail)
            self.note(radius_share=sketched / (alpha**2 * log_t))

    def _compare_matrices(self) -> None:
        exact, played = self.exact, self.bkb.played
        K = exact.kernel(played.points, played.points)
        root = np.sqrt(played.counts)
        largest = float(np.linalg.eigvalsh(root[:, None] * K * root)[-1])  # of K_t
        bound = exact.effective_dimension * (1.0 + math.log1p(largest / exact.ridge))
        low, high = spectrum(self.bkb)
        self.note(chain=bound / exact.log_det - 1.0, eigenvalue_low=low, eigenvalue_high=high)

    def _check_the_exact(self) -> None:
        exact = self.exact
        indices, rewards = map(np.array, zip(*self.history, strict=True))
        mean, leverages, log_det = dense_posterior(
            exact.kernel, exact.points[indices], rewards, exact.points, exact.ridge
        )
        errors = [
            np.abs(exact.mean - mean).max(),
            np.abs(exact.leverages / leverages - 1.0).max(),
            abs(exact.log_det / log_det - 1.0),
        ]
        self.note(drift=np.max(errors))


def regret_bound(problem: KernelProblem, alpha: float, t: int, volume: float) -> float:
    r"""Return the bound of Theorem 4.1 on the regret of t rounds.

    With $v = d_{\rm eff}\log(1+\kappa^2t)$, given as ``volume``, the bound is
    $2(2\alpha)^{3/2}\sqrt t(\xi v+\sqrt{\lambda F^2v}+\xi\log(1/\delta))$.
    """
    bias = problem.norm_bound * math.sqrt(problem.ridge * volume)
    width = problem.deviation * (volume - math.log(problem.delta)) + bias
    return float(2.0 * (2.0 * alpha) ** 1.5 * math.sqrt(t) * width)


def spectrum(bkb: Any) -> tuple[float, float]:
    r"""Return the smallest and largest generalised eigenvalue of $(\tilde A_t, A_t)$."""
    played, kernel, ridge = bkb.played, bkb.problem.kernel, bkb.problem.ridge
    points = played.points
    K = kernel(points, points)
    basis, root = pivoted_root(K)
    features = K[:, basis] @ root.T  # of all points, in an orthonormal basis of their span
    span = np.linalg.qr(features[bkb.drawn[bkb.posterior.basis]].T)[0]
    projected = features @ span @ span.T
    eye = ridge * np.eye(features.shape[1])
    A = (features.T * played.counts) @ features + eye
    sketched = (projected.T * played.counts) @ projected + eye
    L = np.linalg.cholesky(A)
    inverse = np.linalg.inv(L)
    values = np.linalg.eigvalsh(inverse @ sketched @ inverse.T)
    return float(values[0]), float(values[-1])


class Accuracy(Study):
    """Trials that compare BKB with the exact posterior in every round.

    See `SketchObserver.columns`.
    """

    name = "accuracy"
    Section = CellKeys
    tables: ClassVar = {"accuracy": "parquet", "accuracy_facts": "csv", "price": "csv"}
    facts = ("accuracy_facts", "price")

    def check(self, paper: Paper) -> None:
        """Raise ConfigError for algorithms other than BKB, changing arms or unknown settings."""
        for cell in self.cells(paper, ()):
            setting, algorithm = cell.labels
            if algorithm.name != "bkb":
                raise ConfigError(
                    f"accuracy.algorithms has {algorithm!r}; allowed: bkb, with or without options"
                )
            if "subset" in cell.setting.parameters:
                raise ConfigError(
                    f"accuracy.settings has {setting!r}; allowed: settings with fixed arms"
                )

    def about(self) -> set[str]:
        """Return the subjects of facts: each pair ``setting/algorithm``, and `PRICE`."""
        return {*super().about(), PRICE}

    def tabulate(self, cells: Cells) -> "dict[str, pd.DataFrame]":
        """Return the values at about sixty rounds of each trial, and the facts."""
        frame = self.watch(cells, SketchObserver, COLUMNS)
        return {"accuracy": thinned(frame), "accuracy_facts": facts(frame), "price": price(EPSILON)}


def facts(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return facts about each cell, computed over its trials.

    The setting of a fact is ``setting/algorithm``. Because a fact must hold for all trials, a
    cell's facts are NaN if any of its trials is incomplete. These are the facts:

    each column of `WORST`
        Worst value at the end of any trial.
    ``effective_alpha``
        Larger of ``ratio_high`` and 1 / ``ratio_low``.
    ``growth_inducing``, ``growth_dimension``, ``growth_distinct``
        Median over trials of the column's growth; see `growth`.
    ``growth_share``
        Median over trials of the ratio of the first of these growths to the second.
    """
    rows = []
    for (setting, algorithm), group in frame.groupby(["setting", "algorithm"], sort=False):
        values = _facts_of_cell(group)
        if not group["status"].isin(COMPLETE).all():
            values = dict.fromkeys(values, math.nan)
        rows += [(f"accuracy_{n}", f"{setting}/{algorithm}", float(v)) for n, v in values.items()]
    return fact_table(rows)


def price(epsilon: float) -> "pd.DataFrame":
    r"""Return the cost of an accuracy according to the theorems, as facts about `PRICE`.

    ``price_alpha``   $\alpha = \frac{1+\varepsilon}{1-\varepsilon}$, which is 1 for $\varepsilon=0$
    ``price_sketch``  factor $\alpha/\varepsilon^2$ in the number of inducing points
    ``price_round``   factor $\alpha^2/\varepsilon^4$ in the cost of a round
    ``price_regret``  factor $\alpha^{3/2}$ in the bound of Theorem 4.1
    """
    alpha = (1.0 + epsilon) / (1.0 - epsilon)
    sketch = alpha / epsilon**2
    values = {"alpha": alpha, "sketch": sketch, "round": sketch**2, "regret": alpha**1.5}
    return fact_table([(f"price_{name}", PRICE, value) for name, value in values.items()])


def _facts_of_cell(group: "pd.DataFrame") -> dict[str, float]:
    last = group.sort_values("round").groupby("trial").tail(1)
    values = {name: float(worst(last[name].to_numpy())) for name, worst in WORST.items()}
    values["effective_alpha"] = np.max([values["ratio_high"], 1.0 / values["ratio_low"]])
    trials = [trial for _, trial in group.groupby("trial")]
    grown = {name: np.array([growth(trial, name) for trial in trials]) for name in GROWING}
    grown["share"] = grown["inducing"] / grown["dimension"]
    return values | {f"growth_{name}": np.median(factors) for name, factors in grown.items()}


def growth(trial: "pd.DataFrame", column: str) -> float:
    """Return the factor by which a column grows from a trial's middle to its end.

    If the trial is too short, return NaN.
    """
    middle = trial[trial["round"] <= 0.5 * trial["round"].max()]
    if len(middle) < WINDOW:
        return math.nan
    end, start = (part[column].tail(WINDOW).median() for part in (trial, middle))
    return float(end / start)


class AccuracyPanel(OneSetting):
    """Median and range of a column of the study ``accuracy`` over trials, against the round."""

    column: str  #: Diagnostic column of the results.

    tables = ("accuracy",)
    axes = Axes("round", "", scale="log")
    words = "line: median, {band}: smallest to largest of n = {n}"

    def check(self, paper: Paper) -> None:
        """Raise ConfigError if the paper does not have the study."""
        section_of("accuracy", paper)

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield a curve for each algorithm, at about sixty rounds.

        Few rounds suffice, because extremes change in steps.
        """
        from optimist.experiments.cell_trials import kept_rounds

        for algorithm in self.algorithms:
            watched = tables.cell("accuracy", self.setting, algorithm)
            yield from watched_notes(watched, algorithm, self.setting)
            values = recorded(watched)
            if len(values):
                shown = values["round"].isin(kept_rounds(values["round"].unique()))
                curve = over_trials(values[shown], self.column)
                yield rows("data", setting=self.setting, series=algorithm, **curve)


class AccuracyTable(StudyFacts):
    """All facts of the study ``accuracy``."""

    tables = ("accuracy_facts",)
    prefix = "accuracy"
    meanings: ClassVar = {
        "setting": "setting/algorithm",
        "ratio_low": "smallest ratio of a variance of the sketch to the exact one",
        "ratio_high": "largest such ratio",
        "within": "share of rounds in which all ratios were within a factor of three",
        "size_share": "inducing points over their bound in Theorem 3.1",
        "size_per_dimension": "inducing points over the effective dimension",
        "eigenvalue_low": "smallest eigenvalue of Corollary 4.2",
        "eigenvalue_high": "largest such eigenvalue",
        "radius_share": "squared radius over its bound",
        "regret_share": "regret over the bound of Theorem 4.1",
        "chain": "least slack of Proposition B.3, relative",
        "step_error": "largest relative violation of Proposition B.1, of rounding alone",
        "drift": "largest error of the exact posterior against a fresh factorisation",
        "effective_alpha": "larger of ratio_high and 1 / ratio_low",
        "growth_inducing": "inducing points at the end of a trial over those midway",
        "growth_dimension": "the same of the effective dimension",
        "growth_distinct": "the same of the distinct arms played",
        "growth_share": "growth_inducing over growth_dimension",
    }
