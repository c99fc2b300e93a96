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
Quote = Annotated[str, matching("^\\s*(\\S+\\s+){0,39}\\S+\\s*$", "at most forty words")]
Status = Literal["stated", "unstated", "ours"]
# Names must not contain the characters that separate or enclose them in lists: ; and ".
DisplayName = Annotated[
    str, matching('^(?=.*\\S)[^;"]*$', 'a text that is not blank, without ; and "')
]
PartName = Annotated[str, matching('^[^;"]*$', 'a text without ; and "')] | list[str]
Condition = Annotated[dict[str, Annotated[list[str | float | bool], MinLen(1)]], MinLen(1)]
Bound = float | list[float]


class Alternative(Keys):
    #: stated: the paper fixes the alternative. unstated: the paper leaves it open, or another
    #: published source differs from the paper. ours: it is our own, shown but not counted.
    status: Status
    name: DisplayName  #: Display name, as it appears after "holds under".
    about: Sentence  #: A sentence that explains what the alternative changes.
    #: Settings to replace, each mapped to its replacement.
    settings: NotRequired[dict[str, str]]
    #: Options to add to a check's settings; options already set stay unchanged.
    options: NotRequired[dict[str, Any]]
    #: Labels of algorithms to replace, each mapped to its replacement. If both labels name the same
    #: algorithm, the options of the replacement are added to those of the replaced label.
    algorithms: NotRequired[dict[str, str]]


class Choice(Keys):
    #: Display name without an article, as it appears after "depends on".
    name: DisplayName
    about: Sentence  #: A sentence on what the paper states and what it leaves unstated.
    #: The alternatives of the choice; each key is an id.
    alternatives: Annotated[dict[str, Alternative], MinLen(1)]


class Control(Keys):
    #: Arguments whose values replace those of the check.
    arguments: Annotated[dict[str, Any], MinLen(1)]


class Check(Keys):
    #: The value measured in a trial or a turn: a key of QUANTITIES in
    #: src/optimist/claims/metrics/quantities.py.
    quantity: str
    #: The statistic of the quantity: the first column of src/optimist/claims/metrics/metrics.csv.
    statistic: str
    #: Arguments of the statistic; they appear in the label of the check. A list of labels may be
    #: written as a $list or a sweep.
    arguments: NotRequired[dict[str, Any]]
    #: Arguments with several values, each given as a list, a $list or a sweep. Each combination of
    #: values makes one check; the value of the first argument changes slowest.
    each: NotRequired[dict[str, Entries]]
    #: A vague word in the paper; config/words.yaml defines its relation and bound.
    word: NotRequired[str]
    #: Relation of the value to the bound.
    relation: NotRequired[Literal["below", "above", "between", "equals"]]
    #: A number; for "between", a list of two numbers, which are included in the allowed range.
    bound: NotRequired[Bound]
    #: For "equals": the largest allowed distance from the bound.
    tolerance: NotRequired[Annotated[float, Ge(0)]]
    #: Reason for the bound; required if neither a word nor the claim's note gives one, unless the
    #: bound is 0 or 1.
    why: NotRequired[NotBlank]
    #: The part of the claim to which the check belongs; by default, it is determined by the claim's
    #: key `part`.
    part: NotRequired[PartName]
    #: The side of a band ("between") that favours the paper's method; "neither" if the check
    #: compares rivals. Required for a band in an empirical claim.
    better: NotRequired[Literal["below", "above", "neither"]]
    #: Choices, each mapped to the alternatives under which the check is made.
    when: NotRequired[Condition]
    status: NotRequired[Literal["ours"]]  #: ours: the check is shown but does not count.
    #: A name shared by checks of which one suffices: the reading needs one of them to hold.
    any_of: NotRequired[str]
    #: For a guarantee: the same check on cells that the theorem does not cover. If the bound also
    #: holds there, the guarantee is vacuous.
    control: NotRequired[Control]


class Effect(Keys):
    #: The measured answer in plain units, as one sentence. Numbers and settings are fields in
    #: braces: `{NAME}` is the range of the selected values, and low, high, inverse, percent,
    #: settings and n are its properties, as in `{NAME.settings}`. A typed number is refused.
    text: Sentence
    #: Selections of the claim's checks, by name: the quantity, the statistic or arguments that
    #: the checks have. `when` maps choices to alternatives; `ours: true` also selects checks that
    #: do not count. A label without options selects all its variants.
    numbers: dict[str, dict[str, Any]]


class Claim(Keys):
    id: Id  #: Stable name of the form paper.number.
    #: empirical (the default): measured behaviour. guarantee: a theorem with its constants.
    #: fact: numbers that describe the set-up.
    kind: NotRequired[Literal["empirical", "guarantee", "fact"]]
    headline: NotRequired[str]  #: The claim in a few words.
    place: str  #: Section, figure or table of the paper.
    statement: str  #: The claim in our own words.
    #: The paper's own words, at most forty; [...] marks an omission.
    quote: NotRequired[Quote]
    effect: NotRequired[Effect]  #: The answer in plain units.
    paper_value: NotRequired[NotBlank]  #: The number that the paper prints for the claim.
    note: NotRequired[NotBlank]  #: Reasons for the bounds, and remarks.
    #: Confidence level; the default is the file's level. The error allowed on each side is
    #: (1 - level) / 2.
    level: NotRequired[Level]
    #: Why no run could have contradicted the claim, which makes it vacuous.
    could_not_fail: NotRequired[str]
    #: How the numbers in the claim were used to select the set-up. If a fact with this key matches,
    #: its verdict is 'selected by it'.
    chosen_by_it: NotRequired[str]
    #: For a claim without choices: the status of its only reading; the default is `stated`.
    reading: NotRequired[Literal["stated", "unstated"]]
    #: Ids of choices. Each combination of their alternatives is a reading of the claim.
    choices: NotRequired[Annotated[list[str], Once]]
    #: One of the choices, if the claim says that some alternative of it can be had: then one
    #: alternative suffices, whatever the others do.
    suffices: NotRequired[str]
    #: Name of the part to which a check belongs, or a list of arguments whose values form the name;
    #: by default, the settings form it. All counted readings must have the same parts.
    part: NotRequired[PartName]
    #: Combinations of alternatives excluded as readings; each item maps choices to alternatives.
    without: NotRequired[list[Condition]]
    #: The checks of the claim. A reading holds if all its counted checks hold.
    checks: Annotated[list[Check], MinLen(1)]


class Claims(Keys):
    paper: str  #: Id of the paper, which is also the name of its folder.
    level: Level  #: Confidence level; the error allowed on each side is (1 - level) / 2.
    #: Minimum number of trials needed to decide one of the paper's checks; the default is the
    #: minimum for the check's test.
    least: NotRequired[Count]
    lists: NotRequired[dict[str, Entries]]  #: Further named lists of labels.
    #: Choices; each key is an id. A reading takes one alternative of each choice named by its
    #: claim.
    choices: NotRequired[dict[str, Choice]]
    claims: Annotated[list[Claim], MinLen(1)]  #: The claims.


class Word(Keys):
    relation: Literal["below", "above", "between"]  #: Relation of the value to the bound.
    bound: Bound  #: A number; for "between", a list of two numbers.
    why: str  #: Reason for giving the word this meaning.


Vocabulary = Annotated[dict[Annotated[str, matching("^[a-z][a-z_]*$")], Word], MinLen(1)]


def check_comparison(place: str, entry: Mapping[str, Any]) -> None:
    """Raise ConfigError unless a check or a vague word has a relation and a suitable bound."""
    relation, bound = entry.get("relation"), entry.get("bound")
    if "word" in entry:
        for key in ("relation", "bound", "tolerance"):
            if key in entry:
                raise ConfigError(f"{place} has both 'word' and {key!r}; allowed: one of them")
    elif relation is None and entry.get("status") != "ours":
        raise ConfigError(f"{place} has neither 'relation' nor 'word'; one of them is required")
    needs = ("bound", "tolerance") if relation == "equals" else ("bound",)
    for key in needs if relation else ():
        if key not in entry:
            raise ConfigError(f"{place} lacks the key {key!r}; required: {', '.join(needs)}")
    if relation == "between" and not (isinstance(bound, list) and len(bound) == 2):
        raise ConfigError(f"{place}.bound is {bound!r}; allowed: a list of two numbers")
    if relation in ("below", "above") and isinstance(bound, list):
        raise ConfigError(f"{place}.bound is {bound!r}; allowed: a number")
