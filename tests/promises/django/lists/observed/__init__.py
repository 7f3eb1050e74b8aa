"""An app whose models are noticed when they are made, in a project of its own; see __main__.py."""
