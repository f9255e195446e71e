# SPDX-License-Identifier: Apache-2.0
"""``setup``: the entry that makes an MCP client start this server, put into the client's own file."""

from __future__ import annotations

import json
import os
import shlex
import sys
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from ..errors import ClientConfigError, InvalidInput, NothingToUndo
from .app import App, Command, pass_app
from .client import server_command
from .clients import CLIENTS, NAME, Client, Place
from .terminal import Screen

if TYPE_CHECKING:
    from .client_file import ClientFile

CONTEXT = 1
"""Lines around a change that a dry run shows: other servers' keys may stand nearby."""


@click.command(cls=Command)
@click.argument("client", type=click.Choice(list(CLIENTS)), metavar="CLIENT")
@click.option("--url", metavar="URL", help="Use a running 'becausal serve' at this address, such as .../mcp.")
@click.option("--token", metavar="TOKEN", help="Its token; '-' reads it from standard input.")
@click.option("--env", "variables", multiple=True, metavar="NAME=VALUE", help="A setting for the server; repeatable.")
@click.option("--name", default="becausal", show_default=True, metavar="NAME", help="What the client calls it.")
@click.option(
    "--file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Another configuration file than the user's own, such as a project's.",
)
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--print", "only_print", is_flag=True, help="Print the entry to paste, and touch no file.")
@click.option("--undo", is_flag=True, help="Take the last change back; again: the one before it.")
@pass_app
def setup(
    app: App,
    client: str,
    url: str | None,
    token: str | None,
    variables: tuple[str, ...],
    name: str,
    file: Path | None,
    dry_run: bool,
    only_print: bool,
    undo: bool,
) -> None:
    """Set up an MCP client to use this memory.

    CLIENT is claude-desktop, claude-code, cursor, vscode, windsurf or zed. Nothing but one entry of its
    configuration is changed, comments stay, and a copy is kept beside it for --undo.
    """
    from .client_file import ClientFile

    if sum((dry_run, only_print, undo)) > 1:
        raise click.UsageError("--dry-run, --print and --undo exclude each other")
    if not NAME.fullmatch(name):
        raise InvalidInput("name", "must be 1 to 64 letters, digits, hyphens and underscores")
    chosen = CLIENTS[client]
    place = Place(platform=sys.platform, home=Path.home(), environ=os.environ)
    target = ClientFile(file.expanduser() if file is not None else chosen.file(place), chosen.section, name)
    if undo:
        _undo(app, chosen, target)
        return
    entry, secret = _entry(app, chosen, url, token, variables)
    snippet = json.dumps({chosen.section: {name: entry}}, indent=2, ensure_ascii=False)
    if only_print:
        click.echo(snippet)
        return
    try:
        before, after = target.with_entry(entry)
    except ClientConfigError:
        screen = Screen(err=True)
        screen.line(f"Put this into {target.path} yourself:")
        for line in (snippet if secret is None else snippet.replace(secret, "TOKEN")).splitlines():
            screen.line(line)
        raise
    changed = before != after
    diff = _diff(before, after, target, secret)
    if changed and not dry_run:
        target.write(before, after, private=secret is not None)
    _tell(app, chosen, target, diff, file, dry_run=dry_run, changed=changed)


def _tell(
    app: App, client: Client, target: ClientFile, diff: list[str], file: Path | None, *, dry_run: bool, changed: bool
) -> None:
    def human(screen: Screen) -> None:
        if not changed:
            screen.line(f"{client.title} is set up already: {target.path} stays as it is.")
        elif dry_run:
            for line in diff:
                screen.line(line)
        else:
            screen.line(f"{client.title} is set up in {target.path}. {client.then}")
            back = f"becausal setup {client.name} --undo" + (f" --file {shlex.quote(str(file))}" if file else "")
            screen.line(f"What was there before is in {target.backup}; '{back}' goes back.")

    document: dict[str, Any] = {
        "client": client.name,
        "file": str(target.path),
        "changed": changed and not dry_run,
        "backup": str(target.backup) if changed and not dry_run else None,
        "diff": diff,
    }
    app.answer(document, human)


def _undo(app: App, client: Client, target: ClientFile) -> None:
    if not target.backup.exists():
        raise NothingToUndo(f"nothing to undo: there is no {target.backup}")
    target.undo()
    document = {"client": client.name, "file": str(target.path), "changed": True, "backup": None, "diff": []}
    app.answer(document, lambda screen: screen.line(f"{target.path} is as it was before."))


def _entry(
    app: App, client: Client, url: str | None, token: str | None, variables: tuple[str, ...]
) -> tuple[dict[str, Any], str | None]:
    """Return the client's entry, and the token in it if there is one."""
    if url is None:
        if token is not None:
            raise InvalidInput("token", "belongs to an address: give --url as well")
        command, args = server_command()
        return client.local(command, args, _environment(app, variables)), None
    if variables or app.path is not None or app.user is not None:
        raise InvalidInput("url", "a running server has its own settings: leave --env, --path and --user out")
    return client.remote(_address(url), secret := _token(token)), secret


def _environment(app: App, variables: tuple[str, ...]) -> dict[str, str]:
    from ..settings import PREFIX, Settings
    from ..settings_table import BY_VARIABLE

    told: dict[str, str] = {}
    if app.path is not None:
        told["STORAGE_LOCATION"] = str(app.path.absolute())
    if app.user is not None:
        told["ACCESSING_USER"] = app.user
    for variable in variables:
        name, given, value = variable.partition("=")
        if not given or not name.isidentifier() or not name.isascii():
            raise InvalidInput("variables", "must be NAME=VALUE")
        told[name] = value
    ours = {name: value for name, value in told.items() if name in BY_VARIABLE or name.upper().startswith(PREFIX)}
    Settings.load(**ours)  # what would keep the server from starting is said now
    return told


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    printable = all(char.isprintable() and not char.isspace() for char in url)
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0 or not printable or parts.username:
        raise InvalidInput("url", "must be an http or https address such as http://127.0.0.1:3000/mcp")
    return url.rstrip("/") + "/mcp" if parts.path in ("", "/") and not parts.query else url


def _token(token: str | None) -> str:
    told = (sys.stdin.readline() if token == "-" else token or "").strip()
    if not told or not told.isascii() or not told.isprintable() or " " in told or len(told) > 512:
        raise InvalidInput("token", "must be a token: 'becausal token create' makes one")
    return told


def _diff(before: str, after: str, target: ClientFile, secret: str | None) -> list[str]:
    name = str(target.path)
    lines = unified_diff(before.splitlines(), after.splitlines(), name, name, n=CONTEXT, lineterm="")
    return [line if secret is None else line.replace(secret, "TOKEN") for line in lines]
