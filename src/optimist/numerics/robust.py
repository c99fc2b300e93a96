r"""Constants of adaptive Huber regression.

For $\Lambda = \log\frac{2T^2}\delta$, $\sigma_{\min} = 1/\sqrt T$ and
$p = \frac{1-\varepsilon}{2(1+\varepsilon)}$ (Wang et al. 2025, Theorem 1),
$$\kappa(\alpha) = d\log\Big(1 + \tfrac{L^2T}{\sigma_{\min}^2\lambda\alpha d}\Big),\qquad
  \tau_0 = \sqrt{2\kappa}\,(\log 3T)^p\,\Lambda^{-1/(1+\varepsilon)} .$$
"""

import math
from typing import Any


def log_volume(problem: Any, ridge: float, alpha: float = 1.0) -> float:
    r"""Return $\kappa(\alpha)$.

    Parameters
    ----------
    problem : HeavyTailedProblem
    ridge : float
        $\lambda$.
    alpha : float
        $\alpha$, the divisor of each term of the algorithm's matrix V.
    """
    d, T = problem.dimension, problem.horizon
    least = problem.least_scale**2
    return d * math.log(1.0 + problem.arm_bound**2 * T / (least * ridge * alpha * d))


def threshold_constant(problem: Any, ridge: float, alpha: float = 1.0) -> float:
    r"""Return $\tau_0$.

    The parameters are as in `log_volume`.
    """
    kappa = log_volume(problem, ridge, alpha)
    power = problem.log_term ** (-1.0 / (1.0 + problem.epsilon))
    return math.sqrt(2.0 * kappa) * math.log(3.0 * problem.horizon) ** problem.power * power
