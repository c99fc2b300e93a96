r"""Figure 2 of the BKB paper: approximate posteriors of a function seen on half of its domain.

A function of a Gaussian process with a Gaussian kernel on [0, 1] is observed t times at points
uniform in [0, 1/2]; each method's posterior there and beyond is compared with the exact one. The
paper gives a "bandwidth" of 100, read as an inverse squared lengthscale (docs/deviations.md).
"""

import numpy as np

from optimist.errors import ConfigError
from optimist.numerics.features import FeaturePosterior, random_features
from optimist.numerics.gaussian_process import ExactPosterior
from optimist.numerics.kernels import GaussianKernel
from optimist.numerics.nystrom import NystromPosterior
from optimist.seeding import stream

JITTER = 1e-9
FAR = 0.6  # where no data are near
BAND = 3.0
METHODS = ("bkb", "dtc", "sor", "rff")


def check(paper):
    """Refuse rounds that do not increase."""
    rounds = paper["starvation"]["rounds"]
    if sorted(set(rounds)) != rounds:
        raise ConfigError(f"starvation.rounds is {rounds}; allowed: increasing numbers")


def names(paper):
    """Return what facts are about: method, number of observations and lengthscale."""
    section = paper["starvation"]
    return {
        f"{method}/{t}/{s:.4g}"
        for method in ("exact", *METHODS)
        for t in section["rounds"]
        for s in section["lengthscales"]
    }


def tabulate(spec, data_dir):
    """Return the curves of trial 0, and statistics of all trials as facts."""
    import pandas as pd

    trials = min(spec["trials"], spec["limits"]["trials"] or spec["trials"])
    rows, curves = [], []
    for lengthscale in spec["lengthscales"]:
        for trial in range(trials):
            found = posteriors(spec, lengthscale, trial)
            if trial == 0:
                curves.append(found.assign(lengthscale=lengthscale))
            rows.append(statistics(found).assign(lengthscale=lengthscale, trial=trial))
    table = pd.concat(rows, ignore_index=True)
    return {"starvation": pd.concat(curves, ignore_index=True), "starvation_facts": facts(table)}


def posteriors(spec, lengthscale, trial):
    """Return one row per method, number of observations and grid point.

    Columns method, round, x, f, mean, deviation (of f), exact (deviation of the exact posterior),
    seen and inducing (whether the point was observed, or is an inducing point), size (number of
    inducing points or features, 0 for the exact posterior), dimension.
    """
    import pandas as pd

    rng = stream("bkb", "starvation", lengthscale, trial)
    grid = np.linspace(0.0, 1.0, spec["grid"])[:, None]
    kernel = GaussianKernel(lengthscale)
    root = np.linalg.cholesky(kernel(grid, grid) + JITTER * np.eye(len(grid)))
    f = root @ rng.standard_normal(len(grid))
    half = len(grid) // 2 + 1
    chosen = rng.integers(half, size=max(spec["rounds"]))
    y = f[chosen] + spec["deviation"] * rng.standard_normal(len(chosen))
    ridge = spec["deviation"] ** 2
    exact = ExactPosterior(kernel, grid, ridge)
    methods = _methods(spec, kernel, grid, ridge, rng)
    pieces = []
    for t, (index, reward) in enumerate(zip(chosen, y, strict=True), start=1):
        exact.observe(index, reward)
        for method in methods.values():
            method.observe(index, reward)
        if t in spec["rounds"]:
            shown = {"exact": (exact.mean, exact.leverages, np.empty(0, dtype=int), 0)}
            shown |= {name: method.posterior() for name, method in methods.items()}
            pieces += [_piece(t, name, *found, grid, f, exact) for name, found in shown.items()]
    return pd.concat(pieces, ignore_index=True)


def _piece(t, name, mean, leverages, inducing, size, grid, f, exact):
    import pandas as pd

    is_inducing = np.zeros(len(grid), dtype=bool)
    is_inducing[inducing] = True
    columns = {"x": grid[:, 0], "f": f, "mean": mean, "inducing": is_inducing}
    columns |= {"deviation": np.sqrt(leverages * exact.ridge), "exact": np.sqrt(exact.var_f)}
    about = {"size": size, "dimension": exact.effective_dimension}
    return pd.DataFrame(columns | {"seen": exact.counts > 0}).assign(method=name, round=t, **about)


def _methods(spec, kernel, grid, ridge, rng):
    # Among points like the observed ones, in the first half.
    few = rng.choice(len(grid) // 2 + 1, spec["inducing"], replace=False)
    made = (
        _Sketched(kernel, grid, ridge, rng, q_bar=spec["q_bar"]),
        _Sketched(kernel, grid, ridge, rng, inducing=few),
        _Sketched(kernel, grid, ridge, rng, inducing=few, keeps_prior=False),
        _Features(kernel, grid, ridge, spec["features"], rng),
    )
    return dict(zip(METHODS, made, strict=True))


class _Sketched:
    """A posterior on inducing points: fixed ones, or BKB's, drawn anew after each observation."""

    def __init__(self, kernel, grid, ridge, rng, *, q_bar=None, inducing=None, keeps_prior=True):
        self.kernel, self.grid, self.ridge, self.rng = kernel, grid, ridge, rng
        self.q_bar, self.inducing, self.keeps_prior = q_bar, inducing, keeps_prior
        self.counts, self.sums = np.zeros(len(grid)), np.zeros(len(grid))
        self.mean, self.leverages = np.zeros(len(grid)), kernel.diagonal(grid) / ridge
        self.rank = 0

    def observe(self, index, y):
        self.counts[index] += 1.0
        self.sums[index] += y
        seen = np.flatnonzero(self.counts)
        if self.q_bar is not None:
            p = np.minimum(1.0, self.q_bar * self.leverages[seen])
            chance = 1.0 - (1.0 - p) ** self.counts[seen]
            drawn = self.rng.random(len(seen)) < chance
            self.inducing = seen[drawn] if drawn.any() else seen[[np.argmax(chance)]]
        S = self.grid[self.inducing]
        B = self.kernel(S, self.grid)
        found = NystromPosterior(
            self.kernel(S, S), B[:, seen], self.counts[seen], self.sums[seen], self.ridge
        )
        self.rank, self.mean = found.rank, found.mean(B)
        if self.keeps_prior:
            self.leverages = found.leverages(B, self.kernel.diagonal(self.grid))
        else:
            self.leverages = found.regressors_leverages(B)

    def posterior(self):
        return self.mean, self.leverages, self.inducing, len(self.inducing)


class _Features:
    """A posterior on random Fourier features."""

    def __init__(self, kernel, grid, ridge, number, rng):
        self.features = random_features(kernel, 1, number, rng)(grid)
        self.found = FeaturePosterior(number, ridge, self.features)

    def observe(self, index, y):
        self.found.observe(self.features[index], y)

    def posterior(self):
        mean, leverages = self.found.predict(self.features)
        return mean, leverages, np.empty(0, dtype=int), self.features.shape[1]


def statistics(found):
    """Return for each method and round: the median ratio of deviations to exact ones far from data,

    and the share of the grid on which f is within three deviations of the mean.
    """
    import pandas as pd

    rows = []
    for (method, t), piece in found.groupby(["method", "round"], sort=False):
        far = piece[piece["x"] >= FAR]
        inside = (piece["f"] - piece["mean"]).abs() <= BAND * piece["deviation"]
        ratio = float((far["deviation"] / far["exact"]).median())
        rows.append((method, t, ratio, float(inside.mean()), float(piece["size"].iloc[0])))
    return pd.DataFrame(rows, columns=["method", "round", "ratio", "inside", "size"])


def facts(table):
    """Return medians over trials, and extremes of the ratio, as facts.

    The setting of a fact is ``method/round/lengthscale``.
    """
    import pandas as pd

    rows = []
    for (method, t, s), found in table.groupby(["method", "round", "lengthscale"], sort=False):
        where = f"{method}/{t}/{s:.4g}"
        rows += [
            ("starvation_ratio", where, found["ratio"].median()),
            ("starvation_ratio_lowest", where, found["ratio"].min()),
            ("starvation_ratio_highest", where, found["ratio"].max()),
            ("starvation_inside", where, found["inside"].median()),
            ("starvation_size", where, found["size"].median()),
        ]
    return pd.DataFrame(rows, columns=["name", "setting", "value"])
