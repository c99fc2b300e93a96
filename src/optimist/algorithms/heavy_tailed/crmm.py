r"""CRMM: the mean of medians of repeated pulls.

Xue, Wang, Wan, Yi and Zhang (2023), "Efficient Algorithms for Generalized Linear Bandits with
Heavy-Tailed Rewards", Algorithm 2, for the linear link; the noise must be symmetric about 0. In
each epoch, an optimistic arm $x_n$ is played r times in a row, and the median $y_n$ of its rewards
is one target for the estimator (`optimist.algorithms.heavy_tailed.online_newton`),
$$x_n = \arg\max_x x^\top\hat\theta_n + \sqrt{\gamma_n}\|x\|_{V_n^{-1}},\qquad
  r = \lceil 8\log\tfrac{2T}\delta\rceil,\qquad
  C = (4\nu^{1+\varepsilon})^{\frac1{1+\varepsilon}},$$
$$\sqrt{\gamma_n} = \tfrac C{\sqrt2}\sqrt{2\log\tfrac1\delta + d\log(1+\tfrac nd)} + S .$$

Deviations: we reconstructed the constants. Because $P(|\eta| > C) \le 1/4$, the median of r rewards
is within C of the mean with probability at least $1-e^{-r/8}$. If an epoch's arm is absent from a
varying arm set, the nearest arm is played instead, and its reward is attributed to the epoch's arm.
The last epoch may be shorter. The default estimate is closed-form least squares, as in Wang et al.
(2025), Section 5; ``estimator="ons"`` is the online Newton step of Xue et al.
"""

import math

import numpy as np

from optimist.algorithms.heavy_tailed.epochs import EpochAlgorithm
from optimist.algorithms.heavy_tailed.online_newton import OnlineNewton
from optimist.core.errors import ConfigError, one_of, whole_number
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem


class CRMM(EpochAlgorithm, OnlineNewton):
    r"""CRMM, with one update per epoch and constant time per round on average.

    Parameters
    ----------
    problem : HeavyTailedProblem
    estimator : {"ls", "ons"}
        Least squares, or online Newton steps, on the same targets.
    pulls : "theory" or int
        r, the number of pulls per epoch; ``theory`` is $\lceil 8\log(2T/\delta)\rceil$.
    groups : int
        Number of equal groups into which an epoch's rewards are split; the groups' medians are
        averaged.
    """

    reference = "Xue et al. (2023), Algorithm 2"

    def __init__(
        self,
        problem: HeavyTailedProblem,
        *,
        estimator: str = "ls",
        pulls: int | str = "theory",
        groups: int = 1,
    ) -> None:
        if isinstance(pulls, str):
            one_of("pulls", pulls, ("theory", "a whole number"))
            pulls = math.ceil(8.0 * math.log(2.0 * problem.horizon / problem.delta))
        if whole_number("groups", groups) > whole_number("pulls", pulls):
            raise ConfigError(f"groups is {groups}; allowed: at most the value of pulls, {pulls}")
        self.groups = groups
        self.reach = 4.0 ** (1.0 / (1.0 + problem.epsilon)) * problem.scale_bound  # C
        super().__init__(problem, length=pulls, estimator=estimator)

    def theory_radius(self) -> float:
        problem, d = self.problem, self.problem.dimension
        width = -2.0 * math.log(problem.delta) + d * math.log(1.0 + self.updates / d)
        return self.reach * math.sqrt(0.5 * width) + problem.norm_bound

    def matched_scale(self) -> float:
        return self.reach / math.sqrt(2.0 * self.length)

    def learn_epoch(self, x: np.ndarray, rewards: np.ndarray) -> None:
        groups = np.array_split(rewards, min(self.groups, len(rewards)))
        mean_of_medians = float(np.mean([np.median(group) for group in groups]))
        self.learn(x, mean_of_medians, *self.image(x))
