# SPDX-License-Identifier: Apache-2.0
"""What answers to questions hold to, whatever was told: chains, their limits, doubts, and what is left unsaid."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from becausal.domain.records import Kind, LinkKind
from becausal.engine.memory import Memory
from becausal.engine.results import Answer
from becausal.errors import StoreError
from becausal.graphs.causes import Causes, make_cause
from becausal.graphs.chains import MAX_CHAIN
from becausal.graphs.linking import Draft, Node
from becausal.magma import views
from becausal.models.fake import FakeEmbedder
from memory_tools import NOON, TurnableClock, minilm, open_test_memory

FLOOD = (
    ("The valve failed because a seal had cracked.", "maintenance"),
    ("The basement flooded because the valve failed.", "caretaker"),
    ("The lifts stopped because the basement flooded.", "tenants"),
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_test_memory(tmp_path, embedder=minilm()) as opened:
        yield opened


def tell(memory: Memory, *texts: str | tuple[str, str], source: str = "notes") -> list[str]:
    """Tell sentences, each alone or with its source, and let them be indexed; return the memories' ids."""
    told = [(text, source) if isinstance(text, str) else text for text in texts]
    ids = [memory.store(text, source=by).engram.id for text, by in told]
    memory.settle()
    return ids


def nodes(answer: Answer) -> list[str]:
    """Return what a chain goes through, root cause first, in lower case."""
    assert all(one.effect == other.cause for one, other in pairwise(answer.chain))
    return [text.lower() for text in [step.cause for step in answer.chain[:1]] + [step.effect for step in answer.chain]]


def link_between(memory: Memory, cause: str, effect: str) -> float:
    """Return the confidence of the link between two events, as told in these words."""
    found = Causes(memory._store)
    one, other = found.resolve(cause), found.resolve(effect)
    assert one is not None
    assert other is not None
    links = memory._store.links([one.id], [LinkKind.C_CAUSES], "out")
    return max(link.confidence for link in links if link.dst == other.id)


# --- what supports a chain ---


def test_a_chain_is_told_from_its_root_and_each_hop_cites_its_statement(memory: Memory) -> None:
    ids = tell(memory, *FLOOD)
    answer = memory.ask("Why did the lifts stop?")
    assert nodes(answer) == ["a seal had cracked", "the valve failed", "the basement flooded", "the lifts stopped"]
    assert [source.engram for source in answer.sources] == ids
    assert [step.evidence for step in answer.chain] == [text for text, _ in FLOOD]


def test_forgetting_a_statement_breaks_the_chain_there_and_leaves_the_rest(memory: Memory) -> None:
    ids = tell(memory, *FLOOD)
    memory.forget(ids[1])
    assert nodes(memory.ask("Why did the lifts stop?")) == ["the basement flooded", "the lifts stopped"]
    assert nodes(memory.ask("Why did the valve fail?")) == ["a seal had cracked", "the valve failed"]
    memory.undo()
    assert len(memory.ask("Why did the lifts stop?").chain) == 3


def test_what_two_people_told_stands_when_one_of_them_is_forgotten(memory: Memory) -> None:
    ids = tell(memory, *FLOOD)
    again = memory.store("I heard the basement flooded because the valve failed.", source="neighbour").engram.id
    memory.settle()
    memory.forget(ids[1])
    answer = memory.ask("Why did the lifts stop?")
    assert len(answer.chain) == 3
    assert [source.engram for source in answer.sources] == [ids[0], again, ids[2]]


def test_the_same_sentence_told_twice_is_one_event_and_forgotten_twice(memory: Memory) -> None:
    one, other = tell(memory, (FLOOD[2][0], "tenants"), (FLOOD[2][0], "caretaker"))
    memory.forget(one)
    assert memory.ask("Why did the lifts stop?").sources[0].engram == other
    memory.forget(other)
    assert memory.ask("Why did the lifts stop?").abstained
    assert memory.status().counts.get("cause", 0) == 0


# --- confidence ---


def test_confidence_falls_with_every_hop_and_the_chain_has_the_product(memory: Memory) -> None:
    tell(memory, *FLOOD)
    answer = memory.ask("Why did the lifts stop?")
    through = [step.cumulative for step in answer.chain]
    assert all(later < earlier < 1 for earlier, later in pairwise(through))
    assert answer.chain_confidence == pytest.approx(math.prod(step.confidence for step in answer.chain))
    assert answer.chain_confidence == pytest.approx(through[-1])


def test_what_is_told_with_doubt_is_less_certain_than_what_is_told_as_known(memory: Memory) -> None:
    tell(
        memory,
        "The fuse blew because the cable was wet.",
        "The alarm may have been caused by a spider on the sensor.",
    )
    known = link_between(memory, "the cable was wet", "The fuse blew")
    doubted = link_between(memory, "a spider on the sensor", "The alarm")
    assert 0 < doubted < known
    assert memory.ask("Why did the fuse blow?").confidence > memory.ask("What caused the alarm?").confidence


def test_what_brought_something_down_is_why_it_is_down(memory: Memory) -> None:
    tell(memory, "A bad deploy brought the site down.", "We use Postgres because it supports JSONB.")
    for question in ("Why did the site go down?", "What brought the site down?", "Why was the site down?"):
        assert memory.ask(question).root_cause == "A bad deploy"
    assert memory.ask("How come we use Postgres?").root_cause == "it supports JSONB"


# --- what is no cause ---


def test_tags_of_html_are_no_part_of_causes(memory: Memory) -> None:
    tell(
        memory,
        "<p>The <b>big\npump</b> failed because <a href='https://example.org/because'>the valve</a> jammed.</p>",
        "<ul><li>The valve jammed because sand got in</li><li>The belt is new</li></ul>",
    )
    answer = memory.ask("Why did the big pump fail?")
    assert nodes(answer) == ["sand got in", "the valve jammed", "the big pump failed"]


def test_what_was_told_a_moment_ago_is_answered_before_it_is_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_test_memory(tmp_path, embedder=minilm(), read_wait=0.0) as memory:
        memory.warm()
        monkeypatch.setattr(memory._worker, "_round", lambda: False)
        for text, source in FLOOD:
            memory.store(text, source=source)
        answer = memory.ask("Why did the lifts stop?")
        assert memory.status().pending == 3
        assert not answer.abstained
        assert answer.root_cause == "a seal had cracked"
        assert memory.ask("Why did the choir sing?").abstained


def test_what_is_denied_makes_no_chain(memory: Memory) -> None:
    tell(memory, "The storm did not cause the power cut.", "The power cut lasted for two hours.")
    answer = memory.ask("What caused the power cut?")
    assert (answer.chain, answer.root_cause) == ((), None)
    assert "Root cause" not in answer.answer


def test_a_remedy_is_not_named_as_the_cause_of_what_it_put_right(memory: Memory) -> None:
    tell(
        memory,
        "Checkout recovered because we restarted the payment service.",
        "Checkout failed because the payment service had no memory left.",
    )
    answer = memory.ask("Why did checkout fail?")
    assert answer.root_cause == "the payment service had no memory left"
    assert "restarted" not in answer.answer


def test_only_a_remedy_known_is_no_answer_to_what_went_wrong(memory: Memory) -> None:
    tell(memory, "Checkout recovered because we restarted the payment service.")
    answer = memory.ask("Why did checkout fail?")
    assert answer.root_cause is None
    assert "Root cause" not in answer.answer
    assert memory.ask("Why did checkout recover?").root_cause == "we restarted the payment service"


def test_increased_beside_decreased_are_never_the_same(memory: Memory) -> None:
    tell(
        memory,
        "Latency increased because the cache was cold.",
        "Latency decreased because the index was rebuilt.",
    )
    assert memory.ask("Why did latency increase?").root_cause == "the cache was cold"
    assert memory.ask("Why did latency decrease?").root_cause == "the index was rebuilt"
    causes = [record.id for record in memory._store.find(Kind.CAUSE).records]
    assert len(causes) == 4
    assert memory._store.links(causes, [LinkKind.SAME_AS]) == ()


def test_the_opposite_of_what_is_asked_about_is_no_answer(memory: Memory) -> None:
    tell(memory, "Latency decreased because the index was rebuilt.")
    answer = memory.ask("Why did latency increase?")
    assert answer.abstained
    assert answer.root_cause is None


# --- causes that disagree ---


def test_another_cause_told_for_the_same_event_is_named_beside_the_chain(memory: Memory) -> None:
    tell(
        memory,
        ("The fire was caused by a toaster.", "fire brigade"),
        ("We think the fire was caused by a candle.", "tenants"),
    )
    answer = memory.ask("What caused the fire?")
    assert answer.root_cause == "a toaster"
    assert "Also told as a cause of it: “a candle”" in answer.answer


def test_causes_that_go_round_in_a_circle_are_followed_once_and_the_circle_is_said(memory: Memory) -> None:
    tell(
        memory,
        "The queue grew because the workers were slow.",
        "The workers were slow because the database was busy.",
        "The database was busy because the queue grew.",
    )
    answer = memory.ask("Why did the queue grow?")
    assert len(answer.chain) == 2
    assert len(set(nodes(answer))) == 3
    assert nodes(answer)[-1] == "the queue grew"
    assert "go round in a circle" in answer.answer


def test_two_statements_that_each_make_the_other_the_cause_are_both_bounded(memory: Memory) -> None:
    tell(memory, "The quarrel led to the divorce.", "The divorce led to the quarrel.")
    for question, root in (("What led to the divorce?", "quarrel"), ("What led to the quarrel?", "divorce")):
        answer = memory.ask(question)
        assert len(answer.chain) == 1
        assert root in str(answer.root_cause)
        assert "go round in a circle" in answer.answer


def test_a_chain_of_ten_thousand_events_is_followed_to_a_bound_and_says_so(memory: Memory) -> None:
    length, step = 10_000, 2_000
    for first in range(0, length, step):
        draft = Draft(memory._store.user, NOON)
        made = [make_cause(draft, f"domino {number} fell", "event") for number in range(first, first + step + 1)]
        for one, other in pairwise(made):
            draft.link(LinkKind.C_CAUSES, Node(Kind.CAUSE, one.id), Node(Kind.CAUSE, other.id), confidence=0.99)
        memory._store.write(draft.batch())
    began = time.perf_counter()
    answer = memory.ask(f"Why did domino {length} fall?")
    assert time.perf_counter() - began < 5
    assert nodes(answer)[-1] == f"domino {length} fell"
    assert len(answer.chain) == MAX_CHAIN
    assert answer.answer.startswith(f"As far back as was followed: “domino {length - MAX_CHAIN} fell”")
    assert "more steps" in answer.answer
    assert len(answer.answer) < 2_000


# --- time ---


def test_a_question_about_a_day_prefers_what_happened_then(tmp_path: Path) -> None:
    clock = TurnableClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    with open_test_memory(tmp_path, embedder=minilm(), clock=clock) as memory:
        memory.store("The lift got stuck because the door sensor was dirty.")
        clock.turn(days=14)
        memory.store("The lift got stuck because a cable had frayed.")
        memory.settle()
        assert memory.ask("Why did the lift get stuck on 2 March?").root_cause == "the door sensor was dirty"
        assert memory.ask("Why did the lift get stuck on 16 March?").root_cause == "a cable had frayed"


def test_since_and_until_leave_out_what_was_told_of_another_time(tmp_path: Path) -> None:
    clock = TurnableClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    with open_test_memory(tmp_path, embedder=minilm(), clock=clock) as memory:
        memory.store("The lift got stuck because the door sensor was dirty.")
        clock.turn(days=14)
        memory.store("The door sensor was dirty because nobody cleans the shaft.")
        memory.settle()
        within = memory.ask("Why did the lift get stuck?", until="2026-03-10")
        assert nodes(within) == ["the door sensor was dirty", "the lift got stuck"]
        assert len(memory.ask("Why did the lift get stuck?").chain) == 2
        assert memory.ask("Why did the lift get stuck?", since="2026-03-10").root_cause is None


def test_when_tells_what_happened_in_order_of_time_however_it_was_told(tmp_path: Path) -> None:
    clock = TurnableClock(datetime(2026, 5, 20, 9, tzinfo=UTC))
    with open_test_memory(tmp_path, embedder=minilm(), clock=clock) as memory:
        memory.store("The roof was repaired on 12 May.")
        memory.store("A storm damaged the roof on 3 May.")
        memory.store("The roof was inspected.", occurred_at="2026-05-08")
        memory.settle()
        told = memory.ask("What happened to the roof, in order?").answer
        assert told.index("3 May 2026") < told.index("8 May 2026") < told.index("12 May 2026")
        assert told.index("storm") < told.index("inspected") < told.index("repaired")


# --- what cannot be had ---


def test_a_view_that_fails_is_named_and_the_others_answer(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    tell(memory, *FLOOD)

    def broken(*_: object) -> views.View:
        raise StoreError("the causal graph cannot be read")

    monkeypatch.setattr(views, "causal_view", broken)
    answer = memory.ask("Why did the lifts stop?")
    assert answer.missing == {"causal": "the causal graph cannot be read"}
    assert answer.chain == ()
    assert set(answer.views) == {"semantic", "entity", "temporal"}
    assert FLOOD[2][0] in answer.answer


def test_declining_says_what_comes_nearest_and_invents_nothing(memory: Memory) -> None:
    ids = tell(memory, *FLOOD)
    answer = memory.ask("Why did Margaret sell the piano?")
    assert answer.abstained
    assert (answer.chain, answer.root_cause, answer.chain_confidence) == ((), None, None)
    assert answer.answer.startswith("Nothing that was told to this memory answers that.")
    for quoted in answer.answer.split("“")[1:]:
        assert quoted.split("”")[0] in {text for text, _ in FLOOD}
    assert {source.engram for source in answer.sources} <= set(ids)
    assert "Margaret" not in answer.answer.removeprefix(answer.question)


def test_an_empty_memory_knows_nothing_and_says_so(memory: Memory) -> None:
    answer = memory.ask("Why did the lifts stop?")
    assert answer.abstained
    assert answer.confidence == 0
    assert answer.sources == ()


def test_the_same_question_twice_gets_the_same_answer(memory: Memory) -> None:
    tell(memory, *FLOOD, "The tenants complained on 4 May.", "Olga Petrova is the caretaker.")
    for question in ("Why did the lifts stop?", "When did the tenants complain?", "Who is the caretaker?"):
        one, other = memory.ask(question), memory.ask(question)
        assert replace(one, timings={}) == replace(other, timings={})


def test_words_alone_answer_while_the_embedder_fails(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    embedder.fail("the model is gone")
    with open_test_memory(tmp_path, embedder=embedder, model_wait=0.1, read_wait=0.0) as memory:
        for text, by in FLOOD:
            memory.store(text, source=by)
        answer = memory.ask("Why did the lifts stop?")
        assert nodes(answer)[0] == "a seal had cracked"
        assert len(answer.chain) == 3
        assert "the model is gone" in str(answer.degraded)
        assert answer.pending == 3
        assert memory.ask("Why did Margaret sell the piano?").abstained


# --- what is asked about ---


def test_what_went_wrong_is_not_explained_by_what_went_well(memory: Memory) -> None:
    tell(
        memory,
        "The calm voice of the pilot allowed the Hallig ferry crossing to be a success. "
        "The ferry's engine trouble was due to a stuck valve.",
    )
    answer = memory.ask("Why did the Hallig ferry crossing engine trouble happen?")
    assert nodes(answer) == ["a stuck valve", "the ferry's engine trouble"]


def test_why_one_thing_caused_another_asks_for_the_other(memory: Memory) -> None:
    tell(
        memory,
        "A loose chain led to the derailing of the old Alpine chairlift above Oberdorf. "
        "The derailing led to a rescue by helicopter.",
    )
    answer = memory.ask("Why did the derailing of the old Alpine chairlift above Oberdorf cause a rescue?")
    assert nodes(answer)[-1] == "a rescue by helicopter"


def test_what_something_was_done_for_is_kept_and_explains_no_event(memory: Memory) -> None:
    opened = "The keeper opened the sluice"
    tell(memory, f"{opened} to save the mill.", f"The meadow flooded because {opened.lower()}.")
    assert link_between(memory, "to save the mill", "the keeper opened the sluice") < 0.3
    assert nodes(memory.ask("Why did the meadow flood?")) == ["the keeper opened the sluice", "the meadow flooded"]


def test_what_nothing_is_known_to_have_led_to_does_not_crowd_out_what_was_explained(memory: Memory) -> None:
    for number in range(1, 30):
        memory.graphs.add_causal_link(
            f"the crane fault at the harbour dock on pier {number}", f"ship {number} was late"
        )
    memory.graphs.add_causal_link("salt water got into the motor", "the harbour crane failed")
    answer = memory.ask("Why did the crane at the harbour dock fail?")
    assert nodes(answer) == ["salt water got into the motor", "the harbour crane failed"]


def test_another_explanation_of_an_event_told_in_other_words_is_told_beside_the_chain(memory: Memory) -> None:
    tell(
        memory,
        "The premiere was cancelled because the lead actor had fallen ill.",
        "The cracked lamp forced the theatre to cancel the premiere.",
    )
    answer = memory.ask("Why was the premiere cancelled?")
    assert answer.root_cause in ("the lead actor had fallen ill", "The cracked lamp")
    assert "the lead actor had fallen ill" in answer.answer
    assert "The cracked lamp" in answer.answer
    assert len(answer.sources) == 2


@pytest.mark.parametrize(
    ("told", "question", "who"),
    [
        ("Maria is the conductor of the choir at St Mary's.", "Who conducts the choir?", "Maria"),
        ("Paul drives the school bus.", "Who is the driver of the school bus?", "Paul"),
    ],
)
def test_who_does_something_is_also_told_by_what_they_are(memory: Memory, told: str, question: str, who: str) -> None:
    for text in (told, "The choir sings on Sundays.", "The school bus broke down on the bridge."):
        memory.store(text)
    memory.settle()
    answer = memory.ask(question)

    assert not answer.abstained
    assert who in answer.answer


def test_a_relation_whose_fact_has_ended_is_told_as_past_and_again_as_present_when_it_is_told_again(
    memory: Memory,
) -> None:
    for text in ("Alice works at Acme.", "Alice works at Globex."):
        memory.store(text)
    memory.settle()
    answer = memory.ask("Where does Alice work?").answer

    assert answer.startswith("Alice works at Globex [1]; Alice works at Acme (until 2026-06-10)")
    memory.store("Alice works at Acme again: Alice works at Acme.")
    memory.settle()
    assert memory.ask("Where does Alice work?").answer.startswith("Alice works at Acme [1]")


def test_what_lasted_through_the_time_asked_for_is_not_what_happened_then(memory: Memory) -> None:
    for text in (
        "Bob has been head of support since 2019.",
        "From 2018 to 2027 the lease runs.",
        "On Monday the deploy failed.",
    ):
        memory.store(text)
    memory.settle()

    assert memory.ask("What happened on Monday?").answer == "8 June 2026: “On Monday the deploy failed” [1]."
    assert "since 2019" in memory.ask("What happened in 2019?").answer
    assert "since 2019" in memory.ask("Since when has Bob been head of support?").answer


def test_a_fact_stated_from_a_day_on_is_told_with_the_day_where_the_memory_is(tmp_path: Path) -> None:
    with open_test_memory(tmp_path, timezone=ZoneInfo("Europe/Berlin")) as memory:
        memory.graphs.add_fact("Dora", "leads", "the band", "2026-06-08")
        answer = memory.ask("Since when does Dora lead the band?").answer

    assert answer == "from 8 June 2026: “Dora leads the band” [1]."


@pytest.mark.parametrize(
    "denial",
    [
        "The disk was not full.",
        "The full disk did not cause the outage.",
        "The outage did not happen because of the disk.",
        "It turned out that the disk had nothing to do with the outage.",
    ],
)
def test_what_denies_a_chain_in_its_own_words_is_told_with_it(memory: Memory, denial: str) -> None:
    memory.store("The outage happened because the disk was full.")
    told = memory.store(denial).engram.id
    memory.settle()
    answer = memory.ask("Why did the outage happen?")

    assert answer.root_cause == "the disk was full"
    assert answer.remarks == (f"That is contradicted: it was also told “{denial.rstrip('.')}” [2].",)
    assert answer.sources[1].engram == told


def test_a_step_of_a_chain_whose_sentence_has_a_negation_denies_no_other_step(memory: Memory) -> None:
    memory.store("The overloaded disk made card payments slow all morning.")
    memory.store("Two hundred customers left without buying because card payments were slow.")
    memory.store("Nobody was not served because card payments were slow.")
    memory.settle()
    answer = memory.ask("Why did customers leave without buying?")

    assert len(answer.chain) == 2
    assert not any("contradicted" in remark for remark in answer.remarks)


def test_what_is_told_of_another_time_a_wish_or_another_thing_denies_no_chain(memory: Memory) -> None:
    for text in (
        "The basement flooded because the pump failed.",
        "After the repair the basement did not flood again.",
        "We fixed the pump so that the basement would not flood.",
        "The pump has not failed since.",
        "The pump was not the problem with the lift.",
        "Had the pump not failed, the basement would not have flooded.",
    ):
        memory.store(text)
    memory.settle()

    assert not any("contradicted" in remark for remark in memory.ask("Why did the basement flood?").remarks)


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("Because the roof leaked, the map cases got wet.", "Why did the roof leak?"),
        ("The compressor lost power when the breaker tripped.", "Why did the breaker trip?"),
        ("The gate was left open because the latch is broken.", "Why is the latch broken?"),
    ],
)
def test_what_came_of_an_event_is_no_answer_to_why_it_happened(tmp_path: Path, told: str, question: str) -> None:
    with open_test_memory(tmp_path, embedder=minilm()) as memory:
        tell(memory, told)
        answer = memory.ask(question)
        assert answer.abstained
        assert answer.chain == ()
        assert answer.root_cause is None


def test_a_name_alone_is_no_answer_once_what_was_stated_of_it_is_withdrawn(memory: Memory) -> None:
    memory.graphs.add_entity("Tomas Riel", "thing")
    memory.graphs.add_entity("Elmar Electric", "thing")
    related = memory.graphs.link_entities("Tomas Riel", "works for", "Elmar Electric")
    assert "Elmar" in memory.ask("Who does Tomas Riel work for?").answer
    memory.forget(related.link.id)
    assert memory.ask("Who does Tomas Riel work for?").abstained
