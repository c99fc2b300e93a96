r"""Search spaces, which map points of the box $[0,10]^d$ to the settings of a classifier.

A search space is a dict from setting names to kinds; the coordinates of a point are in the same
order. The kind determines how a coordinate u is turned into a value:

choice        option number $\lfloor uc/10\rfloor$ of c options, counted from 0;
whole number  $a+\lfloor u(b-a+1)/10\rfloor$, from a to b;
real          $a+(b-a)u/10$, clipped if the classifier does not allow an end of the range.

At u = 10, choices and whole numbers take the last value instead of starting another bin. The
ranges, the equal bins for choices and the linear maps for reals are those of Liu and Wang (2023),
Appendix D.2. Equal bins for whole numbers are our interpretation.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from optimist.core.errors import ConfigError

SIDE = 10.0


def _bin(u, count):
    return min(int(u * count / SIDE), count - 1)


@dataclass(frozen=True)
class Choice:
    """A choice among ``options``, with bins of equal width."""

    options: tuple

    def decode(self, u: float) -> Any:
        """Return the option represented by the coordinate ``u`` in [0, 10]."""
        return self.options[_bin(u, len(self.options))]


@dataclass(frozen=True)
class Whole:
    """A whole number from ``low`` to ``high``, inclusive, with bins of equal width."""

    low: int
    high: int

    def decode(self, u: float) -> int:
        """Return the whole number represented by the coordinate ``u`` in [0, 10]."""
        return self.low + _bin(u, self.high - self.low + 1)


@dataclass(frozen=True)
class Real:
    """A number from ``low`` to ``high``, clipped to ``least`` and ``most`` unless they are None."""

    low: float
    high: float
    least: float | None = None
    most: float | None = None

    def decode(self, u: float) -> float:
        """Return the number represented by the coordinate ``u`` in [0, 10]."""
        least = self.low if self.least is None else self.least
        most = self.high if self.most is None else self.most
        return min(max(self.low + (self.high - self.low) * u / SIDE, least), most)


_FEATURES = Choice(("sqrt", "log2"))
_MOMENT = Real(0.0, 1.0, least=1e-6, most=1.0 - 1e-6)

# For each model, the settings of scikit-learn's classifier, under scikit-learn's names.
SPACES = {
    "rf": {
        "n_estimators": Whole(20, 200),
        "criterion": Choice(("gini", "entropy", "log_loss")),
        "max_depth": Whole(1, 10),
        "min_samples_split": Whole(2, 10),
        "min_samples_leaf": Whole(1, 10),
        "max_features": _FEATURES,
        "bootstrap": Choice((True, False)),
    },
    "mlp": {
        "activation": Choice(("identity", "logistic", "tanh", "relu")),
        "alpha": Real(1e-6, 1e-2),
        "learning_rate_init": Real(1e-6, 1e-2),
        "max_iter": Whole(100, 300),
        "shuffle": Choice((True, False)),
        "beta_1": _MOMENT,
        "beta_2": _MOMENT,
        "n_iter_no_change": Whole(1, 10),
    },
    "gb": {
        "loss": Choice(("log_loss", "exponential")),
        "learning_rate": Real(0.0, 1.0, least=1e-6),
        "n_estimators": Whole(20, 200),
        "subsample": Real(0.0, 1.0, least=0.01),
        "criterion": Choice(("friedman_mse", "squared_error")),
        "min_samples_split": Whole(2, 10),
        "min_samples_leaf": Whole(1, 10),
        "min_weight_fraction_leaf": Real(0.0, 0.5),
        "max_depth": Whole(1, 10),
        "max_features": _FEATURES,
        "max_leaf_nodes": Whole(2, 10),
    },
}


def decode(space: Mapping[str, Any], x: np.ndarray) -> dict[str, Any]:
    """Return the settings represented by a point of the box, as a dict.

    Parameters
    ----------
    space : dict
        Maps the name of each setting to its kind, as in `SPACES`.
    x : (d,) sequence of numbers in [0, 10]
        One coordinate per setting.

    Raises
    ------
    ConfigError
        If the point has the wrong length or lies outside the box.
    """
    point = [float(u) for u in x]
    if len(point) != len(space):
        raise ConfigError(f"point has {len(point)} coordinates; allowed: {len(space)}")
    for name, u in zip(space, point, strict=True):
        if not 0.0 <= u <= SIDE:
            raise ConfigError(f"coordinate {name} is {u}; allowed: from 0 to {SIDE:g}")
    return {name: kind.decode(u) for (name, kind), u in zip(space.items(), point, strict=True)}
