"""What a figure or table costs over what its own cells cost, by config/costs.csv.

A job of the regret lane plays trials of one cell, so a figure waits for its own cells alone. A race
is one job, whose cells are timed in turns with cells that a figure may not show. Prints, for each
figure and table with cells, the processor seconds of the jobs that its target starts in a fresh
clone, of its own cells, and their ratio; then the largest ratio with races and without.
"""

from optimist.config.load import load_config
from optimist.plan.plan import Plan


def main() -> None:
    """Print the table."""
    plan = Plan(load_config())
    print("paper,name,jobs,own,ratio")
    ratios = {"with races": 1.0, "without races": 1.0}
    for paper in plan.papers:
        known = plan.trials.of_paper(paper)
        named = [n for group in ("paper", "variants") for n in plan.targets.names(paper, group)]
        for kind, name in named:
            keys = plan.targets.product(paper, kind, name).keys
            own = {key: plan.costs.seconds(known[key]) for key in keys if key in known}
            if not own:
                continue
            races = {known[key].race for key in own if key[0] == "timing"}
            beside = [
                trials
                for number in races
                for trials in plan.trials.races(paper)[number].trials
                if trials.key not in own
            ]
            jobs = sum(own.values()) + sum(map(plan.costs.seconds, beside))
            ratio = jobs / sum(own.values())
            print(f"{paper},{name},{jobs:.1f},{sum(own.values()):.1f},{ratio:.2f}")
            which = "with races" if races else "without races"
            ratios[which] = max(ratios[which], ratio)
    for which, ratio in ratios.items():
        print(f"largest ratio {which}: {ratio:.2f}")


if __name__ == "__main__":
    main()
