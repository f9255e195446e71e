# SPDX-License-Identifier: Apache-2.0
"""One entry is put into what people write as JSON, and taken out again; all else stays to the letter."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from becausal.cli.jsonc import DEEPEST, Unreadable, put, read, take

ENTRY = {"command": "/opt/becausal", "args": []}


def test_an_entry_goes_behind_the_others_and_comments_stay_where_they_are() -> None:
    before = """\
// my settings
{
    "theme": "dark", // at night
    "servers": {
        /* the first */
        "files": {"command": "npx"} // do not touch
        // the end
    },
}
"""
    assert (
        put(before, "servers", "becausal", ENTRY)
        == """\
// my settings
{
    "theme": "dark", // at night
    "servers": {
        /* the first */
        "files": {"command": "npx"}, // do not touch
        "becausal": {
            "command": "/opt/becausal",
            "args": []
        }
        // the end
    },
}
"""
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "s": {\n    "b": 1\n  }\n}\n'),
        ("{}", '{\n  "s": {\n    "b": 1\n  }\n}'),
        ('{"s":{}}', '{"s":{\n  "b": 1\n}}'),
        ('{"s": {"a": 2}}', '{"s": {"a": 2,\n  "b": 1\n}}'),
        ('{"s": {"a": 2, "b": 3}}', '{"s": {"a": 2, "b": 1}}'),
        ('{\n\t"s": {\n\t\t"a": 2,\n\t}\n}', '{\n\t"s": {\n\t\t"a": 2,\n\t\t"b": 1,\n\t}\n}'),
        ('{\n  "x": 1 // one\n}\n', '{\n  "x": 1, // one\n  "s": {\n    "b": 1\n  }\n}\n'),
        ("{ // nothing yet\n}", '{ // nothing yet\n  "s": {\n    "b": 1\n  }\n}'),
        ('{\r\n  "x": 1\r\n}', '{\r\n  "x": 1,\r\n  "s": {\r\n    "b": 1\r\n  }\r\n}'),
        ('// one\n{\r\n  "x": 1\n}', '// one\n{\r\n  "x": 1,\r\n  "s": {\r\n    "b": 1\r\n  }\n}'),
        ('{"x": "a // b, }"}', '{"x": "a // b, }",\n  "s": {\n    "b": 1\n  }\n}'),
    ],
)
def test_it_fits_in_with_how_the_file_is_written(before: str, after: str) -> None:
    assert put(before, "s", "b", 1) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{\n  "s": {\n    "a": 2,\n    "b": 1\n  }\n}', '{\n  "s": {\n    "a": 2\n  }\n}'),
        ('{\n  "s": {\n    "b": 1,\n    "a": 2 // two\n  }\n}', '{\n  "s": {\n    "a": 2 // two\n  }\n}'),
        ('{"s": {"a": 2, "b": 1}}', '{"s": {"a": 2 }}'),
        ('{"s": {"b": 1}}', '{"s": {}}'),
    ],
)
def test_it_is_taken_out_with_its_comma(before: str, after: str) -> None:
    assert take(before, "s", "b") == after


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"s": {"a": 1 "b": 2}}', "a comma is missing"),
        ('{\n"s" 1}', "line 2: a colon is missing"),
        ("{s: 1}", "a name in quotes is missing"),
        ('{"s": 01}', "a comma is missing"),
        ('{"s": nul}', "a value is missing"),
        ('{"s": "a\nb"}', "a text is not written"),
        ('{"s": {}, "s": {}}', '"s" stands there twice'),
        ("{} {}", "something follows"),
        ('{"s": {', "a name in quotes is missing"),
        ("{} /* open", "something follows"),
        ("[1]", "not an object"),
        ('{"s": []}', '"s" is not an object'),
        ('{"x": ' + "[" * (DEEPEST + 2) + "]" * (DEEPEST + 2) + "}", "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_not_edited(text: str, problem: str) -> None:
    with pytest.raises(Unreadable, match=problem):
        put(text, "s", "b", 1)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside, max_size=3),
    max_leaves=8,
)


@given(
    document=st.dictionaries(st.text(max_size=5), VALUES, max_size=4),
    section=st.none() | st.dictionaries(st.text(max_size=5), VALUES, max_size=3),
    entry=VALUES,
    indent=st.none() | st.sampled_from([1, 2, 4, "\t"]),
)
def test_whatever_else_is_in_the_file_is_not_touched(
    document: dict[str, object], section: dict[str, object] | None, entry: object, indent: int | str | None
) -> None:
    whole = document if section is None else {**document, "mcpServers": section}
    had = whole.get("mcpServers", {})
    if not isinstance(had, dict):
        return
    after = put(json.dumps(whole, indent=indent), "mcpServers", "becausal", entry)
    assert json.loads(after) == {**whole, "mcpServers": {**had, "becausal": entry}}
    without = json.loads(take(after, "mcpServers", "becausal"))
    assert without == {**whole, "mcpServers": {name: value for name, value in had.items() if name != "becausal"}}
    assert read(after).value == json.loads(after)
