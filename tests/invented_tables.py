"""Tables as runs would make them, of whatever cells a check asks for, with a known truth."""

import functools
import itertools
import math

import numpy as np
import pandas as pd

from optimist.claims.cells import Cells, Fact

TRIALS = 50
# Rounds of a trial, if no argument of the check speaks of more.
HORIZON = 4096


@functools.cache
def same(text, number):
    """Return a column of equal texts; pandas takes long to make one."""
    return pd.array([text] * number, dtype="str")


class Invented(Cells):
    """Cells whose regret, time, bytes and counters are ``scale * factor^(-i^2) * t^growth``.

    Of the i-th cell that is asked for, i is squared, so that ratios change along a list of settings
    too; noise is a few percent.

    Parameters
    ----------
    arguments : mapping
        Of the check: numbers among them are rounds, texts may be columns.
    scale, factor, growth : float
    bend : float
        By how much more than the one before it each cell, and each column of a study, grows with t.
    power : float
        Columns other than the one that they are compared with are sizes to this power.
    kept : float
        Share of trials that keep what should be kept.
    """

    def __init__(
        self, arguments, *, scale=1.0, factor=1.0, growth=0.5, kept=1.0, bend=0.0, power=1.0
    ):
        super().__init__({})
        self.arguments, self.scale, self.factor = arguments, scale, factor
        self.growth, self.kept, self.bend, self.power = growth, kept, bend, power
        self.known = {}

    @property
    def marks(self):
        """Recorded rounds: a geometric grid, and the rounds that arguments speak of."""
        flat = [v if isinstance(v, list) else [v] for v in self.arguments.values()]
        numbers = [n for n in itertools.chain.from_iterable(flat) if isinstance(n, int | float)]
        asked = {int(n) for n in numbers if 1 <= n <= 1e6 and float(n).is_integer()}
        horizon = max([HORIZON, *(2 * n for n in asked)])
        grid = np.geomspace(1, horizon, 14).round().astype(int)
        halves = {horizon // 2, horizon}
        return np.array(sorted({*grid.tolist(), *asked, *halves}))

    def size(self, key):
        """Return the size of a cell; one not asked for before is the next."""
        place = self.known.setdefault(key, len(self.known))
        return self.scale * self.factor ** (-place * place)

    def noise(self, key):
        """Return a factor for each trial."""
        rng = np.random.default_rng([self.known[key], 7])
        return 1.0 + 0.02 * rng.standard_normal(TRIALS)

    def complete(self, table, column, *pairs, also=0):
        frames = [self.frame(table, column, pair) for pair in pairs]
        self.rounds += [int(frame["round"].max()) for frame in frames]
        return frames

    def frame(self, table, column, pair):
        size, marks, growth = self.size(pair), self.marks, self.growth
        place = self.known[pair]
        if self.arguments.get("points") == "rounds":
            marks = marks * 2 ** (place % len(self.arguments["settings"]))
        middle = marks[-1] // 2
        if table == "finals":
            marks = marks[-1:]
        growth += self.bend * place
        values = np.outer(size * self.noise(pair), (marks / marks[-1]) ** growth).ravel()
        names = {"regret", "seconds", "state_bytes", column, *self.columns} - {"covered"}
        against = self.arguments.get("against", self.arguments.get("bottom"))
        rows = {n: values if n == against else np.abs(values) ** self.power for n in names}
        rows["trial"] = np.repeat(np.arange(TRIALS), len(marks))
        rows["round"] = np.tile(marks, TRIALS)
        rows["selections"] = np.full(len(values), marks[-1] * max(1.0, self.scale))
        rows["covered"] = rows["trial"] < self.kept * TRIALS
        if table == "finals":
            rows["regret_half"] = rows["regret"] * (middle / marks[-1]) ** (growth * self.power)
        texts = {"status": same("ok", len(values)), "turns": same("together", len(values))}
        return pd.DataFrame({**rows, **texts}, copy=False)

    @property
    def columns(self):
        """Texts among the arguments, each of which may be a column."""
        return {v for v in self.arguments.values() if isinstance(v, str)}

    def pick(self, table, *keys):
        # Where they are points on an axis they must differ, whatever the sizes are.
        is_axis = "points" in self.arguments
        return [Fact(2.0**i if is_axis else self.size(key)) for i, key in enumerate(keys)]

    def rows(self, study, **where):
        frame = self.frame(study, "value", tuple(where.values()))
        wide = frame.assign(**where, repetition=frame["trial"], passes=1)
        wide = wide.assign(dimension=wide["round"], length=wide["round"], seconds=wide["value"])
        asked = {self.arguments.get(key) for key in ("column", "other", "against")}
        for place, name in enumerate(sorted(filter(None, asked))):
            shift = self.factor**-place * wide["round"] ** (self.bend * place)
            wide[name] = np.abs(wide["value"]) ** self.power * shift
            if name == self.arguments.get("against"):
                wide[name] = wide["value"]
        return wide


def worlds(check):
    """Yield the keywords of `Invented` for truths on all sides of a check's bounds."""
    ends = [end for end in check.allowed if math.isfinite(end)]
    targets = {*ends, sum(ends) / len(ends)}
    if min(ends) > 0.0:
        targets |= {
            math.prod(ends) ** (1.0 / len(ends)) * f for f in (1e-3, 0.5, 0.9, 1.1, 2.0, 1e3)
        }
    targets |= {target + shift for target in [*targets] for shift in (-3.0, -0.3, 0.3, 3.0)}
    for target in sorted(targets, key=abs):
        growth = min(max(target, -4.0), 4.0)
        yield {"scale": target, "factor": 1.0}
        yield {"scale": 2.0 * target * HORIZON}
        for bend in (-0.5, 0.5):
            yield {"bend": bend, "growth": max(1.0, abs(growth))}
        yield {"power": target, "factor": 0.5}
        yield {"growth": growth, "factor": 1.0}
        for factor in (abs(target), 0.5, 2.0, 1e-3, 1e3):
            if factor > 0.0:
                yield {"factor": factor, "growth": growth}
                yield {"factor": factor, "growth": 0.5, "scale": 1.0}
    yield {"growth": 0.0}
    for kept in (1.0, 0.5):
        yield {"kept": kept}
