"""Read the results that are committed with the code.

Nothing is run here. The table of a figure has every mark of the figure; the table of trials has the
end and the curve of every trial, so that any statistic can be computed again.
"""

import matplotlib.pyplot as plt
import pandas as pd

from optimist.comparison.earlier_trials import figures_folder

PAPER, FIGURE = "glb_omd", "fig1"


def main() -> None:
    folder = figures_folder(PAPER) / PAPER
    shown = pd.read_csv(folder / "tables" / f"{FIGURE}.csv")
    curves = shown[(shown["role"] == "data") & (shown["panel"] == shown["panel"].iloc[0])]
    ends = curves.sort_values("x").groupby("series").tail(1)
    print(f"{FIGURE}, panel {curves['panel'].iloc[0]}, at the end of its curves:")
    print(ends[["series", "x", "y", "low", "high", "n"]].sort_values("y").to_string(index=False))

    figure, axes = plt.subplots(figsize=(4.8, 3.0), layout="constrained")
    for series, rows in curves.groupby("series"):
        axes.plot(rows["x"], rows["y"], label=series)
        axes.fill_between(rows["x"], rows["low"], rows["high"], alpha=0.2, linewidth=0)
    axes.set(xlabel="round", ylabel="regret")
    axes.legend(fontsize="small")
    figure.savefig("read_results.png", dpi=150)

    path = folder / "trials.parquet"
    if not path.is_file():
        print("\nThere is no trials.parquet yet: the next full run writes it.")
        return
    trials = pd.read_parquet(path, columns=["lane", "setting", "algorithm", "regret"])
    regret = trials[trials["lane"] == "regret"].groupby(["setting", "algorithm"])["regret"]
    print("\nFrom trials.parquet:")
    print(regret.agg(["mean", "median", "count"]).round(1).head(12).to_string())


if __name__ == "__main__":
    main()
