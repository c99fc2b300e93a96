"""Worlds of trials with uniform play in them, made for the cells that a check and its gate read."""

import itertools
import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from optimist.claims.cells import UNIFORM, Groups
from optimist.claims.first import UNITS
from optimist.claims.gates import Gates
from optimist.core.label import name_of

HORIZON = 4096
# Sign tests over ten methods of a paper need so many trials.
FEWEST = 40


class Worlds:
    """Worlds in which a check of a claim may hold or fail.

    In a world, the regret of a method in a setting is ``size * (t / T) ** growth``, up to two
    percent of noise in each trial. Regrets of uniform play grow linearly.

    Parameters
    ----------
    claim : Claim
    check : Check
    document : PaperClaims
        The claims, with the row of the check, the methods that learn in each setting, and
        the settings that share uniform play.
    players : mapping
        The methods that the paper's runs play in each setting.
    """

    def __init__(self, claim, check, document, players):
        rows = [row for row in document.first if tuple(row[:2]) == (claim.id, check.label)]
        self.first = {(row[0], row[1]): first_of(row) for row in rows}
        self.check, self.least = check, document.least
        learners, named = document.learners, {*check.algorithms}
        # Of the methods that the check does not name, the best decides: two of them are enough.
        self.learners = {
            s: [a for a in learners.get(s, ()) if a in named]
            + [a for a in learners.get(s, ()) if a not in named][:2]
            for s in check.settings
        }
        (start, n0) = next(((f.start, f.n0) for f in self.first.values()), (0, 1))
        start += check.arguments.get("tuning", 0)
        self.number = start + max(n0, self.least, FEWEST, UNITS["trials"], check.splits)
        self.named = list(dict.fromkeys((s, a) for _, s, a in check.cells))
        self.settings = list(dict.fromkeys(s for s, _ in self.named))
        self.methods = list(dict.fromkeys(a for _, a in self.named if name_of(a) != UNIFORM))
        names = document.uniform_names
        # Uniform play is where the runs have it, in a setting that shares it.
        self.homes = {
            s: next(
                (t for t in players if names.get(t) == names[s] and UNIFORM in players[t]), None
            )
            for s in self.settings
        }
        self.uniform_names = {s: names[s] for s in {*self.settings, *self.homes.values()} - {None}}

    @property
    def kind(self):
        """Properties that decide a check's possible outcomes; checks of one kind share them."""
        places = {s: i for i, s in enumerate(self.settings)}
        methods = {a: i for i, a in enumerate(self.methods)} | {UNIFORM: -1}
        learners = tuple(
            (
                *sorted(methods[a] for a in self.learners[s] if a in methods),
                bool({*self.learners[s]} - {*methods}),
                self.homes[s] is not None,
            )
            for s in self.settings
        )
        arguments = tuple(
            sorted((k, frozen(v, places | methods)) for k, v in self.check.arguments.items())
        )
        about = self.check.metric, self.check.relation, self.check.bound_text
        return *about, arguments, learners

    def gates(self, **world):
        """Return gates on the tables of a world."""
        tables = Played(self, **world)
        facts = {(tables.points, s): tables.fact(i) for i, s in enumerate(self.settings)}
        groups = Groups(
            {"finals": tables, "regrets": Curves(tables), "facts": facts if tables.points else {}},
            self.uniform_names,
        )
        return Gates(groups, self.first, self.learners, self.least)

    def __iter__(self):
        """Yield keywords of worlds on all sides of the check's bounds, the likely ones first.

        Only what the check sees differs from world to world.
        """
        ends = [end for end in self.check.allowed if math.isfinite(end) and end]
        near = [end * f for f in (0.7, 1.4, 0.95, 1.05) for end in ends if end > 0.0]
        factors = [1.0, *near, *(0.3, 3.0, 0.01, 100.0)]
        arguments = self.check.arguments
        is_curved = "since" in arguments or not {*arguments} - {"algorithm", "setting", *SPLITS}
        worlds = {
            "growth": (0.5, 1.0, 0.0) if is_curved else (0.5,),
            "is_level": (True, False) if len(self.settings) > 1 else (True,),
            "beaten": (100.0, 1.0, 3.0, 1e4),
            "method": factors if len({a for _, a in self.named}) > 1 else (1.0,),
            "setting": factors if len(self.settings) > 1 else (1.0,),
            "size": (1.0, *(HORIZON * abs(end) * f for end in ends for f in (0.1, 10.0))),
        }
        combinations = itertools.product(*worlds.values())
        usual = [values[0] for values in worlds.values()]

        def unusual(world):
            return sum(a != b for a, b in zip(world, usual, strict=True))

        yield from (dict(zip(worlds, w, strict=True)) for w in sorted(combinations, key=unusual))


SPLITS = ("folds", "repeats")


class Played(Mapping):
    """Final rows of each cell of a world.

    Parameters
    ----------
    about : Worlds
    size, growth : float
        Of the last method in the first setting.
    beaten : float
        Uniform play's regret over the largest of the methods that the check names.
    method : float
        The regret of each method over the next method's.
    setting : float
        The regret of the first method in each setting over its regret in the setting before.
    is_level : bool
        Whether uniform play has the same regret in all settings.
    """

    def __init__(self, about, *, size, growth, beaten, method, setting, is_level):
        self.about, self.growth, self.noise = about, growth, {}
        last = len(about.methods) - 1
        self.sizes = {
            (s, a): size * method ** (last - j) * (setting**i if j == 0 else 1.0)
            for i, s in enumerate(about.settings)
            for j, a in enumerate(about.methods)
        }
        self.uniform = {
            s: beaten * max(v for (other, _), v in self.sizes.items() if is_level or other == s)
            for s in about.settings
        }
        points = about.check.arguments.get("points")
        self.is_longer, self.points = points == "rounds", points if isinstance(points, str) else ""

    def fact(self, place):
        return pd.DataFrame({"value": [2.0**place]})

    def rounds(self, setting):
        """Return the recorded rounds: a grid, and those that the check names."""
        flat = [v if isinstance(v, list) else [v] for v in self.about.check.arguments.values()]
        numbers = [n for n in itertools.chain(*flat) if isinstance(n, int) and 0 < n <= HORIZON]
        place = self.about.settings.index(setting) if self.is_longer else 0
        grid = [HORIZON // 64, HORIZON // 2, HORIZON]
        return np.unique(np.array([*grid, *numbers])) * 2**place

    def values(self, pair, rounds):
        """Return regrets (rounds, trials)."""
        setting, algorithm = pair
        about, growth = self.about, self.growth
        if algorithm == UNIFORM:
            setting = next(s for s in about.settings if about.homes[s] == setting)
            size, growth = self.uniform[setting], 1.0
        else:
            # A method that the check does not name is good, whatever the others are.
            size = self.sizes.get(pair, 0.1 * self.uniform[setting])
        if pair not in self.noise:
            rng = np.random.default_rng(len(self.noise))
            self.noise[pair] = 1.0 + 0.02 * rng.standard_normal(about.number)
        last = self.rounds(setting)[-1]
        return np.outer((rounds / last) ** growth, size * self.noise[pair])

    def __contains__(self, pair):
        about, (setting, algorithm) = self.about, pair
        if algorithm == UNIFORM:
            return setting in about.homes.values()
        return pair in self.sizes or algorithm in about.learners.get(setting, ())

    def __getitem__(self, pair):
        if pair not in self:
            raise KeyError(pair)
        rounds = self.rounds(self.setting_of(pair))
        half, end = self.values(pair, np.array([rounds[-1] / 2, rounds[-1]]))
        return self.frame(rounds[-1:], end[None], regret_half=half)

    def setting_of(self, pair):
        if name_of(pair[1]) != UNIFORM:
            return pair[0]
        return next(s for s in self.about.settings if self.about.homes[s] == pair[0])

    def frame(self, rounds, regrets, **columns):
        trials = np.arange(self.about.number)
        return pd.DataFrame(
            {
                "trial": np.tile(trials, len(rounds)),
                "round": np.repeat(rounds, len(trials)),
                "regret": regrets.ravel(),
                "status": "ok",
                **columns,
            }
        )

    def __iter__(self):
        return iter(self.sizes)

    def __len__(self):
        return len(self.sizes)


class Curves(Mapping):
    """The rows of all recorded rounds of each cell of a world."""

    def __init__(self, played):
        self.played = played

    def __getitem__(self, pair):
        if pair not in self.played:
            raise KeyError(pair)
        rounds = self.played.rounds(self.played.setting_of(pair))
        return self.played.frame(rounds, self.played.values(pair, rounds))

    def __iter__(self):
        return iter(self.played)

    def __len__(self):
        return len(self.played)


def first_of(row):
    from optimist.claims.first import First

    return First(*row[2:])


def frozen(value, numbers):
    """Return a value with labels replaced by numbers, and lists by tuples."""
    if isinstance(value, list):
        return tuple(frozen(one, numbers) for one in value)
    return numbers.get(value, value) if isinstance(value, str) else value


def distance(factor):
    return abs(math.log(factor))
