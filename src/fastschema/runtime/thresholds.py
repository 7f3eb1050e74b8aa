"""When reading and binding a schema pay; what is too small runs as stock.

The numbers are measured: see docs/how-it-works.md.
"""

from __future__ import annotations

MANY = 1_000_000
"""Stands for the number of rows where it is not known: those of a generator, say."""

rows_worth_reading = 24
"""Until the schemas or serializers of a class have dumped (or loaded) so many objects in this
process, they run as stock. To read and compile one with 7 plain fields takes as long as stock needs
for 290 objects, or for 90 (marshmallow) and 115 (DRF) if a class with the same fields is compiled
already (2026-11-29): it pays for classes that go on to be used."""

uses_worth_an_exemplar = 2
"""A class of serializers or schemas that was used once may have been made for that: to make an
exemplar of a DRF serializer takes as long as 70 rows (2026-11-27). So stock runs what the first
serializer does, and makes the fields of the first schema and the first filter set of a class of
django-filter."""

rows_worth_reading_at_once = 120
"""Unless that is for so many objects. A class that is made for each call, like others before whose
code it shares, dumps a list of 120 flat objects as fast as stock: DRF 1.0 and 1.1 times as fast (3
and 7 fields), marshmallow 0.9, 1.1 and, with 14 fields, 1.3 times; it loads them 1.9 times as fast.
80 it dumps 0.7 to 0.9 times as fast (2026-11-29)."""

rows_worth_comparing = 10
"""To find out whether the fields of a serializer are still what they were, and to bind a program,
costs about as much as stock needs for so many objects: 35 µs, and 4.5 µs for each field. Stock
represents a value in 0.8 µs (2026-11-28). Nested serializers run their programs anyway. Input is
the same: a list of 10 by a serializer that pops a field takes 2.3 times as long by stock, and one
of 5 would take as long (2026-11-29)."""

fields_worth_asking = 9
"""To find out that a serializer whose fields are made, and which is asked row by row, is still what
it was takes as long as stock needs for an object of so many fields (4 µs; 2026-11-28), if none is a
nested serializer."""

rows_worth_reading_by_column = 15
"""Django makes instances of fewer rows in less time than it takes to find out what their columns
are."""

rows_worth_binding = 4
"""To find the program of a marshmallow schema whose fields are made, and to compare them with what
they were, costs as much as stock needs for few objects: 2 rows of 3 fields take 0.9 times as long
by stock, and 3 rows 1.3 times; of 7 fields 1.3 and 1.9 times (2026-11-29)."""

values_worth_a_look = 4
"""To find out that a marshmallow schema has not changed takes as long as stock needs to dump an
object of so many values, or to load one by made fields. Stock dumps 1, 2 and 3 values in 1.5, 2.3
and 3.1 µs, and generated code in 3.6, 3.8 and 3.9; stock loads them in 4.6, 6.4 and 8.3 µs, and
generated code in 6.9, 7.9 and 8.7 (2026-11-29)."""


def is_worth_compiling(objects: int) -> bool:
    return objects >= rows_worth_reading
