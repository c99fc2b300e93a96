"""Trials of cells: labels, the loop, time limits, result files and tables of trials."""
