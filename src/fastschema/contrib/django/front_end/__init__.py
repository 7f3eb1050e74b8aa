"""The front end for DRF: from a serializer to the program that represents by it.

In the order in which they build on each other:

- ``customization``, ``field_maker``, ``clones``: the fields of a class, made once and copied.
- ``access``, ``json_encoding``, ``hyperlinks``: values as DRF reads and writes them.
- ``fields``, ``fields_relations``: what is done to each value.
- ``schema_reader``: a serializer to its description, and that to a node.
- ``record``: what is known of a serializer class, for serializers that follow it.
- ``pending``: the fields of a serializer object, made when they are needed.
- ``snapshots``: what they were like, once they are made.
- ``bound_serializer``: what a program needs of a serializer object.
- ``states``: what a serializer object runs.
"""
