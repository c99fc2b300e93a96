"""Times of other public code beside ours, doing the same work.

    python -m venv .venvs/peers
    .venvs/peers/bin/python -m pip install -e ".[peers]"
    .venvs/peers/bin/python benchmarks/peers.py [--turns 5]

No test runs it: what it installs takes gigabytes. Within each table all are asked in turns in this
process, on one thread; a ratio is the median over turns of another's processor time over ours in
the same turn, with its range.

``fit``   a Gaussian process on n points of f2 in 20 dimensions, its parameters included. Below
          stands the log posterior density of what each found, by our formula: more is better.
``next``  the fit and one more point by expected improvement: what a user waits for.
``play``  a linear bandit over all rounds: LinUCB, ridge regression and a bonus of fixed width; ours
          is OFUL with that width. Both see the same arms and rewards, and ``alike`` is the share of
          rounds in which they chose the same arm.

BoTorch stands beside our configuration ``modern``, scikit-optimize beside ``skopt``, coba beside
OFUL. For GLB-OMD and its rivals, heavy tails, BKB and GO-UCB the package index has no code.
"""

from optimist.core import blas_kernels

blas_kernels.fix()

import argparse  # noqa: E402
import statistics  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402
from importlib.metadata import version  # noqa: E402

import numpy as np  # noqa: E402
import torch  # noqa: E402
from botorch.acquisition import LogExpectedImprovement  # noqa: E402
from botorch.fit import fit_gpytorch_mll  # noqa: E402
from botorch.models import SingleTaskGP  # noqa: E402
from botorch.models.transforms import Normalize, Standardize  # noqa: E402
from botorch.optim import optimize_acqf  # noqa: E402
from coba.learners import LinUCBLearner  # noqa: E402
from gpytorch.mlls import ExactMarginalLogLikelihood  # noqa: E402
from skopt import Optimizer  # noqa: E402

from optimist.algorithms import make_algorithm  # noqa: E402
from optimist.algorithms.black_box.base import standardise  # noqa: E402
from optimist.algorithms.heavy_tailed.oful import OFUL  # noqa: E402
from optimist.config.load import load_paper  # noqa: E402
from optimist.core.provenance import cpu_name  # noqa: E402
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem  # noqa: E402
from optimist.experiments.play_trial import build  # noqa: E402
from optimist.numerics import gp_regression  # noqa: E402

SIZES = (20, 70)
WIDTH = 1.0


class LinUCB(OFUL):
    """OFUL with a width that is given."""

    def radius(self):
        return WIDTH


def main():
    parser = argparse.ArgumentParser(description="Times of other public code beside ours.")
    parser.add_argument("--turns", type=int, default=5, help="turns of each comparison")
    turns = parser.parse_args().turns
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    names = ("botorch", "gpytorch", "torch", "scikit-optimize", "coba", "numpy", "scipy")
    print(cpu_name(), *(f"{name} {version(name)}" for name in names), sep=", ")
    print(f"{'what':<6} {'n':>6} {'peer':<16} {'ours':>9} {'theirs':>9} {'ratio':>7} range")
    for n in SIZES:
        points = Points(n)
        compare("fit", n, "botorch", turns, points.fit_ours, points.fit_botorch)
        print("       log posterior density {:.2f}, theirs {:.2f}".format(*points.densities()))
        compare("next", n, "botorch", turns, points.next_ours("modern"), points.next_botorch)
        compare("next", n, "scikit-optimize", turns, points.next_ours("skopt"), points.next_skopt)
    for rounds in (1000, 5000):
        bandit = Bandit(rounds)
        compare("play", rounds, "coba", turns, bandit.ours, bandit.coba)
        alike = np.mean(np.equal(bandit.ours(0), bandit.coba(0)))
        print(f"       the same arm in {alike:.1%} of the rounds")


def compare(what, n, peer, turns, ours, theirs):
    """Print a row: both are called in turns, in alternating order, once before the clock runs."""
    ours(0), theirs(0)
    found = []
    for turn in range(turns):
        both = {}
        for name, call in (("ours", ours), ("theirs", theirs))[:: 1 if turn % 2 else -1]:
            start = time.process_time()
            call(turn)
            both[name] = time.process_time() - start
        found.append((both["ours"], both["theirs"]))
    medians = [statistics.median(side) for side in zip(*found, strict=True)]
    ratios = sorted(theirs / ours for ours, theirs in found)
    print(
        f"{what:<6} {n:>6} {peer:<16} {medians[0]:>8.3f}s {medians[1]:>8.3f}s "
        f"{statistics.median(ratios):>7.1f} {ratios[0]:.1f} to {ratios[-1]:.1f}",
        flush=True,
    )


class Points:
    """Uniform points of the box of f2, with their values; every turn has a seed of its own."""

    def __init__(self, n):
        self.environment, self.problem = build(load_paper("go_ucb").cell("f2", "gp_ei"), 0)
        rng = np.random.default_rng(n)
        self.low, self.high = self.problem.low, self.problem.high
        self.X = rng.uniform(self.low, self.high, (n, len(self.low)))
        self.y = np.array([self.environment.value(x) for x in self.X])
        self.bounds = torch.tensor(np.array([self.low, self.high]))

    def _ours(self, configuration, turn):
        label = f"gp_ei[configuration={configuration}]"
        found = make_algorithm(label, self.problem, np.random.default_rng(turn))
        for x, y in zip(self.X, self.y, strict=True):
            found.observe(x, y)
        return found

    def next_ours(self, configuration):
        return lambda turn: self._ours(configuration, turn).suggest()

    def fit_ours(self, turn):
        learner = self._ours("modern", turn)
        X, y = self._scaled(learner)
        return gp_regression.fit(learner.scheme, X, y, learner.rng)[0]

    def _scaled(self, learner):
        (offset, unit), width = standardise(self.y), self.high - self.low
        return (self.X - self.low) / width, (self.y - offset) / unit

    def densities(self):
        """Return the log posterior density of both fits under the scheme of ours."""
        learner = self._ours("modern", 0)
        ours, theirs = self.fit_ours(0), self.fit_botorch(0)
        lengthscales = theirs.covar_module.lengthscale.detach().numpy().ravel()
        both = (ours.lengthscales, ours.noise), (lengthscales, theirs.likelihood.noise.item())
        return [
            gp_regression.log_posterior(
                np.log([*scales, noise]), learner.scheme, *self._scaled(learner)
            )[0]
            for scales, noise in both
        ]

    def fit_botorch(self, turn):
        torch.manual_seed(turn)
        X, y = torch.tensor(self.X), torch.tensor(self.y)[:, None]
        scaled = {
            "input_transform": Normalize(X.shape[1], bounds=self.bounds),
            "outcome_transform": Standardize(1),
        }
        model = SingleTaskGP(X, y, **scaled)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model

    def next_botorch(self, turn):
        acquisition = LogExpectedImprovement(self.fit_botorch(turn), best_f=float(self.y.max()))
        # Ten of a thousand are refined, as ours.
        sizes = {"q": 1, "num_restarts": 10, "raw_samples": 1000}
        return optimize_acqf(acquisition, bounds=self.bounds, **sizes)

    def next_skopt(self, turn):
        box = [*zip(self.low, self.high, strict=True)]
        found = Optimizer(box, "GP", n_initial_points=0, acq_func="EI", random_state=turn)
        found.tell(self.X.tolist(), (-self.y).tolist())
        return found.ask()


class Bandit:
    """Twenty arms of ten dimensions, drawn anew in every round, and rewards with normal noise."""

    def __init__(self, rounds):
        rng = np.random.default_rng(rounds)
        self.arms = rng.standard_normal((rounds, 20, 10)) / 10**0.5
        theta = rng.standard_normal(10)
        self.rewards = self.arms @ (theta / np.linalg.norm(theta))
        self.rewards += 0.1 * rng.standard_normal((rounds, 1))
        self.problem = HeavyTailedProblem(
            dimension=10, horizon=rounds, epsilon=1.0, scale_bound=0.1, arm_bound=10.0
        )

    def ours(self, turn):
        learner, chosen = LinUCB(self.problem), []
        for arms, rewards in zip(self.arms, self.rewards, strict=True):
            chosen.append(learner.select(arms))
            learner.update(arms, chosen[-1], rewards[chosen[-1]], 0.1)
        return chosen

    def coba(self, turn):
        learner, chosen = LinUCBLearner(alpha=WIDTH, features=["a"], seed=turn), []
        for arms, rewards in zip(self.arms.tolist(), self.rewards, strict=True):
            action, probability = learner.predict(None, arms)[:2]
            chosen.append(arms.index(action))
            learner.learn(None, action, float(rewards[chosen[-1]]), probability)
        return chosen


if __name__ == "__main__":
    main()
