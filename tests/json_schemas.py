# SPDX-License-Identifier: Apache-2.0
"""Values for a JSON schema, as far as tools use it: what fits, what nearly does, and what does not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

ODD = (
    *("", " ", "\0", "null", "0", "-1", "1e400", "NaN", "true", "[]", "{}", "/", "..", "%00", "\u202eabc", "𝕏" * 50),
    *("'; DROP TABLE records; --", '"', "\\", "* OR 1", "NEAR(", "<script>alert(1)</script>", "![x](http://x/)"),
    *("2026-02-30", "2026", "yesterday", "0000-00-00T00:00:00Z", "9999-12-31T23:59:59.999Z", "P1Y", "Europe/Berlin"),
    *("why did it fail?", "the disk was full, so the gateway stopped", "alice moved to Berlin on 3 May 2024"),
    "word " * 3000,
)
NUMBERS = (0, 1, -1, 0.5, 1e308, -1e308, 2**31, 2**63, 10**30, 0.1 + 0.2)

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.sampled_from(NUMBERS) | st.integers() | st.sampled_from(ODD) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


def arguments(schema: Mapping[str, Any], known: Sequence[str] = ()) -> st.SearchStrategy[dict[str, Any]]:
    """Return arguments for a tool; ``known`` are ids that there are."""
    fitting = {name: _mostly(values(inner, known), json_values) for name, inner in schema.get("properties", {}).items()}
    required = {name: fitting[name] for name in schema.get("required", ()) if name in fitting}
    others = {name: value for name, value in fitting.items() if name not in required}
    plausible = st.fixed_dictionaries(required, optional=others)
    incomplete = st.fixed_dictionaries({}, optional=fitting)
    strange = st.builds(
        lambda given, more: {**given, **more}, plausible, st.dictionaries(st.text(max_size=8), json_values)
    )
    return _mostly(plausible, incomplete | strange)


def values(schema: Mapping[str, Any], known: Sequence[str] = ()) -> st.SearchStrategy[Any]:
    """Return values that a schema describes, and some just beyond its bounds."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return st.one_of(*(values(each, known) for each in schema[key]))
    kinds = schema.get("type", ())
    if not isinstance(kinds, str):
        return st.one_of(*(values({**schema, "type": each}, known) for each in kinds)) if kinds else json_values
    match kinds:
        case "string":
            return st.sampled_from(ODD) | st.text(max_size=40) | (st.sampled_from(known) if known else st.nothing())
        case "integer":
            low, high = schema.get("minimum", -10), schema.get("maximum", 1000)
            return st.integers(low, high) | st.sampled_from([low - 1, high + 1])
        case "number":
            low, high = schema.get("minimum", -10), schema.get("maximum", 1000)
            return st.floats(low, high) | st.sampled_from([low - 1, high + 1])
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(values(schema.get("items", {}), known), max_size=4)
        case "object":
            properties = schema.get("properties")
            if properties:
                return st.fixed_dictionaries(
                    {}, optional={name: values(each, known) for name, each in properties.items()}
                )
            return st.dictionaries(st.sampled_from(ODD[:8]) | st.text(max_size=8), json_values, max_size=4)
        case "null":
            return st.none()
        case _:
            raise AssertionError(schema)


def _mostly(usual: st.SearchStrategy[Any], rare: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 4).flatmap(lambda dice: usual if dice else rare)
