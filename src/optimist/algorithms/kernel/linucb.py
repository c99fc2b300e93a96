r"""LinUCB (OFUL) for the linear kernel, in the dimension of the arms.

Abbasi-Yadkori, Pal and Szepesvari (2011), "Improved Algorithms for Linear Stochastic Bandits",
Theorem 2. With $V_t = \lambda I+\sum_sx_sx_s^\top$,
$$x_{t+1} = \arg\max_x\;x^\top\hat\theta_t+\beta_t\|x\|_{V_t^{-1}},\qquad
  \beta_t = \sqrt\lambda F+\xi\sqrt{2(\log\det(V_t/\lambda)+\log(1/\delta))} .$$

Deviations: the radius is in the looser form that Calandriello et al. (2019) use for GP-UCB, so that
this equals GP-UCB with the linear kernel.
"""

import numpy as np

from optimist.algorithms.kernel.feature_ucb import FeatureUCB


class LinUCB(FeatureUCB):
    """Time per round proportional to Ad + d^2."""

    reference = "Abbasi-Yadkori et al. (2011), Theorem 2"
    kernels = ("linear",)

    def features(self, arms: np.ndarray) -> np.ndarray:
        return arms
