"""Priors, bounds and settings of the rivals, as their sources state them: they are the method."""

import math

import numpy as np
import pytest

from optimist.algorithms.black_box import configurations, turbo
from optimist.algorithms.black_box.base import standardise
from optimist.numerics.gp_regression import Flat, Gamma, LogNormal

D = 20


def scheme(name):
    return configurations.CONFIGURATIONS[name].scheme(D)


@pytest.mark.parametrize("name", ["fair", "raw"])
def test_the_gamma_priors_are_those_of_botorch_in_2022(name):
    found = scheme(name)
    assert found.kernel.name == "matern52"
    assert found.free_mean
    assert (found.draws, found.spare) == (2, True)
    for kind, prior, start in (
        (found.lengthscale, Gamma(3.0, 6.0), 0.69),
        (found.amplitude, Gamma(2.0, 0.15), 0.69),
        (found.noise, Gamma(1.1, 0.05), 2.0),
    ):
        assert (kind.prior, kind.start) == (prior, start)
    assert found.noise.low == 1e-4


def test_the_log_normal_priors_are_those_of_botorch_0_18():
    found = scheme("modern")
    assert found.kernel.name == "gaussian"
    assert found.amplitude is None
    mean = math.sqrt(2.0) + 0.5 * math.log(D)
    assert found.lengthscale.prior == LogNormal(mean, 3.0)
    assert found.lengthscale.start == pytest.approx(math.exp(mean - 3.0))
    assert (found.lengthscale.low, found.noise.low) == (0.025, 1e-4)
    assert found.noise.prior == LogNormal(-4.0, 1.0)
    assert found.noise.start == pytest.approx(math.exp(-5.0))


def test_scikit_optimize_has_bounds_and_no_priors():
    found, how = scheme("skopt"), configurations.CONFIGURATIONS["skopt"]
    assert not found.free_mean
    for kind, bounds in (
        (found.lengthscale, (0.01, 100.0)),
        (found.amplitude, (0.01, 1000.0)),
        (found.noise, (1e-5, 1e5)),
    ):
        assert isinstance(kind.prior, Flat)
        assert (kind.low, kind.high, kind.start) == (*bounds, 1.0)
    assert (how.ddof, how.improvement, how.beta) == (0, 0.01, pytest.approx(1.96**2))
    assert (found.draws, found.spare) == (2, False)
    assert (how.candidates, how.near, how.sobol, how.refined) == (10_000, 0, False, 5)
    assert (how.iterations, how.joint) == (20, False)


def test_what_is_scaled_and_how_far_acquisitions_are_searched():
    table = {
        name: (how.scaled, how.logarithm, how.beta, how.candidates, how.near, how.refined)
        for name, how in configurations.CONFIGURATIONS.items()
        if name != "skopt"
    }
    assert table == {
        "fair": (True, True, 4.0, 256, 50, 10),
        "raw": (False, False, 0.1, 20, 0, 5),
        "modern": (True, True, 4.0, 256, 50, 10),
    }
    for name in table:
        how = configurations.CONFIGURATIONS[name]
        assert (how.iterations, how.joint) == (200, True)


def test_the_settings_of_turbo_are_those_of_its_release_and_of_the_tutorial():
    release, tutorial = (turbo.CONFIGURATIONS[name] for name in ("release", "botorch"))
    bounds = {
        name: [(kind.low, kind.high) for kind in (how.scheme.lengthscale, how.scheme.noise)]
        for name, how in turbo.CONFIGURATIONS.items()
    }
    assert bounds == {
        "release": [(0.005, 2.0), (5e-4, 0.2)],
        "botorch": [(0.005, 4.0), (1e-8, 1e-3)],
    }
    starts = release.scheme.lengthscale, release.scheme.amplitude, release.scheme.noise
    assert [kind.start for kind in starts] == [0.5, 1.0, 0.005]
    assert (release.scheme.amplitude.low, release.scheme.amplitude.high) == (0.05, 20.0)
    assert (release.successes, tutorial.successes) == (3, 10)
    assert (release.noise, tutorial.noise) == (True, False)
    assert [release.candidates(d) for d in (7, 20, 60)] == [700, 2000, 5000]
    assert [tutorial.candidates(d) for d in (7, 20, 60)] == [2000, 4000, 5000]
    assert (turbo.FIRST, turbo.SHORTEST, turbo.LONGEST) == (0.8, 2.0**-7, 1.6)


def test_values_are_standardised_by_what_the_configuration_says():
    y = np.array([1.0, 2.0, 3.0, 10.0])
    assert standardise(y) == (4.0, pytest.approx(math.sqrt(50.0 / 3.0)))
    assert standardise(y, centre=np.median, ddof=0) == (2.5, pytest.approx(math.sqrt(12.5)))
    # Accuracies that are all the same have a spread of rounding only.
    assert standardise(np.full(5, 7.0 / 137.0))[1] == 1.0
    assert standardise(np.array([3.0])) == (3.0, 1.0)
    release, tutorial = (turbo.CONFIGURATIONS[name] for name in ("release", "botorch"))
    assert (release.centre, release.ddof) == (np.median, 0)
    assert (tutorial.centre, tutorial.ddof) == (np.mean, 1)
