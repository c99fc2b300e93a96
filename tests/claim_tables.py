"""Small aggregated tables, and claims about them, for the tests of metrics and verdicts."""

import pandas as pd

from optimist import claims

SPREAD = (-2, -1, 0, 1, 2)  # standard error of its mean: sqrt(1/2)


def finals(setting, algorithm, regrets, status="ok", first=0, **columns):
    """Final rows of trials first, first + 1, ...; ``status`` is one for all or one a trial."""
    return pd.DataFrame(
        {
            "setting": setting,
            "algorithm": algorithm,
            "trial": range(first, first + len(regrets)),
            "round": 100,
            "regret": regrets,
            "status": status,
            **columns,
        }
    )


def times(setting, algorithm, trials, status="ok", **columns):
    """Timing rows: ``trials`` holds the cumulative seconds of each trial at rounds 1, 2, ..."""
    return pd.concat(
        pd.DataFrame(
            {
                "setting": setting,
                "algorithm": algorithm,
                "trial": trial,
                "round": range(1, len(seconds) + 1),
                "seconds": seconds,
                "status": status,
                **columns,
            }
        )
        for trial, seconds in enumerate(trials)
    )


def facts(**values):
    """Facts of the setting ``here``."""
    return pd.DataFrame(
        [(k, "here", v) for k, v in values.items()], columns=["name", "setting", "value"]
    )


def one_claim(*checks, level=0.95):
    claim = {"id": "toy.01", "place": "Figure 1", "statement": "It works.", "checks": list(checks)}
    return {"paper": "toy", "level": level, "claims": [claim]}


def judge(*checks, level=0.95, **tables):
    tables = {k: pd.concat(v) if isinstance(v, list) else v for k, v in tables.items()}
    (verdict,) = claims.evaluate(one_claim(*checks, level=level), tables)
    return verdict


def measure(metric, arguments, **tables):
    """Return the only result of an informative check."""
    verdict = judge({"metric": metric, "arguments": arguments, "informative": True}, **tables)
    return verdict.results[0]
