"""What lists and filters use of Django's private interface, in small functions.

Written for Django 5.2 to 6.1, which have in the same way what is used here, unless it says
otherwise. A file that a comment names is in ``django/db/models/``.

Nothing of it is changed. Others use more of it: ``lists/row_instances.py`` makes instances as
``Model.from_db`` does, ``front_end/access.py`` reads what an instance keeps of others, both of them
in loops; and ``unloaded_relations.py`` looks at what a query would select.
"""
