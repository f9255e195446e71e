# SPDX-License-Identifier: Apache-2.0
"""What reading by a model answers with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Enriched:
    """What a chat model did with memories: ``read`` them, could not read them (``failed``), by reason.

    ``left`` are still to be read; ``stopped`` is why that is not done now, ``unnamed`` why clusters keep the names made
    of their words. ``tokens`` is what it took, ``estimated`` of them because the service did not say.
    """

    read: int
    failed: Mapping[str, int]
    left: int
    stopped: str | None = None
    unnamed: str | None = None
    tokens: int = 0
    estimated: int = 0

    @property
    def succeeded(self) -> bool:
        """Whether it went through, and something could be read if there was something to read."""
        return self.stopped is None and (self.read > 0 or not self.failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What reading memories would take: one call for each, and at most so many tokens read and written."""

    memories: int
    tokens_in: int
    tokens_out: int
