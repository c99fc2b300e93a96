"""Playing one arm many times in a row, which medians need."""

import numpy as np


class Epochs:
    """The arm of the current epoch and the rewards it has had.

    Parameters
    ----------
    length : int
        Rounds of an epoch.

    Attributes
    ----------
    rewards : list of float
        Of this epoch so far.
    arm : (d,) array
        The arm that the epoch is about.
    substituted : int
        Rounds so far in which another arm had to be played.
    """

    def __init__(self, length):
        self.length = length
        self.rewards = []
        self.arm = np.empty(0)
        self.index = 0
        self.substituted = 0

    @property
    def is_new(self):
        """Whether the next round opens an epoch."""
        return not self.rewards

    def open(self, arms, index):
        """Make row ``index`` of ``arms`` (K, d) the arm of this epoch; return the index."""
        self.arm, self.index = arms[index].copy(), index
        return index

    def select(self, arms, fixed):
        """Return the index of the epoch's arm among ``arms`` (K, d), or of the one nearest to it.

        With ``fixed`` arms it is where it was.
        """
        if fixed:
            return self.index
        moves = arms - self.arm
        return int(np.argmin(np.vecdot(moves, moves)))

    def add(self, arm, reward):
        """Record a reward for ``arm`` (d,), the epoch's or one played in its place."""
        self.rewards.append(reward)
        self.substituted += not np.array_equal(arm, self.arm)

    @property
    def is_full(self):
        """Whether the epoch has all its rewards."""
        return len(self.rewards) == self.length

    def close(self):
        """Return the rewards (length,) and forget them."""
        rewards = np.array(self.rewards)
        self.rewards.clear()
        return rewards

    @property
    def nbytes(self):
        """Bytes held."""
        return self.arm.nbytes + 8 * (len(self.rewards) + 3)
