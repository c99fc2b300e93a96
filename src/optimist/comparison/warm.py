"""Rounds for nothing: what a process loads and sets up in its first ones is no algorithm's time."""

from contextlib import suppress

import numpy as np

from optimist.algorithms import REGISTRIES
from optimist.errors import ConfigError
from optimist.label import name_of
from optimist.registry import names_file
from optimist.runs.cell import play_trial
from optimist.runs.trials import Player, Trials

ROUNDS = 30  # of two plays that must be the same


class WarmUp:
    """Plays the start of a trial as races do, once for each cell."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def play(self, trials: Trials, data_dir: str | None) -> None:
        """Play the start of the first of some trials; an error comes again when it is played.

        Raises
        ------
        ConfigError
            If a class of a user's own does not do the same when the trial is played again.
        """
        if trials.cell.name in self._known:
            return
        self._known.add(trials.cell.name)
        with suppress(Exception, SystemExit):
            Player(trials, data_dir).warm_up()
        name = name_of(trials.cell.algorithm)
        is_of_user = names_file(name) or name in REGISTRIES[trials.cell.domain].added
        if is_of_user and not _is_repeated(trials, data_dir):
            raise ConfigError(
                f"its first {ROUNDS} rounds differ when they are played again; allowed: to draw "
                "from rng alone, a numpy Generator that the constructor gets if it names that "
                "keyword, and to keep nothing outside of the object"
            )


def _is_repeated(trials: Trials, data_dir: str | None) -> bool:
    """Return whether the start of a trial, played again, is the same; an error comes later."""
    rounds = min(ROUNDS, trials.rounds or trials.cell.spec["horizon"])
    try:
        one, other = (
            play_trial(trials.cell, trials.first, data_dir, rounds=rounds).columns.get("regret", [])
            for _ in range(2)
        )
    except (Exception, SystemExit):
        return True
    return np.array_equal(np.array(one, float), np.array(other, float), equal_nan=True)
