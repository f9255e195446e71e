# SPDX-License-Identifier: Apache-2.0
"""Keeping consolidation away while a memory is only partly there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from ...errors import StoreBusy
from ...ports.batch import Batch
from ...ports.store import GraphStore
from ..holders import new_holder, take
from .consolidating import CLAIM, LEASE

PATIENCE = 120.0
"""Seconds to wait for a consolidation that is going on."""

_PAUSE = 0.1


@contextmanager
def unconsolidated(store: GraphStore) -> Iterator[Callable[[], None]]:
    """Let nobody consolidate for a while; what is yielded is to be called every few seconds.

    Consolidation drops what nothing leads to, which is what records are before their links are written.

    Raises:
        StoreBusy: it has been going on elsewhere for too long.
    """
    holder = new_holder()
    kind, id = CLAIM
    end = monotonic() + PATIENCE
    while not take(store, kind, [id], holder, LEASE):
        if monotonic() > end:
            raise StoreBusy("the memory is being consolidated; try again when that is done")
        time.sleep(_PAUSE)
    renewed = monotonic()

    def renew() -> None:
        nonlocal renewed
        if monotonic() - renewed > LEASE / 6:
            renewed = monotonic()
            store.claim(kind, [id], holder, LEASE)

    try:
        yield renew
    finally:
        lease = store.leases(kind, [id]).get(id)
        if lease is not None and lease.holder == holder:
            store.write(Batch(release=(CLAIM,)))
