"""Data about the environment, given to an algorithm before the first round."""
