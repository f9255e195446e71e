# SPDX-License-Identifier: Apache-2.0
"""Promises over a store: one claimant, everybody else told, and what became of the work kept apart."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from becausal.errors import Conflict
from becausal.ports.batch import Batch
from becausal.ports.store import GraphStore
from becausal.session.promises import PENDING, Promises, State
from becausal.session.q_promise_bridge import QPromiseRegistry
from becausal.stores.registry import open_store


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[GraphStore, GraphStore]]:
    """Two handles on one memory, as two processes have them."""
    here, there = (open_store("sqlite", location=tmp_path, user="alice") for _ in range(2))
    yield here, there
    here.close()
    there.close()


@pytest.fixture
def here(stores: tuple[GraphStore, GraphStore]) -> Iterator[Promises]:
    promises = Promises(stores[0], claim_ttl=60, result_ttl=60)
    yield promises
    promises.close()


@pytest.fixture
def there(stores: tuple[GraphStore, GraphStore]) -> Iterator[Promises]:
    promises = Promises(stores[1], claim_ttl=60, result_ttl=60)
    yield promises
    promises.close()


def states(*promises: Promises, name: str = "key") -> list[str]:
    return [each.look("s", name).state for each in promises]


def test_one_gets_the_work_and_the_others_see_that_it_is_pending(here: Promises, there: Promises) -> None:
    assert states(here, there) == ["unknown", "unknown"]
    assert here.claim("s", "key")
    assert not here.claim("s", "key")
    assert not there.claim("s", "key")
    assert states(here, there) == ["pending", "pending"]


def test_promises_of_another_session_or_name_are_others(here: Promises) -> None:
    assert here.claim("s", "key")
    assert here.claim("other", "key")
    assert here.claim("s", "other")
    assert here.claim('s", "key', "x")
    assert here.claim("s", 'key", "x')


def test_a_result_is_known_everywhere_as_it_was_given(here: Promises, there: Promises) -> None:
    here.claim("s", "key")
    assert here.fulfil("s", "key", 'v"ä\n')
    for each in (here, there):
        promise = each.look("s", "key")
        assert (promise.state, promise.payload) == (State.RESOLVED, 'v"ä\n')
    assert there.fulfil("s", "key", "newer")
    assert here.look("s", "key").payload == "newer"


def test_a_value_that_nobody_promised_is_not_told_to_anybody(here: Promises, there: Promises) -> None:
    assert not here.fulfil("s", "key", "value")
    assert states(there) == ["unknown"]


def test_work_that_is_given_up_says_why_and_is_free(here: Promises, there: Promises) -> None:
    here.claim("s", "key")
    assert here.reject("s", "key", "the service is down")
    promise = there.look("s", "key")
    assert (promise.state, promise.payload) == (State.REJECTED, "the service is down")
    assert there.claim("s", "key")
    assert states(here, there) == ["pending", "pending"]
    assert not here.reject("s", "never promised", "why not")


def test_work_that_was_not_done_in_time_is_told_apart_from_work_that_nobody_began(
    here: Promises, there: Promises, stores: tuple[GraphStore, GraphStore]
) -> None:
    here.claim("s", "key")
    stores[0].write(Batch(release=((PENDING, '["s", "key"]'),)))  # as if its time had run out
    assert states(here, there) == ["expired", "expired"]
    assert states(here, there, name="never") == ["unknown", "unknown"]
    assert here.fulfil("s", "key", "late")  # it is of use all the same
    assert there.look("s", "key").payload == "late"


def test_registering_again_makes_a_promise_pending_again(here: Promises, there: Promises) -> None:
    here.register("s", "key")
    here.fulfil("s", "key", "old")
    there.register("s", "key")
    assert states(here, there) == ["pending", "pending"]


def test_a_claim_runs_out_after_its_time_and_not_before(here: Promises, there: Promises) -> None:
    assert here.claim("s", "key", 1.5)
    with there.ticket("s", "key") as ticket:
        left = there.look("s", "key").left
        assert left is not None
        assert 0 < left <= 1.5
        assert not there.claim("s", "key")
        assert ticket.wait(30)
    assert there.claim("s", "key")


def test_of_many_who_claim_at_once_one_gets_it(here: Promises, there: Promises) -> None:
    start = threading.Barrier(16)

    def claim(number: int) -> bool:
        start.wait()
        return bool((here if number % 2 else there).claim("s", "key"))

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(claim, range(16))) == 1


# --- whose work it is ---


def take(promises: Promises, ttl: float | None = None) -> str:
    token = promises.claim("s", "key", ttl)
    assert token is not None
    return token


def run_out(store: GraphStore) -> None:
    """Have the time for the work run out."""
    store.write(Batch(release=((PENDING, '["s", "key"]'),)))


def test_a_holder_goes_on_with_its_token_and_nobody_else_does(here: Promises, there: Promises) -> None:
    token = take(here, 1.5)
    assert here.claim("s", "key", 60, token) == token
    left = there.look("s", "key").left
    assert left is not None
    assert left > 1.5
    assert there.claim("s", "key", 60, "another") is None
    assert here.fulfil("s", "key", "value", token)
    assert there.look("s", "key").payload == "value"


def test_a_claim_that_ran_out_is_taken_up_again_with_its_token_while_nobody_else_has_it(
    here: Promises, there: Promises, stores: tuple[GraphStore, GraphStore]
) -> None:
    token = take(here)
    run_out(stores[0])
    assert here.claim("s", "key", None, token) == token
    assert there.claim("s", "key") is None
    run_out(stores[0])
    other = take(there)
    assert here.claim("s", "key", None, token) is None
    assert there.fulfil("s", "key", "theirs", other)


def test_who_is_late_is_refused_while_another_does_the_work_and_when_it_is_done(
    here: Promises, there: Promises, stores: tuple[GraphStore, GraphStore]
) -> None:
    late = take(here)
    run_out(stores[0])
    valid = take(there)
    for end in (here.fulfil, here.reject):
        with pytest.raises(Conflict, match="another caller has the work on 'key', or has done it"):
            end("s", "key", "late", late)
    assert states(here, there) == ["pending", "pending"]
    assert there.fulfil("s", "key", "in time", valid)
    with pytest.raises(Conflict, match="another caller has the work on 'key', or has done it"):
        here.fulfil("s", "key", "late", late)
    assert [each.look("s", "key").payload for each in (here, there)] == ["in time"] * 2
    assert there.fulfil("s", "key", "corrected", valid)


def test_work_that_is_done_is_not_given_up_any_more(here: Promises, there: Promises) -> None:
    token = take(here)
    here.fulfil("s", "key", "value", token)
    assert not here.reject("s", "key", "changed my mind", token)
    assert not there.reject("s", "key", "changed my mind")
    assert states(here, there) == ["resolved", "resolved"]
    assert here.look("s", "key").payload == "value"


def test_who_is_late_is_heard_where_nobody_has_taken_the_work_over(
    here: Promises, there: Promises, stores: tuple[GraphStore, GraphStore]
) -> None:
    token = take(here)
    run_out(stores[0])
    assert here.fulfil("s", "key", "late", token)
    assert there.look("s", "key").payload == "late"


def test_of_one_who_is_late_and_one_who_takes_over_at_once_exactly_one_is_heard(
    here: Promises, there: Promises, stores: tuple[GraphStore, GraphStore]
) -> None:
    def set_late(start: threading.Barrier, token: str) -> bool:
        start.wait()
        try:
            return here.fulfil("s", "key", "late", token)
        except Conflict:
            return False

    def take_over(start: threading.Barrier) -> bool:
        start.wait()
        return (token := there.claim("s", "key")) is not None and there.fulfil("s", "key", "taken over", token)

    with ThreadPoolExecutor(2) as pool:
        for _ in range(20):
            token = take(here)
            run_out(stores[0])
            start = threading.Barrier(2)
            late, other = pool.submit(set_late, start, token), pool.submit(take_over, start)
            assert (late.result(), other.result()) in ((True, False), (False, True))
            assert there.look("s", "key").payload == ("late" if late.result() else "taken over")
            here.void("s")


# --- forgetting what came of it ---


def test_what_came_of_work_counts_for_nobody_once_the_session_is_begun_anew(here: Promises, there: Promises) -> None:
    here.fulfil("s", "key", "old", take(here))
    other = here.claim("other", "key")
    here.fulfil("other", "key", "kept", other)
    there.void("s")
    assert states(here, there) == ["unknown", "unknown"]
    assert here.look("other", "key").payload == "kept"
    token = take(there)
    assert here.claim("s", "key") is None
    assert states(here, there) == ["pending", "pending"]
    there.fulfil("s", "key", "new", token)
    assert here.look("s", "key").payload == "new"
    here.void("s")
    assert states(here, there) == ["unknown", "unknown"]


def test_work_in_progress_goes_on_when_the_session_is_begun_anew(here: Promises, there: Promises) -> None:
    token = take(here)
    there.void("s")
    assert states(here, there) == ["pending", "pending"]
    assert there.claim("s", "key") is None
    assert here.fulfil("s", "key", "value", token)
    assert there.look("s", "key").payload == "value"


def test_whoever_waits_is_told_of_a_result_in_this_process_and_in_another(here: Promises, there: Promises) -> None:
    here.claim("s", "key")
    told = threading.Event()
    with here.ticket("s", "key") as near, there.ticket("s", "key") as far:
        far.on_fire(told.set)
        assert not near.wait(0)
        here.fulfil("s", "key", "value")
        assert near.wait(0)  # at once
        assert far.wait(30)
        assert told.is_set()


def test_a_ticket_for_what_is_not_pending_fires_soon(here: Promises) -> None:
    with here.ticket("s", "never") as ticket:
        assert ticket.wait(30)


def test_closing_lets_everybody_go_who_waits(stores: tuple[GraphStore, GraphStore]) -> None:
    promises = Promises(stores[0], claim_ttl=60, result_ttl=60)
    promises.claim("s", "key")
    ticket = promises.ticket("s", "key")
    promises.close()
    assert ticket.wait(0)
    assert promises.ticket("s", "key").wait(0)


# --- the registry of one process ---


def test_a_registry_knows_pending_resolved_and_unknown_promises() -> None:
    registry = QPromiseRegistry()
    assert registry.peek_promise("p") == (False, None, None)
    registry.register("p")
    assert registry.peek_promise("p") == (True, "pending", None)
    assert registry.resolve("p", "payload")
    assert registry.peek_promise("p") == (True, "resolved", "payload")
    registry.register("p")
    assert registry.peek_promise("p") == (True, "pending", None)
    assert not registry.resolve("never", "payload")
    assert (len(registry), "p" in registry, "never" in registry) == (1, True, False)


def test_a_registry_lets_promises_be_rejected_expire_and_be_waited_for() -> None:
    now = [0.0]
    registry = QPromiseRegistry(clock=lambda: now[0])
    registry.register("p", ttl=5)
    now[0] = 5
    assert registry.wait("p", 10) == (True, "expired", None)
    registry.register("q")
    assert registry.reject("q", "no")
    assert registry.wait("q") == (True, "rejected", "no")
    registry.register("r")
    waiter = threading.Thread(target=registry.resolve, args=("r", "done"))
    waiter.start()
    assert registry.wait("r") == (True, "resolved", "done")
    waiter.join()
