"""What a learner is told about its world before the first round."""
