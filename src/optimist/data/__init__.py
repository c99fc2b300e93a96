"""Fetch, verify and prepare data sets."""
