"""Checks of claims against the plan: cells that are played, and rows of config/first.csv."""

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from optimist.claims.cells import UNIFORM
from optimist.claims.claim import ALGORITHMS, SETTINGS, Claim
from optimist.claims.first import Rows
from optimist.core.errors import ConfigError, nearest, unknown_name
from optimist.experiments.trials import CellKey

# Maximum number of missing rows listed in a message.
SHOWN = 3


def check_planned(
    claims: Iterable[Claim],
    names: Iterable[str],
    trials: Mapping[CellKey, int],
    homes: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Raise ConfigError if a check names an unknown setting or algorithm, or an unplanned cell.

    Parameters
    ----------
    claims : list of Claim
    names : collection of str
        Names of all settings and algorithms.
    trials : mapping
        Planned number of trials of each cell.
    homes : mapping
        The setting whose uniform play each setting shares.
    """
    checks = ((f"claim {claim.id!r}", check) for claim in claims for check in claim.all_checks)
    for where, check in checks:
        for key in (*SETTINGS, *ALGORITHMS):
            for name in check.named(key):
                if name not in names:
                    wrong = unknown_name(f"{key} of {check.metric.name}", name, names)
                    raise ConfigError(f"{where}: {wrong}")
        try:
            for lane, setting, algorithm in check.cells:
                if at_home((lane, setting, algorithm), homes) not in trials:
                    players = {a for other, s, a in trials if (other, s) == (lane, setting)}
                    place = f"algorithm in the {lane} lane of {setting!r}"
                    raise unknown_name(place, algorithm, players or {"none"})
        except ConfigError as error:
            raise ConfigError(f"{where}: {check.label}: {error}") from None


def check_first(
    claims: Iterable[Claim],
    rows: Rows,
    trials: Mapping[CellKey, int],
    least: int,
    homes: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Raise ConfigError if a row in config/first.csv is missing, wrong, or for no check.

    Every check that involves a statistical test needs a row. Facts, largest values over all trials,
    and placeholders for cells that were not run have none, because they have no sampling error.

    Parameters
    ----------
    claims : list of Claim
    rows : mapping
        The paper's rows of config/first.csv (see `optimist.claims.first`).
    trials : mapping
        Planned number of trials of each cell.
    least : int
        Minimum number of trials needed to decide one of the paper's checks.
    homes : mapping
        The setting whose uniform play each setting shares.
    """
    lacking: dict[str, None] = {}
    known: list[tuple[str, str]] = []
    for claim in claims:
        for check in (check for reading in claim.readings for check in reading.checks):
            measured, cells = check.metric, check.cells
            if measured.is_exact:
                continue
            known.append((claim.id, check.label))
            fewest = measured.least_units(check.arguments, claim.alpha)
            fewest = max(fewest, least) if measured.units == "trials" else fewest
            # No cells are planned for a study: its number of units is in runs.yaml.
            numbers = (trials[at_home(cell, homes)] for cell in cells)
            planned = min([check.splits or math.inf, *numbers])
            row = rows.get((claim.id, check.label))
            where = f"config/first.csv, claim {claim.id}, check {check.label!r}"
            if row is None:
                n0 = max(fewest, planned) if cells else fewest
                lacking[f'{claim.id},"{check.label}",{measured.units},0,{n0}'] = None
            elif row.unit != measured.units:
                raise ConfigError(f"{where}: unit is {row.unit!r}; allowed: {measured.units!r}")
            elif row.n0 < fewest:
                raise ConfigError(f"{where}: n0 is {row.n0}; allowed: at least {fewest}")
            elif row.n0 > fewest and row.start + row.n0 > planned:
                raise ConfigError(
                    f"{where}: from is {row.start} and n0 is {row.n0}, so {row.start + row.n0} "
                    f"{row.unit} are needed; allowed: at most {planned}, the number planned"
                )
    if lacking:
        more = f" and {len(lacking) - SHOWN} more" if len(lacking) > SHOWN else ""
        raise ConfigError(
            f"config/first.csv lacks {len(lacking)} row{'s' * (len(lacking) > 1)}; required: one "
            f"for each check, such as {'; '.join([*lacking][:SHOWN])}{more}"
        )
    for name, label in (key for key in rows if key not in known):
        hint = nearest(label, (other for claim_id, other in known if claim_id == name))
        raise ConfigError(
            f"config/first.csv has a row for the check {label!r} of {name}{hint}, which no claim "
            "has; allowed: one row for each check that has a statistical test"
        )


def claim_cells(claim: Claim, homes: Mapping[str, str] = MappingProxyType({})) -> set[CellKey]:
    """Return the cells read by a claim's counted checks, their controls and their gates.

    For a setting in ``homes``, uniform play is that of the setting given there.
    """
    counted = (check for reading in claim.readings for check in reading.counted)
    checks = [one for check in counted for one in (check, *check.controls)]
    gated = (cell for check in checks if check.metric.gate for cell in check.cells)
    uniform = {(lane, setting, UNIFORM) for lane, setting, _ in gated}
    return {at_home(cell, homes) for cell in uniform.union(*(check.cells for check in checks))}


def at_home(cell: CellKey, homes: Mapping[str, str]) -> CellKey:
    """Return the cell whose trials a cell shares, if it is one of uniform play."""
    lane, setting, algorithm = cell
    if algorithm == UNIFORM and lane == "regret":
        return lane, homes.get(setting, setting), algorithm
    return cell
