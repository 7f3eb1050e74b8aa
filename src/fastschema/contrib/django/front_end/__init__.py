"""The front end for DRF: from a serializer to the program that represents by it.

In the order in which they build on each other:

- ``customization``, ``field_cloner``: the fields of a class, made once and copied.
- ``access``, ``json_encoding``, ``hyperlinks``: values as DRF reads and writes them.
- ``fields``, ``fields_relations``: what is done to each value.
- ``schema_reader``: a serializer to its description, and that to a node.
- ``made_fields``: the fields of a serializer object, once there are any.
- ``class_state``: what is known of a serializer class, for serializers that follow it.
- ``bound_serializer``: what a program of the class needs of a serializer object.
- ``serializer_state``: what a serializer object runs.
"""
