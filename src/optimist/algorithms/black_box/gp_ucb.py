r"""GP-UCB on a box: Bayesian optimisation that maximises an upper confidence bound.

Srinivas, Krause, Kakade and Seeger (2010), "Gaussian Process Optimization in the Bandit Setting",
Algorithm 1,
$$x_{t+1} = \arg\max_x\ m_t(x)+\sqrt{\beta_t}\,v_t(x) .$$

Deviations: $\beta_t$ is a constant, as in the libraries that Liu and Wang (2023) name. With
``beta=theory``, it is $2\log(t^2\pi^2/(6\delta))$ with $\delta=0.1$. This is the formula of
Srinivas et al. for finite sets without the factor |D|, the number of points. The configuration
determines how the process is fitted and how the acquisition is maximised (see
`optimist.algorithms.black_box.gaussian_process`).
"""

import math
from typing import Any

import numpy as np

from optimist.algorithms.black_box.gaussian_process import Acquisition, GPOptimiser
from optimist.core.errors import only_word, positive
from optimist.environments.problems.box import BoxProblem
from optimist.numerics.acquisition import upper_bound

DELTA = 0.1


class GPUCB(GPOptimiser):
    r"""Bayesian optimisation by an upper confidence bound; see `GPOptimiser`.

    Parameters
    ----------
    problem : BoxProblem
    configuration : {"fair", "raw", "modern", "skopt"}
        See `optimist.algorithms.black_box.gaussian_process`.
    beta : float, "default" or "theory"
        $\beta_t$; ``default`` is the configuration's value.
    rng : Generator
    """

    reference = "Srinivas et al. (2010), Algorithm 1"

    def __init__(
        self,
        problem: BoxProblem,
        *,
        configuration: str = "fair",
        beta: float | str = "default",
        rng: np.random.Generator,
    ) -> None:
        super().__init__(problem, configuration=configuration, rng=rng)
        if isinstance(beta, str) and beta != "theory":
            only_word("beta", beta, "default", "theory, or a positive number")
        self.beta = beta if isinstance(beta, str) else positive("beta", beta)

    def acquisition(self, m: Any, v: Any, best: float) -> Acquisition:
        return upper_bound(m, v, self._beta())

    def _beta(self):
        if self.beta == "default":
            return self.configuration.beta
        if self.beta == "theory":
            t = len(self.values)
            return 2.0 * math.log(t * t * math.pi**2 / (6.0 * DELTA))
        return self.beta
