"""What stock Flask answers, what Flask with fastschema answers, and comparing the two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask

from fastschema.contrib.flask import FastSchema


def answers(
    make_data: Callable[[], Any], call: Callable[[Flask, Any], Any], **settings: Any
) -> Any:
    """What stock and fastschema give for some data: value, or class and message of the error.

    :param settings: attributes of the JSON provider, and ``debug``
    """
    results = []
    for is_fast in (False, True):
        app = Flask("app")
        app.debug = settings.get("debug", False)
        for name, value in settings.items():
            if name != "debug":
                setattr(app.json, name, value)
        if is_fast:
            FastSchema(app)
        try:
            results.append(call(app, make_data()))
        except Exception as error:
            message = "" if isinstance(error, RecursionError) else str(error)
            results.append((type(error), message))
    return results


def response(app: Flask, data: Any) -> tuple[Any, ...]:
    """What is observed of ``jsonify(data)``."""
    with app.app_context():
        made = app.json.response(data)
    return made.status_code, made.headers.to_wsgi_list(), made.get_data()


def dumped(app: Flask, data: Any) -> str:
    """What ``flask.json.dumps`` writes."""
    text: str = app.json.dumps(data)
    return text


def assert_same_response(make_data: Callable[[], Any], **settings: Any) -> None:
    """Check that ``jsonify`` and ``flask.json.dumps`` answer as stock's do, byte for byte."""
    for call in (response, dumped):
        stock, fast = answers(make_data, call, **settings)
        assert fast == stock
