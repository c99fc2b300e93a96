"""Small committed tables of trials, of invented numbers."""

from dataclasses import replace

import numpy as np

from optimist.core.layout import Layout
from optimist.experiments import cell_records, trial_table
from optimist.experiments.cell_records import CellRecord
from optimist.experiments.cell_trials import CellTrials

COMMIT = "0123456789abcdef0123456789abcdef01234567"
MADE = "Python 3.12.1; numpy 2.0.0; a processor; a system"


def trials_of(setting, algorithm, regrets, horizon, **changes):
    """Return trials of a cell with straight lines of regret, recorded midway and at the end."""
    count, half = len(regrets), horizon // 2
    ends = {"regret": np.array(regrets), "regret_half": np.array(regrets) * half / horizon}
    curves = [np.array([value * half / horizon, value]) for value in regrets]
    found = CellTrials(
        *("regret", "paper", setting, algorithm, np.arange(count)),
        *(["ok"] * count, [None] * count, ends),
        *([np.array([half, horizon])] * count, {"regret": curves}),
    )
    return replace(found, **changes)


def record_of(found, digest, **changes):
    """Return the record of some trials."""
    cell, count = (found.lane, found.group, *found.key[1:]), len(found)
    known = CellRecord(
        *(*cell, count, (count,), digest, found.content, {}), 1.0, 100.0, commit=COMMIT, made=MADE
    )
    return replace(known, **changes)


def write(figures, paper, found):
    """Write the tables of a paper from pairs of trials and record."""
    layout = Layout("", str(figures))
    found = list(found)
    trial_table.write(
        [trials for trials, _ in found], layout.trials(paper), declared={}, configuration={}
    )
    cell_records.write([record for _, record in found], layout.cells(paper))
