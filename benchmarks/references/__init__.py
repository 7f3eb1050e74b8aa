"""What the marshmallow workloads look like in other libraries, each configured to write the same.

A module for each, which imports only its own library. ``WRITERS`` has a function for each workload
(``orders``, ``flat``, ``deep``), from rows to JSON; ``PACKAGES`` are what it consists of. Libraries
that only know instances of their own classes also have ``PREPARE``, which makes those of the rows
beforehand, while nothing is timed.
"""
