# SPDX-License-Identifier: Apache-2.0
"""Identifiers: time-ordered for what happens once, derived for what must be made only once."""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
import uuid
from functools import lru_cache

from .records import Kind, LinkKind

_NAMESPACE = uuid.UUID("6ca9af9f-4a4c-5b0c-a0ff-6e1f3c1e6d0b")
_PREFIX = _NAMESPACE.bytes
_VARIANT = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}
"""The hexadecimal digit that has the bits of the variant (RFC 9562), by the one it takes the place of."""
_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """Return a UUIDv7 (RFC 9562): ids made later in one process sort later.

    The 12 bits after the milliseconds count up inside one millisecond (RFC 9562 §6.2, method 3), and a
    clock that is set back does not bring an older id.
    """
    global _last
    with _lock:
        ticks = time.time_ns() * 4096 // 1_000_000  # milliseconds with 12 fraction bits
        _last = ticks = max(ticks, _last + 1)
    millis, fraction = divmod(ticks, 4096)
    value = (millis & (1 << 48) - 1) << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62
    digits = f"{value | int.from_bytes(os.urandom(8), 'big') >> 2:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def derived_id(user: str, kind: Kind | LinkKind, *key: str) -> str:
    """Return the UUIDv5 of an owner, a kind and an identity key: the same for every writer.

    Written out, since ``uuid.uuid5`` takes most of its time for the object around the digest.
    """
    name = "\x1f".join((user, kind, *key))
    digest = hashlib.sha1(_PREFIX + name.encode(), usedforsecurity=False).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-{_VARIANT[digest[16]]}{digest[17:20]}-{digest[20:32]}"


def link_id(user: str, kind: LinkKind, src: str, dst: str, relation_type: str = "") -> str:
    """Return the id of the link of ``kind`` from ``src`` to ``dst``: a UUIDv8 (RFC 9562), the same for every writer.

    It begins as the id of ``src`` does, so that the links of one record, and of what is told together, lie
    together in an index: a write then touches a few of its pages instead of one for every link.
    """
    name = "\x1f".join((user, kind, src, dst, relation_type))
    digest = hashlib.sha1(_PREFIX + name.encode(), usedforsecurity=False).hexdigest()
    start = _start(user, kind, src)
    return f"{start}-8{digest[13:16]}-{_VARIANT[digest[16]]}{digest[17:20]}-{digest[20:32]}"


@lru_cache(maxsize=64)  # what is told together has few sources
def _start(user: str, kind: LinkKind, src: str) -> str:
    return (src if looks_like_id(src) else derived_id(user, kind, src))[:13]


def looks_like_id(text: str) -> bool:
    """Whether a text has the form of an id, so that it is no name and no description."""
    return _ID.fullmatch(text.strip()) is not None


_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
