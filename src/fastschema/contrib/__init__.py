"""Adapters for web frameworks; importing one imports no other."""
