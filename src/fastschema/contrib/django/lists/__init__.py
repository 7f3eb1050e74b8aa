"""Lists: lazy ones, and those that are written from the rows of the database."""
