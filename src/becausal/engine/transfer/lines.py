# SPDX-License-Identifier: Apache-2.0
"""The lines of an export, each checked as if a stranger had written it."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

from ...consolidate.communities import NEXT_ID
from ...consolidate.fading import STRENGTHENED
from ...domain.records import Change, Engram, Link, Passage, Record
from ...encode.compose import retelling
from ...encode.enrichment import MODEL, sound
from ...errors import InvalidInput
from ...graphs.linking import ENDS
from ...stores.codec import link_from_json, record_from_json
from .. import validate
from .told import told

if TYPE_CHECKING:
    from ...ports.models import Tokens, Vector

FORMAT = 1
MARK = "becausal"
CARRIED = (NEXT_ID, STRENGTHENED)
"""Keys of what consolidation remembers and cannot find out again."""

LONGEST_LINE = 1 << 28  # bytes; a change that can bring back 500 long memories is one line
MAX_WIDTH = 4096
LONGEST_TEXT = validate.MAX_CONTENT


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the first line says. ``embedder`` is the one that vectors in the file come from.

    ``state`` is how far consolidation has come, by the store's keys.
    """

    user: str
    embedder: str | None
    state: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Read:
    """A line that holds a record or a link."""

    number: int
    item: Record | Link
    vector: Vector | None = None
    tokens: Tokens | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that cannot be taken, and why."""

    number: int
    why: str


@dataclass(frozen=True, slots=True)
class End:
    """The last line, which says how many records and links there must have been."""

    number: int
    records: int
    links: int


Line: TypeAlias = Read | Unread | End


def is_export(head: bytes) -> bool:
    """Tell whether the beginning of a file is that of an export."""
    return head.startswith(b'{"' + MARK.encode() + b'":')


def read_manifest(file: IO[bytes]) -> Manifest:
    """Return what the first line says.

    Raises:
        InvalidInput: it is no export, or one in a newer format than this version knows.
    """
    try:
        data = json.loads(file.readline(LONGEST_TEXT))
        if data[MARK] != "memory" or not isinstance(data["format"], int) or not isinstance(data["user"], str):
            raise InvalidInput("file", "is not an export of a memory")
    except (ValueError, LookupError, TypeError, RecursionError):
        raise InvalidInput("file", "is not an export of a memory: its first line says nothing about it") from None
    if data["format"] > FORMAT:
        raise InvalidInput(
            "file", f"has export format {data['format']}, this becausal knows formats up to {FORMAT}: use a newer one"
        )
    embedder = data.get("embedder")
    state = data.get("state")
    return Manifest(
        user=data["user"],
        embedder=embedder if isinstance(embedder, str) and data.get("vectors") is True else None,
        state={name: text for name, text in state.items() if _is_state(name, text)} if isinstance(state, dict) else {},
    )


def _is_state(name: str, text: object) -> bool:
    if not isinstance(text, str) or len(text) > 40:
        return False
    if name == NEXT_ID:
        return text.isascii() and text.isdigit()
    try:
        return name == STRENGTHENED and datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def read_lines(file: IO[bytes]) -> Iterator[Line]:
    """Yield what stands in each line after the first."""
    number = 1
    while line := file.readline(LONGEST_LINE):
        number += 1
        whole = line.endswith(b"\n")
        if not whole and len(line) >= LONGEST_LINE:
            while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            yield Unread(number, f"it is longer than {LONGEST_LINE:,} bytes")
        elif line.strip():
            yield _read(number, line)


def _read(number: int, line: bytes) -> Line:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Unread(number, f"it is not JSON ({error})")
    try:
        match data:
            case {"record": dict() as found}:
                return Read(number, _record(found), _vector(data.get("vector")), _tokens(data))
            case {"link": dict() as found}:
                return Read(number, _link(found))
            case {"end": {"records": dict() as counted, "links": int() as links}}:
                if all(isinstance(n, int) for n in counted.values()):
                    return End(number, sum(counted.values()), links)
    except (InvalidInput, RecursionError) as error:
        return Unread(number, str(error))
    return Unread(number, "it holds neither a record nor a link")


def _vector(text: object) -> Vector | None:
    if text is None:
        return None
    import numpy as np

    try:
        vector = np.frombuffer(base64.b64decode(cast(str, text), validate=True), dtype="<f4").astype(np.float32)
    except (TypeError, ValueError, binascii.Error):
        raise InvalidInput("vector", "must be base64 of 32-bit floats") from None
    if not vector.size or not np.isfinite(vector).all():
        raise InvalidInput("vector", "must hold finite numbers")
    return vector


def _tokens(data: Mapping[str, Any]) -> Tokens | None:
    if data.get("tokens") is None:
        return None
    import numpy as np

    width = data.get("width")
    try:
        rows = np.frombuffer(base64.b64decode(data["tokens"], validate=True), np.int8)
        if not isinstance(width, int) or not 0 < width <= MAX_WIDTH or rows.size % width:
            raise InvalidInput("width", "must divide the tokens evenly")
    except (TypeError, ValueError, binascii.Error):
        raise InvalidInput("tokens", "must be base64 of bytes") from None
    return rows.reshape(-1, width)


def _record(data: dict[str, Any]) -> Record:
    record = record_from_json({**data, "version": 0})
    _check_texts(record)
    match record:
        case Engram():
            return _engram(record)
        case Change():
            return _change(record)
        case Passage() if not 0 <= record.start < record.end or record.position < 0:
            raise InvalidInput("passage", "must begin before it ends")
        case _:
            return record


def _engram(engram: Engram) -> Engram:
    validate.content(engram.content)
    validate.importance(engram.importance)
    if engram.told:
        if stray := engram.told.keys() - {"entities", "causes", "facts", MODEL}:
            raise InvalidInput("told", f"must not hold {min(stray)!r}")
        given = {name: engram.told.get(name) for name in ("entities", "causes", "facts")}
        told(**given, zone=UTC, anchor=engram.at)
        sound(engram.told.get(MODEL, {}))
    # What makes two memories the same is this version's to say.
    return replace(engram, content_hash=retelling(engram).content_hash)


def _link(data: dict[str, Any]) -> Link:
    link = link_from_json(data)
    _check_texts(link)
    froms, tos = ENDS[link.kind]
    if link.src_kind not in froms or link.dst_kind not in tos:
        raise InvalidInput("link", f"{link.kind} does not join {link.src_kind} and {link.dst_kind}")
    return link


def _check_texts(item: Record | Link) -> None:
    """Refuse what no surface would have taken: ids that are none, NUL, halves of surrogate pairs, endless text."""
    for each in fields(item):
        value = getattr(item, each.name)
        if each.name in ("id", "src", "dst", "engram_id"):
            validate.identifier(value, each.name)
        elif isinstance(value, str) and value.strip():
            validate.text(value, each.name, longest=LONGEST_TEXT, what="bytes")
        elif isinstance(value, tuple):
            for text in value:
                validate.text(text, each.name, longest=LONGEST_TEXT, what="bytes")
        elif isinstance(value, Mapping):
            _check_json(value, each.name)


def _check_json(value: Mapping[str, object], name: str) -> None:
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError):
        raise InvalidInput(name, "must hold only JSON values (no NaN, no lone surrogates)") from None


def _change(change: Change) -> Change:
    """Return a change that ``undo`` can take back."""
    lists = [change.inverse.get(name) for name in ("engrams", "links", "healed")]
    if not all(isinstance(each, list) for each in lists):
        raise InvalidInput("inverse", "must hold lists of engrams, links and healed links")
    engrams, links, _ = cast("list[list[Any]]", lists)
    for each in engrams:
        record_from_json(each)
    for each in links:
        link_from_json(each)
    return change
