"""Functions that describe facts and columns for the labels of checks, and format numbers."""

import csv
import math
import re
from pathlib import Path

from optimist.core.files import read_text

# A table of facts and columns with their descriptions.
TABLE = Path(__file__).with_name("wording.csv")
WORDS = dict(csv.reader(read_text(TABLE).splitlines()))
# Metric arguments whose values are names of facts or columns.
ARGUMENTS = ("name", "column", "against", "top", "bottom")


def in_words(name: str) -> str:
    """Return the description of a fact or column, followed by its name in brackets.

    If there is no description, return only the name.
    """
    seed = re.fullmatch("cluster_mean_(lowest|highest)_seed_([0-9]+)", name)
    words = f"{seed[1]} mean of a cluster, seed {seed[2]}" if seed else WORDS.get(name, "")
    return f"{words} ({name})" if words else name


def number(value: float) -> str:
    """Format a number with four significant digits; return "none" for nan.

    Numbers with five to seven digits before the decimal point are rounded to integers.
    """
    if math.isnan(value):
        return "none"
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"
