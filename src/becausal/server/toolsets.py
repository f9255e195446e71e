# SPDX-License-Identifier: Apache-2.0
"""Which tools a server offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .app import Tool

DEFAULT = ("engram",)
ALL = "all"
NAMES = ("engram", "magma", "session")
GENERIC = ("session", "aliases")
"""Toolsets with names that another server's tools may have too: a prefix sets these apart."""


def choose(names: Sequence[str], prefix: str | None = None) -> tuple[tuple[Tool, ...], str]:
    """Return the tools of some toolsets, or of all that there are, and the instructions for their use.

    The instructions are those of the first, with a line for each other, so that they stay below 1 kB.
    ``prefix`` goes before the names of generic tools.
    """
    wanted = [each for name in names for each in (NAMES if name == ALL else (name,))]
    tools: list[Tool] = []
    instructions: list[str] = []
    for name in dict.fromkeys(wanted):
        chosen, whole, brief = _load(name)
        before = prefix or "" if name in GENERIC else ""
        tools += [replace(tool, name=before + tool.name) for tool in chosen]
        text = brief if instructions else whole
        instructions += [text] if text else []
    return tuple(tools), "\n\n".join(instructions)


def _load(name: str) -> tuple[tuple[Tool, ...], str, str]:
    """Return a toolset's tools, its instructions, and those in a line."""
    # Each is imported only where it is offered: a client waits for the first answer of a server that starts.
    match name:
        case "engram":
            from .app import BRIEF, INSTRUCTIONS
            from .tools.engram import ENGRAM

            return ENGRAM, INSTRUCTIONS, BRIEF
        case "magma":
            from .tools import magma

            return magma.MAGMA, magma.INSTRUCTIONS, magma.BRIEF
        case "session":
            from .tools import session

            return session.SESSION, session.INSTRUCTIONS, session.BRIEF
        case "aliases":
            from .tools import session

            return session.ALIASES, "", ""
        case _:
            raise KeyError(name)
