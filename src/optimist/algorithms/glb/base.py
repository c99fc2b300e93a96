"""Base class of algorithms for generalized linear bandits."""

from typing import ClassVar

from optimist.algorithms.base import FiniteArmAlgorithm
from optimist.environments.problems.glb import GLBProblem


class GLBAlgorithm(FiniteArmAlgorithm):
    """Base class of algorithms for a `GLBProblem`.

    A subclass that supports only some links lists their names in ``links``.
    """

    problem_type = GLBProblem
    problem: GLBProblem
    links: ClassVar[tuple[str, ...]] = ("logistic", "poisson", "gaussian")
