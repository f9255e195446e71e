# SPDX-License-Identifier: Apache-2.0
"""What the fields of the schema read: the memory, its sessions, and pages of its records."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ..domain.interval import Interval
from ..domain.records import Kind, Link, LinkKind, Record
from ..domain.time import parse_when
from ..engine import validate
from ..engine.memory import Memory
from ..errors import InvalidInput
from ..ports.store import Cursor, Order, Page, Where
from ..session.sessions import Sessions, sessions_of

ORDERS = {Kind.EVENT: "occurred_at", Kind.FACT: "valid_from"}
"""What pages are ordered by, where it is not by when a record was made; the newest come first."""


@dataclass(frozen=True, slots=True)
class Access:
    """The context of one request."""

    memory: Memory

    @property
    def sessions(self) -> Sessions:
        return sessions_of(self.memory)

    def when(self, text: str, field: str) -> Interval:
        """Read a time as the other surfaces do."""
        core = self.sessions.core
        return parse_when(text, field=field, zone=core.zone, anchor=core.clock.now())

    def one(self, kind: Kind, id: str) -> Record | None:
        return self.sessions.core.store.get(kind, [validate.identifier(id, "id")]).get(id)

    def page(
        self, kind: Kind, where: Where, first: int, after: str | None, by: str | None = None
    ) -> tuple[Page, str | None]:
        """Return a page of records, and the cursor for the next; ``by`` is a time other than the kind's own."""
        order = Order(by or ORDERS.get(kind, "created_at"), descending=True)
        cursor = None if after is None else read_cursor(after)
        page = self.sessions.core.store.find(kind, where, order, size(first), cursor)
        return page, None if page.next is None else write_cursor(page.next)

    def links(self, id: str, kinds: Sequence[LinkKind], first: int) -> tuple[Link, ...]:
        return self.sessions.core.store.links([validate.identifier(id, "id")], kinds, limit=size(first))

    def beyond(self, id: str, link: LinkKind, kind: Kind, first: int) -> list[Record]:
        """Return the records that links of one kind lead to."""
        ids = [each.dst for each in self.sessions.core.store.links([id], [link], "out", limit=size(first))]
        found = self.sessions.core.store.get(kind, ids)
        return [found[each] for each in ids if each in found]


def size(first: int) -> int:
    return validate.integer(first, "first", 1, validate.MAX_LIMIT)


def write_cursor(cursor: Cursor) -> str:
    value = cursor.value.isoformat() if isinstance(cursor.value, datetime) else None
    return base64.urlsafe_b64encode(json.dumps([value, cursor.id]).encode()).decode()


def read_cursor(text: str) -> Cursor:
    try:
        value, id = json.loads(base64.urlsafe_b64decode(text.encode()))
        return Cursor(None if value is None else datetime.fromisoformat(value), str(id))
    except (ValueError, TypeError, binascii.Error):
        raise InvalidInput("after", "must be the endCursor of an earlier page") from None
