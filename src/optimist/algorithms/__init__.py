"""Registries of algorithms: tables that map the names used in the configuration to classes.

A label is a name with options, such as ``ofuglb[solver=slsqp,history=aggregated]``. Variants of an
algorithm are options of one class. Each domain has its own registry: ``arms`` (finitely many arms)
and ``box`` (a box of real vectors). A name may also refer to a class in a file, as in
``mine.py:Mine``, or in an installed package (see `optimist.core.registry`).
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from optimist.core.arguments import as_declared, option_names, options_of
from optimist.core.errors import ConfigError
from optimist.core.label import Label
from optimist.core.registry import Registry, canonical_name
from optimist.core.user_errors import definition

REGISTRY = {
    "glb_omd": "optimist.algorithms.glb.glb_omd:GLBOMD",
    "glm_ucb": "optimist.algorithms.glb.glm_ucb:GLMUCB",
    "gloc": "optimist.algorithms.glb.gloc:GLOC",
    "rs_glincb": "optimist.algorithms.glb.rs_glincb:RSGLinCB",
    "ofuglb": "optimist.algorithms.glb.ofuglb:OFUGLB",
    "ofulog_r": "optimist.algorithms.glb.ofulog_r:OFULogR",
    "ecolog": "optimist.algorithms.glb.ecolog:ECOLog",
    "hvt_ucb": "optimist.algorithms.heavy_tailed.hvt_ucb:HvtUCB",
    "heavy_oful": "optimist.algorithms.heavy_tailed.heavy_oful:HeavyOFUL",
    "oful": "optimist.algorithms.heavy_tailed.oful:OFUL",
    "crtm": "optimist.algorithms.heavy_tailed.crtm:CRTM",
    "crmm": "optimist.algorithms.heavy_tailed.crmm:CRMM",
    "menu": "optimist.algorithms.heavy_tailed.menu:MENU",
    "tofu": "optimist.algorithms.heavy_tailed.tofu:TOFU",
    "bkb": "optimist.algorithms.kernel.bkb:BKB",
    "gp_ucb": "optimist.algorithms.kernel.gp_ucb:GPUCB",
    "sor_ucb": "optimist.algorithms.kernel.sor_ucb:SoRUCB",
    "dtc_ucb": "optimist.algorithms.kernel.dtc_ucb:DTCUCB",
    "rff_ucb": "optimist.algorithms.kernel.rff_ucb:RFFUCB",
    "qff_ts": "optimist.algorithms.kernel.qff_ts:QFFTS",
    "linucb": "optimist.algorithms.kernel.linucb:LinUCB",
    "soful": "optimist.algorithms.kernel.soful:SOFUL",
    "cbrap": "optimist.algorithms.kernel.cbrap:CBRAP",
    "gp_epsilon_greedy": "optimist.algorithms.kernel.gp_epsilon_greedy:GPEpsilonGreedy",
    "uniform": "optimist.algorithms.uniform:Uniform",
}
BOX_REGISTRY = {
    "go_ucb": "optimist.algorithms.black_box.go_ucb:GOUCB",
    "gp_ei": "optimist.algorithms.black_box.gp_ei:GPEI",
    "gp_pi": "optimist.algorithms.black_box.gp_pi:GPPI",
    "gp_ucb": "optimist.algorithms.black_box.gp_ucb:GPUCB",
    "turbo": "optimist.algorithms.black_box.turbo:TuRBO",
    "uniform": "optimist.algorithms.black_box.uniform:Uniform",
    "incumbent": "optimist.algorithms.black_box.incumbent:Incumbent",
}

REGISTRIES = {
    domain: Registry(
        "algorithm",
        table,
        "optimist.algorithms",
        (base,),
        frozenset((*REGISTRY, *BOX_REGISTRY)),
        ("optimist.algorithms.base:Algorithm",),
    )
    for domain, table, base in (
        ("arms", REGISTRY, "optimist.algorithms.base:FiniteArmAlgorithm"),
        ("box", BOX_REGISTRY, "optimist.algorithms.black_box.base:BoxAlgorithm"),
    )
}


def canonical(text: str, domain: str = "arms") -> Label:
    """Return an algorithm's label without the options set to their defaults.

    Parameters
    ----------
    text : str
        A label.
    domain : {"arms", "box"}

    Raises
    ------
    ConfigError
        If the text is not a label, or the name is unknown.
    """
    label = Label.parse(text)
    label = label.without(option_names(algorithm_class(label.name, domain)))
    return Label(canonical_name(label.name), label.options)


def is_algorithm(name: str) -> bool:
    """Return whether any domain has an algorithm with this name."""
    return any(name in registry for registry in REGISTRIES.values())


def algorithm_class(name: str, domain: str = "arms") -> Any:
    """Return the class of the algorithm ``name`` in a domain (``arms`` or ``box``).

    Raises
    ------
    ConfigError
        If the name is unknown, or if it refers to a user's class that is not an algorithm.
    """
    return REGISTRIES[domain].load(name)


def algorithm_module(name: str, domain: str = "arms") -> str:
    """Return an algorithm's module, in the form accepted by `optimist.core.source_files`.

    Raises
    ------
    ConfigError
        If the name is unknown.
    """
    return REGISTRIES[domain].module(name)


def make_algorithm(label: str, problem: Any, rng: np.random.Generator | None = None) -> Any:
    """Construct the algorithm described by a label for a given problem.

    Parameters
    ----------
    label : str
        ``name[option=value,...]``
    problem : object
        A problem from `optimist.environments.problems`; its ``domain`` selects the registry.
    rng : Generator or None
        Random stream of the algorithm; None if it is constructed only for checking.

    Raises
    ------
    ConfigError
        If the name or an option is unknown, a value is out of range, or the algorithm does not
        support the problem.
    """
    return checked(label, problem, rng)()


def checked(label: str, problem: Any, rng: np.random.Generator | None = None) -> Callable[[], Any]:
    """Check a label against a problem, and return a function that constructs the algorithm.

    See `make_algorithm` for the parameters and errors. The algorithm is constructed only when the
    returned function is called, which may raise further errors.
    """
    parsed = Label.parse(label)
    cls = algorithm_class(parsed.name, getattr(problem, "domain", "arms"))
    options = options_of(parsed, cls, rng)
    check_problem(parsed.name, cls, problem)
    return partial(cls, problem, **as_declared(cls.__init__, options))


def check_problem(name: str, cls: Any, problem: Any) -> None:
    """Raise ConfigError unless an algorithm class supports a problem.

    Parameters
    ----------
    name : str
        Name of the algorithm, used in the error message.
    cls : type
    problem : object
        A problem from `optimist.environments.problems`.
    """
    if not isinstance(asked := getattr(cls, "problem_type", None), type):
        raise ConfigError(
            f"algorithm {name!r}: problem_type is {asked!r}{definition(cls)}; allowed: GLBProblem, "
            "HeavyTailedProblem, KernelProblem, BoxProblem or object"
        )
    if not isinstance(problem, asked):
        raise ConfigError(
            f"algorithm {name!r} is not defined for a {type(problem).__name__}; "
            f"allowed: {asked.__name__}"
        )
    for kind in ("link", "kernel"):
        given, made_for = getattr(problem, kind, None), getattr(cls, f"{kind}s", None)
        if given is not None and made_for is not None and given.name not in made_for:
            raise ConfigError(
                f"algorithm {name!r} is not defined for {kind} {given.name!r}; "
                f"allowed: {', '.join(made_for)}"
            )
