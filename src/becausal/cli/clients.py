# SPDX-License-Identifier: Apache-2.0
"""The MCP clients that can be set up: where each keeps its configuration, and what it wants to read there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Whose configuration is looked for: platform as ``sys.platform`` names it, home folder, environment."""

    platform: str
    home: Path
    environ: Mapping[str, str]

    def roaming(self) -> Path:
        """Return the folder in which this platform's applications keep their settings."""
        if self.platform == "win32":
            return self._named("APPDATA", self.home / "AppData" / "Roaming")
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.xdg()

    def xdg(self) -> Path:
        return self._named("XDG_CONFIG_HOME", self.home / ".config")

    def claude(self) -> Path:
        return self._named("CLAUDE_CONFIG_DIR", self.home) / ".claude.json"

    def _named(self, variable: str, otherwise: Path) -> Path:
        told = self.environ.get(variable, "")
        return Path(told) if told and Path(told).is_absolute() else otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A client. ``local`` makes its entry from a command, ``remote`` from an address and a token."""

    name: str
    title: str
    section: str
    file: Callable[[Place], Path]
    local: Callable[[str, Sequence[str], Mapping[str, str]], Entry]
    remote: Callable[[str, str], Entry]
    then: str


def _local(command: str, args: Sequence[str], env: Mapping[str, str]) -> Entry:
    return {"command": command, "args": list(args), **({"env": dict(env)} if env else {})}


def _typed(command: str, args: Sequence[str], env: Mapping[str, str]) -> Entry:
    return {"type": "stdio", **_local(command, args, env)}


def _with_env(command: str, args: Sequence[str], env: Mapping[str, str]) -> Entry:
    return {"command": command, "args": list(args), "env": dict(env)}


def _headers(token: str) -> Entry:
    return {"headers": {"Authorization": f"Bearer {token}"}}


def _remote(url: str, token: str) -> Entry:
    return {"url": url, **_headers(token)}


def _typed_remote(url: str, token: str) -> Entry:
    return {"type": "http", "url": url, **_headers(token)}


def _server_url(url: str, token: str) -> Entry:
    return {"serverUrl": url, **_headers(token)}


def _bridged(url: str, token: str) -> Entry:
    # Claude Desktop's file knows no addresses: mcp-remote (npm) stands between. It takes plain http for
    # localhost alone, unless told otherwise; and a header without a blank, which Windows would split at.
    plain = urlsplit(url)
    allow = ["--allow-http"] if plain.scheme == "http" and plain.hostname != "localhost" else []
    return {
        "command": "npx",
        "args": [
            *("-y", "mcp-remote", url, "--transport", "http-only"),
            *("--header", "Authorization:${BEARER}"),
            *allow,
        ],
        "env": {"BEARER": f"Bearer {token}"},
    }


CLIENTS = {
    client.name: client
    for client in (
        Client(
            name="claude-desktop",
            title="Claude Desktop",
            section="mcpServers",
            file=lambda place: place.roaming() / "Claude" / "claude_desktop_config.json",
            local=_local,
            remote=_bridged,
            then="Quit Claude Desktop and start it again.",
        ),
        Client(
            name="claude-code",
            title="Claude Code",
            section="mcpServers",
            file=Place.claude,
            local=_typed,
            remote=_typed_remote,
            then="Sessions that begin from now on have it; /mcp shows it.",
        ),
        Client(
            name="cursor",
            title="Cursor",
            section="mcpServers",
            file=lambda place: place.home / ".cursor" / "mcp.json",
            local=_local,
            remote=_remote,
            then="Cursor asks whether to enable it, or shows it in its settings under MCP.",
        ),
        Client(
            name="vscode",
            title="VS Code",
            section="servers",
            file=lambda place: place.roaming() / "Code" / "User" / "mcp.json",
            local=_typed,
            remote=_typed_remote,
            then="Start it with the command 'MCP: List Servers'.",
        ),
        Client(
            name="windsurf",
            title="Windsurf",
            section="mcpServers",
            file=lambda place: place.home / ".codeium" / "windsurf" / "mcp_config.json",
            local=_local,
            remote=_server_url,
            then="Press the refresh button among its MCP servers.",
        ),
        Client(
            name="zed",
            title="Zed",
            section="context_servers",
            file=lambda place: (
                place.roaming() / "Zed" / "settings.json"
                if place.platform == "win32"
                else (place.home / ".config" if place.platform == "darwin" else place.xdg()) / "zed" / "settings.json"
            ),
            local=_with_env,
            remote=_remote,
            then="Zed starts it at once.",
        ),
    )
}

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What an entry may be called."""
