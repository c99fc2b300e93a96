r"""SoR-UCB: GP-UCB on a fixed number of inducing points, with no variance outside their span.

Wahba (1990), "Spline Models for Observational Data", Chapter 7; Quinonero-Candela et al. (2007),
Section 4. For the embedding z by m inducing points (`optimist.numerics.nystrom`),
$$x_{t+1} = \arg\max_x\tilde\mu_t(x)+\beta_t\tilde\sigma_t(x),\qquad
  \tilde\sigma^2 = z(x)^\top V^{-1}z(x),$$
$$\beta_t = \sqrt\lambda F+\xi\sqrt{2(\log\det(G_t/\lambda+I)+\log(1/\delta))} .$$

Deviations: the sources treat regression only. The radius is that of GP-UCB, computed from the
log-determinant of the approximate kernel matrix. Before the first reward, the leverage is
$k(x,x)/\lambda$.
"""

import numpy as np

from optimist.algorithms.kernel.fixed_sketch import FixedSketchUCB
from optimist.numerics.nystrom import NystromPosterior


class SoRUCB(FixedSketchUCB):
    """SoR-UCB, with time per round proportional to $Ar^2$, where r is at most m.

    For the options, see `FixedSketchUCB`.
    """

    reference = "Wahba (1990), Section 7.1"

    def approximate_leverages(
        self, posterior: NystromPosterior, B: np.ndarray, prior: np.ndarray
    ) -> np.ndarray:
        return posterior.regressors_leverages(B)
