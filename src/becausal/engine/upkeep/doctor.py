# SPDX-License-Identifier: Apache-2.0
"""Looking a memory over, and making again what mending its store has left to be made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import cast

from ...domain.records import Engram, Kind, LinkKind, Passage
from ...encode.pairs import weaker_pairs
from ...encode.terms import terms_of
from ...errors import StoreUnavailable
from ...graphs.linking import Draft, Node
from ...models.lazy import LazyEmbedder
from ...ports.batch import Batch, Patch, Put, Ref
from ...ports.clock import Clock, SystemClock
from ...ports.store import GraphStore, Mended, Order
from ..change_log import ChangeLog
from ..embedding import mismatch
from ..transfer.migrating import must_be_finished
from ..writing import Writer, conversation
from .results import Finding

GROUP = 200
MODEL_WAIT = 60.0
"""Seconds to wait for the embedder to load."""

AHEAD = timedelta(minutes=5)
"""How far in the future a memory may have been told before the clock is in doubt."""


def look_over(store: GraphStore, embedder: LazyEmbedder, clock: Clock) -> tuple[list[Finding], list[str]]:
    """Return what is wrong with a memory, and what is in order."""
    findings = [Finding(what=problem, serious=True, mendable=True) for problem in store.check()]
    checked = [] if findings else ["the store: all parts agree"]
    findings += [Finding(what=note, serious=False) for note in store.notes if "cannot be read" not in note]
    if not embedder.wait(MODEL_WAIT):
        findings.append(Finding(what=f"{embedder.degraded}", serious=True))
    elif embedder.degraded is not None:
        findings.append(Finding(what=embedder.degraded, serious=False))
    else:
        checked.append(f"the embedder: {embedder.name}")
    if (problem := mismatch(store, embedder)) is not None:
        findings.append(Finding(what=problem, serious=True))
    findings += _clock(store, clock)
    try:
        must_be_finished(store)
    except StoreUnavailable as error:
        findings.append(Finding(what=str(error), serious=True))
    return findings, checked


def _clock(store: GraphStore, clock: Clock) -> Iterator[Finding]:
    now = clock.now()
    newest = store.find(Kind.ENGRAM, (), Order("created_at", descending=True), limit=1).records
    if newest and (at := cast(Engram, newest[0]).created_at) > now + AHEAD:
        later = at.isoformat(" ", "minutes")
        what = f"the newest memory was told at {later}, which is still to come: check the clock"
        yield Finding(what=what, serious=False)


def make_again(store: GraphStore, mended: Mended, zone: tzinfo) -> list[str]:
    """Make what a mended store lacks: texts in the index now, vectors when the memories are indexed again."""
    done = []
    listed = sum(_list(store, kind, refs, zone) for kind, refs in _by_kind(mended.unlisted))
    if listed:
        done.append(f"{listed:,} records were put into the text index again")
    for start in range(0, len(mended.unindexed), GROUP):
        ids = mended.unindexed[start : start + GROUP]
        engrams = [cast(Engram, record) for record in store.get(Kind.ENGRAM, ids).values()]
        store.write(
            Batch(
                weaken=weaker_pairs(store, engrams),
                patches=tuple(Patch(Kind.ENGRAM, engram.id, set={"indexed_at": None}) for engram in engrams),
            )
        )
    if mended.unindexed:
        done.append(f"{len(mended.unindexed):,} memories are indexed again")
    if mended.torn and (read := _read_again(store, zone)):
        done.append(f"{read:,} memories were read again, for names, events, causes and links of theirs were lost")
    return done


def _read_again(store: GraphStore, zone: tzinfo) -> int:
    """Read out of all memories anew what they tell, and join those told one after the other; return how many."""
    clock = SystemClock()
    writer = Writer(store, clock, zone, ChangeLog(store, clock, timedelta(0)))
    before: dict[tuple[str, str], str] = {}
    done = 0
    for id in _everyone(store):
        if (engram := cast("Engram | None", store.get(Kind.ENGRAM, [id]).get(id))) is None:
            continue
        writer.put_back(engram)
        done += 1
        if (part_of := conversation(engram.source, engram.session)) is None:
            continue
        if previous := before.get(part_of):
            draft = Draft(store.user, clock.now(), source=id)
            draft.link(LinkKind.FOLLOWS, Node(Kind.ENGRAM, id), Node(Kind.ENGRAM, previous), merge="keep")
            store.write(draft.batch())
        before[part_of] = id
    return done


def _everyone(store: GraphStore) -> list[str]:
    """Return the ids of all memories, in the order in which they were told."""
    told: list[tuple[datetime, str]] = []
    after = ""
    while page := store.sweep(Kind.ENGRAM, ("created_at",), (), after):
        told += [(at, id) for id, at in page]
        after = page[-1][0]
    return [id for _, id in sorted(told)]


def _by_kind(refs: Sequence[Ref]) -> Iterator[tuple[Kind, list[str]]]:
    for kind in Kind:
        if ids := [ref.id for ref in refs if ref.kind is kind]:
            yield kind, ids


def _list(store: GraphStore, kind: Kind, ids: Sequence[str], zone: tzinfo) -> int:
    """Put records into the text index, unless it has nothing to hold of them; return how many that were."""
    listed = 0
    for start in range(0, len(ids), GROUP):
        puts = []
        records = store.get(kind, ids[start : start + GROUP])
        told = {}
        if kind is Kind.PASSAGE:
            of = {cast(Passage, record).engram_id for record in records.values()}
            told = {id: cast(Engram, engram).content for id, engram in store.get(Kind.ENGRAM, sorted(of)).items()}
        for record in records.values():
            text = told.get(record.engram_id, "") if isinstance(record, Passage) else ""
            if terms := terms_of(record, zone, text):
                puts.append(Put(record, terms))
        if puts:
            store.write(Batch(puts=tuple(puts)))
        listed += len(puts)
    return listed
