"""The room for djangorestframework-camel-case."""
