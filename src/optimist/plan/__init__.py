"""From a checked configuration to jobs, files and targets."""
