# SPDX-License-Identifier: Apache-2.0
"""Every error becausal raises on purpose.

BecausalError
├── InvalidInput          a value the caller gave: names the field and what is allowed
├── NotFound              an id that no record has
├── Conflict              somebody else changed the record first
├── NothingToUndo         no change is left that could be taken back
├── SettingsError         a setting is wrong
│   └── NotSupported      a setting asks for something this version does not have
├── BackupError           a copy of the memory cannot be made or brought back
│   ├── BackupUnavailable the place for copies cannot be reached or used
│   ├── BackupDiverged    another machine has put a copy there
│   └── BackupCorrupt     what is there is damaged, or no copy
├── ModelUnavailable      the embedder cannot run: missing, damaged, or still failing
└── StoreError            the memory's own storage
    ├── StoreUnavailable  it cannot be opened, reached or written
    ├── StoreBusy         another process kept it locked for too long
    ├── StoreCorrupt      it can be opened, but what it holds is damaged
    ├── SchemaTooNew      a newer becausal wrote it
    └── EmbedderMismatch  its vectors come from another embedder
"""

from __future__ import annotations


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


class BackupError(BecausalError):
    """Base of everything that can go wrong with copies. The memory itself is untouched."""


class BackupUnavailable(BackupError):
    """The place for copies cannot be reached, refuses, or is full."""


class BackupDiverged(BackupError):
    """Another machine has put a copy there that this one does not know."""


class BackupCorrupt(BackupError):
    """What is there is damaged, is no copy, or cannot be opened with the key."""


class ModelUnavailable(BecausalError):
    """The embedder cannot run. The message says why and what would heal it."""


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
