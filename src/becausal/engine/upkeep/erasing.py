# SPDX-License-Identifier: Apache-2.0
"""Erasing a whole memory: what is left is as empty as a new one."""

from __future__ import annotations

from collections.abc import Sequence

from ...domain.records import Kind
from ...ports.batch import Batch
from ...ports.store import GraphStore
from .. import embedding
from ..removal import erase_traces
from ..transfer.migrating import REMEMBERED
from . import backups
from .results import Erased

STAYS = (embedding.NAME, embedding.DIMENSION, backups.LAST)
"""Keys of what says nothing of what was told. A memory that knows of its copies is not filled from them again."""

SHARED = "what sessions have shared with each other goes when its time is over (BECAUSAL_SESSION_RESULT_TTL)"


def erase_all(store: GraphStore, elsewhere: Sequence[str]) -> Erased:
    """Erase every record and link of a memory, what is remembered of them, and their traces in the store's files.

    Interrupted, it goes on when it is called again. ``elsewhere`` names what keeps copies.
    """
    records = store.clear(tuple(Kind))
    store.write(Batch(meta={key: None for key in REMEMBERED if key not in STAYS}))
    return Erased(records=records, remains=(*erase_traces(store, elsewhere), SHARED))
