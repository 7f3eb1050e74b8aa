"""Lists of input that ask the database once for all rows, and create them by few queries."""
