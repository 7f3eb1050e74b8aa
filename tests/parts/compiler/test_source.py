"""Writing Python source."""

import gc
import inspect
import keyword
import linecache
import traceback

import pytest

from fastschema.compiler.nodes import fill, literal
from fastschema.compiler.source import (
    GeneratedFunction,
    Names,
    assigned_names,
    identifiers,
)
from tests.marks import counts_references

STRANGE = ["", "class", "print", "a b", '"); import os', "1st", "naïve", "\ud800", "{}", "\n", "\0"]


@pytest.mark.parametrize("hint", [*STRANGE, "name", "__debug__", "None"])
def test_a_unique_name_is_an_identifier_that_may_be_assigned(hint):
    name = Names().unique(hint)

    assert name.isidentifier()
    assert name.isascii()
    assert not keyword.iskeyword(name)
    compile(f"{name} = 1", "source", "exec")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("value = obj.name + f(obj).name", {"value", "obj", "f"}),
        (r"""value = obj['it\'s, "or" \\'] + other""", {"value", "obj", "other"}),
        ('''value = quote("it's") or '"'  # 'its' "name"''', {"value", "quote", "or"}),
    ],
)
def test_names_in_source_are_found(text, words):
    assert identifiers(text) == words


@pytest.mark.parametrize(
    ("expressions", "names"),
    [
        (["$value.name", None], set()),
        (["(text := $value) if (size := len(text)) else None"], {"text", "size"}),
        (
            ["[each for each in $value]", "{key: value for key, value in each}"],
            {"each", "key", "value"},
        ),
        (["lambda one, other: one + other"], {"one", "other"}),
    ],
)
def test_variables_of_templates_are_found(expressions, names):
    assert assigned_names(expressions) == names


def test_names_are_handed_out_once():
    names = Names(frozenset(["value"]))

    handed_out = [names.unique("value") for _ in range(3)] + [names.unique("value_2")]

    assert len({*handed_out, "value"}) == 5


@pytest.mark.parametrize("text", [*STRANGE, "'''", '"""', "\\", "\\'", "\u2028", "\N{ROCKET}"])
def test_a_literal_is_one_line_of_ascii_that_evaluates_to_its_text(text):
    source = literal(text)

    assert source.isascii()
    assert len(source.splitlines()) == 1
    assert eval(source) == text


def test_a_literal_of_a_subclass_of_str_is_refused():
    class Text(str):
        __slots__ = ()

        def __repr__(self):
            return "__import__('os')"

    with pytest.raises(TypeError, match="Text"):
        literal(Text("harmless"))


@pytest.mark.parametrize("text", ["$value", "$", "$$value", "\\$value", "{value}", "none"])
def test_a_text_of_users_in_a_template_stands_for_itself(text):
    template = f"($value, {literal(text)})"

    assert eval(fill(template, value="1")) == (1, text)


def test_a_template_may_stand_for_a_name_of_another():
    assert fill("f($value, $field)", value="g($value)") == "f(g($value), $field)"


def generated(text="def f():\n    return answer\n", **names):
    return GeneratedFunction("f", "a title", text, names)


def test_a_generated_function_sees_no_other_names():
    with pytest.raises(NameError):
        generated().function()


def test_a_traceback_shows_the_generated_line():
    raising = generated("def f():\n    raise LookupError(answer)  # here\n", answer=1)

    try:
        raising.function()
    except LookupError as error:
        shown = "".join(traceback.format_exception(error))

    assert "raise LookupError(answer)  # here" in shown
    assert "a title" in shown


def test_the_source_is_found_as_that_of_other_functions():
    function = generated(answer=1)

    assert inspect.getsource(function.function) == function.text
    lines = linecache.getlines(function.function.__code__.co_filename)
    assert [*lines] == function.text.splitlines(keepends=True)


@counts_references
def test_the_source_leaves_linecache_with_its_function():
    function = generated(answer=1)
    filename = function.function.__code__.co_filename
    assert filename in linecache.cache

    del function
    gc.collect()

    assert filename not in linecache.cache
