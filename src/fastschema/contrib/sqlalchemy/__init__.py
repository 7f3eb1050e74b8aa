"""The rows of SQLAlchemy's selects, dumped without making an object of each."""

from fastschema.runtime.versions import require

require("fastschema.contrib.sqlalchemy", sqlalchemy=(2, 0))
