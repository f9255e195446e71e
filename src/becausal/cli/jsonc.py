# SPDX-License-Identifier: Apache-2.0
"""Editing JSON that people write: one entry is put in or taken out, and every other character stays.

Comments and trailing commas are read as VS Code and Zed read them. What is changed is read again
afterwards, so that an edit either does what it should or is refused.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

DEEPEST = 64
_BLANK = re.compile(r"(?:[ \t\r\n]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_REST_OF_LINE = re.compile(r"(?:[ \t]|/\*[^\n]*?\*/)*(?://[^\n\r]*)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


class Unreadable(ValueError):
    """The text is not JSON, not even with comments; the message says where."""


@dataclass(slots=True)
class Member:
    """One member of an object: where its key begins, its value, and the comma behind it if there is one."""

    start: int
    node: Node
    comma: int | None = None


@dataclass(slots=True)
class Node:
    """A value and where it stands in the text."""

    start: int
    end: int
    value: Any
    members: dict[str, Member] = field(default_factory=dict)


def read(text: str) -> Node:
    """Return the one value of ``text``.

    Raises:
        Unreadable: it is not JSON, names a key twice in an object, or is nested deeper than ``DEEPEST``.
    """
    node = _value(text, _skip(text, 0), 0)
    end = _skip(text, node.end)
    if end != len(text):
        raise _wrong(text, end, "something follows the end")
    return node


def put(text: str, section: str, name: str, entry: Any) -> str:
    """Return ``text`` with ``entry`` as member ``name`` of the object ``section``, both made where they are missing.

    Raises:
        Unreadable: the text, or what it would become, cannot be read.
    """
    if not text.strip():
        return json.dumps({section: {name: entry}}, indent=2, ensure_ascii=False) + "\n"
    root = _object(read(text), "the file")
    unit = _unit(text, root)
    if section not in root.members:
        changed = _insert(text, root, section, {name: entry}, unit)
    else:
        place = _object(root.members[section].node, f'"{section}"')
        if name in place.members:
            old = place.members[name].node
            told = _as_in(text, _dump(entry, _indent(text, place.members[name].start), unit))
            changed = text[: old.start] + told + text[old.end :]
        else:
            changed = _insert(text, place, name, entry, unit)
    expected = {**root.value, section: {**root.value.get(section, {}), name: entry}}
    return _checked(changed, expected)


def take(text: str, section: str, name: str | None) -> str:
    """Return ``text`` without member ``name`` of the object ``section``; without the section if that is ``None``."""
    root = _object(read(text), "the file")
    expected = dict(root.value)
    if name is None:
        del expected[section]
        return _checked(_remove(text, root, section), expected)
    place = _object(root.members[section].node, f'"{section}"')
    expected[section] = {key: value for key, value in place.value.items() if key != name}
    return _checked(_remove(text, place, name), expected)


def _checked(text: str, expected: Any) -> str:
    if read(text).value != expected:
        raise Unreadable("it is written in a way that cannot be edited safely")
    return text


def _object(node: Node, what: str) -> Node:
    if not isinstance(node.value, dict):
        raise Unreadable(f"{what} is not an object")
    return node


def _insert(text: str, place: Node, name: str, value: Any, unit: str) -> str:
    outer = _indent(text, place.start)
    members = list(place.members.values())
    inner = outer + unit
    if members and text[: members[0].start].rpartition("\n")[2].strip() == "":
        inner = _indent(text, members[0].start)
    told = _as_in(text, f"\n{inner}{json.dumps(name)}: {_dump(value, inner, unit)}")
    comma = bool(members) and members[-1].comma is not None
    if not members:
        head, at = text[: place.start + 1], place.start + 1
    elif comma:
        at = (members[-1].comma or 0) + 1
        head = text[:at]
    else:
        at = members[-1].node.end
        head = text[:at] + ","
    rest = _REST_OF_LINE.match(text, at)
    stop = min(rest.end() if rest else at, place.end - 1)
    between = text[at:stop] if text[at:stop].strip() else ""
    tail = text[stop:]
    if "\n" not in text[stop : place.end - 1]:
        tail = _as_in(text, "\n" + outer) + tail.lstrip(" \t")
    return head + between + told + ("," if comma else "") + tail


def _remove(text: str, place: Node, name: str) -> str:
    members = list(place.members)
    member = place.members[name]
    start, end = member.start, member.node.end
    earlier = None
    if member.comma is not None:
        end = member.comma + 1
    elif len(members) > 1:
        earlier = place.members[members[members.index(name) - 1]].comma
    line = text.rfind("\n", 0, start) + 1
    if not text[line:start].strip():
        start = line
        following = re.compile(r"[ \t]*\r?\n").match(text, end)
        end = following.end() if following else end
    kept = text[:start] if earlier is None else text[:earlier] + text[earlier + 1 : start]
    return kept + text[end:]


def _dump(value: Any, indent: str, unit: str) -> str:
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return ("\n" + indent).join(lines)


def _as_in(text: str, added: str) -> str:
    """Return lines to be added, ending as lines of ``text`` do."""
    return added.replace("\n", "\r\n") if "\r\n" in text else added


def _indent(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str, root: Node) -> str:
    for member in root.members.values():
        found = _indent(text, member.start)
        if found and "\n" in text[: member.start]:
            return found
    return "  "


def _skip(text: str, position: int) -> int:
    found = _BLANK.match(text, position)
    return found.end() if found else position


def _wrong(text: str, position: int, problem: str) -> Unreadable:
    return Unreadable(f"line {text.count(chr(10), 0, position) + 1}: {problem}")


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise _wrong(text, at, "it is nested too deeply")
    match text[at : at + 1]:
        case "{":
            return _read_object(text, at, depth)
        case "[":
            return _read_list(text, at, depth)
        case '"':
            return _read_string(text, at)
    found = _SCALAR.match(text, at)
    if found is None:
        raise _wrong(text, at, "a value is missing or no JSON")
    return Node(at, found.end(), json.loads(found[0]))


def _read_string(text: str, at: int) -> Node:
    found = _STRING.match(text, at)
    try:
        return Node(at, found.end(), json.loads(found[0])) if found else _raise(text, at)
    except json.JSONDecodeError:
        return _raise(text, at)


def _raise(text: str, at: int) -> Node:
    raise _wrong(text, at, "a text is not written as JSON writes it")


def _read_object(text: str, at: int, depth: int) -> Node:
    node = Node(at, at, {})
    last: Member | None = None
    here = _skip(text, at + 1)
    while text[here : here + 1] != "}":
        if last is not None and last.comma is None:
            raise _wrong(text, here, "a comma is missing")
        if text[here : here + 1] != '"':
            raise _wrong(text, here, "a name in quotes is missing")
        name = _read_string(text, here)
        colon = _skip(text, name.end)
        if text[colon : colon + 1] != ":":
            raise _wrong(text, colon, "a colon is missing")
        if name.value in node.members:
            raise _wrong(text, here, f'"{name.value}" stands there twice')
        value = _value(text, _skip(text, colon + 1), depth + 1)
        last = node.members[name.value] = Member(here, value)
        node.value[name.value] = value.value
        here = _skip(text, value.end)
        if text[here : here + 1] == ",":
            last.comma = here
            here = _skip(text, here + 1)
    node.end = here + 1
    return node


def _read_list(text: str, at: int, depth: int) -> Node:
    node = Node(at, at, [])
    here, may_go_on = _skip(text, at + 1), True
    while text[here : here + 1] != "]":
        if not may_go_on:
            raise _wrong(text, here, "a comma is missing")
        value = _value(text, here, depth + 1)
        node.value.append(value.value)
        here = _skip(text, value.end)
        may_go_on = text[here : here + 1] == ","
        here = _skip(text, here + 1) if may_go_on else here
    node.end = here + 1
    return node
