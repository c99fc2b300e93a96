"""What SoR and DTC share here: a fixed number of inducing points, drawn uniformly."""

from optimist.algorithms.kernel.optimism import sub_gaussian_radius
from optimist.algorithms.kernel.sketch import SketchedUCB
from optimist.errors import one_of, whole_number


class FixedSketchUCB(SketchedUCB):
    r"""Base of the learners whose number of inducing points does not adapt.

    Parameters
    ----------
    problem : KernelProblem
    size : int
        m.
    source : {"arms", "history"}
        Draw them once from the first arms seen, or in every round from the plays so far.
    rng : Generator
    """

    def __init__(self, problem, *, size=20, source="arms", rng=None):
        self.size = whole_number("size", size)
        self.source = one_of("source", source, ("arms", "history"))
        self.inducing_points = None  # of source "arms"
        self.rows = None  # their kernel with fixed arms
        super().__init__(problem, cache=source == "history", rng=rng)

    def sketch(self, arms):
        return self._from_history(arms) if self.source == "history" else self._from_arms(arms)

    def _from_arms(self, arms):
        kernel, played = self.problem.kernel, self.played
        if self.inducing_points is None:
            drawn = self.rng.choice(len(arms), min(self.size, len(arms)), replace=False)
            self.inducing_points = arms[drawn]
            self.rows = kernel(self.inducing_points, arms) if self.problem.fixed_arms else None
        S = self.inducing_points
        if self.rows is None:
            return kernel(S, S), kernel(S, arms), kernel(S, played.points)
        return kernel(S, S), self.rows, self.rows[:, played.indices]

    def _from_history(self, arms):
        if self.is_stale:
            u, n = len(self.played), self.played.counts
            self.drawn = self.rng.choice(u, min(self.size, u), replace=False, p=n / n.sum())
        return self.of_played(self.drawn, arms)

    def sketch_radius(self):
        log_det = 0.0 if self.posterior is None else self.posterior.log_det
        return sub_gaussian_radius(self.problem, log_det)
