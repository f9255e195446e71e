# SPDX-License-Identifier: Apache-2.0
"""``python -m becausal.server.tools_table`` prints docs/tools.md: every tool, as clients are told of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .params import input_schema
from .prompts import PROMPTS
from .resources import CLUSTER, MEMORY, STATUS
from .toolsets import GENERIC, NAMES, choose

if TYPE_CHECKING:
    from .app import Tool

HEAD = """\
<!-- Printed by `python -m becausal.server.tools_table`; change the tools instead. -->
# Tools

`BECAUSAL_TOOLS` chooses the toolsets that a server offers, separated by commas; `all` is all but `aliases`. Without it
there is `engram`. All work on the same memory. What a parameter allows is checked, and refused by name.
"""
SETS = {
    "engram": "The default: keep, find, ask, look after. The names are those of smriti-mcp.",
    "magma": "Four graphs stated and walked by hand. The names are those of polyg-mcp.",
    "session": "Work done once, values and a graph for a session. The names are those of pmll-memory-mcp.",
    "aliases": "What six tools of `session` are called in pmll-memory-mcp's Python package.",
}


def table() -> str:
    """Return the document."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield HEAD
    for name in dict.fromkeys((*NAMES, *GENERIC)):
        yield f"## {name}\n"
        yield SETS[name] + "\n"
        if name in GENERIC:
            yield "`BECAUSAL_TOOL_PREFIX` is put before these names.\n"
        for tool in choose((name,))[0]:
            yield from _tool(tool)
    yield "## Resources\n"
    yield f"`{STATUS}` is the memory's status, `{CLUSTER}` a cluster with its most important memories, `{MEMORY}` a"
    yield "memory in full. The status and the largest clusters are listed.\n"
    yield "## Prompts\n"
    for prompt in PROMPTS:
        wanted = ", ".join(f"`{each.name}`{' (required)' if each.required else ''}" for each in prompt.arguments)
        yield f"* `{prompt.name}`: {prompt.description}. Arguments: {wanted}."


def _tool(tool: Tool) -> Iterator[str]:
    yield f"### {tool.name}\n"
    yield tool.description + "\n"
    hints = [
        word
        for word, is_so in (
            ("reads only", tool.read_only),
            ("may remove something", tool.destructive),
            ("the same again changes nothing more", tool.idempotent),
        )
        if is_so
    ]
    if hints:
        yield f"Hints: {', '.join(hints)}.\n"
    schema = input_schema(tool.params)
    required = schema.get("required", [])
    if not schema["properties"]:
        yield "It takes no arguments.\n"
        return
    yield "| Parameter | Type | Meaning |"
    yield "| --- | --- | --- |"
    for name, about in schema["properties"].items():
        told = [about.get("description", "")]
        told += [f"default: `{about['default']}`"] if "default" in about else []
        meaning = "; ".join(filter(None, told)).replace("|", "\\|").replace("\n", " ")
        yield f"| `{name}`{' (required)' if name in required else ''} | {_type(about)} | {meaning} |"
    yield ""


def _type(about: dict[str, Any]) -> str:
    if "enum" in about:
        return ", ".join(f"`{each}`" for each in about["enum"])
    return str(about.get("type", "any"))


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(table())
