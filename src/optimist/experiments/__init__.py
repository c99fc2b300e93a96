"""From a cell to its result files: labels, the loop, limits, results, aggregated tables."""
