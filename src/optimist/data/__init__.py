"""Data sets: fetched, verified, prepared."""
