"""Kinds of tables, whose base class is in `optimist.figures.tables.base`."""
