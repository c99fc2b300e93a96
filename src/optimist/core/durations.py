"""Format durations for messages."""


def in_words(seconds: float) -> str:
    """Format a duration in a suitable unit, as in ``12 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
