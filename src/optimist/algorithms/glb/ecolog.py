r"""ECOLog: optimism with efficient local learning for logistic bandits.

Faury, Abeille, Jun and Calauzenes (2022), "Jointly Efficient and Optimal Algorithms for Logistic
Bandits", Algorithm 2 (adaptive, without warm-up). For the diameter D, the logistic loss
$\ell(\theta; x, r)$ and $W_t = \lambda I + \sum_s\mu'(X_s^\top\theta_{s+1})X_sX_s^\top$,
$$\theta_{t+1} \approx \arg\min_{\|\theta\|\le S}\;
   \frac{\|\theta-\theta_t\|^2_{W_t}}{2(1+D/2)} + \ell(\theta; X_t, r_t),\qquad
  X_t = \arg\max_x\; x^\top\theta_t + \sqrt{r_t}\,\|x\|_{W_t^{-1}},$$
$$r_t = 4\lambda S^2 + 2(2+D)(u_t+\Sigma_t) + 4\log(1+t),\quad
  u_t = \tfrac{(2+D)\nu_t}4 + \tfrac{D^2}{2+D},\quad
  \nu_t = \tfrac12 + 2\log\Big(\tfrac2\delta\sqrt{1+\tfrac t{4\lambda}}\Big),$$
where $\Sigma_t = \sum_s\ell(\bar\theta_s; X_s, r_s) - \ell(\theta_{s+1}; X_s, r_s)$ and
$\bar\theta_s$ minimises the same objective with the losses of both labels summed.

Deviations: $\lambda = d$, as in Zhang et al. (2025), Appendix F.1, and all other constants are from
the theory. Therefore, D is 2S, the diameter of the ball; ``diameter="norm"`` sets D = S, as in
public code. The minimiser is exact; with ``solver="pgd"``, gradient steps approximate it to
accuracy 1/t, as in the paper, but the formula for the number of steps contains
$\log(D\max(t, 2))$ in place of $\log(Dt)$. Rounds that violate
$\mu'(x^\top\bar\theta)\le2\mu'(x^\top\theta^u)$ for either label u are counted (``violations``) but
not treated differently, as in public code.
``index="mixed"`` selects the index of public code, $\mu(x^\top\theta)+\sqrt{r_t}\|x\|$;
``radius="older"`` and ``proximal="unscaled"`` follow an older copy of that code.
"""

import math

import numpy as np

from optimist.algorithms.glb.base import GLBAlgorithm
from optimist.algorithms.glb.inverses import chosen_inverse
from optimist.core.errors import one_of
from optimist.environments.problems.glb import GLBProblem
from optimist.numerics.ball import minimise_quadratic, project
from optimist.numerics.linear import inverse_norms, quadratic_norms

MAX_NEWTON_STEPS = 50


class ECOLog(GLBAlgorithm):
    r"""ECOLog, with constant memory and, for ``solver=pgd``, O(log t) time per round.

    Parameters
    ----------
    problem : GLBProblem
    solver : {"newton", "pgd"}
        Exact minimisation, or projected gradient descent to accuracy 1/t, as published.
    index : {"linear", "mixed"}
        The index in the formula above, or the index in public code.
    radius : {"published", "older"}
        $\sqrt{r_t}$ as above, or as in an older copy of public code.
    proximal : {"scaled", "unscaled"}
        Whether the quadratic term is divided by 1 + D/2.
    diameter : {"published", "norm"}
        D = 2S, or D = S.
    inverse : {"rank_one", "pinv"}
        Method of inversion; see `optimist.algorithms.glb.inverses`.
    """

    reference = "Faury et al. (2022), Algorithm 2 and Proposition 4"
    links = ("logistic",)

    def __init__(
        self,
        problem: GLBProblem,
        *,
        solver: str = "newton",
        index: str = "linear",
        radius: str = "published",
        proximal: str = "scaled",
        diameter: str = "published",
        inverse: str = "rank_one",
    ) -> None:
        super().__init__(problem)
        self._inverse = chosen_inverse(inverse)
        self.solver = one_of("solver", solver, ("newton", "pgd"))
        self.index = one_of("index", index, ("linear", "mixed"))
        self.radius_form = one_of("radius", radius, ("published", "older"))
        one_of("proximal", proximal, ("scaled", "unscaled"))
        one_of("diameter", diameter, ("published", "norm"))
        self.diameter = (2.0 if diameter == "published" else 1.0) * problem.norm_bound
        self.softness = 1.0 + self.diameter / 2.0 if proximal == "scaled" else 1.0
        self.ridge = float(problem.dimension)
        self.t = 1
        self.theta = np.zeros(problem.dimension)
        self.W = self.ridge * np.eye(problem.dimension)
        self.W_inv = np.eye(problem.dimension) / self.ridge
        self.excess = 0.0  # Sigma
        self.older_excess = 0.0
        self.violations = 0

    @property
    def radius(self) -> float:
        r"""The confidence radius $\sqrt{r_t}$, times the problem's factor."""
        S, ridge = self.problem.norm_bound, self.ridge
        r = self._published_square() if self.radius_form == "published" else self._older_square()
        return self.problem.factor * math.sqrt(max(r, ridge * S**2))

    @property
    def _tail(self):
        return math.log(2.0 / self.problem.delta * math.sqrt(1.0 + self.t / (4.0 * self.ridge)))

    def _published_square(self):
        D, S = self.diameter, self.problem.norm_bound
        u = (2.0 + D) * (0.5 + 2.0 * self._tail) / 4.0 + D**2 / (2.0 + D)
        growth = 2.0 * (2.0 + D) * (u + self.excess)
        return 4.0 * self.ridge * S**2 + growth + 4.0 * math.log(1.0 + self.t)

    def _older_square(self):
        S, root = self.problem.norm_bound, math.sqrt(self.ridge)
        gamma = root / 2.0 + 2.0 / root * self._tail
        return 2.0 * self.ridge * S**2 + (1.0 + S) ** 2 * gamma + self.older_excess

    def select(self, arms: np.ndarray) -> int:
        centre = arms @ self.theta
        if self.index == "mixed":
            centre = self.problem.link.mean(centre)
        return int(np.argmax(centre + self.radius * inverse_norms(arms, self.W_inv)))

    def update(self, arms: np.ndarray, index: int, reward: float) -> None:
        x = arms[index]
        v = self.W_inv @ x
        q = float(x @ v)
        new = self._estimate(x, v, q, 1.0, reward)
        reference = self._estimate(x, v, q, 2.0, 1.0)  # the losses of both labels, summed
        self._count_violation(x, v, q, reward, (new, reference))
        self._update_excess(x, reward, new, reference)
        self.theta = new
        b = self.problem.link.slope(float(x @ new))
        self.W += b * np.multiply.outer(x, x)
        self._inverse.renew(self.W_inv, self.W, v, b, q)
        self.t += 1

    def _estimate(self, x, v, q, count, total):
        r"""Minimise $\frac1{2c}\|\vartheta-\theta\|_W^2 + n\,m(z) - \rho z$ over the ball.

        Here $z = x^\top\vartheta$, and m is the log-partition function. ``count`` is n, ``total``
        is $\rho$, ``v`` is $W^{-1}x$, and ``q`` is $x^\top v$.
        """
        if self.solver == "pgd":
            return self._descend(x, v, count, total)
        theta = self.theta + self._scalar_newton(float(x @ self.theta), q, count, total) * v
        if theta @ theta <= self.problem.norm_bound**2:
            return theta
        return self._newton_on_ball(x, count, total)

    def _scalar_newton(self, z, q, count, total):
        """Solve u / c + n mu(z + u q) = rho for u by Newton's method.

        The left side increases in u, so bisection replaces steps that leave the bracket.
        """
        link, c = self.problem.link, self.softness
        u = 0.0
        low, high = c * (total - count), c * total
        for _ in range(MAX_NEWTON_STEPS):
            gap = u / c + count * link.mean(z + u * q) - total
            low, high = (u, high) if gap < 0.0 else (low, u)
            new = u - gap / (1.0 / c + count * q * link.slope(z + u * q))
            if not low <= new <= high:
                new = 0.5 * (low + high)
            if abs(new - u) <= 1e-13 * (1.0 + abs(u)):
                return new
            u = new
        return u

    def _newton_on_ball(self, x, count, total):
        link, c, S = self.problem.link, self.softness, self.problem.norm_bound
        theta = project(self.W, self.theta, S)
        for _ in range(MAX_NEWTON_STEPS):
            z = float(x @ theta)
            b = count * link.slope(z)
            H = self.W / c + b * np.multiply.outer(x, x)
            right = self.W @ self.theta / c + (b * z - count * link.mean(z) + total) * x
            new, _ = minimise_quadratic(H, right, S)
            if np.abs(new - theta).max() <= 1e-10 * S:  # Newton's method converges quadratically
                return new
            theta = new
        self.status = "unconverged"
        return theta

    def _descend(self, x, v, count, total):
        r"""Minimise to accuracy 1/t by projected gradient descent in $W^{1/2}\vartheta$."""
        link, c, S, D = self.problem.link, self.softness, self.problem.norm_bound, self.diameter
        step = 1.0 / (count / 4.0 + 1.0 / c)
        theta = self.theta
        for _ in range(max(1, math.ceil((2.25 + D / 8.0) * math.log(D * max(self.t, 2))))):
            slope = count * link.mean(float(x @ theta)) - total
            theta = theta - step * ((theta - self.theta) / c + slope * v)
            if theta @ theta > S * S:
                theta = project(self.W, theta, S)
        return theta

    def _count_violation(self, x, v, q, reward, estimates):
        other = self._estimate(x, v, q, 1.0, 1.0 - reward)
        new, reference, other = (self.problem.link.slope(float(x @ e)) for e in (*estimates, other))
        self.violations += reference > 2.0 * min(new, other)

    def _update_excess(self, x, reward, new, reference):
        link, S = self.problem.link, self.problem.norm_bound
        z_new, z_reference = float(x @ new), float(x @ reference)
        gap = float(link.log_partition(z_reference) - link.log_partition(z_new))
        gap -= reward * (z_reference - z_new)
        self.excess += gap
        move = new - reference
        self.older_excess += 2.0 * (1.0 + S) * gap - 0.5 * math.sqrt(move @ self.W @ move)

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        return quadratic_norms(thetas, self.theta, self.W) <= self.radius

    def diagnostics(self) -> dict[str, float]:
        return {"violations": self.violations}
