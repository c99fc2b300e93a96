r"""GP-PI: Bayesian optimisation that maximises the probability of improvement.

Kushner (1964), "A New Method of Locating the Maximum Point of an Arbitrary Multipeak Curve in the
Presence of Noise". For the best observed value $y^+$,
$$x_{t+1} = \arg\max_x\ \Phi\Big(\frac{m_t(x)-y^+}{v_t(x)}\Big) .$$

Deviations: the configuration determines how the process is fitted and how the acquisition is
maximised (see `optimist.algorithms.black_box.gaussian_process`). All configurations except ``raw``
maximise the logarithm of the probability.
"""

from typing import Any

from optimist.algorithms.black_box.gaussian_process import Acquisition, GPOptimiser
from optimist.numerics.acquisition import (
    log_probability_of_improvement,
    probability_of_improvement,
)


class GPPI(GPOptimiser):
    """Bayesian optimisation by probability of improvement; see `GPOptimiser`.

    Parameters
    ----------
    problem : BoxProblem
    configuration : {"fair", "raw", "modern", "skopt"}
        See `optimist.algorithms.black_box.gaussian_process`.
    rng : Generator
    """

    reference = "Kushner (1964), Section 3"

    def acquisition(self, m: Any, v: Any, best: float) -> Acquisition:
        if self.configuration.logarithm:
            return log_probability_of_improvement(m, v, best)
        return probability_of_improvement(m, v, best)
