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
from optimist.numerics.gaussian_process import ExactPosterior, dense_posterior
from optimist.numerics.nystrom import pivoted_root
from optimist.runs.cell import Cell, build, make_cell
from optimist.runs.loop import checkpoints

# Rounds at which eigenvalues are computed, O(u^3), and the exact posterior is checked.
SPECTRA = (20, 35, 50, 70, 100, 140, 200, 350, 500, 700, 1000, 1400, 2000)
# The radii are compared from this round on: before, they hardly depend on the sketch.
SETTLED = 20
# Extremes so far, of which a fact is the worst at the end of a trial.
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
        rank, distinct; dimension: $d_{\rm eff}$; information: its estimate $D_t$; share: $|S_t|$
        over $d_{\rm eff}$; spent: sum of variances at the arms played; log_det; and, extremes so
        far: size_share: $|S_t|$ over its bound; size_per_dimension: $|S_t|/d_{\rm eff}$; chain: the
        least slack in Proposition B.3, relative; step_error: largest relative violation of
        Proposition B.1, $\sigma_{t-1}^2/(1+\kappa^2/\lambda)\le
        \sigma_{t-1}^2/(1+\sigma_{t-1}^2) = \sigma_t^2$ at the arm played, and no other grows;
        radius_share: stochastic part of the paper's radius, squared, over that of the exact radius
        and $\alpha^2\log(1+\kappa^2t)$, from round `SETTLED` on; regret_share: regret over the
        bound of Theorem 4.1, $2(2\alpha)^{3/2}\sqrt t(\xi d_{\rm eff}\log(1+\kappa^2t)+
        \sqrt{\lambda F^2d_{\rm eff}\log(1+\kappa^2t)}+\xi\log(1/\delta))$; and, as of the last
        of `SPECTRA`, eigenvalue_low, eigenvalue_high: extremes so far of those of Corollary 4.2;
        drift: largest error of the exact posterior against a fresh factorisation, relative of its
        variances and log-determinant, absolute of its means. NaN where nothing was measured yet.
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
    """BKB and the exact posterior side by side, and the worst of every comparison so far."""

    def __init__(self, bkb, exact):
        self.bkb, self.exact = bkb, exact
        self.worst = {}
        self.inside = 0
        self.spent = self.regret = 0.0
        self.history = []  # of arms and rewards

    @property
    def t(self):
        return len(self.history)

    def note(self, **values):
        """Keep the worse of what was seen so far and some values; NaN stays NaN."""
        for name, value in values.items():
            worse = WORST[name]([self.worst[name], value]) if name in self.worst else value
            self.worst[name] = float(worse)

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
            self._check_the_exact()

    def _compare_steps(self, before, index):
        after, s = self.exact.leverages, before[index]
        least = s / (1.0 + self.bkb.prior_bound / self.exact.ridge)
        errors = [
            0.0,
            float((after / before).max()) - 1.0,
            abs(after[index] * (1.0 + s) / s - 1.0),
            least / after[index] - 1.0,
        ]
        self.note(step_error=np.max(errors))

    def _compare_variances(self):
        ratio, alpha = self.bkb.leverages / self.exact.leverages, self.bkb.alpha
        low, high = float(ratio.min()), float(ratio.max())
        self.note(ratio_low=low, ratio_high=high)
        self.inside += low >= 1.0 / alpha and high <= alpha

    def _compare_sums(self):
        bkb, exact, alpha = self.bkb, self.exact, self.bkb.alpha
        d, prior, tail = exact.effective_dimension, bkb.prior_bound, -math.log(bkb.problem.delta)
        log_t = math.log1p(prior * self.t)
        bound = 3.0 * (1.0 + prior / exact.ridge) * alpha * bkb.q_bar * d
        sums = [d, self.spent, exact.log_det]
        self.note(
            size_share=bkb.inducing / bound,
            size_per_dimension=bkb.inducing / d,
            regret_share=self.regret / self._regret_bound(d * log_t, tail),
            chain=np.min([b / a - 1.0 for a, b in pairwise(sums)]),
        )
        if self.t >= SETTLED:
            sketched = 2.0 * (alpha * log_t * bkb.information + tail) / (exact.log_det + tail)
            self.note(radius_share=sketched / (alpha**2 * log_t))

    def _regret_bound(self, volume, tail):
        problem = self.bkb.problem
        bias = problem.norm_bound * math.sqrt(problem.ridge * volume)
        width = problem.deviation * (volume + tail) + bias
        return 2.0 * (2.0 * self.bkb.alpha) ** 1.5 * math.sqrt(self.t) * width

    def _compare_matrices(self):
        exact, played = self.exact, self.bkb.played
        K = exact.kernel(played.points, played.points)
        root = np.sqrt(played.counts)
        largest = float(np.linalg.eigvalsh(root[:, None] * K * root)[-1])  # of K_t
        bound = exact.effective_dimension * (1.0 + math.log1p(largest / exact.ridge))
        low, high = spectrum(self.bkb)
        self.note(chain=bound / exact.log_det - 1.0, eigenvalue_low=low, eigenvalue_high=high)

    def _check_the_exact(self):
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

    def row(self):
        bkb, exact = self.bkb, self.exact
        d = exact.effective_dimension
        return {
            "inducing": bkb.inducing,
            "rank": len(bkb.posterior.basis),
            "distinct": len(bkb.played),
            "dimension": d,
            "information": bkb.information,
            "share": bkb.inducing / d,
            "spent": self.spent,
            "log_det": exact.log_det,
            **dict.fromkeys(WORST, math.nan),
            **self.worst,
            "within": self.inside / self.t,
        }


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
    """Return the worst of each column of `WORST` at the end of trials, and growth, by cell.

    growth_inducing, growth_dimension and growth_distinct are the factors from the middle of a trial
    to its end, medians over trials; growth_share is the first over the second. effective_alpha is
    the larger of ratio_high and 1 / ratio_low. The setting of a fact is ``setting/algorithm``.
    """
    import pandas as pd

    rows = []
    for (setting, algorithm), found in frame.groupby(["setting", "algorithm"], sort=False):
        last = found.sort_values("round").groupby("trial").tail(1)
        values = {name: float(worst(last[name].to_numpy())) for name, worst in WORST.items()}
        values["effective_alpha"] = np.max([values["ratio_high"], 1.0 / values["ratio_low"]])
        trials = [trial for _, trial in found.groupby("trial")]
        grown = {
            name: np.array([growth(trial, name) for trial in trials])
            for name in ("inducing", "dimension", "distinct")
        }
        grown["share"] = grown["inducing"] / grown["dimension"]
        values |= {f"growth_{name}": np.median(factors) for name, factors in grown.items()}
        rows += [(f"accuracy_{n}", f"{setting}/{algorithm}", float(v)) for n, v in values.items()]
    return pd.DataFrame(rows, columns=["name", "setting", "value"])


def growth(trial, column):
    """Return a column's value at the end of a trial over that midway, NaN where too short."""
    middle = trial[trial["round"] <= 0.5 * trial["round"].max()]
    if len(middle) < WINDOW:
        return math.nan
    end, start = (part[column].tail(WINDOW).median() for part in (trial, middle))
    return float(end / start)
