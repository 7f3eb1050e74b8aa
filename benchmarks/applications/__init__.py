"""Whole requests of applications, by stock and by fastschema.

    make bench-applications
    make bench-small-applications

Each application is a module of its own here: its settings, what fills its database, its requests.
The code of a real one comes from PyPI, into an environment of its own below
``.venv/applications``. That of a small one is in ``small_applications``.
"""
