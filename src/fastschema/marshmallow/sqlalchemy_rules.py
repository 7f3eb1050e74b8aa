"""What marshmallow-sqlalchemy adds to marshmallow: related objects, and loading into instances.

It is never imported here: what belongs to it is there only if the application has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from fastschema.compiler.kinds import for_all, new_slot
from fastschema.compiler.nodes import Kind, Slot
from fastschema.runtime.descriptions import Description, stock
from fastschema.runtime.stock import stock_method

_FIELDS = "marshmallow_sqlalchemy.fields"
_INSTANCES = "marshmallow_sqlalchemy.load_instance_mixin"


def _is_method(function: Any, module_name: str, path: str) -> bool:
    """Return whether a function is a method of the library, as it was written there.

    :param path: the class and the method, dotted
    """
    owner: Any = sys.modules.get(module_name)
    *classes, name = path.split(".")
    for cls in classes:
        owner = getattr(owner, cls, None)
    return owner is not None and function is stock_method(owner, name)


def gets_value_as_stock(function: Any) -> bool:
    """Return whether ``RelatedList.get_value`` is asked, which calls that of ``Field``."""
    return _is_method(function, _FIELDS, "RelatedList.get_value")


def describe_related(field: Any, method: Any) -> Description | None:
    """Return what ``Related`` does to a value; None for other methods.

    :param method: the field's ``_serialize``
    """
    if not _is_method(method, _FIELDS, "Related._serialize"):
        return None
    cls = sys.modules[_FIELDS].Related
    for name in ("model", "related_model", "related_keys"):
        if getattr(type(field), name, None) is not vars(cls)[name]:
            return stock("how the keys of the related model are found is overridden")
    return (_related,)


def _related(*, path: Any, slots: list[Slot]) -> Kind:
    keys = new_slot(
        slots, "related", lambda subject, cls, form: RelatedKeys(path.get(subject.fields))
    )
    return for_all("keys of a related object", f"{keys}({{value}})", none_stays=False)


class RelatedKeys:
    """From a related object to its keys, as ``Related._serialize``; looked up once for a dump.

    :param field: the field
    """

    __slots__ = ("_field", "_keys")

    def __init__(self, field: Any) -> None:
        self._field = field
        self._keys: list[str] | None = None

    def __call__(self, value: Any) -> Any:
        """Return a key, or a dictionary of several."""
        keys = self._keys
        if keys is None:
            keys = self._keys = [each.key for each in self._field.related_keys]
        if len(keys) == 1:
            return getattr(value, keys[0], None)
        return {key: getattr(value, key, None) for key in keys}


def passes_session(method: Any) -> bool:
    """Return whether a nested field's ``_deserialize`` only gives its schema the session."""
    return _is_method(method, _FIELDS, "Nested._deserialize")


def pass_session(field: Any, schema: Any) -> None:
    """Give the schema of a nested field the session of the outermost schema.

    :param field: one whose class :func:`passes_session`
    """
    if hasattr(schema, "session"):
        schema.session = field.root.session
        schema.transient = field.root.transient


def loads_instances(method: Any) -> bool:
    """Return whether a schema's ``load`` is that of marshmallow-sqlalchemy."""
    return _is_method(method, _INSTANCES, "LoadInstanceMixin.Schema.load")


def load_instances(schema: Any, load: Callable[[], Any]) -> Any:
    """Return what that ``load`` returns without options of its own.

    :param load: what ``Schema.load`` does
    :raises ValueError: if a session is needed, and there is none
    """
    if schema._load_instance and not (schema.transient or schema.session):
        raise ValueError("Deserialization requires a session")
    try:
        return load()
    finally:
        schema.instance = None
