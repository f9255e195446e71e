# SPDX-License-Identifier: Apache-2.0
"""Turns of conversations: where each was told, who says it, and whether it asks or answers."""

from __future__ import annotations

import re
from typing import NamedTuple

QUESTION_TAIL = 60
"""Characters at the end of a turn in which a question mark makes it a question."""

_SPEAKER = re.compile(r"([^\n:]{1,40}): ")


class Turn(NamedTuple):
    """Where a memory was told, and its text: fields of its record."""

    source: str | None
    session: str | None
    content: str

    @property
    def place(self) -> str | None:
        """The conversation that it is part of: its session, or without one its source."""
        return self.source if self.session is None else self.session

    @property
    def speaker(self) -> str | None:
        """Who says it: the name before a colon at its beginning, else what a session has as its source."""
        found = _SPEAKER.match(self.content)
        return found[1] if found else self.source if self.session is not None else None


def is_question(content: str) -> bool:
    """Say whether a turn ends with a question."""
    return "?" in content[-QUESTION_TAIL:] or "？" in content[-QUESTION_TAIL:]


def answers(turn: Turn, question: Turn) -> bool:
    """Say whether a turn is another speaker's than the question before it."""
    return turn.speaker is not None and question.speaker is not None and turn.speaker != question.speaker
