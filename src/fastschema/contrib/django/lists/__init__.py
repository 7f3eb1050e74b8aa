"""Lists of DRF, made of rows of the database without instances.

Each module builds on those before it:

- ``row_layout``: which column each position of a row belongs to. ``row_instances``: the instances.
- ``prefetch_plan``, ``query_plan``: what is known of a queryset before its query is run.
- ``queryset_rows``: the rows of one query, which its docstring follows on their way.
- ``prefetching``: running the query, and those of ``prefetch_related``.
- ``cursors``, ``pagination``: pages of rows.
- ``columns``, ``row_programs``: the fields of a serializer, read from rows.
- ``list_plan``: how a serializer reads the rows of a list, and its list. ``views``: the list of a
  view.

Where to look if a list is not as in stock:

================================  ==========================================================
a wrong value of a field          ``columns``; with code of users beside it ``row_programs``
a query too many or too few       ``prefetch_plan``, ``prefetching``
what is of another request        ``query_plan``, ``list_plan``
what an instance knows of others  ``row_instances``
a wrong page                      ``pagination``, ``cursors``
================================  ==========================================================

The setting ``ROWS`` leaves rows to Django, and ``fastschema.disabled()`` shows what stock does.
"""
