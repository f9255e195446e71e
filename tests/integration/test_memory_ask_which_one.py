# SPDX-License-Identifier: Apache-2.0
"""Of several things of one kind, the number, letter or version that a question names decides which one is meant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from becausal.engine.memory import Memory
from memory_tools import minilm, open_test_memory

BESIDE = (
    "Boiler 7 was painted blue in May 2026.",
    "Flat 41 has a new lock.",
    "Release 3.1 came out on 2 March 2026.",
    "Bus 12 has twelve seats.",
    "Plan D was never written down.",
)
"""What else is told, so that no number is a rare word."""

TOLD = {
    "Boiler 2 leaked because a weld had cracked.": ("Why did boiler 2 leak?", "Why did boiler 7 leak?"),
    "Boiler 2 was replaced on 4 May 2026.": ("When was boiler 2 replaced?", "When was boiler 7 replaced?"),
    "Mia rents flat 14.": ("Who rents flat 14?", "Who rents flat 41?"),
    "The wifi password of flat 14 is tulip.": (
        "What is the wifi password of flat 14?",
        "What is the wifi password of flat 41?",
    ),
    "The rollout of v3.2 stalled because the disk was full.": (
        "Why did the rollout of v3.2 stall?",
        "Why did the rollout of v3.1 stall?",
    ),
    "Bus 21 stops at the mill.": ("Where does bus 21 stop?", "Where does bus 12 stop?"),
    "Plan B failed because the bank refused.": ("Why did plan B fail?", "Why did plan D fail?"),
    "Ticket OPS-71 was closed because nobody could repeat the fault.": (
        "Why was ticket OPS-71 closed?",
        "Why was ticket OPS-17 closed?",
    ),
    "The third floor was closed because of mould.": (
        "Why was the third floor closed?",
        "Why was the second floor closed?",
    ),
    "Ben leads team 5.": ("Who leads team 5?", "Who leads team 6?"),
    "The 2021 flood was caused by a broken dam.": ("What caused the 2021 flood?", "What caused the 2019 flood?"),
    "Tank 2 ran over, so pump 3 failed.": ("Why did pump 3 fail?", "Why did pump 2 fail?"),
    "Ida Voss is the chief executive of Quarz.": ("Who is the CEO of Quarz?", "Who is the CFO of Quarz?"),
    "Ben Adler is the head of sales at Lumen.": (
        "Who is the head of sales at Lumen?",
        "Who is the head of marketing at Lumen?",
    ),
    "Jon Falk is the CTO of Lumen.": (
        "Who is the chief technology officer of Lumen?",
        "Who is the chief financial officer of Lumen?",
    ),
    "Uma Reiss is the COO of Delmar.": (
        "Who is the chief operations officer of Delmar?",
        "Who is the chief executive officer of Delmar?",
    ),
    "Ivo Brandt is the chief technology officer of Hartwig.": (
        "Who is the chief technical officer of Hartwig?",
        "Who is the chief information officer of Hartwig?",
    ),
    "Gate B4 closes at 9 pm.": ("When does gate B4 close?", "When does gate A4 close?"),
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder: Path = tmp_path_factory.mktemp("memory")
    with open_test_memory(folder, embedder=minilm()) as opened:
        for text in (*BESIDE, *TOLD):
            opened.store(text, source="notes")
        opened.settle()
        yield opened


@pytest.mark.parametrize("told", TOLD)
def test_what_is_told_of_one_is_the_answer_for_that_one_alone(memory: Memory, told: str) -> None:
    one, another = TOLD[told]
    right, wrong = memory.ask(one), memory.ask(another)
    assert not right.abstained
    assert told in {source.text for source in right.sources}
    assert wrong.abstained, wrong.answer
    assert wrong.confidence < right.confidence


def test_a_sentence_that_names_none_is_about_the_one_named_last_before_it(tmp_path: Path) -> None:
    with open_test_memory(tmp_path, embedder=minilm()) as memory:
        memory.store("Tram 3 broke down. It was mended on 4 May 2026. Tram 4 was mended on 6 May 2026.", source="notes")
        memory.settle()
        assert memory.ask("When was tram 3 mended?").answer.startswith("4 May 2026: ")
        assert memory.ask("When was tram 4 mended?").answer.startswith("6 May 2026: ")
        assert memory.ask("When was tram 5 mended?").abstained
