"""Four configurations based on the default settings of Bayesian optimisation libraries.

The table in `optimist.algorithms.black_box.gaussian_process` lists the libraries.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from optimist.numerics.gp_regression import Flat, Gamma, Hyper, LogNormal, Scheme
from optimist.numerics.kernels import GaussianKernel, Matern52

MATERN, GAUSSIAN = Matern52(1.0), GaussianKernel(1.0)


@dataclass(frozen=True)
class Configuration:
    """Default settings of a library.

    Attributes
    ----------
    scheme : callable
        Function that maps the dimension to the `Scheme` for fitting the process.
    scaled : bool
        Whether to map the box to the unit cube, and to scale the values to mean 0 and variance 1.
    ddof : int
        Delta degrees of freedom of the variance used to scale the values.
    logarithm : bool
        Whether to maximise EI and PI on a logarithmic scale, which avoids underflow.
    improvement : float
        Amount by which a value must exceed the best value to count as an improvement in EI and PI,
        in units of the values.
    beta : float
        Square of the standard deviation's factor in the upper confidence bound.
    candidates, near : int
        Number of points at which the acquisition is evaluated: in the whole box, and near the
        incumbent.
    sobol : bool
        Whether the ``candidates`` are a Sobol sequence rather than uniform draws.
    refined : int
        Number of these points, the best ones, that L-BFGS-B refines.
    iterations : int
        Maximum number of iterations in one run of L-BFGS-B.
    joint : bool
        Whether L-BFGS-B refines these points in a single run rather than one run per point.
    """

    scheme: Callable[[int], Scheme]
    scaled: bool = True
    ddof: int = 1
    logarithm: bool = True
    improvement: float = 0.0
    beta: float = 4.0
    candidates: int = 256
    near: int = 50
    sobol: bool = True
    refined: int = 10
    iterations: int = 200
    joint: bool = True


def gamma_scheme(dimension: int) -> Scheme:
    """Return the `Scheme` that BoTorch used in 2022."""
    return Scheme(
        MATERN,
        lengthscale=Hyper(1e-4, 1e4, 0.69, Gamma(3.0, 6.0)),
        noise=Hyper(1e-4, 1e6, 2.0, Gamma(1.1, 0.05)),
        amplitude=Hyper(1e-6, 1e6, 0.69, Gamma(2.0, 0.15)),
        draws=2,
        spare=True,
    )


def log_normal_scheme(dimension: int) -> Scheme:
    """Return the `Scheme` that BoTorch 0.18 uses in ``dimension`` dimensions."""
    mean = math.sqrt(2.0) + 0.5 * math.log(dimension)
    # The fit starts at the modes of the densities, exp(mean - variance).
    return Scheme(
        GAUSSIAN,
        lengthscale=Hyper(0.025, 1e4, max(math.exp(mean - 3.0), 0.025), LogNormal(mean, 3.0)),
        noise=Hyper(1e-4, 1e6, math.exp(-5.0), LogNormal(-4.0, 1.0)),
        draws=2,
        spare=True,
    )


def flat_scheme(dimension: int) -> Scheme:
    """Return the `Scheme` that scikit-optimize 0.10 uses."""
    return Scheme(
        MATERN,
        lengthscale=Hyper(0.01, 100.0, 1.0, Flat()),
        noise=Hyper(1e-5, 1e5, 1.0, Flat()),
        amplitude=Hyper(0.01, 1000.0, 1.0, Flat()),
        free_mean=False,
        draws=2,
    )


CONFIGURATIONS = {
    "fair": Configuration(gamma_scheme),
    "raw": Configuration(
        gamma_scheme, scaled=False, logarithm=False, beta=0.1, candidates=20, near=0, refined=5
    ),
    "modern": Configuration(log_normal_scheme),
    "skopt": Configuration(
        flat_scheme,
        ddof=0,
        improvement=0.01,
        beta=1.96**2,
        candidates=10_000,
        near=0,
        sobol=False,
        refined=5,
        iterations=20,
        joint=False,
    ),
}
