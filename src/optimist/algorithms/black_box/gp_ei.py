r"""GP-EI: Bayesian optimisation that maximises the expected improvement.

Jones, Schonlau and Welch (1998), "Efficient Global Optimization of Expensive Black-Box Functions".
For the best observed value $y^+$ and $u=(m_t(x)-y^+)/v_t(x)$,
$$x_{t+1} = \arg\max_x\ v_t(x)\,\big(u\,\Phi(u)+\varphi(u)\big) .$$

Deviations: the configuration determines how the process is fitted and how the acquisition is
maximised (see `optimist.algorithms.black_box.gaussian_process`). All configurations except ``raw``
maximise the logarithm of the expected improvement.
"""

from typing import Any

from optimist.algorithms.black_box.gaussian_process import Acquisition, GPOptimiser
from optimist.numerics.acquisition import expected_improvement, log_expected_improvement


class GPEI(GPOptimiser):
    """Bayesian optimisation by expected improvement; see `GPOptimiser`.

    Parameters
    ----------
    problem : BoxProblem
    configuration : {"fair", "raw", "modern", "skopt"}
        See `optimist.algorithms.black_box.gaussian_process`.
    rng : Generator
    """

    reference = "Jones et al. (1998), Section 4.1"

    def acquisition(self, m: Any, v: Any, best: float) -> Acquisition:
        function = (
            log_expected_improvement if self.configuration.logarithm else expected_improvement
        )
        return function(m, v, best)
