# SPDX-License-Identifier: Apache-2.0
"""Which tools a server offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .app import Tool

DEFAULT = ("engram",)
ALL = "all"
NAMES = ("engram", "magma")


def choose(names: Sequence[str]) -> tuple[tuple[Tool, ...], str]:
    """Return the tools of some toolsets, or of all that there are, and the instructions for their use."""
    chosen = [_load(name) for name in (NAMES if ALL in names else dict.fromkeys(names))]
    return tuple(tool for tools, _ in chosen for tool in tools), "\n\n".join(text for _, text in chosen)


def _load(name: str) -> tuple[tuple[Tool, ...], str]:
    # Each is imported only where it is offered: a client waits for the first answer of a server that starts.
    match name:
        case "engram":
            from .app import INSTRUCTIONS
            from .tools.engram import ENGRAM

            return ENGRAM, INSTRUCTIONS
        case "magma":
            from .tools import magma

            return magma.MAGMA, magma.INSTRUCTIONS
        case _:
            raise KeyError(name)
