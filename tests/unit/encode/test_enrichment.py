# SPDX-License-Identifier: Apache-2.0
"""What a model says of a text is compared with the text before any of it is kept."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest

from becausal.encode.enrichment import check
from contract.samples import engram

LEDGER = "Marta Klein approved the new ledger in the hall. The alarm rang because the door was open. Ana did not sign."


def kept(**lists: Any) -> dict[str, Any]:
    return check(lists, engram("e", content=LEDGER), UTC)


def fact(subject: str, predicate: str, object: str, quote: str) -> dict[str, str]:
    return {"subject": subject, "predicate": predicate, "object": object, "quote": quote}


def test_a_fact_that_its_quote_speaks_of_is_kept() -> None:
    told = fact("Marta Klein", "approved", "the new ledger", "Marta Klein approved the new ledger")
    assert kept(facts=[told])["facts"] == [{name: told[name] for name in ("subject", "predicate", "object")}]
    denied = fact("Ana", "did not sign", "Ana", "Ana did not sign")
    assert "dropped" not in kept(facts=[denied])


@pytest.mark.parametrize(
    "told",
    [
        fact("Marta Klein", "never approved", "the new ledger", "Marta Klein approved the new ledger"),
        fact("Ana", "signed", "Ana", "Ana did not sign"),
        fact("the alarm", "is in", "the hall", "The alarm rang because the door was open"),
    ],
)
def test_a_fact_that_denies_what_its_quote_says_or_joins_what_stands_apart_is_dropped(told: dict[str, str]) -> None:
    assert kept(facts=[told]) == {"dropped": 1}


def test_a_cause_that_its_quote_tells_the_other_way_round_is_dropped() -> None:
    quote = "The alarm rang because the door was open."
    right = {"cause": "the door was open", "effect": "the alarm rang", "quote": quote, "confidence": 0.9}
    wrong = {"cause": "the alarm rang", "effect": "the door was open", "quote": quote, "confidence": 0.9}
    assert len(kept(causes=[right])["causes"]) == 1
    assert kept(causes=[wrong]) == {"dropped": 1}
