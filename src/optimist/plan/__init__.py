"""Planning of jobs, files and targets from a checked configuration."""
