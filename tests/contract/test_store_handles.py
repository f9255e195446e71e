# SPDX-License-Identifier: Apache-2.0
"""Handles: users kept apart, several handles and threads at once, closing and reopening, over every store."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from becausal.domain.records import KIND_OF, Kind, LinkKind
from becausal.errors import Conflict, InvalidInput, StoreError
from becausal.ports.batch import Batch, Patch, Put, PutLink, PutVector, Ref
from becausal.ports.store import Condition, GraphStore, Op, TextHit
from contract.samples import FULL, T0, OpenStore, cue, engram, link, passage, put, put_links, put_vector, vector

# --- users --------------------------------------------------------------------------------------

USERS = [
    "alice", "Alice", "ALICE", "alice ", " alice", "alice.", "alice/../bob", "bob", "..", ".", "../bob", "/etc/passwd",
    "a\\b", "a:b", "a%62", "ab", "%", "%25", "con", "CON", "nul", "~", "-", "_", "a\nb", "\x7f", "*?<>|\"'",
    "ünï", "u\u0308ni\u0308", "日本", "🦉", "' OR 1=1 --", "{user}", "$(id)",
    "x" * 10_000, "x" * 9_999 + "y", "é" * 5000,
]  # fmt: skip


def test_no_user_sees_what_another_has_whatever_their_names(open_store: OpenStore) -> None:
    for number, user in enumerate(USERS):
        store = open_store(user)
        assert store.user == user
        assert store.count()["engram"] == 0, user
        store.write(
            Batch(
                puts=(Put(engram("same", summary=str(number), content_hash="h"), ("word", f"w{number}")),),
                vectors=(PutVector(Kind.ENGRAM, "same", vector(1, number)),),
                links=(PutLink(link("l", "same", "same", relation_type=str(number))),),
                meta={"key": str(number)},
            )
        )
        assert store.claim("index", ["a"], f"holder{number}", 60) == {"a"}
    for number, user in enumerate(USERS):
        store = open_store(user)
        assert store.get(Kind.ENGRAM, ["same"])["same"] == engram(
            "same", summary=str(number), content_hash="h", version=1
        )
        assert len(store.find(Kind.ENGRAM).records) == 1
        assert [found.relation_type for found in store.links(["same"])] == [str(number)]
        matches = store.text_search(Kind.ENGRAM, ["word", f"w{number}"], 10)
        assert (len(matches.hits), matches.document_frequencies, matches.documents) == (1, (1, 1), 1)
        assert len(store.vector_search(Kind.ENGRAM, vector(1, number), 10)) == 1
        assert store.meta("key") == str(number)


def test_one_user_clearing_a_memory_leaves_the_others_alone(open_store: OpenStore) -> None:
    alice, bob = open_store("alice"), open_store("bob")
    for store in (alice, bob):
        put(store, engram("a"), terms=("word",))
    alice.clear([Kind.ENGRAM])
    alice.erase_traces()
    assert (alice.count()["engram"], bob.count()["engram"]) == (0, 1)
    assert len(bob.text_search(Kind.ENGRAM, ["word"], 5).hits) == 1


@pytest.mark.parametrize("user", ["", "\0", "alice\0bob"])
def test_a_user_name_that_is_empty_or_holds_nul_is_refused(open_store: OpenStore, user: str) -> None:
    with pytest.raises(InvalidInput, match="user"):
        open_store(user)


# --- several handles ----------------------------------------------------------------------------


def test_two_handles_on_one_memory_see_each_others_writes(open_store: OpenStore) -> None:
    one, two = open_store(), open_store()
    put(one, engram("a"), terms=("word",))
    put(two, engram("b"), terms=("word",))
    put_links(one, link("ab", "a", "b"))
    two.write(Batch(meta={"key": "value"}))
    for store in (one, two):
        assert store.get(Kind.ENGRAM, ["a", "b"]).keys() == {"a", "b"}
        assert [found.id for found in store.links(["b"])] == ["ab"]
        assert len(store.text_search(Kind.ENGRAM, ["word"], 5).hits) == 2
        assert (store.meta("key"), store.count()["engram"]) == ("value", 2)


def test_of_two_handles_that_change_one_version_one_is_told(open_store: OpenStore) -> None:
    one, two = open_store(), open_store()
    put(one, engram("a"))
    one.write(Batch(patches=(Patch(Kind.ENGRAM, "a", {"label": "one"}, expect_version=1),)))
    with pytest.raises(Conflict):
        two.write(Batch(patches=(Patch(Kind.ENGRAM, "a", {"label": "two"}, expect_version=1),)))


WITHOUT_SNAPSHOTS = ("falkordb", "neo4j")
"""Servers that do not hold a state still over several questions."""


def test_a_snapshot_reads_one_state_whatever_is_written_meanwhile(store_name: str, open_store: OpenStore) -> None:
    one, two = open_store(), open_store()
    put(one, engram("a"), terms=("word",))
    put_vector(one, "a", 1, 0)

    def seen(store: GraphStore) -> tuple[int, int, int]:
        texts, vectors = store.text_search(Kind.ENGRAM, ["word"], 5), store.vector_search(Kind.ENGRAM, vector(1, 0), 5)
        return store.count()["engram"], len(texts.hits), len(vectors)

    # A server that knows no such thing answers every question with what there is by then.
    within = (1, 1, 1) if store_name not in WITHOUT_SNAPSHOTS else (3, 3, 1)
    with one.snapshot():
        assert seen(one) == (1, 1, 1)
        put(two, engram("b"), terms=("word",))
        with one.snapshot():
            put(one, engram("c"), terms=("word",))
        assert seen(one) == within
        with ThreadPoolExecutor(1) as another:
            assert another.submit(seen, one).result() == (3, 3, 1)
        with pytest.raises(InvalidInput):
            one.find(Kind.ENGRAM, limit=0)
        assert seen(one) == within
    assert seen(one) == (3, 3, 1)


def test_after_a_snapshot_or_in_another_thread_the_newest_is_read(open_store: OpenStore) -> None:
    one, two = open_store(), open_store()
    put(one, engram("a"), engram("b"), terms=("old",))
    put_vector(one, "a", 1, 0)

    def seen(store: GraphStore) -> tuple[object, ...]:
        return (
            store.passing(Kind.ENGRAM, ["a", "b"], ()),
            store.occurrences(Kind.ENGRAM, ["old", "new"], ["a", "b"]),
            [hit.id for hit in store.vector_search(Kind.ENGRAM, vector(1, 0), 5)],
            store.find(Kind.PASSAGE).records,
            store.edges(["a"], [LinkKind.FOLLOWS], "both", 5),
            store.links(["a"], [LinkKind.FOLLOWS]),
            store.meta("key"),
        )

    def change(store: GraphStore) -> None:
        put_links(store, link("l", "a", "a", LinkKind.FOLLOWS))
        put(store, engram("a"), terms=("new", "new"))
        store.write(Batch(deletes=(Ref(Kind.ENGRAM, "b"),), meta={"key": "value"}))
        put_vector(store, "a", 0, 1)
        put(store, passage("p", "a"))

    with one.snapshot():
        seen(one)
        change(two)
        seen(one)
        with ThreadPoolExecutor(1) as another:
            newest = another.submit(seen, one).result()
    assert newest == seen(one) == seen(two)
    assert newest[:2] == (frozenset("a"), (TextHit("a", (0, 2), 2),))
    assert all(newest)
    assert newest[-1] == "value"


def test_where_a_server_holds_no_state_still_a_write_of_ones_own_is_read_in_the_same_snapshot(
    store_name: str, open_store: OpenStore
) -> None:
    if store_name not in WITHOUT_SNAPSHOTS:
        pytest.skip("holds it still")
    store = open_store()
    put(store, engram("a"), terms=("old",))
    with store.snapshot():
        assert store.passing(Kind.ENGRAM, ["a"], ()) == frozenset("a")
        assert store.occurrences(Kind.ENGRAM, ["new"], ["a"]) == ()
        assert store.find(Kind.PASSAGE).records == ()
        assert store.meta("key") is None
        put(store, engram("a"), terms=("new",))
        put(store, passage("p", "a"))
        store.write(Batch(meta={"key": "value"}))
        assert store.occurrences(Kind.ENGRAM, ["new"], ["a"]) == (TextHit("a", (1,), 1),)
        assert [record.id for record in store.find(Kind.PASSAGE).records] == ["p"]
        assert store.meta("key") == "value"


def test_a_snapshot_ends_with_the_error_that_leaves_it(open_store: OpenStore) -> None:
    store = open_store()
    put(store, engram("a"))
    with pytest.raises(InvalidInput), store.snapshot():
        store.find(Kind.ENGRAM, limit=0)
    put(store, engram("b"))
    assert store.count()["engram"] == 2


def test_everything_is_there_after_reopening(open_store: OpenStore) -> None:
    store = open_store()
    put(store, *FULL, terms=("word",))
    put(store, engram("b"))
    put_vector(store, "b", 1, 0)
    put_links(store, link("eb", "e", "b"))
    store.write(Batch(meta={"key": "value"}))
    before = (store.count(), store.links(["b"]))
    store.close()
    again = open_store()
    assert (again.count(), again.links(["b"])) == before
    for record in FULL:
        kind = KIND_OF[type(record)]
        assert again.get(kind, [record.id])[record.id].version == 1
        assert [hit.id for hit in again.text_search(kind, ["word"], 5).hits] == [record.id]
    assert [hit.id for hit in again.vector_search(Kind.ENGRAM, vector(1, 0), 5)] == ["b"]
    assert again.meta("key") == "value"
    assert again.check() == ()


# --- threads ------------------------------------------------------------------------------------


def test_eight_threads_writing_lose_nothing(open_store: OpenStore) -> None:
    handles = [open_store(), open_store()]
    put(handles[0], engram("shared"), cue("c"))
    cued = {"kind": LinkKind.ENCODED_BY, "dst_kind": Kind.CUE}

    def write(thread: int) -> None:
        store = handles[thread % 2]
        for i in range(15):
            id = f"t{thread}-{i}"
            store.write(
                Batch(
                    puts=(Put(engram(id), ("word", id)), Put(cue("c"), if_absent=True)),
                    patches=(Patch(Kind.ENGRAM, "shared", increment={"access_count": 1}),),
                    vectors=(PutVector(Kind.ENGRAM, id, vector(thread + 1, i)),),
                    links=(PutLink(link(f"l{id}", id, "c", **cued)),),
                )
            )
            assert store.get(Kind.ENGRAM, [id])
            assert id in {hit.id for hit in store.vector_search(Kind.ENGRAM, vector(thread + 1, i), 200)}
            assert store.text_search(Kind.ENGRAM, [id], 5).document_frequencies == (1,)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    store = handles[0]
    assert (store.count()["engram"], store.count()["ENCODED_BY"]) == (121, 120)
    assert store.get(Kind.ENGRAM, ["shared"])["shared"] == engram("shared", access_count=120, version=121)
    assert store.text_search(Kind.ENGRAM, ["word"], 5).document_frequencies == (120,)
    assert len(store.vector_search(Kind.ENGRAM, vector(1, 1), 500)) == 120
    assert store.check() == ()


def test_a_reader_sees_all_of_a_batch_or_nothing_of_it(open_store: OpenStore) -> None:
    writer, reader = open_store(), open_store()
    done = threading.Event()

    def write() -> None:
        for i in range(30):
            writer.write(Batch(puts=tuple(Put(engram(f"e{i}-{j}", label=str(i)), ("word",)) for j in range(5))))
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    while not done.is_set():
        matches = reader.text_search(Kind.ENGRAM, ["word"], 1000)
        assert len(matches.hits) == matches.documents == sum(matches.document_frequencies)
        assert len(reader.find(Kind.ENGRAM, limit=1000).records) % 5 == 0
    thread.join()
    assert reader.count()["engram"] == 150


def test_threads_that_have_ended_leave_nothing_to_close(store: GraphStore) -> None:
    put(store, engram("a"))
    for _ in range(20):
        thread = threading.Thread(target=lambda: store.get(Kind.ENGRAM, ["a"]))
        thread.start()
        thread.join()
    store.close()


# --- closing ------------------------------------------------------------------------------------

CALLS: dict[str, Callable[[GraphStore], object]] = {
    "write": lambda store: store.write(Batch()),
    "claim": lambda store: store.claim("k", ["a"], "me", 1),
    "get": lambda store: store.get(Kind.ENGRAM, ["a"]),
    "find": lambda store: store.find(Kind.ENGRAM, (Condition("at", Op.GT, T0),)),
    "links": lambda store: store.links(["a"]),
    "vector_search": lambda store: store.vector_search(Kind.ENGRAM, vector(1), 1),
    "text_search": lambda store: store.text_search(Kind.ENGRAM, ["a"], 1),
    "count": lambda store: store.count(),
    "clear": lambda store: store.clear([Kind.CUE]),
    "meta": lambda store: store.meta("a"),
    "erase_traces": lambda store: store.erase_traces(),
    "check": lambda store: store.check(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_closed_handle_refuses_every_call_and_may_be_closed_again(
    store: GraphStore, call: Callable[[GraphStore], object]
) -> None:
    call(store)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        call(store)


def test_closing_one_handle_leaves_the_other_open(open_store: OpenStore) -> None:
    one, two = open_store(), open_store()
    one.close()
    put(two, engram("a"))
    assert two.count()["engram"] == 1


def test_the_location_is_readable(open_store: OpenStore) -> None:
    assert open_store("alice").location != open_store("bob").location
