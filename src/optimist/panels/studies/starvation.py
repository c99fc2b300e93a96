r"""Figure 2 of the BKB paper: approximate posteriors of a function seen on half of its domain.

A function of a Gaussian process with a Gaussian kernel on [0, 1] is observed t times at points
uniform in [0, 1/2]; each method's posterior there and beyond is compared with the exact one. The
paper gives a "bandwidth" of 100, read as an inverse squared lengthscale (docs/deviations.md).
"""

import numpy as np

from optimist.algorithms.kernel.bkb import BKB
from optimist.algorithms.kernel.dtc_ucb import DTCUCB
from optimist.algorithms.kernel.gp_ucb import GPUCB
from optimist.algorithms.kernel.inducing_points import InducingPointUCB
from optimist.algorithms.kernel.rff_ucb import RFFUCB
from optimist.algorithms.kernel.sor_ucb import SoRUCB
from optimist.errors import ConfigError
from optimist.numerics.kernels import GaussianKernel
from optimist.problems.kernel import KernelProblem
from optimist.runs.seeding import stream

JITTER = 1e-9
FAR = 0.6  # where no data are near
BAND = 3.0
METHODS = ("exact", "bkb", "dtc", "sor", "rff")


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
        for method in METHODS
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

    Columns method, round, x, f, mean, low and high (three standard deviations away), deviation (of
    f), exact (deviation of the exact posterior), seen and inducing (whether the point was observed,
    or is an inducing point), size (number of inducing points), rank (that of their kernel),
    dimension.
    """
    import pandas as pd

    purpose = ("bkb", "starvation", lengthscale, trial)
    rng = stream(*purpose)
    grid = np.linspace(0.0, 1.0, spec["grid"])[:, None]
    kernel = GaussianKernel(lengthscale)
    root = np.linalg.cholesky(kernel(grid, grid) + JITTER * np.eye(len(grid)))
    f = root @ rng.standard_normal(len(grid))
    half = len(grid) // 2 + 1
    chosen = rng.integers(half, size=max(spec["rounds"]))
    y = f[chosen] + spec["deviation"] * rng.standard_normal(len(chosen))
    learners = _learners(spec, kernel, lambda name: stream(*purpose, name))
    pieces = []
    for t, (index, reward) in enumerate(zip(chosen, y, strict=True), start=1):
        for learner in learners.values():
            learner.update(grid, int(index), float(reward))
            learner.prepare()
        if t in spec["rounds"]:
            pieces += [
                _piece(learner, learners["exact"].posterior, f).assign(method=name, round=t)
                for name, learner in learners.items()
            ]
    return pd.concat(pieces, ignore_index=True)


def _learners(spec, kernel, rng):
    """Return the learners whose posteriors are compared; they are told where to look."""
    problem = KernelProblem(
        kernel,
        dimension=1,
        horizon=max(spec["rounds"]),
        deviation=spec["deviation"],
        ridge=spec["deviation"] ** 2,
        fixed_arms=True,
    )
    few = {"size": spec["inducing"], "source": "history"}
    return {
        "exact": GPUCB(problem),
        "bkb": BKB(problem, q_bar=spec["q_bar"], rng=rng("bkb")),
        "dtc": DTCUCB(problem, **few, rng=rng("few")),
        "sor": SoRUCB(problem, **few, rng=rng("few")),
        "rff": RFFUCB(problem, features=spec["features"], rng=rng("rff")),
    }


def _piece(learner, exact, f):
    import pandas as pd

    inducing, rank = np.zeros(len(f), dtype=bool), 0
    if isinstance(learner, InducingPointUCB):
        inducing[learner.played.indices[learner.drawn]] = True
        rank = len(learner.posterior.basis)
    deviation = np.sqrt(learner.leverages * exact.ridge)
    columns = {"x": exact.points[:, 0], "f": f, "mean": learner.mean, "deviation": deviation}
    columns |= {"low": learner.mean - BAND * deviation, "high": learner.mean + BAND * deviation}
    columns |= {"exact": np.sqrt(exact.var_f), "seen": exact.counts > 0, "inducing": inducing}
    about = {"size": inducing.sum(), "rank": rank, "dimension": exact.effective_dimension}
    return pd.DataFrame(columns).assign(**about)


def statistics(found):
    """Return one row per method and number of observations.

    ratio: median of the deviation over the exact one far from data; lowest, highest: its extremes
    on the grid; inside: share of the grid on which f is within three deviations of the mean; size,
    rank: number of inducing points, and rank of their kernel.
    """
    import pandas as pd

    rows = []
    for (method, t), piece in found.groupby(["method", "round"], sort=False):
        ratio = piece["deviation"] / piece["exact"]
        inside = piece["f"].between(piece["low"], piece["high"])
        rows.append(
            {
                "method": method,
                "round": t,
                "ratio": float(ratio[piece["x"] >= FAR].median()),
                "lowest": float(ratio.min()),
                "highest": float(ratio.max()),
                "inside": float(inside.mean()),
                "size": float(piece["size"].iloc[0]),
                "rank": float(piece["rank"].iloc[0]),
            }
        )
    return pd.DataFrame(rows)


def facts(table):
    """Return medians over trials as facts, and the extremes of extremes.

    The setting of a fact is ``method/round/lengthscale``.
    """
    import pandas as pd

    over_trials = {
        **dict.fromkeys(("ratio", "inside", "size", "rank"), "median"),
        "lowest": "min",
        "highest": "max",
    }
    rows = []
    for (method, t, s), found in table.groupby(["method", "round", "lengthscale"], sort=False):
        where = f"{method}/{t}/{s:.4g}"
        rows += [
            (f"starvation_{name}", where, getattr(found[name], statistic)())
            for name, statistic in over_trials.items()
        ]
    return pd.DataFrame(rows, columns=["name", "setting", "value"])
