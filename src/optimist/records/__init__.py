"""Where files come from, what a results folder holds, and joining folders."""
