"""The flights of the tests of the Django REST framework front end."""

from tests.contrib.django.conftest import flights

__all__ = ["flights"]
