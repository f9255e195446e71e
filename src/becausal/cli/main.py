# SPDX-License-Identifier: Apache-2.0
"""The command line: its commands, and what becomes of errors.

Exit codes: 0 done, 1 failed, 2 wrong usage or setting, 3 no such memory or change, 4 another process is at it,
130 interrupted, 141 nobody reads the output any more.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import StringIO
from typing import Any

import click

from .._version import __version__
from ..errors import BecausalError, InvalidInput
from .app import App, Command, everywhere
from .asking import ask, why
from .backing_up import backup, restore, verify
from .consolidation import archive, clusters, consolidate, history, unarchive
from .demo import demo
from .enriching import enrich
from .exits import INTERRUPTED, OK, PIPE_CLOSED, code_for
from .exploring import causes, graph, timeline
from .forgetting import changes, erase, forget, undo
from .reading import list_memories, recall, show
from .relating import relate
from .serve import serve as serve_stdio
from .service import serve, token
from .setting_up import setup
from .terminal import Screen, Styled, is_terminal, use_utf8
from .transferring import export, import_, migrate
from .upkeep import doctor, reindex, status
from .writing import edit, store


class Program(click.Group):
    """The group of all commands. Whatever goes wrong on purpose is one line on standard error."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.extend(everywhere())

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order they are told about, not by the alphabet

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; when nobody reads its output any more, leave without a word."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _discard_output()
            ctx.exit(PIPE_CLOSED)
        except OSError as error:
            _discard_output()
            raise click.ClickException(f"the output cannot be written: {error.strerror or error}") from error

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and leave with an exit code. Arguments are taken as they are: text may hold ``*``."""
        use_utf8()
        words = sys.argv[1:] if args is None else list(args)
        if not standalone_mode:
            return super().main(words, prog_name, complete_var, standalone_mode=False, **extra)
        sys.exit(self._code(words, prog_name or "becausal", complete_var, extra))

    def _code(self, words: list[str], prog_name: str, complete_var: str | None, extra: dict[str, Any]) -> int:
        try:
            code = super().main(words, prog_name, complete_var, standalone_mode=False, **extra)
        except click.Abort:
            return INTERRUPTED
        except click.ClickException as error:
            shown = StringIO()
            error.show(shown)
            _complain(shown.getvalue())
            return error.exit_code
        except BecausalError as error:
            report(error)
            return code_for(error)
        return code if isinstance(code, int) else OK


def _discard_output() -> None:
    """Let nothing more be written: the interpreter flushes once more at its end, and would complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def report(error: BecausalError) -> None:
    """Write an error for a person: a line, or one for each of several wrong settings."""
    named = isinstance(error, InvalidInput) and error.problem.startswith(f"{error.field} ")
    text = error.problem if isinstance(error, InvalidInput) and named else str(error)
    _complain("\n".join(f"Error: {line}" for line in text.splitlines()))


def _complain(text: str) -> None:
    screen = Screen(err=True)
    for line in text.splitlines():
        head, found, rest = line.partition("Error: ")
        screen.line(Styled("Error: ", fg="red"), rest) if found and not head else screen.line(line)


@click.command(
    cls=Program,
    invoke_without_command=True,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 failed, 2 wrong usage or setting, 3 no such memory or change, "
    "4 another process is at it.",
)
@click.version_option(__version__, message="becausal %(version)s")
@click.pass_context
def program(context: click.Context) -> None:
    """Memory for AI agents that knows why.

    Started by an MCP client (no arguments, no terminal) it is an MCP server over standard input and output.
    """
    if context.invoked_subcommand is not None:
        return
    if sys.stdin is None or is_terminal(sys.stdin):
        click.echo(context.get_help())
    else:
        _serve(context)


@click.command(cls=Command, without={"as_json": "mcp answers in its own protocol: --json is for the other commands"})
@click.pass_context
def mcp(context: click.Context) -> None:
    """Be an MCP server over standard input and output."""
    _serve(context)


def _serve(context: click.Context) -> None:
    app = context.ensure_object(App)
    context.exit(serve_stdio(app.path, app.user))


for command in (
    *(store, recall, ask, why, timeline, graph, causes, relate, list_memories, show),
    *(
        edit,
        forget,
        erase,
        undo,
        changes,
        history,
        archive,
        unarchive,
        clusters,
        consolidate,
        enrich,
        status,
        export,
        import_,
        migrate,
        backup,
        restore,
        verify,
    ),
    *(doctor, reindex, demo, setup, mcp, serve, token),
):
    program.add_command(command)
