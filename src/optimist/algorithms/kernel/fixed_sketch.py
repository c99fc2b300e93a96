"""What SoR and DTC share here: a fixed number of inducing points, drawn uniformly."""

from optimist.algorithms.kernel.optimism import sub_gaussian_radius
from optimist.algorithms.kernel.sketch import SketchedUCB
from optimist.errors import one_of, whole_number


class FixedSketchUCB(SketchedUCB):
    r"""Base of the algorithms whose number of inducing points does not adapt.

    Parameters
    ----------
    problem : KernelProblem
    size : int
        m.
    source : {"arms", "history"}
        Draw them once, from the arms on offer after the first reward, or in every round from the
        plays so far.
    rng : Generator
    """

    def __init__(self, problem, *, size=20, source="arms", rng=None):
        self.size = whole_number("size", size)
        self.source = one_of("source", source, ("arms", "history"))
        self.points = None  # inducing points of source "arms", (m, d)
        self.gram = None  # their kernel with each other, (m, m)
        self.kept = None  # and with fixed arms, (m, A)
        super().__init__(problem, cache=source == "history", rng=rng)

    def draw(self, arms):
        if self.source == "history":
            u, n = len(self.played), self.played.counts
            self.drawn = self.rng.choice(u, min(self.size, u), replace=False, p=n / n.sum())
        elif self.points is None:
            drawn = self.rng.choice(len(arms), min(self.size, len(arms)), replace=False)
            self.points = arms[drawn]
            self.gram = self.problem.kernel(self.points, self.points)
            if self.problem.fixed_arms:
                self.kept = self.problem.kernel(self.points, arms)

    def inducing_kernel(self):
        if self.source == "history":
            return super().inducing_kernel()
        if self.kept is None:
            return self.gram, self.problem.kernel(self.points, self.played.points)
        return self.gram, self.kept[:, self.played.indices]

    def rows(self, basis, arms):
        if self.source == "history":
            return super().rows(basis, arms)
        if self.kept is None:
            return self.problem.kernel(self.points[basis], arms)
        return self.kept[basis]

    def sketch_radius(self):
        log_det = 0.0 if self.posterior is None else self.posterior.log_det
        return sub_gaussian_radius(self.problem, log_det)
