"""What every class of an algorithm promises, whatever it chooses from: options, size, text."""

import ast
import inspect
import random
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from optimist.algorithms import make_algorithm
from optimist.checks import faults
from optimist.checks.base import BrokenError, Contract, PassedOverError, require
from optimist.checks.cases import Method
from optimist.checks.generators import untouched
from optimist.checks.toys import KINDS, make_problem
from optimist.core.errors import ConfigError

CLASSES = Contract()
SHORT, LONG = 10, 10**7  # horizons
SEED = 92_357  # of rng, which nobody else takes
# Bytes by which what Python itself holds may differ from one instance to another.
SLACK = 10**5
_PLACE = re.compile(r"[A-Z]\w+ .*\(\d{4}\).*(Algorithm|[Ee]quation|eq\.|Theorem|Section)")


# The class.


@CLASSES.check(Method, is_basic=True)
def names_its_problem(method: Method) -> None:
    """The class names in problem_type for which class of problem it is made."""
    known = "GLBProblem, HeavyTailedProblem or KernelProblem, of optimist.environments.problems, or object"
    asked = getattr(method.cls, "problem_type", None)
    require(isinstance(asked, type), f"problem_type is {asked!r}", known)
    lists = {name: getattr(method.cls, name, None) for name in ("links", "kernels")}
    seen = f"problem_type is {asked} with {lists}, which nothing here is"
    require(method.kinds, seen, f"{known}, with names of links or kernels")


@CLASSES.check(Method, is_basic=True)
def options_have_defaults(method: Method) -> None:
    """Beside the problem and rng the constructor takes keywords, each with a default."""
    parameters = list(inspect.signature(method.cls).parameters.values())
    require(parameters, "the constructor takes no problem", "problem as its first argument")
    for p in parameters[1:]:
        is_named = p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name != "rng"
        place = f"{p.name} is no keyword of the constructor, so that no label can set it"
        require(not is_named or p.kind is p.KEYWORD_ONLY, place, "parameters after a *")
        lacks = is_named and p.default is p.empty
        require(not lacks, f"option {p.name} has no default", f"a value, as in {p.name}=1.0")


@CLASSES.check(Method, is_basic=True)
def is_built(method: Method) -> None:
    """The constructor takes a problem, and rng, which is None while a configuration is checked."""
    built = make_algorithm(method.label, method.problem(), np.random.default_rng(0))
    has_problem = hasattr(built, "problem")
    require(has_problem, "the constructor keeps no problem", "super().__init__(problem) in it")
    try:
        make_algorithm(method.label, method.problem(), None)
    except Exception as error:
        seen = f"with rng=None the constructor {faults.describe(error, method.cls)}"
        raise BrokenError(seen, "to store rng and to draw in later rounds") from error


@CLASSES.check(Method)
def builds_on_its_defaults(method: Method) -> None:
    """Options that are spelled out with their defaults change nothing."""
    spelled = method.with_options(**method.options)
    one, other = (make_algorithm(label, method.problem()) for label in (method.name, spelled))
    seen = f"{spelled} has attributes {sorted(vars(other))}"
    require(vars(one).keys() == vars(other).keys(), seen, f"{sorted(vars(one))}")


@CLASSES.check(Method)
def draws_nothing_when_built(method: Method) -> None:
    """The constructor draws nothing, and holds no generator but rng and what that spawns."""
    rng = np.random.default_rng(SEED)
    with untouched("the constructor"):
        built = make_algorithm(method.label, method.problem(), rng)
    is_same = rng.integers(2**62) == np.random.default_rng(SEED).integers(2**62)
    require(is_same, "the constructor draws from rng", "to store it and to draw in later rounds")
    for name, value in vars(built).items():
        is_own = isinstance(value, np.random.Generator) and not _is_of(value, rng)
        is_own |= isinstance(value, np.random.RandomState | random.Random)
        seen = f"attribute {name} is a generator of its own"
        require(not is_own, seen, "rng, a keyword of the constructor, which is told the trial")


def _is_of(generator: np.random.Generator, rng: np.random.Generator) -> bool:
    """Return whether a generator is ``rng``, or was spawned by it."""
    entropies = [
        getattr(getattr(one.bit_generator, "seed_seq", None), "entropy", one)
        for one in (generator, rng)
    ]
    return generator is rng or entropies[0] == entropies[1]


@CLASSES.check(Method)
def is_built_small(method: Method) -> None:
    """What the constructor allocates does not grow with the horizon."""

    def build(horizon: int) -> Any:
        problem = method.problem(horizon=horizon)
        return make_algorithm(method.label, problem, np.random.default_rng(0))

    try:
        _same_size("state_bytes()", lambda horizon: build(horizon).state_bytes(), 0)
        _same_size("the memory taken", lambda horizon: _held(build, horizon), SLACK)
    except MemoryError as error:
        seen = f"there is no memory for a horizon of {LONG:.0e}"
        raise BrokenError(seen, "arrays that grow as rounds are played") from error


def _same_size(what: str, size: Callable[[int], int], slack: int) -> None:
    short, long = size(SHORT), size(LONG)
    seen = f"at horizons {SHORT} and {LONG:.0e} {what} is {short} and {long} bytes"
    allowed = "the same, as nothing has been played yet"
    require(abs(long - short) <= slack, seen, allowed)


def _held(build: Callable[[int], Any], horizon: int) -> int:
    """Return the bytes that an instance holds."""
    tracemalloc.start()
    try:
        built = build(horizon)
        found = tracemalloc.get_traced_memory()[0]
        del built
    finally:
        tracemalloc.stop()
    return found


# Options.


@CLASSES.check(Method)
def refuses_unknown_options(method: Method) -> None:
    """An option that there is not is refused, with what is allowed."""
    label = method.with_options(no_such_thing=1)
    refused(label, method.problem(), r"unknown option 'no_such_thing'.*allowed")


@CLASSES.check(Method)
def refuses_other_problems(method: Method) -> None:
    """A problem that it is not made for is refused, with what is allowed."""
    if method.domain == "arms":
        name = re.escape(method.name)
        for kind in sorted(set(KINDS) - set(method.kinds)):
            pattern = rf"{name}.* is not defined for .*allowed"
            refused(method.label, make_problem(kind), pattern)


def refused(label: str, problem: Any, pattern: str) -> None:
    """Raise BrokenError unless building an algorithm raises ConfigError with such a message."""
    allowed = f"a ConfigError like {pattern!r}"
    try:
        make_algorithm(label, problem)
    except ConfigError as error:
        require(re.search(pattern, str(error)), f"{label} was refused with: {error}", allowed)
        return
    raise BrokenError(f"{label} was taken for a {type(problem).__name__}", allowed)


@CLASSES.check(Method)
def refuses_nonsense_options(method: Method) -> None:
    """A value that is nonsense is refused with a ConfigError when the algorithm is built."""
    for key in method.options:
        _refusal(method, key, "nonsense")


@CLASSES.check(Method, is_hint=True)
def says_what_is_allowed(method: Method) -> None:
    """Who refuses a value names the option, the value and what is allowed."""
    for key, default in method.options.items():
        text = _heard(method, key, "nonsense")
        named = [str(default)] if isinstance(default, bool | str) else []
        needed = (key, "'nonsense'", "allowed", *named)
        lacking = [word for word in needed if word.lower() not in text.lower()]
        allowed = f"one that has {', '.join(lacking)}, as those of optimist.core.errors have"
        require(not lacking, f"{key}=nonsense is refused with: {text}", allowed)


@CLASSES.check(Method, is_hint=True)
def names_the_nearest_value(method: Method) -> None:
    """Who refuses a word names the nearest one that is allowed."""
    for key, default in method.options.items():
        if isinstance(default, str) and len(default) > 3:
            text = _heard(method, key, default[:-1])
            seen = f"{key}={default[:-1]} is refused with: {text}"
            require(f"did you mean '{default}'" in text, seen, "one by optimist.core.errors.one_of")


def _heard(method: Method, key: str, value: str) -> str:
    """Return the message of a refusal; that there is one is another check."""
    try:
        return _refusal(method, key, value)
    except BrokenError as error:
        raise PassedOverError(f"nothing is refused: {error}") from None


def _refusal(method: Method, key: str, value: str) -> str:
    """Return the message with which a value of an option is refused."""
    allowed = f"a ConfigError (optimist.core.errors) that says what {key} may be"
    try:
        make_algorithm(method.with_options(**{key: value}), method.problem())
    except ConfigError as error:
        return str(error)
    except Exception as error:
        raise BrokenError(f"{key}={value} raised {faults.named(error)}", allowed) from error
    raise BrokenError(f"{key}={value} was taken", allowed)


# The file.


@CLASSES.check(Method, is_hint=True)
def cites_its_source(method: Method) -> None:
    """The attribute reference cites author, year and a place in it, or says unpublished."""
    cited = getattr(method.cls, "reference", None)
    allowed = (
        "author, year and a theorem, algorithm, equation or section in it, as in 'Abbasi-Yadkori "
        "et al. (2011), Theorem 2', or the word unpublished"
    )
    is_known = isinstance(cited, str) and (_PLACE.search(cited) or "unpublished" in cited)
    require(is_known, f"reference is {cited!r}", allowed)


@CLASSES.check(Method, is_hint=True)
def opens_with_its_formula(method: Method) -> None:
    """The docstring of the file displays the update."""
    shown = re.search(r"\$\$.+?\$\$", _opening(method), re.DOTALL)
    require(shown, "the docstring of the file has no displayed formula", "$$ ... $$")


@CLASSES.check(Method, is_hint=True)
def tells_its_deviations(method: Method) -> None:
    """The docstring of a file says where it deviates from a published source, and its year."""
    text = _opening(method)
    if "unpublished" in str(getattr(method.cls, "reference", "")):
        return
    lacks = "" if "Deviations" in text else "no word Deviations"
    lacks = lacks or ("" if re.search(r"\(\d{4}\)", text) else "no year of the source")
    allowed = "'Deviations from Author (2011): none'"
    require(not lacks, f"the docstring of the file has {lacks}", allowed)


def _opening(method: Method) -> str:
    """Return the docstring of the file that defines the class."""
    path = faults.source(method.cls)
    if path is None:
        raise PassedOverError("the class is in no file")
    return ast.get_docstring(ast.parse(Path(path).read_bytes())) or ""
