"""Learners of functions on a box."""
