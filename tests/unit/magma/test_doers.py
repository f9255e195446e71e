# SPDX-License-Identifier: Apache-2.0
"""The word for what somebody does and the word for who does it are one, where a question asks who."""

from __future__ import annotations

import pytest

from becausal.domain.text import stem
from becausal.magma.doers import doers


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who conducts the choir?", "conductor"),
        ("Who is conducting the choir?", "conductor"),
        ("Who has currently been driving the van?", "driver"),
        ("Who taught maths?", "teacher"),
        ("Who wrote it?", "writer"),
        ("Who runs marathons?", "runner"),
        ("Who supplies the flour?", "supplier"),
        ("Who manages the shop?", "manager"),
        ("Who's the conductor of the choir?", "conducts"),
        ("Who is our youngest swimmer?", "swims"),
        ("Who was the creator of the game?", "create"),
        ("Who are the owners of the mill?", "owns"),
    ],
)
def test_who_does_it_is_also_told_by_the_other_word(question: str, told: str) -> None:
    ((_, key),) = doers(question).items()
    assert stem(told) in key.split("|")


@pytest.mark.parametrize("question", ["Where is the flower?", "Why did the tower fall?", "What is the matter?", ""])
def test_other_questions_have_no_such_word(question: str) -> None:
    assert doers(question) == {}
