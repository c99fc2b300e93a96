"""What algorithms are told about the environment before the first round."""
