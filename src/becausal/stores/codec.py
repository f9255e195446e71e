# SPDX-License-Identifier: Apache-2.0
"""Records and links as rows of flat values, and records, links and whole batches as JSON.

The rows are what every backend stores. The JSON is what is exported, and what a ``Change`` keeps to be
undone; nothing is lost on the way there and back.
"""

from __future__ import annotations

import base64
import dataclasses
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar, cast

from ..domain.records import KIND_OF, RECORD_TYPES, Json, Kind, Link, Record
from ..errors import InvalidInput, StoreCorrupt
from ..ports.store import Batch, Grant, Patch, Put, PutLink, PutVector, Ref, Space, WeakenLink
from .columns import Column, Flat, column

if typing.TYPE_CHECKING:
    from ..ports.models import Tokens, Vector

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


# --- batches as JSON ----------------------------------------------------------------------------


def batch_to_json(batch: Batch) -> dict[str, Json]:
    """Return a batch as JSON data; parts that are empty are left out. Vectors are base64, float32, little-endian."""
    parts: dict[str, Json] = {
        "deletes": [[ref.kind.value, ref.id] for ref in batch.deletes],
        "unlinks": list(batch.unlinks),
        "weaken": [{"id": item.id, "by": item.by, "source": item.source} for item in batch.weaken],
        "puts": [_put_to_json(put) for put in batch.puts],
        "patches": [_patch_to_json(patch) for patch in batch.patches],
        "vectors": [_put_vector_to_json(item) for item in batch.vectors],
        "links": [{"link": link_to_json(item.link), "merge": item.merge} for item in batch.links],
        "release": [[kind, id] for kind, id in batch.release],
        "grants": [[grant.kind, grant.id, grant.holder, grant.ttl] for grant in batch.grants],
        "meta": dict(batch.meta),
    }
    return {name: part for name, part in parts.items() if part}


def batch_from_json(data: Mapping[str, object]) -> Batch:
    """Return the batch that ``batch_to_json`` made into ``data``.

    Raises:
        InvalidInput: it cannot have made it; the error names the part or the field.
    """
    rest = _object("batch", data)

    def part(name: str, read: Callable[[Any], R]) -> tuple[R, ...]:
        items = rest.pop(name, ())
        if not isinstance(items, Iterable) or isinstance(items, str | Mapping):
            raise InvalidInput(name, "must be a list")
        try:
            return tuple(read(item) for item in items)
        except (LookupError, TypeError, ValueError) as error:
            raise InvalidInput(name, f"is not what a batch is written as ({error!r})") from error

    batch = Batch(
        deletes=part("deletes", lambda item: Ref(_kind(item[0]), _text(item[1]))),
        unlinks=part("unlinks", _text),
        weaken=part("weaken", lambda item: WeakenLink(**item)),
        puts=part("puts", lambda item: Put(record_from_json(item["record"]), _terms(item["terms"]), **_rest(item))),
        patches=part("patches", _patch_from_json),
        vectors=part(
            "vectors",
            lambda item: PutVector(
                _kind(item["kind"]),
                _text(item["id"]),
                _vector_from_text(item["vector"]),
                Space(item.get("space", Space.MODEL)),
                _tokens_from_json(item.get("tokens")),
            ),
        ),
        links=part("links", lambda item: PutLink(link_from_json(item["link"]), _merge(item["merge"]))),
        release=part("release", lambda item: (_text(item[0]), _text(item[1]))),
        grants=part("grants", lambda item: Grant(_text(item[0]), _text(item[1]), _text(item[2]), _seconds(item[3]))),
        meta=_meta(rest.pop("meta", {})),
    )
    if rest:
        raise InvalidInput(next(iter(rest)), "is not a part of a batch")
    return batch


def _put_vector_to_json(put: PutVector) -> Json:
    data: dict[str, Json] = {"kind": put.kind.value, "id": put.id, "vector": _vector_to_text(put.vector)}
    if put.space.value:
        data["space"] = put.space.value
    if put.tokens is not None:
        data["tokens"] = [put.tokens.shape[1], base64.b64encode(put.tokens.tobytes()).decode("ascii")]
    return data


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"must be a number, not {type(value).__name__}")
    return float(value)


def _put_to_json(put: Put) -> Json:
    return {
        "record": record_to_json(put.record),
        "terms": None if put.terms is None else list(put.terms),
        "if_absent": put.if_absent,
        "expect_version": put.expect_version,
    }


def _rest(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in ("record", "terms")}


def _patch_to_json(patch: Patch) -> Json:
    codec = CODECS[patch.kind]
    return {
        "kind": patch.kind.value,
        "id": patch.id,
        "set": {name: codec.column(name).to_json(value) for name, value in patch.set.items()},
        "increment": {name: float(by) for name, by in patch.increment.items()},
        "clamp": {name: [float(low), float(high)] for name, (low, high) in patch.clamp.items()},
        "expect_version": patch.expect_version,
    }


def _patch_from_json(item: Mapping[str, Any]) -> Patch:
    kind = _kind(item["kind"])
    return Patch(
        kind,
        _text(item["id"]),
        {name: CODECS[kind].column(name).from_json(value) for name, value in item["set"].items()},
        {name: float(by) for name, by in item["increment"].items()},
        {name: (float(low), float(high)) for name, (low, high) in item["clamp"].items()},
        item["expect_version"],
    )


def _vector_to_text(vector: Vector | None) -> str | None:
    return None if vector is None else base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")


def _vector_from_text(text: str | None) -> Vector | None:
    if text is None:
        return None
    import numpy as np

    return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4").astype(np.float32)


def _tokens_from_json(item: list[Any] | None) -> Tokens | None:
    if item is None:
        return None
    import numpy as np

    width, text = item
    return np.frombuffer(base64.b64decode(text, validate=True), dtype=np.int8).reshape(-1, int(width))


def _object(name: str, data: object) -> dict[str, Any]:
    if not isinstance(data, Mapping) or not all(isinstance(key, str) for key in data):
        raise InvalidInput(name, "must be an object")
    return dict(data)


def _meta(data: object) -> dict[str, str | None]:
    meta = _object("meta", data)
    if not all(value is None or isinstance(value, str) for value in meta.values()):
        raise InvalidInput("meta", "must hold text or null only")
    return meta


def _kind(value: object) -> Kind:
    try:
        return Kind(cast(str, value))
    except ValueError:
        raise InvalidInput("kind", f"must be one of {', '.join(Kind)}") from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("text is expected")
    return value


def _terms(value: Any) -> tuple[str, ...] | None:
    return None if value is None else tuple(_text(term) for term in value)


def _merge(value: Any) -> Any:
    if value not in ("replace", "add", "keep"):
        raise InvalidInput("merge", "must be one of replace, add, keep")
    return value
