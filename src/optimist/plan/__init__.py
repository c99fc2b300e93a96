"""From the configuration to jobs, files and targets."""
