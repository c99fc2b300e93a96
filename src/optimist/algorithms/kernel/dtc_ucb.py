r"""DTC-UCB: GP-UCB on a fixed number of inducing points, with prior variance outside their span.

Seeger, Williams and Lawrence (2003), "Fast Forward Selection to Speed Up Sparse Gaussian Process
Regression", Section 3. For the posterior on m inducing points (`optimist.numerics.nystrom`),
$$x_{t+1} = \arg\max_x\tilde\mu_t(x)+\beta_t\tilde\sigma_t(x),\qquad
  \tilde\sigma^2 = \tfrac1\lambda\big(k(x,x)-\|z(x)\|^2\big)+z(x)^\top V^{-1}z(x),$$
$$\beta_t = \sqrt\lambda F+\xi\sqrt{2(\log\det(G_t/\lambda+I)+\log(1/\delta))} .$$

Deviations: the paper treats regression only. The radius is that of GP-UCB, computed from the
log-determinant of the approximate kernel matrix.
"""

from optimist.algorithms.kernel.fixed_sketch import FixedSketchUCB


class DTCUCB(FixedSketchUCB):
    """DTC-UCB, with time per round proportional to $Ar^2$, where r is at most m.

    For the options, see `FixedSketchUCB`.
    """

    reference = "Seeger et al. (2003), Section 3"
