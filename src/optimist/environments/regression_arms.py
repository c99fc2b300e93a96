r"""Rows of a regression data set as arms: features are coordinates, the target is the mean reward.

Targets are scaled to $[0,1]$, features to mean 0 and variance 1
(`optimist.preparation.regression`); observations add $N(0,\xi^2)$, the same in a round for all
arms. Arms are offered in an order of the trial's own: ties would favour the first rows.

The paper (Calandriello et al. 2019) has no such experiment; a follow-up study by its authors has.
"""

import numpy as np

from optimist.environments.base import FiniteArmEnvironment, check_arms
from optimist.errors import positive
from optimist.numerics.kernels import make_kernel
from optimist.preparation.regression import read_arms
from optimist.problems.kernel import KernelProblem


class RegressionArmsEnvironment(FiniteArmEnvironment):
    r"""All rows of the prepared file ``dataset`` in every round.

    Parameters
    ----------
    kernel, lengthscale
        What learners are told; see `optimist.numerics.kernels`.
    deviation : float
        $\xi$.
    """

    arm_bound = float("inf")

    def __init__(
        self, *, horizon, trial, stream, dataset, kernel="gaussian", lengthscale=1.0, deviation=0.1
    ):
        self.horizon = horizon
        self.kernel = make_kernel(kernel, lengthscale)
        self.deviation = positive("deviation", deviation)
        features, targets = read_arms(dataset)
        order = stream("order").permutation(len(targets))
        self._arms, self._means = features[order], targets[order]
        check_arms(self._arms, self.arm_bound)
        self._best = self._means.max()
        self._noise = (self.deviation * stream("noise").standard_normal(horizon)).tolist()
        for values in (self._arms, self._means):
            values.flags.writeable = False

    def arms(self, t):
        return self._arms

    def means(self, t):
        return self._means

    def regret(self, t, index):
        return float(self._best - self._means[index])

    def reward(self, t, index):
        return float(self._means[index]) + self._noise[t]

    def facts(self):
        return {
            "target_mean": float(self._means.mean()),
            "best_arms": float(np.count_nonzero(self._means == self._best)),
        }

    def problem(self, *, ridge=None, norm_bound=1.0, delta=0.1, radius_scale=1.0):
        r"""Return the `KernelProblem`; ``ridge`` defaults to $\xi^2$, ``norm_bound`` is a guess."""
        return KernelProblem(
            kernel=self.kernel,
            dimension=self._arms.shape[1],
            horizon=self.horizon,
            deviation=self.deviation,
            ridge=self.deviation**2 if ridge is None else positive("ridge", ridge),
            norm_bound=norm_bound,
            delta=delta,
            radius_scale=radius_scale,
            fixed_arms=True,
        )
