"""djangorestframework-camel-case: its renderer and its JSON parser, with the same answer."""
