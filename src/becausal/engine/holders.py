# SPDX-License-Identifier: Apache-2.0
"""Who holds a lease: a process, named so that others on the same machine can tell when it has died."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import uuid
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from math import ceil
from pathlib import Path

from ..ports.store import GraphStore

_NAME = re.compile(r"([0-9]{1,10})-[0-9a-f]{8}-([0-9]+)-([0-9a-f]{16})")
_ENDED = ("Z", "X", "x")  # a process that is over, and whose parent has not asked how it went


def new_holder() -> str:
    """Return a name for a holder in this process: its id, something random, when it began, and the machine's."""
    pid = os.getpid()
    return f"{pid}-{uuid.uuid4().hex[:8]}-{_began(pid) or 0}-{_machine()}"


def take(store: GraphStore, kind: str, ids: Sequence[str], holder: str, ttl: float) -> frozenset[str]:
    """Take leases as ``GraphStore.claim`` does, and those at once whose holder on this machine has died."""
    taken = store.claim(kind, ids, holder, ttl)
    if len(taken) == len(ids):
        return taken
    others = defaultdict(list)
    for id, lease in store.leases(kind, [id for id in ids if id not in taken]).items():
        others[lease.holder].append(id)
    free: list[str] = []
    for other, held in others.items():
        if has_died(other):
            # Ended in the name of the one who died, which leaves alone whatever somebody else has taken meanwhile.
            free += store.claim(kind, held, other, 0.0)
    return taken | store.claim(kind, free, holder, ttl) if free else taken


def until(store: GraphStore, kind: str, id: str) -> str:
    """Say when a lease that somebody else holds runs out at the latest if its holder has died."""
    lease = store.leases(kind, [id]).get(id)
    return "try again" if lease is None else f"should it have died, try again in {max(1, ceil(lease.left))} s"


def has_died(holder: str) -> bool:
    """Whether a holder is certain to be a process of this machine that is no more."""
    told = _NAME.fullmatch(holder)
    if told is None or told[3] != _machine():
        return False
    pid = int(told[1])
    try:
        os.kill(pid, 0)  # asks only whether there is one
    except ProcessLookupError:
        return True
    except OSError:
        pass
    began = _began(pid)
    return began is not None and began != int(told[2])


def _began(pid: int) -> int | None:
    """Return when a process began, as the system counts, -1 if it is over; ``None`` if that cannot be known."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = told.rpartition(")")[2].split()  # from the third field on: the name before it may hold anything
    return -1 if fields[0] in _ENDED else int(fields[19])


@cache
def _machine() -> str:
    """Return what is the same for two processes if, and only if, each knows the other by its number.

    Containers of one kernel number their processes each by itself. It is empty where this cannot be known: then a
    lease ends by its time alone.
    """
    if os.name == "nt":  # where asking for a process by its number would end it
        return ""
    try:
        if Path("/proc/self").exists():
            boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
            numbers, times = Path("/proc/self/ns/pid"), Path("/proc/self/ns/time")  # the latter since Linux 5.6
            spaces = [os.readlink(space) for space in (numbers, times) if space == numbers or times.is_symlink()]
            told = (boot, *spaces, socket.gethostname())
        else:
            told = (socket.gethostname(), str(uuid.getnode()))
    except OSError:
        return ""
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]
