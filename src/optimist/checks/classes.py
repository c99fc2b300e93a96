"""Tests of the constructor, the options and the documentation of an algorithm class."""

import ast
import inspect
import random
import re
import tracemalloc
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np

from optimist.algorithms import make_algorithm
from optimist.checks.cases import BrokenError, Method, marked, require, untouched
from optimist.core.errors import ConfigError
from optimist.core.label import Value
from optimist.core.user_errors import definition, in_one_line

SHORT, LONG = 10, 10**7  # two horizons to compare
SEED = 92_357  # seed of rng; a class is unlikely to use this seed itself
# Largest memory difference, in bytes, that Python itself may cause between equal objects.
SLACK = 10**5
_PLACE = re.compile(r"[A-Z]\w+ .*\(\d{4}\).*(Algorithm|[Ee]quation|eq\.|Theorem|Section)")


# The class.


@marked(is_basic=True)
def test_names_its_problem(method: Method) -> None:
    """The attribute problem_type is the class of the problems that the algorithm accepts."""
    allowed = "GLBProblem, HeavyTailedProblem, KernelProblem, or object"
    asked = getattr(method.cls, "problem_type", None)
    is_class = isinstance(asked, type)
    require(is_class, f"problem_type is {asked!r}{definition(method.cls)}", allowed)
    lists = {name: getattr(method.cls, name, None) for name in ("links", "kernels")}
    seen = f"problem_type is {asked} with {lists}, which no toy problem matches"
    require(method.kinds, seen, f"{allowed}, with names of links or kernels")


@marked(is_basic=True)
def test_options_have_defaults(method: Method) -> None:
    """The constructor takes the problem, rng, and keyword-only options with default values."""
    parameters = list(inspect.signature(method.cls).parameters.values())
    require(parameters, "the constructor takes no problem", "problem as its first argument")
    for p in parameters[1:]:
        is_named = p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name != "rng"
        seen = f"{p.name} is not keyword-only in the constructor, so no label can set it"
        require(
            not is_named or p.kind is p.KEYWORD_ONLY, seen, "options after a * in its signature"
        )
        lacks = is_named and p.default is p.empty
        allowed = f"a default value, as in {p.name}=1.0"
        require(not lacks, f"option {p.name} has no default value", allowed)


@marked(is_basic=True)
def test_is_built(method: Method) -> None:
    """The constructor accepts a problem, even with rng=None, as in configuration checks."""
    built = _built(method)
    has_problem = hasattr(built, "problem")
    seen = "the constructor does not store the problem"
    require(has_problem, seen, "a call of super().__init__(problem) in it")
    try:
        make_algorithm(method.label, method.problem())
    except Exception as error:
        seen = f"with rng=None the constructor raised {in_one_line(error)}"
        raise BrokenError(seen, "storing rng, and drawing from it in later rounds") from error


def _built(method: Method, rng: np.random.Generator | None = None, **changes: Any) -> Any:
    rng = np.random.default_rng(0) if rng is None else rng
    return make_algorithm(method.label, method.problem(**changes), rng)


def test_builds_on_its_defaults(method: Method) -> None:
    """Passing the default values of options explicitly does not change the attributes."""
    spelled = method.with_options(**method.options)
    one, other = (make_algorithm(label, method.problem()) for label in (method.label, spelled))
    seen = f"{spelled} has attributes {sorted(vars(other))}"
    require(vars(one).keys() == vars(other).keys(), seen, f"{sorted(vars(one))}")


def test_draws_nothing_when_built(method: Method) -> None:
    """The constructor draws no numbers, and stores no generator except rng and its children."""
    rng = np.random.default_rng(SEED)
    with untouched("the constructor"):
        built = _built(method, rng)
    is_same = rng.integers(2**62) == np.random.default_rng(SEED).integers(2**62)
    allowed = "storing rng, and drawing from it in later rounds"
    require(is_same, "the constructor draws from rng", allowed)
    for name, value in vars(built).items():
        is_other = isinstance(value, np.random.RandomState | random.Random)
        if isinstance(value, np.random.Generator):  # children of rng have its entropy
            is_other = getattr(value.bit_generator.seed_seq, "entropy", None) != SEED
        seen = f"attribute {name} is a random generator that does not come from rng"
        require(not is_other, seen, "rng, the constructor's argument, which depends on the trial")


def test_is_built_small(method: Method) -> None:
    """The memory that the constructor uses does not grow with the horizon."""
    try:
        short, long = (_sizes_of_new(method, horizon) for horizon in (SHORT, LONG))
    except MemoryError as error:
        seen = f"the constructor runs out of memory at a horizon of {LONG:.0e}"
        raise BrokenError(seen, "arrays that grow as rounds are played") from error
    allowed = "the same number, because no round has been played yet"
    for words, one, other, slack in zip(
        ("state_bytes() is", "a new instance takes"), short, long, (0, SLACK), strict=True
    ):
        seen = f"at horizons {SHORT} and {LONG:.0e}, {words} {one} and {other} bytes"
        require(abs(other - one) <= slack, seen, allowed)


def _sizes_of_new(method: Method, horizon: int) -> tuple[int, int]:
    """Return the ``state_bytes`` of a new instance and the number of bytes that it occupies."""
    _built(method)  # the first instance may load modules
    tracemalloc.start()
    try:
        instance = _built(method, horizon=horizon)
        occupied, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return instance.state_bytes(), occupied


# Options.


def test_refuses_unknown_options(method: Method) -> None:
    """An unknown option is refused with a message that lists the allowed options."""
    refusal = require_refusal(method, "a ConfigError that names the option", no_such_thing=1)
    is_named = re.search(r"unknown option 'no_such_thing'.*allowed", refusal)
    allowed = "the error that optimist.core.errors.unknown_name returns"
    require(is_named, f"an unknown option was refused with: {refusal}", allowed)


def require_refusal(method: Method, allowed: str, **options: Value) -> str:
    """Return the message of the ConfigError with which an algorithm refuses the given options."""
    label = method.with_options(**options)
    try:
        make_algorithm(label, method.problem())
    except ConfigError as error:
        return str(error)
    except Exception as error:
        raise BrokenError(f"{label} raised {in_one_line(error)}", allowed) from error
    raise BrokenError(f"{label} was accepted", allowed)


def test_refuses_nonsense_options(method: Method) -> None:
    """A nonsensical option is refused with a ConfigError when the algorithm is constructed."""
    for key in method.options:
        allowed = f"a ConfigError (optimist.core.errors) that lists the allowed values of {key}"
        require_refusal(method, allowed, **{key: "nonsense"})


@marked(is_hint=True)
def test_says_what_is_allowed(method: Method) -> None:
    """A refusal names the option, its value and the allowed values, and corrects misspelt words."""
    for key, default in method.options.items():
        needed = {"nonsense": [key, "'nonsense'", "allowed"]}
        needed["nonsense"] += [str(default)] if isinstance(default, bool | str) else []
        if isinstance(default, str) and len(default) > 3:
            needed[default[:-1]] = [f"did you mean '{default}'"]
        for value, words in needed.items():
            try:
                refusal = require_refusal(method, "", **{key: value})
            except BrokenError as error:
                raise SkipTest(f"no value was refused: {error}") from None
            lacking = [word for word in words if word.lower() not in refusal.lower()]
            seen = f"{key}={value} is refused with: {refusal}"
            allowed = f"a message that contains {', '.join(lacking)} (see optimist.core.errors)"
            require(not lacking, seen, allowed)


# Its file.


@marked(is_hint=True)
def test_cites_its_source(method: Method) -> None:
    """The attribute reference cites author, year and theorem (or similar), or says unpublished."""
    cited = getattr(method.cls, "reference", None)
    allowed = (
        "author, year and a theorem, algorithm, equation or section, as in 'Abbasi-Yadkori et al. "
        "(2011), Theorem 2', or the word unpublished"
    )
    is_cited = isinstance(cited, str) and (_PLACE.search(cited) or "unpublished" in cited)
    require(is_cited, f"reference is {cited!r}", allowed)


@marked(is_hint=True)
def test_opens_with_its_formula(method: Method) -> None:
    """The docstring of the file contains the update as a displayed formula."""
    shown = re.search(r"\$\$.+?\$\$", _opening(method), re.DOTALL)
    require(shown, "the docstring of the file has no displayed formula", "$$ ... $$")


@marked(is_hint=True)
def test_tells_its_deviations(method: Method) -> None:
    """For a published method, the file's docstring states the source's year and any deviations."""
    is_published = "unpublished" not in str(getattr(method.cls, "reference", ""))
    for pattern, words in (("Deviations", "word Deviations"), (r"\(\d{4}\)", "year of the source")):
        seen = f"the docstring of the file has no {words}"
        is_there = not is_published or re.search(pattern, _opening(method))
        require(is_there, seen, "'Deviations from Author (2011): none'")


def _opening(method: Method) -> str:
    """Return the docstring of the file that defines the class."""
    try:
        path = inspect.getfile(method.cls)
    except (OSError, TypeError):
        raise SkipTest("the class is not in a file") from None
    return ast.get_docstring(ast.parse(Path(path).read_bytes())) or ""
