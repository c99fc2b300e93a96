"""How many replicates simulations have: a tenth, or all of them (``make test-all``)."""

import math
import os

SHARE = 1.0 if os.environ.get("REPLICATES") == "all" else 0.1


def replicates(number):
    """Return how many of a number of replicates are made."""
    return int(SHARE * number)


def spare(rate, number):
    """Return three standard errors of a rate in so many replicates."""
    return 3.0 * math.sqrt(rate * (1.0 - rate) / number)
