"""Install fastschema for marshmallow, and uninstall it."""

from __future__ import annotations


def install() -> None:
    """Make marshmallow's ``Schema.dump`` and ``Schema.load`` run compiled programs.

    All schemas do, be they defined before or after; new ones also take less time to make.
    A method that other code has replaced since fastschema was imported stays as it is.
    Installing again does nothing.

    For Django REST framework, put ``"fastschema.contrib.django"`` into ``INSTALLED_APPS`` instead.

    :raises ImportError: if marshmallow is too old; ``ModuleNotFoundError`` if it is not installed
    """
    from fastschema.marshmallow.installation import install

    install()


def uninstall() -> None:
    """Give marshmallow its own methods back, where ``install`` has replaced them.

    :raises ImportError: if marshmallow is not installed
    """
    from fastschema.marshmallow.installation import uninstall

    uninstall()
