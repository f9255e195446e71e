# SPDX-License-Identifier: Apache-2.0
"""What callers stated outright is found by the next question and cited as stated; what contradicts it is said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from becausal.domain.records import Precision
from becausal.engine.memory import Memory
from becausal.engine.results import Answer
from memory_tools import TurnableClock, minilm, open_test_memory

THURSDAY = datetime(2026, 11, 5, 9, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    clock = TurnableClock(THURSDAY)
    with open_test_memory(tmp_path, embedder=minilm(), clock=clock) as opened:
        opened.store("The gym opens at six in the morning.", source="notices")
        opened.store("Lunch on Monday was lentils.", source="canteen")
        opened.settle()
        yield opened


def only_source(answer: Answer) -> tuple[str, str]:
    """Return kind and text of the single source of an answer."""
    assert not answer.abstained, answer.answer
    (source,) = answer.sources
    assert source.engram is None
    assert source.id
    return source.kind, source.text


# --- every kind of record ---


def test_a_stated_fact_answers_and_is_cited(memory: Memory) -> None:
    fact = memory.graphs.add_fact("Maria Lopez", "is on-call lead for", "payments", "2026-01-01").fact
    answer = memory.ask("Who is the on-call lead for payments?")
    assert only_source(answer) == ("fact", "Maria Lopez is on-call lead for payments")
    assert answer.sources[0].id == fact.id
    assert [each.id for each in answer.facts] == [fact.id]
    assert answer.answer == "Maria Lopez is on-call lead for payments [1]."


def test_a_stated_relation_answers_from_both_its_ends(memory: Memory) -> None:
    memory.graphs.add_entity("Redis Cluster", "service")
    memory.graphs.add_entity("Platform Team", "team")
    memory.graphs.link_entities("Platform Team", "is_owner_of", "Redis Cluster")
    told = ("relation", "Platform Team is owner of Redis Cluster")
    assert only_source(memory.ask("Who is the owner of the Redis cluster?")) == told
    assert only_source(memory.ask("What is the Platform Team the owner of?")) == told


def test_a_stated_event_answers_when_and_what_happened_then(memory: Memory) -> None:
    memory.graphs.add_event("Data centre migration finished", "2026-03-14")
    when = memory.ask("When did the data centre migration finish?")
    assert only_source(when) == ("event", "Data centre migration finished")
    assert "14 March 2026" in when.answer
    then = memory.ask("What happened on 14 March 2026, in order?")
    assert only_source(then) == ("event", "Data centre migration finished")


def test_a_stated_fact_says_since_when_it_holds(memory: Memory) -> None:
    memory.graphs.add_fact("the ledger", "runs on", "Postgres", "2026-02-01")
    answer = memory.ask("When did the ledger start to run on Postgres?")
    assert only_source(answer)[0] == "fact"
    assert "from 1 February 2026" in answer.answer


def test_a_stated_cause_is_the_chain_and_each_step_is_cited(memory: Memory) -> None:
    memory.graphs.add_causal_link("JWT_SECRET was removed", "tokens could not be verified", 0.9)
    memory.graphs.add_causal_link("tokens could not be verified", "auth failed", 0.8, evidence="post-mortem 12")
    answer = memory.ask("Why did auth fail?")
    assert answer.root_cause == "JWT_SECRET was removed"
    assert [step.source for step in answer.chain] == [1, 2]
    assert all(step.stated for step in answer.chain)
    assert [(source.kind, source.text) for source in answer.sources] == [
        ("cause", "JWT_SECRET was removed → tokens could not be verified"),
        ("cause", "post-mortem 12"),
    ]


def test_a_stated_concept_answers_by_its_name_and_by_what_it_means(memory: Memory) -> None:
    memory.graphs.add_concept("circuit breaker", "a guard that stops calling a failing dependency")
    told = ("concept", "circuit breaker: a guard that stops calling a failing dependency")
    assert only_source(memory.ask("What is a circuit breaker?")) == told
    assert only_source(memory.ask("What stops calling a dependency that is failing?")) == told


def test_what_is_stated_of_a_thing_is_known_by_any_of_its_names(memory: Memory) -> None:
    memory.graphs.add_entity("Redis Cluster", "service", {"region": "eu-west"}, aliases=["rc1"])
    answer = memory.ask("What is rc1?")
    assert only_source(answer)[0] == "entity"
    assert "region: eu-west" in answer.answer


def test_everything_stated_about_a_thing_is_told_when_all_about_it_is_asked(memory: Memory) -> None:
    memory.graphs.add_entity("Checkout", "service")
    memory.graphs.add_entity("Redis Cluster", "service")
    memory.graphs.link_entities("Checkout", "depends_on", "Redis Cluster")
    memory.graphs.add_causal_link("a full disk", "Checkout stopped")
    answer = memory.ask("Tell me about Checkout")
    assert not answer.abstained
    assert "Checkout depends on Redis Cluster" in answer.answer
    assert [step.cause for step in answer.chain] == ["a full disk"]
    assert "lentils" not in answer.answer


# --- what is not said ---


def test_what_was_stated_of_something_else_is_no_answer(memory: Memory) -> None:
    memory.graphs.add_fact("the invoice service", "written in", "Rust", "2026-02-01")
    memory.graphs.add_entity("Redis Cluster", "service")
    for question in ("Who owns the invoice service?", "What is the gateway written in?", "Who pays for Redis Cluster?"):
        assert memory.ask(question).abstained, question


def test_a_fact_that_was_closed_is_told_after_the_one_that_holds(memory: Memory) -> None:
    memory.graphs.add_fact("Olga", "lives in", "Porto", "2020-01-01")
    memory.graphs.add_fact("Olga", "lives in", "Lisbon", "2026-03-01")
    answer = memory.ask("Where does Olga live?")
    assert answer.answer == "Olga lives in Lisbon [1]; Olga lives in Porto (until 2026-03-01) [2]."
    then = memory.ask("Where did Olga live in 2021?")
    assert then.answer.startswith("Olga lives in Porto")


def test_since_and_until_leave_out_what_was_stated_of_another_time(memory: Memory) -> None:
    memory.graphs.add_event("Data centre migration finished", "2026-03-14")
    question = "When did the data centre migration finish?"
    assert memory.ask(question, since="2026-04-01").abstained
    assert not memory.ask(question, since="2026-03-01", until="2026-03-31").abstained


# --- answer first, then its source ---


def test_a_fact_is_cited_by_the_memory_that_told_it_and_nothing_else_is(memory: Memory) -> None:
    told = memory.store("Anna runs the search team.", source="org chart", occurred_at="2026-02")
    memory.store("The search team moved into the second floor with its plants.", source="facilities")
    memory.store("Search was slow on Friday.", source="on-call")
    memory.settle()
    answer = memory.ask("Who runs the search team?")
    assert answer.answer == "Anna runs search team [1]."
    (source,) = answer.sources
    assert (source.engram, source.text, source.kind) == (told.engram.id, "Anna runs the search team.", "memory")
    assert (source.at, source.occurred_end) == (told.engram.occurred_at, told.engram.occurred_end)
    assert source.precision is Precision.MONTH


# --- causes that contradict each other ---


@pytest.mark.parametrize(
    ("cause", "effect"),
    [
        ("the disk was full", "the site did not go down"),
        ("the disk was not full", "the site went down"),
        ("the site went down", "the disk was full"),
    ],
)
def test_a_statement_that_contradicts_the_chain_is_explained_with_its_source(
    memory: Memory, cause: str, effect: str
) -> None:
    memory.store("The site went down because the disk was full.", source="on-call")
    memory.settle()
    memory.graphs.add_causal_link(cause, effect, 0.4)
    answer = memory.ask("Why did the site go down?")
    assert not answer.abstained
    assert answer.chain
    assert "contradicted" in answer.answer or "Also told as a cause" in answer.answer
    assert {source.kind for source in answer.sources} == {"memory", "cause"}
    assert all(f"[{source.number}]" in answer.answer for source in answer.sources)


def test_the_opposite_told_beside_it_does_not_keep_an_answer_back(memory: Memory) -> None:
    memory.graphs.add_causal_link("the index was rebuilt", "search latency decreased", 1.0)
    memory.graphs.add_causal_link("the cache was cold", "search latency increased", 0.6)
    answer = memory.ask("Why did search latency increase?")
    assert answer.root_cause == "the cache was cold"


def test_every_cause_named_beside_a_chain_has_a_source(memory: Memory) -> None:
    memory.store("The fire was caused by a toaster.", source="fire brigade")
    memory.settle()
    memory.graphs.add_causal_link("a candle", "the fire", 0.5)
    answer = memory.ask("What caused the fire?")
    assert "Also told as a cause of it: “a candle” (50%) [2]." in answer.answer
    assert [source.kind for source in answer.sources] == ["memory", "cause"]


# --- what came of it ---


def test_what_something_led_to_is_told_from_there_on(memory: Memory) -> None:
    memory.store("The valve failed because a seal had cracked.", source="maintenance")
    memory.store("The basement flooded because the valve failed.", source="caretaker")
    memory.store("The lifts stopped because the basement flooded.", source="tenants")
    memory.settle()
    for question in ("What did the cracked seal lead to?", "What were the consequences of the cracked seal?"):
        answer = memory.ask(question)
        assert not answer.abstained, answer.answer
        assert answer.chain[0].cause.lower() == "a seal had cracked"
        assert answer.chain[-1].effect.lower() == "the lifts stopped"
        assert answer.answer.startswith("“a seal had cracked” led to")
    assert memory.ask("What did the divorce lead to?").abstained


# --- what is asked for decides what goes first ---


def test_a_question_for_a_number_is_answered_by_what_tells_one(memory: Memory) -> None:
    memory.store("We launched a fundraiser to replace the ruined scores.", source="committee")
    memory.store("A burst pipe flooded the library, and forty scores were ruined.", source="library")
    memory.settle()
    answer = memory.ask("How many scores were ruined?")
    assert answer.answer.startswith("“A burst pipe flooded the library, and forty scores were ruined.” [1]")


def test_asking_how_long_ago_asks_when(memory: Memory) -> None:
    memory.store("The boiler broke down on 30 October because the pump had seized.", source="caretaker")
    memory.settle()
    assert "30 October 2026" in memory.ask("How long ago did the boiler break down?").answer
    assert "30 October 2026" in memory.ask("On which day did the boiler break down?").answer


def test_what_happened_at_another_time_is_left_out_even_if_it_was_told_then(memory: Memory) -> None:
    memory.store("The boiler was repaired on 30 September.", source="caretaker")
    memory.store("The piano was tuned on 3 November.", source="caretaker")
    memory.settle()
    answer = memory.ask("What happened in November, in order?")
    assert "piano" in answer.answer
    assert "boiler" not in answer.answer
