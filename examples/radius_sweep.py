"""A sweep of the radius: how much optimism pays.

Settings have options too. Under heavy-tailed noise `radius=matched` gives all methods the same
width on the same data, and `factor` shrinks it. Each setting of the sweep meets the same noise, so
the rows can be compared with one another.
"""

import matplotlib.pyplot as plt

import optimist

FACTORS = (0.03, 0.1, 0.3, 1.0)
METHODS = {"hvt_ucb": "Hvt-UCB", "oful": "OFUL"}


def main() -> None:
    where = {
        optimist.setting("hvt_ucb/student_t", radius="matched", factor=factor).label: factor
        for factor in FACTORS
    }
    settings = [f"hvt_ucb/{label}" for label in where]
    played = optimist.play(settings, list(METHODS), trials=10, rounds=1000, cores=2)
    table = optimist.rank(played)
    # A default is not part of a label, so the factor comes from where it was set.
    table["factor"] = table["setting"].map(where)
    means = table.pivot(index="factor", columns="algorithm", values="mean")
    print(means.rename(columns=METHODS).round(1))

    figure, axes = plt.subplots(figsize=(4.8, 3.4), layout="constrained")
    for shift, (method, rows) in zip(
        (0.97, 1.03), table.sort_values("factor").groupby("algorithm"), strict=True
    ):
        errors = [rows["mean"] - rows["low"].clip(lower=0.0), rows["high"] - rows["mean"]]
        axes.errorbar(
            shift * rows["factor"],
            rows["mean"],
            yerr=errors,
            marker="o",
            capsize=3,
            label=METHODS[method],
        )
    axes.set(xscale="log", xlabel="factor on the matched radius", ylabel="regret after 1000 rounds")
    figure.legend(loc="outside upper left", ncols=2, title="bars: 95 % CI of the mean, n = 10")
    figure.savefig("radius_sweep.png", dpi=150)


if __name__ == "__main__":
    main()
