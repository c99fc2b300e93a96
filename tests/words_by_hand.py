"""The rule of docs/verdicts.md written again, on arrays of p-values of many replicates at once."""

import numpy as np

BETTER = "better than claimed"
WORDS = ("open", "doubted", "supported", "depends", "not reproduced", "reproduced", "untestable")
WORDS = (*WORDS, BETTER)


def selected(p, level):
    """Return the rejections of Holm's step-down method for p, of shape (replicates, readings)."""
    order = np.argsort(p, axis=1)
    steps = level / np.arange(p.shape[1], 0, -1)
    rejected = np.cumprod(np.take_along_axis(p, order, axis=1) <= steps, axis=1).astype(bool)
    found = np.empty_like(rejected)
    np.put_along_axis(found, order, rejected, axis=1)
    return found


def named(support, refute, idle=None, alpha=0.025, relaxed=None, size=1):
    """Return the readings that hold, fail and are active (replicates, readings), and the words.

    Parameters
    ----------
    support, refute : (replicates, readings, checks)
    idle : (replicates, readings, checks) or None
        None if no check has a gate.
    relaxed : (replicates, readings, checks) or None
        What ``support`` is without the praising ends of bands; None if it is the same.
    size : int
        Of so many consecutive readings one suffices.
    """
    level = alpha if idle is None else 0.9 * alpha
    off = np.zeros(support.shape, bool) if idle is None else idle <= alpha / 10
    active = ~off.all(axis=2)

    def suffices(p):
        own = np.where(active, np.where(off, 0.0, p).max(axis=2), 1.0)
        return np.minimum(1.0, size * own.reshape(len(own), -1, size).min(axis=2))

    p, unless_better = suffices(support), suffices(support if relaxed is None else relaxed)
    q = np.where(active, np.minimum(1.0, support.shape[2] * refute.min(axis=2)), 1.0)
    q = q.reshape(len(q), -1, size).max(axis=2)
    active = active.reshape(len(q), -1, size).any(axis=2)
    holding, failing = selected(p, level), selected(q, level)
    some, other = holding.any(axis=1), failing.any(axis=1)
    word = np.select([some & other, some, other], WORDS[3:0:-1], WORDS[0]).astype("<U19")
    fails = (~active | (q <= level)).all(axis=1)
    word[fails] = "not reproduced"
    if relaxed is not None:
        word[fails & (~active | (unless_better <= level)).all(axis=1)] = BETTER
    word[(~active | (p <= level)).all(axis=1)] = "reproduced"
    word[~active.any(axis=1)] = "untestable"
    return holding, failing, active, word


def words(support, refute, idle=None, alpha=0.025, relaxed=None, size=1):
    """Return the word of each replicate, (replicates,)."""
    return named(support, refute, idle, alpha, relaxed, size)[3]
