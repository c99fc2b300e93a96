"""The contract of an algorithm for generalized linear bandits."""

from typing import ClassVar

from optimist.algorithms.base import FiniteArmAlgorithm
from optimist.environments.problems.glb import GLBProblem


class GLBAlgorithm(FiniteArmAlgorithm):
    """An algorithm that gets a `GLBProblem`.

    An algorithm for some links only names them in ``links``.
    """

    problem_type = GLBProblem
    problem: GLBProblem
    links: ClassVar[tuple[str, ...]] = ("logistic", "poisson", "gaussian")
