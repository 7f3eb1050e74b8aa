"""Filters on demand: django-filter without the filters and the form that nobody looks at.

For each request, django-filter copies all filters, builds a form with a field for each and cleans all
of them, to apply those few whose parameters were sent. Here only these are cleaned and applied, and
the rest is made when somebody looks.
"""
