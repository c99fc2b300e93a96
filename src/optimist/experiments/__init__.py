"""Plan, play and time the trials of cells, and store and read their results."""
