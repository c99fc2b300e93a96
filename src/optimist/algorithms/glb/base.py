"""The contract of an algorithm for generalized linear bandits."""

from typing import ClassVar

from optimist.algorithms.base import FiniteArmAlgorithm
from optimist.environments.problems.glb import GLBProblem


class GLBAlgorithm(FiniteArmAlgorithm):
    """An algorithm that is told a `GLBProblem`.

    One that is made for some links only names those in ``links``.
    """

    problem_type = GLBProblem
    problem: GLBProblem
    links: ClassVar[tuple[str, ...]] = ("logistic", "poisson", "gaussian")
