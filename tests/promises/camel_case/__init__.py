"""The plugin for djangorestframework-camel-case."""
