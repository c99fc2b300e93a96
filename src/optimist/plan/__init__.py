"""Planning of the workflow's jobs, files and targets, based on a checked configuration."""
