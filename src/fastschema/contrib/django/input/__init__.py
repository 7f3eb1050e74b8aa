"""Input: how objects and lists are validated, and created in bulk if asked."""
