"""Learners for linear rewards with heavy-tailed noise."""
