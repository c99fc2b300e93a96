"""Loading, expansion and checking of the configuration files."""
