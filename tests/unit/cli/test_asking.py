# SPDX-License-Identifier: Apache-2.0
"""What ``why`` takes for a question."""

from __future__ import annotations

import pytest

from becausal.cli.asking import as_question


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Why did auth fail?", "Why did auth fail?"),
        ("what caused the outage", "what caused the outage"),
        ("How come the disk is full?", "How come the disk is full?"),
        ("“Why?”", "“Why?”"),
        ("did auth fail", "Why did auth fail?"),
        ("were card payments slow?", "Why were card payments slow?"),
        ("auth failed", "Why auth failed?"),
        ("The auth pods crashed.", "Why The auth pods crashed?"),
        ("whatsapp was down", "Why whatsapp was down?"),
        ("?!", "?!"),
    ],
)
def test_a_question_is_left_as_it_is_and_anything_else_is_asked_for_its_causes(text: str, asked: str) -> None:
    assert as_question(text) == asked
