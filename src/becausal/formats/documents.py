# SPDX-License-Identifier: Apache-2.0
"""Text and Markdown: one memory for each section, or for each stretch of paragraphs where there are no headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..domain.records import Json
from ..errors import InvalidInput
from .decoding import read_text
from .items import Item, Passed, Refused, Text

PIECE = 8_000
"""Characters after which a section is cut, at the end of a paragraph."""

_HEADING = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r"(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_FRONT = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_KEY = re.compile(r"^\w[\w -]*:", re.MULTILINE)
_DATES = ("date", "created", "created_at")
_AS_WRITTEN = ("title", "tags", *_DATES)  # to YAML, 007 is seven, and "no" is false


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document: the headings above it, its text, and the line it begins in."""

    path: tuple[str, ...]
    text: str
    line: int


def read_plain(path: Path, name: str) -> Iterator[Item]:
    """Read a text file."""
    try:
        text = read_text(path)
    except InvalidInput as error:
        yield Refused(where=name, why=error.problem)
        return
    for line, piece in pieces(text, 1):
        yield Text(where=f"{name}, line {line}", content=piece, source=name)


def read_markdown(path: Path, name: str) -> Iterator[Item]:
    """Read a Markdown file; its front matter gives title, tags and date."""
    try:
        text = read_text(path)
    except InvalidInput as error:
        yield Refused(where=name, why=error.problem)
        return
    front, body, line = front_matter(text)
    tags, odd = tags_of(front.get("tags"))
    yield from (*odd, *unread_front_matter(text, front))
    when = next((str(front[key]) for key in _DATES if front.get(key)), None)
    title = front.get("title")
    for section in sections(body, line):
        label = " › ".join(dict.fromkeys((*([str(title)] if title else []), *section.path)))[:512]
        for start, piece in pieces(section.text, section.line):
            yield Text(
                where=f"{name}, line {start}",
                content=piece,
                label=label or None,
                source=name,
                tags=tags,
                occurred_at=when,
            )


def front_matter(text: str) -> tuple[dict[str, Any], str, int]:
    """Return the YAML at the top of a document, the rest, and the line in which that begins."""
    import yaml

    match = _FRONT.match(text)
    if match is None:
        return {}, text, 1
    try:
        written = yaml.load(match[1], Loader=yaml.BaseLoader)  # every value as text
        found = yaml.safe_load(match[1])
    except ValueError:  # a day that does not exist
        found = written
    except (yaml.YAMLError, RecursionError):
        return {}, text, 1  # then it is part of the text
    if not isinstance(found, dict):
        return {}, text, 1
    as_written = {key: written[key] for key in _AS_WRITTEN if found.get(key) is not None}
    front = {**{str(key): value for key, value in found.items()}, **as_written}
    return front, text[match.end() :], match[0].count("\n") + 1


def unread_front_matter(text: str, front: Mapping[str, Any]) -> list[Item]:
    """Return the remark that what looks like front matter is none that can be read, so that it is part of the text."""
    match = _FRONT.match(text)
    if front or match is None or _KEY.search(match[1]) is None:
        return []
    return [Passed(why="front matter that is not readable YAML, and kept as text")]


def tags_of(value: object) -> tuple[tuple[str, ...], list[Item]]:
    """Return tags given as a list or as text with commas, and a remark for each that is none."""
    given = [] if value is None else value if isinstance(value, list) else [value]
    texts = [each for each in given if isinstance(each, str)]
    odd: list[Item] = [Passed(why="tags in front matter that are no words")] * (len(given) - len(texts))
    if isinstance(value, str):  # within a list a comma is part of the tag
        texts = value.split(",")
    tags = (text.strip().lstrip("#") for text in texts)
    return tuple(dict.fromkeys(tag for tag in tags if tag)), odd


def plain_json(value: Any) -> Json:
    """Return YAML data as JSON data: dates and what else JSON does not have become text."""
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and value == value):
        return value
    if isinstance(value, list):
        return [plain_json(each) for each in value]
    if isinstance(value, dict):
        return {str(key): plain_json(each) for key, each in value.items()}
    return str(value)


def sections(text: str, first_line: int = 1) -> Iterator[Section]:
    """Cut a document at its headings; the headings themselves are not part of the texts."""
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    began = first_line
    fence = ""
    numbered = list(enumerate(text.split("\n"), first_line))

    def done() -> Iterator[Section]:
        if any(line.strip() for line in lines):
            yield Section(tuple(title for _, title in path), "\n".join(lines), began)

    for number, line in numbered:
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence):
            fence = ""
        heading = None if fence or mark else _HEADING.match(line)
        under = None if fence or mark else _UNDERLINE.match(line)
        title, level = (heading[2], len(heading[1])) if heading else ("", 0)
        if under and lines and lines[-1].strip() and (len(lines) == 1 or not lines[-2].strip()):
            title, level = lines.pop().strip(), 1 if under[1][0] == "=" else 2
        if not level:
            lines.append(line)
            continue
        yield from done()
        path = [each for each in path if each[0] < level] + [(level, title.strip())]
        lines, began = [], number + 1
    yield from done()


def pieces(text: str, first_line: int) -> Iterator[tuple[int, str]]:
    """Cut a text at the ends of paragraphs into stretches of up to ``PIECE`` characters, each with its line.

    A paragraph longer than that is cut at a line end or a space.
    """
    line = first_line
    gathered = ""
    began = line
    for part in re.split(r"(\n[ \t]*\n\s*)", text):
        if part.strip() and gathered.strip() and len(gathered) + len(part) > PIECE:
            yield began, gathered.strip("\n")
            gathered = ""
        if not gathered.strip():
            began, gathered = line + len(part) - len(part.lstrip("\n")), ""
        gathered += part
        line += part.count("\n")
        while len(gathered) > PIECE and part.strip():
            cut = max(gathered.rfind("\n", 0, PIECE), gathered.rfind(" ", 0, PIECE)) + 1 or PIECE
            yield began, gathered[:cut].strip("\n")
            began += gathered.count("\n", 0, cut)
            gathered = gathered[cut:]
    if gathered.strip():
        yield began, gathered.strip("\n")
