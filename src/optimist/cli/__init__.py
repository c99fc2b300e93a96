"""The commands of ``optimist``."""
