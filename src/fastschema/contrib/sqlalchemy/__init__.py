"""The rows of SQLAlchemy's selects, dumped without making an object of each."""
