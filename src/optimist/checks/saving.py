"""Saving what plays, in the middle of a trial."""

import pickle
from typing import Any

from optimist.checks import faults
from optimist.checks.base import BrokenError

SAVED = "attributes that decide all later rounds, and that pickle can save"


def reloaded(one: Any) -> Any:
    """Return a copy of an algorithm or an environment, saved by pickle and loaded again.

    Raises
    ------
    BrokenError
        If it cannot be saved or loaded.
    """
    try:
        return pickle.loads(pickle.dumps(one))
    except Exception as error:
        allowed = "attributes that pickle can save: no lambda, no function made in another"
        raise BrokenError(f"it cannot be saved: {faults.named(error)}", allowed) from error
