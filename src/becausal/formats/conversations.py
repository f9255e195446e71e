# SPDX-License-Identifier: Apache-2.0
"""The data exports of ChatGPT and Claude: one memory for each turn, with its speaker, time and conversation.

Both are a list of conversations in ``conversations.json``, in an archive or unpacked. ChatGPT keeps the
messages of one as a tree, since editing a message begins another branch; the one that was shown last is read.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from .decoding import from_iso, from_seconds
from .documents import pieces
from .items import Item, Passed, Refused, Text

MEMBER = "conversations"
MAX_DEPTH = 100_000
"""Messages of one branch."""

SPEAKERS: Mapping[str, str] = {"user": "User", "human": "User", "assistant": "Assistant"}
_EDITED = "messages of a branch that was left"
_HIDDEN = "messages that were not shown"
_OTHERS = "messages of tools and of the system"
_EMPTY = "messages without text"


@contextmanager
def members(path: Path) -> Iterator[list[tuple[str, IO[bytes]]]]:
    """Lend the files of conversations in an export: the file itself, or those in an archive."""
    if not zipfile.is_zipfile(path):
        with path.open("rb") as single:
            yield [("", single)]
        return
    with zipfile.ZipFile(path) as archive:
        names = sorted(
            name for name in archive.namelist() if name.rpartition("/")[2].startswith(MEMBER) and name.endswith(".json")
        )
        files = [(name, archive.open(name)) for name in names]
        try:
            yield files
        finally:
            for _, file in files:
                file.close()


def conversations(file: IO[bytes]) -> Iterator[Any]:
    """Yield the conversations in a file one by one.

    Raises:
        ValueError: it is not JSON, from here on.
    """
    import ijson

    try:
        yield from ijson.items(file, "item", use_float=True)
    except ijson.JSONError as error:
        raise ValueError(" ".join(str(error).split())[:200]) from error


def _read(path: Path, name: str, turns: Any) -> Iterator[Item]:
    with members(path) as files:
        if not files:
            yield Refused(where=name, why=f"it holds no file {MEMBER}.json")
        for member, file in files:
            inside = f"{name}, {member}" if member else name
            number = 0
            try:
                for number, conversation in enumerate(conversations(file), 1):
                    where = f"{inside}, conversation {number}"
                    if isinstance(conversation, dict):
                        yield from turns(conversation, where)
                    else:
                        yield Refused(where=where, why="it is not an object")
            except (ValueError, zipfile.BadZipFile) as error:
                yield Refused(where=f"{inside}, after conversation {number}", why=f"the file is damaged ({error})")


def read_chatgpt(path: Path, name: str) -> Iterator[Item]:
    """Read ChatGPT's export."""
    return _read(path, name, _chatgpt)


def read_claude(path: Path, name: str) -> Iterator[Item]:
    """Read Claude's export."""
    return _read(path, name, _claude)


# --- ChatGPT ---


def _chatgpt(conversation: dict[str, Any], where: str) -> Iterator[Item]:
    mapping = conversation.get("mapping")
    if not isinstance(mapping, dict):
        yield Refused(where=where, why="it has no messages")
        return
    title = _title(conversation.get("title"), "ChatGPT")
    session = _name(conversation.get("conversation_id") or conversation.get("id"))
    branch = _branch(mapping, conversation.get("current_node"))
    for _ in range(sum(_has_message(node) for node in mapping.values()) - len(branch)):
        yield Passed(why=_EDITED)
    for number, message in enumerate(branch, 1):
        author = _object(message.get("author"))
        speaker = SPEAKERS.get(str(author.get("role")))
        about = _object(message.get("metadata"))
        if speaker is None or message.get("recipient") not in (None, "all"):
            yield Passed(why=_OTHERS)
            continue
        if about.get("is_visually_hidden_from_conversation") or message.get("weight") == 0:
            yield Passed(why=_HIDDEN)
            continue
        text = _chatgpt_text(_object(message.get("content")))
        if not text.strip():
            yield Passed(why=_EMPTY)
            continue
        yield Text(
            where=f"{where}, message {number}",
            content=f"{speaker}: {text}",
            source=title,
            session=session,
            tags=("chatgpt",),
            occurred_at=from_seconds(message.get("create_time")),
            metadata=_metadata(speaker, message.get("id"), about.get("model_slug")),
        )


def _branch(mapping: Mapping[str, Any], current: object) -> list[dict[str, Any]]:
    """Return the messages from the root to the current one; to the newest leaf, if none is said to be current."""
    at = current if isinstance(current, str) and current in mapping else _newest_leaf(mapping)
    found: list[dict[str, Any]] = []
    seen: set[str] = set()
    while isinstance(at, str) and at in mapping and at not in seen and len(seen) < MAX_DEPTH:
        seen.add(at)
        node = _object(mapping[at])
        if _has_message(node):
            found.append(node["message"])
        at = node.get("parent")
    return found[::-1]


def _newest_leaf(mapping: Mapping[str, Any]) -> str | None:
    leaves = [id for id, node in mapping.items() if _has_message(node) and not _object(node).get("children")]
    return max(leaves, key=lambda id: _seconds(mapping[id]["message"].get("create_time")), default=None)


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _has_message(node: object) -> bool:
    return isinstance(node, dict) and isinstance(node.get("message"), dict)


def _chatgpt_text(content: Mapping[str, Any]) -> str:
    if content.get("content_type") in (
        "thoughts",
        "reasoning_recap",
        "user_editable_context",
        "model_editable_context",
    ):
        return ""
    parts = content.get("parts")
    if not isinstance(parts, list):
        return content["text"] if isinstance(content.get("text"), str) else ""
    # A part that is no text is an image, or a recording with what was understood of it.
    texts = (part if isinstance(part, str) else _object(part).get("text") for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str) and text.strip())


# --- Claude ---


def _claude(conversation: dict[str, Any], where: str) -> Iterator[Item]:
    messages = conversation.get("chat_messages")
    if not isinstance(messages, list):
        yield Refused(where=where, why="it has no messages")
        return
    title = _title(conversation.get("name"), "Claude")
    session = _name(conversation.get("uuid"))
    for number, message in enumerate(messages, 1):
        at = f"{where}, message {number}"
        if not isinstance(message, dict):
            yield Refused(where=at, why="it is not an object")
            continue
        speaker = SPEAKERS.get(str(message.get("sender")))
        if speaker is None:
            yield Passed(why=_OTHERS)
            continue
        text = _claude_text(message)
        when = from_iso(message.get("created_at"))
        about = _metadata(speaker, message.get("uuid"), None)
        if text.strip():
            yield Text(
                where=at,
                content=f"{speaker}: {text}",
                source=title,
                session=session,
                tags=("claude",),
                occurred_at=when,
                metadata=about,
            )
        attached = [each for each in _list(message.get("attachments")) if isinstance(each, dict)]
        held = False
        for each in attached:
            content = each.get("extracted_content")
            if isinstance(content, str) and content.strip():
                held = True
                for _, piece in pieces(content, 1):
                    yield Text(
                        where=f"{at}, attachment",
                        content=piece,
                        label=_name(each.get("file_name")),
                        source=title,
                        session=session,
                        tags=("claude", "attachment"),
                        occurred_at=when,
                        metadata=about,
                    )
        if not text.strip() and not held:
            yield Passed(why=_EMPTY)


def _claude_text(message: Mapping[str, Any]) -> str:
    blocks = [_object(block) for block in _list(message.get("content"))]
    texts = [block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)]
    if any(text.strip() for text in texts):
        return "\n\n".join(texts)
    text = message.get("text")
    return text if isinstance(text, str) and not blocks else ""


# --- both ---


def _metadata(speaker: str, id: object, model: object) -> dict[str, Any]:
    told = {"speaker": speaker, "message_id": id, "model": model}
    return {name: value for name, value in told.items() if isinstance(value, str) and value}


def _title(value: object, program: str) -> str:
    return _name(value) or f"{program} conversation"


def _name(value: object) -> str | None:
    return " ".join(value.split())[:512] or None if isinstance(value, str) else None


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
