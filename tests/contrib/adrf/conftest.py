"""What tests of adrf share with those of DRF."""

from tests.contrib.django.conftest import flights

__all__ = ["flights"]
