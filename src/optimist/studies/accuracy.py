r"""How well BKB's sketch follows the exact posterior, on BKB's own history.

Calandriello et al. (2019), with $\alpha = \frac{1+\varepsilon}{1-\varepsilon}$. Theorem 3.1:
$\sigma^2/\alpha\le\tilde\sigma^2\le\alpha\sigma^2$ for all arms and rounds and
$|S_t|\le 3(1+\kappa^2/\lambda)\alpha\bar q\,d_{\rm eff}$. Corollary 4.2:
$A_t/\alpha\preceq\tilde A_t\preceq\alpha A_t$ for $A_t = \Phi_t^\top\Phi_t+\lambda I$ and its
sketch. Proposition B.3 orders the effective dimension, the variances spent and the log-determinant.
"""

import math
from itertools import pairwise

import numpy as np

from optimist.algorithms import make_algorithm, parse_label
from optimist.errors import ConfigError
from optimist.experiment import make_cell
from optimist.numerics.gaussian_process import ExactPosterior, dense_posterior
from optimist.numerics.nystrom import pivoted_root
from optimist.simulate import checkpoints
from optimist.trials import Cell, build

# Rounds at which eigenvalues are computed, O(u^3), and the exact posterior is checked.
SPECTRA = (20, 50, 100, 200, 500, 1000, 2000)
# Of each column, the worst value over rounds and trials.
WORST = {
    "ratio_low": "min",
    "ratio_high": "max",
    "within": "min",
    "size_share": "max",
    "size_per_dimension": "max",
    "eigenvalue_low": "min",
    "eigenvalue_high": "max",
    "radius_share": "max",
    "regret_share": "max",
    "chain": "min",
    "step_error": "max",
    "drift": "max",
}
# Recorded rounds whose median stands for the end, and the middle, of a trial.
WINDOW = 11


def check(paper):
    """Refuse other algorithms than BKB, changing arms, and cells that there are not."""
    section = paper["accuracy"]
    for label in section["algorithms"]:
        if parse_label(label)[0] != "bkb":
            raise ConfigError(f"accuracy.algorithms has {label!r}; allowed: bkb[...]")
        for setting in section["settings"]:
            spec = make_cell(paper, setting, label).spec
            if "subset" in spec.get("parameters", {}):
                raise ConfigError(f"accuracy.settings has {setting!r}; allowed: fixed arms")


def names(paper):
    """Return what facts are about: settings with algorithms."""
    section = paper["accuracy"]
    return {f"{s}/{label}" for s in section["settings"] for label in section["algorithms"]}


def tabulate(spec, data_dir):
    """Return what was found in every trial at about 300 rounds, and the worst of it as facts."""
    import pandas as pd

    limits = spec["limits"]
    trials = min(spec["trials"], limits["trials"] or spec["trials"])
    rows = [
        {"setting": cell["setting"], "algorithm": cell["algorithm"], "trial": trial, **row}
        for cell in spec["cells"]
        for trial in range(trials)
        for row in watch(Cell(**cell), trial, limits["rounds"], data_dir)
    ]
    frame = pd.DataFrame(rows)
    return {"accuracy": frame, "accuracy_facts": facts(frame)}


def watch(cell, trial, rounds=None, data_dir=None):
    r"""Play one trial of BKB with the exact posterior beside it; return rows at about 300 rounds.

    Parameters
    ----------
    cell : Cell
        Of a learner BKB.
    trial : int
    rounds : int or None
        Stop after so many rounds of the horizon.

    Returns
    -------
    list of dict
        ratio_low, ratio_high: extremes over arms and rounds so far of $\tilde\sigma^2/\sigma^2$;
        within: share of rounds so far in which all arms were within $[1/\alpha,\alpha]$; inducing,
        rank, distinct; dimension: $d_{\rm eff}$; information: its estimate $D_t$; size_share:
        $|S_t|$ over its bound; size_per_dimension: $|S_t|/d_{\rm eff}$; spent: sum of variances at
        the arms played; log_det; chain: the least slack in Proposition B.3, relative; step_error:
        largest relative violation of Proposition B.1, $\sigma_{t-1}^2/(1+\kappa^2/\lambda)\le
        \sigma_{t-1}^2/(1+\sigma_{t-1}^2) = \sigma_t^2$ at the arm played, and no other grows;
        radius_share: stochastic part of the paper's radius, squared, over that of the exact radius
        and $\alpha^2\log(1+\kappa^2t)$; regret_share: regret over the bound of Theorem 4.1,
        $2(2\alpha)^{3/2}\sqrt t(\xi d_{\rm eff}\log(1+\kappa^2t)+
        \sqrt{\lambda F^2d_{\rm eff}\log(1+\kappa^2t)}+\xi\log(1/\delta))$; and, as of the last of
        `SPECTRA`, eigenvalue_low, eigenvalue_high: extremes so far of those of Corollary 4.2;
        drift: largest relative error of the exact variances against a fresh factorisation. These
        are NaN before the first of those rounds.
    """
    environment, problem = build(cell, trial, data_dir)
    bkb = make_algorithm(cell.algorithm, problem, cell.stream(trial, cell.algorithm))
    arms = environment.arms(0)
    marks = set(checkpoints(cell.spec["horizon"], rounds))
    watched = _Watched(bkb, ExactPosterior(problem.kernel, arms, problem.ridge))
    rows = []
    for t in range(max(marks)):
        index = bkb.select(arms)
        reward = environment.reward(t, index)
        bkb.update(arms, index, reward)
        bkb.prepare()
        watched.observe(index, reward, environment.regret(t, index))
        if t + 1 in marks:
            rows.append({"round": t + 1, **watched.row()})
    return rows


class _Watched:
    """Extremes so far."""

    def __init__(self, bkb, exact):
        self.bkb, self.exact = bkb, exact
        self.low, self.high = math.inf, -math.inf
        self.eigenvalue_low = self.eigenvalue_high = self.drift = math.nan
        self.chain, self.step_error = math.inf, 0.0
        self.inside = 0
        self.spent = self.regret = 0.0
        self.history = []  # of arms and rewards

    @property
    def t(self):
        return len(self.history)

    def observe(self, index, reward, regret):
        """Let the exact posterior learn what BKB has learned, and compare."""
        before = self.exact.leverages
        self.exact.observe(index, reward)
        self.history.append((index, reward))
        self.regret += regret
        self.spent += float(self.exact.leverages[index])
        self._compare_steps(before, index)
        self._compare_variances()
        self._compare_sums()
        if self.t in SPECTRA:
            self._compare_matrices()

    def _compare_steps(self, before, index):
        after, s = self.exact.leverages, before[index]
        least = s / (1.0 + self.bkb.prior_bound / self.exact.ridge)
        errors = [
            float((after / before).max()) - 1.0,
            abs(after[index] * (1.0 + s) / s - 1.0),
            least / after[index] - 1.0,
        ]
        self.step_error = float(np.max([self.step_error, *errors]))  # NaN stays NaN

    def _compare_variances(self):
        ratio, alpha = self.bkb.leverages / self.exact.leverages, self.bkb.alpha
        low, high = float(ratio.min()), float(ratio.max())
        self.low, self.high = float(np.min([self.low, low])), float(np.max([self.high, high]))
        self.inside += low >= 1.0 / alpha and high <= alpha

    def _compare_sums(self):
        sums = [self.exact.effective_dimension, self.spent, self.exact.log_det]
        self.chain = min(self.chain, *(b / a - 1.0 for a, b in pairwise(sums)))

    def _compare_matrices(self):
        exact, played = self.exact, self.bkb.played
        K = exact.kernel(played.points, played.points)
        root = np.sqrt(played.counts)
        largest = float(np.linalg.eigvalsh(root[:, None] * K * root)[-1])  # of K_t
        bound = exact.effective_dimension * (1.0 + math.log1p(largest / exact.ridge))
        self.chain = min(self.chain, bound / exact.log_det - 1.0)
        low, high = spectrum(self.bkb)
        self.eigenvalue_low = np.fmin(self.eigenvalue_low, low)
        self.eigenvalue_high = np.fmax(self.eigenvalue_high, high)
        indices, rewards = map(np.array, zip(*self.history, strict=True))
        observed = exact.points[indices]
        _, fresh, _ = dense_posterior(exact.kernel, observed, rewards, exact.points, exact.ridge)
        self.drift = np.fmax(self.drift, float(np.abs(exact.leverages / fresh - 1.0).max()))

    def row(self):
        bkb, exact, alpha = self.bkb, self.exact, self.bkb.alpha
        size, d = bkb.inducing, exact.effective_dimension
        prior, tail = bkb.prior_bound, -math.log(bkb.problem.delta)
        log_t = math.log1p(prior * self.t)
        bound = 3.0 * (1.0 + prior / exact.ridge) * alpha * bkb.q_bar * d
        sketched = 2.0 * (alpha * log_t * bkb.information + tail) / (exact.log_det + tail)
        return {
            "ratio_low": self.low,
            "ratio_high": self.high,
            "within": self.inside / self.t,
            "inducing": size,
            "rank": len(bkb.posterior.basis),
            "distinct": len(bkb.played),
            "dimension": d,
            "information": bkb.information,
            "size_share": size / bound,
            "size_per_dimension": size / d,
            "spent": self.spent,
            "log_det": exact.log_det,
            "chain": self.chain,
            "step_error": self.step_error,
            "radius_share": sketched / (alpha**2 * log_t),
            "regret_share": self.regret / self._regret_bound(d * log_t, tail),
            "eigenvalue_low": self.eigenvalue_low,
            "eigenvalue_high": self.eigenvalue_high,
            "drift": self.drift,
        }

    def _regret_bound(self, volume, tail):
        problem = self.bkb.problem
        bias = problem.norm_bound * math.sqrt(problem.ridge * volume)
        width = problem.deviation * (volume + tail) + bias
        return 2.0 * (2.0 * self.bkb.alpha) ** 1.5 * math.sqrt(self.t) * width


def spectrum(bkb):
    r"""Return the extreme generalised eigenvalues of $(\tilde A_t, A_t)$ on the arms played."""
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


def facts(frame):
    """Return the worst of each column of `WORST` over rounds and trials, and growth, by cell.

    growth_inducing, growth_dimension and growth_distinct are the factors from the middle of a trial
    to its end, medians over trials; growth_share is the first over the second. The setting of a
    fact is ``setting/algorithm``.
    """
    import pandas as pd

    rows = []
    for (setting, algorithm), found in frame.groupby(["setting", "algorithm"], sort=False):
        where = f"{setting}/{algorithm}"
        for name, worst in WORST.items():
            rows.append((f"accuracy_{name}", where, getattr(found[name], worst)()))
        trials = [trial for _, trial in found.groupby("trial")]
        grown = {
            name: np.array([growth(trial, name) for trial in trials])
            for name in ("inducing", "dimension", "distinct")
        }
        grown["share"] = grown["inducing"] / grown["dimension"]
        for name, factors in grown.items():
            rows.append((f"accuracy_growth_{name}", where, float(np.median(factors))))
    return pd.DataFrame(rows, columns=["name", "setting", "value"])


def growth(trial, column):
    """Return a column's value at the end of a trial over that midway, NaN where too short."""
    middle = trial[trial["round"] <= 0.5 * trial["round"].max()]
    if len(middle) < WINDOW:
        return math.nan
    end, start = (part[column].tail(WINDOW).median() for part in (trial, middle))
    return float(end / start)
