# SPDX-License-Identifier: Apache-2.0
"""The formats by name, and which one a file or folder is in."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from . import basic_memory, conversations, documents, ladybug, lines, pmll, polyg, server_memory, smriti
from .databases import Address, opener
from .decoding import head_of, is_utf16, read_text
from .folders import leads_out, walk
from .items import Format, Item, Passed, Refused

OWN = "becausal"
"""The name of a memory's own export, which is no format among these: it is restored, not read."""


def _read_ladybug(path: Path, name: str) -> Iterator[Item]:
    with ladybug.opened(path) as database:
        if not smriti.is_graph(database.labels()):
            raise InvalidInput("file", "is a LadybugDB file, but none of smriti-mcp")
        yield from smriti.read_graph(database, name)


def _read_no_file(path: Path, name: str) -> Iterator[Item]:
    raise InvalidInput(
        "format", "polyg is read from a server: give its address, such as falkordb://localhost:6379/polyg"
    )


FORMATS: Mapping[str, Format] = {
    each.name: each
    for each in (
        Format("text", "plain text, cut at paragraphs if it is long", documents.read_plain),
        Format("markdown", "Markdown, a memory for each section", documents.read_markdown),
        Format("jsonl", "JSON lines: texts, or objects with content and what else store takes", lines.read_contents),
        Format("chatgpt", "the data export of ChatGPT", conversations.read_chatgpt),
        Format("claude", "the data export of Claude", conversations.read_claude),
        Format("server-memory", "memory.json of the MCP reference server", server_memory.read_graph),
        Format("basic-memory", "the Markdown folder of basic-memory", basic_memory.read_note),
        Format("pmll", "the SQLite file of pmll-memory-mcp", pmll.read_database),
        Format("pmll-json", "the JSON export of pmll-memory-mcp", pmll.read_export),
        Format("smriti", "smriti-mcp's memory: its LadybugDB file, or a server by its address", _read_ladybug),
        Format("polyg", "polyg-mcp's graph: a FalkorDB server by its address", _read_no_file),
    )
}

SERVED: Mapping[str, Any] = {"smriti": smriti, "polyg": polyg}
"""The formats that are read from a server, and what reads them."""

_SQLITE = b"SQLite format 3\0"
_MARKDOWN = (".md", ".markdown", ".mdx")
_TEXT = (".txt", ".text", ".log", ".rst", ".org", "")
_JSON = (".jsonl", ".ndjson", ".json")
_HEAD = 64 * 1024
MOST_FILES = 100_000


def read(path: Path, format: str | None = None) -> tuple[str, Iterator[Item]]:
    """Return the format of a file or folder, if it is not given, and what is in it.

    Raises:
        InvalidInput: it is in no format that is known here, or there is no such format.
        OSError: it cannot be read.
    """
    if format is not None and format not in FORMATS:
        raise InvalidInput("format", f"must be one of {', '.join(FORMATS)}, not '{format}'")
    if path.is_dir():
        named = path.glob(f"{conversations.MEMBER}*.json") if format in (None, "chatgpt", "claude") else ()
        exports = sorted(file for file in named if not leads_out(file, path))
        if not exports:
            chosen = format or ("basic-memory" if _holds_notes(path) else "folder")
            return chosen, _read_folder(path, format, notes=chosen == "basic-memory")
        chosen = format or _of_file(exports[0])
        return chosen, _read_exports(path, exports, chosen)
    chosen = format or _of_file(path)
    return chosen, _or_nothing(FORMATS[chosen].read(path, path.name))


def read_server(address: Address, format: str | None = None) -> tuple[str, Iterator[Item]]:
    """Return the format of a database on a server, if it is not given, and what is in it.

    Raises:
        InvalidInput: it is in no format that is known here, or there is no such database.
        StoreUnavailable: it cannot be reached.
    """
    if format is not None and format not in SERVED:
        raise InvalidInput("format", f"must be one of {', '.join(SERVED)} for a server, not '{format}'")
    with opener(address)(address) as database:
        labels = database.labels()
    chosen = next((name for name, layout in SERVED.items() if layout.is_graph(labels)), None)
    if chosen is None or format not in (None, chosen):
        raise InvalidInput("source", f"holds no data of {' or '.join((format,) if format else SERVED)}-mcp")
    return chosen, _read_server(address, chosen)


def _read_server(address: Address, format: str) -> Iterator[Item]:
    with opener(address)(address) as database:
        yield from SERVED[format].read_graph(database, address.name or address.host)


def is_own_export(path: Path) -> bool:
    """Tell whether a file is the export of a memory."""
    with path.open("rb") as file:
        return file.read(len(OWN) + 4) == b'{"' + OWN.encode() + b'":'


# --- files ---


def _of_file(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    suffix = path.suffix.lower()
    if head.startswith(_SQLITE):
        try:
            if pmll.is_graph(path):
                return "pmll"
        except sqlite3.Error as error:
            raise InvalidInput("file", f"is a database that cannot be read ({error})") from None
        raise InvalidInput("file", "is a database, but none of pmll-memory-mcp")
    if head.startswith((ladybug.MAGIC, ladybug.OLD_MAGIC)):
        return "smriti"
    if zipfile.is_zipfile(path):
        return _of_conversations(path)
    if suffix in _MARKDOWN:
        return "markdown"
    told = head_of(head).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not told and suffix in (*_JSON, *_TEXT):
        return "text"  # nothing at all, which is then said of it
    if suffix in _JSON or told[:1] in (b"{", b"["):
        return _of_json(path, told)
    if suffix in _TEXT and (b"\0" not in head or is_utf16(head)):
        return "text"
    raise InvalidInput("file", f"is in no format that can be told from it: name one, of {', '.join(FORMATS)}")


def _of_json(path: Path, head: bytes) -> str:
    if head.startswith(b"["):
        return _of_conversations(path)
    try:
        first: Any = json.loads(head.split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        first = _first_keys(head)
    if isinstance(first, dict):
        if first.get("type") in ("entity", "relation") or "entities" in first or "relations" in first:
            return "server-memory"
        if "nodes" in first or (first and all(isinstance(each, dict) and "nodes" in each for each in first.values())):
            return "pmll-json"
        if any(name in first for name in lines.CONTENT):
            return "jsonl"
    if isinstance(first, str):
        return "jsonl"
    raise InvalidInput("file", f"is JSON of a kind that is not known; if it is one of {', '.join(FORMATS)}, say which")


def _first_keys(head: bytes) -> dict[str, Any]:
    """Return the first key of an object that goes on over many lines."""
    text = head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n{")
    try:
        key, _ = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return {}
    return {str(key): None}


def _of_conversations(path: Path) -> str:
    with conversations.members(path) as files:
        for _, file in files:
            try:
                for first in islice(conversations.conversations(file), 1):
                    if isinstance(first, dict) and "mapping" in first:
                        return "chatgpt"
                    if isinstance(first, dict) and "chat_messages" in first:
                        return "claude"
            except ValueError as error:
                raise InvalidInput("file", f"is not JSON ({error})") from None
    raise InvalidInput("file", "holds no conversations of ChatGPT or Claude")


# --- folders ---


def _holds_notes(folder: Path) -> bool:
    notes = (file for file in walk(folder) if isinstance(file, Path) and file.suffix.lower() in _MARKDOWN)
    for note in islice(notes, 20):
        try:
            if basic_memory.looks_like_note(read_text(note)):
                return True
        except (InvalidInput, OSError):
            continue
    return False


def _or_nothing(items: Iterator[Item]) -> Iterator[Item]:
    """Yield what is in one file, or that there is nothing."""
    nothing = True
    for item in items:
        nothing = False
        yield item
    if nothing:
        yield Passed(why="files that are empty, or have nothing to remember in them")


def _read_exports(folder: Path, exports: list[Path], format: str) -> Iterator[Item]:
    for file in exports:
        yield from _or_nothing(FORMATS[format].read(file, file.name))
    for other in walk(folder):
        if not isinstance(other, Path):
            yield other
        elif other not in exports:
            yield Passed(why="files beside the conversations")


def _read_folder(folder: Path, format: str | None, *, notes: bool) -> Iterator[Item]:
    number = 0
    for file in walk(folder):
        if not isinstance(file, Path):
            yield file
            continue
        number += 1
        name = file.relative_to(folder).as_posix()
        if number > MOST_FILES:
            yield Refused(where=name, why=f"a folder may hold {MOST_FILES:,} files")
            return
        suffix = file.suffix.lower()
        if notes and suffix in _MARKDOWN:
            chosen: str | None = "basic-memory"
        elif suffix in _MARKDOWN:
            chosen = "markdown"
        else:
            chosen = {".txt": "text", ".text": "text", ".jsonl": "jsonl", ".ndjson": "jsonl"}.get(suffix)
        if format is not None and chosen is not None and chosen != format:
            chosen = None
        if chosen is None:
            yield Passed(why="files of another kind")
            continue
        try:
            yield from _or_nothing(FORMATS[chosen].read(file, name))
        except OSError as error:
            yield Refused(where=name, why=f"it cannot be read ({error.strerror or error})")
