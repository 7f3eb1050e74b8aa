"""Lists of DRF: written as JSON without dictionaries in between, from rows without instances.

In the order in which they build on each other:

- ``row_layout``: what stands where in the rows of a query. ``row_instances``: instances of them.
- ``queryset_rows``: the rows of one queryset, which its docstring follows on their way.
- ``prefetch_plan``, ``prefetching``: the rows that ``prefetch_related`` adds.
- ``pagination``: pages of rows.
- ``columns``, ``row_programs``: the fields of a serializer, read from rows.
- ``captured_values``: what the JSON of rows does not tell.
- ``lazy_rows``: the rows of one serializer. ``lazy_list``: the list of a view.
- ``n_plus_one``: relations that a queryset does not load.
"""
