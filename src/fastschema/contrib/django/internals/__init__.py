"""All that is used of Django's private interface, in small functions: nothing of it is changed.

Written for Django 5.2 to 6.1, which have in the same way what is used here, unless it says
otherwise. A file that a comment names is in ``django/db/models/``.

Two modules use more of it, as they do in loops: ``lists/row_instances.py`` makes instances as
``Model.from_db`` does, and ``front_end/access.py`` reads what an instance keeps of others.
"""
