"""Rounds for nothing: what a process loads and sets up in its first ones is no algorithm's time."""

from contextlib import suppress
from functools import partial
from typing import Any

from optimist.algorithms import REGISTRIES
from optimist.blame import in_one_line
from optimist.environments import ENVIRONMENTS
from optimist.errors import ConfigError
from optimist.label import name_of
from optimist.runs.cell import build, play_trial
from optimist.runs.isolation import isolated
from optimist.runs.trials import Player, Trials

# Of two plays that must be the same: rounds, and seconds of each.
ROUNDS, SECONDS = 20, 2.0


class WarmUp:
    """Plays the start of a trial as races do, once for each cell."""

    def __init__(self) -> None:
        self._known: dict[str, ConfigError | None] = {}

    def play(self, trials: Trials, data_dir: str | None) -> None:
        """Play the start of the first of some trials; an error comes again when it is played.

        Raises
        ------
        ConfigError
            If a class of a user's own does not do the same when the trial is played again.
        """
        cell = trials.cell
        if cell.name not in self._known:
            self._known[cell.name] = None
            with suppress(Exception, SystemExit):
                Player(trials, data_dir).warm_up()
                if cell.is_foreign:
                    look = partial(_unrepeated, trials, data_dir)
                    self._known[cell.name] = isolated(look, trials.first)
        if (error := self._known[cell.name]) is not None:
            raise error


def _unrepeated(trials: Trials, data_dir: str | None) -> ConfigError | None:
    """Return what is wrong with a user's class that does otherwise when it is made again."""
    algorithm, environment = name_of(trials.cell.algorithm), trials.cell.environment
    is_foreign = REGISTRIES[trials.cell.domain].is_foreign(algorithm)
    for name, source, is_looked_at, begin in (
        (environment, "stream", ENVIRONMENTS.is_foreign(environment), _rewards),
        (algorithm, "rng", is_foreign, _regrets),
    ):
        one, other = (begin(trials, data_dir) for _ in "12") if is_looked_at else ([], [])
        rounds = min(len(one), len(other))
        if one[:rounds] != other[:rounds]:
            return ConfigError(
                f"{name} differs in its first rounds when a trial is played again; allowed: to "
                f"draw from {source} alone, a keyword of the constructor, and to keep nothing "
                "outside of the object"
            )
    return None


def _rounds(trials: Trials) -> int:
    return min(ROUNDS, trials.rounds or trials.cell.spec["horizon"])


def _rewards(trials: Trials, data_dir: str | None) -> list[str]:
    """Return what an environment pays in its first rounds, or the error that it ends with."""
    cell = trials.cell
    try:
        environment: Any = build(cell, trials.first, data_dir)[0]
        is_box = cell.domain == "box"
        choice = 0.5 * (environment.low + environment.high) if is_box else 0
        return [repr(environment.reward(t, choice)) for t in range(_rounds(trials))]
    except (Exception, SystemExit) as error:
        return [in_one_line(error)]


def _regrets(trials: Trials, data_dir: str | None) -> list[str]:
    """Return the regrets of the first rounds, as far as they are played, or the error of one."""
    rounds = _rounds(trials)
    try:
        found = play_trial(trials.cell, trials.first, data_dir, rounds=rounds, time_limit=SECONDS)
    except (Exception, SystemExit) as error:
        return [in_one_line(error)]
    return [repr(regret) for regret in found.columns.get("regret", [])]
