"""What marshmallow 3 does in ``Schema.__init__`` with a context, which warns."""

from __future__ import annotations

import copy
import warnings
from typing import Any

from marshmallow import utils
from marshmallow.exceptions import StringNotCollectionError

from fastschema.marshmallow.customization import IS_MARSHMALLOW_3

_WARNING = (
    "The `context` parameter is deprecated and will be removed in marshmallow 4.0. "
    "Use `contextvars.ContextVar` to pass context instead."
)
checked_unknown: Any = getattr(utils, "validate_unknown_parameter_value", lambda unknown: unknown)

if IS_MARSHMALLOW_3:
    from marshmallow.warnings import (  # type: ignore[import-not-found]  # marshmallow 3
        RemovedInMarshmallow4Warning,
    )


def warn_of_context(stacklevel: int) -> None:
    """Warn as stock does, naming the file of a caller."""
    warnings.warn(_WARNING, RemovedInMarshmallow4Warning, stacklevel=stacklevel + 1)


def init_with_context(
    self: Any,
    *,
    only: Any,
    exclude: Any,
    many: Any,
    context: Any,
    load_only: Any,
    dump_only: Any,
    partial: Any,
    unknown: Any,
) -> None:
    """``Schema.__init__`` of marshmallow 3, whose warning names the file that calls it."""
    if only is not None and not utils.is_collection(only):
        raise StringNotCollectionError('"only" should be a list of strings')
    if not utils.is_collection(exclude):
        raise StringNotCollectionError('"exclude" should be a list of strings')
    self.declared_fields = copy.deepcopy(self._declared_fields)
    self.many = self.opts.many if many is None else many
    self.only = only
    self.exclude = set(self.opts.exclude) | set(exclude)
    self.ordered = self.opts.ordered
    self.load_only = set(load_only) or set(self.opts.load_only)
    self.dump_only = set(dump_only) or set(self.opts.dump_only)
    self.partial = partial
    self.unknown = self.opts.unknown if unknown is None else checked_unknown(unknown)
    if context:  # it may be lazy
        warn_of_context(stacklevel=3)
    self.context = context or {}
    self._normalize_nested_options()
    self.fields, self.load_fields, self.dump_fields = {}, {}, {}
    self._init_fields()
    messages = dict(self._default_error_messages)
    for cls in reversed(type(self).__mro__):
        messages.update(getattr(cls, "error_messages", {}))
    messages.update(self.error_messages or {})
    self.error_messages = messages
