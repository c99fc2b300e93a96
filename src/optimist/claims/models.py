"""The keys of claims.yaml and of words.yaml."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, Lt, MinLen

from optimist.core.errors import ConfigError
from optimist.core.keys import Count, Entries, Keys, NotBlank, Once, matching

Level = Annotated[float, Ge(0.95), Lt(1)]
Id = Annotated[str, matching("^[a-z][a-z0-9_]*[.][0-9]{2}$")]
Sentence = Annotated[
    str, matching("^[A-Z].* .*[.]$", "a sentence, from a capital letter to a full stop")
]
Status = Literal["stated", "unstated", "ours"]
# Names appear in lists, separated by semicolons or in quotation marks.
DisplayName = Annotated[
    str, matching('^(?=.*\\S)[^;"]*$', 'a text that is not blank, without ; and "')
]
PartName = Annotated[str, matching('^[^;"]*$', 'a text without ; and "')] | list[str]
Condition = Annotated[dict[str, Annotated[list[str | float | bool], MinLen(1)]], MinLen(1)]
Bound = float | list[float]


class Alternative(Keys):
    #: stated: the paper fixes the alternative. unstated: the paper leaves it open. ours: it is our
    #: own, which is shown but not counted.
    status: Status
    name: DisplayName  #: Display name, which follows "holds under" in a sentence.
    about: Sentence  #: A sentence that explains what the alternative changes.
    settings: NotRequired[dict[str, str]]  #: New settings, by the setting that each replaces.
    #: Options to add to the settings of a check, unless a setting already sets them.
    options: NotRequired[dict[str, Any]]
    #: New labels of algorithms, by the label that each replaces; a new label that has the same name
    #: only adds its options.
    algorithms: NotRequired[dict[str, str]]


class Choice(Keys):
    #: Display name without an article, which follows "depends on" in a sentence.
    name: DisplayName
    about: Sentence  #: A sentence that says what the paper states or leaves unstated.
    #: Alternatives of the choice, by id.
    alternatives: Annotated[dict[str, Alternative], MinLen(1)]


class Control(Keys):
    #: Arguments that replace arguments of the check.
    arguments: Annotated[dict[str, Any], MinLen(1)]


class Check(Keys):
    #: The value that a trial or a turn yields: a key of QUANTITIES in
    #: src/optimist/claims/metrics/quantities.py.
    quantity: str
    #: The statistic of the quantity: the first argument of a `line` above a function in
    #: src/optimist/claims/metrics/statistics.py.
    statistic: str
    #: Arguments of the statistic, which appear in its label; a list of labels may be a $list or a
    #: sweep.
    arguments: NotRequired[dict[str, Any]]
    #: Arguments that take each value of a list, $list or sweep, in all combinations.
    each: NotRequired[dict[str, Entries]]
    #: A vague word of the paper; config/words.yaml defines its relation and bound.
    word: NotRequired[str]
    #: Relation of the value to the bound.
    relation: NotRequired[Literal["below", "above", "between", "equals"]]
    #: A number; for between, a list of two numbers, which are themselves allowed.
    bound: NotRequired[Bound]
    #: For equals: the largest allowed distance from the bound.
    tolerance: NotRequired[Annotated[float, Ge(0)]]
    #: Reason for the bound, unless a word or the note of the claim gives one.
    why: NotRequired[NotBlank]
    #: The part that the check belongs to, if it differs from the part of the claim.
    part: NotRequired[PartName]
    #: Required for a band (between) in an empirical claim: the side that favours the paper's
    #: method, or neither in a band between rivals.
    better: NotRequired[Literal["below", "above", "neither"]]
    when: NotRequired[Condition]  #: The alternatives, by choice, under which the check is made.
    status: NotRequired[Literal["ours"]]  #: ours: the check is shown but does not count.
    #: In a guarantee, the same check on play outside the theorem: the guarantee is vacuous if this
    #: play also keeps the bound.
    control: NotRequired[Control]


class Claim(Keys):
    id: Id  #: Stable name of the form paper.number.
    #: Measured behaviour (the default), a theorem with its constants, or numbers of the set-up.
    kind: NotRequired[Literal["empirical", "guarantee", "fact"]]
    headline: NotRequired[str]  #: The claim in a few words.
    place: str  #: Section, figure or table of the paper.
    statement: str  #: The claim, in our words.
    note: NotRequired[NotBlank]  #: Reasons for the bounds, and remarks.
    #: Confidence level; half the remainder is the error allowed on each side.
    level: NotRequired[Level]
    #: Why no run could have contradicted the claim, which makes it vacuous.
    could_not_fail: NotRequired[str]
    #: How the numbers of the claim selected the set-up; if a fact matches, its word is then
    #: 'selected by it'.
    chosen_by_it: NotRequired[str]
    #: Status of the only reading of a claim without choices; by default stated.
    reading: NotRequired[Literal["stated", "unstated"]]
    #: Ids of choices; each combination of their alternatives is a reading.
    choices: NotRequired[Annotated[list[str], Once]]
    #: Name of the part that a check belongs to, or the arguments whose values name it; by default
    #: the settings. All counted readings must have the same parts.
    part: NotRequired[PartName]
    #: Combinations of alternatives, by choice, that are not readings.
    without: NotRequired[list[Condition]]
    #: A reading holds if all its counted checks hold.
    checks: Annotated[list[Check], MinLen(1)]


class Claims(Keys):
    paper: str  #: Id of the paper, which is also the name of its folder.
    level: Level  #: Confidence level; half the remainder is the error allowed on each side.
    #: Minimum number of trials to decide a check of the paper; by default the minimum of its test.
    least: NotRequired[Count]
    lists: NotRequired[dict[str, Entries]]  #: Further lists of labels, by name.
    #: Choices, by id; a reading takes one alternative of each choice that its claim names.
    choices: NotRequired[dict[str, Choice]]
    claims: Annotated[list[Claim], MinLen(1)]  #: The claims.


class Word(Keys):
    relation: Literal["below", "above", "between"]  #: Relation of the value to the bound.
    bound: Bound  #: A number; for between, a list of two numbers.
    why: str  #: Reason for this meaning of the word.


Vocabulary = Annotated[dict[Annotated[str, matching("^[a-z][a-z_]*$")], Word], MinLen(1)]


def check_comparison(place: str, entry: Mapping[str, Any]) -> None:
    """Raise ConfigError unless a check or word has a relation and a suitable bound."""
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
