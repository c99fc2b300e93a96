"""What an algorithm is told about its environment before the first round."""
