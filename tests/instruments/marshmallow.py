"""What is called before and in place of ``Schema.dump``."""

from fastschema.marshmallow import dump

__all__ = ["dump"]
