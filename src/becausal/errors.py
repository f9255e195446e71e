# SPDX-License-Identifier: Apache-2.0
"""Every error becausal raises on purpose.

BecausalError
├── InvalidInput          a value the caller gave: names the field and what is allowed
├── NotFound              an id that no record has
├── Conflict              somebody else changed the record first
├── NothingToUndo         no change is left that could be taken back
├── SettingsError         a setting is wrong
│   └── NotSupported      a setting asks for something this version does not have
├── ClientConfigError     the configuration of an MCP client cannot be read, or not be edited without harm
├── BackupError           a copy of the memory cannot be made or brought back
│   ├── BackupUnavailable the place for copies cannot be reached or used
│   ├── BackupDiverged    another machine has put a copy there
│   └── BackupCorrupt     what is there is damaged, or no copy
├── ModelUnavailable      a model cannot be used: missing, damaged, or still failing
│   └── ServiceError      a model service did not answer as it should
│       ├── ServiceUnreachable    no connection, or it broke off
│       ├── ServiceTimeout        no whole answer in the time allowed
│       ├── KeyRefused            the key is missing or wrong (401)
│       ├── AccessDenied          the key may not do this (403)
│       ├── UnknownModel          there is no such model, or nothing at this address (404)
│       ├── RateLimited           too many requests, or the credit is used up (429)
│       ├── RequestRefused        it does not take the request (other 4xx)
│       │   ├── ContextTooLong    the text is longer than the model reads
│       │   └── ContentFiltered   it declines to read or answer this text
│       ├── ServerFailed          something broke there (5xx)
│       ├── ReplyUnusable         an answer that is not what was asked for
│       ├── ServicePaused         it has failed so often that it is left alone for a while
│       └── BudgetSpent           no more calls or tokens are allowed at the moment
└── StoreError            the memory's own storage
    ├── StoreUnavailable  it cannot be opened, reached or written
    ├── StoreBusy         another process kept it locked for too long
    ├── StoreCorrupt      it can be opened, but what it holds is damaged
    ├── SchemaTooNew      a newer becausal wrote it
    └── EmbedderMismatch  its vectors come from another embedder
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What a call of a model service took: calls, and tokens read and written, ``estimated`` of them by us."""

    calls: int = 0
    tokens: int = 0
    estimated: int = 0


class BecausalError(Exception):
    """Base of the tree: catch this to catch everything becausal raises on purpose."""


class InvalidInput(BecausalError):
    """A value is refused. ``field`` names it, ``problem`` says what is allowed."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class NotFound(BecausalError):
    """No record of ``kind`` has this id."""

    def __init__(self, kind: str, id: str) -> None:
        super().__init__(f"{kind} '{id}' not found")
        self.kind = kind
        self.id = id


class Conflict(BecausalError):
    """The record was changed, or made, by somebody else in the meantime."""


class NothingToUndo(BecausalError):
    """There is no change left that could be taken back."""


class SettingsError(BecausalError):
    """A setting has a value that cannot be used. ``name`` is the variable as it was given."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}")
        self.name = name
        self.problem = problem


class NotSupported(SettingsError):
    """A setting asks for a feature that this version does not have."""


class ClientConfigError(BecausalError):
    """The configuration of an MCP client cannot be read, or not be edited without harm; it is as it was."""


class BackupError(BecausalError):
    """Base of everything that can go wrong with copies. The memory itself is untouched."""


class BackupUnavailable(BackupError):
    """The place for copies cannot be reached, refuses, or is full."""


class BackupDiverged(BackupError):
    """Another machine has put a copy there that this one does not know."""


class BackupCorrupt(BackupError):
    """What is there is damaged, is no copy, or cannot be opened with the key."""


class ModelUnavailable(BecausalError):
    """A model cannot be used. The message says why and what would heal it."""


class ServiceError(ModelUnavailable):
    """A model service did not answer as it should. The message never holds a key.

    ``retry_after`` is the number of seconds after which it asks to be tried again, if it said so. ``reached`` says that
    the request may have come to a model, ``received`` how many bytes of an answer came back; ``used`` is what was used
    all the same.
    """

    def __init__(
        self, message: str, *, retry_after: float | None = None, reached: bool = False, received: int | None = None
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.reached = reached
        self.received = received
        self.used = Used()


class ServiceUnreachable(ServiceError):
    """No connection to the service, or it broke off."""


class ServiceTimeout(ServiceError):
    """The service gave no whole answer in the time allowed."""


class KeyRefused(ServiceError):
    """The key is missing or wrong (HTTP 401)."""


class AccessDenied(ServiceError):
    """The key may not do this (HTTP 403)."""


class UnknownModel(ServiceError):
    """There is no such model, or nothing at this address (HTTP 404)."""


class RateLimited(ServiceError):
    """Too many requests, or the credit is used up (HTTP 429)."""


class RequestRefused(ServiceError):
    """The service does not take the request (HTTP 400 and the like)."""


class ContextTooLong(RequestRefused):
    """The text is longer than the model reads."""


class ContentFiltered(RequestRefused):
    """The service declines to read or answer this text."""


class ServerFailed(ServiceError):
    """Something broke on the service's side (HTTP 5xx)."""


class ReplyUnusable(ServiceError):
    """The service answered, but not with what was asked for."""


class ServicePaused(ServiceError):
    """The service has failed so often that it is left alone for a while."""


class BudgetSpent(ServiceError):
    """No more calls or tokens are allowed at the moment."""


class StoreError(BecausalError):
    """Base of everything that can go wrong with the memory's own storage."""


class StoreUnavailable(StoreError):
    """The store cannot be opened, reached or written."""


class StoreBusy(StoreError):
    """Another process held the store for longer than the time-out."""


class StoreCorrupt(StoreError):
    """The store was opened, but what it holds is damaged."""


class SchemaTooNew(StoreError):
    """The store was written by a newer becausal than this one."""


class EmbedderMismatch(StoreError):
    """The store's vectors come from another embedder; the message names the command that re-embeds."""
