"""Timing in turns: one process plays the cells of a race trial by trial.

In turn r, each cell plays its trial r; the order of the cells is random. As a result, anything that
slows the machine down for longer than one trial affects all cells equally and cancels in the ratio
of two times from the same turn.
"""

import uuid
from collections.abc import Sequence

from optimist.core.files import fingerprint
from optimist.experiments.trials import Trials
from optimist.numerics.seeding import stream


def order(race: Sequence[Trials], turn: int) -> list[Trials]:
    """Return the cells that play in a turn, in random order.

    Each leader comes before its followers. The seed depends on the race and the turn; the order of
    cells in ``race`` has no effect.

    Parameters
    ----------
    race : sequence of Trials
        Cells of a race, each with its trials, starting with trial 0.
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
    return (one.cell.setting.label, one.probe.leader) == leader.cell.labels


def mark(race: Sequence[Trials]) -> str:
    """Return a unique string that marks results timed in turns by one process."""
    return fingerprint({"race": race[0].race, "process": uuid.uuid4().hex})
