"""Small environments and problems that several test modules play in, and the papers' cells."""

from pathlib import Path

from optimist.checks import plays
from optimist.checks.cases import takes
from optimist.checks.toys import (
    ScriptedEnvironment,
    make_box_problem,
    make_problem,
    random_arms,
)
from optimist.config.load import load_paper, paper_names

__all__ = ["ScriptedEnvironment", "make_box_problem", "make_problem", "random_arms"]

ROOT = Path(__file__).resolve().parents[1]
STAND_IN = ROOT / "data" / "stand_in"


def parametrize(metafunc, cases):
    """Parametrize a test of `optimist check` with the cases that it accepts."""
    for name in {"method", "toy", "played", "play", "world"}.intersection(metafunc.fixturenames):
        chosen = {key: case for key, case in cases.items() if takes(metafunc.function, case)}
        metafunc.parametrize(name, chosen.values(), ids=list(chosen))


def choices(algorithm, environment, rounds):
    """Play on arms; return the chosen arms, each of which is one."""
    return plays.choices(plays.Player(algorithm, environment), rounds)


def papers():
    """Return the configurations of all papers."""
    return [load_paper(name) for name in paper_names()]


def configured(key="runs", domain="arms"):
    """Return every (setting, algorithm label) of a domain that ``runs`` ask for."""
    return [
        (setting, label)
        for paper in papers()
        for block in getattr(paper, key)
        for setting in block.settings
        for label in block.algorithms
        if setting.domain == domain
    ]
