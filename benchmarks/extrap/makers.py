"""Makers for the classes of Extra-P."""
