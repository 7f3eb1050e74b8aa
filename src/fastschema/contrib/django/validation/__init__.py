"""Validating lists of input: what is the same for each row is looked at once."""
