"""Templates for values that the JSON engine writes, or whose text it writes fastest."""

from __future__ import annotations

try:
    import orjson
except ImportError:  # CPython without it, or PyPy, for which it is not published
    orjson = None  # type: ignore[assignment]  # a module otherwise

# Others, negative ones among them, may be spelt differently: json_number looks closer.
_COMMON_FLOAT = "1e-4 <= {value} < 1e16"
JSON_FLOAT_TEMPLATE = f"{{value}} if {_COMMON_FLOAT} else json_number({{value}})"

# orjson refuses times with a zone, and writes some fractions of seconds wrongly.
JSON_TIME_TEMPLATE = (
    "{value} if not {value}.microsecond and {value}.tzinfo is None else {value}.isoformat()"
)

if orjson is None:
    TEXT_TEMPLATES = {"uuid": "str({value})", "iso": "{value}.isoformat()"}
    TEXT_NAMES: dict[str, object] = {}
    ARE_TEXTS_WRITTEN_TOGETHER = False
else:
    # orjson writes the same characters as str(UUID) and isoformat(), several times as fast.
    TEXT_TEMPLATES = dict.fromkeys(("uuid", "iso"), "dumps({value})[1:-1].decode()")
    TEXT_NAMES = {"dumps": orjson.dumps, "loads": orjson.loads}
    ARE_TEXTS_WRITTEN_TOGETHER = True

# What `json.dumps` writes: quotes included, ASCII only.
WRITTEN_STRING = "quote({value})"
WRITTEN_INTEGER = "str({value}) if -1000000000 < {value} < 1000000000 else written({value})"
WRITTEN_BOOLEAN = '"true" if {value} else "false"'
WRITTEN_FLOAT = f"dumps({{value}}).decode() if {_COMMON_FLOAT} else written({{value}})"
WRITTEN_FLOAT_TOGETHER = _COMMON_FLOAT
WRITTEN_ISO = "dumps({value}).decode()"
