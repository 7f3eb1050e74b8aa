"""What ``orders.py`` has, by another library, or by hand.

Imports nothing but that library and the standard library. Each is configured to write what
marshmallow writes: prices with two places, and ``+00:00`` for UTC.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable
from decimal import Decimal
from functools import cache, partial
from typing import Annotated, Any

from patterns import CONTENDER, PAGE, ROWS, Collection
from records import Status, flat_rows, orders

CENT = Decimal("0.01")
Writers = tuple[Callable[[list[Any]], bytes], Callable[[list[Any]], bytes]]
"""From orders, and from flat rows, to JSON."""
AUTHOR = {"id": int, "name": str, "email": str}
FLAT = {"id": int, "title": str, "reference": str, "note": str, "quantity": int, "weight": float}
FLAT |= {"paid": bool, "due": datetime.date}


def fields_of_orders(moment: Any, price: Any, author: Any) -> dict[str, Any]:
    """The types of an order's fields.

    :param moment: that of times
    """
    return {
        "id": int,
        "title": str,
        "reference": str,
        "uid": uuid.UUID,
        "created": moment,
        "updated": moment,
        "due": datetime.date,
        "price": price,
        "quantity": int,
        "weight": float,
        "paid": bool,
        "author": author,
        "tags": list[str],
        "status": Status,
        "note": str | None,
    }


def two_places(value: Decimal) -> str:
    return str(value.quantize(CENT))


def pydantic() -> Writers:
    from pydantic import ConfigDict, PlainSerializer, TypeAdapter, create_model

    moment = PlainSerializer(datetime.datetime.isoformat, return_type=str)
    price = PlainSerializer(two_places, return_type=str)

    def model(types: dict[str, Any]) -> Any:
        required = {name: (kind, ...) for name, kind in types.items()}
        return create_model("Model", __config__=ConfigDict(from_attributes=True), **required)

    def writer(types: dict[str, Any]) -> Callable[[list[Any]], bytes]:
        adapter = TypeAdapter(list[model(types)])
        return lambda rows: adapter.dump_json(adapter.validate_python(rows))

    annotated = Annotated[datetime.datetime, moment], Annotated[Decimal, price]
    return writer(fields_of_orders(*annotated, model(AUTHOR))), writer(FLAT)


def msgspec() -> Writers:
    """``convert`` from attributes, and ``encode``; types of our own write times and prices."""
    import msgspec

    text = {"__init__": lambda self, text: setattr(self, "text", text)}
    moment, price = type("Moment", (), text), type("Price", (), text)

    def convert(kind: Any, value: Any) -> Any:
        return kind(value.isoformat() if kind is moment else two_places(value))

    def writer(types: dict[str, Any]) -> Callable[[list[Any]], bytes]:
        kind = list[msgspec.defstruct("Struct", types.items())]
        encode = msgspec.json.Encoder(enc_hook=lambda made: made.text).encode
        how = {"from_attributes": True, "dec_hook": convert}
        return lambda rows: encode(msgspec.convert(rows, kind, **how))

    author = msgspec.defstruct("Author", AUTHOR.items())
    return writer(fields_of_orders(moment, price, author)), writer(FLAT)


def by_hand() -> Writers:
    """Functions that build dictionaries; orjson writes identifiers and dates."""
    import orjson

    def order(row: Any) -> dict[str, Any]:
        author = row.author
        return {
            "id": row.id,
            "title": row.title,
            "reference": row.reference,
            "uid": row.uid,
            "created": row.created,
            "updated": row.updated,
            "due": row.due,
            "price": two_places(row.price),
            "quantity": row.quantity,
            "weight": row.weight,
            "paid": row.paid,
            "author": {"id": author.id, "name": author.name, "email": author.email},
            "tags": row.tags,
            "status": row.status.value,
            "note": row.note,
        }

    return lambda rows: orjson.dumps([order(row) for row in rows]), orjson.dumps


def orjson_only() -> Writers:
    """The floor: dictionaries of JSON types, which are there already."""
    import orjson

    write_orders, write_flat = by_hand()
    ready: dict[int, Any] = {}

    def writer(write: Callable[[list[Any]], bytes]) -> Callable[[list[Any]], bytes]:
        def dumps(rows: list[Any]) -> bytes:
            if id(rows) not in ready:
                ready[id(rows)] = orjson.loads(write(rows))
            return orjson.dumps(ready[id(rows)])

        return dumps

    return writer(write_orders), writer(write_flat)


REFERENCES = {
    "pydantic": pydantic,
    "msgspec": msgspec,
    "by hand": by_hand,
    "orjson only": orjson_only,
}
PATTERNS = Collection("orders")
if CONTENDER in REFERENCES:
    write_orders, write_flat = REFERENCES[CONTENDER]()
    order_rows, flat = cache(orders), cache(flat_rows)
    PATTERNS.add(
        "JSON by `plan.dumps`", lambda n: partial(write_orders, order_rows(n)), (PAGE, ROWS)
    )
    PATTERNS.add(
        "flat dictionaries: JSON by `plan.dumps`", lambda n: partial(write_flat, flat(n)), (ROWS,)
    )
