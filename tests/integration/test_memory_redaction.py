# SPDX-License-Identifier: Apache-2.0
"""With redaction, a secret is in no file; without it, every text is kept as it was told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from becausal import Memory
from becausal.errors import SettingsError

KEY = "AKIAIOSFODNN7EXAMPLE"
CARD = "4111 1111 1111 1111"


def test_a_secret_told_in_any_way_is_in_no_file(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(json.dumps({"content": f"Imported {KEY}", "metadata": {"deep": [KEY]}}))
    with Memory.open(tmp_path / "m", user="alice", embedder="hashing", redact="all") as memory:
        stored = memory.store(
            f"The key is {KEY} and the card {CARD}",
            label=f"About {KEY}",
            tags=[KEY],
            source=KEY,
            metadata={"key": KEY, "list": [CARD]},
            facts=[{"subject": "key", "predicate": "is", "object": KEY}],
            causes=[{"cause": f"{KEY} leaked", "effect": "we rotated it"}],
            entities=[KEY],
        ).engram
        assert stored.content == "The key is [redacted: AWS key] and the card [redacted: card number]"
        memory.update(memory.store("Something else").engram.id, content=f"Now {KEY}")
        memory.graphs.add_entity(f"Vault {KEY}", "place", {"door": KEY}, [f"V {KEY}"])
        memory.graphs.add_event(f"Rotated {KEY}", "2026-01-01")
        memory.graphs.add_fact("vault", "holds", KEY, "2026-01-01")
        memory.graphs.add_causal_link(f"{KEY} leaked", f"{KEY} was rotated", evidence=KEY)
        memory.graphs.add_concept("Vault", f"holds {KEY}")
        memory.transfer.import_file(tmp_path / "in.jsonl", tags=["x"])
        memory.settle()
        assert memory.recall("key").results
    held = b"".join(file.read_bytes() for file in (tmp_path / "m").rglob("*") if file.is_file())
    for secret in (KEY, KEY.lower(), CARD, CARD.replace(" ", "")):
        assert secret.encode() not in held


def test_by_default_every_text_is_kept_as_it_was_told(tmp_path: Path) -> None:
    with Memory.open(tmp_path, user="alice", embedder="hashing") as memory:
        assert memory.store(f"The key is {KEY}").engram.content == f"The key is {KEY}"


@pytest.mark.parametrize("value", ["everything", "off,keys", "keys,letters"])
def test_another_choice_is_refused_with_those_there_are(tmp_path: Path, value: str) -> None:
    with pytest.raises(SettingsError, match=r"redact.*off, keys, cards or all"):
        Memory.open(tmp_path, user="alice", embedder="hashing", redact=value)
