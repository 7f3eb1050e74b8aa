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
"""For so many objects at once, a class is compiled at its first use. A class that is made for each
call, like others before whose code it shares, dumps a list of 120 flat objects as fast as stock:
DRF 1.0 and 1.1 times as fast (3 and 7 fields), marshmallow 0.9, 1.1 and, with 14 fields, 1.3 times;
it loads them 1.9 times as fast. 80 it dumps 0.7 to 0.9 times as fast (2026-11-29)."""

few_for_marshmallow = 4
"""To find out what a marshmallow schema runs takes as long as stock needs for few objects, if its
fields are made and have to be compared with what they were: it dumps 2, 3 and 4 of 3 fields 0.8,
1.1 and 1.4 times as fast as stock. To find out that nothing has changed takes as long as few values
of one object: of 1, 2, 3 and 4, a pending schema dumps in 3.6, 3.8, 3.9 and 4.1 µs, and stock in
1.2, 2.1, 2.8 and 3.7; one with made fields loads 0.6, 0.8, 0.9 and 1.0 times as fast
(2026-11-29)."""

few_for_django = 10
"""To compare the fields of a serializer with what they were, and to bind a program, takes as long
as stock needs for few objects: 35 µs, and 4.5 µs for each field, of which stock represents a value
in 0.8 µs (2026-11-28); it validates a list of 10 in 2.3 times the time, and one of 5 in as much. To
find out that nothing has changed takes as long as few values of one row: rows of 5, 7, 9 and 12
fields that come one by one are represented 0.8, 1.2, 1.4 and 1.8 times as fast. Django makes few
instances in less time than it takes to find out what their columns are: 7, 10 and 14 rows with a
method are read 0.94, 0.98 and 1.05 times as fast by columns, and without one 1.1, 1.2 and 1.2 times
(2026-11-29)."""


def is_worth_compiling(objects: int) -> bool:
    return objects >= rows_worth_reading
