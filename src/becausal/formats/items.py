# SPDX-License-Identifier: Apache-2.0
"""What is found in a file: texts to remember, things and relations to state, and what cannot be taken.

The values are as the file has them: whoever takes them in checks them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from ..domain.records import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text to remember. ``given`` holds what else ``Memory.store`` takes, by the names it has there.

    ``where`` says where it stands, for a report; ``key`` is what a ``Bond`` calls it.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """A person or thing with a name."""

    where: str
    name: str
    entity_type: str
    aliases: tuple[str, ...] = ()


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
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """What cannot be taken, and why."""

    where: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """What is no memory, such as a tool's output: ``why`` is the same for all of its sort."""

    why: str


Item: TypeAlias = Text | Thing | Relation | Bond | Refused | Passed


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file. ``read`` yields what is in one; ``name`` is its path as a person would write it."""

    name: str
    meaning: str
    read: Callable[[Path, str], Iterator[Item]]
