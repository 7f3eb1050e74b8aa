"""Responses of Flask that are sent while their rows are read."""
