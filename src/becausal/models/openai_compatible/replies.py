# SPDX-License-Identifier: Apache-2.0
"""A JSON object out of what a chat model wrote: fenced, talked around, broken off, or as it should be."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

LONGEST = 200_000
"""Characters of an answer that are read."""

DEEPEST = 40
"""Brackets within brackets."""

_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.I | re.S)
_FENCE = re.compile(r"```[\w-]*\s*\n?(.*?)(?:```|\Z)", re.S)
_DECODER = json.JSONDecoder(parse_constant=lambda name: None)
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


class Unreadable(ValueError):
    """There is no JSON object of the form asked for; the message says what is wrong, as a noun."""


def read_object(text: str, schema: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return the JSON object in a text, and whether it was broken off and had to be closed.

    Raises:
        Unreadable: there is none, or it lacks a required member or has it with another type.
    """
    text = _THOUGHTS.sub("", text[:LONGEST]).strip()
    if not text:
        raise Unreadable("no text")
    fenced = _FENCE.search(text)
    problem = "no JSON object"
    for part in filter(None, (fenced[1] if fenced else None, text)):
        start = part.find("{")
        if start < 0:
            continue
        found, cut = _decode(part[start:])
        if found is None:
            problem = "JSON that cannot be read"
            continue
        if (wrong := misfit(found, schema)) is None:
            return found, cut
        problem = wrong
    raise Unreadable(problem)


def misfit(found: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    """Return what a JSON object lacks of a schema: only its members are looked at, not what is in them."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in found:
            return f"JSON without {name!r}"
    for name, value in found.items():
        kinds = properties.get(name, {}).get("type")
        kinds = [kinds] if isinstance(kinds, str) else kinds or list(_TYPES)
        types = tuple(each for kind in kinds for each in _TYPES[kind])
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            return f"JSON whose {name!r} is no {' or '.join(kinds)}"
    return None


def _decode(text: str) -> tuple[dict[str, Any] | None, bool]:
    for candidate, cut in ((text, False), (_closed(text), True)):
        if candidate is None:
            continue
        try:
            found, _ = _DECODER.raw_decode(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found, cut
    return None, False


def _closed(text: str) -> str | None:
    """Return JSON that breaks off, without its last member where that is incomplete, and with its brackets closed.

    Commas before a closing bracket are taken out. ``None`` where it is no such thing.
    """
    kept: list[str] = []
    open_: list[str] = []
    safe: tuple[int, tuple[str, ...]] | None = None  # where it may be cut, and what is open there
    quoted = escaped = False
    before = ""  # the last mark outside of texts: behind a colon, or in a list, a text is a value
    for letter in text:
        if quoted:
            kept.append(letter)
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                quoted = False
                if open_ and (before == ":" or open_[-1] == "]"):
                    safe = (len(kept), tuple(open_))
            continue
        before = before if letter.isspace() or letter == '"' else letter
        match letter:
            case '"':
                quoted = True
            case "{" | "[":
                if len(open_) == DEEPEST:
                    return None
                open_.append("}" if letter == "{" else "]")
            case "}" | "]":
                if not open_ or open_.pop() != letter:
                    return None
                _drop_comma(kept)
            case ",":
                safe = (len(kept), tuple(open_))
        kept.append(letter)
        if letter in "}]":
            if not open_:
                return "".join(kept)
            safe = (len(kept), tuple(open_))
        elif letter in "{[":
            safe = (len(kept), tuple(open_))
    if safe is None:
        return None
    length, closing = safe
    return "".join(kept[:length]) + "".join(reversed(closing))


def _drop_comma(kept: list[str]) -> None:
    at = len(kept)
    while at and kept[at - 1].isspace():
        at -= 1
    if at and kept[at - 1] == ",":
        del kept[at - 1]
