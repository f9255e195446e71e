# SPDX-License-Identifier: Apache-2.0
"""``becausal`` and ``python -m becausal``.

An MCP client starts the program with no arguments (or with ``mcp``) and pipes for standard input and
output. That path goes straight to the server, without the command line's imports, because the client
is waiting for an answer.
"""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the server or the command line, and leave with its exit code."""
    try:
        if sys.argv[1:] in ([], ["mcp"]) and is_piped():
            from .cli.serve import serve

            sys.exit(serve())
        from .cli.main import program

        sys.exit(program.main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)


def is_piped() -> bool:
    """Whether standard input is there and is no terminal: what an MCP client gives its server."""
    return sys.stdin is not None and not sys.stdin.isatty()


if __name__ == "__main__":
    main()
