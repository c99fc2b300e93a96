"""Reproduction of four papers on optimistic bandits, with a computed verdict for every claim.

The names below are the interface for notebooks and scripts (docs/compare.md). Each is imported on
first use, so that ``import optimist`` takes almost no time.
"""

import importlib
from typing import TYPE_CHECKING, Any

from optimist.core.version import VERSION as __version__

_PLACES = {
    "ConfigError": "optimist.core.errors",
    "OptimistError": "optimist.core.errors",
    "Progress": "optimist.comparison.play",
    "Setting": "optimist.experiments.setting",
    "play": "optimist.comparison.play",
    "plot": "optimist.comparison.draw",
    "rank": "optimist.comparison.rank",
    "register": "optimist.config.select",
    "setting": "optimist.config.select",
    "settings": "optimist.config.select",
}

__all__ = [
    "ConfigError",
    "OptimistError",
    "Progress",
    "Setting",
    "__version__",
    "play",
    "plot",
    "rank",
    "register",
    "setting",
    "settings",
]

if TYPE_CHECKING:
    from optimist.comparison.draw import plot
    from optimist.comparison.play import Progress, play
    from optimist.comparison.rank import rank
    from optimist.config.select import register, setting, settings
    from optimist.core.errors import ConfigError, OptimistError
    from optimist.experiments.setting import Setting


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'optimist' has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
