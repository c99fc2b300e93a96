"""The rule of docs/verdicts.md written again, on arrays of p-values of many replicates at once."""

import numpy as np

WORDS = ("open", "doubted", "supported", "depends", "not reproduced", "reproduced", "untestable")


def selected(p, level):
    """Return which of p (replicates, readings) Holm's step-down method rejects."""
    order = np.argsort(p, axis=1)
    steps = level / np.arange(p.shape[1], 0, -1)
    rejected = np.cumprod(np.take_along_axis(p, order, axis=1) <= steps, axis=1).astype(bool)
    found = np.empty_like(rejected)
    np.put_along_axis(found, order, rejected, axis=1)
    return found


def named(support, refute, idle=None, alpha=0.025):
    """Return the readings that hold, fail and are active (replicates, readings), and the words.

    Parameters
    ----------
    support, refute : (replicates, readings, checks)
    idle : (replicates, readings, checks) or None
        None if no check has a gate.
    """
    level = alpha if idle is None else 0.9 * alpha
    off = np.zeros(support.shape, bool) if idle is None else idle <= alpha / 10
    active = ~off.all(axis=2)
    p = np.where(active, np.where(off, 0.0, support).max(axis=2), 1.0)
    q = np.where(active, np.minimum(1.0, support.shape[2] * refute.min(axis=2)), 1.0)
    holding, failing = selected(p, level), selected(q, level)
    some, other = holding.any(axis=1), failing.any(axis=1)
    word = np.select([some & other, some, other], WORDS[3:0:-1], WORDS[0]).astype("<U14")
    word[(~active | (q <= level)).all(axis=1)] = "not reproduced"
    word[(~active | (p <= level)).all(axis=1)] = "reproduced"
    word[~active.any(axis=1)] = "untestable"
    return holding, failing, active, word


def words(support, refute, idle=None, alpha=0.025):
    """Return the word of each replicate, (replicates,)."""
    return named(support, refute, idle, alpha)[3]
