# SPDX-License-Identifier: Apache-2.0
"""An export cut into files such that a change of some lines changes few of them.

A cut is made before each line whose own digest says so, one in some hundreds, wherever it stands: what is put
in between two cuts changes nothing beyond them. The files in their order are the export, byte for byte.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

MEAN = 256
"""Lines in a file, in the mean."""

MOST = 4096
"""Lines in a file at most."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of an export. ``name`` is that of a file; it tells where the part begins."""

    name: str
    data: bytes


def cut(export: IO[bytes]) -> Iterator[Shard]:
    """Yield the parts of an export in their order, each with a name of its own."""
    name, lines, taken = "first", list[bytes](), set[str]()
    for line in export:
        digest = hashlib.sha256(_identity(line)).digest()
        if lines and (int.from_bytes(digest[:4], "big") % MEAN == 0 or len(lines) >= MOST):
            yield Shard(_once(name, taken), b"".join(lines))
            name, lines = digest.hex()[:16], []
        lines.append(line)
    if lines:
        yield Shard(_once(name, taken), b"".join(lines))


def _identity(line: bytes) -> bytes:
    """Return the beginning of a line up to the end of its id, which stays the same when the rest changes."""
    head, found, rest = line.partition(b'"id":"')
    return head + rest.partition(b'"')[0] if found else line[:64]


def _once(name: str, taken: set[str]) -> str:
    number = 1
    fresh = name
    while fresh in taken:
        number += 1
        fresh = f"{name}-{number}"
    taken.add(fresh)
    return f"{fresh}.jsonl"
