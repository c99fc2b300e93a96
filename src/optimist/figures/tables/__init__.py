"""Kinds of tables; see `optimist.figures.tables.base`."""
