# SPDX-License-Identifier: Apache-2.0
"""``serve`` and ``token``: the memory as a service over HTTP, and who may use it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from ..errors import SettingsError
from . import documents_service, render
from .app import App, Command, pass_app
from .terminal import Screen

if TYPE_CHECKING:
    from ..settings import Settings


@click.command(cls=Command, without={"as_json": "serve answers over HTTP: --json is for the other commands"})
@click.option("--host", metavar="ADDRESS", help="Address to listen on (default: BECAUSAL_HOST, else 127.0.0.1).")
@click.option("--port", metavar="N", help="Port to listen on (default: POLYG_PORT, PORT, else 3000; 0: a free one).")
@pass_app
def serve(app: App, host: str | None, port: str | None) -> None:
    """Serve memories over HTTP: MCP, GraphQL and a page.

    MCP is at /mcp. Whoever calls it needs a token. The first start makes one for the user and shows it once; see
    'becausal token' for others.
    """
    from ..settings_http import is_loopback
    from ..web.service import first_token_file
    from ..web.service import serve as run

    settings = _settings(app, host, port)
    screen = Screen()

    def announce(address: str, token: str | None) -> None:
        screen.line(f"becausal listens on {address} (MCP: {address}/mcp). Ctrl+C stops it.")
        if token is not None:
            screen.line(f"Token of {settings.user}, shown this once: {token}")
            screen.line(f"It is kept in {first_token_file(settings.storage_location)}, which only you can read.")
        if not is_loopback(settings.http_host):
            screen.line(
                "Everybody who can reach this address may try a token, and what is sent is not encrypted: put a proxy "
                "with TLS in front of it, and set BECAUSAL_HTTP_HOSTS to its name."
            )

    raise click.exceptions.Exit(run(settings, announce))


def _settings(app: App, host: str | None, port: str | None) -> Settings:
    """Return the settings; what is wrong with an option is told by the option's name."""
    try:
        return app.settings(http_host=host, http_port=port)
    except SettingsError as error:
        told = re.sub("^http_(host|port): ", r"--\1: ", str(error), flags=re.MULTILINE)
        name, _, problem = told.partition(": ")
        raise type(error)(name, problem) from None


@click.group()
def token() -> None:
    """Make, list and revoke the tokens for serve."""


@token.command(cls=Command)
@click.option("--note", default="", metavar="TEXT", help="What it is for, such as the name of a machine.")
@pass_app
def create(app: App, note: str) -> None:
    """Make a token for the memory of --user. It is shown once and kept nowhere."""
    from ..web.tokens import Tokens

    settings = app.settings()
    secret, made = Tokens(settings.storage_location).create(settings.user, note)

    def human(screen: Screen) -> None:
        screen.line(f"Token of {made.user}, shown this once: {secret}")
        screen.line(f"To revoke it: {render.command('token', 'revoke', made.id)}")

    app.answer({"token": secret, **documents_service.token(made)}, human)


@token.command(name="list", cls=Command)
@pass_app
def list_tokens(app: App) -> None:
    """List whose tokens there are.

    The tokens themselves nobody knows but those who have them.
    """
    from ..web.tokens import Tokens

    found = Tokens(app.settings().storage_location).all()

    def human(screen: Screen) -> None:
        if not found:
            screen.line("There are no tokens yet. The first start of 'becausal serve' makes one.")
        for each in found:
            note = f"  {each.note}" if each.note else ""
            screen.line(f"{each.id}  {render.stamp(each.created_at)}  {each.user}{note}")

    app.answer({"tokens": [documents_service.token(each) for each in found]}, human)


@token.command(cls=Command)
@click.argument("id")
@pass_app
def revoke(app: App, id: str) -> None:
    """Make the token ID worthless, at once."""
    from ..web.tokens import Tokens

    gone = Tokens(app.settings().storage_location).revoke(id)
    app.answer({"revoked": documents_service.token(gone)}, lambda screen: screen.line(f"Token {gone.id} is revoked."))
