# SPDX-License-Identifier: Apache-2.0
"""The counts that a store keeps with its data, so that asking how many there are of something reads nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from ...domain.records import Kind, LinkKind

PENDING = "pending"
"""The name under which engrams are counted that are not indexed yet."""


def counts_of(tally: Mapping[str, int]) -> dict[str, int]:
    """Return what ``GraphStore.count`` does."""
    counts = {kind.value: tally.get(kind.value, 0) for kind in Kind}
    counts |= {kind.value: tally.get(f"link:{kind.value}", 0) for kind in LinkKind}
    return counts | {PENDING: tally.get(PENDING, 0)}
