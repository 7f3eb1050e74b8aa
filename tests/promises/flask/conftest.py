"""Applications by stock Flask, and the same by fastschema."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import pytest
from flask import Flask, has_app_context

import fastschema
from fastschema.contrib.flask import FastSchema


@pytest.fixture(autouse=True)
def leave_marshmallow_alone() -> Iterator[None]:
    """Undo what an application installs."""
    yield
    fastschema.uninstall()


@pytest.fixture(autouse=True)
def end_streams() -> Iterator[None]:
    """End the streams that a test has not read to their end: with PyPy, they would end later."""
    yield
    if has_app_context():
        gc.collect()


@pytest.fixture
def app() -> Flask:
    """An application with fastschema."""
    application = Flask("app")
    FastSchema(application)
    return application


@pytest.fixture
def fast() -> FastSchema:
    """The extension's object, whose helpers serve any application."""
    return FastSchema()


@pytest.fixture
def make_app() -> Callable[..., Flask]:
    """A function that makes an application with fastschema and some configuration."""

    def make(**config: object) -> Flask:
        application = Flask("app")
        application.config.update(config)
        FastSchema(application)
        return application

    return make
