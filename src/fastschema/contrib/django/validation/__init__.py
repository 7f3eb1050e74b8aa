"""Validating input by generated code."""
