"""Rounds for nothing: what a process loads and sets up in its first ones is no algorithm's time."""

from contextlib import suppress

from optimist.runs.trials import Player, Trials


class WarmUp:
    """Plays the start of a trial as races do, once for each cell."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def play(self, trials: Trials, data_dir: str | None) -> None:
        """Play the start of the first of some trials; an error comes again when it is played."""
        if trials.cell.name not in self._known:
            self._known.add(trials.cell.name)
            with suppress(Exception, SystemExit):
                Player(trials, data_dir).warm_up()
