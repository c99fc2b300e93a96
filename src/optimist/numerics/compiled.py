"""Scipy's BLAS, LAPACK and distance functions, imported without the packages that contain them.

``compiled.blas`` and ``compiled.lapack`` provide the functions of `scipy.linalg.blas` and
`scipy.linalg.lapack`. They are the extension modules behind those packages, and importing them
alone is thirty times as fast. Each is loaded on first use and registered under its full name, so
scipy shares the module object.
"""

import importlib
import sys
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy

blas: Any
lapack: Any
_LAZY = {
    "blas": ("scipy.linalg._fblas", "scipy.linalg.blas"),
    "lapack": ("scipy.linalg._flapack", "scipy.linalg.lapack"),
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = module = _extension(*_LAZY[name])
    return module


@cache
def _extension(name: str, public: str) -> Any:
    """Import the extension module ``name`` alone, or ``public`` if there is no such module."""
    if name not in sys.modules:
        folder = Path(scipy.__file__).parent.joinpath(*name.split(".")[1:-1])
        finder = FileFinder(str(folder), (ExtensionFileLoader, EXTENSION_SUFFIXES))
        spec = finder.find_spec(name)
        if spec is None or spec.loader is None:
            return importlib.import_module(public)
        sys.modules[name] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


def cdist(X: np.ndarray, Y: np.ndarray, metric: str) -> np.ndarray:
    """Return the distances (n, m) between the rows of ``X`` and the rows of ``Y``.

    The result equals that of `scipy.spatial.distance.cdist`.

    Parameters
    ----------
    X, Y : (n, d) and (m, d) arrays
    metric : {"euclidean", "sqeuclidean"}
    """
    module = _extension("scipy.spatial._distance_pybind", "scipy.spatial.distance")
    function = getattr(module, f"cdist_{metric}", None)
    if function is None:
        return scipy.spatial.distance.cdist(X, Y, metric)
    return function(X, Y)
