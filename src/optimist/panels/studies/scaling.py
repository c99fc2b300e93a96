"""Cost of the two parts of a GLB-OMD update against the dimension."""

import time

import numpy as np

from optimist.algorithms.glb.glb_omd import GLBOMD
from optimist.errors import ConfigError
from optimist.numerics.ball import project
from optimist.numerics.links import Logistic
from optimist.problems.glb import GLBProblem
from optimist.runs.seeding import stream

NORM_BOUND = 3.0


def check(paper):
    """Refuse any paper but GLB-OMD's."""
    if paper.get("method") != "glb_omd":
        raise ConfigError(
            "scaling times an update of glb_omd; allowed: in the paper whose method that is"
        )


def names(paper):
    """Return what facts are about: nothing."""
    return set()


def tabulate(spec, data_dir):
    """Return the median seconds of each part at each dimension."""
    import pandas as pd

    rows = [
        (dimension, part, seconds)
        for dimension in spec["dimensions"]
        for part, seconds in update_cost(dimension, spec["repetitions"]).items()
    ]
    return {"scaling": pd.DataFrame(rows, columns=["dimension", "part", "seconds"])}


def update_cost(dimension, repetitions):
    """Return median seconds of the rank-one part and of the projection, as a dict.

    The rank-one part is an update that stays inside the ball; the projection is that of a point at
    twice the radius in the norm which those updates built.
    """
    rng = stream("scaling", dimension)
    problem = GLBProblem(Logistic(), dimension, NORM_BOUND, kappa=22.0, horizon=10**6)
    algorithm = GLBOMD(problem)
    rank_one, projection = [], []
    for _ in range(repetitions):
        arm = rng.standard_normal((1, dimension))
        arm /= np.linalg.norm(arm)
        start = time.perf_counter()
        algorithm.update(arm, 0, 1.0)
        rank_one.append(time.perf_counter() - start)
        start = time.perf_counter()
        project(algorithm.H, 2.0 * NORM_BOUND * arm[0], NORM_BOUND)
        projection.append(time.perf_counter() - start)
    if algorithm.projections:
        raise RuntimeError("an update of the rank-one part left the ball")
    return {"rank_one": float(np.median(rank_one)), "projection": float(np.median(projection))}
