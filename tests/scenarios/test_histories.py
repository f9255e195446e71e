# SPDX-License-Identifier: Apache-2.0
"""Histories as people tell them, each told to a memory through ``smriti_store`` alone, and questions about them.

Every database is to give the same answers.

``histories/*.toml`` hold what was told (``told``, by whom and when) and what is asked (``asked``). A ``|`` in
an expectation separates wordings of which one is enough; case does not matter. Of a question is expected:

* ``chain``: events in the order they brought each other about, the last one at the end of the chain;
  ``root`` lists what may stand at its beginning, otherwise that is the first of ``chain``
* ``order``: words in the order in which the answer must say them
* ``answer``: words that the answer must hold
* ``sources``: the statements it must rest on (a chain on nothing else but those and ``may_cite``)
* ``never``: words that must not occur in the chain
* ``declined``: it was never answered, and must not be
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest

from becausal.engine.memory import Memory
from becausal.engine.results import Answer
from becausal.models.lazy import LazyEmbedder
from memory_tools import TurnableClock, minilm
from places import PLACES
from toolclient import call, client, ready

HISTORIES = sorted((Path(__file__).parent / "histories").glob("*.toml"))


@dataclass(frozen=True, slots=True)
class Told:
    """A memory that was told a history, and the statements' ids by the engrams they became."""

    memory: Memory
    statements: Mapping[str, str]


Tell = Callable[[str], Told]


def history(name: str) -> dict[str, Any]:
    (file,) = [file for file in HISTORIES if file.stem == name]
    return tomllib.loads(file.read_text(encoding="utf-8"))


def questions() -> Iterator[Any]:
    for file in HISTORIES:
        for asked in history(file.stem)["asked"]:
            yield pytest.param(file.stem, asked, id=f"{file.stem}: {asked['question']}")


@pytest.fixture(scope="module", params=["falkordb-tenant", "ladybug", "neo4j-tenant", "sqlite"])
def tell(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tell]:
    """Tell a history, once, to the memory of a user of its own."""
    with ExitStack() as stack:
        place = stack.enter_context(contextmanager(PLACES[request.param])(tmp_path_factory.mktemp("place")))
        embedder = minilm()
        known: dict[str, Told] = {}

        def told(name: str) -> Told:
            if name not in known:
                clock = TurnableClock()
                memory = Memory(place(name), LazyEmbedder(embedder), clock=clock, timezone=UTC, start_worker=False)
                stack.enter_context(memory)
                known[name] = Told(memory, anyio.run(_tell, memory, clock, history(name)))
            return known[name]

        yield told


async def _tell(memory: Memory, clock: TurnableClock, history: Mapping[str, Any]) -> dict[str, str]:
    statements: dict[str, str] = {}
    async with client(ready(memory)) as teller:
        for told in sorted(history["told"], key=lambda told: told["at"]):
            clock.moment = moment(told["at"])
            given = {"content": told["text"], "source": told["source"]}
            if "occurred_at" in told:
                given["occurred_at"] = told["occurred_at"]
            said = await call(teller, "smriti_store", **given)
            assert not said.failed, said.text
            statements[said.json["id"]] = told["id"]
    memory.settle()
    clock.moment = moment(history["asked_at"])
    return statements


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(("name", "asked"), list(questions()))
def test_what_was_told_answers_the_question_and_nothing_else_does(tell: Tell, name: str, asked: dict[str, Any]) -> None:
    told = tell(name)
    answer = told.memory.ask(asked["question"])
    said = f"{answer.answer} ({answer.confidence})"
    assert answer.abstained is asked.get("declined", False), said
    if answer.abstained:
        assert not answer.chain, said
        assert answer.root_cause is None, said
        return
    cited = [told.statements[source.engram] for source in answer.sources]
    assert set(asked["sources"]) <= set(cited), (said, cited)
    if "chain" in asked:
        check_chain(answer, asked)
        assert set(cited) <= {*asked["sources"], *asked.get("may_cite", ())}, (said, cited)
        assert answer.answer.count("[") == len(answer.chain), said
    elif "order" not in asked:
        assert cited[0] in asked["sources"], (said, cited)
    for words in asked.get("answer", ()):
        assert holds(answer.answer, words), said
    place = 0
    for words in asked.get("order", ()):
        place = answer.answer.casefold().find(words.casefold(), place) + 1
        assert place, (words, said)


def check_chain(answer: Answer, asked: Mapping[str, Any]) -> None:
    nodes = [step.cause for step in answer.chain] + [step.effect for step in answer.chain[-1:]]
    assert nodes, answer.answer
    expected: Sequence[str] = asked["chain"]
    left = iter(nodes)
    for words in expected:
        assert any(holds(node, words) for node in left), (words, nodes)
    assert holds(nodes[-1], expected[-1]), nodes
    assert any(holds(nodes[0], words) for words in asked.get("root", expected[:1])), nodes
    assert answer.root_cause == nodes[0]
    for words in asked.get("never", ()):
        assert not any(holds(node, words) for node in nodes), (words, nodes)
    sure = [step.cumulative for step in answer.chain]
    assert all(later < earlier for earlier, later in zip([1.0, *sure], sure, strict=False)), sure


def holds(text: str, words: str) -> bool:
    return any(each.strip().casefold() in text.casefold() for each in words.split("|"))
