r"""The number of units that count for a check: n0 at first, then n0 times a power of 2.

Every run counts, whatever its purpose, and anybody may look at the results at any time. If there
are n units from ``start`` on, the first $n_0 2^k$ of them count, where
$k = \lfloor\log_2(n/n_0)\rfloor$. Each p-value is multiplied by $2^{k+1}$. The probability of an
error at any of the possible looks is then no larger than in a single test without doubling.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optimist.core.errors import ConfigError, one_of
from optimist.core.files import read_text

COLUMNS = ["claim", "check", "unit", "from", "n0"]
# For each kind of unit: the smallest number needed to judge a check.
UNITS = {"trials": 10, "turns": 5, "splits": 5}


@dataclass(frozen=True)
class First:
    """A row of config/first.csv, without its claim and check.

    Attributes
    ----------
    unit : {"trials", "turns", "splits"}
    start : int
        The first unit that counts.
    n0 : int
        Number of units needed for the check's first judgement.
    """

    unit: str
    start: int
    n0: int

    def doublings(self, number: int) -> int:
        """Return k for a given number of units, or -1 if they are too few for a judgement."""
        return (max(0, number - self.start) // self.n0).bit_length() - 1

    def stop(self, k: int) -> int:
        """Return the exclusive end of the counted units after k doublings."""
        return self.start + (self.n0 << k)


def doubled(p: float, k: int) -> float:
    """Return a p-value corrected for k doublings, or 1 if k is negative (too few units)."""
    return min(1.0, 2.0 ** (k + 1) * p) if k >= 0 else 1.0


Rows = Mapping[tuple[str, str], First]


def of_document(written: Iterable[Sequence[Any]]) -> Rows:
    """Return the rows in a loaded claims file, as a mapping from (claim, check) to `First`."""
    return {(claim, check): First(*rest) for claim, check, *rest in written}


def read(path: str | Path) -> list[list[Any]]:
    """Return the rows of config/first.csv; each row is a list of claim, check, unit, from and n0.

    Raises
    ------
    ConfigError
        If a row is invalid; the message gives the file and the line.
    """
    lines = csv.reader(read_text(path).splitlines())
    if next(lines, None) != COLUMNS:
        raise ConfigError(f"{path} has wrong columns; allowed: {','.join(COLUMNS)}")
    rows: dict[tuple[str, str], list[Any]] = {}
    for number, line in enumerate(lines, 2):
        where = f"{path}, line {number}"
        if len(line) != len(COLUMNS):
            raise ConfigError(f"{where} has {len(line)} columns; allowed: {len(COLUMNS)}")
        claim, check, unit, *numbers = line
        one_of(f"{where}: unit", unit, UNITS)
        for name, text, least in zip(COLUMNS[3:], numbers, (0, 1), strict=True):
            if not text.isdecimal() or int(text) < least:
                raise ConfigError(f"{where}: {name} is {text!r}; allowed: at least {least}")
        if (claim, check) in rows:
            raise ConfigError(f"{where} is another row for {check!r} of {claim}; allowed: one")
        rows[claim, check] = [claim, check, unit, *map(int, numbers)]
    return [*rows.values()]
