"""Timing in turns: one process plays the cells of a race trial by trial.

In turn r, every cell plays its trial r, in random order. Anything that slows the machine down for
longer than a trial then slows all cells equally, and cancels in the ratio of two times in a turn.
"""

import uuid
from collections.abc import Sequence

from optimist.core.files import fingerprint
from optimist.experiments.trials import Trials
from optimist.numerics.seeding import stream


def order(race: Sequence[Trials], turn: int) -> list[Trials]:
    """Return the cells that play in a turn, in random order.

    The order is drawn from all orders in which a leader comes before its followers. It is seeded by
    race and turn, so the order of the argument ``race`` has no effect.

    Parameters
    ----------
    race : sequence of Trials
        Cells of a race, with their trials from 0 on.
    turn : int
        Index of the turn, counted from 0.
    """
    playing = sorted((t for t in race if turn < t.stop), key=lambda t: t.cell.name)
    if not playing:
        return []
    rng = stream(playing[0].cell.paper, "turns", turn, playing[0].race)
    drawn = [playing[i] for i in rng.permutation(len(playing))]
    for leader in playing:
        places = [i for i, one in enumerate(drawn) if one is leader or _follows(one, leader)]
        followers = [drawn[i] for i in places if drawn[i] is not leader]
        for place, one in zip(places, [leader, *followers], strict=True):
            drawn[place] = one
    return drawn


def _follows(one: Trials, leader: Trials) -> bool:
    """Return whether cell ``one`` is timed on the history of ``leader``."""
    if one.probe is None or leader.probe is not None:
        return False
    cell = leader.cell
    return (one.cell.setting, one.probe["leader"]) == (cell.setting, cell.algorithm)


def mark(race: Sequence[Trials]) -> str:
    """Return a text that is unique to the results of these turns."""
    return fingerprint({"race": race[0].race, "process": uuid.uuid4().hex})
