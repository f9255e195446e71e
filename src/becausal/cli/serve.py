# SPDX-License-Identifier: Apache-2.0
"""The way from the program to the MCP server."""

from __future__ import annotations

import sys
from pathlib import Path

from ..errors import BecausalError
from .exits import code_for


def serve(path: Path | None = None, user: str | None = None) -> int:
    """Speak MCP over standard input and output until the input ends; return the exit code."""
    from ..server.stdio import run

    try:
        return run(path, user=user)
    except BecausalError as error:
        # Standard output belongs to the protocol.
        sys.stderr.write(f"becausal: {error}\n")
        return code_for(error)
