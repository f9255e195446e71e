# SPDX-License-Identifier: Apache-2.0
"""Leases of sessions that hold what was told, and so go with it when it is erased for good."""

from __future__ import annotations

import json

from .records import Engram

RESULT = "promise-result"
"""What came of claimed work: its value is in the lease."""


def promise_id(session: str, name: str) -> str:
    """Return the id of a promise: a name means something in its session only."""
    return json.dumps([session, name], ensure_ascii=False)


def results_of(engram: Engram) -> tuple[tuple[str, str], ...]:
    """Return the leases, as ``Batch.release`` takes them, that hold the value an engram may have been made of."""
    if engram.session is None or engram.label is None:
        return ()
    return ((RESULT, promise_id(engram.session, engram.label)),)
