# SPDX-License-Identifier: Apache-2.0
"""Settings: keywords, then the environment, then ``.env``, then defaults.

``Settings.load`` is the door. It refuses what it does not understand, and what this version does not do,
by the name under which it was given; ``settings_table`` says what there is.
"""

from __future__ import annotations

import difflib
import getpass
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import platformdirs
from pydantic import AliasGenerator, BeforeValidator, Field, SecretStr, ValidationError, ValidationInfo, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError
from pydantic_settings import BaseSettings, DotEnvSettingsSource, NoDecode, SettingsConfigDict

from .errors import NotSupported, SettingsError
from .settings_http import HttpSettings
from .settings_rows import Row
from .settings_stores import StoreSettings
from .settings_table import BY_FIELD, BY_VARIABLE

EMBEDDER_DIMENSIONS: Mapping[str, int] = {"minilm": 384, "hashing": 128}
"""What ``EMBEDDING_DIMS`` may be with embedders of this machine; the embedders themselves are tested to agree."""

OPENAI = "https://api.openai.com/v1"
CHAT_MODEL = "gpt-4o-mini"
EMBEDDING_MODEL = "text-embedding-3-small"
MOST_DIMENSIONS = 65_536
REMOTE = ("EMBEDDING_BASE_URL", "EMBEDDING_API_KEY", "EMBEDDING_MODEL")
"""Variables any of which makes an embedding service the embedder."""

BACKUP_FIELDS: Mapping[str, str] = {
    name: name.lower()
    for name in (
        *("GIT_BASE_URL", "S3_ENDPOINT", "S3_REGION", "S3_ACCESS_KEY", "S3_SECRET_KEY", "S3_BUCKET", "S3PREFIX"),
        *("BACKUP_KEY", "BACKUP_KEEP"),
    )
}
"""Variables that say where and how copies are kept, and their fields."""

PREFIX = "BECAUSAL_"
_LONGEST_SHOWN = 60


def _not_supported(problem: str) -> PydanticCustomError:
    return PydanticCustomError("not_supported", "{problem}", {"problem": problem})


def _refused(problem: str) -> PydanticCustomError:
    return PydanticCustomError("refused", "{problem}", {"problem": problem})


def _row(info: ValidationInfo) -> Row:
    return BY_FIELD[info.field_name or ""]


def _choice(value: object, info: ValidationInfo) -> str:
    """Return one of the row's choices, in lower case."""
    row, text = _row(info), str(value).lower()
    if text not in row.choices:
        raise _refused(_wrong(value, row))
    return text


def _choices(value: object, info: ValidationInfo) -> tuple[str, ...]:
    """Return the choices named in a comma-separated text or a sequence, each once."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, Iterable):
        raise _refused(_wrong(value, _row(info)))
    return tuple(dict.fromkeys(_choice(str(part).strip(), info) for part in parts))


def _secrets(value: object, info: ValidationInfo) -> tuple[str, ...]:
    """Return the kinds of secret that are named, or ``off`` alone."""
    chosen = _choices(value, info)
    if "off" in chosen and len(chosen) > 1:
        raise _refused(_wrong(value, _row(info)))
    return chosen


def _waiting(value: object, info: ValidationInfo) -> None:
    """Refuse every value."""
    if value is not None:
        raise _not_supported(f"{_row(info).not_part}; unset it")


def _user(value: object) -> str:
    if value == "":
        try:
            value = getpass.getuser()
        except (KeyError, OSError):
            raise _refused("set it: the operating system has no name for the current user") from None
    user = str(value)
    if not (len(user) <= 128 and user.isprintable() and user.strip()):
        raise _refused(_wrong(value, BY_FIELD["user"]))
    return user


def _path(value: object, info: ValidationInfo) -> Path | None:
    if value is None:
        return None
    if not isinstance(value, str | os.PathLike) or "\0" in str(value):
        raise _refused(_wrong(value, _row(info)))
    try:
        return Path(os.path.abspath(Path(value).expanduser()))
    except RuntimeError:
        raise _refused(f"the home folder in {_shown(value)} cannot be determined; write the path in full") from None


def _zone(value: object, info: ValidationInfo) -> ZoneInfo | None:
    if value is None or isinstance(value, ZoneInfo):
        return value
    try:
        return ZoneInfo(str(value))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise _refused(_wrong(value, _row(info))) from None


def _dims(value: object, info: ValidationInfo) -> object:
    embedder = info.data.get("embedder")  # absent if that was refused itself
    own = EMBEDDER_DIMENSIONS.get(embedder or "")
    if value is None or own is None or str(value) == str(own):
        return value
    raise _refused(
        f"{_shown(value)} is not the length of {embedder}'s vectors; unset it, set it to {own}, or name the service "
        f"that makes other ones with {REMOTE[0]}"
    )


def _service(value: object, info: ValidationInfo) -> str | None:
    """Return the address of a service: one that holds no secret, since it is shown."""
    if value is None:
        return None
    try:
        parts = urlsplit(str(value))
        sound = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
        parts = urlsplit("")
    if not sound or parts.query or parts.fragment or "@" in parts.netloc or not str(value).isprintable():
        raise _refused(f"it must be {_row(info).allowed}")  # what was given is not shown: it may hold a key
    return str(value).rstrip("/")


def _model(value: object, info: ValidationInfo) -> str | None:
    if value is not None and not (len(str(value)) <= 200 and str(value).isprintable()):
        raise _refused(_wrong(value, _row(info)))
    return None if value is None else str(value)


def _key(value: object) -> SecretStr | None:
    if value is None or isinstance(value, SecretStr):
        return value
    if not (str(value).isascii() and str(value).isprintable()):
        raise _refused("it holds characters that no key has")
    return SecretStr(str(value))


def _shown(value: object) -> str:
    text = repr(value if isinstance(value, int | float) else str(value))
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def _wrong(value: object, row: Row) -> str:
    return f"{_shown(value)} is not allowed; use {row.allowed}"


def _address(value: object, info: ValidationInfo) -> object:
    """Refuse what Git would take for an option, what no address holds, and what could not be kept secret."""
    text = str(value.get_secret_value() if isinstance(value, SecretStr) else value)
    if value is not None and (
        text.startswith("-") or not text.isprintable() or re.match(r"[\w+.-]+::", text) or len(text) > 2000
    ):
        raise _refused(f"this is not allowed; use {_row(info).allowed}")
    scheme, _, rest = text.partition("://")
    before, at, _ = rest.partition("/")[0].rpartition("@")
    if scheme in ("http", "https"):
        if "@" in rest.partition("/")[2] or not unquote(before).isprintable():
            raise _refused("a user name or password in it must be percent-encoded, / as %2F")
    elif at and ":" in before:
        raise _refused(f"a password is of no use with {scheme}; leave it out")
    return value


Waiting = Annotated[None, NoDecode, BeforeValidator(_waiting), Field(repr=False)]
"""A variable whose feature is not part of this version: it has no value but none."""

Choice = BeforeValidator(_choice)
Location = BeforeValidator(_path)
ServiceAddress = BeforeValidator(_service)
ModelName = BeforeValidator(_model)
Secret = Annotated[SecretStr | None, BeforeValidator(_key), Field(repr=False)]
Count = Annotated[int, Field(ge=0, le=1_000_000_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """A model service to use. ``key`` is secret and not shown."""

    base_url: str
    key: SecretStr | None
    model: str


def _variable(field: str) -> str:
    return BY_FIELD[field].variable


class Settings(HttpSettings, StoreSettings, BaseSettings):
    """What was configured. Make one with ``load``; the fields' meaning is in ``settings_table``."""

    model_config = SettingsConfigDict(
        alias_generator=AliasGenerator(validation_alias=_variable),
        case_sensitive=True,
        env_file=".env",
        env_file_encoding="utf-8-sig",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    user: Annotated[str, BeforeValidator(_user)] = ""
    storage_location: Annotated[Path, Location] = Field(
        default_factory=lambda: platformdirs.user_data_path("becausal", appauthor=False)
    )
    db_type: Annotated[Literal["sqlite", "ladybug", "falkordb", "neo4j"], Choice] = "sqlite"
    tools: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_choices)] = ("engram",)
    embedder: Annotated[Literal["minilm", "hashing", "remote"], Choice] = "minilm"
    model_path: Annotated[Path | None, Location] = None
    model_threads: Annotated[int, Field(ge=1, le=64)] | None = None
    embedding_dims: Annotated[int | None, Field(ge=1, le=MOST_DIMENSIONS), BeforeValidator(_dims)] = None
    scoring: Annotated[Literal["default", "smriti"], Choice] = "default"
    redact: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_secrets)] = ("off",)
    undo_days: Annotated[int, Field(ge=0, le=3650)] = 7
    timezone: Annotated[ZoneInfo | None, BeforeValidator(_zone)] = None
    consolidation_interval: Annotated[int, Field(ge=0, le=31_536_000)] = 3600
    prune_decay_threshold: Annotated[float, Field(ge=0, le=1)] = 0.05
    prune_importance_threshold: Annotated[float, Field(ge=0, le=1)] = 0.3
    backup_type: Annotated[Literal["none", "git", "github", "s3"], Choice] = "none"
    backup_sync_interval: Annotated[int, Field(ge=0, le=31_536_000)] = 60
    backup_keep: Annotated[int, Field(ge=1, le=1000)] = 30
    backup_key: Annotated[SecretStr | None, Field(repr=False, min_length=12)] = None
    s3_endpoint: Annotated[str | None, Field(pattern=r"^https?://[^/\s@]+/?$")] = None
    s3_region: Annotated[str | None, Field(pattern=r"^[a-z0-9-]{1,64}$")] = None
    s3_access_key: Annotated[SecretStr | None, Field(repr=False)] = None
    s3_secret_key: Annotated[SecretStr | None, Field(repr=False)] = None
    s3_bucket: Annotated[str | None, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")] = None
    s3_prefix: Annotated[str | None, Field(pattern=r"^[A-Za-z0-9_=-]+(/[A-Za-z0-9_=-]+)*$", max_length=500)] = None
    git_base_url: Annotated[SecretStr | None, Field(repr=False), BeforeValidator(_address)] = None
    view_timeout: Annotated[int, Field(ge=100, le=60_000)] = 30_000
    log_level: Annotated[Literal["debug", "info", "warn", "warning", "error"], Choice] = "warning"
    tool_prefix: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,31}$")] | None = None
    session_scope: Annotated[Literal["session", "all"], Choice] = "session"
    session_max: Annotated[int, Field(ge=1, le=100_000)] = 1000
    session_slot_ttl: Annotated[float, Field(ge=0, le=10_000_000)] = 0
    session_claim_ttl: Annotated[float, Field(gt=0, le=86_400)] = 120
    session_result_ttl: Annotated[float, Field(gt=0, le=86_400)] = 600
    session_promote_after: Annotated[int, Field(ge=0, le=1_000_000)] = 3
    session_relevance: Annotated[float, Field(ge=0, le=1)] = 0.1
    session_link_threshold: Annotated[float, Field(ge=-1, le=1)] = 0.72
    session_link_cap: Annotated[int, Field(ge=0, le=10_000)] = 200
    session_prune_threshold: Annotated[float, Field(ge=0, le=1000)] = 0.15
    session_decay: Annotated[float, Field(ge=0, le=10)] = 0.05
    session_hop_penalty: Annotated[float, Field(ge=0, le=10)] = 0.3
    pmll_graph_db: Annotated[Path | None, Location] = None
    llm_base_url: Annotated[str | None, ServiceAddress] = None
    llm_api_key: Secret = None
    llm_model: Annotated[str | None, ModelName] = None
    classifier_max_tokens: Annotated[int, Field(ge=16, le=100_000)] = 1000
    synthesizer_max_tokens: Annotated[int, Field(ge=16, le=100_000)] = 2000
    max_retries: Annotated[int, Field(ge=0, le=10)] = 3
    enrich: Annotated[Literal["auto", "off"], Choice] = "auto"
    llm_timeout: Annotated[float, Field(ge=1, le=3600)] = 60
    ask_timeout: Annotated[float, Field(ge=1, le=3600)] = 20
    llm_calls_per_hour: Count = 1000
    llm_tokens_per_hour: Count = 1_000_000
    llm_tokens_per_memory: Annotated[int, Field(ge=2000, le=1_000_000)] = 6000
    embedding_base_url: Annotated[str | None, ServiceAddress] = None
    embedding_api_key: Secret = None
    embedding_model: Annotated[str | None, ModelName] = None
    openai_api_key: Secret = None

    magma_semantic_top_k: Waiting = None
    magma_min_semantic_score: Waiting = None
    magma_entity_depth: Waiting = None
    magma_temporal_depth: Waiting = None
    magma_causal_depth: Waiting = None
    magma_min_nodes_per_view: Waiting = None
    magma_max_nodes_per_view: Waiting = None
    magma_multi_view_boost: Waiting = None
    magma_max_query_length: Waiting = None
    magma_max_context_length: Waiting = None

    @model_validator(mode="before")
    @classmethod
    def _without_blanks(cls, values: dict[str, Any]) -> dict[str, Any]:
        stripped = {name: value.strip() if isinstance(value, str) else value for name, value in values.items()}
        given = {name: value for name, value in stripped.items() if value not in ("", None)}
        if any(name in given for name in REMOTE):
            given.setdefault(BY_FIELD["embedder"].variable, "remote")
        return given

    @classmethod
    def load(cls, **overrides: object) -> Self:
        """Read the settings; ``overrides`` are named by field (``undo_days=30``) or by variable.

        An override that is ``None`` or blank counts as not given.

        Raises:
            SettingsError: something is unknown or has a value that cannot be used; one line for each.
            NotSupported: all that is wrong is that it asks for what this version does not have.
        """
        given: dict[str, Any] = {}
        written: dict[str, str] = {}
        problems: list[SettingsError] = []
        for name, value in overrides.items():
            row = BY_FIELD.get(name) or BY_VARIABLE.get(name)
            if row is None:
                problems.append(_unknown(name))
            elif value is not None and str(value).strip():
                given[row.variable] = value
                written[row.variable] = name
        try:
            names = {*os.environ, *DotEnvSettingsSource(cls).env_vars}
            problems += [
                _unknown(name) for name in sorted(names) if name.upper().startswith(PREFIX) and name not in BY_VARIABLE
            ]
            loaded = cls(**given)
        except ValidationError as error:
            problems += [_translated(details, written) for details in error.errors(include_url=False)]
        except (OSError, UnicodeDecodeError) as error:
            problems.append(SettingsError(".env", f"it cannot be read: {error}"))
        else:
            problems += [*loaded._unkeyed(), *loaded.unreachable(loaded.db_type)]
        if problems:
            raise _together(problems) from None
        return loaded

    def _unkeyed(self) -> list[SettingsError]:
        """Return what is wrong where text would be sent to a service that is certain to refuse it."""
        service = self.embedding
        if service is None or service.key is not None or _host(service.base_url) != _host(OPENAI):
            return []
        problem = "is needed for OpenAI's embedding service; set it, or EMBEDDING_BASE_URL to another service"
        return [SettingsError("EMBEDDING_API_KEY", problem)]

    @property
    def _wants_chat(self) -> bool:
        return any(each is not None for each in (self.llm_base_url, self.llm_model, self.llm_api_key))

    @property
    def chat(self) -> ServiceSettings | None:
        """The chat service to use, if one is configured and there is a key where one is needed."""
        if not self._wants_chat:
            return None
        base = self.llm_base_url or OPENAI
        key = self.llm_api_key or self._openai_key(base)
        if key is None and _host(base) == _host(OPENAI):
            return None
        return ServiceSettings(base_url=base, key=key, model=self.llm_model or CHAT_MODEL)

    @property
    def embedding(self) -> ServiceSettings | None:
        """The embedding service to use, if the embedder is one. A key is only ever sent to the host it is for."""
        if self.embedder != "remote":
            return None
        base = self.embedding_base_url or OPENAI
        key = self.embedding_api_key
        if key is None and _host(base) == _host(self.llm_base_url or OPENAI):
            key = self.llm_api_key
        key = key or self._openai_key(base)
        return ServiceSettings(base_url=base, key=key, model=self.embedding_model or EMBEDDING_MODEL)

    def _openai_key(self, base: str) -> SecretStr | None:
        return self.openai_api_key if _host(base) == _host(OPENAI) else None

    @property
    def backup_options(self) -> Mapping[str, str | None]:
        """The settings of places for copies by their variables' names, secrets in the clear."""
        return {
            variable: str(value.get_secret_value() if isinstance(value, SecretStr) else value)
            for variable, field in BACKUP_FIELDS.items()
            if field in self.model_fields_set and (value := getattr(self, field)) is not None
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What somebody who looks at the state of the memory should know about the settings."""
        notes = []
        services = (self.chat, self.embedding)
        if self.openai_api_key is not None and all(each is None for each in services):
            notes.append(
                "OPENAI_API_KEY is set, but neither LLM_MODEL nor LLM_BASE_URL: no model service is called and nothing "
                "is sent anywhere."
            )
        if self._wants_chat and self.chat is None:
            notes.append(
                "A chat model is set, but no key for OpenAI's service: set LLM_API_KEY, or LLM_BASE_URL to another "
                "service. Nothing is sent to it."
            )
        if self.embedder != "remote":
            notes += [
                f"{BY_FIELD[field].variable} is set and not used: BECAUSAL_EMBEDDER is {self.embedder}."
                for field in ("embedding_base_url", "embedding_api_key", "embedding_model")
                if getattr(self, field) is not None
            ]
        if self.embedder == "hashing":
            notes += [
                f"{BY_FIELD[field].variable} is set and not used: the hashing embedder has no model."
                for field in ("model_path", "model_threads")
                if getattr(self, field) is not None
            ]
        notes += self.unused_stores(self.db_type)
        if self.backup_type == "none":
            notes += [f"{variable} is set and not used: BACKUP_TYPE is none." for variable in self.backup_options]
        return tuple(notes)


def _host(base: str) -> str:
    return (urlsplit(base).hostname or "").casefold()


def _translated(details: ErrorDetails, written: Mapping[str, str]) -> SettingsError:
    """Return a validation error in the words of the person who wrote the setting."""
    place = str(details["loc"][0])
    row = BY_VARIABLE.get(place) or BY_FIELD[place]
    name = written.get(row.variable, row.variable)
    if details["type"] == "not_supported":
        return NotSupported(name, details["msg"])
    if details["type"] == "refused":
        return SettingsError(name, details["msg"])
    return SettingsError(name, _wrong(details["input"], row))


def _unknown(name: str) -> SettingsError:
    nearest = _nearest(name)
    return SettingsError(name, "there is no such setting" + (f"; did you mean {nearest}?" if nearest else ""))


def _nearest(name: str) -> str | None:
    """Return the known name that was probably meant, as a field if ``name`` is lower case."""
    asked = name.upper()
    rest = asked.removeprefix(PREFIX)
    for row in BY_VARIABLE.values():
        if rest in (row.variable, row.field.upper()):
            break
    else:
        close = difflib.get_close_matches(asked, [*BY_VARIABLE, *(field.upper() for field in BY_FIELD)], n=1)
        if not close:
            return None
        row = BY_VARIABLE.get(close[0]) or BY_FIELD[close[0].lower()]
    return row.field if name.islower() and not asked.startswith(PREFIX) else row.variable


def _together(problems: list[SettingsError]) -> SettingsError:
    """Return one error whose message has a line for each."""
    kind = NotSupported if all(isinstance(problem, NotSupported) for problem in problems) else SettingsError
    first, *others = problems
    return kind(first.name, "\n".join((first.problem, *map(str, others))))
