# SPDX-License-Identifier: Apache-2.0
"""Walking over everything and looking after it, over every store."""

from __future__ import annotations

from typing import Any

import pytest

from becausal.domain.records import Kind, LinkKind
from becausal.errors import InvalidInput
from becausal.ports.batch import Batch, DropUnlinked, Put, PutLink, PutVector, Ref
from becausal.ports.store import Condition, GraphStore, Op
from contract.samples import HOUR, T0, cue, engram, link, put, vector

LIVE = (Condition("archived_at", Op.NULL, True),)


def swept(store: GraphStore, *fields: str, where: Any = (), limit: int = 3) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    while page := store.sweep(Kind.ENGRAM, fields, where, rows[-1][0] if rows else "", limit):
        assert len(page) <= limit
        rows += page
    return rows


def test_a_sweep_walks_over_all_that_match_by_id_and_brings_the_fields_asked_for(store: GraphStore) -> None:
    records = [
        engram(f"e{i:02}", importance=i / 20, last_accessed_at=T0 + i * HOUR, archived_at=T0 if i % 4 == 3 else None)
        for i in range(20)
    ]
    put(store, *reversed(records))
    expected = [(each.id, each.last_accessed_at, each.importance, 1) for each in records if each.archived_at is None]
    assert swept(store, "last_accessed_at", "importance", "version", where=LIVE) == expected
    assert swept(store) == [(each.id,) for each in records]
    assert swept(store, "tags", where=(Condition("importance", Op.GE, 2.0),)) == []


def test_a_sweep_refuses_a_limit_below_one_and_an_unknown_field(store: GraphStore) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        store.sweep(Kind.ENGRAM, (), limit=0)
    with pytest.raises(InvalidInput, match="colour"):
        store.sweep(Kind.ENGRAM, ("colour",))


def test_what_no_link_supports_is_dropped_and_what_one_does_stays(store: GraphStore) -> None:
    put(store, engram("a"), cue("held"), cue("loose"), cue("other"))
    cued: dict[str, Any] = {"src_kind": Kind.CUE, "dst_kind": Kind.CUE, "kind": LinkKind.CO_OCCURS}
    drops = tuple(DropUnlinked(Kind.CUE, id, LinkKind.ENCODED_BY) for id in ("held", "loose", "other", "nobody"))
    store.write(
        Batch(
            # A link that comes in the same batch counts; one of another kind does not.
            links=(
                PutLink(link("x", "a", "held", LinkKind.ENCODED_BY, dst_kind=Kind.CUE)),
                PutLink(link("y", "loose", "other", **cued)),
            ),
            unlinked=drops,
        )
    )
    assert store.get(Kind.CUE, ["held", "loose", "other"]).keys() == {"held"}
    assert store.count()["cue"] == 1
    assert [found.id for found in store.links(["a", "held", "loose", "other"])] == ["x"]
    assert store.check() == ()


def test_tending_comes_to_an_end_and_changes_no_answer(store: GraphStore) -> None:
    for i in range(300):
        store.write(
            Batch(
                puts=(Put(engram(f"e{i:03}"), ("common", f"word{i % 7}", f"own{i}")),),
                vectors=(PutVector(Kind.ENGRAM, f"e{i:03}", vector(1, i)),),
            )
        )
    store.write(Batch(deletes=tuple(Ref(Kind.ENGRAM, f"e{i:03}") for i in range(0, 300, 3))))

    def answers() -> tuple[Any, ...]:
        by_text = store.text_search(Kind.ENGRAM, ["word3", "own7"], 500)
        return sorted(by_text.hits), by_text.document_frequencies, store.vector_search(Kind.ENGRAM, vector(1, 9), 9)

    before = answers()
    for _ in range(1000):
        if not store.tend():
            break
    assert not store.tend()
    assert answers() == before
    assert store.check() == ()
