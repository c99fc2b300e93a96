"""Durations in words."""


def in_words(seconds: float) -> str:
    """Return a duration in a suitable unit, such as ``12 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
