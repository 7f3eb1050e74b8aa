"""From nodes to Python functions: it knows no framework, and keeps nothing."""
