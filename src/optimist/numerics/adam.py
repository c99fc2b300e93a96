r"""The Adam optimiser: gradient ascent with steps scaled by a running mean of squared gradients.

For gradients $g_t$, $b_1=0.9$, $b_2=0.999$, a learning rate a and $m_0=v_0=0$, each coordinate x is
updated by
$$m_t = b_1m_{t-1}+(1-b_1)g_t,\qquad v_t = b_2v_{t-1}+(1-b_2)g_t^2,\qquad
  x_t = x_{t-1}+a\,\frac{m_t/(1-b_1^t)}{\sqrt{v_t/(1-b_2^t)}+10^{-8}} .$$

Kingma and Ba (2015), "Adam: A Method for Stochastic Optimization", Algorithm 1.
"""

import numpy as np


class Adam:
    """Gradient ascent with the constants recommended by Kingma and Ba (2015).

    Parameters
    ----------
    shape : tuple of int
        Shape of the point to optimise.
    rate : float
        Learning rate a. The first step has approximately this length in each coordinate.
    """

    def __init__(self, shape: tuple[int, ...], rate: float) -> None:
        self.rate = rate
        self._t = 0
        self._mean, self._square = np.zeros(shape), np.zeros(shape)

    def step(self, gradient: np.ndarray) -> np.ndarray:
        """Return the next step, of the same shape as the ``gradient`` at the current point."""
        self._t += 1
        self._mean += 0.1 * (gradient - self._mean)
        self._square += 0.001 * (gradient**2 - self._square)
        square = self._square / (1.0 - 0.999**self._t)
        return self.rate * (self._mean / (1.0 - 0.9**self._t) / (np.sqrt(square) + 1e-8))
