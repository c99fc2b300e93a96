r"""What the analysis of Hvt-UCB promises about its estimate, watched round by round.

Wang et al. (2025): Lemma 1 says $\|\hat\theta_{t+1}-\theta_*\|_{V_t} \le \beta_t$ for all t; its
proof rests on $|X_t^\top(\hat\theta_t-\theta_*)|/\sigma_t \le \tau_t/2$.
"""

import math

from optimist.algorithms import make_algorithm, parse_label
from optimist.errors import ConfigError
from optimist.numerics.linear import quadratic_norms
from optimist.runs.cell import Cell, build, make_cell
from optimist.runs.loop import checkpoints


def check(paper):
    """Refuse another algorithm than Hvt-UCB, and settings that there are not."""
    lemmas = paper["lemmas"]
    if parse_label(lemmas["algorithm"])[0] != "hvt_ucb":
        raise ConfigError(f"lemmas.algorithm is {lemmas['algorithm']!r}; allowed: hvt_ucb[...]")
    for setting in lemmas["settings"]:
        make_cell(paper, setting, lemmas["algorithm"])


def names(paper):
    """Return what facts are about: settings."""
    return set(paper["lemmas"]["settings"])


def tabulate(spec, data_dir):
    """Return what was watched in all trials, and the facts about it."""
    import pandas as pd

    trials = min(spec["trials"], spec["limits"]["trials"] or spec["trials"])
    rows = [
        {"setting": cell["setting"], "algorithm": cell["algorithm"], "trial": trial, **row}
        for cell in spec["cells"]
        for trial in range(trials)
        for row in watch(Cell(**cell), trial, spec["limits"]["rounds"])
    ]
    frame = pd.DataFrame(rows)
    found = pd.DataFrame(facts(frame), columns=["name", "setting", "value"])
    return {"lemmas": frame, "lemma_facts": found}


def watch(cell, trial, rounds=None):
    """Play one trial of Hvt-UCB; return what its analysis says at about 300 rounds.

    ``rounds`` truncates the trial.

    Returns
    -------
    list of dict
        Keys round, distance (of the estimate from the truth in the norm of V, as a share of the
        radius), largest (distance so far) and bounded (share of the rounds so far in which the
        error in the direction of the arm played was at most half of the threshold).
    """
    environment, problem = build(cell, trial)
    algorithm = make_algorithm(cell.algorithm, problem)
    marks = set(checkpoints(environment.horizon, rounds))
    rows, largest, bounded = [], 0.0, 0
    for t in range(max(marks)):
        arms = environment.arms(t)
        index = algorithm.select(arms)
        error = abs(float(arms[index] @ (algorithm.estimate - environment.theta)))
        algorithm.update(arms, index, environment.reward(t, index), **environment.told(t))
        bounded += error / algorithm.sigma <= 0.5 * algorithm.tau
        move = quadratic_norms(environment.theta, algorithm.estimate, algorithm.V)[0]
        distance = float(move) / algorithm.beta
        largest = max(largest, distance)
        if t + 1 in marks:
            share = bounded / (t + 1)
            rows.append(
                {"round": t + 1, "distance": distance, "largest": largest, "bounded": share}
            )
    return rows


def facts(frame):
    """Return (name, setting, value) rows from a frame of `watch`, with setting and trial.

    The largest distance and the smallest share over trials, and the share of trials in which the
    distance never exceeded the radius.
    """
    last = frame.sort_values("round").groupby(["setting", "trial"]).last()
    rows = []
    for setting, trials in last.groupby("setting", sort=False):
        rows.append(("lemma_largest_distance", setting, float(trials["largest"].max())))
        rows.append(("lemma_least_bounded_share", setting, float(trials["bounded"].min())))
        held = float((trials["largest"] <= 1.0).mean())
        rows.append(("lemma_trials_within_radius", setting, held))
    return [row for row in rows if math.isfinite(row[2])]
