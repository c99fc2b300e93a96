"""Problem data that an algorithm gets about its environment before the first round."""
