"""flask-marshmallow's ``Schema.jsonify``, straight from the plan."""

from __future__ import annotations

import sys
from typing import Any

from flask import current_app

from fastschema.contrib.flask.configuration import settings_of
from fastschema.contrib.flask.responses import response_in, schema_and_rows


def install_jsonify() -> None:
    """Make ``Schema.jsonify`` of flask-marshmallow write from plans, if it has been imported.

    In applications without the extension, and in those that are switched off, it stays as it is.
    Installing again does nothing.
    """
    module = sys.modules.get("flask_marshmallow.schema")
    if module is None or hasattr(module.Schema.jsonify, "stock"):
        return
    stock = module.Schema.jsonify

    def jsonify(self: Any, obj: Any, many: bool | None = None, *args: Any, **kwargs: Any) -> Any:
        """``flask_marshmallow.Schema.jsonify``."""
        settings = settings_of(current_app)
        if args or kwargs or settings is None or settings.is_off:
            return stock(self, obj, many, *args, **kwargs)
        compiled, _ = schema_and_rows(self, obj)
        return response_in("json", compiled, obj, many)

    jsonify.stock = stock  # type: ignore[attr-defined]  # so that it is found the next time
    module.Schema.jsonify = jsonify
