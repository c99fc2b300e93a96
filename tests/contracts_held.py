"""Checks of contracts as tests: every check of a contract on every case of its kind."""

import pytest

from optimist.checks.base import HELD, PASSED_OVER, outcome


def every(contract, cases):
    """Parametrize ``check`` and ``case``; ``cases`` are by id."""
    pairs = [
        pytest.param(check, case, id=f"{check.name}-{name}")
        for check in contract.checks
        for name, case in cases.items()
        if check.case is type(case)
    ]
    return pytest.mark.parametrize(("check", "case"), pairs)


def hold(check, case):
    """Fail with the words of ``optimist check`` unless a check holds; a hint is enough."""
    found = outcome(check, case)
    if found.result == PASSED_OVER:
        pytest.skip(found.seen)
    if found.result != HELD:
        pytest.fail(found.text, pytrace=False)
