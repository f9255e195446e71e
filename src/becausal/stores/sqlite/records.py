# SPDX-License-Identifier: Apache-2.0
"""Writing records: puts, patches and deletes."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from ...domain.records import KIND_OF, Kind, Record
from ...errors import Conflict, InvalidInput
from ...ports.batch import DropUnlinked, Patch, Put, Ref
from ..codec import CODECS
from ..columns import Flat, Form
from .links import drop_links_at
from .sql import chunks, in_list, quoted, quoted_list
from .text import drop_terms, put_terms
from .transaction import Transaction
from .vectors import drop_vectors

_KEPT_BY_STORE = ("id", "version")


@cache
def _tuple_fields(kind: Kind) -> tuple[str, ...]:
    return tuple(column.name for column in CODECS[kind].columns if column.form is Form.TUPLE)


@cache
def _upsert(kind: Kind) -> str:
    names = CODECS[kind].names
    changes = ", ".join(f"{quoted(name)} = excluded.{quoted(name)}" for name in names if name != "id")
    return (
        f"INSERT INTO {quoted(kind.value)} ({quoted_list(names)}) VALUES ({', '.join('?' * len(names))}) "
        f"ON CONFLICT (id) DO UPDATE SET {changes}"
    )


# --- puts ---------------------------------------------------------------------------------------


def put_records(tx: Transaction, puts: Sequence[Put]) -> None:
    """Insert or replace records with their terms.

    Raises:
        Conflict: an expected version does not hold, or another engram has the ``content_hash``.
        InvalidInput: a record or a term cannot be stored.
    """
    by_kind: dict[Kind, list[Put]] = defaultdict(list)
    for put in puts:
        by_kind[KIND_OF[type(put.record)]].append(put)
    for kind, group in by_kind.items():
        _put_kind(tx, kind, group)


def _put_kind(tx: Transaction, kind: Kind, puts: Sequence[Put]) -> None:
    codec = CODECS[kind]
    at = codec.names.index("version")
    stored = _versions(tx, kind, [put.record.id for put in puts])
    versions = dict(stored)
    rows: list[list[Flat]] = []
    terms: dict[str, tuple[str, ...]] = {}
    kept: dict[str, Record] = {}
    for put in puts:
        id = put.record.id
        version = versions.get(id, 0)
        if put.expect_version is not None and put.expect_version != version:
            raise _version_conflict(kind, id, put.expect_version, version)
        if put.if_absent and version:
            continue
        row = codec.encode(put.record)
        row[at] = versions[id] = max(put.record.version, 1) if put.keep_version else version + 1
        rows.append(row)
        kept[id] = put.record
        if put.terms is not None:
            terms[id] = put.terms
    try:
        tx.db.executemany(_upsert(kind), rows)
    except sqlite3.IntegrityError as error:
        raise _taken(kind, error) from error
    new = versions.keys() - stored.keys()
    tx.created |= new
    tx.known[kind] |= versions.keys()
    tx.tally[kind.value] += len(new)
    for field in _tuple_fields(kind):
        _put_members(tx, kind, field, {id: getattr(record, field) for id, record in kept.items()}, new)
    if terms:
        put_terms(tx, kind, terms)


def _versions(tx: Transaction, kind: Kind, ids: Iterable[str]) -> dict[str, int]:
    versions: dict[str, int] = {}
    for chunk in chunks(ids):
        marks, params = in_list(chunk)
        rows = tx.db.execute(f"SELECT id, version FROM {quoted(kind.value)} WHERE id IN {marks}", params)
        versions.update(rows.fetchall())
    return versions


def _put_members(
    tx: Transaction, kind: Kind, field: str, items: Mapping[str, tuple[str, ...]], new: Iterable[str] = ()
) -> None:
    old = [(id, field) for id in items.keys() - set(new)]
    if old:
        tx.db.executemany("DELETE FROM member WHERE id = ? AND field = ?", old)
    rows = [(kind.value, field, value, id) for id, values in items.items() for value in dict.fromkeys(values)]
    if rows:
        tx.db.executemany("INSERT INTO member (kind, field, value, id) VALUES (?, ?, ?, ?)", rows)


def _version_conflict(kind: Kind, id: str, expected: int, version: int) -> Conflict:
    if not version:
        return Conflict(f"{kind.value} '{id}' no longer exists; version {expected} was expected")
    return Conflict(f"{kind.value} '{id}' was changed meanwhile: it has version {version}, not {expected}")


def _taken(kind: Kind, error: sqlite3.IntegrityError) -> Exception:
    if "content_hash" in str(error):
        return Conflict("another engram has the same content_hash")
    return InvalidInput(kind.value, "breaks a constraint of the store")


# --- patches ------------------------------------------------------------------------------------


def patch_records(tx: Transaction, patches: Sequence[Patch]) -> None:
    """Change fields of stored records, one patch after the other.

    Raises:
        Conflict: an expected version does not hold, or another engram has the ``content_hash``.
        InvalidInput: a field does not exist, cannot be changed, or cannot hold the value.
    """
    for patch in patches:
        codec = CODECS[patch.kind]
        params: list[Any] = []
        for name, value in patch.set.items():
            if name in _KEPT_BY_STORE:
                raise InvalidInput(name, "is kept by the store and cannot be changed")
            params.append(codec.column(name).encode(value))
        for name, by in patch.increment.items():
            params += _increment(patch, name, by)
        if stray := patch.clamp.keys() - patch.increment.keys():
            raise InvalidInput(min(stray), "is held to bounds but not incremented")
        sql = _update(patch.kind, tuple(patch.set), tuple(patch.increment), tuple(patch.clamp))
        expected = patch.expect_version
        try:
            changed = tx.db.execute(sql, [*params, patch.id, expected, expected]).rowcount
        except sqlite3.IntegrityError as error:
            raise _taken(patch.kind, error) from error
        if changed:
            for field in _tuple_fields(patch.kind):
                if field in patch.set:
                    _put_members(tx, patch.kind, field, {patch.id: patch.set[field]})  # type: ignore[dict-item]
        elif expected is not None:
            version = _versions(tx, patch.kind, [patch.id]).get(patch.id, 0)
            if version != expected:
                raise _version_conflict(patch.kind, patch.id, expected, version)


def _increment(patch: Patch, name: str, by: float) -> list[Flat]:
    column = CODECS[patch.kind].column(name)
    if column.form not in (Form.INTEGER, Form.REAL) or name in _KEPT_BY_STORE or name in patch.set:
        raise InvalidInput(name, "cannot be incremented: it must be a number, and not also be set")
    values: list[Flat] = []
    low, high = patch.clamp.get(name, (None, None))
    for value in (by, *(() if low is None else (low, high))):
        whole = isinstance(value, float) and value.is_integer() and column.form is Form.INTEGER
        values.append(column.encode(int(value) if whole else value))
    return values


@cache
def _update(kind: Kind, set_: tuple[str, ...], increment: tuple[str, ...], clamp: tuple[str, ...]) -> str:
    changes = [f"{quoted(name)} = ?" for name in set_]
    for name in increment:
        # The parameters of one field are its increment, then its bounds.
        sum_ = f"{quoted(name)} + ?"
        changes.append(f"{quoted(name)} = {f'min(max({sum_}, ?), ?)' if name in clamp else sum_}")
    changes.append("version = version + 1")
    # Without an expectation both parameters are null.
    return f"UPDATE {quoted(kind.value)} SET {', '.join(changes)} WHERE id = ? AND (? IS NULL OR version = ?)"


# --- deletes ------------------------------------------------------------------------------------


def must_have_versions(tx: Transaction, refs: Sequence[Ref]) -> None:
    """Refuse to delete what was changed meanwhile.

    Raises:
        Conflict: an expected version does not hold.
    """
    expected: dict[Kind, dict[str, int]] = defaultdict(dict)
    for ref in refs:
        if ref.expect_version is not None:
            expected[ref.kind][ref.id] = ref.expect_version
    for kind, versions in expected.items():
        for id, version in _versions(tx, kind, versions).items():
            if version != versions[id]:
                raise _version_conflict(kind, id, versions[id], version)


def delete_records(tx: Transaction, kind: Kind, ids: Sequence[str]) -> int:
    """Delete records with their vectors, terms and links, engrams with their passages; return how many went."""
    gone = 0
    for chunk in chunks(ids):
        marks, params = in_list(chunk)
        if kind is Kind.ENGRAM:
            rows = tx.db.execute(f"SELECT id FROM passage WHERE engram_id IN {marks}", params)
            delete_records(tx, Kind.PASSAGE, [id for (id,) in rows.fetchall()])
        drop_terms(tx, kind, chunk)
        drop_vectors(tx, kind, chunk)
        drop_links_at(tx, kind, chunk)
        tx.db.execute(f"DELETE FROM member WHERE kind = ? AND id IN {marks}", [kind.value, *params])
        gone += tx.db.execute(f"DELETE FROM {quoted(kind.value)} WHERE id IN {marks}", params).rowcount
    tx.tally[kind.value] -= gone
    return gone


def drop_unlinked(tx: Transaction, drops: Sequence[DropUnlinked]) -> None:
    """Delete those records that no link of the kind that would support them leads to."""
    doomed: dict[Kind, list[str]] = defaultdict(list)
    for drop in drops:
        linked = tx.db.execute("SELECT 1 FROM link WHERE dst = ? AND kind = ? LIMIT 1", (drop.id, drop.support.value))
        if linked.fetchone() is None:
            doomed[drop.kind].append(drop.id)
    for kind, ids in doomed.items():
        delete_records(tx, kind, ids)
