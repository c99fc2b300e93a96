"""Descriptions of facts and columns for the labels of checks, and formatting of numbers."""

import csv
import math
import re
from pathlib import Path

from optimist.core.files import read_text

# The names of facts and columns, and their descriptions.
TABLE = Path(__file__).with_name("wording.csv")
WORDS = dict(csv.reader(read_text(TABLE).splitlines()))
# Arguments of metrics whose values are such names.
ARGUMENTS = ("name", "column", "against", "top", "bottom")


def in_words(name: str) -> str:
    """Return the words for a name with the name in brackets, or the name if it has no words."""
    seed = re.fullmatch("cluster_mean_(lowest|highest)_seed_([0-9]+)", name)
    words = f"{seed[1]} mean of a cluster, seed {seed[2]}" if seed else WORDS.get(name, "")
    return f"{words} ({name})" if words else name


def number(value: float) -> str:
    """Format a number with four significant digits, without an exponent for ordinary sizes."""
    if math.isnan(value):
        return "none"
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"
