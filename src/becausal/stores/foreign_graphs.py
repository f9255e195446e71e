# SPDX-License-Identifier: Apache-2.0
"""Graphs of other memory systems on a database server, told by their labels; they are never written to."""

from __future__ import annotations

from collections.abc import Collection

SYSTEMS = {
    "polyg-mcp": ("E_Entity", "T_Event", "T_Fact", "C_Node", "S_Concept"),
    "smriti-mcp": ("Engram", "Cue"),
}
"""The labels of each system's nodes."""


def system_of(labels: Collection[str]) -> str:
    """Return whose nodes have these labels."""
    return next((name for name, own in SYSTEMS.items() if set(own) & set(labels)), "another program")


def advice(system: str, address: str) -> str:
    """Return how what another system keeps at an address is brought in, if that is known."""
    return f" To bring it in: becausal import {address}" if system in SYSTEMS else ""
