"""The flights of the tests of the Django REST framework front end."""

from tests.promises.django.conftest import flights

__all__ = ["flights"]
