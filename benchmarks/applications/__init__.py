"""Whole requests of real applications, as PyPI serves them, by stock and by fastschema.

    make bench-applications

Each application is a module of its own here: its settings, what fills its database, its requests.
Its code comes from an environment of its own below ``.venv/applications``.
"""
