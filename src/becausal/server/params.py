# SPDX-License-Identifier: Apache-2.0
"""A tool's parameters: one table that declares them to clients and reads what clients send."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..engine import validate
from ..errors import InvalidInput
from .errors import BadArguments

Reader = Callable[[object], Any]

MANY_TEXTS = 100
MANY = 20
"""Unknown arguments that are named one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """One named argument. ``read`` returns the value to use, or raises ``InvalidInput``.

    ``required`` only declares it: what is said when it is missing is the tool's own business. What must
    be ``given`` is refused without it.
    """

    name: str
    schema: Mapping[str, Any]
    read: Reader = field(repr=False)
    required: bool = False
    given: bool = False


def text(name: str, about: str = "", *, longest: int = validate.MAX_NAME, required: bool = False) -> Param:
    """Any text up to ``longest`` characters; blank text counts as not given."""

    def read(value: object) -> str | None:
        if isinstance(value, str) and not value.strip():
            return None
        return validate.text(value, name, longest=longest)

    return Param(name=name, schema=_schema("string", about), read=read, required=required)


def words(name: str, about: str = "", *, longest: int = validate.MAX_NAME, required: bool = True) -> Param:
    """Text that must not be blank and, where it is required, must be given."""
    return Param(
        name=name,
        schema=_schema("string", about) | {"minLength": 1},
        read=lambda value: validate.text(value, name, longest=longest).strip(),
        required=required,
        given=required,
    )


def texts(
    name: str,
    about: str = "",
    *,
    least: int = 0,
    most: int = MANY_TEXTS,
    longest: int = validate.MAX_NAME,
) -> Param:
    """A list of texts, none of them blank; with a ``least`` number it must be given."""

    def read(value: object) -> tuple[str, ...]:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise InvalidInput(name, f"must be a list of texts, got {value!r:.40}")
        if not least <= len(value) <= most:
            raise InvalidInput(name, f"must hold from {least} to {most} texts, got {len(value)}")
        return tuple(validate.text(item, f"{name}.{at}", longest=longest).strip() for at, item in enumerate(value))

    schema = {**_schema("array", about), "items": {"type": "string"}} | ({"minItems": least} if least else {})
    return Param(name=name, schema=schema, read=read, required=least > 0, given=least > 0)


def number(name: str, low: float, high: float, about: str = "", **extra: Any) -> Param:
    """A number from ``low`` to ``high``."""

    def read(value: object) -> float:
        value = _bounded(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise InvalidInput(name, f"must be a number from {low:g} to {high:g}, got {value!r:.40}")
        return float(value)

    schema = {**_schema("number", about), "minimum": low, "maximum": high, **extra}
    return Param(name=name, schema=schema, read=read)


def content(about: str, *, required: bool = False) -> Param:
    """The text of a memory, as it is. Where it is required, blank text counts as not given."""

    def read(value: object) -> str | None:
        if required and isinstance(value, str) and not value.strip():
            return None
        return validate.content(value)

    return Param(name="content", schema=_schema("string", about), read=read, required=required)


def importance() -> Param:
    schema = {"type": "number", "minimum": 0, "maximum": 1}
    return Param(name="importance", schema=schema, read=lambda value: validate.importance(_bounded(value)))


def tags(about: str = "Comma-separated") -> Param:
    """Tags as comma-separated text; an array of texts is read as well, for clients that send one."""
    return Param(name="tags", schema=_schema("string", about), read=validate.tags)


def whole(name: str, low: int, high: int, about: str = "", **extra: Any) -> Param:
    """A whole number from ``low`` to ``high``; 5.0 is one, "5" is not."""
    schema = {**_schema("number", about), "minimum": low, "maximum": high, **extra}
    return Param(name=name, schema=schema, read=lambda value: validate.integer(_bounded(value), name, low, high))


def raw(name: str, about: str = "", *, longest: int = validate.MAX_CONTENT) -> Param:
    """Text as it is, which may be empty, of up to ``longest`` bytes; it must be given."""

    def read(value: object) -> str:
        if isinstance(value, str) and not value.strip():
            return value
        return validate.text(value, name, longest=longest, what="bytes")

    return Param(name=name, schema=_schema("string", about), read=read, required=True, given=True)


def flag(name: str, about: str = "") -> Param:
    def read(value: object) -> bool:
        if not isinstance(value, bool):
            raise InvalidInput(name, f"must be true or false, got {value!r:.40}")
        return value

    return Param(name=name, schema=_schema("boolean", about), read=read)


def choice(name: str, options: type[StrEnum], about: str = "", *, required: bool = False, **extra: Any) -> Param:
    """One of the values of an enumeration; where it is required it must be given."""
    schema = {**_schema("string", about), "enum": [option.value for option in options], **extra}
    return Param(
        name=name,
        schema=schema,
        read=lambda value: validate.choice(value, name, options),
        required=required,
        given=required,
    )


def one_of(name: str, options: Sequence[str], about: str = "", *, required: bool = False, **extra: Any) -> Param:
    """Declares ``options``, and reads any text: the tool has its own words for an unknown one."""

    def read(value: object) -> str | None:
        if not isinstance(value, str):
            raise InvalidInput(name, f"must be one of {', '.join(options)}, got {value!r:.40}")
        return validate.text(value, name, longest=validate.MAX_NAME).strip() if value.strip() else None

    schema = {**_schema("string", about), "enum": list(options), **extra}
    return Param(name=name, schema=schema, read=read, required=required)


def metadata(name: str = "metadata") -> Param:
    return Param(name=name, schema={"type": "object"}, read=lambda value: validate.metadata(value, name))


def input_schema(params: Sequence[Param]) -> dict[str, Any]:
    """Return the JSON Schema of an object with these parameters and no others."""
    return {
        "type": "object",
        "properties": {param.name: dict(param.schema) for param in params},
        "required": [param.name for param in params if param.required],
        "additionalProperties": False,
    }


def read_arguments(params: Sequence[Param], given: Mapping[str, object]) -> dict[str, Any]:
    """Return the arguments by name, leaving out what was not given, was null or was blank.

    Raises:
        BadArguments: with every argument that is unknown, of a wrong type or out of range.
    """
    known = {param.name: param for param in params}
    values: dict[str, Any] = {}
    unknown = [name[:80].encode(errors="backslashreplace").decode() for name in given if name not in known]
    problems = [(name, "unknown argument") for name in unknown[:MANY]]
    if unknown:
        problems.append(("input", f"the arguments are {', '.join(known)}"))
    for name, value in given.items():
        if name in known and value is not None:
            try:
                read = known[name].read(value)
            except InvalidInput as error:
                problems.append((error.field, error.problem))
            else:
                if read is not None:
                    values[name] = read
    missing = [param.name for param in params if param.given and given.get(param.name) is None]
    problems += [(name, "is required") for name in missing]
    if problems:
        raise BadArguments(problems)
    return values


def _bounded(value: object) -> object:
    """Return infinity for a whole number that no float can hold: JSON sets no limit to its digits."""
    if isinstance(value, int) and value.bit_length() > 1_000:
        return math.inf if value > 0 else -math.inf
    return value


def _schema(kind: str, about: str) -> dict[str, Any]:
    return {"type": kind, "description": about} if about else {"type": kind}
