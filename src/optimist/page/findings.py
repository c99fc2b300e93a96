"""Sentences about results, filled with numbers from claims.

Each sentence names the verdict on which it relies, and is rejected if that verdict changes.
"""

import math
from collections.abc import Collection, Mapping
from typing import Any, Literal

from optimist.claims.effects import Range
from optimist.config.load import read
from optimist.config.models import Findings, Number, Said
from optimist.core.errors import ConfigError, known_name, unknown_name
from optimist.page.verdicts import COLUMN, Shown

SOURCE = "config/findings.yaml"
# Columns of a check that a sentence may quote; the check's chart on the page also needs them.
NUMBERS = ("value", "low", "high", "n")
Claims = Mapping[str, Shown]
Sentence = Literal["found", "headline", "measured"]


def load() -> Findings:
    """Return the sentences in config/findings.yaml, which have placeholders for numbers."""
    sentences: Findings = read(SOURCE, Findings)
    return sentences


def fill(
    document: Findings, claims: Claims, papers: Collection[str], *, strict: bool = True
) -> dict[str, Any]:
    """Replace the placeholders in the sentences with numbers.

    Parameters
    ----------
    document : Findings
        The result of `load`.
    claims : mapping
        Claims in the content of the page, by ID; see `optimist.page.content`.
    papers : collection of str
        Papers to show; sentences about other papers are omitted.
    strict : bool
        Whether to raise an error, instead of leaving a sentence out, if its verdict has changed.

    Returns
    -------
    dict
        ``papers`` contains the sentences on the claims and results of each paper. ``findings`` is a
        list of mappings with the claim, the text, and the index of the check within the claim. If
        the run was shortened, there are no sentences about results.

    Raises
    ------
    ConfigError
        If a claim or check does not exist, or if a verdict differs from the one on which
        a sentence relies.
    """
    is_shortened = any(claim["verdict"] == "shortened" for claim in claims.values())
    about, filled = {}, []
    for name in papers:
        about[name] = {"claimed": "", "found": ""}
        if words := document["papers"].get(name):
            found = "" if is_shortened else _sentence(name, words, "found", claims, strict)
            about[name] = {"claimed": " ".join(words["claimed"].split()), "found": found}
    shown = [entry for entry in document["findings"] if entry["claim"].split(".")[0] in papers]
    for i, entry in enumerate([] if is_shortened else shown):
        place = f"findings.{i}"
        if _holds(place, entry["claim"], entry["expects"], claims, strict):
            check, numbers = _numbers(place, entry, claims)
            text = _formatted(entry["text"], numbers, f"{place}.text")
            filled.append({"claim": entry["claim"], "check": check, "text": text})
    return {"papers": about, "findings": filled}


def overview(document: Findings, claims: Claims, paper: str) -> dict[str, str]:
    """Return the headline, what the paper says and what we measured, with numbers filled in.

    Raises
    ------
    ConfigError
        If a claim or check does not exist, or if a verdict differs from the one on which
        a sentence relies.
    """
    about = document["papers"][paper]
    filled = {key: _sentence(paper, about, key, claims) for key in ("headline", "measured")}
    return {"says": " ".join(about["says"].split()), **filled}


def _sentence(paper: str, about: Said, key: Sentence, claims: Claims, strict: bool = True) -> str:
    """Return a sentence about a paper with numbers filled in.

    If a verdict on which it relies has changed, raise ConfigError or, unless ``strict``, return "".
    """
    place = f"papers.{paper}"
    expects = about["expects"].items()
    if not all(_holds(place, claim, verdict, claims, strict) for claim, verdict in expects):
        return ""
    asked = about.get("numbers", {}).items()
    numbers = {name: _numbers(place, one, claims)[1] for name, one in asked}
    return _formatted(about[key], numbers, f"{place}.{key}")


def _holds(place: str, claim: str, verdict: str, claims: Claims, strict: bool = True) -> bool:
    """Return whether a claim has the expected verdict; if not and ``strict``, raise ConfigError."""
    actual = claims[claim]["verdict"] if claim in claims else None
    if actual == verdict or not strict:
        return actual == verdict
    if actual is None:
        raise unknown_name(f"claim in {place} of {SOURCE}", claim, claims)
    raise ConfigError(
        f"{SOURCE}: {place} rests on {claim} being {verdict}, but it is {actual}; "
        "rewrite the sentence"
    )


def _numbers(place: str, entry: Number, claims: Claims) -> tuple[int, dict[str, object]]:
    """Find the check or the checks that a sentence names.

    Return the index of the first one in the claim, and its numbers; ``range`` is the range of the
    values of all of them.
    """
    name = entry["claim"]
    claim = claims[known_name(f"claim in {place} of {SOURCE}", name, claims)]
    labels = [check[COLUMN["check"]] for check in claim["checks"]]
    readings = [claim["readings"][check[0]][0] for check in claim["checks"]]
    asked = entry["check"] if isinstance(entry["check"], list) else [entry["check"]]
    places = []
    for wanted in asked:
        found = [
            i
            for i, (label, reading) in enumerate(zip(labels, readings, strict=True))
            if label == wanted and entry.get("reading") in (None, reading)
        ]
        if not found:
            raise unknown_name(f"check of {name} in {place} of {SOURCE}", wanted, labels)
        places.append(found[0])
    check = claim["checks"][places[0]]
    values = [claim["checks"][i][COLUMN["value"]] for i in places]
    known = [value for value in values if value is not None]
    ends = (min(known), max(known)) if known else (math.nan, math.nan)
    numbers = {key: check[COLUMN[key]] for key in NUMBERS}
    return places[0], {**numbers, "range": Range(ends), "inverse": Range(ends).inverse}


def _formatted(text: str, numbers: Mapping[str, object], place: str) -> str:
    """Return a text as one line with numbers filled in."""
    try:
        return " ".join(text.split()).format(**numbers)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise ConfigError(
            f"{SOURCE}: {place} cannot be filled ({error}); allowed: {', '.join(numbers)} "
            "(only those that the check has)"
        ) from None
