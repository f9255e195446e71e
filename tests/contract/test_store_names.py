# SPDX-License-Identifier: Apache-2.0
"""Text that looks like a query, a path or an end of one, wherever a caller may put text: it stays text."""

from __future__ import annotations

import pytest

from becausal.domain.records import Kind, LinkKind
from becausal.ports.batch import Batch, Put, PutLink, Ref
from becausal.ports.store import Condition, GraphStore, Op, Order
from contract.samples import OpenStore, cue, engram, entity, link, put

HOSTILE = [
    "a' OR 1=1", "' OR '1'='1' --", '"', "\\", "\\'", "`", "../x", "..", "user:b", "nul\0name", "x" * 10_000, "🐘",
    "x}) MATCH (n) DETACH DELETE n //", "`) RETURN 1 //", "}}", "$o", "$mark", "{owner}", "*", "%", "_", "|", "@", "-",
    "\n", "\t", "é", "e\u0301", "Bob", "bob", "BOB", "NULL", "true", "'); DROP TABLE engram; --",
]  # fmt: skip


def test_names_that_attack_stay_text_as_label_source_session_tag_relation_name_and_key(open_store: OpenStore) -> None:
    store, other = open_store("alice"), open_store("bob")
    put(other, engram("theirs", label="bob", tags=("bob",)))
    for number, name in enumerate(HOSTILE):
        store.write(
            Batch(
                puts=(
                    Put(
                        engram(
                            f"e{number:02}",
                            label=name,
                            source=name,
                            session=name,
                            tags=(name, "all"),
                            summary=name,
                            content=name,
                            metadata={name: name},
                        )
                    ),
                    Put(cue(f"c{number:02}", name=name)),
                    Put(entity(f"n{number:02}", name=name, key=name, entity_type=name)),
                ),
                links=(
                    PutLink(
                        link(
                            f"l{number:02}",
                            f"n{number:02}",
                            f"n{number:02}",
                            LinkKind.E_RELATES,
                            relation_type=name,
                            src_kind=Kind.ENTITY,
                            dst_kind=Kind.ENTITY,
                            metadata={name: name},
                        )
                    ),
                ),
                meta={f"key of {number}": name},
            )
        )
        store.claim(name, [name], name, 3600)
    counts = store.count()
    assert (counts["engram"], counts["cue"], counts["E_RELATES"]) == (len(HOSTILE),) * 3
    for number, name in enumerate(HOSTILE):
        found = store.get(Kind.ENGRAM, [f"e{number:02}"])[f"e{number:02}"]
        assert found == engram(
            f"e{number:02}",
            label=name,
            source=name,
            session=name,
            tags=(name, "all"),
            summary=name,
            content=name,
            metadata={name: name},
            version=1,
        )
        for field in ("label", "source", "session"):
            assert ids(store, Kind.ENGRAM, Condition(field, Op.EQ, name)) == [f"e{number:02}"]
            assert ids(store, Kind.ENGRAM, Condition(field, Op.IN, (name, "nobody's"))) == [f"e{number:02}"]
        assert ids(store, Kind.ENGRAM, Condition("tags", Op.HAS, (name,))) == [f"e{number:02}"]
        assert ids(store, Kind.CUE, Condition("name", Op.EQ, name)) == [f"c{number:02}"]
        assert ids(store, Kind.ENTITY, Condition("key", Op.EQ, name)) == [f"n{number:02}"]
        (relation,) = store.links([f"n{number:02}"])
        assert (relation.relation_type, relation.metadata) == (name, {name: name})
        (edge,) = store.edges([f"n{number:02}"], [LinkKind.E_RELATES], "out", 5)
        assert edge.relation_type == name
        assert store.meta(f"key of {number}") == name
        assert store.leases(name, [name])[name].holder == name
    assert other.count()["engram"] == 1
    assert ids(other, Kind.ENGRAM, Condition("label", Op.EQ, "bob")) == ["theirs"]
    assert store.check() == ()


@pytest.mark.parametrize("name", ["e1' OR 1=1", "*", "nul\0", "`) RETURN 1 //", "x" * 10_000, ""])
def test_an_id_that_attacks_finds_nothing_and_deletes_nothing(store: GraphStore, name: str) -> None:
    put(store, engram("e1"), engram("e2"))
    assert store.get(Kind.ENGRAM, [name]) == {}
    assert store.peek(Kind.ENGRAM, [name], ("label",)) == {}
    assert store.links([name]) == ()
    assert store.passing(Kind.ENGRAM, [name], ()) == frozenset()
    assert store.meta(name) is None

    store.write(Batch(deletes=(Ref(Kind.ENGRAM, name),), unlinks=(name,)))
    assert store.count()["engram"] == 2


def ids(store: GraphStore, kind: Kind, *where: Condition) -> list[str]:
    return [record.id for record in store.find(kind, where, Order("id"), limit=100).records]
