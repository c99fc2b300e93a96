"""The keys of claims.yaml and of words.yaml."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, Lt, MinLen

from optimist.errors import ConfigError
from optimist.keys import Count, Entries, Keys, NotBlank, Once, matching

Level = Annotated[float, Ge(0.95), Lt(1)]
Id = Annotated[str, matching("^[a-z][a-z0-9_]*[.][0-9]{2}$")]
Sentence = Annotated[
    str, matching("^[A-Z].* .*[.]$", "a sentence, from a capital letter to a full stop")
]
Status = Literal["stated", "unstated", "ours"]
PartName = str | list[str]
Condition = Annotated[dict[str, Annotated[list[str | float | bool], MinLen(1)]], MinLen(1)]
Bound = float | list[float]


class Alternative(Keys):
    """One way to take a choice."""

    status: Status
    """Whether the paper fixes it, does not state it, or it is ours: shown, and not counted."""
    name: NotBlank
    """Display name: a sentence says "holds under" and the name."""
    about: Sentence
    """A sentence that explains it: what it changes."""
    settings: NotRequired[dict[str, str]]
    """Settings by the settings that they replace."""
    options: NotRequired[dict[str, Any]]
    """Options that are added to all settings of a check which do not have them."""
    algorithms: NotRequired[dict[str, str]]
    """Labels of algorithms by the labels that they replace; one of the same name adds its
    options."""


class Choice(Keys):
    """What a paper leaves open."""

    name: NotBlank
    """Display name, without an article: a sentence says "depends on the" and the name."""
    about: Sentence
    """A sentence that explains it: what the paper states or leaves unstated."""
    alternatives: Annotated[dict[str, Alternative], MinLen(1)]
    """Alternatives of the choice, by an id."""


class Control(Keys):
    """Play that a theorem does not cover."""

    arguments: Annotated[dict[str, Any], MinLen(1)]
    """Arguments instead of those of the check."""


class Check(Keys):
    """An entry of ``checks``."""

    quantity: str
    """What a trial or a turn yields, a key of QUANTITIES in
    src/optimist/claims/metrics/quantities.py."""
    statistic: str
    """What is made of it, a name above a function of src/optimist/claims/metrics/statistics.py."""
    arguments: NotRequired[dict[str, Any]]
    """Arguments of the statistic, which are words of its label; labels may be $list or sweeps where
    they are lists."""
    each: NotRequired[dict[str, Entries]]
    """Arguments that take each value of a list, $list or sweep, in all combinations."""
    word: NotRequired[str]
    """A vague word of the paper: relation and bound are those of config/words.yaml."""
    relation: NotRequired[Literal["below", "above", "between", "equals"]]
    """Relation of value and bound."""
    bound: NotRequired[Bound]
    """A number; two numbers for between, whose ends are allowed."""
    tolerance: NotRequired[Annotated[float, Ge(0)]]
    """For equals: the largest allowed distance."""
    why: NotRequired[NotBlank]
    """Why the bound is what it is, if no word and no note of the claim says so."""
    part: NotRequired[PartName]
    """The part that the check belongs to, if it is not that of its claim."""
    better: NotRequired[Literal["below", "above", "neither"]]
    """For a band of an empirical claim, which must have it: the side that praises the paper's
    method; neither in a band between rivals."""
    when: NotRequired[Condition]
    """Alternatives, by choice, under which alone the check is made."""
    status: NotRequired[Literal["ours"]]
    """ours: the check is shown and does not count."""
    control: NotRequired[Control]
    """In a guarantee, the same check of play that the theorem does not cover: the guarantee is
    vacuous if this play keeps the bound too."""


class Claim(Keys):
    """An entry of ``claims``."""

    id: Id
    """Stable name, paper.number."""
    kind: NotRequired[Literal["empirical", "guarantee", "fact"]]
    """Measured behaviour (the default), a theorem with its constants, or numbers of the set-up."""
    headline: NotRequired[str]
    """The claim in a few words."""
    place: str
    """Section, figure or table of the paper."""
    statement: str
    """The claim in our words."""
    note: NotRequired[NotBlank]
    """Why the bounds are what they are, and what to know."""
    level: NotRequired[Level]
    """Confidence level; half of what is left is the error allowed on each side."""
    could_not_fail: NotRequired[str]
    """Why no run could have failed it, which makes it vacuous."""
    chosen_by_it: NotRequired[str]
    """Why its numbers selected the set-up: the word of a fact is then 'selected by it'."""
    reading: NotRequired[Literal["stated", "unstated"]]
    """Status of a claim without choices; by default stated."""
    choices: NotRequired[Annotated[list[str], Once]]
    """Ids of choices; each combination of their alternatives is a reading."""
    part: NotRequired[PartName]
    """Name of what the claim asserts by itself, or the arguments whose values name it; by default
    the settings. Readings that count have the same parts."""
    without: NotRequired[list[Condition]]
    """Combinations of alternatives that are no reading, by choice."""
    checks: Annotated[list[Check], MinLen(1)]
    """All that count must hold in a reading for it to hold."""


class Claims(Keys):
    """The file claims.yaml."""

    paper: str
    """Id of the paper, equal to the folder's name."""
    level: Level
    """Confidence level; half of what is left is the error allowed on each side."""
    least: NotRequired[Count]
    """The fewest trials with which any check of the paper is decided; by default those of its
    test."""
    lists: NotRequired[dict[str, Entries]]
    """Further lists of labels by name."""
    choices: NotRequired[dict[str, Choice]]
    """Choices by an id: a reading takes one alternative of each that its claim names."""
    claims: Annotated[list[Claim], MinLen(1)]
    """The claims."""


class Word(Keys):
    """A vague word of the papers."""

    relation: Literal["below", "above", "between"]
    """Relation of value and bound."""
    bound: Bound
    """A number; two for between."""
    why: str
    """Why the word is taken to mean that."""


Vocabulary = Annotated[dict[Annotated[str, matching("^[a-z][a-z_]*$")], Word], MinLen(1)]


def check_comparison(place: str, entry: Mapping[str, Any]) -> None:
    """Raise ConfigError unless a check or word has a relation and the bound that belongs to it."""
    relation, bound = entry.get("relation"), entry.get("bound")
    if "word" in entry:
        for key in ("relation", "bound", "tolerance"):
            if key in entry:
                raise ConfigError(f"{place} has the keys 'word' and {key!r}; allowed: one of them")
    elif relation is None and entry.get("status") != "ours":
        raise ConfigError(f"{place} lacks the key 'relation'; required: relation, or word")
    needs = ("bound", "tolerance") if relation == "equals" else ("bound",)
    for key in needs if relation else ():
        if key not in entry:
            raise ConfigError(f"{place} lacks the key {key!r}; required: {', '.join(needs)}")
    if relation == "between" and not (isinstance(bound, list) and len(bound) == 2):
        raise ConfigError(f"{place}.bound is {bound!r}; allowed: a list of two numbers")
    if relation in ("below", "above") and isinstance(bound, list):
        raise ConfigError(f"{place}.bound is {bound!r}; allowed: a number")
