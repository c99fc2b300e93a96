"""Data sets: fetch, verify and prepare them."""
