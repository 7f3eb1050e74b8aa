"""What is called before and in place of ``Schema.dump``, and what the extension installs."""

from fastschema.marshmallow import dump, installation

__all__ = ["dump", "installation"]
