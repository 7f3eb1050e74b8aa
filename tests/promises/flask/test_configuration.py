"""Applications that are switched off."""

import pytest
from flask import Flask
from flask.json.provider import DefaultJSONProvider
from marshmallow import Schema, fields

import fastschema
from fastschema.contrib.flask import FastJSONProvider, FastSchema
from tests.instruments.core import is_disabled


def answered_by():
    return "stock" if is_disabled() else "fastschema"


OFF = [
    {"FASTSCHEMA_ENABLED": False},
    *({"FASTSCHEMA_DISABLED": value} for value in (True, "yes")),
    {"FASTSCHEMA_DISABLED": True, "FASTSCHEMA_ENABLED": True},
]


class Band(Schema):
    name = fields.String()


BANDS = [{"name": "Can"}, {"name": "Neu!"}]


def compiled_rows(call):
    """How many rows generated code dumps in a call, and what it returns."""
    before = fastschema.stats().compiled_rows
    result = call()
    return fastschema.stats().compiled_rows - before, result


@pytest.mark.parametrize("config", OFF)
class TestAnApplicationThatIsSwitchedOff:
    def test_is_as_it_was(self, make_app, config):
        app = make_app(**config)
        assert type(app.json) is DefaultJSONProvider
        assert Schema.dump.__module__ == "marshmallow.schema"

    @pytest.mark.parametrize("is_installed", [False, True])
    def test_is_answered_by_stock_whatever_other_applications_do(
        self, make_app, config, is_installed
    ):
        app = make_app(**config)
        app.add_url_rule("/", view_func=lambda: [answered_by(), *Band(many=True).dump(BANDS)])
        if is_installed:
            make_app()
        client = app.test_client()
        assert compiled_rows(lambda: client.get("/").json) == (0, ["stock", *BANDS])

    @pytest.mark.parametrize("is_installed", [False, True])
    def test_has_its_helper_which_runs_stock_also_outside_of_requests(
        self, make_app, fast, config, is_installed
    ):
        app = make_app(**config)
        if is_installed:
            make_app()
        with app.app_context():
            expected = app.json.response(BANDS).data
            response = compiled_rows(lambda: fast.response(Band(many=True), BANDS).data)
            assert response == (0, expected)

    @pytest.mark.at_once
    def test_leaves_others_alone(self, make_app, config):
        make_app(**config)
        other = make_app()
        other.add_url_rule("/", view_func=lambda: Band(many=True).dump(BANDS))
        client = other.test_client()
        assert compiled_rows(lambda: client.get("/").json) == (len(BANDS), BANDS)


@pytest.mark.parametrize("value", [False, None, "", " off "])
def test_a_kill_switch_that_is_off_changes_nothing(make_app, value):
    app = make_app(FASTSCHEMA_DISABLED=value)
    app.add_url_rule("/", view_func=answered_by)
    assert isinstance(app.json, FastJSONProvider)
    assert app.test_client().get("/").text == "fastschema"


@pytest.mark.parametrize("value", [1.5, [], b"1"])
def test_a_kill_switch_that_is_none_is_a_clear_error(make_app, value):
    with pytest.raises(ValueError, match=r"FASTSCHEMA_DISABLED must be of type bool or .*not "):
        make_app(FASTSCHEMA_DISABLED=value)


@pytest.mark.parametrize(
    ("dictionary", "sentence"),
    [
        (
            {"SHADOW": 0.1, "CHUNK_SIZE": 9},
            "Write app.config['FASTSCHEMA_SHADOW'] = 0.1, app.config['FASTSCHEMA_CHUNK_SIZE'] = 9.",
        ),
        ({}, "Each setting has a key of its own."),
    ],
)
def test_a_dictionary_of_settings_is_an_error_that_says_what_to_write(dictionary, sentence):
    app = Flask("app")
    app.config["FASTSCHEMA"] = dictionary
    with pytest.raises(ValueError, match=r"Nothing reads the dictionary") as raised:
        FastSchema(app)
    assert str(raised.value).endswith(sentence)
