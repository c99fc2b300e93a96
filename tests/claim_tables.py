"""Small aggregated tables, and claims about them, for the tests of metrics and verdicts."""

import pandas as pd

from optimist.claims.claim import PaperClaims
from optimist.claims.verdicts import evaluate

# Ten numbers of mean zero, whose mean has a standard error of 0.471405.
SPREAD = (-2, -1, 0, 1, 2) * 2


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


def check_of(quantity, statistic, arguments, relation="below", bound=1, **keys):
    """A check of a claims file."""
    about = {"quantity": quantity, "statistic": statistic, "arguments": arguments}
    return {**about, "relation": relation, "bound": bound, **keys}


def reading(*checks, name="", status="stated"):
    """A reading of a claims file, written out."""
    return {"name": name, "status": status, "checks": list(checks)}


def choice(name, *alternatives):
    """A choice of a claims file, with the ids of its alternatives."""
    known = {
        key: {"status": "stated", "name": f"R {key}", "about": f"It is {key}."}
        for key in alternatives
    }
    return {"name": name, "about": "It is.", "alternatives": known}


def claim_with(*readings, id="toy.01", **keys):
    """A claim of a claims file, written out."""
    about = {"id": id, "place": "Figure 1", "statement": "It works."}
    return {**about, "readings": list(readings), **keys}


def document(*written, level=0.95, **about):
    """Claims of a paper, from claims that are written out, with further fields ``about`` it."""
    claims = [{"level": level, **one} for one in written]
    return PaperClaims.restore({"paper": "toy", "claims": claims, **about})


def decide(*readings, shortened="", tables=None, first=(), about=None, **keys):
    """Return the verdict on a claim with these readings; lists of tables are joined.

    ``first`` has rows of config/first.csv, and ``about`` what a plan adds to a claims file: the
    methods that learn in each setting, the settings that share their uniform play, and the least
    number of trials.
    """
    tables = {k: pd.concat(v) if isinstance(v, list) else v for k, v in (tables or {}).items()}
    written = document(claim_with(*readings, **keys), first=first, **(about or {}))
    (verdict,) = evaluate(written, tables, shortened)
    return verdict


def judge(*checks, level=0.95, kind="empirical", **tables):
    """Return the verdict on a claim with one reading."""
    return decide(reading(*checks), level=level, kind=kind, tables=tables)


def measure(quantity, statistic, arguments, **tables):
    """Return the only result of a check without a bound."""
    check = {"quantity": quantity, "statistic": statistic, "arguments": arguments}
    verdict = judge(check, **tables)
    return verdict.results[0]
