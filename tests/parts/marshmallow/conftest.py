"""What promises of the marshmallow front end share."""

from tests.promises.marshmallow.conftest import _installed

__all__ = ["_installed"]
