"""From the configuration files to one checked configuration with everything written out."""
