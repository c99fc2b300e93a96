"""Times in turns: the cells of a race are played trial by trial in one process.

In turn r every cell plays its trial r, in random order. Anything that slows the machine down for
longer than a trial then slows all cells equally, and cancels in the ratio of two times in one turn.
"""

import uuid
from collections.abc import Sequence

from optimist.core.files import fingerprint
from optimist.experiments.trials import Trials
from optimist.numerics.seeding import stream


def order(race: Sequence[Trials], turn: int) -> list[Trials]:
    """Return the players of a turn, counted from 0, in their order.

    It is drawn from all orders in which a leader comes before its followers. Race and turn are the
    seed, so the order of the list has no effect.

    Parameters
    ----------
    race : sequence of Trials
        The cells of a race, with their trials from 0 on.
    turn : int
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
    """Return whether a cell is timed on the history of another one."""
    if one.probe is None or leader.probe is not None:
        return False
    cell = leader.cell
    return (one.cell.setting, one.probe["leader"]) == (cell.setting, cell.algorithm)


def mark(race: Sequence[Trials]) -> str:
    """Return a text that only the results of these turns share."""
    return fingerprint({"race": race[0].race, "process": uuid.uuid4().hex})
