# SPDX-License-Identifier: Apache-2.0
"""Records and links as rows of flat values, and as JSON.

The rows are what every backend stores. The JSON is what is exported, and what a ``Change`` keeps to be
undone; nothing is lost on the way there and back.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar, cast

from ..domain.records import KIND_OF, RECORD_TYPES, Json, Kind, Link, Record
from ..errors import InvalidInput, StoreCorrupt
from .columns import Column, Flat, column

T = TypeVar("T")
R = TypeVar("R")


class Codec(Generic[T]):
    """Turns instances of one dataclass into rows and back. ``columns`` are in the order of its fields."""

    def __init__(self, cls: type[T], name: str) -> None:
        hints = typing.get_type_hints(cls)
        fields = dataclasses.fields(cast(Any, cls))
        self.name = name
        self.columns: tuple[Column, ...] = tuple(column(field.name, hints[field.name]) for field in fields)
        self.names: tuple[str, ...] = tuple(column.name for column in self.columns)
        self._cls = cls
        self._by_name = {column.name: column for column in self.columns}
        self._pick = attrgetter(*self.names)
        self._encoders = tuple(column.encode for column in self.columns)
        self._decoders = tuple((i, column.decode) for i, column in enumerate(self.columns) if column.decode)
        # Filling the slots one by one takes a third of the time of a frozen dataclass's own __init__, which
        # does nothing else as long as there is no __post_init__.
        assert not hasattr(cls, "__post_init__")
        self._setters = tuple(vars(cls)[name].__set__ for name in self.names)
        self._required = tuple(
            field.name
            for field in fields
            if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        )

    def column(self, name: str) -> Column:
        """Return a column by its field's name.

        Raises:
            InvalidInput: there is no such field.
        """
        found = self._by_name.get(name)
        if found is None:
            raise InvalidInput(name, f"is not a field of {self.name}; its fields are {', '.join(self.names)}")
        return found

    def encode(self, value: T) -> list[Flat]:
        """Return the row of a record.

        Raises:
            InvalidInput: a field holds what it cannot hold; the error names it.
        """
        return [encode(item) for encode, item in zip(self._encoders, self._pick(value), strict=True)]

    def decode(self, row: Sequence[Flat]) -> T:
        """Return the record of a row.

        Raises:
            StoreCorrupt: the row cannot have come from ``encode``.
        """
        values: list[object] = list(row)
        try:
            for i, decode in self._decoders:
                if values[i] is not None:
                    values[i] = decode(values[i])
            record = object.__new__(self._cls)
            for set_field, value in zip(self._setters, values, strict=True):
                set_field(record, value)
            return record
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise StoreCorrupt(f"a stored {self.name} cannot be read ({error!r}): {row[0]!r}") from error

    def to_json(self, value: T) -> dict[str, Json]:
        """Return all fields as JSON data."""
        return {column.name: column.to_json(item) for column, item in zip(self.columns, self._pick(value), strict=True)}

    def from_json(self, data: Mapping[str, object]) -> T:
        """Return the record; a field that is missing gets its default.

        Raises:
            InvalidInput: a field is unknown, missing without a default, or holds what it cannot hold.
        """
        values = {name: self.column(name).from_json(item) for name, item in data.items()}
        for name in self._required:
            if name not in values:
                raise InvalidInput(name, f"is missing: every {self.name} has one")
        return self._cls(**values)


CODECS: Mapping[Kind, Codec[Any]] = {kind: Codec(cls, kind.value) for kind, cls in RECORD_TYPES.items()}
LINK_CODEC: Codec[Link] = Codec(Link, "link")


# --- records and links as JSON ------------------------------------------------------------------


def record_to_json(record: Record) -> dict[str, Json]:
    """Return ``{"kind": …, every field}``."""
    kind = KIND_OF[type(record)]
    return {"kind": kind.value, **CODECS[kind].to_json(record)}


def record_from_json(data: Mapping[str, object]) -> Record:
    """Return the record that ``record_to_json`` made into ``data``.

    Raises:
        InvalidInput: the error names the field and what it must be.
    """
    fields = _object("record", data)
    return cast(Record, CODECS[_kind(fields.pop("kind", None))].from_json(fields))


def link_to_json(link: Link) -> dict[str, Json]:
    """Return every field of a link; ``kind`` is its link kind."""
    return LINK_CODEC.to_json(link)


def link_from_json(data: Mapping[str, object]) -> Link:
    """Return the link that ``link_to_json`` made into ``data``.

    Raises:
        InvalidInput: the error names the field and what it must be.
    """
    return LINK_CODEC.from_json(_object("link", data))


def _object(name: str, data: object) -> dict[str, Any]:
    if not isinstance(data, Mapping) or not all(isinstance(key, str) for key in data):
        raise InvalidInput(name, "must be an object")
    return dict(data)


def _kind(value: object) -> Kind:
    try:
        return Kind(cast(str, value))
    except ValueError:
        raise InvalidInput("kind", f"must be one of {', '.join(Kind)}") from None
