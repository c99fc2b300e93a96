"""Base class of environments that give algorithms a kernel."""

import math

from optimist.core.errors import positive
from optimist.environments.pool import PoolEnvironment
from optimist.environments.problems.kernel import KernelProblem
from optimist.numerics.kernels import Kernel


class KernelPool(PoolEnvironment):
    r"""Base class of environments with a ``kernel`` and noise of standard deviation $\xi$."""

    arm_bound = math.inf
    horizon: int
    deviation: float
    kernel: Kernel

    def problem(
        self,
        *,
        ridge: float | None = None,
        norm_bound: float = 1.0,
        delta: float = 0.1,
        factor: float = 1.0,
    ) -> KernelProblem:
        r"""Return the `KernelProblem`.

        Parameters
        ----------
        ridge : float or None
            $\lambda$, the ridge in the posterior; None means $\xi^2$.
        norm_bound : float
            F, a bound on the function's norm in the RKHS of the kernel.
        delta : float
            Failure probability of the confidence bounds.
        factor : float
            Factor that multiplies every confidence radius; 1 gives the theoretical radius.

        Raises
        ------
        ConfigError
            If an option is out of range.
        """
        return KernelProblem(
            kernel=self.kernel,
            dimension=self._arms.shape[1],
            horizon=self.horizon,
            deviation=self.deviation,
            ridge=self.deviation**2 if ridge is None else positive("ridge", ridge),
            norm_bound=norm_bound,
            delta=delta,
            factor=factor,
            fixed_arms=self._offered is None,
        )
