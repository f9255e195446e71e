# SPDX-License-Identifier: Apache-2.0
"""What every command shares: the options that may stand anywhere, and the way to a memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import InvalidInput
from .terminal import Screen, clean_json

if TYPE_CHECKING:
    from ..engine.memory import Memory
    from ..settings import Settings

SILENT = 1.0
"""Seconds after which somebody who waits is told what for."""

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(slots=True)
class App:
    """The state of one run: where the memory is, whose it is, and how to answer."""

    path: Path | None = None
    user: str | None = None
    as_json: bool = False

    def memory(self, *, reindexing: bool = False) -> Memory:
        """Open the memory, if need be one whose vectors come from another embedder; the caller closes it.

        Raises:
            BecausalError: a setting is wrong, or the store cannot be opened.
        """
        from ..composition import build_memory

        memory = build_memory(self.settings(), reindexing=reindexing, enrich=False)
        if memory.backups is not None and not memory.backups.wait_until_filled(SILENT):
            Screen(err=True).text(f"This memory is empty: looking for a copy in the {memory.backups.place.name} …")
            memory.backups.wait_until_filled()
        if memory.backups is not None and memory.backups.unfilled:
            Screen(err=True).text(
                f"Warning: this memory is empty, and nothing could be brought in from the {memory.backups.place.name}: "
                f"{memory.backups.unfilled}. Once it holds something it is filled no more by itself: mend that first, "
                "or use 'becausal restore' then."
            )
        return memory

    def settings(self, **options: object) -> Settings:
        """Return the settings, with the options that stand everywhere and a command's own; logging follows them.

        Raises:
            SettingsError: one is wrong.
        """
        from ..settings import Settings
        from ..telemetry import configure_logging
        from .render import go_on_with, show_in

        settings = Settings.load(storage_location=self.path, user=self.user, **options)
        # What is wrong is told by the command itself, so the log is only for who asks for it.
        configure_logging(settings.log_level if "log_level" in settings.model_fields_set else "error")
        show_in(settings.timezone)
        go_on_with(self.path, self.user)
        return settings

    def answer(self, document: Mapping[str, Any], human: Callable[[Screen], None]) -> None:
        """Print the result: one JSON document if that was asked for, else the text for a person."""
        if self.as_json:
            click.echo(clean_json(json.dumps(document, ensure_ascii=False, indent=2)))
        else:
            human(Screen())


pass_app = click.make_pass_decorator(App, ensure=True)


def _whose(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None:
        if not value.strip():
            raise click.BadParameter("must not be blank", context, parameter)
        context.ensure_object(App).user = value
    return value


def _how(context: click.Context, parameter: click.Parameter, value: bool) -> bool:
    if value:
        context.ensure_object(App).as_json = True
    return value


def _folder(context: click.Context, parameter: click.Parameter, value: Path | None) -> Path | None:
    if value is not None:
        if value == Path():
            raise click.BadParameter("must name a folder", context, parameter)
        context.ensure_object(App).path = value.expanduser()
    return value


def everywhere() -> list[click.Option]:
    """Return the options that may stand before or after a command's name."""
    return [
        click.Option(
            ["--path"],
            type=click.Path(file_okay=False, path_type=Path),
            callback=_folder,
            expose_value=False,
            metavar="FOLDER",
            help="Folder of the memory (default: STORAGE_LOCATION, else the system's data folder).",
        ),
        click.Option(
            ["--user"],
            callback=_whose,
            expose_value=False,
            metavar="NAME",
            help="Whose memory (default: ACCESSING_USER, else the login name).",
        ),
        click.Option(
            ["--json", "as_json"],
            is_flag=True,
            callback=_how,
            expose_value=False,
            help="Answer with one JSON document.",
        ),
    ]


class Command(click.Command):
    """A command that takes the options that may stand anywhere, without those that mean nothing to it.

    ``without`` gives their names in ``App``, and what is said to whom gives one all the same.
    """

    def __init__(self, *args: Any, without: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._without = without or {}
        for option in everywhere():
            option.hidden = option.name in self._without
            self.params.append(option)

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; an error about a field that has an option is told with the option's name."""
        app = ctx.ensure_object(App)
        for name, problem in self._without.items():
            if getattr(app, name):
                raise click.UsageError(problem, ctx)
        try:
            return super().invoke(ctx)
        except InvalidInput as error:
            for parameter in self.params:
                if parameter.name == error.field and isinstance(parameter, click.Option):
                    raise InvalidInput(parameter.opts[-1], error.problem) from error
            raise


WAIT = 5.0
"""Seconds that a command which changes memories waits for indexing, so that the next one finds them by meaning."""

MEMORY_TYPE = click.Choice(["episodic", "semantic", "procedural"])
TYPES = "episodic (what happened), semantic (what is so) or procedural (how it is done)"


def split(values: Iterable[str]) -> tuple[str, ...]:
    """Return the tags in comma-separated, repeatable options."""
    return tuple(tag.strip() for value in values for tag in value.split(",") if tag.strip())


def _not_blank(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Refuse a blank filter: it would filter nothing, and a script's empty variable could forget too much."""
    given = value if isinstance(value, tuple) else () if value is None else (value,)
    if not all(part.strip() for item in given for part in item.split(",")):
        raise click.BadParameter("must not be blank", context, parameter)
    return value


_filter = partial(click.option, callback=_not_blank)

in_zone = click.option("--timezone", metavar="ZONE", help="Zone that times are in, such as Europe/Berlin.")
since = _filter("--since", metavar="TIME", help="Only what was at or after this time.")
until = _filter("--until", metavar="TIME", help="Only what was up to the end of this time, such as 2026-03.")


def most(number: int, what: str) -> Callable[[F], F]:
    """Return the option that limits how much is shown."""
    return click.option("--limit", type=int, metavar="N", default=number, show_default=True, help=f"Most {what}.")


def filters(function: F) -> F:
    """Add the options that narrow down which memories a command is about."""
    for option in (
        in_zone,
        until,
        since,
        _filter("--session", metavar="NAME", help="Only what was told in this session."),
        _filter("--source", metavar="NAME", help="Only what came from this source."),
        _filter("--tag", "--tags", "tags", multiple=True, metavar="TAG", help="Only with this tag; repeated: any."),
        click.option(
            "--type", "memory_type", type=MEMORY_TYPE, metavar="TYPE", help=f"Only memories of this type: {TYPES}."
        ),
    ):
        function = option(function)
    return function
