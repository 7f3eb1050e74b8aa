"""Two applications as a reader of our README may have them; nothing in them knows fastschema.

``applications/shop.py`` and ``applications/library.py`` fill their databases and send them requests.
"""
