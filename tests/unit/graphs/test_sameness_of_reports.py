# SPDX-License-Identifier: Apache-2.0
"""Events that different reports tell in the same few words are not the same, those of one report may be."""

from __future__ import annotations

from datetime import UTC, datetime

from becausal.domain.ids import derived_id
from becausal.domain.records import Engram, Kind, LinkKind
from becausal.domain.text import terms
from becausal.graphs.causes import make_cause
from becausal.graphs.linking import Draft, Node
from becausal.graphs.sameness import same_as
from becausal.graphs.strangers import DOCUMENT
from becausal.ports.store import GraphStore

NOW = datetime(2026, 6, 10, tzinfo=UTC)
LONG = "It was a long day. " * (DOCUMENT // 10)


def tell(store: GraphStore, name: str, text: str, *descriptions: str) -> None:
    """Keep a text as an engram that tells some causes."""
    id = derived_id("alice", Kind.ENGRAM, name)
    draft = Draft("alice", NOW, source=id)
    engram = Engram(id=id, content=text, summary=name, content_hash=name, at=NOW, created_at=NOW, last_accessed_at=NOW)
    draft.put(engram, terms(text))
    for description in descriptions:
        record = make_cause(draft, description, "event")
        draft.link(LinkKind.X_RECORDS, Node(Kind.ENGRAM, id), Node(Kind.CAUSE, record.id))
    store.write(draft.batch())


def twins(store: GraphStore, description: str) -> list[str]:
    """Return what a cause is the same as, in the order of how sure that is."""
    record = make_cause(Draft("alice", NOW), description, "event")
    return [same.other.description for same in same_as(store, record, None)]


FULL, SHORT = "an incorrect valve setting in the north tank", "the incorrect valve setting"


def test_within_a_report_a_few_words_refer_to_what_it_told(store: GraphStore) -> None:
    tell(store, "report", LONG, FULL, SHORT)
    assert twins(store, SHORT) == [FULL]


def test_a_few_words_do_not_refer_to_what_another_report_told(store: GraphStore) -> None:
    tell(store, "report", LONG, FULL)
    tell(store, "other report", LONG + "Really.", SHORT)
    assert twins(store, SHORT) == []


def test_short_notes_refer_to_each_other(store: GraphStore) -> None:
    tell(store, "monday", "The tank overflowed because of an incorrect valve setting.", FULL)
    tell(store, "tuesday", "The incorrect valve setting cost us a week.", SHORT)
    assert twins(store, SHORT) == [FULL]


def test_reports_that_share_a_name_may_tell_of_the_same(store: GraphStore) -> None:
    tell(store, "report", LONG, "the failure of the Kestrel pump in the north tank")
    tell(store, "other report", LONG + "Really.", "the failure of the Kestrel pump")
    assert twins(store, "the failure of the Kestrel pump") == ["the failure of the Kestrel pump in the north tank"]


def test_what_something_is_done_for_is_no_event_that_it_names(store: GraphStore) -> None:
    tell(store, "note", "We closed the sluice to flood the north meadow.", "to flood the north meadow")
    assert twins(store, "flood the north meadow") == []
