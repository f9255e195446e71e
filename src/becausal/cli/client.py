# SPDX-License-Identifier: Apache-2.0
"""How an MCP client would start this very installation."""

from __future__ import annotations

import json
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

_UV_CACHE = "archive-v0"
"""The folder below which uvx keeps environments that may be gone tomorrow."""


def server_command(prefix: Path | None = None) -> tuple[str, list[str]]:
    """Return the program and the arguments that start the server.

    That is the command installed beside this Python (``prefix`` stands in for its environment), or uvx
    where the environment is one that uvx made for this run only.
    """
    home = Path(sys.prefix) if prefix is None else prefix
    if _UV_CACHE in home.parts:
        checkout = _installed_from()
        return "uvx", ["becausal"] if checkout is None else ["--from", checkout, "becausal"]
    folder = home / ("Scripts" if sys.platform == "win32" else "bin")
    found = shutil.which("becausal", path=str(folder)) or shutil.which("becausal")
    return str(Path(found).absolute()) if found else "becausal", []


def client_configuration() -> str:
    """Return the JSON that most clients take."""
    command, args = server_command()
    return json.dumps({"mcpServers": {"becausal": {"command": command, "args": args}}}, indent=2, ensure_ascii=False)


def _installed_from() -> str | None:
    """Return the folder that this package was installed from, or ``None`` if it was an index."""
    try:
        told = distribution("becausal").read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    url = urlsplit(json.loads(told)["url"]) if told else None
    return url2pathname(url.path) if url is not None and url.scheme == "file" else None
