# SPDX-License-Identifier: Apache-2.0
"""The time line: events with their identity, and facts that close each other, told in any order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from becausal.domain.interval import Interval
from becausal.domain.records import Event, Fact, Kind, LinkKind, Precision
from becausal.errors import Conflict, InvalidInput
from becausal.graphs.entities import Entities
from becausal.graphs.linking import Draft, Node
from becausal.graphs.timeline import Closing, Timeline, subject_term
from becausal.ports.batch import Batch, Ref
from becausal.ports.store import GraphStore

NOW = datetime(2026, 6, 10, tzinfo=UTC)


def year(number: int) -> datetime:
    return datetime(number, 1, 1, tzinfo=UTC)


class History:
    """Facts about Alice, told one after the other."""

    def __init__(self, store: GraphStore) -> None:
        self.store = store
        self.now = NOW

    def tell(
        self,
        object: str,
        begin: int,
        end: int | None = None,
        *,
        predicate: str = "works at",
        subject: str = "Alice",
        single: bool | None = None,
    ) -> tuple[Fact, tuple[Closing, ...]]:
        self.now += timedelta(minutes=1)
        draft = Draft("alice", self.now)
        fact, closings = Timeline(self.store).draft_fact(
            draft, subject, predicate, object, year(begin), year(end) if end else None, single
        )
        draft.patches += Timeline.patches(closings)
        self.store.write(draft.batch())
        return fact, closings

    def held(self, predicate: str | None = None) -> dict[str, tuple[int, int | None]]:
        facts = Timeline(self.store).about("alice", predicate)
        return {fact.object: (fact.valid_from.year, fact.valid_to.year if fact.valid_to else None) for fact in facts}

    def forget(self, *facts: Fact) -> None:
        gone = [fact.id for fact in facts]
        closings = Timeline(self.store).reopened(gone)
        self.store.write(Batch(deletes=tuple(Ref(Kind.FACT, id) for id in gone), patches=Timeline.patches(closings)))


@pytest.fixture
def history(store: GraphStore) -> History:
    return History(store)


# --- superseding ---


def test_a_newer_fact_closes_the_open_one_where_it_begins_and_names_itself(history: History) -> None:
    old, _ = history.tell("Acme", 2018)
    new, (closing,) = history.tell("Beta", 2021)
    assert history.held() == {"Acme": (2018, 2021), "Beta": (2021, None)}
    assert closing.before.id == closing.after.id == old.id
    assert (closing.before.valid_to, closing.before.superseded_by) == (None, None)
    assert (closing.after.valid_to, closing.after.superseded_by) == (year(2021), new.id)


def test_a_fact_told_late_ends_where_the_later_one_begins_and_closes_the_earlier_one(history: History) -> None:
    history.tell("Acme", 2010)
    history.tell("Gamma", 2020)
    late, closings = history.tell("Beta", 2015)
    assert history.held() == {"Acme": (2010, 2015), "Beta": (2015, 2020), "Gamma": (2020, None)}
    assert [closing.before.object for closing in closings] == ["Acme"]
    assert late.told_to is None
    assert late.superseded_by is not None


def test_a_fact_told_late_about_the_very_first_time_closes_nothing(history: History) -> None:
    history.tell("Beta", 2015)
    _, closings = history.tell("Acme", 2010)
    assert closings == ()
    assert history.held() == {"Acme": (2010, 2015), "Beta": (2015, None)}


def test_intervals_that_do_not_meet_are_left_alone(history: History) -> None:
    history.tell("Acme", 2010, 2012)
    _, closings = history.tell("Beta", 2014, 2016)
    history.tell("Gamma", 2018)
    assert closings == ()
    assert history.held() == {"Acme": (2010, 2012), "Beta": (2014, 2016), "Gamma": (2018, None)}


def test_facts_with_many_values_stand_side_by_side_unless_told_otherwise(history: History) -> None:
    history.tell("Bob", 2010, predicate="knows")
    _, closings = history.tell("Carol", 2012, predicate="knows")
    assert closings == ()
    _, closings = history.tell("Dave", 2014, predicate="knows", single=True)
    assert {closing.before.object for closing in closings} == {"Bob", "Carol"}
    _, closings = history.tell("Beta", 2020, single=False)
    assert closings == ()


def test_a_fact_about_something_else_is_never_closed(history: History) -> None:
    history.tell("Acme", 2010, subject="Bob")
    history.tell("Bonn", 2010, predicate="lives in")
    history.tell("Acme", 2010, subject="Alice Smith")
    _, closings = history.tell("Beta", 2020)
    assert closings == ()


@pytest.mark.parametrize("subject", ["I", "the", "Alice  SMITH", "東京", "…"])
def test_the_subject_is_known_again_whatever_words_it_is_made_of(history: History, subject: str) -> None:
    history.tell("Acme", 2010, subject=subject)
    _, closings = history.tell("Beta", 2020, subject=f" {subject.replace(' ', '-', 1).lower()}")
    assert [closing.before.object for closing in closings] == ["Acme"]


def test_telling_the_same_again_changes_nothing(history: History) -> None:
    history.tell("Acme", 2010)
    one, _ = history.tell("Beta", 2020)
    two, closings = history.tell("BETA", 2020, subject="ALICE", predicate="Works-At")
    assert (two.id, two.recorded_at, closings) == (one.id, one.recorded_at, ())
    acme, closings = history.tell("Acme", 2010)
    assert (acme.valid_to, closings) == (year(2020), ())


def test_an_open_fact_told_again_with_its_end_gives_way_to_that(history: History) -> None:
    history.tell("French", 2010, predicate="speaks")
    ended, (closing,) = history.tell("French", 2010, 2015, predicate="speaks")
    assert closing.after.valid_to == year(2015)
    assert closing.after.superseded_by == ended.id


def test_a_fact_may_not_end_before_it_begins(history: History) -> None:
    with pytest.raises(InvalidInput, match="valid_to"):
        history.tell("Acme", 2010, 2009)


def test_a_closing_that_meets_another_change_is_a_conflict(history: History) -> None:
    history.tell("Acme", 2010)
    draft = Draft("alice", NOW)
    _, closings = Timeline(history.store).draft_fact(draft, "Alice", "works at", "Beta", year(2020), None, None)
    history.tell("Gamma", 2015)
    draft.patches += Timeline.patches(closings)
    with pytest.raises(Conflict):
        history.store.write(draft.batch())


# --- opening again ---


def test_what_a_fact_had_closed_opens_when_it_goes(history: History) -> None:
    history.tell("Acme", 2010)
    beta, _ = history.tell("Beta", 2020)
    history.forget(beta)
    assert history.held() == {"Acme": (2010, None)}


def test_it_gets_back_the_end_it_was_told_with(history: History) -> None:
    history.tell("Acme", 2010, 2025)
    beta, _ = history.tell("Beta", 2020)
    assert history.held()["Acme"] == (2010, 2020)
    history.forget(beta)
    assert history.held() == {"Acme": (2010, 2025)}


def test_it_is_closed_by_the_next_newer_fact_instead(history: History) -> None:
    history.tell("Acme", 2010)
    beta, _ = history.tell("Beta", 2015, 2017)
    history.tell("Gamma", 2020)
    history.forget(beta)
    assert history.held() == {"Acme": (2010, 2020), "Gamma": (2020, None)}


def test_of_many_values_only_the_heir_of_the_closer_closes_it(history: History) -> None:
    history.tell("tea", 2010, predicate="drinks")
    coffee, _ = history.tell("coffee", 2012, predicate="drinks", single=True)
    history.tell("juice", 2014, predicate="drinks")
    history.forget(coffee)
    assert history.held() == {"tea": (2010, None), "juice": (2014, None)}


def test_the_heir_of_a_closer_of_many_values_takes_its_place(history: History) -> None:
    history.tell("tea", 2010, predicate="drinks")
    coffee, _ = history.tell("coffee", 2012, predicate="drinks", single=True)
    history.tell("juice", 2014, predicate="drinks", single=True)
    history.forget(coffee)
    assert history.held() == {"tea": (2010, 2014), "juice": (2014, None)}


def test_several_that_go_at_once_leave_what_was_before_them_open(history: History) -> None:
    history.tell("Acme", 2010)
    beta, _ = history.tell("Beta", 2015)
    gamma, _ = history.tell("Gamma", 2020)
    history.forget(beta, gamma)
    assert history.held() == {"Acme": (2010, None)}


def test_a_fact_that_comes_in_the_same_write_counts(history: History) -> None:
    history.tell("Acme", 2010)
    beta, _ = history.tell("Beta", 2015)
    coming = Fact(
        id="new",
        subject="alice",
        predicate="works-at",
        object="Delta",
        valid_from=year(2018),
        recorded_at=NOW + timedelta(days=1),
    )
    (closing,) = Timeline(history.store).reopened([beta.id], [coming])
    assert (closing.after.valid_to, closing.after.superseded_by) == (year(2018), "new")


def test_nothing_opens_where_nothing_goes(history: History) -> None:
    history.tell("Acme", 2010)
    assert Timeline(history.store).reopened([]) == ()
    assert Timeline(history.store).reopened(["nobody"]) == ()


# --- asking ---


def moment(text: str, hours: int = 1) -> Interval:
    start = datetime.fromisoformat(text).replace(tzinfo=UTC)
    return Interval(start, start + timedelta(hours=hours), Precision.HOUR)


def add(store: GraphStore, description: str, when: Interval, duration: str | None = None) -> Event:
    draft = Draft("alice", NOW)
    event = Timeline(store).draft_event(draft, description, when, duration)
    store.write(draft.batch())
    return event


def test_an_event_is_the_same_if_description_and_time_are(store: GraphStore) -> None:
    one = add(store, "Fire drill", moment("2026-05-01T10:00"))
    two = add(store, " FIRE DRILL ", moment("2026-05-01T10:00"), "1 h")
    other = add(store, "Fire drill", moment("2026-05-02T10:00"))
    assert (one.id, two.description, two.duration) == (two.id, "Fire drill", "1 h")
    assert other.id != one.id
    found = Timeline(store).described("fire DRILL")
    assert found is not None
    assert found.id == other.id
    assert Timeline(store).described("drill") is None
    assert Timeline(store).described("the") is None


def test_events_are_found_in_a_window_in_order_of_time(store: GraphStore) -> None:
    late, early = add(store, "late", moment("2026-05-03T10:00")), add(store, "early", moment("2026-05-01T10:00"))
    timeline = Timeline(store)
    assert [event.id for event in timeline.events_within(None, None)] == [early.id, late.id]
    assert [event.id for event in timeline.events_within(moment("2026-05-03T10:30"), None)] == [late.id]
    assert timeline.events_within(moment("2026-05-03T11:00"), None) == ()
    assert [event.id for event in timeline.events_within(None, [early.id])] == [early.id]


def test_facts_are_found_that_held_at_some_time_of_a_window(history: History) -> None:
    one, _ = history.tell("a", 2010, 2012, predicate="knows")
    other, _ = history.tell("b", 2014, predicate="knows")
    timeline = Timeline(history.store)
    ids = [one.id, other.id]
    window = Interval(year(2012), year(2015), Precision.RANGE)
    assert [fact.object for fact in timeline.facts_within(window, ids)] == ["b"]
    assert [fact.object for fact in timeline.facts_within(None, ids)] == ["a", "b"]


def test_what_involves_an_entity_is_found_from_it(history: History) -> None:
    entity = Entities(history.store).add("Acme", "ORG", {}, (), NOW)
    event = add(history.store, "party", moment("2026-05-01T10:00"))
    fact, _ = history.tell("Acme", 2010)
    draft = Draft("alice", NOW)
    for node in (Node(Kind.EVENT, event.id), Node(Kind.FACT, fact.id)):
        draft.link(LinkKind.X_INVOLVES, node, Node(Kind.ENTITY, entity.id))
    history.store.write(draft.batch())
    assert Timeline(history.store).involving([entity.id]) == ({event.id}, {fact.id})
    assert Timeline(history.store).involving([]) == (set(), set())


def test_a_subject_is_one_term_without_spaces() -> None:
    assert subject_term("  Auth-Service ") == "about=auth_service"
    assert subject_term("I", "lives in") == "about=i=lives_in"
