r"""Epsilon-greedy on the exact posterior mean.

Sutton and Barto (2018), "Reinforcement Learning", Section 2.2; the posterior is as in GP-UCB,
$$x_{t+1} = \begin{cases}\arg\max_x\mu_t(x) & \text{with probability } 1-\epsilon_t,\\
  \text{uniform} & \text{else,}\end{cases}\qquad \epsilon_t = t^{-1/3}.$$

Deviations: this method is our own control; Calandriello et al. (2019) do not run it.
"""

import numpy as np

from optimist.algorithms.kernel.gp_ucb import GPUCB
from optimist.environments.problems.kernel import KernelProblem


class GPEpsilonGreedy(GPUCB):
    """Epsilon-greedy on the exact posterior mean, with time per round proportional to At.

    Parameters
    ----------
    problem : KernelProblem
    rng : Generator
    """

    reference = "Sutton and Barto (2018), Section 2.2"

    def __init__(self, problem: KernelProblem, *, rng: np.random.Generator) -> None:
        super().__init__(problem)
        self.rng = rng

    def choose(self) -> int:
        if self.rng.random() < max(self.t, 1) ** (-1.0 / 3.0):
            return int(self.rng.integers(len(self.mean)))
        return int(np.argmax(self.mean))
