# SPDX-License-Identifier: Apache-2.0
"""What is found in a file or database: texts to remember, what is to be stated, and what cannot be taken.

The values are as they stand there: whoever takes them in checks them. A ``key`` is what a ``Bond`` or ``Tie`` of
the same file calls an item. Times without a zone are left so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from ..domain.records import CueType, Json, LinkKind

Moment: TypeAlias = datetime | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What another memory has noted of a text's use. ``summary`` is its own, if it has made one."""

    created_at: Moment = None
    last_accessed_at: Moment = None
    access_count: int = 0
    decay_factor: float = 1.0
    summary: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text to remember. ``given`` holds what else ``Memory.store`` takes, by the names it has there.

    ``where`` says where it stands, for a report.
    """

    where: str
    content: object
    label: str | None = None
    source: str | None = None
    session: str | None = None
    tags: tuple[str, ...] = ()
    occurred_at: datetime | str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None
    history: History | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """A person or thing with a name."""

    where: str
    name: str
    entity_type: str
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, Json] = field(default_factory=dict)
    created_at: Moment = None
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """An idea with a name, stated as such."""

    where: str
    key: str
    name: str
    description: str | None = None
    created_at: Moment = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name under which texts are found again, as another program has read it from them."""

    where: str
    key: str
    name: str
    cue_type: CueType
    created_at: Moment = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """Something that happened."""

    where: str
    key: str
    description: str
    occurred_at: Moment
    duration: str | None = None
    created_at: Moment = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """Subject, predicate and object, true from one moment to another."""

    where: str
    key: str
    subject: str
    predicate: str
    object: str
    valid_from: Moment
    valid_to: Moment = None
    created_at: Moment = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """A cause or an effect."""

    where: str
    key: str
    description: str
    node_type: str = "event"
    created_at: Moment = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """That one thing, by its name, relates to another. One that is not known becomes a thing of ``entity_type``."""

    where: str
    source: str
    relation: str
    target: str
    entity_type: str = "thing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bond:
    """That one text of the file, by its key, relates to another."""

    where: str
    source: str
    relation: str
    target: str
    strength: float = 1.0
    created_at: Moment = None
    metadata: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """A link of some kind between two items, by their keys."""

    where: str
    kind: LinkKind
    source: str
    target: str
    relation: str = ""
    strength: float = 1.0
    confidence: float = 1.0
    evidence: str | None = None
    created_at: Moment = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """What cannot be taken, and why."""

    where: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """What is no memory, such as a tool's output: ``why`` is the same for all of its sort."""

    why: str


Stated: TypeAlias = Thing | Concept | Name | Happening | Assertion | Reason
Item: TypeAlias = Text | Stated | Relation | Bond | Tie | Refused | Passed


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file. ``read`` yields what is in one; ``name`` is its path as a person would write it."""

    name: str
    meaning: str
    read: Callable[[Path, str], Iterator[Item]]
