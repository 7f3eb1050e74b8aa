"""The race: an endpoint by stock and by fastschema, side by side in a browser.

``django`` and ``flask`` serve the same page and time a view for it, with ``stopwatch``.
"""
