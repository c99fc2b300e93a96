"""Noise laws against scipy's distribution functions, and their moments against known values."""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from optimist.core.errors import ConfigError
from optimist.numerics.noise import LAWS, make_law

ORACLES = {
    ("normal", None): stats.norm(),
    ("student_t", 2.1): stats.t(2.1),
    ("student_t", 1.7): stats.t(1.7),
    ("pareto", 1.5): stats.pareto(1.5),
    ("lomax", 1.5): stats.lomax(1.5),
    ("fisk", 1.5): stats.fisk(1.5),
    ("fisk", 3.5): stats.fisk(3.5),
    ("pareto", 3.5): stats.pareto(3.5),
}
each_law = pytest.mark.parametrize("key", ORACLES, ids=lambda key: "-".join(map(str, key)))


@each_law
def test_mean_median_and_variance(key):
    law, oracle = make_law(*key), ORACLES[key]
    assert law.mean == pytest.approx(oracle.mean(), abs=1e-12)
    assert law.median == pytest.approx(oracle.median(), abs=1e-12)
    if law.tail > 2.0:
        assert law.variance == pytest.approx(oracle.var())
    else:
        assert law.variance == math.inf


# Order, moment and its root, to the digits of the specification: closed forms where there are any,
# checked there by quadrature.
MOMENTS = [
    ("student_t", 2.1, 1.99, 18.9701, 4.3878),
    ("student_t", 2.1, 2.0, 21.0, 4.5826),
    ("student_t", 2.1, 1.5, 2.7414, 1.9588),
    ("student_t", 2.1, 1.0, 1.3573, 1.3573),
    ("student_t", 1.7, 1.69, 141.205, 18.7112),
    ("student_t", 1.7, 1.5, 6.5107, 3.4867),
    ("student_t", 1.7, 1.3, 3.0670, 2.3681),
    ("normal", None, 2.0, 1.0, 1.0),
    ("pareto", 1.5, 1.49, 147.934, 28.6037),
    ("lomax", 1.5, 1.49, 147.934, 28.6037),
    ("lomax", 1.5, 1.45, 28.1233, 9.9852),
    ("lomax", 1.5, 1.4, 13.3318, 6.3605),
    ("pareto", 1.5, 1.3, 6.1731, 4.0558),
    ("fisk", 1.5, 1.49, 148.251, 28.6448),
    ("fisk", 1.5, 1.45, 28.4137, 10.0562),
    ("fisk", 1.5, 1.4, 13.5924, 6.4491),
    ("fisk", 1.5, 1.3, 6.3843, 4.1622),
]


@pytest.mark.parametrize(("name", "shape", "order", "moment", "root"), MOMENTS)
def test_moments_to_four_digits(name, shape, order, moment, root):
    law = make_law(name, shape)
    assert law.moment(order) == pytest.approx(moment, rel=5e-5)
    assert law.root(order) == pytest.approx(root, rel=5e-5)


@pytest.mark.parametrize("share", [0.01, 0.3, 0.6, 0.9, 0.99])
@pytest.mark.parametrize("b", [1.001, 1.1, 1.5, 2.0, 2.5, 5.0, 50.0])
def test_moments_of_lomax_and_pareto_against_their_closed_form(b, share):
    with mpmath.workdps(30):
        q, m = mpmath.mpf(share * b), 1 / (mpmath.mpf(b) - 1)
        above = b * (1 + m) ** (q - b) * mpmath.beta(q + 1, b - q)
        series = mpmath.hyp2f1(q + 1 - b, 1, q + 2, 1 / mpmath.mpf(b))
        exact = float(above + b * m ** (q + 1) / ((q + 1) * (1 + m)) * series)
    for name in ("lomax", "pareto"):
        assert make_law(name, b).moment(share * b) == pytest.approx(exact, rel=3e-13)


@pytest.mark.parametrize(
    ("c", "order"), [(1.1, 0.3), (1.5, 0.9), (2.5, 1.5), (3.5, 2.0), (20.0, 2)]
)
def test_moments_of_the_log_logistic_law_against_quadrature(c, order):
    with mpmath.workdps(25):
        c, q = mpmath.mpf(c), mpmath.mpf(order)
        mean = mpmath.pi / c / mpmath.sin(mpmath.pi / c)

        def part(x, gap):
            return gap**q * c * x ** (c - 1) / (1 + x**c) ** 2

        below = mpmath.quad(lambda x: part(x, mean - x), [0, mean / 2, mean])
        ends = [-60, -20, -5, 0, 5, 20, 100]  # in the logarithm of the gap
        above = mpmath.quad(
            lambda s: mpmath.exp(s) * part(mean + mpmath.exp(s), mpmath.exp(s)), ends
        )
        above += c * mpmath.exp((q - c) * ends[-1]) / (c - q)
    moment = make_law("fisk", float(c)).moment(order)
    assert moment == pytest.approx(float(below + above), rel=1e-12)


@each_law
def test_draws_follow_the_law(key):
    n = 200_000
    draws = make_law(*key).draw(np.random.default_rng(5), n)
    shares = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    below = (draws[:, None] <= ORACLES[key].ppf(shares)).mean(axis=0)
    assert (np.abs(below - shares) < 4.5 * np.sqrt(shares * (1.0 - shares) / n)).all()


@each_law
@pytest.mark.parametrize("centre", ["mean", "median"])
def test_noise_is_centred_by_the_law_and_not_by_the_draws(key, centre):
    law = make_law(*key)
    draws = law.draw(np.random.default_rng(5), 10)
    noise = law.noise(np.random.default_rng(5), 10, centre)
    np.testing.assert_allclose(draws - noise, getattr(ORACLES[key], centre)(), atol=1e-12)


def test_centred_pareto_and_lomax_are_the_same_law():
    noises = [make_law(n, 1.5).noise(np.random.default_rng(1), 50) for n in ("pareto", "lomax")]
    np.testing.assert_allclose(*noises, atol=1e-12)


@pytest.mark.parametrize("order", [0.0, 1.5, 2.0, -1.0])
def test_a_moment_that_does_not_exist_is_refused(order):
    with pytest.raises(ConfigError, match="allowed"):
        make_law("pareto", 1.5).moment(order)


def test_wrong_laws_are_named():
    with pytest.raises(ConfigError, match=r"'parto' \(did you mean 'pareto'"):
        make_law("parto", 1.5)
    for name in sorted(set(LAWS) - {"normal"}):
        with pytest.raises(ConfigError, match="allowed"):
            make_law(name, 1.0)
        with pytest.raises(ConfigError, match=f"{name}.* needs a shape"):
            make_law(name)
    with pytest.raises(ConfigError, match=r"shape is 2.0; allowed for the normal law: none"):
        make_law("normal", 2.0)
