"""The Django app of the flights that left New York City in 2013."""

from django.apps import AppConfig


class FlightsConfig(AppConfig):
    """Airlines, airports, planes and flights, and the API that lists them."""

    name = "flights"
    verbose_name = "Flights from New York City"
