# SPDX-License-Identifier: Apache-2.0
"""Arguments: what is read, what is refused, and what clients are told beforehand."""

from __future__ import annotations

from typing import Any

import pytest

from becausal.domain.records import MemoryType
from becausal.server import params
from becausal.server.errors import BadArguments, explain
from becausal.server.params import input_schema, read_arguments

TABLE = (
    params.content("What to remember", required=True),
    params.importance(),
    params.tags(),
    params.whole("limit", 1, 100, default=5),
    params.flag("pinned"),
    params.choice("memory_type", MemoryType),
    params.text("source"),
    params.one_of("mode", ("recall", "list")),
    params.metadata(),
)


def read(**given: Any) -> dict[str, Any]:
    return read_arguments(TABLE, given)


def refused(**given: Any) -> str:
    with pytest.raises(BadArguments) as error:
        read_arguments(TABLE, given)
    return explain("tool", error.value)


@pytest.mark.parametrize("nothing", [None, "", "  "])
def test_null_and_blank_texts_count_as_not_given(nothing: str | None) -> None:
    assert read(content=nothing, source=nothing, mode=nothing) == {}


def test_blank_text_is_refused_where_it_would_replace_a_text() -> None:
    with pytest.raises(BadArguments, match=r"content: .*blank"):
        read_arguments((params.content("New text"),), {"content": " "})


def test_text_is_read_as_it_is() -> None:
    assert read(content="  two\nlines \t") == {"content": "  two\nlines \t"}


@pytest.mark.parametrize("value", [5, 5.0])
def test_a_whole_number_may_be_written_as_any_number(value: float) -> None:
    limit = read(limit=value)["limit"]
    assert limit == 5
    assert isinstance(limit, int)


@pytest.mark.parametrize("value", ["5", 5.5, 0, -5, 10**9, True, float("nan"), float("inf"), [5], 10**400])
def test_anything_but_a_whole_number_in_range_is_refused_with_the_range(value: object) -> None:
    assert "  - limit: must be a whole number from 1 to 100" in refused(limit=value)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("-inf"), "0.5", False, 10**400])
def test_an_importance_outside_its_range_is_refused_with_the_range(value: object) -> None:
    assert "  - importance: must be a number from 0 to 1" in refused(importance=value)


@pytest.mark.parametrize("value", ["a, b ,,a", ["a", " b", "", "a"]])
def test_tags_are_read_from_a_text_or_a_list(value: object) -> None:
    assert read(tags=value) == {"tags": ("a", "b")}


@pytest.mark.parametrize(
    "given",
    [{"tags": [1]}, {"tags": 7}, {"pinned": "true"}, {"pinned": 1}, {"source": 3}, {"mode": 4}, {"metadata": []}],
    ids=str,
)
def test_a_wrong_type_is_refused_under_the_argument_s_name(given: dict[str, Any]) -> None:
    assert f"  - {next(iter(given))}: must be" in refused(**given)


def test_a_choice_is_refused_with_what_there_is() -> None:
    assert "  - memory_type: must be one of episodic, semantic, procedural" in refused(memory_type="vague")


def test_every_problem_is_listed_on_its_own_line_under_the_tool_s_name() -> None:
    assert refused(limit="x", importance=3, colour="red").splitlines() == [
        "Validation error in tool:",
        "  - colour: unknown argument",
        "  - input: the arguments are content, importance, tags, limit, pinned, memory_type, source, mode, metadata",
        "  - limit: must be a whole number from 1 to 100, got 'x'",
        "  - importance: must be a number from 0 to 1, got 3",
    ]


def test_a_flood_of_unknown_arguments_is_answered_in_a_bounded_text() -> None:
    text = refused(**{f"x{number}" * 100: 1 for number in range(1000)})
    assert len(text) < 4_000


def test_an_unknown_argument_that_is_not_unicode_is_shown_escaped() -> None:
    assert r"\ud800: unknown argument" in refused(**{"\ud800": 1})


def test_the_schema_says_what_is_read() -> None:
    schema = input_schema(TABLE)
    assert schema["required"] == ["content"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["limit"] == {"type": "number", "minimum": 1, "maximum": 100, "default": 5}
    assert schema["properties"]["memory_type"]["enum"] == ["episodic", "semantic", "procedural"]
    assert schema["properties"]["content"] == {"type": "string", "description": "What to remember"}


# --- what must be given ---

STRICT = (
    params.words("name"),
    params.words("until", required=False),
    params.texts("ids", least=1, most=3),
    params.number("share", 0, 1),
    params.choice("memory_type", MemoryType, required=True),
)
GIVEN = {"name": "x", "ids": ["a"], "memory_type": "semantic"}


def test_what_must_be_given_is_refused_without_it_all_at_once() -> None:
    with pytest.raises(BadArguments) as error:
        read_arguments(STRICT, {"name": None})
    assert error.value.problems == (("name", "is required"), ("ids", "is required"), ("memory_type", "is required"))


def test_given_words_are_trimmed_and_texts_and_numbers_read() -> None:
    read = read_arguments(STRICT, GIVEN | {"name": " a b ", "ids": [" a", "b "], "share": 1, "until": None})
    assert read == {"name": "a b", "ids": ("a", "b"), "share": 1.0, "memory_type": MemoryType.SEMANTIC}


@pytest.mark.parametrize(
    ("name", "value", "path"),
    [
        ("name", "", "name"),
        ("name", 5, "name"),
        ("until", "  ", "until"),
        ("ids", "a", "ids"),
        ("ids", [], "ids"),
        ("ids", ["a"] * 4, "ids"),
        ("ids", ["a", ""], "ids.1"),
        ("ids", ["a", None], "ids.1"),
        ("share", 1.01, "share"),
        ("share", True, "share"),
        ("share", "0.5", "share"),
        ("share", float("nan"), "share"),
        ("share", 10**400, "share"),
    ],
)
def test_what_breaks_a_bound_is_refused_with_its_place(name: str, value: object, path: str) -> None:
    with pytest.raises(BadArguments) as error:
        read_arguments(STRICT, GIVEN | {name: value})
    assert [place for place, _ in error.value.problems] == [path]


def test_the_schema_says_what_is_required_and_what_must_not_be_empty() -> None:
    schema = input_schema(STRICT)
    assert schema["required"] == ["name", "ids", "memory_type"]
    assert schema["properties"]["name"] == {"type": "string", "minLength": 1}
    assert schema["properties"]["ids"] == {"type": "array", "items": {"type": "string"}, "minItems": 1}
    assert schema["properties"]["share"] == {"type": "number", "minimum": 0, "maximum": 1}
