# SPDX-License-Identifier: Apache-2.0
"""Rows that cannot be read: finding them all at once, so that everything else can be read around them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...domain.records import Kind
from ...errors import StoreCorrupt
from ..codec import CODECS, LINK_CODEC, Codec
from .sql import quoted, quoted_list

LINK = "link"
TABLES: Mapping[str, Codec[Any]] = {**{kind.value: CODECS[kind] for kind in Kind}, LINK: LINK_CODEC}
"""The tables whose rows are records or links."""


def survey(db: sqlite3.Connection, table: str) -> dict[str, str]:
    """Return the id and the problem of every row of a table that cannot be read."""
    return {id: problem for id, problem, _ in unreadable(db, table)}


def unreadable(db: sqlite3.Connection, table: str) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
    """Yield id, problem and raw values (text as bytes) of the rows of a table that cannot be read."""
    codec = TABLES[table]
    kept = db.text_factory
    db.text_factory = bytes  # text that is not UTF-8 must not keep the rest of its row from being seen
    try:
        for raw in db.execute(f"SELECT {quoted_list(codec.names)} FROM {quoted(table)}"):
            row: list[Any] = []
            try:
                row.extend(value.decode() if isinstance(value, bytes) else value for value in raw)
            except UnicodeDecodeError as error:
                yield shown_id(raw[0]), f"its {codec.names[len(row)]} is not UTF-8 at byte {error.start}", raw
                continue
            try:
                codec.decode(row)
            except StoreCorrupt as error:
                yield shown_id(raw[0]), f"{error.__cause__ or error!r}", raw
    finally:
        db.text_factory = kept


def shown_id(value: object) -> str:
    """Return an id read as bytes as text, whatever is in it."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def readable(ids: Sequence[str], without: frozenset[str]) -> Sequence[str]:
    return [id for id in ids if id not in without] if without else ids


def leaving_out(without: frozenset[str], alias: str = "") -> tuple[str, list[str]]:
    """Return a condition that leaves out some ids, and its parameters."""
    if not without:
        return "", []
    name = f"{alias}.id" if alias else "id"
    return f" AND {name} NOT IN (SELECT value FROM json_each(?))", [json.dumps(sorted(without))]
