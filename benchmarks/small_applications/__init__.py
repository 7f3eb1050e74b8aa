"""Two applications as a reader of our README may have them; nothing in them knows fastschema.

The modules of the same names in ``applications`` fill their databases and send them requests.
"""
