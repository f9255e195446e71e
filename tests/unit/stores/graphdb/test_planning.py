# SPDX-License-Identifier: Apache-2.0
"""What a batch changes, worked out for stores that cannot do it in a query. The contract suite holds the rest."""

from __future__ import annotations

from typing import Any

import pytest

from becausal.domain.records import Kind, LinkKind
from becausal.ports.batch import Batch, DropUnlinked, PutLink, Ref
from becausal.stores.codec import LINK_CODEC
from becausal.stores.graphdb.needs import Current
from becausal.stores.graphdb.planning import plan
from contract.samples import link

N = 300
looked_at: list[str] = []


class Watched(dict[str, Any]):
    """A row of a link that notes when it is looked at."""

    def __getitem__(self, name: str) -> Any:
        looked_at.append(name)
        return super().__getitem__(name)


def stored(*links: Any) -> dict[str, Any]:
    return {each.id: Watched(zip(LINK_CODEC.names, LINK_CODEC.encode(each), strict=True)) for each in links}


def current(*links: Any) -> Current:
    records = {
        Kind.ENGRAM: {id: {"id": id, "version": 1, "indexed_at": 1.0} for i in range(N) for id in (f"a{i}", f"b{i}")}
    }
    return Current(records=records, links=stored(*links))


@pytest.mark.parametrize("how", ["deletes", "unlinked"])
def test_what_deleting_many_costs_grows_with_their_number_and_not_with_its_square(how: str) -> None:
    looked_at.clear()
    state = current(*(link(f"l{i}", f"a{i}", f"b{i}") for i in range(N)))
    gone = [f"a{i}" for i in range(N)]
    if how == "deletes":
        batch = Batch(deletes=tuple(Ref(Kind.ENGRAM, id) for id in gone))
    else:
        batch = Batch(unlinked=tuple(DropUnlinked(Kind.ENGRAM, id, LinkKind.X_RECORDS) for id in gone))
    changes = plan(batch, state)
    assert changes.deletes[Kind.ENGRAM] == set(gone)
    assert changes.unlinks == {f"l{i}" for i in range(N)}
    assert changes.tally == {"engram": -N, "link:ASSOCIATED_WITH": -N}
    assert len(looked_at) < 20 * N


def test_a_link_that_comes_or_moves_in_a_batch_goes_with_the_end_it_has_by_then() -> None:
    batch = Batch(
        links=(PutLink(link("moved", "a2", "b2"), "replace"), PutLink(link("new", "a2", "b0"), "replace")),
        unlinked=(DropUnlinked(Kind.ENGRAM, "a2", LinkKind.X_RECORDS),),
    )
    changes = plan(batch, current(link("moved", "a1", "b1")))
    assert changes.unlinks == {"moved", "new"}
    assert changes.links == {}


def test_a_link_that_has_moved_away_from_what_is_deleted_stays() -> None:
    batch = Batch(
        links=(PutLink(link("moved", "a2", "b2"), "replace"),),
        unlinked=(DropUnlinked(Kind.ENGRAM, "a1", LinkKind.X_RECORDS),),
    )
    changes = plan(batch, current(link("moved", "a1", "b1")))
    assert changes.links.keys() == {"moved"}
    assert changes.unlinks == frozenset()
