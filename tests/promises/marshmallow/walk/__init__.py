"""A random walk: what stock does with schemas of all kinds, whatever happens between two calls."""
