# SPDX-License-Identifier: Apache-2.0
"""Leases by wall clock: what two processes must not do twice."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from ...ports.batch import Grant
from ...ports.store import Lease
from ..checks import LONGEST_CLAIM, check_ttl
from .reading import chunks
from .session import Session
from .values import key_of


def claim_name(kind: str, id: str) -> str:
    """Return the name of a claim's node."""
    return key_of(f"{kind} {id}")


def check_grants(grants: Iterable[Grant]) -> None:
    """Refuse grants without an end."""
    for grant in grants:
        check_ttl(grant.ttl)


def take_claims(session: Session, kind: str, ids: Sequence[str], holder: str, ttl: float) -> frozenset[str]:
    """See ``GraphStore.claim``."""
    check_ttl(ttl)
    now = time.time()
    held: set[str] = set()
    for chunk in chunks(ids):
        names = {claim_name(kind, id): id for id in chunk}
        rows = session.write(
            "UNWIND $names AS name MERGE (c:Claim {_id: name, _owner: $o}) "
            # What runs out later than any claim can was taken before the clock was set back.
            "WITH c, c.expires IS NULL OR c.expires <= $now OR c.expires > $latest OR c.holder = $holder AS free "
            "WHERE free SET c.holder = $holder, c.expires = $end RETURN c._id",
            names=list(names),
            now=now,
            latest=now + LONGEST_CLAIM,
            end=now + ttl,
            holder=holder,
        )
        held.update(names[row[0]] for row in rows)
    return frozenset(held)


def read_leases(session: Session, kind: str, ids: Sequence[str]) -> dict[str, Lease]:
    """See ``GraphStore.leases``."""
    now = time.time()
    found: dict[str, Lease] = {}
    for chunk in chunks(ids):
        names = {claim_name(kind, id): id for id in chunk}
        rows = session.read(
            "MATCH (c:Claim) WHERE c._owner = $o AND c._id IN $names AND c.expires > $now "
            "RETURN c._id, c.holder, c.expires",
            names=list(names),
            now=now,
        )
        found |= {names[name]: Lease(holder, expires - now) for name, holder, expires in rows}
    return found
