"""Kinds that only look at the class of the value: the tables of both front ends have such rows."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Mapping
from typing import NamedTuple

from fastschema.compiler.json_templates import (
    ARE_TEXTS_WRITTEN_TOGETHER,
    JSON_TIME_TEMPLATE,
    TEXT_NAMES,
    TEXT_TEMPLATES,
    WRITTEN_BOOLEAN,
    WRITTEN_ISO,
    WRITTEN_STRING,
)
from fastschema.compiler.nodes import Conversion, Kind


class ByClass(NamedTuple):
    """A row of such a table.

    Without a template, a value of the common class stays as it is.

    :param common: the class that values usually have
    :param python: a template for what stock returns
    :param json: a template for what the JSON engine writes
    :param text: a template for what ``json.dumps`` writes; None: it is made of ``python``
    :param names: the objects that the templates name
    :param together: as for :class:`~fastschema.compiler.nodes.Conversion`, of ``python``, and of
        ``text`` if that is given
    """

    common: type
    python: str | None = None
    json: str | None = None
    text: str | None = None
    names: Mapping[str, object] = {}
    together: str | None = None

    def kind(
        self, label: str, own_method: str, names: Mapping[str, object], *, may_skip: bool
    ) -> Kind:
        """The kind of a field.

        :param label: as for :class:`~fastschema.compiler.nodes.Kind`
        :param own_method: a template for the field's own method, for all other values
        :param names: what it names, and the front end's ``json_value``, which gets its result
        :param may_skip: as for :class:`~fastschema.compiler.nodes.Kind`
        """
        class_name = self.common.__name__
        together = self.together if ARE_TEXTS_WRITTEN_TOGETHER else None
        written = None
        if self.text is not None:
            otherwise = f"written({own_method})"
            written = Conversion(class_name, self.text, otherwise, together=together)
        return Kind(
            label,
            python=Conversion(
                class_name,
                self.python,
                own_method,
                together=together,
            ),
            json=Conversion(class_name, self.json, f"json_value({own_method})"),
            text=written,
            names={class_name: self.common, **names, **TEXT_NAMES, **self.names},
            may_skip=may_skip,
        )


ALIKE = {
    "string": ByClass(str, text=WRITTEN_STRING),
    "boolean": ByClass(bool, text=WRITTEN_BOOLEAN),
    "uuid": ByClass(uuid.UUID, TEXT_TEMPLATES["uuid"], text=WRITTEN_ISO, together=""),
    "date": ByClass(datetime.date, TEXT_TEMPLATES["iso"], text=WRITTEN_ISO, together=""),
    "time": ByClass(datetime.time, python="{value}.isoformat()", json=JSON_TIME_TEMPLATE),
}
"""The rows that are the same in all front ends."""
