r"""Exact and approximate posteriors of a function with observations on half of its domain.

A function of a Gaussian process with a Gaussian kernel on [0, 1] is observed t times at points
uniform in [0, 1/2]; each method's posterior there and beyond stands beside the exact one. The BKB
paper's Figure 2 gives a "bandwidth" of 100, read as an inverse squared lengthscale
(docs/deviations.md).
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from optimist.algorithms.kernel.bkb import BKB
from optimist.algorithms.kernel.dtc_ucb import DTCUCB
from optimist.algorithms.kernel.gp_ucb import GPUCB
from optimist.algorithms.kernel.inducing_points import InducingPointUCB
from optimist.algorithms.kernel.rff_ucb import RFFUCB
from optimist.algorithms.kernel.sor_ucb import SoRUCB
from optimist.environments.problems.kernel import KernelProblem
from optimist.figures.studies.base import fact_table
from optimist.numerics.gaussian_process import ExactPosterior
from optimist.numerics.kernels import GaussianKernel
from optimist.numerics.seeding import stream

if TYPE_CHECKING:
    import pandas as pd

JITTER = 1e-9
BAND = 3.0
FAR = 0.6  # from the data

# Statistics over trials, by column.
OVER_TRIALS = {
    **dict.fromkeys(("ratio", "inside", "size", "rank"), "median"),
    "lowest": "min",
    "highest": "max",
}


def methods(section: Mapping[str, Any]) -> list[str]:
    """Return the names of the posteriors: ``bkb_5`` has q-bar 5, ``rff_20`` twenty features."""
    sketched = [f"bkb_{q_bar:g}" for q_bar in section["q_bars"]]
    return ["exact", *sketched, "dtc", "sor", *(f"rff_{number}" for number in section["features"])]


def posteriors(section: Mapping[str, Any], lengthscale: float, trial: int) -> "pd.DataFrame":
    """Return one row per method, number of observations and grid point.

    Parameters
    ----------
    section : mapping
        The section ``starvation`` of a paper.

    Returns
    -------
    DataFrame
        Columns method, round, x, f, mean, low and high (three standard deviations away), deviation
        (of f), exact (deviation of the exact posterior), seen and inducing (whether the point was
        observed, or is an inducing point), size (number of inducing points), rank (of their kernel
        matrix), dimension.
    """
    import pandas as pd

    purpose = ("bkb", "starvation", lengthscale, trial)
    rng = stream(*purpose)
    grid = np.linspace(0.0, 1.0, section["grid"])[:, None]
    kernel = GaussianKernel(lengthscale)
    root = np.linalg.cholesky(kernel(grid, grid) + JITTER * np.eye(len(grid)))
    f = root @ rng.standard_normal(len(grid))
    half = len(grid) // 2 + 1
    chosen = rng.integers(half, size=max(section["rounds"]))
    y = f[chosen] + section["deviation"] * rng.standard_normal(len(chosen))
    algorithms = _algorithms(section, kernel, lambda name: stream(*purpose, name))
    pieces = []
    for t, (index, reward) in enumerate(zip(chosen, y, strict=True), start=1):
        for algorithm in algorithms.values():
            algorithm.update(grid, int(index), float(reward))
            algorithm.prepare()
        if t in section["rounds"]:
            pieces += [
                _piece(algorithm, algorithms["exact"].posterior, f).assign(method=name, round=t)
                for name, algorithm in algorithms.items()
            ]
    return pd.concat(pieces, ignore_index=True)


def _algorithms(
    section: Mapping[str, Any],
    kernel: GaussianKernel,
    rng: Callable[[str], np.random.Generator],
) -> dict[str, Any]:
    """Return the algorithms to compare by their posteriors; they do not choose points."""
    problem = KernelProblem(
        kernel=kernel,
        dimension=1,
        horizon=max(section["rounds"]),
        deviation=section["deviation"],
        ridge=section["deviation"] ** 2,
        fixed_arms=True,
    )
    few = {"size": section["inducing"], "source": "history"}
    return {
        "exact": GPUCB(problem),
        **{f"bkb_{q:g}": BKB(problem, q_bar=q, rng=rng("bkb")) for q in section["q_bars"]},
        "dtc": DTCUCB(problem, **few, rng=rng("few")),
        "sor": SoRUCB(problem, **few, rng=rng("few")),
        **{f"rff_{D}": RFFUCB(problem, features=D, rng=rng("rff")) for D in section["features"]},
    }


def _piece(algorithm: Any, exact: ExactPosterior, f: np.ndarray) -> "pd.DataFrame":
    import pandas as pd

    inducing, rank = np.zeros(len(f), dtype=bool), 0
    if isinstance(algorithm, InducingPointUCB) and algorithm.posterior is not None:
        inducing[algorithm.played.indices[algorithm.drawn]] = True
        rank = len(algorithm.posterior.basis)
    mean, deviation = algorithm.mean, np.sqrt(algorithm.leverages * exact.ridge)
    columns = {"x": exact.points[:, 0], "f": f, "mean": mean, "deviation": deviation}
    columns |= {"low": mean - BAND * deviation, "high": mean + BAND * deviation}
    columns |= {"exact": np.sqrt(exact.var_f), "seen": exact.counts > 0, "inducing": inducing}
    about = {"size": inducing.sum(), "rank": rank, "dimension": exact.effective_dimension}
    return pd.DataFrame(columns).assign(**about)


def statistics(found: "pd.DataFrame") -> "pd.DataFrame":
    """Return one row per method and number of observations.

    ratio: median of the variance over the exact one far from data; lowest, highest: its extremes on
    the grid; inside: share of the grid where f is within three deviations of the mean; size, rank:
    number of inducing points, and rank of their kernel.
    """
    import pandas as pd

    rows = []
    for (method, t), piece in found.groupby(["method", "round"], sort=False):
        ratio = (piece["deviation"] / piece["exact"]) ** 2
        inside = piece["f"].between(piece["low"], piece["high"])
        rows.append(
            {
                "algorithm": method,
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


def place(t: int, lengthscale: float) -> str:
    """Return the name of a setting with t observations, ``40/0.1``."""
    return f"{t}/{lengthscale:.4g}"


def facts(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return medians over trials as facts; for extremes, return the extreme over trials.

    The setting of a fact is ``method/round/lengthscale``.
    """
    rows = []
    for (method, setting), found in table.groupby(["algorithm", "setting"], sort=False):
        rows += [
            (f"starvation_{name}", f"{method}/{setting}", getattr(found[name], statistic)())
            for name, statistic in OVER_TRIALS.items()
        ]
    return fact_table(rows)
