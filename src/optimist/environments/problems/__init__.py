"""Data about the environment that an algorithm gets before the first round."""
