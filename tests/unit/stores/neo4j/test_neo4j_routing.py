# SPDX-License-Identifier: Apache-2.0
"""What a driver is asked for: these tests record it, since a server with a database for each user, or a cluster, is
Neo4j Enterprise, which is not run here."""

from __future__ import annotations

from typing import Any

import pytest
from neo4j import Query
from neo4j.exceptions import SessionExpired, TransientError

from becausal.domain.records import Kind
from becausal.errors import SettingsError, StoreUnavailable
from becausal.stores.neo4j import names
from becausal.stores.neo4j.connection import translated
from becausal.stores.neo4j.store import Neo4jStore


class _Result:
    def __init__(self, rows: list[list[Any]]) -> None:
        self._rows = rows

    def values(self) -> list[list[Any]]:
        return self._rows

    def consume(self) -> None:
        return None


class _Recorder:
    """A driver that notes which database and which kind of member each question goes to."""

    def __init__(self, edition: str) -> None:
        self.edition = edition
        self.asked: list[tuple[str, str, str]] = []
        self.own = 0
        self.shared: list[_Session] = []
        self.broken = False

    def session(self, *, database: str, default_access_mode: str, **_: object) -> _Session:
        return _Session(self, database, default_access_mode)

    def close(self) -> None:
        return None


class _Session:
    def __init__(self, recorder: _Recorder, database: str, mode: str) -> None:
        self._recorder = recorder
        self._database = database
        self._mode = mode

    def __enter__(self) -> _Session:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def begin_transaction(self, *, timeout: float) -> _Session:
        self._recorder.shared.append(self)
        return self

    def close(self) -> None:
        self._recorder.shared.remove(self)

    def run(self, asked: str | Query, *_: object, **__: object) -> _Result:
        query = str(asked.text) if isinstance(asked, Query) else asked
        if self._recorder.broken and (self in self._recorder.shared or isinstance(asked, Query)):
            raise SessionExpired("the member has left")
        self._recorder.own += isinstance(asked, Query)
        self._recorder.asked.append((self._database, self._mode, query))
        return _Result([[self._recorder.edition]] if "dbms.components" in query else [])

    def execute_read(self, work: Any) -> Any:
        self._recorder.own += 1
        return work(self)

    def execute_write(self, work: Any) -> Any:
        while True:
            try:
                return work(self)
            except TransientError:  # as the driver does
                continue


def opened(recorder: _Recorder, user: str, isolation: str, uri: str = "neo4j://cluster") -> Neo4jStore:
    return Neo4jStore.open(user=user, uri=uri, isolation=isolation, driver=lambda *_: recorder)  # type: ignore[arg-type,return-value]


def test_with_a_database_for_each_user_it_is_made_and_all_else_goes_to_it() -> None:
    recorder = _Recorder("enterprise")

    store = opened(recorder, "alice", "database")
    store.get(Kind.ENGRAM, ["a"])
    store.close()

    own = names.database_name("alice")
    assert {database for database, _, _ in recorder.asked} == {"system", own}
    assert [query for database, _, query in recorder.asked if database == "system"][1] == (
        "CREATE DATABASE $name IF NOT EXISTS WAIT"
    )


def test_the_community_edition_has_no_database_for_each_user_and_is_told_so() -> None:
    with pytest.raises(SettingsError, match=r"NEO4J_ISOLATION.*Neo4j Enterprise"):
        opened(_Recorder("community"), "alice", "database")


def test_reads_and_writes_are_sent_to_the_members_that_take_them() -> None:
    recorder = _Recorder("community")
    store = opened(recorder, "alice", "tenant")
    recorder.asked.clear()

    store.get(Kind.ENGRAM, ["a"])
    store.count()
    with pytest.raises(StoreUnavailable, match="deleted"):
        store.clear([Kind.CUE])
    store.close()

    assert [mode for _, mode, _ in recorder.asked] == ["READ", "READ", "WRITE"]


def test_what_is_read_within_a_snapshot_shares_a_transaction_until_something_is_written() -> None:
    recorder = _Recorder("community")
    store = opened(recorder, "alice", "tenant")
    recorder.own = 0

    with store.snapshot():
        store.count()
        (first,) = recorder.shared
        with store.snapshot():
            store.get(Kind.ENGRAM, ["a"])
        assert recorder.shared == [first]
        with pytest.raises(StoreUnavailable, match="deleted"):
            store.clear([Kind.CUE])
        assert recorder.shared == []
        store.count()
        assert recorder.shared != [first]
    assert recorder.shared == []
    assert recorder.own == 0
    store.count()
    assert (recorder.own, recorder.shared) == (1, [])
    store.close()


def test_a_read_whose_shared_transaction_has_broken_is_made_on_its_own() -> None:
    recorder = _Recorder("community")
    store = opened(recorder, "alice", "tenant")
    recorder.own = 0

    with store.snapshot():
        store.count()
        recorder.broken = True
        assert store.get(Kind.ENGRAM, ["a"]) == {}
    assert (recorder.own, recorder.shared) == (1, [])  # with the patience of a managed transaction
    store.close()


def test_how_far_the_memory_has_come_is_asked_once_in_a_snapshot_and_again_after_a_write_of_ones_own() -> None:
    recorder = _Recorder("community")
    store = opened(recorder, "alice", "tenant")

    def asked() -> int:
        return sum(f"(r:{names.ROOT}" in query for _, _, query in recorder.asked)

    recorder.asked.clear()
    with store.snapshot():
        store.count()
        store.count()
        assert asked() == 1
        with pytest.raises(StoreUnavailable, match="deleted"):
            store.clear([Kind.CUE])
        recorder.asked.clear()
        store.count()
        assert asked() == 1
    store.count()
    store.count()
    assert asked() == 3
    store.close()


@pytest.mark.parametrize("user", ["alice", "Alice", "a" * 10_000, "' OR 1=1", "日本", "../x"])
def test_no_two_users_share_a_database_and_each_name_is_one_neo4j_takes(user: str) -> None:
    import re

    name = names.database_name(user)
    assert re.fullmatch(r"[a-z][a-z0-9.-]{2,62}", name)
    assert name != names.database_name(user + "x")


def test_no_error_holds_a_password_or_a_query() -> None:
    from neo4j.exceptions import AuthError, ServiceUnavailable

    for error in (AuthError("hunter2"), ServiceUnavailable("MATCH (n) hunter2")):
        shown = str(translated(error, "bolt://db"))
        assert "hunter2" not in shown
        assert "bolt://db" in shown


def test_a_change_of_the_schema_that_met_another_process_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = _Recorder("community")
    plain, failures = _Session.run, [TransientError("deadlock"), TransientError("deadlock")]

    def run(self: _Session, query: str, *more: object, **named: object) -> _Result:
        if failures and "CREATE" in query:
            raise failures.pop()
        return plain(self, query, *more, **named)

    monkeypatch.setattr(_Session, "run", run)
    opened(recorder, "alice", "tenant").close()
    assert failures == []
    assert any("CREATE" in query for _, _, query in recorder.asked)
