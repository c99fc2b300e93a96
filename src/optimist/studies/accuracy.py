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
from optimist.numerics.gaussian_process import ExactPosterior
from optimist.numerics.nystrom import inverse_root
from optimist.simulate import checkpoints
from optimist.trials import Cell, build

# Rounds at which the eigenvalues of Corollary 4.2 are computed, O(u^3).
SPECTRA = (20, 50, 100, 200)
WORST = {
    "ratio_low": min,
    "ratio_high": max,
    "within": min,
    "size_share": max,
    "size_per_dimension": max,
    "eigenvalue_low": min,
    "eigenvalue_high": max,
    "radius_share": max,
    "chain": min,
    "step_error": max,
}


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
    rounds = min(spec["rounds"], limits["rounds"] or spec["rounds"])
    rows = [
        {"setting": cell["setting"], "algorithm": cell["algorithm"], "trial": trial, **row}
        for cell in spec["cells"]
        for trial in range(trials)
        for row in watch(Cell(**cell), trial, rounds, data_dir)
    ]
    frame = pd.DataFrame(rows)
    return {"accuracy": frame, "accuracy_facts": facts(frame)}


def watch(cell, trial, rounds, data_dir=None):
    r"""Play one trial of BKB with the exact posterior beside it; return rows at about 300 rounds.

    Returns
    -------
    list of dict
        ratio_low, ratio_high: extremes over arms and rounds so far of $\tilde\sigma^2/\sigma^2$;
        within: share of rounds so far in which all arms were within $[1/\alpha,\alpha]$; inducing,
        rank, distinct; dimension: $d_{\rm eff}$; size_share: $|S_t|$ over its bound;
        size_per_dimension: $|S_t|/d_{\rm eff}$; spent: sum of variances at the arms played;
        log_det; chain: the least slack in Proposition B.3, relative; step_error: largest relative
        violation of Proposition B.1, that the variance at the arm played becomes
        $\sigma^2/(1+\sigma^2)$ and no other grows; radius_share:
        $\tilde\beta_t^2$ of the paper over the square of the exact radius and
        $\alpha^2\log(1+\kappa^2t)$; eigenvalue_low, eigenvalue_high: of Corollary 4.2, so far.
    """
    environment, problem = build(cell, trial, data_dir)
    bkb = make_algorithm(cell.algorithm, problem, cell.stream(trial, cell.algorithm))
    arms = environment.arms(0)
    exact = ExactPosterior(problem.kernel, arms, problem.ridge)
    marks = set(checkpoints(cell.spec["horizon"], rounds))
    watched = _Watched(bkb, exact)
    rows = []
    for t in range(max(marks)):
        index = bkb.select(arms)
        reward = environment.reward(t, index)
        bkb.update(arms, index, reward)
        bkb.prepare()
        watched.observe(index, reward)
        if t + 1 in marks:
            rows.append({"round": t + 1, **watched.row()})
    return rows


class _Watched:
    """Extremes so far."""

    def __init__(self, bkb, exact):
        self.bkb, self.exact = bkb, exact
        self.low = self.high = self.eigenvalue_low = self.eigenvalue_high = 1.0
        self.step_error = 0.0
        self.t = self.inside = 0
        self.spent = 0.0

    def observe(self, index, reward):
        """Let the exact posterior learn what BKB has learned, and compare."""
        before = self.exact.leverages
        self.exact.observe(index, reward)
        after = self.exact.leverages
        expected = before[index] / (1.0 + before[index])
        rise = float((after / before).max()) - 1.0
        self.step_error = max(self.step_error, rise, abs(after[index] / expected - 1.0))
        self.t += 1
        ratio = self.bkb.leverages / np.maximum(self.exact.leverages, 1e-300)
        low, high = float(ratio.min()), float(ratio.max())
        self.low, self.high = min(self.low, low), max(self.high, high)
        alpha = self.bkb.alpha
        self.inside += low >= 1.0 / alpha and high <= alpha
        self.spent += float(self.exact.leverages[index])
        if self.t in SPECTRA:
            low, high = spectrum(self.bkb)
            self.eigenvalue_low = min(self.eigenvalue_low, low)
            self.eigenvalue_high = max(self.eigenvalue_high, high)

    def row(self):
        bkb, exact, alpha = self.bkb, self.exact, self.bkb.alpha
        size, d = bkb.inducing, exact.effective_dimension
        prior = bkb.prior_bound
        bound = 3.0 * (1.0 + prior / exact.ridge) * alpha * bkb.q_bar * d
        width = exact.log_det - math.log(bkb.problem.delta)
        sketched = 2.0 * alpha * math.log1p(prior * self.t) * bkb.information
        return {
            "ratio_low": self.low,
            "ratio_high": self.high,
            "within": self.inside / self.t,
            "inducing": size,
            "rank": bkb.posterior.rank,
            "distinct": len(bkb.played),
            "dimension": d,
            "information": bkb.information,
            "size_share": size / bound,
            "size_per_dimension": size / d,
            "spent": self.spent,
            "log_det": exact.log_det,
            "chain": self._chain(),
            "step_error": self.step_error,
            "radius_share": sketched / (width * alpha**2 * math.log1p(prior * self.t)),
            "eigenvalue_low": self.eigenvalue_low,
            "eigenvalue_high": self.eigenvalue_high,
        }

    def _chain(self):
        """Return the least relative gap in d_eff <= spent <= log det <= d_eff (1 + log(...))."""
        exact = self.exact
        # The trace bounds the largest eigenvalue of K_t from above.
        largest = float(exact.counts @ exact.kernel.diagonal(exact.points))
        d = exact.effective_dimension
        chain = [d, self.spent, exact.log_det, d * (1.0 + math.log1p(largest / exact.ridge))]
        return min(b / a - 1.0 for a, b in pairwise(chain))


def spectrum(bkb):
    r"""Return the extreme generalised eigenvalues of $(\tilde A_t, A_t)$ on the arms played."""
    played, kernel, ridge = bkb.played, bkb.problem.kernel, bkb.problem.ridge
    points = played.points
    K = kernel(points, points)
    W = inverse_root(K)  # coordinates of the features of all points: K W
    features = K @ W
    S = features[bkb.drawn]
    basis = np.linalg.svd(S, full_matrices=False)
    kept = basis[2][basis[1] > 1e-10 * basis[1][0]]
    projected = features @ kept.T @ kept
    eye = ridge * np.eye(features.shape[1])
    A = (features.T * played.counts) @ features + eye
    sketched = (projected.T * played.counts) @ projected + eye
    L = np.linalg.cholesky(A)
    inverse = np.linalg.inv(L)
    values = np.linalg.eigvalsh(inverse @ sketched @ inverse.T)
    return float(values[0]), float(values[-1])


def facts(frame):
    """Return the worst of each column of `WORST` over rounds and trials, by cell.

    The setting of a fact is ``setting/algorithm``.
    """
    import pandas as pd

    rows = []
    for (setting, algorithm), found in frame.groupby(["setting", "algorithm"], sort=False):
        for name, worst in WORST.items():
            rows.append((f"accuracy_{name}", f"{setting}/{algorithm}", worst(found[name])))
    return pd.DataFrame(rows, columns=["name", "setting", "value"])
