"""Kinds of tables, see `optimist.panels.tables.base`."""
