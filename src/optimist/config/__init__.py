"""From the configuration files to a single checked configuration with everything written out."""
