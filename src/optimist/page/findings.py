"""Sentences about results, filled with numbers from claims.

Each sentence names the verdict on which it relies, and is rejected if that verdict changes.
"""

from collections.abc import Collection, Mapping
from typing import Any

from optimist.config.load import read
from optimist.config.models import Findings
from optimist.core.errors import ConfigError, unknown_name
from optimist.page.verdicts import COLUMN

SOURCE = "config/findings.yaml"
# Columns of a check that a sentence may quote; the check's chart on the page also needs them.
NUMBERS = ("value", "low", "high", "n")
# Value for a paper that the file does not mention.
NO_WORDS: dict[str, Any] = {"claimed": "", "found": "", "expects": {}}


def load() -> dict[str, Any]:
    """Return the sentences in config/findings.yaml, which have placeholders for numbers."""
    sentences: dict[str, Any] = read(SOURCE, Findings)
    return sentences


def fill(
    document: Mapping[str, Any],
    claims: Mapping[str, Any],
    papers: Collection[str],
    *,
    strict: bool = True,
) -> dict[str, Any]:
    """Replace the placeholders in the sentences with numbers.

    Parameters
    ----------
    document : mapping
        The result of `load`.
    claims : mapping
        Claims in the content of the page, by ID; see `optimist.page.content`.
    papers : collection of str
        Papers to show; sentences about others are left out.
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
        Raised when a claim or check does not exist, or when a verdict differs from the one on which
        a sentence relies.
    """
    words = {name: document["papers"].get(name, NO_WORDS) for name in papers}
    about, filled = {name: _plain(one) for name, one in words.items()}, []
    if any(claim["verdict"] == "shortened" for claim in claims.values()):
        return {"papers": {n: {**a, "found": ""} for n, a in about.items()}, "findings": []}
    for name in papers:
        for claim, verdict in words[name]["expects"].items():
            if not _holds(f"papers.{name}", claim, verdict, claims, strict):
                about[name]["found"] = ""
    shown = [entry for entry in document["findings"] if entry["claim"].split(".")[0] in papers]
    for i, entry in enumerate(shown):
        place = f"findings.{i}"
        if _holds(place, entry["claim"], entry["expects"], claims, strict):
            check, numbers = _numbers(place, entry, claims)
            text = _formatted(" ".join(entry["text"].split()), numbers, f"{place}.text")
            filled.append({"claim": entry["claim"], "check": check, "text": text})
    return {"papers": about, "findings": filled}


def overview(document: Mapping[str, Any], claims: Mapping[str, Any], paper: str) -> dict[str, str]:
    """Return the headline, what the paper says and what we measured, with numbers filled in.

    Raises
    ------
    ConfigError
        Raised when a claim or check does not exist, or when a verdict differs from the one on which
        a sentence relies.
    """
    place, about = f"papers.{paper}", document["papers"][paper]
    for claim, verdict in about["expects"].items():
        _holds(place, claim, verdict, claims)
    numbers = {name: _numbers(place, one, claims)[1] for name, one in about["numbers"].items()}
    texts = {key: " ".join(about[key].split()) for key in ("headline", "says", "measured")}
    return {
        key: text if key == "says" else _formatted(text, numbers, f"{place}.{key}")
        for key, text in texts.items()
    }


def _plain(about: Mapping[str, Any]) -> dict[str, str]:
    return {key: " ".join(about[key].split()) for key in ("claimed", "found")}


def _holds(
    place: str, claim: str, verdict: str, claims: Mapping[str, Any], strict: bool = True
) -> bool:
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


def _numbers(
    place: str, entry: Mapping[str, Any], claims: Mapping[str, Any]
) -> tuple[int, dict[str, Any]]:
    """Find the check that a sentence names; return its index in the claim, and its numbers."""
    name = entry["claim"]
    if name not in claims:
        raise unknown_name(f"claim in {place} of {SOURCE}", name, claims)
    claim = claims[name]
    labels = [check[COLUMN["check"]] for check in claim["checks"]]
    readings = [claim["readings"][check[0]][0] for check in claim["checks"]]
    places = [
        i
        for i, (label, reading) in enumerate(zip(labels, readings, strict=True))
        if label == entry["check"] and entry.get("reading") in (None, reading)
    ]
    if not places:
        raise unknown_name(f"check of {name} in {place} of {SOURCE}", entry["check"], labels)
    check = claim["checks"][places[0]]
    return places[0], {key: check[COLUMN[key]] for key in NUMBERS}


def _formatted(text: str, numbers: Mapping[str, Any], place: str) -> str:
    try:
        return text.format(**numbers)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise ConfigError(
            f"{SOURCE}: {place} cannot be filled ({error}); allowed: {', '.join(numbers)} "
            "(only those that the check has)"
        ) from None
