r"""Exact second-order expansions of a likelihood, updated with each new observation.

Differentiating a likelihood with n observations costs O(n). At a fixed point, adding one
observation (x, r) to the value, gradient and Hessian costs only O(d^2):
$$\mathcal L \mathrel{+}= \frac{m(z) - rz}g,\quad \nabla\mathcal L \mathrel{+}= \frac{\mu(z)-r}g x,
  \quad \nabla^2\mathcal L \mathrel{+}= \frac{\mu'(z)}g xx^\top,\qquad z = x^\top\theta .$$
"""

from typing import Any

import numpy as np

from optimist.numerics.linear import add_to_diagonal, dots
from optimist.numerics.links import Link

MEMORY_SIZE = 256
SAME_DIRECTION = 1.0 - 1e-12


class Expansions:
    """Values, gradients and Hessians of the unpenalised likelihood at several points.

    Parameters
    ----------
    link : optimist.numerics.links.Link
    dimension : int
    size : int
        Number of points. Initially, every point is the origin, and there are no observations.
    """

    def __init__(self, link: Link, dimension: int, size: int) -> None:
        self.link = link
        self.points = np.zeros((size, dimension))
        self._values = np.zeros(size)
        self._gradients = np.zeros((size, dimension))
        self._hessians = np.zeros((size, dimension, dimension))

    @property
    def nbytes(self) -> int:
        """Number of bytes in use."""
        arrays = self.points, self._values, self._gradients, self._hessians
        return sum(array.nbytes for array in arrays)

    def put(self, rows: Any, points: np.ndarray, derivatives: Any, ridge: float = 0.0) -> None:
        """Set the points in ``rows``, given the derivatives of the penalised likelihood there.

        Parameters
        ----------
        rows : slice or (m,) array of int
        points : (m, d) array
        derivatives : tuple of (m,), (m, d) and (m, d, d) arrays
            Value, gradient and Hessian at each point.
        ridge : float
            Coefficient of the ridge penalty, which is subtracted before the derivatives are stored.
        """
        values, gradients, hessians = derivatives
        self.points[rows] = points
        self._values[rows] = values - 0.5 * ridge * dots(points, points)
        self._gradients[rows] = gradients - ridge * points
        if ridge:
            hessians = hessians.copy()
            add_to_diagonal(hessians, -ridge)
        self._hessians[rows] = hessians

    def observe(self, x: np.ndarray, reward: float) -> None:
        """Add an observation with features ``x`` (d,) and the given ``reward``."""
        z = self.points @ x
        m, mu, slope = self.link.jet(z)
        g = self.link.dispersion
        self._values += (m - reward * z) / g
        self._gradients += np.multiply.outer((mu - reward) / g, x)
        self._hessians += np.multiply.outer(slope / g, np.multiply.outer(x, x))

    def tangents(self, rows: Any, ridge: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Return values (m,) and gradients (m, d) of the penalised likelihood.

        They are evaluated at the points in ``rows``. The parameters are as in `put`.
        """
        points = self.points[rows]
        values = self._values[rows] + 0.5 * ridge * dots(points, points)
        return values, self._gradients[rows] + ridge * points

    def derivatives(
        self, rows: Any, ridge: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return values (m,), gradients (m, d) and Hessians (m, d, d) of the penalised likelihood.

        They are evaluated at the points in ``rows``. The parameters are as in `put`.
        """
        hessians = self._hessians[rows].copy()
        if ridge:
            add_to_diagonal(hessians, ridge)
        return *self.tangents(rows, ridge), hessians


class SolutionMemory:
    r"""Expansions of the likelihood at recent solutions, indexed by arm direction.

    The maximiser of $x^\top\theta$ over a level set depends only on the direction of x and moves
    little from round to round. One Newton step from the maximiser stored for a nearby direction
    therefore gives a good starting point, without a pass over the data.

    Parameters
    ----------
    link : optimist.numerics.links.Link
    dimension : int
    size : int
        Number of slots, each for one direction and its solution. Once all slots are in use, new
        directions overwrite the oldest.

    Attributes
    ----------
    count : int
        Number of directions added so far, including those since overwritten.
    """

    def __init__(self, link: Link, dimension: int, size: int = MEMORY_SIZE) -> None:
        self.expansions = Expansions(link, dimension, size)
        self.directions = np.zeros((size, dimension))
        self.active = np.zeros(size, dtype=bool)  # whether the ball constraint is active
        self.count = 0

    @property
    def kept(self) -> slice:
        """The slots in use, as a slice."""
        return slice(min(self.count, len(self.active)))

    def observe(self, x: np.ndarray, reward: float) -> None:
        """Add an observation with features ``x`` (d,) and ``reward`` to all expansions."""
        if self.count:
            self.expansions.observe(x, reward)

    def nearest(self, directions: np.ndarray) -> np.ndarray:
        """Return the slot of the stored direction nearest to each row of ``directions`` (m, d)."""
        return np.argmax(directions @ self.directions[self.kept].T, axis=1)

    def add(
        self,
        directions: np.ndarray,
        active: np.ndarray,
        points: np.ndarray,
        derivatives: Any,
        ridge: float,
    ) -> None:
        """Store solutions, replacing earlier ones for the same directions.

        Parameters
        ----------
        directions : (m, d) array
            Unit vectors as rows.
        active : (m,) array of bool
            Whether each solution lies on the boundary of the ball.
        points : (m, d) array
            The solutions.
        derivatives, ridge
            As in `Expansions.put`.
        """
        slots = self._slots_for(directions)
        if self.count > len(self.active):
            # Once slots are reused, several solutions may get the same slot. Keep the first.
            slots, kept = np.unique(slots, return_index=True)
            directions, active, points = directions[kept], active[kept], points[kept]
            derivatives = [part[kept] for part in derivatives]
        self.directions[slots], self.active[slots] = directions, active
        self.expansions.put(slots, points, derivatives, ridge)

    def _slots_for(self, directions):
        slots = np.empty(len(directions), dtype=int)
        same = np.zeros(len(directions), dtype=bool)
        if self.count:
            cosines = directions @ self.directions[self.kept].T
            slots = cosines.argmax(axis=1)
            same = cosines.max(axis=1) > SAME_DIRECTION
        new = int(np.count_nonzero(~same))
        slots[~same] = (self.count + np.arange(new)) % len(self.active)
        self.count += new
        return slots
