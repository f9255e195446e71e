# SPDX-License-Identifier: Apache-2.0
"""What the text index holds of a record, whichever way the record came to be."""

from __future__ import annotations

from datetime import tzinfo
from typing import assert_never

from ..domain.records import Cause, Change, Cue, Engram, Entity, Event, Fact, Passage, Record
from ..domain.text import terms
from ..graphs.concepts import embedded_text
from ..graphs.timeline import fact_terms
from .compose import index_terms


def terms_of(record: Record, zone: tzinfo, told: str = "") -> tuple[str, ...] | None:
    """Return the terms of a record; ``None`` for what is not in the text index.

    ``zone`` is the one in which dates are put into words; ``told`` is the text that a passage is a part of.
    """
    match record:
        case Engram():
            return index_terms(record, zone)
        case Passage():
            return terms(told[record.start : record.end])
        case Cue():
            return terms(embedded_text(record))
        case Entity():
            return terms(" ".join((record.name, *record.aliases)))
        case Event() | Cause():
            return terms(record.description)
        case Fact():
            return fact_terms(record)
        case Change():
            return None
        case _:
            assert_never(record)
