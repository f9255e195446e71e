# SPDX-License-Identifier: Apache-2.0
"""Fields of the record dataclasses as flat values that any database can hold, and as JSON.

What a field looks like is read off its annotation, so that a new field of a record needs no change here:

=====================  ==============================  ==========================
annotation             flat                            JSON
=====================  ==============================  ==========================
``str``                text                            string
``int``                integer, 64 bits, signed        number
``float``              real, finite                    number
``bool``               0 or 1                          true or false
``datetime``           microseconds since 1970, UTC    ISO 8601 string, UTC
a ``StrEnum``          text: its value                 string
``tuple[str, ...]``    text: a JSON list               list of strings
``Mapping[str, …]``    text: a JSON object             object
``… | None``           null                            null
=====================  ==============================  ==========================
"""

from __future__ import annotations

import collections.abc
import json
import math
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, StrEnum
from json.encoder import encode_basestring
from numbers import Integral, Real
from typing import Any, TypeAlias

from ..domain.records import Json
from ..errors import InvalidInput

Flat: TypeAlias = str | int | float | None

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_to_text: Callable[[object], str] = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_from_text: Callable[[str], tuple[Any, int]] = json.JSONDecoder().raw_decode


class Form(Enum):
    """What sort of value a field holds."""

    TEXT = "text"
    INTEGER = "a whole number"
    REAL = "a finite number"
    BOOL = "true or false"
    TIME = "an aware datetime"
    CHOICE = "one of its choices"
    TUPLE = "a tuple of text"
    MAPPING = "a mapping from text to JSON values"


@dataclass(frozen=True, slots=True)
class Column:
    """One field. ``decode`` is ``None`` where the flat value is the value itself."""

    name: str
    form: Form
    nullable: bool
    encode: Callable[[object], Flat]
    decode: Callable[[Any], object] | None

    def to_json(self, value: object) -> Json:
        """Return the value as JSON data; it must be one that ``encode`` takes.

        Raises:
            InvalidInput: the field cannot hold the value.
        """
        flat = self.encode(value)
        if value is None:
            return None
        match self.form:
            case Form.TIME:
                return typing.cast(datetime, value).astimezone(UTC).isoformat()
            case Form.BOOL:
                return bool(flat)
            case Form.TUPLE | Form.MAPPING:
                return typing.cast(Json, json.loads(typing.cast(str, flat)))
            case _:
                return flat

    def from_json(self, data: object) -> object:
        """Return the value that ``to_json`` made into ``data``.

        Raises:
            InvalidInput: it cannot have made it.
        """
        value = data
        if self.form is Form.TIME and isinstance(data, str):
            try:
                value = datetime.fromisoformat(data)
            except ValueError:
                raise InvalidInput(self.name, "must be an ISO 8601 time with a UTC offset") from None
        elif self.form is Form.TUPLE and isinstance(data, list):
            value = tuple(data)
        flat = self.encode(value)
        return value if flat is None or self.decode is None else self.decode(flat)


def column(name: str, annotation: Any) -> Column:
    """Return the column of a field from its resolved annotation."""
    nullable = False
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        nullable = type(None) in typing.get_args(annotation)
        (annotation,) = (arg for arg in typing.get_args(annotation) if arg is not type(None))
    form, encode, decode = _converters(name, annotation)
    return Column(name, form, nullable, _or_null(encode) if nullable else encode, decode)


def _or_null(encode: Callable[[object], Flat]) -> Callable[[object], Flat]:
    return lambda value: None if value is None else encode(value)


def _converters(name: str, annotation: Any) -> tuple[Form, Callable[[object], Flat], Callable[[Any], object] | None]:
    def refuse(problem: str) -> InvalidInput:
        return InvalidInput(name, problem)

    def text(value: object) -> str:
        if type(value) is str:
            return value
        if isinstance(value, str):
            return str.__str__(value)
        raise refuse("must be text")

    def integer(value: object) -> int:
        if isinstance(value, Integral) and not isinstance(value, bool):
            number = int(value)
            if -(1 << 63) <= number < 1 << 63:
                return number
        raise refuse("must be a whole number of at most 64 bits")

    def real(value: object) -> float:
        if type(value) is float and math.isfinite(value):
            return value
        if isinstance(value, Real) and not isinstance(value, bool):
            try:
                number = float(value)
            except OverflowError:
                number = math.inf
            if math.isfinite(number):
                return number
        raise refuse("must be a finite number")

    def boolean(value: object) -> int:
        if value is True or value is False:
            return int(value)
        raise refuse("must be true or false")

    def time(value: object) -> int:
        if isinstance(value, datetime) and value.tzinfo is not None:
            return (value - EPOCH) // _MICROSECOND
        raise refuse("must be a time with a UTC offset")

    def strings(value: object) -> str:
        if value == ():
            return "[]"
        if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
            return f"[{','.join(map(encode_basestring, value))}]"
        raise refuse("must be a tuple of text")

    def mapping(value: object) -> str:
        if not isinstance(value, collections.abc.Mapping):
            raise refuse("must be a mapping")
        if not value:
            return "{}"
        try:
            return _to_text(dict(value))
        except (TypeError, ValueError, RecursionError):
            raise refuse("must hold only JSON values: no NaN, no infinity, no other types, not too deep") from None

    if typing.get_origin(annotation) is tuple:
        return Form.TUPLE, strings, _to_tuple
    if typing.get_origin(annotation) is collections.abc.Mapping:
        return Form.MAPPING, mapping, _to_mapping
    if issubclass(annotation, StrEnum):
        choices = {member.value: member for member in annotation}
        texts: dict[str, str] = {text: text for text in choices}

        def choice(value: object) -> str:
            if isinstance(value, str) and (plain := texts.get(value)) is not None:
                return plain
            raise refuse(f"must be one of {', '.join(choices)}")

        return Form.CHOICE, choice, choices.__getitem__
    simple: dict[Any, tuple[Form, Callable[[object], Flat], Callable[[Any], object] | None]] = {
        str: (Form.TEXT, text, None),
        int: (Form.INTEGER, integer, None),
        float: (Form.REAL, real, None),
        bool: (Form.BOOL, boolean, bool),
        datetime: (Form.TIME, time, _to_time),
    }
    return simple[annotation]


def _to_time(micros: int) -> datetime:
    return EPOCH + timedelta(microseconds=micros)


def _to_tuple(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(_from_text(text)[0])


def _to_mapping(text: str) -> dict[str, Json]:
    return {} if text == "{}" else dict(_from_text(text)[0])
