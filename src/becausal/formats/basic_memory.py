# SPDX-License-Identifier: Apache-2.0
"""basic-memory's notes: Markdown whose list items are observations and relations.

``- [category] text #tag (context)`` is an observation, which ends at its line, and becomes a memory of its own
unless it has no text; ``- relation [[Other note]]`` is a relation between the notes, which are things; what else a
note says is cut by its headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ..errors import InvalidInput
from .decoding import read_text
from .documents import front_matter, pieces, plain_json, sections, tags_of, unread_front_matter
from .items import Item, Passed, Refused, Relation, Text, Thing

_OBSERVATION = re.compile(r"[ \t]*[-*][ \t]+\[(?![ xX-]\])([^\[\]\n]+)\][ \t]+(?![(\s])(.+?)[ \t]*$")
_EMPTY = re.compile(r"[ \t]*[-*][ \t]+\[(?![ xX-]\])[^\[\]\n]+\][ \t]*$")
_RELATION = re.compile(r"[ \t]*[-*][ \t]+(?:\"([^\"\n]+)\"|([^\[\]\n]*?))[ \t]*\[\[([^\[\]\n]+)\]\](.*)$")
_TAG = re.compile(r"(?<!\S)#([\w/-]+)")
_OWN = ("title", "type", "tags", "permalink")
UNNAMED = "links_to"


def looks_like_note(text: str) -> bool:
    """Tell whether a Markdown document is one of basic-memory's."""
    front, body, _ = front_matter(text)
    if "permalink" in front:
        return True
    return bool(front) and any(_OBSERVATION.match(line) or _RELATION.match(line) for line in body.split("\n"))


def read_note(path: Path, name: str) -> Iterator[Item]:
    """Read one note of a folder."""
    try:
        text = read_text(path)
    except InvalidInput as error:
        yield Refused(where=name, why=error.problem)
        return
    front, body, line = front_matter(text)
    title = str(front.get("title") or path.stem)
    kind = str(front.get("type") or "note")
    tags, odd = tags_of(front.get("tags"))
    yield from (*odd, *unread_front_matter(text, front))
    rest = {key: value for key, value in front.items() if key not in _OWN}
    about = {key: plain_json(value) for key, value in {"permalink": front.get("permalink"), **rest}.items() if value}
    yield Thing(where=name, name=title, entity_type=kind)
    entities = {"entities": [{"name": title, "type": kind}]}
    for section in sections(body, line):
        prose: list[str] = []
        for number, each in enumerate(section.text.split("\n"), section.line):
            where = f"{name}, line {number}"
            if relation := _RELATION.match(each):
                told = (relation[1] or relation[2] or "").strip()
                yield Relation(
                    where=where, source=title, relation=told or UNNAMED, target=_target(relation[3]), entity_type="note"
                )
                prose.append("")
            elif observation := _OBSERVATION.match(each):
                category = observation[1].strip()
                yield Text(
                    where=where,
                    content=observation[2],
                    label=title,
                    source=name,
                    tags=tuple(dict.fromkeys((*tags, category, *_TAG.findall(observation[2])))),
                    metadata={**about, "category": category},
                    given=entities,
                )
                prose.append("")
            elif _EMPTY.match(each):
                yield Passed(why="observations without text")
                prose.append("")
            else:
                prose.append(each)
        label = " › ".join(dict.fromkeys((title, *section.path)))[:512]
        for start, piece in pieces("\n".join(prose), section.line):
            yield Text(
                where=f"{name}, line {start}", content=piece, label=label, source=name, tags=tags, metadata=about
            )


def _target(link: str) -> str:
    """Return the note that a link leads to: what stands before ``|`` (another wording) and ``#`` (a heading)."""
    return link.partition("|")[0].partition("#")[0].strip() or link.strip()
