"""The registry: canonical labels, defaults, and messages that name the nearest word."""

import importlib

import pytest
from toy_environments import make_problem

from optimist.algorithms import (
    REGISTRY,
    algorithm_class,
    algorithm_module,
    canonical,
    make_algorithm,
    option_names,
)
from optimist.algorithms.base import FiniteArmAlgorithm
from optimist.core.errors import ConfigError
from optimist.environments import REGISTRY as ENVIRONMENTS
from optimist.environments import environment_class, environment_module, make_environment
from optimist.environments.problems.glb import GLBProblem


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ("ofuglb[solver=kkt,history=raw]", "ofuglb"),
        ("ofuglb[solver=slsqp,history=raw]", "ofuglb[solver=slsqp]"),
        ("ofuglb[solver=slsqp,history=aggregated]", "ofuglb[history=aggregated,solver=slsqp]"),
        ("bkb[radius=paper,q_bar=theory]", "bkb"),
        ("bkb[cache=1]", "bkb[cache=1]"),
    ],
)
def test_labels_of_one_algorithm_are_one_label(typed, label):
    assert canonical(typed) == label


@pytest.mark.parametrize("lookup", [algorithm_class, algorithm_module])
def test_unknown_algorithms_suggest_the_nearest(lookup):
    with pytest.raises(ConfigError, match=r"'glb_mod' \(did you mean 'glb_omd'\?\)"):
        lookup("glb_mod")


@pytest.mark.parametrize("lookup", [environment_class, environment_module])
def test_unknown_environments_suggest_the_nearest(lookup):
    with pytest.raises(ConfigError, match=r"'covertyp' \(did you mean 'covertype'\?\)"):
        lookup("covertyp")


@pytest.mark.parametrize("name", REGISTRY)
def test_the_registry_points_at_an_algorithm_in_its_own_module(name):
    cls = algorithm_class(name)
    assert issubclass(cls, FiniteArmAlgorithm)
    assert cls.__module__ == algorithm_module(name)
    assert algorithm_module(name).endswith(f".{name}")


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_registry_points_at_an_environment_in_its_own_module(name):
    assert environment_class(name).__module__ == environment_module(name)
    assert importlib.import_module(environment_module(name)).__doc__


def test_options_reach_the_algorithm():
    assert make_algorithm("ofuglb[solver=slsqp]", make_problem()).solver == "slsqp"
    assert "solver" in option_names(algorithm_class("ofuglb"))


def test_an_unknown_option_suggests_the_nearest():
    with pytest.raises(ConfigError, match=r"'solvr' \(did you mean 'solver'\?\)"):
        make_algorithm("ofuglb[solvr=kkt]", make_problem())


def test_a_link_that_does_not_apply_is_refused():
    with pytest.raises(ConfigError, match=r"'ecolog' is not defined for link 'poisson'"):
        make_algorithm("ecolog", make_problem("poisson"))


def test_an_unknown_environment_parameter_suggests_the_nearest():
    with pytest.raises(ConfigError, match=r"'dimensoin' \(did you mean 'dimension'\?\)"):
        make_environment("glm", horizon=5, trial=0, stream=None, dimensoin=3)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("dimension", 0),
        ("norm_bound", 0.0),
        ("kappa", "20"),
        ("horizon", 0),
        ("delta", 0.0),
        ("delta", 1.5),
        ("reward_bound", float("inf")),
        ("factor", 0.0),
    ],
)
def test_impossible_problems_are_refused_by_key_and_value(key, value):
    values = {"dimension": 2, "norm_bound": 3.0, "kappa": 21.0, "horizon": 9, "delta": 0.05}
    link = make_problem().link
    with pytest.raises(ConfigError) as error:
        GLBProblem(link=link, **(values | {key: value}))
    assert str(error.value).startswith(f"{key} is {value!r}")
    assert "allowed" in str(error.value)


def test_norms_whose_means_no_link_can_tell_apart_are_refused():
    assert make_problem("poisson", norm_bound=30.0).norm_bound == 30.0
    assert make_problem("logistic", norm_bound=31.0).norm_bound == 31.0
    with pytest.raises(ConfigError, match=r"norm_bound is 31; allowed for link 'poisson'.* 30"):
        make_problem("poisson", norm_bound=31.0)
