"""Input: how objects and lists are validated."""
