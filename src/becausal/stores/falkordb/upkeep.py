# SPDX-License-Identifier: Apache-2.0
"""Scrubbing what was deleted, and verifying that all parts of a memory agree."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from ...domain.records import Kind
from ...errors import StoreError
from ..graphdb.tally import PENDING
from .reading import matched
from .root import read_root
from .schema import LABELS
from .session import Session
from .text import terms_of
from .values import keys_of

_MOST_PROBLEMS = 20
_OWNED = ("Vector", "Token")


def erase_traces(session: Session) -> tuple[str, ...]:
    """See ``GraphStore.erase_traces``. The server is asked to write its log of commands anew, without what is gone.

    It also keeps the latest queries of a graph with what was in them, in its data and so in its log, and the slow
    ones in its memory.
    """
    session.write(
        "MATCH (r:Root) WHERE r._owner = $o SET r.epoch = r.epoch + 1, r.rev = r.rev + 1 WITH r "
        "CALL { MATCH (v:Vector) WHERE v._owner = $o AND v.data IS NULL DELETE v } "
        "CALL { MATCH (c:Claim) WHERE c._owner = $o AND c.expires <= $now DELETE c } RETURN r.rev",
        now=time.time(),
    )
    where = f"the files of the FalkorDB server at {session.location}"
    told = f"telemetry{{{session.graph}}}"
    try:
        session.command("DEL", told)
        session.command("GRAPH.SLOWLOG", session.graph, "RESET")
        session.command("BGREWRITEAOF")
    except StoreError:
        return (
            f"{where}: it could not be asked to rewrite them; use DEL {told}, GRAPH.SLOWLOG {session.graph} RESET and "
            "BGREWRITEAOF there, and delete its old dumps",
        )
    return (f"{where}, until it has rewritten its log, which has begun, and old dumps and replicas of it",)


def find_problems(session: Session) -> tuple[str, ...]:
    """See ``GraphStore.check``."""
    return tuple(_problems(session))[:_MOST_PROBLEMS]


def _problems(session: Session) -> Iterator[str]:
    def count(query: str, **params: object) -> int:
        return int(session.read(query, **params)[0][0])

    root = read_root(session)
    actual: Counter[str] = Counter()
    terms: Counter[str] = Counter()
    for kind in Kind:
        actual[kind.value] = count(f"{matched(kind)} RETURN count(t)")
        for (text,) in session.read(f"{matched(kind)} AND t._length > 0 RETURN t._terms"):
            held = terms_of(text)
            actual[f"documents:{kind.value}"] += 1
            actual[f"length:{kind.value}"] += len(held)
            terms.update(f"{kind.value} {term}" for term in set(held))
        for label in _OWNED:
            own = "v.kind = $kind" if label == "Token" else "(v.space = $kind OR v.space STARTS WITH $spaces)"
            found = session.read(
                f"MATCH (v:{label}) WHERE v._owner = $o AND {own} AND v.data IS NOT NULL RETURN v.id",
                kind=kind.value,
                spaces=f"{kind.value}@",
            )
            ids = [row[0] for row in found]
            there = {row[0] for row in session.read(f"{matched(kind)} AND t._id IN $ids RETURN t.id", ids=keys_of(ids))}
            if lost := len(set(ids) - there):
                yield f"{lost} {label.lower()}s of no {kind.value}"
    for name, n in session.read("MATCH ()-[r:LINK]->() WHERE r._owner = $o RETURN r.kind, count(r)"):
        actual[f"link:{name}"] = n
    engrams = LABELS[Kind.ENGRAM]
    actual[PENDING] = count(f"{matched(Kind.ENGRAM)} AND t.indexed_at IS NULL RETURN count(t)")
    lonely = count(
        f"{matched(Kind.PASSAGE, 'p')} OPTIONAL MATCH (e:{engrams}) WHERE e._id = p._engram_id AND e._owner = $o "
        "WITH p, e WHERE e IS NULL RETURN count(p)"
    )
    if lonely:
        yield f"{lonely} passages without their engram"
    for name in sorted(root.tally.keys() | actual.keys()):
        if root.tally.get(name, 0) != actual.get(name, 0):
            yield f"count of {name}: is remembered as {root.tally.get(name, 0)}, should be {actual.get(name, 0)}"
    indexed = count("MATCH (t:Term) WHERE t._owner = $o AND t.n > 0 RETURN sum(t.n)")
    if indexed != sum(terms.values()):
        yield f"text index: counts {indexed} terms of records, should be {sum(terms.values())}"
