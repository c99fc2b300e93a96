r"""What GO-UCB leaves to optimisers: its oracle, and the maximum of Step 5, two ways each.

Liu and Wang (2023), Appendix D.1, fits by gradient descent, $w \leftarrow w - \eta\nabla L(w)$, and
maximises by gradient ascent over x and w at once. The extension ``tuned`` fits by L-BFGS, and
replaces the inner maximum by that of the linear model,
$$w = \hat w_t+\sqrt{\beta_t}\,\Sigma_t^{-1}g/\|g\|_{\Sigma_t^{-1}},\qquad g=\nabla_wf_x(w) .$$
"""

import math

import numpy as np

ITERATIONS = 2000
FIT_RATE = 1e-11
ASCENT_RATE = 1e-4
# Of the extension.
FIT_ITERATIONS = 500
FIT_STARTS = 3
DECAY = 1e-3
ADAM_ITERATIONS = 300
ADAM_RATE = 0.05


def descend(network, w, X, y, rng=None):
    """Return parameters after gradient descent on the mean squared error.

    Parameters
    ----------
    network : TwoLayerNetwork
    w : (d_w,) array
        Where to start.
    X, y : (n, d) and (n,) arrays
    rng : Generator or None
        Take one random point a step; None: all of them.
    """
    for _ in range(ITERATIONS):
        chosen = slice(None) if rng is None else [int(rng.integers(len(y)))]
        w = w - FIT_RATE * network.squared_error(w, X[chosen], y[chosen])[1]
    return w


def fit(network, starts, X, y):
    """Return the parameters (d_w,) of the least mean squared error with weight decay.

    L-BFGS from each row of ``starts`` (k, d_w), of which the best end counts.
    """

    from scipy.optimize import minimize

    def objective(w):
        error, gradient = network.squared_error(w, X, y)
        decay = DECAY / network.size
        return error + decay * (w @ w), gradient + 2.0 * decay * w

    found = [
        minimize(objective, w, jac=True, method="L-BFGS-B", options={"maxiter": FIT_ITERATIONS})
        for w in starts
    ]
    return min(found, key=lambda result: result.fun).x


class JointAscent:
    """Gradient ascent over points and parameters, projected onto box and ellipsoid.

    Parameters
    ----------
    network : TwoLayerNetwork
    low, high : (d,) arrays
    euclidean : bool
        Project parameters to the nearest point of the ellipsoid, not on the line to its centre.
    unit : bool
        Keep parameters in [0, 1] as well.
    """

    def __init__(self, network, low, high, *, euclidean=False, unit=False):
        self.network = network
        self.low, self.high = low, high
        self.euclidean = euclidean
        self.unit = unit

    def maximise(self, ellipsoid, beta, starts):
        """Return the best end point (d,), and whether a projection onto the ellipsoid changed it.

        ``starts`` (K, d); of several ends the one of the largest value counts.
        """
        x, w = starts.copy(), np.repeat(ellipsoid.centre[None], len(starts), axis=0)
        g, active = np.empty_like(w), False
        layers, slopes = self.network.layers(w), self.network.layers(g)
        # Clipping to [0, 1] moves parameters as well, and further.
        out_of_reach = not self.unit and self._reach(ellipsoid) < ellipsoid.inner_radius(beta)
        for _ in range(ITERATIONS):
            along_x = self.network.gradients_into(slopes, layers, x)
            along_x *= ASCENT_RATE
            x += along_x
            np.minimum(np.maximum(x, self.low, out=x), self.high, out=x)
            g *= ASCENT_RATE
            w += g
            if self.unit:
                np.clip(w, 0.0, 1.0, out=w)
            if not out_of_reach:
                active |= self._project(ellipsoid, beta, w)
        return x[int(np.argmax(self.network.values(w, x)))], active

    def _reach(self, ellipsoid):
        r"""Return a bound on how far all steps together can move the parameters.

        As $0\le h\le1$ and $h(1-h)\le1/4$, the gradient in w is at most the root of
        $H+1+\|w_2\|^2(1+\|x\|^2)/16$, and each step adds at most its rate times $\sqrt H$ to
        $\|w_2\|$.
        """
        hidden, steps = self.network.hidden, ITERATIONS * ASCENT_RATE
        second = float(np.linalg.norm(self.network.layers(ellipsoid.centre[None]).w2))
        second += steps * math.sqrt(hidden)
        corner = np.maximum(np.abs(self.low), np.abs(self.high))
        return steps * math.sqrt(hidden + 1.0 + second**2 * (1.0 + corner @ corner) / 16.0)

    def _project(self, ellipsoid, beta, w):
        """Put the rows of ``w`` back; return whether any was outside of the ellipsoid."""
        outside = ellipsoid.outside(w, beta)
        if outside.any():
            back = ellipsoid.project if self.euclidean else ellipsoid.scale
            w[outside] = back(w[outside], beta)
        return bool(outside.any())


def maximise_linear_bound(network, ellipsoid, beta, starts):
    """Return the point of [-1, 1]^d where Adam on the linearised upper bound ends, (d,).

    ``starts`` (K, d); of several ends the one of the largest value counts.
    """
    x, w = starts.copy(), np.repeat(ellipsoid.centre[None], len(starts), axis=0)
    mean, square = np.zeros_like(x), np.zeros_like(x)
    for t in range(1, ADAM_ITERATIONS + 1):
        g = network.gradients(w, x)[0]
        direction = ellipsoid.solve(g)
        norm = np.sqrt(np.einsum("kd,kd->k", g, direction))
        w = ellipsoid.centre + direction * (math.sqrt(beta) / norm)[:, None]
        ascent = network.gradients(w, x)[1]
        mean += 0.1 * (ascent - mean)
        square += 0.001 * (ascent**2 - square)
        step = mean / (1.0 - 0.9**t) / (np.sqrt(square / (1.0 - 0.999**t)) + 1e-8)
        x = np.clip(x + ADAM_RATE * step, -1.0, 1.0)
    return x[int(np.argmax(network.values(w, x)))]
