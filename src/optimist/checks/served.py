"""Functions that `optimist check` calls in a separate process, to find cases and run tests."""

import importlib
import traceback
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any
from unittest import SkipTest

from optimist.algorithms import REGISTRIES, canonical
from optimist.checks import toys
from optimist.checks.cases import (
    BOX,
    FAILED,
    HELD,
    HORIZONS,
    PASSED_OVER,
    REFUSED,
    BrokenError,
    Case,
    Method,
    Played,
    RefusedError,
    Toy,
    World,
    shortened,
)
from optimist.config.load import load_paper, paper_names
from optimist.config.select import setting
from optimist.core import blas_kernels
from optimist.core.errors import ConfigError
from optimist.core.label import Label
from optimist.core.registry import Registry, keeping_folder, names_file
from optimist.core.user_errors import ROUND, in_one_line
from optimist.environments import ENVIRONMENTS
from optimist.experiments.cell import Cell

LONGEST = 240  # maximum number of characters in an observation
# Papers and settings in which a user's algorithm plays, by kind of problem. None needs a data set.
SETTINGS = {
    "logistic": ("glb_omd", "logistic_s3"),
    "poisson": ("glb_omd", "poisson_s3"),
    "gaussian": ("glb_omd", "logistic_s3[link=gaussian]"),
    toys.HEAVY_TAILED: ("hvt_ucb", "student_t"),
    "gaussian_kernel": ("bkb", "gaussian_d1"),
    "linear_kernel": ("bkb", "linear_d20"),
    "matern12_kernel": ("bkb", "gaussian_d1[kernel=matern12]"),
    "matern32_kernel": ("bkb", "gaussian_d1[kernel=matern32]"),
    "matern52_kernel": ("bkb", "matern52_d1"),
    BOX: ("go_ucb", "f1"),
}
_ALL = {**REGISTRIES, "environment": ENVIRONMENTS}
_IN_FILES = Registry(
    "algorithm or environment", {}, "", tuple(base for one in _ALL.values() for base in one.bases)
)
Tell = Callable[[str], None]


@keeping_folder()
def cases(tell: Tell, *, text: str) -> list[list[Case]]:
    """Load the classes named by a label, and return a list of cases for each.

    For an algorithm, the first case is the class itself.

    Parameters
    ----------
    tell : callable
        Not called.
    text : str
        Label of an algorithm or an environment: ``mine.py:Mine[option=value,...]``, a registered
        name, or a name provided by an installed package. An algorithm on arms and an algorithm on a
        box may have the same name. For an environment, the options are those of a setting.

    Raises
    ------
    ConfigError
        If a name or an option is unknown.
    """
    blas_kernels.verify()
    return [
        _of_algorithm(text, one) if one in REGISTRIES else _of_environment(text)
        for one in _registries(Label.parse(text, "class").name)
    ]


def _registries(name: str) -> list[str]:
    """Return the keys of the registries to which a class belongs."""
    if names_file(name):
        cls = _IN_FILES.load(name)
        return [kind for kind, registry in _ALL.items() if registry.accepts(cls)]
    kinds, errors = [], []
    for kind, registry in _ALL.items():
        if name in registry:
            try:
                registry.load(name)
                kinds.append(kind)
            except ConfigError as error:  # a package provides it for another domain
                errors.append(error)
    if kinds:
        return kinds
    if errors:
        raise errors[0]
    raise replace(_IN_FILES, table=dict.fromkeys(chain(*_ALL.values()), "")).unknown(name)


def _of_algorithm(text: str, domain: str) -> list[Case]:
    method = Method(canonical(text, domain), domain)
    # Without a problem_type, nothing can be constructed; a basic test reports that.
    has_problem = isinstance(getattr(method.cls, "problem_type", None), type)
    kinds = method.kinds if has_problem else ()
    played = []
    for kind in kinds:
        paper, name = SETTINGS[kind]
        played.append(Played(shortened(load_paper(paper).cell(name, method.label)), kind))
    return [method, *(Toy(method, kind) for kind in kinds), *played]


def _of_environment(text: str) -> list[Case]:
    """Return the cases of an environment: its own setting, or settings of papers that use it."""
    if text not in ENVIRONMENTS.table:
        cell = Cell.of(setting(text), "uniform")
        cells = {str(cell.setting.label): cell}
    else:
        cells = {
            str(one): Cell.of(one, "uniform")
            for paper in map(load_paper, paper_names())
            for one in paper.bases.values()
            if one.environment == text and not one.dataset
        }
    if not cells:
        raise ConfigError(
            f"environment {text!r} needs a data set; allowed: environments that need no data set"
        )
    horizon: Any = dict(Label.parse(text).options).get("horizon")
    return [
        World(cell.lasting(horizon or HORIZONS[cell.domain]), where, cell.domain)
        for where, cell in cells.items()
    ]


@keeping_folder()
def run(tell: Tell, *, test: str, case: Case) -> tuple[str, ...]:
    """Run a test, given as ``module:function``, on a case.

    Returns
    -------
    result : {"held", "failed", "refused", "passed over"}
    seen, allowed, trace : str
        The observation, what is allowed instead, and the traceback of an error in the class.

    Raises
    ------
    ConfigError
        If the class refuses an option.
    """
    module, _, name = test.partition(":")
    function = getattr(importlib.import_module(module), name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(case)
    except SkipTest as reason:
        result = REFUSED if isinstance(reason, RefusedError) else PASSED_OVER
        return result, str(reason), "", ""
    except BrokenError as broken:
        return FAILED, _brief(broken.seen), _brief(broken.allowed), ""
    except BaseException as error:  # sys.exit in a class must not end this process
        if isinstance(error, ConfigError) and function.__dict__.get("is_basic") and not case.kind:
            raise
        trace = "".join(traceback.format_exception(error))
        return FAILED, _brief(f"raised {in_one_line(error)}{_round(error)}"), "", trace
    return HELD, "", "", ""


def _brief(text: str) -> str:
    """Return a text as one line of at most `LONGEST` characters, followed by "..." if truncated."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _round(error: BaseException) -> str:
    """Return the round in which an error was raised, as in ", in round 7", or an empty string.

    The round is read from the innermost local variable ``t`` in this package, which counts from 0.
    Errors raised by a trial's loop already name the round.
    """
    if hasattr(error, ROUND):
        return ""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    of_package = [f for f in frames if f.f_globals.get("__name__", "").startswith("optimist.")]
    rounds = [f.f_locals["t"] for f in of_package if isinstance(f.f_locals.get("t"), int)]
    return f", in round {rounds[-1] + 1}" if rounds else ""
