r"""Variances of approximate posteriors near and far from the data, as in Figure 2 of the BKB paper.

A function from a Gaussian process with a Gaussian kernel on [0, 1] is observed t times, at points
drawn uniformly from [0, 1/2]. The posterior of each method is compared with the exact posterior on
this interval and outside it. The paper's "bandwidth" of 100 is interpreted as an inverse squared
lengthscale (docs/deviations.md).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from annotated_types import Ge, MinLen

from optimist.algorithms.kernel.bkb import BKB
from optimist.algorithms.kernel.dtc_ucb import DTCUCB
from optimist.algorithms.kernel.gp_ucb import GPUCB
from optimist.algorithms.kernel.inducing_points import InducingPointUCB
from optimist.algorithms.kernel.rff_ucb import RFFUCB
from optimist.algorithms.kernel.sor_ucb import SoRUCB
from optimist.core.errors import ConfigError, known_name
from optimist.core.keys import Count, Keys, Positive
from optimist.environments.problems.kernel import KernelProblem
from optimist.experiments.paper import Paper
from optimist.figures import artists as drawing
from optimist.figures.base import Axes, Panel
from optimist.figures.rows import Tables, missing, rows
from optimist.figures.studies.base import (
    TRIAL_COLUMNS,
    Cells,
    Study,
    StudyFacts,
    fact_table,
    section_of,
)
from optimist.numerics.gaussian_process import ExactPosterior
from optimist.numerics.kernels import GaussianKernel
from optimist.numerics.seeding import stream

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.figures.style import Style

# Styles of the function and the inducing points.
FUNCTION = {"color": "0.1", "zorder": 4, "lw": 0.8}
INDUCING = {"color": "0.1", "zorder": 4, "marker": "|", "ls": "", "ms": 5}
JITTER = 1e-9
BAND = 3.0
FAR = 0.6  # smallest x that counts as far from the data

# Statistic that summarises each column over trials.
OVER_TRIALS = {
    **dict.fromkeys(("ratio", "inside", "size", "rank"), "median"),
    "lowest": "min",
    "highest": "max",
}


def methods(section: Mapping[str, Any]) -> list[str]:
    """Return the names of the posteriors.

    For example, ``bkb_5`` is BKB with a q-bar of 5, and ``rff_20`` is RFF with 20 features.
    """
    sketched = [f"bkb_{q_bar:g}" for q_bar in section["q_bars"]]
    return ["exact", *sketched, "dtc", "sor", *(f"rff_{number}" for number in section["features"])]


def posteriors(section: Mapping[str, Any], lengthscale: float, trial: int) -> "pd.DataFrame":
    """Return the posteriors of a trial, by method, number of observations and grid point.

    Parameters
    ----------
    section : mapping
        The section ``starvation`` of a paper.

    Returns
    -------
    DataFrame
        The columns are ``method``, ``round``, ``x``, ``f``, ``mean`` and the following:

        ``low``, ``high``  three standard deviations below and above the mean
        ``deviation``      standard deviation of f
        ``exact``          standard deviation of f under the exact posterior
        ``seen``           whether the grid point was observed
        ``inducing``       whether the grid point is an inducing point
        ``size``           number of inducing points
        ``rank``           rank of the kernel matrix of the inducing points
        ``dimension``      effective dimension
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
    """Return the algorithms whose posteriors are compared. They do not choose points here."""
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


def statistics(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return statistics of the posteriors, with one row per method and number of observations.

    ``ratio``    median ratio of the variance to the exact variance, far from the data
    ``lowest``   smallest such ratio on the grid
    ``highest``  largest such ratio on the grid
    ``inside``   share of the grid where f is within three standard deviations of the mean
    ``size``     number of inducing points
    ``rank``     rank of the kernel matrix of the inducing points
    """
    import pandas as pd

    rows = []
    for (method, t), piece in table.groupby(["method", "round"], sort=False):
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
    """Return the name of the setting with t observations and a lengthscale, as in ``40/0.1``."""
    return f"{t}/{lengthscale:.4g}"


def facts(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return each column's statistic over trials (see `OVER_TRIALS`) as a fact.

    The setting of a fact is ``method/round/lengthscale``.
    """
    rows = []
    for (method, setting), group in table.groupby(["algorithm", "setting"], sort=False):
        rows += [
            (f"starvation_{name}", f"{method}/{setting}", getattr(group[name], statistic)())
            for name, statistic in OVER_TRIALS.items()
        ]
    return fact_table(rows)


class Starvation(Study):
    """Posteriors of a function observed on only half of its domain."""

    name = "starvation"

    class Section(Keys):
        lengthscales: Annotated[list[Positive], MinLen(1)]  #: Lengthscales of the kernel.
        rounds: Annotated[list[Count], MinLen(1)]  #: Numbers of observations.
        grid: Annotated[int, Ge(3)]  #: Number of grid points on the domain.
        deviation: Positive  #: Standard deviation of the noise.
        q_bars: Annotated[list[Positive], MinLen(1)]  #: Values of q-bar for BKB.
        inducing: Count  #: Number of inducing points of SoR and DTC.
        #: Numbers of random features of RFF.
        features: Annotated[list[Annotated[int, Ge(2)]], MinLen(1)]
        trials: Count  #: Number of trials, each with its own function and noise.

    tables: ClassVar = {
        "starvation": "parquet",
        "starvation_trials": "csv",
        "starvation_facts": "csv",
    }
    facts = ("starvation_facts",)

    def check(self, paper: Paper) -> None:
        """Raise ConfigError if the numbers of observations do not increase."""
        rounds = self.section["rounds"]
        if sorted(set(rounds)) != rounds:
            raise ConfigError(
                f"starvation.rounds is {rounds}; allowed: numbers in increasing order"
            )

    def about(self) -> set[str]:
        """Return the subjects of facts, such as ``bkb_5/40/0.1``, the methods and the settings."""
        names, section = methods(self.section), self.section
        settings = {place(t, ell) for t in section["rounds"] for ell in section["lengthscales"]}
        return {*names, *settings, *(f"{name}/{setting}" for name in names for setting in settings)}

    def tabulate(self, cells: Cells) -> "dict[str, pd.DataFrame]":
        """Return the posteriors of trial 0, the statistics of all trials, and facts about them."""
        import pandas as pd

        rows, curves = [], []
        for lengthscale in self.section["lengthscales"]:
            for trial in self.trials:
                table = posteriors(self.section, lengthscale, trial)
                if trial == 0:
                    curves.append(table.assign(lengthscale=lengthscale))
                of_trial = statistics(table).assign(trial=trial, status="ok")
                settings = [place(t, lengthscale) for t in of_trial["round"]]
                rows.append(of_trial.assign(setting=settings))
        trials = pd.concat(rows, ignore_index=True)[[*TRIAL_COLUMNS, *OVER_TRIALS]]
        return {
            "starvation": pd.concat(curves, ignore_index=True),
            "starvation_trials": trials,
            "starvation_facts": facts(trials),
        }


class StarvationPanel(Panel):
    """Mean of a posterior with a band of three standard deviations.

    Rows with the role ``function`` contain f, and rows with the role ``inducing`` contain the
    inducing points.
    The row with the role ``corner`` contains the title's second line, which states the number of
    inducing points and the effective dimension.
    """

    label: str  #: Name to show in the figure.
    method: str  #: Method: exact, dtc, sor, bkb_<q-bar> or rff_<features>.
    round: Count  #: Number of observations.
    lengthscale: float  #: Lengthscale of the kernel.

    tables = ("starvation",)
    axes = Axes("x", "f(x)")
    roles = ("function", "inducing", "corner")
    words = "line: mean, band: three standard deviations"

    def check(self, paper: Paper) -> None:
        """Raise ConfigError if the paper lacks the study or the study lacks the method."""
        computed = methods(section_of("starvation", paper))
        known_name("method", self.method, computed)

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield the posterior, the function, the inducing points and a second line of the title."""
        posterior = self._posterior(tables)
        if posterior.empty:
            yield missing(self.label)
            return
        columns = ("x", "mean", "low", "high", "f")
        x, y, low, high, f = (posterior[name].to_numpy(float) for name in columns)
        yield rows("data", series=self.label, x=x, y=y, low=low, high=high)
        yield rows("function", x=x, y=f, note="f")
        inducing = x[posterior["inducing"].to_numpy(bool)]
        if len(inducing):
            yield rows("inducing", x=inducing, y=np.full(len(inducing), 0.03))
        about = posterior.iloc[0]
        size = f"m = {about['size']:.0f}, " if about["size"] else ""
        yield rows("corner", note=f"{size}d_eff = {about['dimension']:.1f}")

    def _posterior(self, tables: Tables) -> "pd.DataFrame":
        table = tables.frame("starvation", ("method", "round", "lengthscale"))
        return table[
            (table["method"] == self.method)
            & (table["round"] == self.round)
            & np.isclose(table["lengthscale"].astype(float), self.lengthscale)
        ]

    def draw(self, canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
        """Draw the posterior, the function and the inducing points, and add a line to the title."""
        drawing.curves(canvas, artists, style)
        for text in drawing.of_role(artists, "corner")["note"]:
            canvas.set_title(f"{canvas.get_title(loc='left')}\n{text}")
        function, inducing = (drawing.of_role(artists, role) for role in ("function", "inducing"))
        if len(function):  # an empty line would disturb the layout
            canvas.plot(function["x"], function["y"], **FUNCTION)
        if len(inducing):
            place = {"transform": canvas.get_xaxis_transform()}
            canvas.plot(inducing["x"], inducing["y"], **INDUCING, **place)

    def further_handles(self, artists: "pd.DataFrame") -> list[Any]:
        """Return the legend entries of the function and of the inducing points."""
        from matplotlib.lines import Line2D

        entries = [
            ("function", "the function f", FUNCTION),
            ("inducing", "inducing points", INDUCING),
        ]
        return [
            Line2D([], [], label=label, **keywords)
            for role, label, keywords in entries
            if (artists["role"] == role).any()
        ]


class StarvationTable(StudyFacts):
    """All facts of the study ``starvation``."""

    tables = ("starvation_facts",)
    prefix = "starvation"
    meanings: ClassVar = {
        "setting": "posterior/observations/lengthscale",
        "ratio": "variance over the exact one on [0.6, 1], median",
        "inside": "share of the domain where the function is within three deviations, median",
        "size": "inducing points or features, median",
        "rank": "rank of their kernel matrix, median",
        "lowest": "smallest ratio of a variance to the exact one on the whole domain",
        "highest": "largest such ratio",
    }
